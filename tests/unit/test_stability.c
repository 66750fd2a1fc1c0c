/* The stability check on energies that are given: what resonators and plasmons do is no alarm, what grows is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "src/simulation/stability.h"

typedef double energy_at(double look, double parameter);

/* Looks at `looks` energies, TOR_STABILITY_EVERY steps apart, from the end of the sources on. Returns the number of the
 * look that found a fault, looks + 1 for one at the end, 0 for none. */
static int found_at(energy_at *energy, double parameter, int looks, int continuous) {
  struct tor_stability s = {.most = INFINITY,
                            .settled = continuous ? INFINITY : 0,
                            .largest = 1,
                            .rounding = 1e-12,
                            .fixed = !continuous,
                            .interval = -1};
  int found = 0;
  for (int i = 1; i <= looks && !found; i++)
    if (tor_stability_check(&s, (tor_gidx)i * TOR_STABILITY_EVERY, energy(i, parameter), 1)) found = i;
  if (!found && tor_stability_end(&s)) found = looks + 1;
  tor_stability_free(&s);
  return found;
}

static double decay(double look, double rate) { return exp(-rate * look); }
/* The energy without that of poles: all of a lossless plasmon's passes between E and its current. */
static double plasmon(double look, double phase) { return pow(sin(phase * look), 2) + 1e-6; }
static double beat(double look, double phase) {
  return exp(-0.02 * look) * pow(cos(phase * look) * cos(1.37 * phase * look), 2);
}
/* A lossless resonator at its frequency, from rest. */
static double driven(double look, double unused) {
  (void)unused;
  return look * look;
}
static double growing(double look, double rate) { return exp(-look) + 1e-9 * exp(rate * look); }
static double steady_then_growing(double look, double rate) { return 1 + 1e-12 * exp(rate * look); }
static double rounding(double look, double unused) {
  (void)unused;
  return look < 60 ? exp(-look) : 1e-26 * (1 + 1000 * fabs(sin(look)));
}

static double rate_of(energy_at *energy, double parameter, int looks) {
  struct tor_stability s = {.most = INFINITY, .largest = 1, .rounding = 1e-12, .fixed = 1, .interval = -1};
  for (int i = 1; i <= looks; i++) tor_stability_check(&s, (tor_gidx)i * TOR_STABILITY_EVERY, energy(i, parameter), 1);
  const double rate = tor_stability_rate(&s, 2);
  tor_stability_free(&s);
  return rate * 2 * TOR_STABILITY_EVERY;
}

static void falls_at_its_rate(void **state) {
  (void)state;
  for (int looks = 4; looks < 50; looks++) assert_true(fabs(rate_of(decay, 0.3, looks) / 0.3 - 1) < 1e-12);
  assert_true(isnan(rate_of(decay, 0.3, 3)) && isnan(rate_of(decay, 0, 8)) && rate_of(decay, 0, 40) == 0 &&
              rate_of(decay, -0.01, 40) == 0);
}

static double cubic(double look, double unused) {
  (void)unused;
  return 1e-9 * look * look * look;
}

/* A rise that is no exponential is a warning at the end; its rate is below 0. */
static void rises(void **state) {
  (void)state;
  struct tor_stability s = {.most = INFINITY, .largest = 1, .rounding = 1e-12, .fixed = 1, .interval = -1};
  for (int i = 1; i <= 40; i++) tor_stability_check(&s, (tor_gidx)i * TOR_STABILITY_EVERY, cubic(i, 0), 1);
  const struct tor_stability_rise rise = tor_stability_risen(&s);
  assert_int_equal(tor_stability_end(&s), TOR_STABLE);
  assert_int_equal(rise.intervals, 35); /* of windows of 5, from the first to the last */
  assert_true(fabs(rise.factor / (8 * 8 * 8) - 1) < 1e-12);
  assert_true(fabs(rate_of(cubic, 0, 40) * 35 / log(512.0) + 1) < 1e-12);
  s.largest = 1e9;
  assert_int_equal(tor_stability_risen(&s).intervals, 0); /* below rounding */
  s.largest = 1;
  s.settled = INFINITY;
  assert_int_equal(tor_stability_risen(&s).intervals, 0); /* a source may drive it */
  tor_stability_free(&s);
}

static void passive(void **state) {
  (void)state;
  assert_int_equal(found_at(decay, 0, 300, 0), 0);
  assert_int_equal(found_at(decay, 0.5, 300, 0), 0);
  for (int i = 1; i <= 157; i++) {
    assert_int_equal(found_at(plasmon, 0.02 * i, 300, 0), 0);
    assert_int_equal(found_at(beat, 0.02 * i, 300, 0), 0);
  }
  assert_int_equal(found_at(rounding, 0, 300, 0), 0);
  assert_int_equal(found_at(driven, 0, 1000, 1), 0);
  for (int looks = 2; looks < 40; looks++) assert_int_equal(found_at(driven, 0, looks, 1), 0);
}

static void growth(void **state) {
  (void)state;
  /* exp(0.5 n) over the decay: least at n = 14, 100 times that some ten looks later. */
  assert_in_range(found_at(growing, 0.5, 300, 0), 15, 35);
  assert_in_range(found_at(growing, 0.1, 300, 0), 20, 90);
  assert_in_range(found_at(growing, 0.02, 1000, 0), 100, 400);
  assert_in_range(found_at(steady_then_growing, 1, 300, 1), 20, 60);
  assert_in_range(found_at(steady_then_growing, 0.1, 1000, 1), 250, 400);
}

/* Ten times the least at the end is an alarm there, a hundred times before. */
static void at_the_end(void **state) {
  (void)state;
  assert_int_equal(found_at(growing, 0.5, 26, 0), 27);
  assert_int_equal(found_at(growing, 0.5, 20, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(falls_at_its_rate), cmocka_unit_test(rises),
                                     cmocka_unit_test(passive), cmocka_unit_test(growth), cmocka_unit_test(at_the_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
