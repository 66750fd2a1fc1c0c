/* Harmonic inversion of sums of decaying oscillations whose poles are known. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/base/units.h"
#include "src/model/exponentials.h"
#include "src/model/harmonic.h"

enum { MOST = 40 };

/* Frequency [turns per sample], Q, amplitude, phase of amplitude cos(omega t - phase). */
struct line {
  double frequency, q, amplitude, phase;
};

static uint64_t random_state = 1;

/* 0 to 1, the same numbers each time. */
static double uniform(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(2 * TOR_PI * uniform()); }

static double omega_of(const struct line *l) { return 2 * TOR_PI * l->frequency; }
static double decay_of(const struct line *l) { return omega_of(l) / (2 * l->q); }

static double *make(const struct line *line, int lines, int count, double noise) {
  double *x = calloc((size_t)count, sizeof *x);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < lines; k++)
      x[i] += line[k].amplitude * cos(omega_of(&line[k]) * i - line[k].phase) * exp(-decay_of(&line[k]) * i);
    if (noise > 0) x[i] += noise * normal();
  }
  return x;
}

/* The oscillations of a record between two frequencies. */
static int find(const struct line *line, int lines, int count, double noise, double low, double high,
                struct tor_harmonic *found) {
  double *x = make(line, lines, count, noise);
  const struct tor_harmonic_record record = {1, count, x, 1, NULL};
  const int n = tor_harmonic_find(&record, 2 * TOR_PI * low, 2 * TOR_PI * high, found, MOST);
  free(x);
  return n;
}

/* Distance of the pole found from the line's. */
static double off(const struct tor_harmonic *h, const struct line *l) {
  return hypot(h->omega - omega_of(l), h->decay - decay_of(l));
}

static const struct line four[] = {{.118, 77, 1, .3}, {.1474, 344, .5, 1}, {.1758, 1634, .2, -2}, {.1762, 3000, .1, 2}};

/* One found for each line, in their order by falling frequency, within `times` its own error and `within`. */
static void expect_lines(const struct tor_harmonic *found, int n, const struct line *line, int lines, double times,
                         double within) {
  assert_int_equal(n, lines);
  for (int k = 0; k < n; k++) {
    const struct tor_harmonic *h = &found[k];
    const struct line *l = &line[lines - 1 - k];
    const double complex a = l->amplitude * cexp(CMPLX(0, l->phase));
    if (off(h, l) > times * h->error || off(h, l) > within)
      fail_msg("%g, Q %g: off by %.2e, error %.2e", l->frequency, l->q, off(h, l), h->error);
    if (cabs(h->amplitude[0] - a) > times * h->amplitude_error[0] + 1e-9)
      fail_msg("%g: amplitude off by %.2e, error %.2e", l->frequency, cabs(h->amplitude[0] - a), h->amplitude_error[0]);
  }
}

static void clean_lines_are_exact(void **state) {
  (void)state;
  struct tor_harmonic found[MOST];
  for (int count = 300; count <= 20000; count *= 4)
    expect_lines(found, find(four, 4, count, 0, .1, .2, found), four, 4, 1e9, count < 1000 ? 1e-8 : 1e-11);
}

/* Also a line that has decayed after a tenth of the record, and a pair a fifth of a turn of the record apart. */
static void noisy_lines_are_within_their_errors(void **state) {
  (void)state;
  struct tor_harmonic found[MOST];
  for (double noise = 1e-8; noise < 2e-4; noise *= 10)
    expect_lines(found, find(four, 4, 6000, noise, .1, .2, found), four, 4, 3, 1);
  const struct line pair[] = {{.15, 2000, 1, 0}, {.1501, 1500, .7, 1}};
  expect_lines(found, find(pair, 2, 2000, 1e-7, .1, .2, found), pair, 2, 3, 1e-4);
}

static void growth_and_lines_outside_are_dropped(void **state) {
  (void)state;
  struct tor_harmonic found[MOST];
  const struct line outside[] = {{.05, 300, 100, 0}, {.149, 500, .01, 1}, {.21, 1000, 100, 2}, {.33, 5000, 30, 1}};
  assert_int_equal(find(outside, 4, 5000, 0, .14, .16, found), 1);
  assert_true(off(&found[0], &outside[1]) < 1e-7);
  const struct line grows[] = {{.12, 500, 1, 0}, {.15, -500, .01, 0}};
  assert_int_equal(find(grows, 2, 1000, 0, .1, .2, found), 1);
  assert_true(off(&found[0], &grows[0]) < 1e-9);
  const struct line hardly[] = {{.12, -1e6, 1, 0}}; /* by 4e-4 in the record */
  assert_int_equal(find(hardly, 1, 1000, 0, .1, .2, found), 1);
}

static void the_strongest_are_taken(void **state) {
  (void)state;
  struct tor_harmonic found[2];
  double *x = make(four, 4, 3000, 0);
  const struct tor_harmonic_record record = {1, 3000, x, 1, NULL};
  assert_int_equal(tor_harmonic_find(&record, .2 * TOR_PI, .4 * TOR_PI, found, 2), 2);
  assert_true(off(&found[0], &four[1]) < 1e-9); /* by amplitude^2 / decay */
  assert_true(off(&found[1], &four[0]) < 1e-9);
  free(x);
}

