/* Ensembles of dipoles: keys of jobs, places, means and their errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "src/job/job.h"
#include "src/study/ensemble.h"
#include "tests/support/job_text.h"

#define DIPOLE                                                                    \
  "sources = ({ type = \"electric_dipole\"; position = [0, 0, 0]; axis = \"z\"; " \
  "name = \"d\"; time = { type = \"pulse\"; wavelength = 500; band = 100; }; });\n"

static void keys_and_their_defaults(void **state) {
  (void)state;
  const struct tor_ensemble_job *e = &job.ensemble;
  expect_good(read_more(DIPOLE));
  assert_int_equal(e->given, 0);
  expect_good(read_more(DIPOLE "ensemble = { box = { lo = [-10, 0, 5]; hi = [20, 8, 5]; }; count = 4; };"));
  assert_true(e->given && e->random && e->seed == 1 && e->source == 0);
  assert_true(e->count[0] == 4 && e->count[1] == 4 && e->count[2] == 1);
  assert_true(e->weight[0] == 1 && e->weight[1] == 1 && e->weight[2] == 1);
  for (int a = 0; a < 3; a++) {
    assert_true(fabs(e->lo[a] - (double[]){-10e-9, 0, 5e-9}[a]) < 1e-20);
    assert_true(fabs(e->hi[a] - (double[]){20e-9, 8e-9, 5e-9}[a]) < 1e-20);
  }
  expect_good(read_more(DIPOLE "ensemble = { source = \"d\"; box = { lo = [0, 0, 0]; hi = [0, 0, 9]; };\n"
                               "count = [1, 1, 3]; places = \"middle\"; weights = [0, 0.5, 2]; seed = 9; };"));
  assert_true(!e->random && e->seed == 9 && e->count[0] == 1 && e->count[2] == 3);
  assert_true(e->weight[0] == 0 && e->weight[1] == 0.5 && e->weight[2] == 2);
}

/* A line current has no directions, a dipole in the plane has two. */
static void directions_of_plane_jobs(void **state) {
  (void)state;
  static const char more[] =
      "run = { time_fs = 10; };\nensemble = { box = { lo = [-9, 0]; hi = [9, 0]; }; count = 2; weights = [3, 1]; };\n"
      "sources = ({ type = \"%s\"; position = [0, 0]; %s"
      "time = { type = \"pulse\"; wavelength = 500; band = 100; }; });\n"
      "grid = { size = [100, 100]; cell = 2.5; polarisation = \"%s\"; };\n";
  const double *weight = job.ensemble.weight;
  char text[1024];
  snprintf(text, sizeof text, more, "line_current", "", "TM");
  expect_good(read_with(text, NULL, 0));
  assert_true(weight[0] == 0 && weight[1] == 0 && weight[2] == 1 && tor_ensemble_places(&job.ensemble) == 2);
  snprintf(text, sizeof text, more, "line_dipole", "axis = \"x\"; ", "TE");
  expect_good(read_with(text, NULL, 0));
  assert_true(weight[0] == 3 && weight[1] == 1 && weight[2] == 0);
}

static void wrong_keys_are_told(void **state) {
  (void)state;
  static const struct {
    const char *keys, *key, *why;
  } wrong[] = {
      {"box = { lo = [0, 0, 0]; };", "ensemble.box.hi", "missing"},
      {"box = { lo = [0, 0, 0]; hi = [0, 0, -4]; };", "ensemble.box.hi", "got -4 along z, need lo = 0 or more"},
      {"box = { lo = [0, 0, 0]; hi = [0, 0, 90]; };", "ensemble.box.hi", "z = 90 nm is outside the domain"},
      {"box = { lo = [0, 0, 0]; hi = [9, 0, 0]; }; count = 2.5;", "ensemble.count", "got 2.5, need whole numbers"},
      {"box = { lo = [0, 0, 0]; hi = [9, 9, 9]; }; count = 1000;", "ensemble.count", "got 1e+09 places, need 10000"},
      {"box = { lo = [0, 0, 0]; hi = [9, 0, 0]; }; count = [2, 3, 1];", "ensemble.count", "got 3 along y"},
      {"box = { lo = [0, 0, 0]; hi = [9, 0, 0]; }; weights = 0;", "ensemble.weights", "need one above 0"},
      {"box = { lo = [0, 0, 0]; hi = [9, 0, 0]; }; source = \"e\";", "ensemble.source", "got \"e\""},
      {"box = { lo = [0, 0, 0]; hi = [9, 0, 0]; }; places = \"edge\";", "ensemble.places", "got \"edge\""},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[1024];
    snprintf(text, sizeof text, DIPOLE "ensemble = { %s };", wrong[i].keys);
    expect_only(text, 4, wrong[i].key, wrong[i].why);
  }
  expect_only("ensemble = { box = { lo = [0, 0, 0]; hi = [9, 0, 0]; }; };", 3, "ensemble.source", "0 dipoles");
}

/* Each place lies in a part of its own, neighbours in number are neighbours in the box. */
static void places_fill_the_box(void **state) {
  (void)state;
  const struct tor_ensemble_job e = {.lo = {-1, 2, 5}, .hi = {3, 3, 5}, .count = {4, 3, 1}, .seed = 7, .random = 1};
  int seen[4][3] = {{0}}, before[2] = {0};
  assert_int_equal(tor_ensemble_places(&e), 12);
  for (int i = 0; i < 12; i++) {
    double x[3];
    tor_ensemble_place(&e, i, x);
    const int part[2] = {(int)floor(x[0] + 1), (int)floor((x[1] - 2) * 3)};
    assert_true(part[0] >= 0 && part[0] < 4 && part[1] >= 0 && part[1] < 3 && x[2] == 5);
    assert_false(seen[part[0]][part[1]]++);
    if (i) assert_int_equal(abs(part[0] - before[0]) + abs(part[1] - before[1]), 1);
    before[0] = part[0], before[1] = part[1];
  }
}

