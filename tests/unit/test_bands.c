/* Bands from resonances: which are one, how many a frequency stands for, what is dropped, velocities, gaps. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/study/bands.h"

static const struct tor_band_rules rules = {1e-3, 10, 1e-4, 4, 8};

/* A resonance in the record of a place and a run, with amplitudes in two channels. */
static struct tor_band_record made(int run, int place, double frequency, double error, double complex a,
                                   double complex b) {
  return (struct tor_band_record){
      .run = run, .place = place, .frequency = frequency, .error = error, .q = 1e6, .channels = 2, .amplitude = {a, b}};
}

static struct tor_bands_k found(struct tor_band_record *record, int n, const struct tor_band_rules *by) {
  struct tor_bands_k k = {.light = NAN, .finished = 1};
  tor_bands_find(&k, record, n, by);
  return k;
}

static void release(struct tor_bands_k *k) {
  free(k->band);
  free(k->dropped);
}

static void records_of_one_frequency_are_one_band(void **state) {
  (void)state;
  const double complex turn = cexp(CMPLX(0, 2)); /* runs have phases of their own */
  struct tor_band_record record[] = {made(0, 0, .3 + 2e-7, 1e-7, 1, .5),
                                     made(0, 1, .3, 1e-8, .3, CMPLX(0, .2)),
                                     made(1, 0, .3 - 1e-7, 1e-7, turn, .5 * turn),
                                     made(1, 1, .3, 2e-7, .3 * turn, CMPLX(0, .2) * turn),
                                     made(0, 0, .30005, 1e-7, 1, 2),
                                     made(1, 1, .30005, 1e-7, 1, 2)};
  struct tor_bands_k k = found(record, 6, &rules);
  assert_int_equal(k.count, 2); /* two of one record are two, however near */
  assert_true(k.band[0].frequency == .3 && k.band[0].error == 1e-8);
  assert_int_equal(k.band[0].multiplicity, 1);
  assert_true(k.band[1].frequency == .30005);
  assert_int_equal(k.ndropped, 0);
  release(&k);
}

/* The runs' amplitudes are not parallel. */
static void equal_frequencies_are_told_apart(void **state) {
  (void)state;
  struct tor_band_record record[] = {made(0, 0, .6, 1e-7, 1, .5),    made(0, 1, .6, 1e-7, .3, -.2),
                                     made(1, 0, .6, 1e-7, .5, 1),    made(1, 1, .6, 1e-7, -.3, .4),
                                     made(2, 0, .6, 1e-7, 1.5, 1.5), made(2, 1, .6, 1e-7, 0, .2)};
  struct tor_bands_k k = found(record, 6, &rules); /* the third is the sum of the two */
  assert_int_equal(k.count, 2);
  assert_int_equal(k.band[0].multiplicity, 2);
  assert_true(k.band[1].frequency == k.band[0].frequency);
  release(&k);
  for (int i = 0; i < 6; i++) record[i].amplitude_error[0] = .3; /* the second may be the first */
  k = found(record, 6, &rules);
  assert_int_equal(k.count, 1);
  release(&k);
}

static void spurious_ones_are_dropped(void **state) {
  (void)state;
  struct tor_band_record record[] = {
      made(0, 0, .2, 1e-7, 1, 1), made(1, 0, .2, 1e-7, 1, 1), made(0, 1, .25, 1e-7, 1, 1), made(0, 0, .4, 1e-3, 1, 1),
      made(1, 0, .4, 1e-3, 1, 1), made(0, 0, .5, 1e-7, 1, 1), made(1, 0, .5, 1e-7, 1, 1)};
  record[5].q = record[6].q = 3;
  struct tor_bands_k k = found(record, 7, &rules);
  int of[TOR_NBAND_FAULTS] = {0};
  for (int i = 0; i < k.ndropped; i++) of[k.dropped[i].fault]++;
  assert_int_equal(k.count, 1);
  assert_int_equal(of[TOR_BAND_ONCE], 1);
  assert_int_equal(of[TOR_BAND_ERROR], 1);
  assert_int_equal(of[TOR_BAND_Q], 1);
  release(&k);
  struct tor_band_record many[] = {made(0, 0, .2, 1e-7, 1, 1), made(0, 0, .3, 1e-7, 1, 1), made(0, 0, .1, 1e-7, 1, 1)};
  k = found(many, 3, &(struct tor_band_rules){1e-3, 10, 1e-4, 1, 2}); /* one record: once is enough */
  assert_int_equal(k.count, 2);
  assert_true(k.band[0].frequency == .1 && k.band[1].frequency == .2);
  assert_int_equal(k.dropped[0].fault, TOR_BAND_MANY);
  release(&k);
}

