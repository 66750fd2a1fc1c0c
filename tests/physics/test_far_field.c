/* Far fields of dipoles and line sources: the surface's place does not matter, sources outside count nothing, planes
 * add up to the box, the power over all angles is the flux, a mirror's image is the other half, and the field is the
 * dipole's of theory (Jackson, Classical Electrodynamics, 3rd ed., eq. 9.19). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <complex.h>
#include <math.h>

#include "jobs/tools/mie.h"
#include "src/base/units.h"
#include "src/model/far_field.h"
#include "tests/support/job_text.h"
#include "tests/support/plain_job.h"

enum { MOST = 16 };
static struct tor_model model;
static struct tor_simulation sim;
static struct tor_far_field *far[MOST]; /* of each monitor */

static void start(const char *text) {
  read_with(text, NULL, 0);
  expect_good(1);
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  for (int i = 0; i < job.nmonitors; i++)
    far[i] = tor_far_field_new(model.monitors, &job, &model.monitors->recorder[i], 0);
}

static void stop(void) {
  for (int i = 0; i < job.nmonitors; i++) tor_far_field_free(far[i]);
  tor_plain_stop(&model, &sim);
}

static double distance(const double complex a[2], const double complex b[2]) {
  return sqrt(tor_far_field_power(far[0], (double complex[2]){a[0] - b[0], a[1] - b[1]}));
}

/* The largest modulus over some directions: far[0]'s, and the largest differences of far[i] to it and to 0. */
static void compare(int i, double *largest, double *off, double *own) {
  *largest = *off = *own = 0;
  for (int d = 0; d < 60; d++) {
    double complex a[2], b[2];
    tor_far_field_at(far[0], TOR_PI * (d + 0.3) / 60, 2.4 * d, a);
    tor_far_field_at(far[i], TOR_PI * (d + 0.3) / 60, 2.4 * d, b);
    *largest = fmax(*largest, distance(a, (double complex[2]){0}));
    *off = fmax(*off, distance(a, b));
    *own = fmax(*own, distance(b, (double complex[2]){0}));
  }
}