/* Channels with the same poles and other amplitudes: one line is absent in each. */
static void channels_share_their_poles(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  struct tor_harmonic found[MOST];
  const struct line one[] = {{.14, 300, 1, 0}}, two[] = {{.15, 900, 2, 1}};
  double *x = make(one, 1, COUNT, 1e-6), *y = make(two, 1, COUNT, 1e-6), *both = calloc(2 * COUNT, sizeof *both);
  for (int i = 0; i < COUNT; i++) both[i] = x[i], both[COUNT + i] = y[i];
  const struct tor_harmonic_record record = {2, COUNT, both, 0.5, NULL}; /* half the time, twice the frequencies */
  assert_int_equal(tor_harmonic_find(&record, .4 * TOR_PI, .8 * TOR_PI, found, MOST), 2);
  assert_true(fabs(found[0].omega / 2 - omega_of(two)) < 1e-6 && fabs(found[1].omega / 2 - omega_of(one)) < 1e-6);
  assert_true(fabs(found[0].decay / 2 - decay_of(two)) < 1e-6 && fabs(found[1].decay / 2 - decay_of(one)) < 1e-6);
  assert_true(cabs(found[1].amplitude[0] - 1) < 1e-5 && cabs(found[1].amplitude[1]) < 1e-5);
  assert_true(cabs(found[0].amplitude[0]) < 1e-5 && fabs(cabs(found[0].amplitude[1]) - 2) < 1e-5);
  free(x);
  free(y);
  free(both);
}

/* Random lines in noise of a thousandth: at most one in twenty is further off than twice its error, and half of the
 * errors at least are below 10 times what they are of. White noise has hardly a line. */
static void errors_are_honest(void **state) {
  (void)state;
  enum { TRIALS = 40, LINES = 3 };
  struct tor_harmonic found[MOST];
  int lines = 0, missed = 0, beyond = 0, wide = 0, more = 0;
  for (int t = 0; t < TRIALS; t++) {
    struct line line[LINES];
    for (int k = 0; k < LINES; k++) /* 0.02 to 0.04 apart */
      line[k] = (struct line){.1 + .03 * k + .01 * uniform(), 30 * pow(30, uniform()), .3 + uniform(), 6 * uniform()};
    const int n = find(line, LINES, 1000, 1e-3, .095, .18, found);
    lines += LINES;
    more += n > LINES ? n - LINES : 0;
    for (int k = 0; k < LINES; k++) {
      const struct tor_harmonic *best = NULL;
      for (int i = 0; i < n; i++)
        if (!best || off(&found[i], &line[k]) < off(best, &line[k])) best = &found[i];
      if (!best || off(best, &line[k]) > 0.003) {
        missed++;
        continue;
      }
      beyond += off(best, &line[k]) > 2 * best->error;
      wide += off(best, &line[k]) < 0.1 * best->error;
    }
  }
  printf("of %d lines %d not found, %d beyond twice their error, %d errors 10 times too large; %d too many\n", lines,
         missed, beyond, wide, more);
  assert_true(20 * missed <= lines && 20 * beyond <= lines && 2 * wide <= lines && 20 * more <= lines);
}

/* exp(-i omega t) is found with its own amplitude, exp(+i omega t) of the same frequency is another oscillation. */
static void complex_records_have_one_sign(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  const double omega = 2 * TOR_PI * .15, other = 2 * TOR_PI * .17;
  const double complex a = CMPLX(.3, -.4), b = CMPLX(0, 2), c = CMPLX(-1, .2);
  double *re = calloc(COUNT, sizeof *re), *im = calloc(COUNT, sizeof *im);
  for (int i = 0; i < COUNT; i++) {
    const double complex x =
        a * cexp(CMPLX(0, -omega * i)) + b * cexp(CMPLX(0, omega * i)) + c * cexp(CMPLX(0, other * i));
    re[i] = creal(x);
    im[i] = cimag(x);
  }
  struct tor_harmonic found[MOST];
  const struct tor_harmonic_record record = {1, COUNT, re, 1, im};
  assert_int_equal(tor_harmonic_find(&record, .2 * TOR_PI, .4 * TOR_PI, found, MOST), 1);
  assert_true(fabs(found[0].omega - omega) < 1e-9);
  assert_true(cabs(found[0].amplitude[0] - a) < 1e-7);
  assert_true(fabs(found[0].weight - creal(a * conj(a)) / creal(a * conj(a) + b * conj(b) + c * conj(c))) < 1e-2);
  free(re);
  free(im);
}

static void records_without_lines_have_none(void **state) {
  (void)state;
  struct tor_harmonic found[MOST];
  assert_int_equal(find(four, 0, 1000, 0, .1, .2, found), 0);
  assert_int_equal(find(four, 4, TOR_HARMONIC_LEAST - 1, 0, .1, .2, found), 0);
  int n = 0;
  for (int t = 0; t < 10; t++) n += find(four, 0, 1000, 1, .1, .2, found);
  printf("%d lines in 10 records of noise\n", n);
  assert_true(n <= 2);
  double *x = make(four, 4, 1000, 0);
  x[500] = (double)NAN;
  const struct tor_harmonic_record record = {1, 1000, x, 1, NULL};
  assert_int_equal(tor_harmonic_find(&record, .2 * TOR_PI, .4 * TOR_PI, found, MOST), 0);
  free(x);
}

int main(void) {
  if (!tor_exponentials_built()) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clean_lines_are_exact),
      cmocka_unit_test(noisy_lines_are_within_their_errors),
      cmocka_unit_test(growth_and_lines_outside_are_dropped),
      cmocka_unit_test(the_strongest_are_taken),
      cmocka_unit_test(channels_share_their_poles),
      cmocka_unit_test(complex_records_have_one_sign),
      cmocka_unit_test(errors_are_honest),
      cmocka_unit_test(records_without_lines_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