/* Two bands on a path of two straight parts: f = .2 + .1 s and .9 - .2 s. */
static struct tor_bands on_a_path(int n) {
  struct tor_bands bands = {.axes = 2, .period = 1, .nk = n, .at = calloc((size_t)n, sizeof *bands.at)};
  for (int i = 0; i < n; i++) {
    struct tor_bands_k *k = &bands.at[i];
    *k = (struct tor_bands_k){.distance = .25 * i, .light = NAN, .corner = i % 2 == 0, .finished = 1, .count = 2};
    k->band = calloc(2, sizeof *k->band);
    k->band[0].frequency = .2 + .1 * k->distance;
    k->band[1].frequency = .9 - .2 * k->distance;
  }
  return bands;
}

static void velocities_are_slopes_and_none_at_corners(void **state) {
  (void)state;
  struct tor_bands bands = on_a_path(5);
  assert_int_equal(tor_bands_velocities(&bands), 0);
  assert_true(fabs(bands.at[1].band[0].velocity - .1) < 1e-12);
  assert_true(fabs(bands.at[3].band[1].velocity + .2) < 1e-12);
  assert_true(fabs(bands.at[0].band[0].velocity - .1) < 1e-12); /* the path's end */
  assert_true(isnan(bands.at[2].band[0].velocity));
  bands.at[3].band[0] = bands.at[3].band[1]; /* the lowest is missing there */
  bands.at[3].count = 1;
  assert_int_equal(tor_bands_velocities(&bands), 2);
  assert_true(isnan(bands.at[3].band[0].velocity));
  tor_bands_free(&bands);
}

/* As at k = 0, where the lowest has frequency 0; a band that is missing elsewhere is not one below. */
static void bands_below_the_range_are_counted(void **state) {
  (void)state;
  struct tor_bands bands = on_a_path(5);
  bands.at[0].band[0] = bands.at[0].band[1];
  bands.at[0].count = 1;
  tor_bands_number(&bands, .1);
  assert_int_equal(bands.at[0].below, 1);
  for (int i = 1; i < 5; i++) assert_int_equal(bands.at[i].below, 0);
  assert_ptr_equal(tor_bands_at(&bands.at[0], 2), &bands.at[0].band[0]);
  assert_null(tor_bands_at(&bands.at[0], 1));
  assert_int_equal(tor_bands_most(&bands), 2);
  assert_int_equal(tor_bands_velocities(&bands), 0);
  assert_true(fabs(bands.at[0].band[0].velocity + .2) < 1e-12);
  for (int i = 0; i < 5; i++) bands.at[i].below = 0;
  bands.at[0].distance = .15; /* light goes .1 to the next, which has .225 */
  tor_bands_number(&bands, .01);
  assert_int_equal(bands.at[0].below, 0);
  tor_bands_free(&bands);
}

static void gaps_are_between_the_extremes(void **state) {
  (void)state;
  struct tor_bands bands = on_a_path(5);
  double gap[2];
  assert_true(tor_bands_gap(&bands, 1, gap));
  assert_true(fabs(gap[0] - .3) < 1e-12 && fabs(gap[1] - .7) < 1e-12);
  assert_false(tor_bands_gap(&bands, 2, gap)); /* nothing above is known */
  for (int i = 0; i < 5; i++) bands.at[i].light = bands.at[i].distance;
  assert_true(tor_bands_gap(&bands, 1, gap)); /* the second band is guided from s = .75 on, the first from .22 */
  assert_true(fabs(gap[1] - .7) < 1e-12);
  bands.at[4].band[1].frequency = .25;
  assert_false(tor_bands_gap(&bands, 1, gap));
  tor_bands_free(&bands);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_of_one_frequency_are_one_band),
      cmocka_unit_test(equal_frequencies_are_told_apart),
      cmocka_unit_test(spurious_ones_are_dropped),
      cmocka_unit_test(velocities_are_slopes_and_none_at_corners),
      cmocka_unit_test(bands_below_the_range_are_counted),
      cmocka_unit_test(gaps_are_between_the_extremes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
