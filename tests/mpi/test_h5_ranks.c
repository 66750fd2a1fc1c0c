/* An HDF5 file of several ranks: rows from where they are, the values that one process would write, checksums; a write
 * that fails on any process is reported, no file is left, and the next file is whole. Run by mpirun or alone; by all
 * processes where the build has a parallel HDF5, else by rank 0.
 *
 *     test_h5_ranks [RANKS]      ranks in each process, a thread for each (default 1) */
#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "comm/transport/message.h"
#include "io/hdf5/h5.h"
#include "tests/support/temporary.h"

static char folder[] = "/tmp/torre_h5_ranks_XXXXXX", path[64], part[72];
static int in_process = 1, failures;
static _Thread_local int gathered; /* blocks of this rank */

/* Arrays of one row to several blocks, with and without deflate; the first indices number the rows. */
struct array {
  const char *object;
  enum tor_h5_type type;
  int rank, lead, gathers, level;
  tor_gidx dims[4];
};
static const struct array arrays[] = {
    {"/a/one", TOR_H5_DOUBLE, 1, 1, 1, 0, {1}},
    {"/a/small", TOR_H5_FLOAT, 3, 1, 1, 3, {7, 5, 3}},
    {"/a/chunk", TOR_H5_DOUBLE, 2, 1, 1, 0, {301, 417}},
    {"/a/blocks", TOR_H5_FLOAT, 3, 1, 1, 0, {11, 500, 301}},
    {"/b/rows", TOR_H5_DOUBLE, 3, 3, 0, 0, {3, 401, 311}},
    {"/b/deflated", TOR_H5_DOUBLE, 3, 2, 0, 1, {3, 401, 203}},
};
enum { ARRAYS = (int)(sizeof arrays / sizeof *arrays) };

static double value(const struct array *a, tor_gidx i) { return (double)(1000003 * (a - arrays) + i % 999983) / 8; }

static tor_gidx values(const struct array *a, int from, int to) {
  tor_gidx n = 1;
  for (int d = from; d < to; d++) n *= a->dims[d];
  return n;
}

static int fill(void *context, tor_gidx first, tor_gidx count, void *rows) {
  const struct array *a = context;
  const tor_gidx row = values(a, a->lead, a->rank);
  for (tor_gidx i = 0; i < count * row; i++) {
    if (a->type == TOR_H5_FLOAT)
      ((float *)rows)[i] = (float)value(a, first * row + i);
    else
      ((double *)rows)[i] = value(a, first * row + i);
  }
  return 0;
}

static void gather(void *context, const char *object, tor_gidx first, tor_gidx count, int writer, void *rows) {
  (void)context;
  gathered++;
  if ((rows != NULL) != (writer == tor_message_rank())) abort();
  for (int i = 0; i < ARRAYS; i++)
    if (rows && !strcmp(arrays[i].object, object)) fill((void *)&arrays[i], first, count, rows);
}

static int write_file(void) {
  const double three[3] = {1, 2.5, -3};
  struct tor_h5 *h5 = tor_h5_can_share() ? tor_h5_create_shared(path) : tor_h5_create(path);
  if (!h5) return -1;
  tor_h5_attribute_string(h5, "/", "title", "several ranks");
  tor_h5_group(h5, "/c/group");
  for (const struct array *a = arrays; a < arrays + ARRAYS; a++) {
    tor_h5_deflate(h5, a->level);
    if (a->gathers)
      tor_h5_write_gathered(h5, a->object, a->type, a->rank, a->dims, a->lead, gather, NULL);
    else
      tor_h5_write_rows(h5, a->object, a->type, a->rank, a->dims, a->lead, fill, (void *)a, "m", NULL);
  }
  tor_h5_write(h5, "/c/whole", TOR_H5_DOUBLE, 1, (tor_gidx[]){3}, three, "s", "three numbers");
  tor_h5_write(h5, "/c/none", TOR_H5_DOUBLE, 2, (tor_gidx[]){0, 3}, NULL, NULL, NULL);
  tor_h5_write_text(h5, "/c/text", "a job", NULL);
  tor_h5_attribute_doubles(h5, "/c/whole", "three", 3, three);
  tor_h5_attribute_letters(h5, "/c/whole", "letters", "zyx");
  return tor_h5_close(h5);
}

