/* results.h5: the data written is the data read, and a failure leaves no file under the final name. */
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

#include "tests/support/temporary.h"
#include "io/hdf5/h5.h"

static char folder[] = "/tmp/torre_h5_XXXXXX", path[64], part[72];

static hid_t reopen(void) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

static void expect_text(hid_t file, const char *object, const char *name, const char *expected) {
  char text[128] = "";
  hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(attribute >= 0);
  hid_t type = H5Aget_type(attribute);
  assert_true(H5Tis_variable_str(type) == 0);
  assert_true(H5Tget_cset(type) == H5T_CSET_ASCII);
  assert_true(H5Tget_size(type) < sizeof text);
  assert_true(H5Aread(attribute, type, text) >= 0);
  assert_string_equal(text, expected);
  H5Tclose(type);
  H5Aclose(attribute);
}

static void round_trip(void **state) {
  (void)state;
  const double values[2][3] = {{1, 2, 3}, {4, 5, 6e-300}};
  const float floats[4] = {1.5f, -2, 0, 3e38f};
  const int64_t counts[1] = {INT64_C(5000000000)};
  const double two[2] = {0.25, -1}, one = 7;
  struct tor_h5 *h5 = tor_h5_create(path);
  assert_non_null(h5);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(tor_h5_group(h5, "/empty/group"), 0);
  assert_int_equal(tor_h5_write(h5, "/monitors/a/data", TOR_H5_DOUBLE, 2, (tor_gidx[]){2, 3}, values, "V/m", "field"),
                   0);
  assert_int_equal(tor_h5_write(h5, "/monitors/a/f", TOR_H5_FLOAT, 1, (tor_gidx[]){4}, floats, NULL, NULL), 0);
  assert_int_equal(tor_h5_write(h5, "/n", TOR_H5_INT64, 1, (tor_gidx[]){1}, counts, "1", "count"), 0);
  assert_int_equal(tor_h5_write(h5, "/scalar", TOR_H5_DOUBLE, 0, NULL, &one, "s", NULL), 0);
  assert_int_equal(tor_h5_write(h5, "/none", TOR_H5_DOUBLE, 2, (tor_gidx[]){0, 3}, NULL, "s", NULL), 0);
  assert_int_equal(tor_h5_write_text(h5, "/job", "grid = 1;\n", "the job file"), 0);
  assert_int_equal(tor_h5_attribute_string(h5, "/", "program", "torre"), 0);
  assert_int_equal(tor_h5_attribute_doubles(h5, "/monitors/a", "offset", 2, two), 0);
  assert_int_equal(tor_h5_attribute_double(h5, "/", "dt", 1e-17), 0);
  assert_int_equal(tor_h5_attribute_int(h5, "/", "steps", 12), 0);
  assert_int_equal(tor_h5_close(h5), 0);
  assert_int_equal(access(part, F_OK), -1);

  hid_t file = reopen();
  double back[2][3], pair[2];
  float floats_back[4];
  int64_t count;
  hid_t set = H5Dopen2(file, "/monitors/a/data", H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
  assert_memory_equal(back, values, sizeof back);
  H5Dclose(set);
  set = H5Dopen2(file, "/monitors/a/f", H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, floats_back) >= 0);
  assert_memory_equal(floats_back, floats, sizeof floats);
  H5Dclose(set);
  set = H5Dopen2(file, "/n", H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count) >= 0);
  assert_true(count == counts[0]);
  H5Dclose(set);
  hid_t attribute = H5Aopen_by_name(file, "/monitors/a", "offset", H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, pair) >= 0);
  assert_memory_equal(pair, two, sizeof two);
  H5Aclose(attribute);
  expect_text(file, "/monitors/a/data", "units", "V/m");
  expect_text(file, "/monitors/a/data", "long_name", "field");
  expect_text(file, "/", "program", "torre");
  assert_true(H5Lexists(file, "/empty/group", H5P_DEFAULT) > 0);
  H5Fclose(file);
}

static double *ramp(tor_gidx n) {
  double *data = malloc((size_t)n * sizeof *data);
  assert_non_null(data);
  for (tor_gidx i = 0; i < n; i++) data[i] = (double)(i / 100);
  return data;
}

