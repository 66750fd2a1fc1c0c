/* Design regions: grids of an HDF5 file give edges their permittivities, in 3-D and 2-D; wrong files have one fault. */
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
#include "src/base/units.h"
#include "src/job/design.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/plane_media.h"
#include "tests/support/job_text.h"

static char file[80];

static void expect_near(double value, double expected) { assert_true(fabs(value - expected) < 1e-12); }

/* [2][3][4] of a function that is linear along each axis, and [3][4] of it at z = 0. */
static double linear(double x, double y, double z) { return 0.05 + 0.1 * x + 0.15 * y + 0.3 * z; }
static double grid_values[2 * 3 * 4];

static void write_grid(int dims, const double *values) {
  const tor_gidx shape[3] = {2, 3, 4};
  unlink(file);
  struct tor_h5 *h5 = tor_h5_create(file);
  assert_non_null(h5);
  assert_int_equal(tor_h5_write(h5, "/density", TOR_H5_DOUBLE, dims, shape + 3 - dims, values, NULL, NULL), 0);
  assert_int_equal(tor_h5_close(h5), 0);
}

static int read_design(const char *base, const char *more) {
  char text[2048];
  snprintf(text, sizeof text, "%smedia = ({ name = \"glass\"; permittivity = [2, 3, 4]; });\ndesigns = ({ %s });\n",
           base, more);
  return read_with(text, NULL, 0);
}

static const char densities[] =
    "box = { lo = [-20, -15, -10]; hi = [20, 15, 10]; }; medium_0 = \"vacuum\"; medium_1 = \"glass\"; "
    "file = \"design.h5\";";

/* Values are in the middles of 10 nm: x = -15, -5, 5, 15, y = -10, 0, 10, z = -5, 5. */
static void values_are_interpolated(void **state) {
  (void)state;
  write_grid(3, grid_values);
  expect_good(read_design(job_base, densities));
  const struct tor_design *d = &job.designs[0];
  assert_int_equal(job.ndesigns, 1);
  for (double x = -20; x <= 20; x += 2.5)
    for (double y = -15; y <= 15; y += 2.5)
      for (double z = -10; z <= 10; z += 2.5) {
        const double at[3] = {x * 1e-9, y * 1e-9, z * 1e-9};
        const double i = fmin(fmax((x + 15) / 10, 0), 3), j = fmin(fmax((y + 10) / 10, 0), 2),
                     k = fmin(fmax((z + 5) / 10, 0), 1), rho = linear(i, j, k);
        expect_near(tor_design_value(d, at), rho);
        for (int a = 0; a < 3; a++) expect_near(tor_design_permittivity(&job, d, a, at), 1 + rho * (1 + a));
        assert_ptr_equal(tor_job_design_at(&job, at), d);
      }
  assert_null(tor_job_design_at(&job, (const double[]){0, 0, 10.1e-9}));
  assert_null(tor_job_design_at(&job, (const double[]){-20.1e-9, 0, 0}));
}

/* The coefficients that engines have: of edges at their own places, over what objects have there; others keep theirs.
 */
static void edges_have_the_value_at_their_place(void **state) {
  (void)state;
  struct tor_plane_media plane;
  char more[1024];
  int inside = 0, outside = 0;
  write_grid(3, grid_values);
  snprintf(more, sizeof more,
           "%s });\nobjects = ({ type = \"sphere\"; radius = 25; medium = \"Ag\"; },\n"
           "{ type = \"box\"; size = [200, 200, 20]; center = [0, 0, 30]; medium = \"glass\"; ",
           densities);
  expect_good(read_design(job_base, more));
  tor_plane_media_make(&job, TOR_X, 20, NULL, &plane); /* x = 0 */
  const struct tor_grid *g = &plane.grid;
  for (int comp = TOR_EX; comp <= TOR_EZ; comp++)
    for (int i = 0; i < plane.npoints; i++) {
      const double x[3] = {tor_grid_place(g, comp, TOR_X, plane.node),
                           tor_grid_place(g, comp, TOR_Y, i / (plane.n[1] + 1)),
                           tor_grid_place(g, comp, TOR_Z, i % (plane.n[1] + 1))};
      const struct tor_design *d = tor_job_design_at(&job, x);
      const double unit = g->ct / tor_grid_metric(g, comp), eps = unit / plane.cb[comp * plane.npoints + i];
      d ? inside++ : outside++;
      if (d) expect_near(eps, tor_design_permittivity(&job, d, comp, x));
      if (!d && x[2] > 22e-9 && x[2] < 38e-9) expect_near(eps, job.media[job.designs[0].medium[1]].eps[comp]);
    }
  assert_true(inside > 200 && outside > 1000);
  for (int i = 0; i < plane.npoles; i++) { /* silver's, but not in the region */
    const int comp = plane.pole[i].axis, at = plane.pole[i].point;
    const double x[3] = {tor_grid_place(g, comp, TOR_X, plane.node),
                         tor_grid_place(g, comp, TOR_Y, at / (plane.n[1] + 1)),
                         tor_grid_place(g, comp, TOR_Z, at % (plane.n[1] + 1))};
    assert_null(tor_job_design_at(&job, x));
  }
  assert_true(plane.npoles > 0);
  tor_plane_media_free(&plane);
}