static int has_checksums(hid_t set) {
  const hid_t create = H5Dget_create_plist(set);
  unsigned flags;
  size_t count = 0;
  const int there = H5Pget_filter_by_id2(create, H5Z_FILTER_FLETCHER32, &flags, &count, NULL, 0, NULL, NULL) >= 0;
  H5Pclose(create);
  return there;
}

static int reads(hid_t file, const struct array *a) {
  const tor_gidx n = values(a, 0, a->rank);
  double *there = malloc((size_t)n * sizeof *there);
  const hid_t set = H5Dopen2(file, a->object, H5P_DEFAULT);
  int same = set >= 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, there) >= 0;
  for (tor_gidx i = 0; same && i < n; i++)
    same = there[i] == (a->type == TOR_H5_FLOAT ? (double)(float)value(a, i) : value(a, i));
  same = same && has_checksums(set);
  if (set >= 0) H5Dclose(set);
  free(there);
  return same;
}

static void expect(int good, const char *what) {
  if (good) return;
  print_error("not so: %s (%s)\n", what, tor_h5_error());
  failures++;
}

static void read_file(void) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  double three[3] = {0};
  char text[16] = "";
  expect(file >= 0, "the file opens");
  if (file < 0) return;
  for (int i = 0; i < ARRAYS; i++) expect(reads(file, &arrays[i]), arrays[i].object);
  hid_t set = H5Dopen2(file, "/c/whole", H5P_DEFAULT);
  expect(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, three) >= 0 && three[2] == -3, "/c/whole");
  hid_t attribute = H5Aopen(set, "three", H5P_DEFAULT);
  expect(H5Aread(attribute, H5T_NATIVE_DOUBLE, three) >= 0 && three[1] == 2.5, "an attribute");
  H5Aclose(attribute);
  H5Dclose(set);
  set = H5Dopen2(file, "/c/text", H5P_DEFAULT);
  hid_t type = H5Dget_type(set);
  expect(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0 && !strcmp(text, "a job"), "/c/text");
  H5Tclose(type);
  H5Dclose(set);
  H5Fclose(file);
}

/* Writes with a limit of the file's size on one process; the next file is whole. */
static void fail_on(int process) {
  const int rank = tor_message_rank(), is_limited = rank == process * in_process;
  if (is_limited) temporary_limit(3 << 20);
  tor_message_barrier();
  if (rank)
    tor_h5_follow(gather, NULL);
  else {
    char number[32];
    snprintf(number, sizeof number, "rank %d: ", process * in_process);
    expect(write_file() == -1, "a write that fails is reported");
    const char *why = tor_h5_error(); /* MPI-IO does not report why a write was cut short */
    expect(!tor_h5_can_share() || strstr(why, number), "with its rank");
    expect(strstr(why, "File too large") || strstr(why, "cut short"), "with its reason");
    expect(access(path, F_OK) == -1 && access(part, F_OK) == -1, "no file remains");
    tor_h5_dismiss();
  }
  tor_message_barrier();
  if (is_limited) temporary_limit(-1);
  tor_message_barrier();
}

static void write_and_read(void) {
  gathered = 0;
  if (tor_message_rank())
    tor_h5_follow(gather, NULL);
  else {
    expect(!write_file(), "the file is written");
    tor_h5_dismiss();
    read_file();
    unlink(path);
    expect(access(part, F_OK) == -1, "no part remains");
  }
  const int none = tor_message_lowest(gathered < 4);
  if (!tor_message_rank()) expect(none < 0, "all ranks gather");
}

static void run(void *self) {
  (void)self;
  write_and_read();
  for (int process = 0; process < tor_message_ranks() / in_process; process++)
    if (!process || tor_h5_can_share()) fail_on(process);
  write_and_read();
}

static void files_of_all_ranks(void **state) {
  (void)state;
  tor_message_split(in_process, run, NULL);
  assert_int_equal(failures, 0);
}

int main(int argc, char **argv) {
  setenv("TORRE_HDF5_WRITERS", "all", 1); /* also of one machine */
  tor_message_begin(&argc, &argv);
  if (argc > 1) in_process = atoi(argv[1]);
  if (!tor_message_rank() && temporary_file(folder, "all.h5", path, part)) return 1;
  tor_message_bcast(path, sizeof path);
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_all_ranks)};
  const int failed = cmocka_run_group_tests_name("h5_ranks", tests, NULL, NULL);
  if (!tor_message_rank()) rmdir(folder);
  tor_message_end();
  return failed;
}
