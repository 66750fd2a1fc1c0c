/* Voxels and height maps from HDF5: a sphere's and a lens's volume, boxes, labels, placing, 2-D; wrong files have one
 * fault each. */
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

#include "io/hdf5/h5.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "tests/support/job_text.h"

enum { N = 24 };
static char file[80];
static double value[N * N * N];

static double chance(void) { return rand() / (RAND_MAX + 1.0); }

static void write_values(const char *name, int rank) {
  const tor_gidx dims[3] = {N, N, N};
  char path[32];
  snprintf(path, sizeof path, "/%s", name);
  unlink(file);
  struct tor_h5 *h5 = tor_h5_create(file);
  assert_non_null(h5);
  assert_int_equal(tor_h5_write(h5, path, TOR_H5_DOUBLE, rank, dims, value, NULL, NULL), 0);
  assert_int_equal(tor_h5_close(h5), 0);
}

/* A job of one object of 48 x 48 x 48. */
static int read_object(const char *base, const char *more) {
  char text[1024];
  snprintf(text, sizeof text, "%sobjects = ({ medium = \"vacuum\"; file = \"values.h5\"; %s });\n", base, more);
  return read_with(text, NULL, 0);
}

/* By points in a cube of edge 60 [nm^3]; boxes that are decided hold what was said. */
static double volume_of(const struct tor_object *o) {
  enum { EDGE = 46, POINTS = EDGE * EDGE * EDGE };
  int inside = 0, decided = 0;
  double blo[3], bhi[3];
  tor_object_bounds(o, blo, bhi);
  for (int i = 0; i < POINTS; i++) { /* one anywhere in each of its parts */
    const int row = i / EDGE, at[3] = {i % EDGE, row % EDGE, row / EDGE};
    double x[3], lo[3], hi[3];
    const double edge = 4e-9 * chance();
    for (int a = 0; a < 3; a++) {
      x[a] = 60e-9 * ((at[a] + chance()) / EDGE - 0.5);
      lo[a] = x[a] - edge * chance();
      hi[a] = lo[a] + edge;
    }
    const int in = tor_object_contains(o, x), holds = tor_object_holds_box(o, lo, hi);
    for (int a = 0; a < 3 && in; a++) assert_true(x[a] >= blo[a] && x[a] <= bhi[a]);
    if (holds) assert_int_equal(in, holds > 0);
    inside += in;
    decided += holds != 0;
  }
  assert_true(decided > POINTS / 4);
  return 60.0 * 60 * 60 * inside / POINTS;
}

static void expect_volume(const char *more, double want, double within) {
  expect_good(read_object(job_base, more));
  assert_int_equal(job.nobjects, 1);
  const double got = volume_of(&job.objects[0]);
  if (fabs(got - want) > within * want) fail_msg("%s: got %g, want %g", more, got, want);
}

/* Of a sphere of radius 18: its signed distance, whether a voxel's middle is in it, a label. */
static void a_sphere_has_its_volume(void **state) {
  (void)state;
  const double want = 4 * TOR_PI / 3 * 18 * 18 * 18;
  srand(4);
  for (int kind = 0; kind < 3; kind++) {
    int count = 0;
    for (int i = 0; i < N * N * N; i++) {
      const int row = i / N, layer = row / N;
      const double r = 2 * hypot(hypot(i % N - 0.5 * (N - 1), row % N - 0.5 * (N - 1)), layer - 0.5 * (N - 1));
      value[i] = kind == 0 ? 18 - r : kind == 1 ? r <= 18 : r <= 18 ? 3 : 7;
      count += r <= 18;
    }
    write_values("voxels", 3);
    const char *more[] = {"type = \"voxels\"; size = [48.0, 48.0, 48.0]; level = 0.0;",
                          "type = \"voxels\"; size = [48.0, 48.0, 48.0]; rotate_deg = [20.0, 40.0, 60.0];",
                          "type = \"voxels\"; size = [48.0, 48.0, 48.0]; label = 3; interpolation = \"nearest\";"};
    /* Between values of a distance the surface is a chord: 0.6 % less. */
    expect_volume(more[kind], kind < 2 ? want : 8 * count, (const double[]){0.008, 0.03, 0.005}[kind]);
  }
}

/* A file that is read once for several labels, and other values between them. */
static void labels_of_a_file_have_their_parts(void **state) {
  (void)state;
  static const char part[] = "{ medium = \"vacuum\"; file = \"values.h5\"; type = \"voxels\"; size = [48, 48, 48]; "
                             "interpolation = \"nearest\"; ";
  char text[1024];
  for (int i = 0; i < N * N * N; i++) value[i] = i % N / (N / 4);
  write_values("voxels", 3);
  snprintf(text, sizeof text, "%sobjects = (%slabel = 1; }, %slevel = 2.5; }, %slabel = 3; }, %slabel = 0; });\n",
           job_base, part, part, part, part);
  expect_good(read_with(text, NULL, 0));
  assert_int_equal(job.nobjects, 4);
  for (int i = 0; i < 4; i++) {
    const double x[3] = {(12 * i - 18) * 1e-9, 1e-9, 1e-9};
    assert_int_equal(tor_object_contains(&job.objects[0], x), i == 1);
    assert_int_equal(tor_object_contains(&job.objects[1], x), i > 2);
    assert_int_equal(tor_object_contains(&job.objects[2], x), i == 3);
    assert_int_equal(tor_object_contains(&job.objects[3], x), i == 0);
  }
}

