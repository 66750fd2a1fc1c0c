/* Time profiles: a dipole's pulse leaves no charge, whatever its phase, and its spectrum is the pulse's; means of
 * tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <complex.h>
#include <math.h>

#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/cut_off.h"
#include "src/model/source.h"

static double complex spectrum(const struct tor_profile *p, double omega) {
  const double dt = 0.005 * TOR_FS;
  double complex sum = 0;
  for (int n = 0; n * dt < tor_profile_end(p); n++) {
    const double t = (n + 0.5) * dt;
    sum += tor_profile_value(p, t) * CMPLX(cos(omega * t), sin(omega * t)) * dt;
  }
  return sum;
}

static void pulses_have_no_mean(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    struct tor_profile p = {.kind = TOR_PULSE,
                            .wavelength = 440 * TOR_NM,
                            .band = (i % 2 ? 400 : 240) * TOR_NM,
                            .phase = i / 2 * 0.7,
                            .delay = 1 * TOR_FS};
    const double omega = TOR_PI * TOR_C0 * (1 / (p.wavelength - p.band / 2) + 1 / (p.wavelength + p.band / 2));
    const double complex peak = spectrum(&p, omega), mean = spectrum(&p, 0);
    assert_true(fabs(cabs(mean) / cabs(peak) / tor_profile_mean(&p) - 1) <
                0.3); /* the peak lies beside the wavelength */
    assert_true(tor_profile_mean(&p) > 1e-8);
    p.zero_mean = 1;
    assert_true(tor_profile_mean(&p) == 0);
    assert_true(cabs(spectrum(&p, 0)) < 1e-10 * cabs(peak));
    assert_true(cabs(spectrum(&p, omega) - peak) < 1.01 * cabs(mean));
  }
}

static void means_of_tables(void **state) {
  (void)state;
  double time[] = {0, 1e-15, 2e-15, 3e-15, 4e-15}, odd[] = {0, 1, 0, -1, 0}, even[] = {0, 1, 2, 1, 0},
         third[] = {0, 2, 0, -1, 0};
  struct tor_profile p = {.kind = TOR_TABLE, .count = 5, .time = time, .value = odd};
  assert_true(tor_profile_mean(&p) == 0);
  p.value = even;
  assert_true(fabs(tor_profile_mean(&p) - 1) < 1e-12);
  p.value = third;
  assert_true(fabs(tor_profile_mean(&p) - 1.0 / 3) < 1e-12);
}

/* Of a pulse exp(-(x / tau)^2) that is cut off at x, its spectrum lacks erfc(x / tau) / (1 + erf(x / tau)) at its
 * carrier, but for what a sharp end at exp(-(x / tau)^2) has of negative frequencies. */
static void pulses_are_cut_off(void **state) {
  (void)state;
  const struct tor_profile p = {.kind = TOR_PULSE, .wavelength = 600 * TOR_NM, .band = 100 * TOR_NM, .delay = 5e-15};
  double carrier[2], half;
  tor_profile_band(&p, &carrier[0], &half);
  const double tau = 2 / half, centre = p.delay + 5 * tau;
  carrier[1] = carrier[0] + 3 * half;
  for (double x = -1; x < 2.1; x += 0.5) {
    const double exact = erfc(x) / (1 + erf(x)), found = tor_profile_cut_off(&p, centre + x * tau, carrier, 1);
    assert_true(fabs(found - fmin(exact, 9)) < exp(-x * x) / (carrier[0] * tau) * (1 + exact) / (1 + erf(x)));
    assert_true(tor_profile_cut_off(&p, centre + x * tau, carrier, 2) >= found);
  }
  assert_true(tor_profile_cut_off(&p, tor_profile_end(&p), carrier, 1) == 0);
  assert_true(tor_profile_cut_off(&p, 4e-15, carrier, 1) == 9); /* has not begun */
  assert_true(tor_profile_cut_off(&p, centre, carrier, 0) == 0);
}

static void waves_and_tables_are_cut_off(void **state) {
  (void)state;
  double time[] = {0, 1e-15, 2e-15, 3e-15, 4e-15}, value[] = {0, 1, 0, -1, 0};
  const struct tor_profile table = {.kind = TOR_TABLE, .count = 5, .time = time, .value = value},
                           wave = {.kind = TOR_CONTINUOUS, .wavelength = 600 * TOR_NM};
  const double omega = TOR_PI / 2e-15, own = 2 * TOR_PI * TOR_C0 / wave.wavelength, near = own + 1e14;
  assert_true(fabs(tor_profile_cut_off(&table, 2e-15, &omega, 1) - 1) < 1e-3); /* half of it, the same but for a sign */
  assert_true(tor_profile_cut_off(&table, 4e-15, &omega, 1) == 0);
  assert_true(tor_profile_cut_off(&wave, 1e-13, &own, 1) == 0);
  assert_true(tor_profile_cut_off(&wave, 3e-14, &near, 1) == 0); /* not yet another wavelength */
  assert_true(tor_profile_cut_off(&wave, 1e-13, &near, 1) == 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pulses_have_no_mean), cmocka_unit_test(means_of_tables),
                                     cmocka_unit_test(pulses_are_cut_off),
                                     cmocka_unit_test(waves_and_tables_are_cut_off)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