/* Poles and conductivities of the media by the density, as eps: of silver, and of a lossy medium. */
static void edges_have_poles_in_proportion(void **state) {
  (void)state;
  static const char text[] =
      "media = ({ name = \"lossy\"; permittivity = 2; conductivity_S_per_m = 1e4; });\n"
      "designs = ({ box = { lo = [-20, -15, -10]; hi = [20, 15, 10]; }; medium_0 = \"lossy\"; medium_1 = \"Ag\"; "
      "file = \"design.h5\"; });\n";
  struct tor_plane_media plane;
  char more[2048];
  int inside = 0;
  write_grid(3, grid_values);
  snprintf(more, sizeof more, "%s%s", job_base, text);
  const char *const courant[] = {"grid.courant=0.3"};
  expect_good(read_with(more, courant, 1));
  const struct tor_design *d = &job.designs[0];
  tor_plane_media_make(&job, TOR_X, 20, NULL, &plane); /* x = 0 */
  const struct tor_grid *g = &plane.grid;
  for (int i = 0; i < plane.npoles; i++) {
    const struct tor_plane_pole *pole = &plane.pole[i];
    const int comp = pole->axis, at = pole->point;
    const double x[3] = {tor_grid_place(g, comp, TOR_X, plane.node),
                         tor_grid_place(g, comp, TOR_Y, at / (plane.n[1] + 1)),
                         tor_grid_place(g, comp, TOR_Z, at % (plane.n[1] + 1))};
    const double rho = tor_design_value(d, x), eps = 2 + rho * (job.media[d->medium[1]].eps[comp] - 2),
                 loss = (1 - rho) * 1e4 * TOR_ETA0, forward = eps / g->ct + 0.5 * loss,
                 backward = eps / g->ct - 0.5 * loss;
    assert_ptr_equal(tor_job_design_at(&job, x), d);
    assert_false(pole->branch);
    expect_near(pole->weight[0], rho);
    expect_near(plane.cb[comp * plane.npoints + at] * tor_grid_metric(g, comp) * forward, 1);
    expect_near(plane.ca1[comp * plane.npoints + at], backward / forward - 1);
    inside++;
  }
  assert_true(inside > 200);
  tor_plane_media_free(&plane);
}

static void plane_jobs_have_x_and_y(void **state) {
  (void)state;
  static const char base[] =
      "grid = { size = [100, 100]; cell = 2.5; polarisation = \"TM\"; };\nrun = { time_fs = 10; };\n";
  static const char box[] = "box = { lo = [-20, -15]; hi = [20, 15]; }; values = \"density\"; medium_0 = \"vacuum\"; "
                            "medium_1 = \"glass\"; file = \"design.h5\";";
  write_grid(2, grid_values);
  expect_good(read_design(base, box));
  const struct tor_design *d = &job.designs[0];
  /* The job's axes are z, x, y of the user's; Ez is along its x. */
  const double at[3] = {0.5, 7.5e-9, -2.5e-9}, rho = linear(2.25, 0.75, 0);
  assert_ptr_equal(tor_job_design_at(&job, at), d);
  expect_near(tor_design_value(d, at), rho);
  expect_near(tor_design_permittivity(&job, d, TOR_EX, at), 1 + 3 * rho);
  write_grid(3, grid_values);
  assert_false(read_design(base, box));
  expect_fault(4, "designs[0].file", "two dimensions");
}