/* A lens: the part above 0 of a sphere of radius 25 whose middle is 10 below; in the middle of the box. */
static void a_lens_has_its_volume(void **state) {
  (void)state;
  const double cap = TOR_PI * 15 * 15 * (3 * 25 - 15) / 3; /* of height 15 */
  srand(5);
  for (int i = 0; i < N * N; i++) {
    const int row = i / N;
    const double r = 2 * hypot(i % N - 0.5 * (N - 1), row - 0.5 * (N - 1));
    value[i] = 0.001 * (sqrt(fmax(25 * 25 - r * r, 0)) - 10);
  }
  write_values("map", 2);
  expect_volume("type = \"height_map\"; dataset = \"map\"; scale = 1000.0; size = [48.0, 48.0, 40.0];", cap, 0.01);
  assert_true(tor_object_contains(&job.objects[0], (const double[]){0, 0, -19.9e-9}));
  assert_false(tor_object_contains(&job.objects[0], (const double[]){0, 0, -4.9e-9}));
  expect_volume("type = \"height_map\"; dataset = \"map\"; scale = 1000.0; size = [48.0, 48.0, 10.0];"
                "center = [1.0, 2.0, 3.0]; rotate_deg = 90.0; rotate_axis = \"y\";",
                cap - TOR_PI * 5 * 5 * (3 * 25 - 5) / 3, 0.01);
  assert_true(tor_object_contains(&job.objects[0], (const double[]){-3.9e-9, 2e-9, 3e-9}));
  assert_true(tor_object_contains(&job.objects[0], (const double[]){5.9e-9, 2e-9, 3e-9}));
}

/* Half of an image, in 2-D and the same along z. */
static void an_image_is_the_same_along_z(void **state) {
  (void)state;
  static const char plane[] = "length_unit = \"nm\"; grid = { size = [100, 100]; cell = 5; polarisation = \"TM\"; };\n"
                              "boundaries = { default = \"pec\"; }; run = { time_fs = 10; };\n";
  for (int i = 0; i < N * N; i++) value[i] = i % N >= N / 2;
  write_values("voxels", 2);
  expect_good(read_object(plane, "type = \"voxels\"; size = [48.0, 48.0];"));
  for (int i = 0; i < 100; i++) { /* its axes x, y are y, z inside, or z, x */
    const double x = i - 49.5;
    double p[3] = {0};
    p[tor_axis_of_user(&job, TOR_X)] = x * 1e-9;
    assert_int_equal(tor_object_contains(&job.objects[0], p), x > 0 && x < 24);
  }
  expect_good(read_object(job_base, "type = \"voxels\"; size = [48.0, 48.0, 10.0]; interpolation = \"nearest\";"));
  for (int i = 0; i < 30; i++) {
    const double z = (i - 14.5) * 1e-9, lo[3] = {1e-9, -1e-9, z}, hi[3] = {2e-9, 1e-9, z + 0.1e-9};
    assert_int_equal(tor_object_contains(&job.objects[0], (const double[]){0.1e-9, 23e-9, z}), fabs(z) < 5e-9);
    assert_int_equal(tor_object_contains(&job.objects[0], (const double[]){-0.1e-9, 23e-9, z}), 0);
    assert_int_equal(tor_object_holds_box(&job.objects[0], lo, hi), fabs(z) < 5e-9 ? 1 : -1);
  }
}

static void wrong_files_have_a_fault(void **state) {
  (void)state;
  static const char *const wrong[][3] = {
      {"type = \"voxels\"; size = [1, 1, 1];", "file", "it has no dataset \"voxels\""},
      {"type = \"voxels\"; dataset = \"map\"; size = [1, 1, 1]; level = 2.0;", "file", "no value is inside"},
      {"type = \"voxels\"; dataset = \"map\"; size = [1, 1, 1]; label = 5;", "file", "no value is inside"},
      {"type = \"height_map\"; dataset = \"map\"; size = [1, 1, 1];", "file", "two dimensions"},
      {"type = \"voxels\"; dataset = \"map\";", "size", "missing"},
      {"type = \"voxels\"; dataset = \"map\"; size = [1, 1, 0];", "size", "above 0"},
  };
  for (int i = 0; i < N * N * N; i++) value[i] = i % 2;
  write_values("map", 3);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char path[64];
    snprintf(path, sizeof path, "objects[0].%s", wrong[i][1]);
    assert_false(read_object(job_base, wrong[i][0]));
    assert_int_equal(faults.count, 1);
    expect_fault(3, path, wrong[i][2]);
  }
  value[7] = NAN;
  write_values("map", 3);
  assert_false(read_object(job_base, "type = \"voxels\"; dataset = \"map\"; size = [1, 1, 1];"));
  assert_int_equal(faults.count, 1);
  expect_fault(3, "objects[0].file", "value 7 is");
  unlink(file);
}

static int begin(void **state) {
  const int bad = job_text_begin(state);
  snprintf(file, sizeof file, "%s/values.h5", job_folder);
  return bad;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_has_its_volume),  cmocka_unit_test(labels_of_a_file_have_their_parts),
      cmocka_unit_test(a_lens_has_its_volume),    cmocka_unit_test(an_image_is_the_same_along_z),
      cmocka_unit_test(wrong_files_have_a_fault),
  };
  return cmocka_run_group_tests(tests, begin, job_text_end);
}
