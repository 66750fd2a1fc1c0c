/* Block files: the data written is the data read; truncation and changes are detected; a later version is recognised.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/files/block_file.h"
#include "io/files/generation.h"

enum { BLOCKS = 5 };
static const char path[] = "blocks.test";
static const uint64_t sizes[BLOCKS] = {100, 0, 1, 64, 12345};

static unsigned char *content(int block) {
  unsigned char *data = malloc(sizes[block] + 1);
  assert_non_null(data);
  for (uint64_t i = 0; i < sizes[block]; i++) data[i] = (unsigned char)(i * 7 + (uint64_t)block);
  return data;
}

static void write_file(void) {
  struct tor_block blocks[BLOCKS];
  struct tor_block_file file;
  const struct tor_block_head head = {0x1122334455667788u, 77, 1, 3};
  for (int i = 0; i < BLOCKS; i++) blocks[i] = (struct tor_block){.kind = i, .range = {i, 2, 3, 4}, .bytes = sizes[i]};
  assert_int_equal(tor_block_file_create(&file, path, &head, BLOCKS, blocks), 0);
  for (int i = BLOCKS - 1; i >= 0; i--) {
    unsigned char *data = content(i);
    assert_int_equal(tor_block_file_write(&file, (uint64_t)i, data), 0);
    free(data);
  }
  assert_int_equal(tor_block_file_finish(&file, 1), 0);
}

/* The most severe state of any part of the file. */
static enum tor_block_status read_file(void) {
  struct tor_block_file file;
  enum tor_block_status status = tor_block_file_open(&file, path);
  if (status) return status;
  assert_int_equal(file.count, BLOCKS);
  assert_int_equal(file.head.step, 77);
  for (int i = 0; i < BLOCKS; i++) {
    assert_int_equal(file.block[i].kind, i);
    assert_int_equal(file.block[i].offset % 64, 0);
    unsigned char *data = content(i), *got = malloc(sizes[i] + 1);
    enum tor_block_status own = tor_block_file_read(&file, (uint64_t)i, got);
    if (own) status = own;
    if (!own) assert_memory_equal(data, got, sizes[i]);
    free(data);
    free(got);
  }
  tor_block_file_close(&file);
  return status;
}

static void what_is_written_is_read(void **unused) {
  (void)unused;
  write_file();
  assert_int_equal(read_file(), TOR_BLOCK_OK);
}

/* Gaps between blocks hold no data and are not checked. */
static int is_gap(long at) {
  long begin = 64 + 40 * BLOCKS;
  for (int i = 0; i < BLOCKS; i++) {
    long start = (begin + 63) / 64 * 64;
    if (at >= begin && at < start) return 1;
    begin = start + (long)sizes[i];
  }
  return 0;
}

static void every_flipped_byte_is_found(void **unused) {
  (void)unused;
  write_file();
  FILE *f = fopen(path, "r+b");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  for (long at = 0; at < size; at += at < 800 ? 1 : 97) {
    if (is_gap(at)) continue;
    fseek(f, at, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(byte ^ 0x10, f);
    fflush(f);
    assert_true(read_file() == TOR_BLOCK_DAMAGED || (at >= 12 && at < 16 && read_file() == TOR_BLOCK_OTHER));
    fseek(f, at, SEEK_SET);
    fputc(byte, f);
    fflush(f);
  }
  fclose(f);
  assert_int_equal(read_file(), TOR_BLOCK_OK);
}

static void every_length_but_the_whole_is_found(void **unused) {
  (void)unused;
  for (long cut = 1; cut < 12000; cut += cut < 20 ? 1 : 531) {
    write_file();
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    fclose(f);
    assert_int_equal(truncate(path, size - cut), 0);
    assert_int_equal(read_file(), TOR_BLOCK_DAMAGED);
  }
  unlink(path);
  struct tor_block_file file;
  assert_int_equal(tor_block_file_open(&file, path), TOR_BLOCK_FAILED);
}

static void generations_come_whole_and_go(void **unused) {
  (void)unused;
  const char dir[] = "generations.test";
  char part[TOR_GENERATION_PATH], file[TOR_GENERATION_PATH + 16];
  int64_t steps[4];
  tor_generation_keep(dir, 0, NULL);
  for (int64_t step = 10; step <= 40; step += 10) {
    assert_int_equal(tor_generation_begin(dir, step), 0);
    assert_true(tor_generation_path(dir, step, 1, part));
    snprintf(file, sizeof file, "%s/manifest", part);
    fclose(fopen(file, "w"));
    if (step == 30) continue; /* left behind */
    assert_int_equal(tor_generation_publish(dir, step), 0);
  }
  assert_int_equal(tor_generation_list(dir, 4, steps), 3);
  assert_true(steps[0] == 40 && steps[1] == 20 && steps[2] == 10);
  assert_int_equal(tor_generation_list(dir, 2, steps), 2);
  assert_true(steps[0] == 40 && steps[1] == 20);
  assert_int_equal(tor_generation_keep(dir, 2, steps), 0);
  assert_int_equal(tor_generation_list(dir, 4, steps), 2);
  assert_int_equal(tor_generation_keep(dir, 0, NULL), 0);
  assert_int_equal(access(dir, F_OK), -1);
  assert_int_equal(tor_generation_list(dir, 4, steps), 0);
}

/* A link in the place of a generation, its part or its remains is removed itself; other files in one stay, as a
 * failure. */
static void generations_take_nothing_else_along(void **unused) {
  (void)unused;
  const char dir[] = "generations.test";
  mkdir("precious.test", 0777);
  fclose(fopen("precious.test/manifest", "w"));
  for (int ending = 0; ending < 3; ending++) {
    const char *names[] = {"step-000000000010", "step-000000000020.part", "step-000000000030.old"};
    char link[64];
    mkdir(dir, 0777);
    snprintf(link, sizeof link, "%s/%s", dir, names[ending]);
    assert_int_equal(symlink("../precious.test", link), 0);
    assert_int_equal(tor_generation_begin(dir, 10 + 10 * ending), 0);
    assert_int_equal(tor_generation_publish(dir, 10 + 10 * ending), 0);
    assert_int_equal(tor_generation_keep(dir, 0, NULL), 0);
    assert_int_equal(access("precious.test/manifest", F_OK), 0);
    assert_int_equal(access(dir, F_OK), -1);
  }
  mkdir(dir, 0777);
  mkdir("generations.test/step-000000000010.part", 0777);
  fclose(fopen("generations.test/step-000000000010.part/thesis", "w"));
  assert_int_equal(tor_generation_begin(dir, 10), -1);
  assert_int_equal(errno, EEXIST);
  assert_int_equal(unlink("generations.test/step-000000000010.part/thesis"), 0);
  assert_int_equal(tor_generation_keep(dir, 0, NULL), 0);
  unlink("precious.test/manifest");
  assert_int_equal(rmdir("precious.test"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(every_flipped_byte_is_found),
      cmocka_unit_test(every_length_but_the_whole_is_found), cmocka_unit_test(generations_come_whole_and_go),
      cmocka_unit_test(generations_take_nothing_else_along)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
