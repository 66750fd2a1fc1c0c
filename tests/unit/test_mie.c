/* Mie efficiencies and layer stacks against published and independently known numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/job/material.h"
#include "jobs/tools/mie.h"
#include "src/base/units.h"

static void near(double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance)) fail_msg("got %.9g, want %.9g within %g", got, want, tolerance);
}

static void dielectric_spheres(void **state) {
  (void)state;
  static const double want[] = {0.79683, 4.77044, 3.03617};
  for (int i = 0; i < 3; i++) {
    double ext, sca;
    tor_mie(i + 1, 2, &ext, &sca, NULL);
    near(sca, want[i], 1e-5);
    near(ext, sca, 1e-12);
  }
}

/* Bohren and Huffman (1983), appendix A: radius 0.525 um, m = 1.55, wavelength 0.6328 um: 3.10543. */
static void bohren_huffman_example(void **state) {
  (void)state;
  double ext, sca;
  tor_mie(2 * TOR_PI * 0.525 / 0.6328, 1.55, &ext, &sca, NULL);
  near(ext, 3.10543, 1e-5);
  near(sca, 3.10543, 1e-5);
}

/* Wiscombe, NCAR/TN-140 (1979): m = 1.5 + i. */
static void wiscombe_absorbing_spheres(void **state) {
  (void)state;
  static const struct {
    double x, ext, sca, g;
  } t[] = {{0.055, 0.101491, 0.000011, 0.000491},
           {1, 2.336321, 0.663454, 0.192136},
           {100, 2.097502, 1.283697, 0.850252},
           {10000, 2.004368, 1.236574, 0.846310}};
  for (int i = 0; i < 4; i++) {
    double ext, sca, g;
    tor_mie(t[i].x, CMPLX(1.5, 1), &ext, &sca, &g);
    near(ext, t[i].ext, 2e-6);
    near(sca, t[i].sca, 2e-6);
    near(g, t[i].g, 2e-6);
  }
}

/* Wiscombe: m = 0.75, x = 10 and 1000; m = 10 + 10i, x = 1 and 100. */
static void wiscombe_extremes(void **state) {
  (void)state;
  double ext, sca, g;
  tor_mie(10, 0.75, &ext, &sca, &g);
  near(ext, 2.232265, 2e-6);
  near(g, 0.896473, 2e-6);
  tor_mie(1000, 0.75, &ext, &sca, &g);
  near(ext, 1.997908, 2e-6);
  near(g, 0.844944, 2e-6);
  tor_mie(1, CMPLX(10, 10), &ext, &sca, &g);
  near(ext, 2.532993, 2e-6);
  near(sca, 2.049405, 2e-6);
  tor_mie(100, CMPLX(10, 10), &ext, &sca, &g);
  near(ext, 2.071124, 2e-6);
  near(sca, 1.836785, 2e-6);
}

/* psi_0 = sin x vanishes at multiples of pi; |m| x at 1e3 must still balance energy. */
static void zeros_of_the_sine_do_no_harm(void **state) {
  (void)state;
  for (int i = 1; i <= 160; i += 53) {
    double at, beside, sca;
    tor_mie(i * TOR_PI, 2, &at, &sca, NULL);
    near(at, sca, 1e-10);
    tor_mie(i * TOR_PI * (1 + 1e-12), 2, &beside, NULL, NULL);
    near(at, beside, 1e-6);
  }
}

/* Q_sca = (8/3) x^4 |(m^2-1)/(m^2+2)|^2 for x -> 0. */
static void small_spheres_are_rayleigh(void **state) {
  (void)state;
  double x = 1e-3, sca, g;
  double complex m2 = 4;
  tor_mie(x, 2, NULL, &sca, &g);
  double want = 8.0 / 3 * pow(x, 4) * pow(cabs((m2 - 1) / (m2 + 2)), 2);
  near(sca / want, 1, 1e-5);
  near(g, 0, 1e-5);
}

static void gold_sphere(void **state) {
  (void)state;
  struct tor_medium gold;
  assert_true(tor_medium_builtin("Au", &gold));
  double complex eps = tor_medium_permittivity(&gold, 0, 2 * TOR_PI * TOR_C0 / 550e-9);
  double ext, sca;
  tor_mie(2 * TOR_PI * 50 / 550, csqrt(eps), &ext, &sca, NULL);
  near(ext, 2.8784, 1e-4);
  near(sca, 1.2093, 1e-4);
  tor_medium_free(&gold);
}

static void slab_of_index_2(void **state) {
  (void)state;
  double complex eps[] = {1, 4, 1};
  double d = 200, r, t;
  tor_slab_rt(1, eps, &d, 500, &r, &t);
  near(r, 0.337215, 1e-6);
  near(r + t, 1, 1e-12);
  tor_slab_rt(1, eps, &d, 700, &r, &t);
  near(r, 0.095754, 1e-6);
}

static void drude_film(void **state) {
  (void)state;
  double w = 2 * TOR_PI * TOR_C0 / 500e-9 * TOR_HBAR_EV;
  double complex eps[] = {1, 1 - 81 / CMPLX(w * w, 0.07 * w), 1};
  double d = 20, r, t;
  tor_slab_rt(1, eps, &d, 500, &r, &t);
  near(r, 0.757778, 2e-6);
  near(t, 0.215566, 2e-6);
}

static void stacks(void **state) {
  (void)state;
  double r, t;
  double complex bare[] = {1, 2.25};
  tor_slab_rt(0, bare, NULL, 500, &r, &t); /* Fresnel */
  near(r, 0.04, 1e-12);
  near(t, 0.96, 1e-12);
  double complex coated[] = {1, 1.5, 2.25}; /* quarter wave of sqrt(1.5): no reflection */
  double quarter = 500 / (4 * sqrt(1.5));
  tor_slab_rt(1, coated, &quarter, 500, &r, &t);
  near(r, 0, 1e-12);
  near(t, 1, 1e-12);
  double complex split[] = {1, CMPLX(-4, 1), CMPLX(-4, 1), 3, 2}, whole[] = {1, CMPLX(-4, 1), 3, 2};
  double ds[] = {7, 13, 90}, dw[] = {20, 90}, r2, t2;
  tor_slab_rt(3, split, ds, 500, &r, &t);
  tor_slab_rt(2, whole, dw, 500, &r2, &t2);
  near(r, r2, 1e-12);
  near(t, t2, 1e-12);
  double complex thick[] = {1, CMPLX(-10, 1), 1}; /* opaque: reflects as a half-space */
  double complex n = csqrt(thick[1]);
  double metre = 1e9;
  tor_slab_rt(1, thick, &metre, 500, &r, &t);
  near(r, pow(cabs((1 - n) / (1 + n)), 2), 1e-12);
  near(t, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dielectric_spheres),
      cmocka_unit_test(bohren_huffman_example),
      cmocka_unit_test(wiscombe_absorbing_spheres),
      cmocka_unit_test(wiscombe_extremes),
      cmocka_unit_test(small_spheres_are_rayleigh),
      cmocka_unit_test(gold_sphere),
      cmocka_unit_test(slab_of_index_2),
      cmocka_unit_test(drude_film),
      cmocka_unit_test(zeros_of_the_sine_do_no_harm),
      cmocka_unit_test(stacks),
  };
  return cmocka_run_group_tests_name("mie", tests, NULL, NULL);
}
