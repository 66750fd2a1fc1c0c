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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pulses_have_no_mean), cmocka_unit_test(means_of_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
