/* Richardson's extrapolation of numbers at several cells: values, orders and errors of known series. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "src/study/extrapolate.h"

static const double cells[] = {2.8, 2, 1.4, 1};
enum { ALL = 4 };

#define expect_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

/* -1 to 1, the same numbers each time. */
static double noise(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

static void powers_are_found(void **state) {
  (void)state;
  for (int n = 3; n <= ALL; n++)
    for (double order = 1; order < 4.1; order += 0.25) {
      const double *h = cells + ALL - n;
      double f[ALL];
      for (int i = 0; i < n; i++) f[i] = 3 - 0.1 * pow(h[i], order);
      const struct tor_extrapolation x = tor_extrapolate(n, h, f);
      assert_int_equal(x.kind, TOR_EXTRAPOLATION_FITTED);
      expect_near(x.order, order, 1e-5);
      expect_near(x.value, 3, 1e-5);
      assert_true(x.error >= 1.25 * fabs(x.value - f[n - 1]) * (1 - 1e-9));
      if (order == 1 || order == 2) expect_near(x.error, 1.25 * 0.1, 1e-5);
    }
}

static void two_cells_take_order_two_and_a_larger_error(void **state) {
  (void)state;
  const double f[] = {7 + 0.2 * 4, 7 + 0.2};
  const double *h = cells + 1, two[] = {2, 1};
  struct tor_extrapolation x = tor_extrapolate(2, two, f);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_ASSUMED);
  expect_near(x.value, 7, 1e-12);
  expect_near(x.order, 2, 0);
  expect_near(x.error, 2 * 0.6, 1e-12);                /* twice the correction by order 1 */
  const double first[] = {7 + 0.2 * 2, 7 + 0.2 * 1.4}; /* in truth of order 1 */
  x = tor_extrapolate(2, h, first);
  assert_true(fabs(x.value - 7) <= x.error);
}

/* Series with noise of 5 % of the finest cell's error, of order 1 12 % of the last difference: the truth lies within
 * the error in nearly all of them, and the extrapolated value is mostly nearer to it than the finest one. */
static void noisy_values_have_the_truth_within_their_error(void **state) {
  (void)state;
  enum { TRIALS = 2000 };
  uint64_t random = 1;
  for (int n = 3; n <= ALL; n++)
    for (double order = 1; order < 2.1; order += 0.5) {
      int within = 0, nearer = 0;
      for (int k = 0; k < TRIALS; k++) {
        const double *h = cells + ALL - n;
        double f[ALL];
        for (int i = 0; i < n; i++) f[i] = -2 + pow(h[i], order) + 0.05 * noise(&random);
        const struct tor_extrapolation x = tor_extrapolate(n, h, f);
        within += fabs(x.value + 2) <= x.error;
        nearer += fabs(x.value + 2) < fabs(f[n - 1] + 2);
      }
      assert_true(within > (order < 1.5 ? 0.9 : 0.99) * TRIALS);
      assert_true(nearer > (order < 1.5 ? 0.8 : 0.98) * TRIALS);
    }
}

/* b h + c h^2 of opposite signs looks like a high order, and the finest value is further from the truth than its
 * correction: Q_sca of a dielectric sphere of 10 nm cells and less is like that. */
static void two_terms_of_opposite_signs_are_within_the_error(void **state) {
  (void)state;
  const double h[] = {14, 10, 7};
  double f[3];
  for (int i = 0; i < 3; i++) f[i] = 4.77 - 0.007 * h[i] + 0.00068 * h[i] * h[i];
  const struct tor_extrapolation x = tor_extrapolate(3, h, f);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_FITTED);
  assert_true(x.order > 2.5);
  assert_true(fabs(x.value - 4.77) <= x.error);
  assert_true(1.25 * fabs(x.value - f[2]) < fabs(x.value - 4.77)); /* which the correction alone would not say */
}

