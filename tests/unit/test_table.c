/* CSV tables, whole files and the results folder. */
#include <errno.h>
#include <math.h>
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
#include "io/files/folder.h"
#include "io/files/table.h"

static char folder[] = "/tmp/torre_table_XXXXXX", path[64], part[72];

static void expect_text(const char *expected) {
  char text[512];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = 0;
  assert_string_equal(text, expected);
}

static void header_has_units_and_rows_nine_digits(void **state) {
  (void)state;
  const double x[3] = {400, 500.123456789, -1e-300}, y[3] = {1.0 / 3, (double)NAN, HUGE_VAL};
  const struct tor_table_column columns[] = {{"wavelength", "nm", x}, {"C, \"total\"", "nm^2", y}, {"q", NULL, x}};
  assert_int_equal(tor_table_write(path, columns, 3, 3), 0);
  expect_text("wavelength [nm],\"C, \"\"total\"\" [nm^2]\",q\n"
              "400,0.333333333,400\n500.123457,nan,500.123457\n-1e-300,inf,-1e-300\n");
  assert_int_equal(access(part, F_OK), -1);
}

static void an_empty_table_is_its_header(void **state) {
  (void)state;
  const struct tor_table_column column = {"t", "fs", NULL};
  assert_int_equal(tor_table_write(path, &column, 1, 0), 0);
  expect_text("t [fs]\n");
  assert_int_equal(tor_table_write(path, &column, 0, 0), -1);
  assert_int_equal(errno, EINVAL);
}

static void a_table_is_read_as_it_was_written(void **state) {
  (void)state;
  const double x[3] = {400, 500.123456, -1e-300}, y[3] = {0.25, (double)NAN, HUGE_VAL};
  const struct tor_table_column columns[] = {{"wavelength", "nm", x}, {"C, \"total\"", "nm^2", y}, {"q", NULL, x}};
  struct tor_table table;
  assert_int_equal(tor_table_write(path, columns, 3, 3), 0);
  assert_int_equal(tor_table_read(path, &table), 0);
  assert_int_equal(table.ncolumns, 3);
  assert_int_equal(table.nrows, 3);
  assert_string_equal(table.name[0], "wavelength [nm]");
  assert_string_equal(table.name[1], "C, \"total\" [nm^2]");
  assert_string_equal(table.name[2], "q");
  for (int i = 0; i < 3; i++) assert_true(table.value[0][i] == x[i] && table.value[2][i] == x[i]);
  assert_true(table.value[1][0] == 0.25 && isnan(table.value[1][1]) && isinf(table.value[1][2]));
  tor_table_free(&table);
  static const char *const bad[] = {"", "a,b\n1,2\n3\n", "a,b\n1,2,3\n", "a\nx\n", "a\n1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(bad[i], file);
    fclose(file);
    assert_int_equal(tor_table_read(path, &table), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(table.ncolumns, 0);
  }
  unlink(path);
  assert_int_equal(tor_table_read(path, &table), -1);
  assert_int_equal(errno, ENOENT);
}

static void a_full_disk_keeps_the_old_table(void **state) {
  (void)state;
  const tor_gidx sizes[2] = {1, 100000}; /* the first fails at the flush, the second while writing */
  double *x = calloc(100000, sizeof *x);
  assert_non_null(x);
  const struct tor_table_column column = {"t", "fs", x};
  assert_int_equal(tor_table_write(path, &column, 1, 1), 0);
  for (int i = 0; i < 2; i++) {
    temporary_limit(2);
    assert_int_equal(tor_table_write(path, &column, 1, sizes[i]), -1);
    assert_int_equal(errno, EFBIG);
    temporary_limit(-1);
    assert_int_equal(access(part, F_OK), -1);
    expect_text("t [fs]\n0\n");
  }
  free(x);
}

static void a_missing_folder_is_reported_by_errno(void **state) {
  (void)state;
  const struct tor_table_column column = {"t", "fs", NULL};
  assert_int_equal(tor_table_write("/proc/no/such/t.csv", &column, 1, 0), -1);
  assert_int_equal(errno, ENOENT);
}

static void folders_are_made_with_those_above(void **state) {
  (void)state;
  char deep[96], why[256] = "";
  snprintf(deep, sizeof deep, "%s/a//b/c/", folder);
  assert_int_equal(tor_folder_make(deep, why, sizeof why), 0);
  assert_int_equal(tor_folder_make(deep, why, sizeof why), 0); /* there already */
  assert_string_equal(why, "");
  assert_true(tor_folder_free_bytes(deep) >= 0);
  for (const char *const *s = (const char *const[]){"/a/b/c", "/a/b", "/a", NULL}; *s; s++) {
    snprintf(deep, sizeof deep, "%s%s", folder, *s);
    assert_int_equal(rmdir(deep), 0);
  }
  assert_true(tor_folder_free_bytes(deep) == -1);
}

static void what_is_no_folder_is_refused_in_words(void **state) {
  (void)state;
  char below[96], why[256];
  snprintf(below, sizeof below, "%s/below", path); /* path is a file */
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  assert_int_equal(tor_folder_make(path, why, sizeof why), -1);
  assert_non_null(strstr(why, "is a file, not a folder"));
  assert_int_equal(tor_folder_make(below, why, sizeof why), -1);
  assert_int_equal(errno, ENOTDIR);
  assert_non_null(strstr(why, "is a file, not a folder"));
  assert_int_equal(tor_folder_make("", why, sizeof why), -1);
  assert_non_null(strstr(why, "empty"));
  assert_int_equal(tor_folder_make("/proc/torre", why, sizeof why), -1);
  assert_non_null(strstr(why, "cannot make the folder \"/proc/torre\""));
}

static int setup(void **state) {
  (void)state;
  return temporary_file(folder, "t.csv", path, part);
}

static int teardown(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(header_has_units_and_rows_nine_digits), cmocka_unit_test(an_empty_table_is_its_header),
      cmocka_unit_test(a_table_is_read_as_it_was_written),     cmocka_unit_test(a_full_disk_keeps_the_old_table),
      cmocka_unit_test(a_missing_folder_is_reported_by_errno), cmocka_unit_test(folders_are_made_with_those_above),
      cmocka_unit_test(what_is_no_folder_is_refused_in_words),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