static void middles_of_parts(void **state) {
  (void)state;
  const struct tor_ensemble_job e = {.lo = {0, 0, 1}, .hi = {4, 0, 2}, .count = {4, 1, 2}};
  static const double want[8] = {0.5, 1.5, 2.5, 3.5, 3.5, 2.5, 1.5, 0.5};
  for (int i = 0; i < 8; i++) {
    double x[3];
    tor_ensemble_place(&e, i, x);
    assert_true(fabs(x[0] - want[i]) < 1e-12 && x[1] == 0 && fabs(x[2] - (i < 4 ? 1.25 : 1.75)) < 1e-12);
  }
}

static void seeds_make_other_places(void **state) {
  (void)state;
  struct tor_ensemble_job e = {.hi = {1, 1, 1}, .count = {1, 1, 1}, .random = 1};
  double mean[3] = {0}, square = 0, last = -1;
  for (e.seed = 1; e.seed <= 4000; e.seed++) {
    double x[3], again[3];
    tor_ensemble_place(&e, 0, x);
    tor_ensemble_place(&e, 0, again);
    assert_true(x[0] == again[0] && x[0] != last && x[0] > 0 && x[0] < 1);
    for (int a = 0; a < 3; a++) mean[a] += x[a] / 4000;
    square += x[0] * x[0] / 4000;
    last = x[0];
  }
  for (int a = 0; a < 3; a++) assert_true(fabs(mean[a] - 0.5) < 0.02); /* 4 standard deviations */
  assert_true(fabs(square - 1.0 / 3) < 0.02);
}

/* Over many seeds: the mean of the integral of f, the spread of the means, and the error they say. */
struct tried {
  double mean, spread, said;
};

static struct tried try(double f(double), int n, int parts) {
  enum { SEEDS = 400 };
  struct tried t = {0};
  double square = 0;
  for (int seed = 0; seed < SEEDS; seed++) {
    const struct tor_ensemble_job e = {.hi = {1, 0, 0}, .count = {parts ? n : 1, 1, 1}, .seed = seed, .random = 1};
    double value[64];
    for (int i = 0; i < n; i++) {
      double x[3];
      tor_ensemble_place(&e, i, x); /* one part: places from 0 on are independent */
      value[i] = f(parts ? x[0] : x[0] - floor(x[0]));
    }
    const struct tor_ensemble_mean m = tor_ensemble_mean(value, n, 0);
    t.mean += m.value / SEEDS;
    square += m.value * m.value / SEEDS;
    t.said += m.error * m.error / SEEDS;
  }
  t.spread = sqrt(square - t.mean * t.mean);
  t.said = sqrt(t.said);
  return t;
}

static double wave(double x) { return 2 + cos(5 * x) + x; }

/* Independent places: the error is what it says, and falls as the root of their number; one in each part: it falls as
 * their number to 3 / 2, and what is said is not smaller. */
static void errors_are_told(void **state) {
  (void)state;
  const double exact = 2 + sin(5.0) / 5 + 0.5;
  const struct tried one = try(wave, 8, 0), four = try(wave, 32, 0), few = try(wave, 8, 1), more = try(wave, 32, 1);
  print_message("independent: %.4f said %.4f, %.4f said %.4f; in parts: %.5f said %.5f, %.5f said %.5f\n", one.spread,
                one.said, four.spread, four.said, few.spread, few.said, more.spread, more.said);
  assert_true(fabs(one.mean - exact) < 4 * one.spread / 20 && fabs(few.mean - exact) < 4 * few.spread / 20);
  assert_true(fabs(one.said / one.spread - 1) < 0.15 && fabs(four.said / four.spread - 1) < 0.15);
  assert_true(fabs(one.spread / four.spread / 2 - 1) < 0.15);
  assert_true(few.spread / more.spread > 8 * 0.85 && few.said > 0.9 * few.spread && more.said > 0.9 * more.spread);
  assert_true(more.said < 1.5 * more.spread);
}

static void ratios_vary_less_than_their_parts(void **state) {
  (void)state;
  const double above[] = {2, 4, 6.3, 8}, below[] = {1, 2, 3, 4};
  const struct tor_ensemble_mean r = tor_ensemble_ratio(above, below, 4, 0), one = tor_ensemble_mean(above, 1, 0);
  assert_true(fabs(r.value - 20.3 / 10) < 1e-12 && r.error > 0.01 && r.error < 0.1);
  assert_true(isnan(one.error) && tor_ensemble_mean(above, 1, 1).error == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_and_their_defaults), cmocka_unit_test(directions_of_plane_jobs),
      cmocka_unit_test(wrong_keys_are_told),     cmocka_unit_test(places_fill_the_box),
      cmocka_unit_test(middles_of_parts),        cmocka_unit_test(seeds_make_other_places),
      cmocka_unit_test(errors_are_told),         cmocka_unit_test(ratios_vary_less_than_their_parts),
  };
  return cmocka_run_group_tests_name("ensemble", tests, job_text_begin, job_text_end);
}
