/* One dataset beyond 4 GB, written a few rows at a time and read back at both ends, on either side of every 4 GB, and
 * between. Takes 10 GB of disk for a while: skipped unless TORRE_TEST_LARGE names a folder for it. */
#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/hdf5/h5.h"

enum { PLANES = 2400, HEIGHT = 1000, WIDTH = 1000 }; /* 9.6 GB of floats */

static float value_at(tor_gidx plane, tor_gidx i) {
  return (float)(plane * 7919 % 65521) + (float)(i % 1021) * 0x1p-10f;
}

static int fill(void *context, tor_gidx first, tor_gidx count, void *rows) {
  float *at = rows;
  (void)context;
  for (tor_gidx p = first; p < first + count; p++)
    for (tor_gidx i = 0; i < HEIGHT * WIDTH; i++) *at++ = value_at(p, i);
  return 0;
}

static void expect_plane(hid_t set, hsize_t plane) {
  static float values[HEIGHT * WIDTH];
  const hsize_t start[] = {plane, 0, 0}, count[] = {1, HEIGHT, WIDTH};
  hid_t to = H5Screate_simple(3, count, NULL), from = H5Dget_space(set);
  assert_true(H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
  assert_true(H5Dread(set, H5T_NATIVE_FLOAT, to, from, H5P_DEFAULT, values) >= 0);
  for (tor_gidx i = 0; i < HEIGHT * WIDTH; i++) assert_true(values[i] == value_at((tor_gidx)plane, i));
  H5Sclose(to);
  H5Sclose(from);
}

static void a_dataset_beyond_4_gb_reads_back(void **state) {
  char path[4096];
  snprintf(path, sizeof path, "%s/torre-large.h5", (const char *)*state);
  struct tor_h5 *h5 = tor_h5_create(path);
  assert_non_null(h5);
  assert_int_equal(
      tor_h5_write_rows(h5, "/volume", TOR_H5_FLOAT, 3, (tor_gidx[]){PLANES, HEIGHT, WIDTH}, 1, fill, NULL, NULL, NULL),
      0);
  assert_int_equal(tor_h5_close(h5), 0);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "/volume", H5P_DEFAULT);
  assert_true(file >= 0 && set >= 0);
  const hsize_t planes[] = {0, 536, 537, 1073, 1074, 1700, 2147, 2148, PLANES - 1};
  for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) expect_plane(set, planes[i]);
  H5Dclose(set);
  H5Fclose(file);
  unlink(path);
}

int main(void) {
  char *folder = getenv("TORRE_TEST_LARGE");
  if (!folder) {
    puts("skipped: TORRE_TEST_LARGE names no folder");
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(a_dataset_beyond_4_gb_reads_back, folder)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
