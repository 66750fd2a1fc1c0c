/* Files written asynchronously: the bytes are those that were put, in any order; failures are returned to the caller
 * that waits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/temporary.h"
#include "io/files/writer.h"

enum { MOST = 40 << 20 };

static char folder[] = "/tmp/torre_writer_XXXXXX", path[64], part[72];
static char image[MOST], back[MOST];

static size_t random_below(size_t end) { return ((size_t)rand() << 15 ^ (size_t)rand()) % end; }

/* Puts random bytes into the file and the image. */
static void put(struct tor_written *file, size_t at, size_t size) {
  for (size_t i = 0; i < size; i++) image[at + i] = (char)rand();
  assert_int_equal(tor_written_put(file, (int64_t)at, image + at, size), 0);
}

static void expect_file(const char *name, size_t size) {
  FILE *f = fopen(name, "rb");
  assert_non_null(f);
  assert_int_equal(fread(back, 1, MOST, f), size);
  fclose(f);
  assert_int_equal(memcmp(back, image, size), 0);
}

/* Mostly forwards with gaps, sometimes before data that has been written, sometimes read back; two files at a time. */
static void any_order_gives_the_same_bytes(void **state) {
  (void)state;
  for (int seed = 1; seed <= 6; seed++) {
    struct tor_writer *writer = tor_writer_start(0);
    assert_non_null(writer);
    struct tor_written *file = tor_writer_create(writer, path);
    assert_non_null(file);
    assert_int_equal(access(path, F_OK), -1);
    srand((unsigned)seed);
    memset(image, 0, MOST);
    size_t at = 0, end = 0;
    for (int i = 0; i < 60; i++) {
      size_t size = 1 + random_below(i % 3 ? 3000 : 3 << 20);
      size_t to = i % 5 == 4 && at ? random_below(at) : at + (i % 4 ? 0 : random_below(5000));
      if (to + size > MOST) break;
      put(file, to, size);
      if (to >= at) at = to + size;
      if (to + size > end) end = to + size;
      if (i % 16 == 15) {
        size_t from = random_below(end), bytes = 1 + random_below(1 << 20);
        if (from + bytes > MOST) bytes = MOST - from;
        assert_int_equal(tor_written_get(file, (int64_t)from, back, bytes), 0);
        assert_int_equal(memcmp(back, image + from, bytes), 0);
      }
    }
    assert_true(end > 8 << 20); /* more than a block */
    if (seed % 2) tor_written_resize(file, (int64_t)(end -= 1000));
    tor_written_publish(file);
    assert_int_equal(tor_written_wait(file), 0);
    tor_writer_end(writer);
    expect_file(path, end);
    assert_int_equal(access(part, F_OK), -1);
    unlink(path);
  }
}

static void a_file_that_is_dropped_leaves_nothing(void **state) {
  (void)state;
  struct tor_writer *writer = tor_writer_start(0);
  struct tor_written *file = tor_writer_create(writer, path);
  put(file, 0, 10 << 20);
  tor_written_discard(file);
  tor_written_wait(file);
  tor_writer_end(writer);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(access(part, F_OK), -1);
}

static void a_full_disk_is_reported(void **state) {
  (void)state;
  struct tor_writer *writer = tor_writer_start(0);
  struct tor_written *file = tor_writer_create(writer, path);
  assert_non_null(file);
  temporary_limit(1 << 20);
  int failed = 0;
  for (size_t at = 0; at < 32 << 20 && !failed; at += 1 << 20)
    failed = tor_written_put(file, (int64_t)at, image, 1 << 20);
  tor_written_publish(file);
  errno = 0;
  assert_int_equal(tor_written_wait(file), -1);
  assert_int_equal(errno, EFBIG);
  temporary_limit(-1);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(access(part, F_OK), -1);
  tor_writer_end(writer);
}

static void a_name_that_cannot_be_given_is_reported(void **state) {
  (void)state;
  struct tor_writer *writer = tor_writer_start(0);
  struct tor_written *file = tor_writer_create(writer, path);
  put(file, 0, 100);
  assert_int_equal(unlink(part), 0);
  tor_written_publish(file);
  assert_int_equal(tor_written_wait(file), -1);
  assert_int_equal(errno, ENOENT);
  assert_null(tor_writer_create(writer, "/tmp/no-such-folder/x"));
  assert_int_equal(errno, ENOENT);
  tor_writer_end(writer);
}

/* Several at a time, one after the other, with the least memory. */
static void files_follow_each_other(void **state) {
  (void)state;
  enum { FILES = 5, BYTES = 20 << 20 };
  struct tor_writer *writer = tor_writer_start(0);
  struct tor_written *file[FILES];
  char name[FILES][80];
  for (size_t i = 0; i < BYTES; i++) image[i] = (char)rand();
  for (int f = 0; f < FILES; f++) {
    snprintf(name[f], sizeof name[f], "%s/several%d", folder, f);
    file[f] = tor_writer_create(writer, name[f]);
    assert_non_null(file[f]);
    for (size_t at = 0; at < BYTES; at += 1 << 20)
      assert_int_equal(tor_written_put(file[f], (int64_t)at, image + at, 1 << 20), 0);
    tor_written_publish(file[f]);
  }
  for (int f = 0; f < FILES; f++) {
    assert_int_equal(tor_written_wait(file[f]), 0);
    expect_file(name[f], BYTES);
    unlink(name[f]);
  }
  tor_writer_end(writer);
}

static int setup(void **state) {
  (void)state;
  return temporary_file(folder, "file", path, part);
}

static int teardown(void **state) {
  (void)state;
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order_gives_the_same_bytes), cmocka_unit_test(a_file_that_is_dropped_leaves_nothing),
      cmocka_unit_test(a_full_disk_is_reported),        cmocka_unit_test(a_name_that_cannot_be_given_is_reported),
      cmocka_unit_test(files_follow_each_other),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