/* Power over all angles: Gauss and Legendre's points are the roots of P_n. */
static double total(int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double x = cos(TOR_PI * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int k = 0; k < 40; k++) {
      double p = 1, before = 0;
      for (int j = 1; j <= n; j++) {
        const double next = ((2 * j - 1) * x * p - (j - 1) * before) / j;
        before = p, p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    for (int j = 0; j < 2 * n; j++) {
      double complex e[2];
      tor_far_field_at(far[0], acos(x), TOR_PI * j / n, e);
      sum += tor_far_field_power(far[0], e) * 2 / ((1 - x * x) * slope * slope) * TOR_PI / n;
    }
  }
  return sum;
}

static double total_2d(int n) {
  double sum = 0;
  for (int j = 0; j < n; j++) {
    double complex e[2];
    tor_far_field_at(far[0], 0, 2 * TOR_PI * j / n, e);
    sum += tor_far_field_power(far[0], e) * 2 * TOR_PI / n;
  }
  return sum;
}

/* --- Dipoles --- */

/* Worst difference of far[0] to theory over its largest value: E = i k eta / (4 pi) (u x I l) x u exp(-i k u.r0), of a
 * magnetic dipole E = -i k / (4 pi) u x M. */
static double theory(int magnetic, double index) {
  const struct tor_source *s = &job.sources[0];
  const double omega = 2 * TOR_PI * TOR_C0 / job.monitors[0].wavelength[0], k = index * omega / TOR_C0;
  const double complex moment = tor_source_spectrum(model.sources, 0, omega);
  double largest = 0, worst = 0;
  for (int d = 0; d < 60; d++) {
    const double theta = TOR_PI * (d + 0.3) / 60, phi = 2.4 * d;
    const double u[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
    const double t[2][3] = {{cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)}, {-sin(phi), cos(phi), 0}};
    const double at = k * (u[0] * s->position[0] + u[1] * s->position[1] + u[2] * s->position[2]);
    const double complex unit = CMPLX(0, k / (4 * TOR_PI)) * moment * CMPLX(cos(at), -sin(at));
    double complex e[2], want[2];
    tor_far_field_at(far[0], theta, phi, e);
    for (int i = 0; i < 2; i++) /* theta x phi = u: u x theta = phi, u x phi = -theta */
      want[i] = magnetic ? unit * (i ? -t[0][s->polarisation] : t[1][s->polarisation])
                         : unit * TOR_ETA0 / index * t[i][s->polarisation];
    largest = fmax(largest, distance(want, (double complex[2]){0}));
    worst = fmax(worst, distance(e, want));
  }
  return worst / largest;
}

#define PLANE(lo, hi) "{ type = \"far_field\"; wavelengths = [300.0]; box = { lo = " lo "; hi = " hi "; }; },\n"

/* At a point of the grid, in water; the monitors: two boxes, one beside the dipole, the six sides of the first. */
static void dipole(int magnetic, int axis, int order) {
  char text[2560];
  const double cell[3] = {8, 10, 12}; /* the wave has 19 to 28 cells */
  double place[3];
  for (int a = 0; a < 3; a++) place[a] = cell[a] * (1 + 0.5 * ((a == axis) != magnetic));
  snprintf(text, sizeof text,
           "grid = { size = [320.0, 360.0, 384.0]; cell = [8.0, 10.0, 12.0]; precision = \"fp64\"; order = %d; };\n"
           "boundaries = { cpml = { cells = 8; }; }; background = \"water\";\n"
           "media = ( { name = \"water\"; index = 1.33; } );\n"
           "sources = ( { type = \"%s\"; position = [%g, %g, %g]; axis = \"%c\"; amplitude = 1e-9;\n"
           "  time = { type = \"pulse\"; wavelength = 320.0; band = 200.0; }; } );\n"
           "monitors = (\n" PLANE("[-64.0, -60.0, -72.0]", "[72.0, 70.0, 60.0]")
               PLANE("[-32.0, -40.0, -36.0]", "[48.0, 50.0, 48.0]") PLANE("[-64.0, -60.0, -72.0]", "[-24.0, 0.0, 0.0]")
                   PLANE("[-64.0, -60.0, -72.0]", "[-64.0, 70.0, 60.0]")
                       PLANE("[72.0, -60.0, -72.0]", "[72.0, 70.0, 60.0]")
                           PLANE("[-64.0, -60.0, -72.0]", "[72.0, -60.0, 60.0]")
                               PLANE("[-64.0, 70.0, -72.0]", "[72.0, 70.0, 60.0]")
                                   PLANE("[-64.0, -60.0, -72.0]",
                                         "[72.0, 70.0, -72.0]") "{ type = \"far_field\"; wavelengths = [300.0]; box = "
                                                                "{ lo = [-64.0, -60.0, 60.0]; hi = [72.0, 70.0, 60.0]; "
                                                                "}; } );\n"
                                                                "run = { time_fs = 20.0; };\n",
           order, magnetic ? "magnetic_dipole" : "electric_dipole", place[0], place[1], place[2], "xyz"[axis]);
  start(text);
  double largest, off, own, outside, none, sides = 0;
  compare(1, &largest, &off, &own);
  compare(2, &largest, &none, &outside);
  for (int d = 0; d < 60; d++) {
    const double theta = TOR_PI * (d + 0.3) / 60, phi = 2.4 * d;
    const double u[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
    double complex box[2], sum[2] = {0}, e[2];
    tor_far_field_at(far[0], theta, phi, box);
    for (int f = 0; f < 6; f++) {
      tor_far_field_at(far[3 + f], theta, phi, e);
      for (int i = 0; i < 2; i++) sum[i] += (u[f / 2] < 0) != (f % 2 == 0) ? -e[i] : e[i];
    }
    sides = fmax(sides, distance(sum, box));
  }
  const double power = total(16) / tor_far_field_total(far[0], model.sources) - 1, error = theory(magnetic, 1.33);
  print_message("%s dipole along %c, order %d: boxes %.1e, beside %.1e, sides %.1e, power %+.1e, theory %.4f\n",
                magnetic ? "magnetic" : "electric", "xyz"[axis], order, off / largest, outside / largest,
                sides / largest, power, error);
  stop();
  assert_true(off < 1e-8 * largest && outside < 1e-8 * largest && sides < 1e-12 * largest);
  assert_true(fabs(power) < 1e-4);
  assert_true(error < 0.01);
}

static void dipoles_radiate_by_theory(void **state) {
  (void)state;
  dipole(0, 2, 2);
  dipole(1, 0, 4);
}

/* --- Mirrors --- */

/* Far field of a dipole and its images in the planes x = 0 and z = 0, whole or a quarter of it. */
static void images(int quarter, int order, double complex e[][2], int n, double *power) {
  char text[2560], sources[1024] = "";
  /* Images of a moment along x at (x, y, z): in a PEC across x the same, in a PMC across z the same. */
  for (int i = 0; i < (quarter ? 1 : 4); i++)
    snprintf(sources + strlen(sources), sizeof sources - strlen(sources),
             "%s{ type = \"electric_dipole\"; position = [%g, 10.0, %g]; axis = \"x\"; amplitude = 1e-9;\n"
             "  time = { type = \"pulse\"; wavelength = 320.0; band = 200.0; }; }",
             i ? ",\n" : "", (i % 2 ? -1 : 1) * 25.0, (i / 2 ? -1 : 1) * 30.0);
  /* The quarter's own origin is its centre. */
  if (quarter)
    snprintf(sources, sizeof sources,
             "{ type = \"electric_dipole\"; position = [-75.0, 10.0, -70.0]; axis = \"x\"; amplitude = 1e-9;\n"
             "  time = { type = \"pulse\"; wavelength = 320.0; band = 200.0; }; }");
  snprintf(text, sizeof text,
           "grid = { size = [%s]; cell = 10.0; precision = \"fp64\"; order = %d; };\n"
           "boundaries = { cpml = { cells = 8; }; %s };\n"
           "sources = ( %s );\n"
           "monitors = ( { type = \"far_field\"; wavelengths = [300.0]; box = { lo = [%s]; hi = [%s]; }; } );\n"
           "run = { time_fs = 20.0; };\n",
           quarter ? "200.0, 300.0, 200.0" : "400.0, 300.0, 400.0", order,
           quarter ? "x_lo = \"pec\"; z_lo = \"pmc\";" : "", sources,
           quarter ? "-100.0, -50.0, -100.0" : "-70.0, -50.0, -80.0",
           quarter ? "-30.0, 60.0, -20.0" : "70.0, 60.0, 80.0");
  start(text);
  for (int d = 0; d < n; d++) tor_far_field_at(far[0], TOR_PI * (d + 0.3) / n, 2.4 * d, e[d]);
  *power = tor_far_field_total(far[0], model.sources);
  stop();
}

static void mirrors_make_images(void **state) {
  enum { N = 40 };
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    double complex whole[N][2], part[N][2];
    double power[2], largest = 0, worst = 0;
    images(0, order, whole, N, &power[0]);
    images(1, order, part, N, &power[1]);
    for (int d = 0; d < N; d++)
      for (int i = 0; i < 2; i++) {
        largest = fmax(largest, cabs(whole[d][i]));
        worst = fmax(worst, fabs(cabs(whole[d][i]) - cabs(part[d][i])));
      }
    print_message("order %d: a quarter and its images: %.1e, power %.1e\n", order, worst / largest,
                  fabs(power[1] / power[0] - 1));
    assert_true(worst < 1e-9 * largest && fabs(power[1] / power[0] - 1) < 1e-9);
  }
}

/* --- 2-D --- */

/* A line source in glass: two boxes, one beside it, the four sides, the power, and the field of theory: E_z or, by
 * duality, eta H_z = i k eta I i / 4 sqrt(2 / (pi k)) exp(-i pi / 4). */
static void line(int tm, int order) {
  static const char *const box[] = {
      "lo = [-80.0, -70.0]; hi = [80.0, 90.0];",  "lo = [-40.0, -30.0]; hi = [60.0, 60.0];",
      "lo = [-80.0, -70.0]; hi = [-20.0, 90.0];", "lo = [-80.0, -70.0]; hi = [-80.0, 90.0];",
      "lo = [80.0, -70.0]; hi = [80.0, 90.0];",   "lo = [-80.0, -70.0]; hi = [80.0, -70.0];",
      "lo = [-80.0, 90.0]; hi = [80.0, 90.0];"};
  char text[2560], monitors[1536] = "";
  for (int i = 0; i < 7; i++)
    snprintf(monitors + strlen(monitors), sizeof monitors - strlen(monitors),
             "%s{ type = \"far_field\"; wavelengths = [300.0]; box = { %s }; }", i ? ",\n" : "", box[i]);
  snprintf(text, sizeof text,
           "grid = { size = [600.0, 600.0]; cell = 10.0; polarisation = \"%s\"; precision = \"fp64\"; order = %d; };\n"
           "boundaries = { cpml = { cells = 16; }; }; background = \"water\";\n"
           "media = ( { name = \"water\"; index = 1.33; } );\n"
           "sources = ( { type = \"line_current\"; position = %s; amplitude = 1e-3;\n"
           "  time = { type = \"pulse\"; wavelength = 320.0; band = 200.0; zero_mean = true; }; } );\n"
           "monitors = ( %s );\nrun = { time_fs = 40.0; };\n",
           tm ? "TM" : "TE", order, tm ? "[10.0, 20.0]" : "[15.0, 25.0]", monitors);
  start(text);
  const struct tor_source *s = &job.sources[0];
  const double omega = 2 * TOR_PI * TOR_C0 / 300e-9, k = 1.33 * omega / TOR_C0, eta = TOR_ETA0 / 1.33;
  const double complex unit = tor_source_spectrum(model.sources, 0, omega) * (tm ? eta : 1) / 4 * sqrt(2 * k / TOR_PI) *
                              CMPLX(-sqrt(0.5), sqrt(0.5));
  double largest, off, own, none, outside, sides = 0, theory = 0;
  compare(1, &largest, &off, &own);
  compare(2, &largest, &none, &outside);
  for (int d = 0; d < 60; d++) {
    const double phi = 2.4 * d, u[2] = {cos(phi), sin(phi)};
    const double at =
        k * (u[0] * s->position[1] + u[1] * s->position[2]); /* axes of the job: y, z are the user's x, y */
    double complex e[2], sum[2] = {0}, side[2], want[2] = {0};
    tor_far_field_at(far[0], 0, phi, e);
    for (int f = 0; f < 4; f++) {
      tor_far_field_at(far[3 + f], 0, phi, side);
      for (int i = 0; i < 2; i++) sum[i] += (u[f / 2] < 0) != (f % 2 == 0) ? -side[i] : side[i];
    }
    sides = fmax(sides, distance(sum, e));
    want[!tm] = unit * CMPLX(cos(at), -sin(at)); /* E = eta H x u, z x u = phi */
    theory = fmax(theory, distance(e, want));
  }
  const double power = total_2d(64) / tor_far_field_total(far[0], model.sources) - 1;
  print_message("%s, order %d: boxes %.1e, beside %.1e, sides %.1e, power %+.1e, theory %.4f\n", tm ? "TM" : "TE",
                order, off / largest, outside / largest, sides / largest, power, theory / largest);
  stop();
  assert_true(off < 1e-8 * largest && outside < 1e-8 * largest && sides < 1e-12 * largest);
  assert_true(fabs(power) < 1e-4);
  assert_true(theory < 0.01 * largest);
}

static void line_sources_radiate_by_theory(void **state) {
  (void)state;
  line(0, 2);
  line(1, 4);
}

/* --- A sphere --- */

/* Largest difference of the differential cross-section of a sphere n = 2, kr = 3 to Mie's series over 181 angles in the
 * planes of E and H, over the largest value; and of the power over all angles to that through the flux box. */
static double sphere(double cell) {
  const double r = 3, k = 1e9; /* nm */
  char text[1536];
  snprintf(
      text, sizeof text,
      "length_unit = \"nm\"; grid = { size = [%g, %g, %g]; cell = %g; averaging = \"tensor\"; };\n"
      "boundaries = { cpml = { cells = 8; }; };\n"
      "media = ( { name = \"glass\"; index = 2.0; } );\n"
      "objects = ( { type = \"sphere\"; medium = \"glass\"; radius = %g; } );\n"
      "sources = ( { type = \"plane_wave\"; direction = \"+z\"; polarisation = \"x\"; distance = %g;\n"
      "  time = { type = \"pulse\"; wavelength = %.12g; band = %.12g; }; } );\n"
      "monitors = ( { type = \"far_field\"; wavelengths = [%.12g]; box = { lo = [%g, %g, %g]; hi = [%g, %g, %g]; };\n"
      "  } );\nrun = { time_fs = %g; decay = 1e-7; };\n",
      2 * r + 24 * cell, 2 * r + 24 * cell, 2 * r + 24 * cell, cell, r, 3 * cell, 2 * TOR_PI * 1.03, TOR_PI, 2 * TOR_PI,
      -r - 3 * cell, -r - 3 * cell, -r - 3 * cell, r + 3 * cell, r + 3 * cell, r + 3 * cell, 1.5);
  start(text);
  const double incident = tor_incident_flux(model.sources, 0, 2 * TOR_PI * TOR_C0 / job.monitors[0].wavelength[0]);
  double worst = 0, largest = 0;
  for (int d = 0; d <= 180; d++) {
    double complex s[2], e[2];
    tor_mie_amplitudes(3, 2, cos(d * TOR_PI / 180), s);
    for (int p = 0; p < 2; p++) {
      const double want = creal(s[!p] * conj(s[!p])) / (k * k);
      tor_far_field_at(far[0], d * TOR_PI / 180, p * TOR_PI / 2, e);
      worst = fmax(worst, fabs(tor_far_field_power(far[0], e) / incident - want));
      largest = fmax(largest, want);
    }
  }
  const double power = total(16) / tor_far_field_total(far[0], model.sources) - 1;
  print_message("sphere, %g cells a radius: %.4f of the peak, power %+.1e\n", r / cell, worst / largest, power);
  stop();
  assert_true(fabs(power) < 1e-4);
  return worst / largest;
}

/* Of second order: 0.8 % with 30 cells (tests/stress/far). */
static void a_sphere_scatters_as_in_mies_series(void **state) {
  (void)state;
  const double coarse = sphere(0.5), fine = sphere(0.3);
  assert_true(fine < 0.09 && fine < coarse / pow(10.0 / 6, 1.8));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(dipoles_radiate_by_theory), cmocka_unit_test(mirrors_make_images),
                                     cmocka_unit_test(line_sources_radiate_by_theory),
                                     cmocka_unit_test(a_sphere_scatters_as_in_mies_series)};
  return cmocka_run_group_tests_name("far_field", tests, job_text_begin, job_text_end);
}
