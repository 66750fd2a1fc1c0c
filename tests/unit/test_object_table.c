/* Tables of objects: rows of an HDF5 file become objects, in 3-D and 2-D, and wrong files have one fault. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/hdf5/h5.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "tests/support/job_text.h"

static char file[80];

static const char shapes[] =
    "shapes = ({ type = \"cylinder\"; medium = \"vacuum\"; radius = 4; height = 10; center = [0, 0, 5]; },\n"
    "{ type = \"prism\"; medium = \"vacuum\"; lo = 0; hi = 6; sidewall_deg = 10;\n"
    "vertices = ([0, 0], [8, 0], [8, 4], [0, 4]); });";

/* Columns by name, of 3 rows. */
struct column {
  const char *name;
  double value[3];
};

static void write_file(const struct column *columns, int count) {
  const tor_gidx rows = 3;
  unlink(file);
  struct tor_h5 *h5 = tor_h5_create(file);
  assert_non_null(h5);
  for (int i = 0; i < count; i++)
    assert_int_equal(tor_h5_write(h5, columns[i].name, TOR_H5_DOUBLE, 1, &rows, columns[i].value, NULL, NULL), 0);
  assert_int_equal(tor_h5_close(h5), 0);
}

static int read_table(const char *base, const char *more) {
  char text[2048];
  snprintf(text, sizeof text, "%sobjects = ({ type = \"table\"; file = \"table.h5\"; %s });\n", base, more);
  return read_with(text, NULL, 0);
}

static const struct column good[] = {{"/a/x", {1, 10, -20}},       {"/a/y", {2, -5, 0}},    {"/a/z", {0, 3, -10}},
                                     {"/a/angle_deg", {0, 90, 0}}, {"/a/scale", {1, 1, 2}}, {"/a/shape", {0, 1, 1}}};

static int holds(int object, double x, double y, double z) {
  assert_true(object < job.nobjects);
  return tor_object_contains(&job.objects[object], (const double[]){x * 1e-9, y * 1e-9, z * 1e-9});
}

static void rows_become_objects(void **state) {
  (void)state;
  char more[1024];
  write_file(good, 6);
  snprintf(more, sizeof more, "group = \"/a\"; %s }, { type = \"sphere\"; radius = 1; medium = \"vacuum\";", shapes);
  expect_good(read_table(job_base, more));
  assert_int_equal(job.nobjects, 4);
  assert_int_equal(tor_job_object_number(&job, 2), 0); /* the table is one object of the list, the sphere the next */
  assert_int_equal(tor_job_object_number(&job, 3), 1);
  /* The cylinder about (1, 2), from 0 to 10. */
  assert_true(holds(0, 4.9, 2, 0.1) && holds(0, 1, -1.9, 9.9));
  assert_false(holds(0, 5.1, 2, 5) || holds(0, 1, 2, -0.1) || holds(0, 1, 2, 10.1));
  /* The prism, turned by 90 degrees about its corner at (10, -5): along y from -5 to 3, along x from 6 to 10. */
  assert_true(holds(1, 6.1, 2.9, 3.1) && holds(1, 9.9, -4.9, 3.1) && holds(1, 8, -1, 8.9));
  assert_false(holds(1, 10.1, -1, 3.1) || holds(1, 5.9, -1, 3.1) || holds(1, 8, 3.1, 3.1) || holds(1, 8, -1, 2.9) ||
               holds(1, 8, -1, 9.1));
  assert_false(holds(1, 9.9, -4.9, 8.9)); /* its sides lean */
  /* The prism, twice as large: x from -20 to -4, y to 8, z from -10 to 2. */
  assert_true(holds(2, -19.9, 0.1, -9.9) && holds(2, -4.1, 7.9, -9.9) && holds(2, -12, 4, 1.9));
  assert_false(holds(2, -20.1, 1, -9.9) || holds(2, -3.9, 1, -9.9) || holds(2, -12, 8.1, -9.9) ||
               holds(2, -12, 4, 2.1));
  const double inset = 11.9 * tan(10 * 3.14159265358979 / 180);
  assert_true(holds(2, -20 + inset + 0.05, 4, 1.9) && !holds(2, -20 + inset - 0.05, 4, 1.9));
}

static void a_changed_file_is_another_job(void **state) {
  (void)state;
  struct column columns[6];
  char more[1024], difference[256];
  size_t bytes;
  memcpy(columns, good, sizeof good);
  write_file(columns, 6);
  snprintf(more, sizeof more, "group = \"/a\"; %s", shapes);
  expect_good(read_table(job_base, more));
  char *before = tor_job_text(&job, &bytes);
  assert_null(strstr(before, "table.h5")); /* without the names of files */
  columns[2].value[1] = 4;
  write_file(columns, 6);
  expect_good(read_table(job_base, more));
  char *after = tor_job_text(&job, &bytes);
  assert_true(tor_job_difference(before, after, difference, sizeof difference));
  assert_non_null(strstr(difference, "contents"));
  free(before);
  free(after);
}

