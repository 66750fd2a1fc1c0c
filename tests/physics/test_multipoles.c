/* Multipoles of what a sphere scatters, against the terms of Mie's series (Bohren and Huffman, Absorption and
 * Scattering of Light by Small Particles, Wiley, 1983, 4.53, 4.61), and about another point. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <gsl/gsl_sf_bessel.h>

#include "src/base/units.h"
#include "src/model/spectrum.h"
#include "tests/support/job_text.h"
#include "tests/support/plain_job.h"

/* x j_l(x), its slope, and the same of x h_l(x). */
static void riccati(int l, double x, double complex f[4]) {
  const double j = gsl_sf_bessel_jl(l, x), y = gsl_sf_bessel_yl(l, x), j0 = gsl_sf_bessel_jl(l - 1, x),
               y0 = gsl_sf_bessel_yl(l - 1, x);
  f[0] = x * j;
  f[1] = x * j0 - l * j;
  f[2] = x * CMPLX(j, y);
  f[3] = x * CMPLX(j0, y0) - l * CMPLX(j, y);
}

/* 2 (2 l + 1) / x^2 times |a_l|^2, electric, or |b_l|^2, magnetic. */
static double part(int l, int magnetic, double x, double m) {
  double complex out[4], in[4];
  riccati(l, x, out);
  riccati(l, m * x, in);
  const double p = magnetic ? 1 : m, q = magnetic ? m : 1;
  const double complex c = (p * in[0] * out[1] - q * out[0] * in[1]) / (p * in[0] * out[3] - q * out[2] * in[1]);
  return 2 * (2 * l + 1) / (x * x) * creal(c * conj(c));
}

static void parts_of_a_sphere(void **state) {
  char monitors[512];
  const double r = GLASS_SPHERE_RADIUS, d = r / 12;
  struct tor_model model;
  struct tor_simulation sim;
  struct tor_spectrum s, whole;
  (void)state;
  snprintf(monitors, sizeof monitors,
           "{ type = \"multipoles\"; radius = %.10g; wavelengths = [500.0];\n"
           "    box = { lo = [%.10g, %.10g, %.10g]; hi = [%.10g, %.10g, %.10g]; }; position = [0.0, 0.0, 0.0]; },\n"
           "  { type = \"cross_section\"; radius = %.10g; wavelengths = [500.0]; }",
           r, -14 * d, -14 * d, -14 * d, 14 * d, 14 * d, 14 * d, r);
  read_glass_sphere(54, 4, "", monitors);
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[0], &s);
  tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[1], &whole);
  double sum = 0;
  for (int i = 0; i < 6; i++) {
    const double want = part(1 + i / 2, i % 2, 2, 2), error = s.value[i][0] - want;
    print_message("%s: %.5f, Mie %.5f\n", s.name[i], s.value[i][0], want);
    assert_true(fabs(error) < 0.01 * whole.value[1][0]);
    sum += s.value[i][0];
  }
  print_message("sum %.5f of Q_sca %.5f\n", sum, whole.value[1][0]);
  assert_true(fabs(sum / whole.value[1][0] - 1) < 1e-3);
  tor_spectrum_free(&s);
  tor_spectrum_free(&whole);
  tor_plain_stop(&model, &sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_a_sphere)};
  return cmocka_run_group_tests_name("multipoles", tests, job_text_begin, job_text_end);
}