static void large_datasets_have_checksums_and_may_be_deflated(void **state) {
  (void)state;
  const tor_gidx dims[3] = {40, 50, 200};
  double *data = ramp(400000), *back = calloc(400000, sizeof *back);
  assert_non_null(back);
  struct tor_h5 *h5 = tor_h5_create(path);
  assert_non_null(h5);
  assert_int_equal(tor_h5_write(h5, "/plain", TOR_H5_DOUBLE, 3, dims, data, "m", NULL), 0);
  tor_h5_deflate(h5, 1);
  assert_int_equal(tor_h5_write(h5, "/small", TOR_H5_DOUBLE, 3, dims, data, "m", NULL), 0);
  assert_int_equal(tor_h5_close(h5), 0);
  hid_t file = reopen();
  hid_t plain = H5Dopen2(file, "/plain", H5P_DEFAULT), small = H5Dopen2(file, "/small", H5P_DEFAULT);
  hid_t plan = H5Dget_create_plist(plain);
  assert_int_equal(H5Pget_nfilters(plan), 1);
  assert_true(H5Pget_filter2(plan, 0, NULL, NULL, NULL, 0, NULL, NULL) == H5Z_FILTER_FLETCHER32);
  assert_true(H5Dget_storage_size(small) * 4 < H5Dget_storage_size(plain));
  assert_true(H5Dread(small, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
  assert_memory_equal(back, data, 400000 * sizeof *data);
  H5Pclose(plan);
  H5Dclose(plain);
  H5Dclose(small);
  H5Fclose(file);
  free(data);
  free(back);
}

enum { ROWS = 1001, WIDTH = 9000 }; /* 36 MB: more than one write, and chunks that do not divide the array */

static float expected_value(tor_gidx i) { return (float)((i * 2654435761u) % 1000003) * 0.5f; }

static int fill_rows(void *context, tor_gidx first, tor_gidx count, void *rows) {
  tor_gidx *next = context;
  assert_int_equal(first, *next);
  *next = first + count;
  for (tor_gidx i = 0; i < count * WIDTH; i++) ((float *)rows)[i] = expected_value(first * WIDTH + i);
  return 0;
}

static int give_up(void *context, tor_gidx first, tor_gidx count, void *rows) {
  (void)context;
  memset(rows, 0, (size_t)count * WIDTH * sizeof(float));
  return first > 0 ? -1 : 0;
}

static void arrays_made_row_by_row_read_back(void **state) {
  (void)state;
  for (int level = 0; level < 2; level++) {
    tor_gidx next = 0, *at = &next;
    struct tor_h5 *h5 = tor_h5_create(path);
    assert_non_null(h5);
    tor_h5_deflate(h5, level);
    assert_int_equal(tor_h5_write_rows(h5, "/rows", TOR_H5_FLOAT, 3, (tor_gidx[]){ROWS, WIDTH / 90, 90}, 1, fill_rows,
                                       at, NULL, NULL),
                     0);
    assert_int_equal(next, ROWS);
    assert_int_equal(tor_h5_close(h5), 0);
    float *values = malloc(sizeof(float) * ROWS * WIDTH);
    assert_non_null(values);
    hid_t file = reopen(), set = H5Dopen2(file, "/rows", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (tor_gidx i = 0; i < (tor_gidx)ROWS * WIDTH; i++) assert_true(values[i] == expected_value(i));
    free(values);
    H5Dclose(set);
    H5Fclose(file);
  }
  struct tor_h5 *h5 = tor_h5_create(path);
  assert_int_equal(
      tor_h5_write_rows(h5, "/rows", TOR_H5_FLOAT, 2, (tor_gidx[]){ROWS, WIDTH}, 1, give_up, NULL, NULL, NULL), -1);
  assert_int_equal(tor_h5_close(h5), -1);
}

/* A volume whose planes are larger than a block. */
enum { DEEP = 2, TALL = 2, WIDE = 4200, LONG = 1100 };

struct seen {
  tor_gidx next, most, row; /* next row; the most rows at one time; values of a row */
};

static int fill_values(void *context, tor_gidx first, tor_gidx count, void *rows) {
  struct seen *seen = context;
  assert_int_equal(first, seen->next);
  seen->next = first + count;
  if (count > seen->most) seen->most = count;
  for (tor_gidx i = 0; i < count * seen->row; i++) ((double *)rows)[i] = (double)expected_value(first * seen->row + i);
  return 0;
}

static void rows_take_no_more_memory_than_a_block_or_one_row(void **state) {
  (void)state;
  const tor_gidx dims[4] = {DEEP, TALL, WIDE, LONG}, all = (tor_gidx)DEEP * TALL * WIDE * LONG;
  double *values = malloc((size_t)all * sizeof *values);
  assert_non_null(values);
  for (int lead = 1; lead <= 4; lead++) {
    struct seen seen = {0, 0, all};
    for (int d = 0; d < lead; d++) seen.row /= dims[d];
    struct tor_h5 *h5 = tor_h5_create(path);
    assert_non_null(h5);
    assert_int_equal(
        tor_h5_write_rows(h5, "/values", TOR_H5_DOUBLE, 4, dims, lead, fill_values, &seen, "V/m", "a field"), 0);
    assert_int_equal(tor_h5_close(h5), 0);
    assert_int_equal(seen.next * seen.row, all);
    assert_true(seen.most == 1 || seen.most * seen.row * (tor_gidx)sizeof *values <= 1 << 25);
    hid_t file = reopen(), set = H5Dopen2(file, "/values", H5P_DEFAULT);
    assert_true(H5Aexists(set, "units") > 0 && H5Aexists(set, "long_name") > 0);
    memset(values, 0, (size_t)all * sizeof *values);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    for (tor_gidx i = 0; i < all; i++) assert_true(values[i] == (double)expected_value(i));
    H5Dclose(set);
    H5Fclose(file);
  }
  free(values);
}

/* Bytes that a plane of floats of 600 x 600, more than a chunk holds, takes in the file. */
static void chunks_waste_no_capacity(void **state) {
  (void)state;
  enum { SIDE = 600 };
  float *values = calloc((size_t)SIDE * SIDE, sizeof *values);
  assert_non_null(values);
  struct tor_h5 *h5 = tor_h5_create(path);
  assert_non_null(h5);
  assert_int_equal(tor_h5_write(h5, "/plane", TOR_H5_FLOAT, 2, (tor_gidx[]){SIDE, SIDE}, values, NULL, NULL), 0);
  assert_int_equal(tor_h5_close(h5), 0);
  free(values);
  hid_t file = reopen(), set = H5Dopen2(file, "/plane", H5P_DEFAULT);
  assert_true((double)H5Dget_storage_size(set) < 1.01 * SIDE * SIDE * sizeof(float));
  H5Dclose(set);
  H5Fclose(file);
}

static void a_missing_folder_is_reported(void **state) {
  (void)state;
  char lost[96];
  snprintf(lost, sizeof lost, "%s/no/such.h5", folder);
  assert_null(tor_h5_create(lost));
  assert_non_null(strstr(tor_h5_error(), "no/such.h5: creating the file"));
  assert_non_null(strstr(tor_h5_error(), "No such file or directory"));
}

static void an_unwritable_folder_is_reported(void **state) {
  (void)state;
  assert_null(tor_h5_create("/proc/results.h5")); /* refuses root too */
  assert_non_null(strstr(tor_h5_error(), "/proc/results.h5"));
}

static void a_full_disk_is_reported_and_leaves_the_old_file(void **state) {
  (void)state;
  double *data = ramp(400000);
  FILE *old = fopen(path, "w");
  assert_non_null(old);
  fputs("old", old);
  fclose(old);
  unlink(part);
  struct tor_h5 *h5 = tor_h5_create(path);
  assert_non_null(h5);
  temporary_limit(100000);
  assert_int_equal(tor_h5_write(h5, "/x", TOR_H5_DOUBLE, 1, (tor_gidx[]){400000}, data, "m", NULL), -1);
  assert_int_equal(tor_h5_close(h5), -1);
  temporary_limit(-1);
  assert_non_null(strstr(tor_h5_error(), "File too large"));
  assert_non_null(strstr(tor_h5_error(), "results.h5: "));
  assert_int_equal(access(part, F_OK), -1);
  char text[8] = "";
  old = fopen(path, "r");
  assert_non_null(fgets(text, sizeof text, old));
  fclose(old);
  assert_string_equal(text, "old");
  unlink(path);
  free(data);
}

static void the_first_failure_stays(void **state) {
  (void)state;
  double one = 1;
  struct tor_h5 *h5 = tor_h5_create(path);
  assert_non_null(h5);
  assert_int_equal(tor_h5_write(h5, "/a", TOR_H5_DOUBLE, 0, NULL, &one, NULL, NULL), 0);
  assert_int_equal(tor_h5_attribute_double(h5, "/missing", "b", 1), -1);
  assert_non_null(strstr(tor_h5_error(), "\"/missing\""));
  assert_int_equal(tor_h5_write(h5, "/c", TOR_H5_DOUBLE, 0, NULL, &one, NULL, NULL), -1);
  assert_int_equal(tor_h5_close(h5), -1);
  assert_non_null(strstr(tor_h5_error(), "\"/missing\""));
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(access(part, F_OK), -1);
}

static int setup(void **state) {
  (void)state;
  return temporary_file(folder, "results.h5", path, part);
}

static int clean(void **state) {
  (void)state;
  unlink(path);
  unlink(part);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(round_trip, clean),
      cmocka_unit_test_teardown(large_datasets_have_checksums_and_may_be_deflated, clean),
      cmocka_unit_test_teardown(arrays_made_row_by_row_read_back, clean),
      cmocka_unit_test_teardown(rows_take_no_more_memory_than_a_block_or_one_row, clean),
      cmocka_unit_test(chunks_waste_no_capacity),
      cmocka_unit_test(a_missing_folder_is_reported),
      cmocka_unit_test(an_unwritable_folder_is_reported),
      cmocka_unit_test_teardown(a_full_disk_is_reported_and_leaves_the_old_file, clean),
      cmocka_unit_test_teardown(the_first_failure_stays, clean),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