static void plane_jobs_scale_along_x_and_y(void **state) {
  (void)state;
  static const char base[] =
      "grid = { size = [100, 100]; cell = 2.5; polarisation = \"TM\"; };\nrun = { time_fs = 10; };\n";
  static const char circle[] = "group = \"/a\"; shapes = ({ type = \"circle\"; radius = 2; medium = \"vacuum\"; },"
                               "{ type = \"rectangle\"; size = [2, 2]; medium = \"vacuum\"; });";
  struct column columns[5] = {
      {"/a/x", {10, 0, 0}}, {"/a/y", {0, 20, 0}}, {"/a/scale", {0.01, 0.5, 1}}, {"/a/shape", {0, 0, 1}}};
  write_file(columns, 4);
  expect_good(read_table(base, circle));
  assert_int_equal(job.nobjects, 3);
  for (int z = -1; z <= 1; z++) { /* the job's axes are z, x, y of the user's; it is a metre long along its x */
    const double at[3] = {0.5 * z, 10.015e-9, 0}, off[3] = {0.5 * z, 10.025e-9, 0};
    assert_true(tor_object_contains(&job.objects[0], at) && !tor_object_contains(&job.objects[0], off));
  }
  columns[4] = (struct column){"/a/z", {0, 0, 0}};
  write_file(columns, 5);
  assert_false(read_table(base, circle));
  expect_fault(3, "objects[0].file", "the job is 2-D");
}

static void wrong_files_have_faults(void **state) {
  (void)state;
  static const struct {
    struct column instead; /* of the good column of that number */
    int number;
    const char *part;
  } wrong[] = {
      {{"/a/xx", {0}}, 0, "\"xx\" is none of \"x\", \"y\", \"z\", \"angle_deg\", \"scale\", \"shape\""},
      {{"/b/y", {0}}, 1, "no column \"y\""},
      {{"/a/z", {0, NAN, 0}}, 2, "\"z\"[1] is nan"},
      {{"/a/scale", {1, 1, 0}}, 4, "scale[2]: got 0, need above 0"},
      {{"/a/shape", {0, 0.5, 0}}, 5, "shape[1]: got 0.5"},
      {{"/a/shape", {0, 2, 0}}, 5, "need a place in shapes, 0 to 1"},
      {{"/a/shape", {-1, 0, 0}}, 5, "shape[0]: got -1"},
  };
  char more[1024];
  snprintf(more, sizeof more, "group = \"/a\"; %s", shapes);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct column columns[6];
    memcpy(columns, good, sizeof good);
    columns[wrong[i].number] = wrong[i].instead;
    write_file(columns, 6);
    assert_false(read_table(job_base, more));
    assert_int_equal(faults.count, 1);
    expect_fault(3, "objects[0].file", wrong[i].part);
  }
}

/* Columns of other lengths and shapes, a group in place of one; no group; no HDF5; no file. */
static void odd_files_have_faults(void **state) {
  (void)state;
  static const tor_gidx two = 2, square[2] = {2, 2};
  static const double value[4] = {0};
  char more[1024];
  snprintf(more, sizeof more, "%s", shapes);
  for (int kind = 0; kind < 6; kind++) {
    static const char *const part[] = {"\"y\" has 2 rows, a column before it 3",
                                       "not a dataset of numbers with one dimension",
                                       "\"y\" is not a dataset",
                                       "no group \"/a\"",
                                       "no HDF5 file",
                                       "no such file"};
    unlink(file);
    struct tor_h5 *h5 = tor_h5_create(file);
    assert_non_null(h5);
    assert_int_equal(tor_h5_write(h5, "/x", TOR_H5_DOUBLE, 1, (const tor_gidx[]){3}, value, NULL, NULL), 0);
    if (kind == 0) assert_int_equal(tor_h5_write(h5, "/y", TOR_H5_FLOAT, 1, &two, value, NULL, NULL), 0);
    if (kind == 1) assert_int_equal(tor_h5_write(h5, "/y", TOR_H5_DOUBLE, 2, square, value, NULL, NULL), 0);
    if (kind == 2) assert_int_equal(tor_h5_group(h5, "/y"), 0);
    assert_int_equal(tor_h5_close(h5), 0);
    if (kind == 4) write_text(file, "x y\n1 2\n");
    if (kind == 5) unlink(file);
    if (kind == 3) snprintf(more, sizeof more, "group = \"/a\"; %s", shapes);
    assert_false(read_table(job_base, more));
    assert_int_equal(faults.count, 1);
    expect_fault(3, "objects[0].file", part[kind]);
  }
}

static void wrong_keys_have_faults(void **state) {
  (void)state;
  static const char *const wrong[][3] = {
      {"shapes = ();", "shapes", "need one shape or more"},
      {"rotate_deg = 3; shapes = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 1; });", "rotate_deg",
       "none here"},
      {"shapes = ({ type = \"sphere\"; radius = 1; });", "shapes[0].medium", "missing"},
      {"shapes = ({ type = \"table\"; file = \"table.h5\"; shapes = (); });", "shapes[0].type", "an object by itself"},
      {"shapes = ({ type = \"sphere\"; medium = \"vacuum\"; radius = 1; repeat = 2; pitch = [1, 0, 0]; });",
       "shapes[0].repeat", "places of its copies"},
  };
  write_file((const struct column[]){{"/x", {0}}, {"/y", {0}}}, 2);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char path[64];
    snprintf(path, sizeof path, "objects[0].%s", wrong[i][1]);
    assert_false(read_table(job_base, wrong[i][0]));
    assert_int_equal(faults.count, 1);
    expect_fault(3, path, wrong[i][2]);
  }
}

static int begin(void **state) {
  const int bad = job_text_begin(state);
  snprintf(file, sizeof file, "%s/table.h5", job_folder);
  return bad;
}

static int end(void **state) {
  unlink(file);
  return job_text_end(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_become_objects),
      cmocka_unit_test(a_changed_file_is_another_job),
      cmocka_unit_test(plane_jobs_scale_along_x_and_y),
      cmocka_unit_test(wrong_files_have_faults),
      cmocka_unit_test(odd_files_have_faults),
      cmocka_unit_test(wrong_keys_have_faults),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