static void permittivities_need_no_media(void **state) {
  (void)state;
  static const char box[] = "box = { lo = [-20, -15, -10]; hi = [20, 15, 10]; }; values = \"permittivity\"; "
                            "file = \"design.h5\"; dataset = \"density\";";
  double values[2 * 3 * 4];
  char more[512];
  for (int i = 0; i < 24; i++) values[i] = 1 + grid_values[i];
  write_grid(2, values);
  expect_good(read_design(job_base, box));
  const double at[3] = {-15e-9, 10e-9, 3e-9};
  expect_near(tor_design_permittivity(&job, &job.designs[0], 1, at), 1 + linear(0, 2, 0));
  snprintf(more, sizeof more, "%s medium_0 = \"glass\";", box);
  assert_false(read_design(job_base, more));
  expect_fault(4, "designs[0].medium_0", "none here");
  values[7] = 0.5;
  write_grid(2, values);
  assert_false(read_design(job_base, box));
  expect_fault(4, "designs[0].file", "[z][y][x] = [0][1][3]");
}

static void a_changed_file_is_another_job(void **state) {
  (void)state;
  double values[2 * 3 * 4];
  char difference[256];
  size_t bytes;
  memcpy(values, grid_values, sizeof values);
  write_grid(3, values);
  expect_good(read_design(job_base, densities));
  char *before = tor_job_text(&job, &bytes);
  assert_null(strstr(before, "design.h5"));
  values[5] += 1e-9;
  write_grid(3, values);
  expect_good(read_design(job_base, densities));
  char *after = tor_job_text(&job, &bytes);
  assert_true(tor_job_difference(before, after, difference, sizeof difference));
  assert_non_null(strstr(difference, "contents"));
  free(before);
  free(after);
}

static void wrong_designs_have_faults(void **state) {
  (void)state;
  double values[2 * 3 * 4];
  char more[512];
  memcpy(values, grid_values, sizeof values);
  values[23] = 1.5;
  write_grid(3, values);
  assert_false(read_design(job_base, densities));
  expect_fault(4, "designs[0].file", "got 1.5");
  write_grid(1, grid_values);
  assert_false(read_design(job_base, densities));
  expect_fault(4, "designs[0].file", "two or three");
  snprintf(more, sizeof more, "%s dataset = \"none\";", densities);
  assert_false(read_design(job_base, more));
  expect_fault(4, "designs[0].file", "no dataset");
  unlink(file);
  assert_false(read_design(job_base, densities));
  expect_fault(4, "designs[0].file", "no such file");
  write_grid(3, grid_values);
  static const char *const refused[2][2] = {{"permeability = 2", "has a permeability"},
                                            {"like = \"pec\"", "conducts perfectly"}};
  for (int i = 0; i < 2; i++) {
    snprintf(more, sizeof more, "%smedia = ({ name = \"glass\"; %s; });\ndesigns = ({ %s });\n", job_base,
             refused[i][0], densities);
    assert_false(read_with(more, NULL, 0));
    expect_fault(4, "designs[0].medium_1", refused[i][1]);
  }
  snprintf(more, sizeof more, "%sdesigns = ({ %s });\n", job_base, densities);
  const char *const background[] = {"background=\"none\""};
  assert_false(read_with(more, background, 1));
  expect_fault(3, "designs[0].medium_1", "unknown medium");
  const char *const tensor[] = {"grid.averaging=tensor"};
  snprintf(more, sizeof more, "%smedia = ({ name = \"glass\"; permittivity = 2; });\ndesigns = ({ %s });\n", job_base,
           densities);
  assert_false(read_with(more, tensor, 1));
  expect_fault(4, "designs", "tensor");
}

static int begin(void **state) {
  const int bad = job_text_begin(state);
  snprintf(file, sizeof file, "%s/design.h5", job_folder);
  return bad;
}

static int end(void **state) {
  unlink(file);
  return job_text_end(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_interpolated),
      cmocka_unit_test(edges_have_poles_in_proportion),
      cmocka_unit_test(edges_have_the_value_at_their_place),
      cmocka_unit_test(plane_jobs_have_x_and_y),
      cmocka_unit_test(permittivities_need_no_media),
      cmocka_unit_test(a_changed_file_is_another_job),
      cmocka_unit_test(wrong_designs_have_faults),
  };
  for (int z = 0, i = 0; z < 2; z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 4; x++) grid_values[i++] = linear(x, y, z);
  return cmocka_run_group_tests(tests, begin, end);
}