/* The same through its turn: three cells give three times the spread, four the value. */
static void a_turn_is_told_from_noise_by_four_cells(void **state) {
  (void)state;
  const double h[] = {10, 7, 5, 3.5};
  double f[4];
  for (int i = 0; i < 4; i++) f[i] = 4.77 - 0.007 * h[i] + 0.00068 * h[i] * h[i];
  assert_true(f[2] < f[1] && f[3] > f[2]);
  struct tor_extrapolation x = tor_extrapolate(3, h + 1, f + 1);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_SPREAD);
  expect_near(x.error, 3 * (f[1] - f[2]), 1e-12);
  x = tor_extrapolate(4, h, f);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_TWO_TERMS);
  expect_near(x.value, 4.77, 1e-9);
  assert_true(x.error > 1.2 * fabs(f[3] - 4.77));
  /* Without a turn, as Q_sca at another wavelength. */
  for (int i = 0; i < 4; i++) f[i] = 3.03 + 0.01 * h[i] - 0.0016 * h[i] * h[i];
  x = tor_extrapolate(4, h, f);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_TWO_TERMS);
  expect_near(x.value, 3.03, 1e-9);
}

static void what_does_not_converge_is_not_extrapolated(void **state) {
  (void)state;
  const double updown[] = {1.0, 1.5, 1.2, 1.3};
  struct tor_extrapolation x = tor_extrapolate(3, cells + 1, updown);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_SPREAD);
  expect_near(x.value, 1.2, 0);
  expect_near(x.error, 3 * 0.5, 1e-15);
  assert_true(isnan(x.order));
  x = tor_extrapolate(4, cells, updown); /* of the three finest */
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_SPREAD);
  expect_near(x.error, 0.3, 1e-15);
  const double away[] = {1.0, 1.1, 1.3};
  x = tor_extrapolate(3, cells + 1, away);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_SLOW);
  expect_near(x.value, 1.3, 0);
  assert_true(x.error > 0.3);
  double slow[3];
  for (int i = 0; i < 3; i++) slow[i] = 1 + 0.1 * pow(cells[i + 1], 0.6);
  x = tor_extrapolate(3, cells + 1, slow);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_FITTED);
  expect_near(x.order, 0.6, 1e-5);
  assert_true(x.value > 1.02 && x.value < 1.1); /* by order 1 */
  assert_true(fabs(x.value - 1) <= x.error);
  const double same[] = {5, 5, 5, 5}, bad[] = {1, (double)NAN, 1};
  x = tor_extrapolate(4, cells, same);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_FITTED);
  expect_near(x.value, 5, 0);
  expect_near(x.error, 0, 0);
  x = tor_extrapolate(3, cells + 1, bad);
  assert_int_equal(x.kind, TOR_EXTRAPOLATION_NONE);
  assert_true(isnan(x.value) && isnan(x.error));
}

/* Of any unit: nothing depends on the size of the numbers. */
static void scales_do_not_matter(void **state) {
  (void)state;
  const double f[] = {1.30, 1.21, 1.17};
  const struct tor_extrapolation x = tor_extrapolate(3, cells + 1, f);
  double small[3], h[3];
  for (int i = 0; i < 3; i++) {
    small[i] = 1e-30 * f[i];
    h[i] = 1e-9 * cells[i + 1];
  }
  const struct tor_extrapolation y = tor_extrapolate(3, h, small);
  expect_near(y.value * 1e30, x.value, 1e-7);
  expect_near(y.error * 1e30, x.error, 1e-6);
  expect_near(y.order, x.order, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powers_are_found),
      cmocka_unit_test(two_cells_take_order_two_and_a_larger_error),
      cmocka_unit_test(noisy_values_have_the_truth_within_their_error),
      cmocka_unit_test(two_terms_of_opposite_signs_are_within_the_error),
      cmocka_unit_test(a_turn_is_told_from_noise_by_four_cells),
      cmocka_unit_test(what_does_not_converge_is_not_extrapolated),
      cmocka_unit_test(scales_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
