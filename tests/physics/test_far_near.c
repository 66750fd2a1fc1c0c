/* Fields of what radiates within a surface, at points in space: those of dipoles and line sources by theory at all
 * distances (Jackson, Classical Electrodynamics, 3rd ed., eq. 9.18), of second order in the cell; the power through a
 * sphere is that through the box; images of mirrors; the sides of a box add up to it. */
#define _DEFAULT_SOURCE /* Bessel functions */
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

#include "src/base/units.h"
#include "src/base/vector3.h"
#include "src/model/far_field.h"
#include "src/model/far_near.h"
#include "tests/support/job_text.h"
#include "tests/support/plain_job.h"

enum { MOST = 8, DIRECTIONS = 24 };
static struct tor_model model;
static struct tor_simulation sim;
static struct tor_far_field *far[MOST]; /* of each monitor */
static struct tor_far_near *near[MOST];

static void start(const char *text) {
  read_with(text, NULL, 0);
  expect_good(1);
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  for (int i = 0; i < job.nmonitors; i++) {
    far[i] = tor_far_field_new(model.monitors, &job, &model.monitors->recorder[i], 0);
    near[i] = tor_far_near_new(far[i]);
  }
}

static void stop(void) {
  for (int i = 0; i < job.nmonitors; i++) {
    tor_far_near_free(near[i]);
    tor_far_field_free(far[i]);
  }
  tor_plain_stop(&model, &sim);
}

/* Differences of fields over the largest, E and eta H alike. */
struct error {
  double largest, worst;
};

static void compare(struct error *to, double eta, const double complex e[3], const double complex h[3],
                    const double complex want_e[3], const double complex want_h[3]) {
  double size = 0, off = 0;
  for (int a = 0; a < 3; a++) {
    size += pow(cabs(want_e[a]), 2) + pow(eta * cabs(want_h[a]), 2);
    off += pow(cabs(e[a] - want_e[a]), 2) + pow(eta * cabs(h[a] - want_h[a]), 2);
  }
  to->largest = fmax(to->largest, sqrt(size));
  to->worst = fmax(to->worst, sqrt(off));
}

static void direction(int d, double u[3]) {
  const double theta = TOR_PI * (d + 0.3) / DIRECTIONS, phi = 2.4 * d;
  u[0] = sin(theta) * cos(phi);
  u[1] = sin(theta) * sin(phi);
  u[2] = cos(theta);
}

/* --- Dipoles --- */

/* Of a current moment along an axis, by the way from it. */
static void dipole_field(double complex moment, int axis, double k, double eta, const double way[3],
                         double complex e[3], double complex h[3]) {
  const double r = sqrt(tor_dot(way, way));
  const double complex g = moment * cexp(TOR_I * k * r) / (4 * TOR_PI * r);
  for (int a = 0; a < 3; a++) {
    const double u = way[a] / r, along = way[axis] / r;
    const double across = (a == axis) - u * along, both = 3 * u * along - (a == axis);
    e[a] = TOR_I * k * eta * g * (across + both * (1 / (k * k * r * r) - TOR_I / (k * r)));
    const int b = (a + 1) % 3, c = (a + 2) % 3; /* n x p */
    const double turned = c == axis ? way[b] / r : b == axis ? -way[c] / r : 0;
    h[a] = TOR_I * k * g * turned * (1 + TOR_I / (k * r));
  }
}

/* Of a dipole in water in the middle: worst difference at a distance in wavelengths, and of the power through the
 * sphere there. */
static double at_distance(double distance, double *power) {
  struct error error = {0};
  const double omega = 2 * TOR_PI * TOR_C0 / 300e-9, k = 1.33 * omega / TOR_C0, eta = TOR_ETA0 / 1.33;
  const double complex moment = tor_source_spectrum(model.sources, 0, omega);
  const double r = distance * 2 * TOR_PI / k;
  for (int d = 0; d < DIRECTIONS; d++) {
    double u[3], x[3];
    double complex f[2][3], want[2][3];
    direction(d, u);
    for (int a = 0; a < 3; a++) u[a] *= r, x[a] = job.sources[0].position[a] + u[a];
    tor_far_near_at(near[0], x, f[0], f[1]);
    dipole_field(moment, 2, k, eta, u, want[0], want[1]);
    compare(&error, eta, f[0], f[1], (const double complex *)want[0], (const double complex *)want[1]);
  }
  *power = 0; /* through the sphere, about z alike: Gauss's points */
  static const double at[5] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                               0.9739065285171717},
                      weight[5] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806,
                                   0.0666713443086881};
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 8; j++) {
      const double c = i < 5 ? at[i] : -at[i - 5], s = sqrt(1 - c * c), phi = TOR_PI / 4 * j;
      const double u[3] = {s * cos(phi), s * sin(phi), c};
      double x[3];
      double complex e[3], h[3];
      for (int a = 0; a < 3; a++) x[a] = job.sources[0].position[a] + r * u[a];
      tor_far_near_at(near[0], x, e, h);
      for (int a = 0; a < 3; a++)
        *power += weight[i % 5] * TOR_PI / 4 * r * r * u[a] *
                  creal(e[(a + 1) % 3] * conj(h[(a + 2) % 3]) - e[(a + 2) % 3] * conj(h[(a + 1) % 3]));
    }
  *power = *power / tor_far_field_total(far[0], model.sources) - 1;
  return error.worst / error.largest;
}

/* A dipole in water within a box: at 1 and 10 wavelengths in water. */
static void dipole(int order, double cell, double error[2], double power[2]) {
  char text[1024];
  snprintf(text, sizeof text,
           "grid = { size = [%g, %g, %g]; cell = %g; precision = \"fp64\"; order = %d; };\n"
           "boundaries = { cpml = { cells = 8; }; }; background = \"water\";\n"
           "media = ( { name = \"water\"; index = 1.33; } );\n"
           "sources = ( { type = \"electric_dipole\"; position = [0.0, 0.0, %g]; axis = \"z\"; amplitude = 1e-9;\n"
           "  time = { type = \"pulse\"; wavelength = 320.0; band = 200.0; }; } );\n"
           "monitors = ( { type = \"far_field\"; wavelengths = [300.0]; box = { lo = [-72.0, -72.0, -72.0];\n"
           "  hi = [72.0, 72.0, 72.0]; }; } );\nrun = { time_fs = 20.0; };\n",
           144 + 24 * cell, 144 + 24 * cell, 144 + 24 * cell, cell, order, 0.5 * cell);
  start(text);
  for (int i = 0; i < 2; i++) error[i] = at_distance(i ? 10 : 1, &power[i]);
  stop();
}

static void dipoles_have_their_fields(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    double coarse[2], fine[2], power[2][2];
    dipole(order, 12, coarse, power[0]);
    dipole(order, 8, fine, power[1]);
    for (int i = 0; i < 2; i++) {
      const double rate = log(coarse[i] / fine[i]) / log(1.5);
      print_message("order %d, %d wavelengths: cells of 12 nm %.2e, 8 nm %.2e, order %.2f; power %+.1e, %+.1e\n", order,
                    i ? 10 : 1, coarse[i], fine[i], rate, power[0][i], power[1][i]);
      assert_true(fine[i] < 6e-3 && rate > 1.8);
      assert_true(fabs(power[1][i]) < 2e-3 && fabs(power[1][i]) < 0.55 * fabs(power[0][i]));
    }
  }
}

/* --- Mirrors, and the sides of a box --- */

enum { POINTS = 12 };

/* Of a dipole and its images in the planes x = 0 (PEC) and z = 0 (PMC), whole or a quarter of it; of the whole also
 * the sum of its sides with the sign of the half space. */
static void images(int quarter, double complex field[POINTS][6], double *sides) {
  static const char *const box[6] = {
      "lo = [-70.0, -50.0, -80.0]; hi = [-70.0, 60.0, 80.0]", "lo = [70.0, -50.0, -80.0]; hi = [70.0, 60.0, 80.0]",
      "lo = [-70.0, -50.0, -80.0]; hi = [70.0, -50.0, 80.0]", "lo = [-70.0, 60.0, -80.0]; hi = [70.0, 60.0, 80.0]",
      "lo = [-70.0, -50.0, -80.0]; hi = [70.0, 60.0, -80.0]", "lo = [-70.0, -50.0, 80.0]; hi = [70.0, 60.0, 80.0]"};
  static const int sign[4][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
  char text[4096], sources[1024] = "", monitors[1536] = "";
  for (int i = 0; i < (quarter ? 1 : 4); i++)
    snprintf(sources + strlen(sources), sizeof sources - strlen(sources),
             "%s{ type = \"electric_dipole\"; position = [%g, 10.0, %g]; axis = \"x\"; amplitude = 1e-9;\n"
             "  time = { type = \"pulse\"; wavelength = 320.0; band = 200.0; }; }",
             i ? ",\n" : "", quarter ? -75.0 : sign[i][0] * 25.0, quarter ? -70.0 : sign[i][1] * 30.0);
  for (int f = 0; f < 6 && !quarter; f++)
    snprintf(monitors + strlen(monitors), sizeof monitors - strlen(monitors),
             ",{ type = \"far_field\"; wavelengths = [300.0]; box = { %s; }; }", box[f]);
  snprintf(text, sizeof text,
           "grid = { size = [%s]; cell = 10.0; precision = \"fp64\"; };\n"
           "boundaries = { cpml = { cells = 8; }; %s };\nsources = ( %s );\n"
           "monitors = ( { type = \"far_field\"; wavelengths = [300.0]; box = { lo = [%s]; hi = [%s]; }; } %s );\n"
           "run = { time_fs = 20.0; };\n",
           quarter ? "200.0, 300.0, 200.0" : "400.0, 300.0, 400.0", quarter ? "x_lo = \"pec\"; z_lo = \"pmc\";" : "",
           sources, quarter ? "-100.0, -50.0, -100.0" : "-70.0, -50.0, -80.0",
           quarter ? "-30.0, 60.0, -20.0" : "70.0, 60.0, 80.0", monitors);
  start(text);
  double largest = 0;
  *sides = 0;
  for (int d = 0; d < POINTS; d++) {
    double u[3], x[3];
    direction(d, u);
    for (int a = 0; a < 3; a++) x[a] = 400e-9 * u[a] - (quarter && a != 1 ? 100e-9 : 0);
    tor_far_near_at(near[0], x, field[d], field[d] + 3);
    double complex sum[6] = {0}, one[6];
    for (int i = 1; i < job.nmonitors; i++) {
      const int a = (i - 1) / 2, up = i % 2 == 0;
      const double place = tor_grid_at(&model.grid, a, model.monitors->recorder[i].plane[0].node);
      tor_far_near_at(near[i], x, one, one + 3);
      /* of a side below the box the plane's normal points into it; a plane alone counts towards the point */
      for (int c = 0; c < 6; c++) sum[c] += ((x[a] < place) == up ? -1 : 1) * one[c];
    }
    for (int c = 0; c < 6; c++) {
      const double unit = c < 3 ? 1 : TOR_ETA0;
      largest = fmax(largest, unit * cabs(field[d][c]));
      *sides = fmax(*sides, unit * cabs(sum[c] - field[d][c]));
    }
  }
  *sides /= largest;
  stop();
}

static void mirrors_make_images(void **state) {
  (void)state;
  double complex whole[POINTS][6], part[POINTS][6];
  double sides, none, largest = 0, worst = 0;
  images(0, whole, &sides);
  images(1, part, &none);
  for (int d = 0; d < POINTS; d++)
    for (int c = 0; c < 6; c++) {
      const double unit = c < 3 ? 1 : TOR_ETA0;
      largest = fmax(largest, unit * cabs(whole[d][c]));
      worst = fmax(worst, unit * cabs(whole[d][c] - part[d][c]));
    }
  print_message("a quarter and its images: %.1e; the sides of the box: %.1e\n", worst / largest, sides);
  assert_true(worst < 1e-8 * largest && sides < 1e-12);
}

/* --- 2-D --- */

/* A line source in water at a distance in wavelengths: E_z (TM) or H_z (TE) by Hankel's functions, the others by their
 * slopes. */
static double line(int tm, double cell, double distance) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "grid = { size = [%g, %g]; cell = %g; polarisation = \"%s\"; precision = \"fp64\"; };\n"
      "boundaries = { cpml = { cells = 16; }; }; background = \"water\";\n"
      "media = ( { name = \"water\"; index = 1.33; } );\n"
      "sources = ( { type = \"line_current\"; position = [%g, %g]; amplitude = 1e-3;\n"
      "  time = { type = \"pulse\"; wavelength = 320.0; band = 200.0; zero_mean = true; }; } );\n"
      "monitors = ( { type = \"far_field\"; wavelengths = [300.0]; box = { lo = [-80.0, -80.0]; hi = [80.0, 80.0]; "
      "}; } );\nrun = { time_fs = 40.0; };\n",
      240 + 40 * cell, 240 + 40 * cell, cell, tm ? "TM" : "TE", 10 + (tm ? 0 : 0.5 * cell), 20 + (tm ? 0 : 0.5 * cell));
  start(text);
  struct error error = {0};
  const double omega = 2 * TOR_PI * TOR_C0 / 300e-9, k = 1.33 * omega / TOR_C0, eta = TOR_ETA0 / 1.33;
  const double complex current = tor_source_spectrum(model.sources, 0, omega);
  const double *at = job.sources[0].position, r = distance * 2 * TOR_PI / k;
  for (int d = 0; d < DIRECTIONS; d++) {
    const double u[2] = {cos(2.4 * d), sin(2.4 * d)}; /* the job's y and z */
    const double complex g = TOR_I / 4 * CMPLX(j0(k * r), y0(k * r)),
                         slope = -TOR_I / 4 * k * CMPLX(j1(k * r), y1(k * r));
    double complex e[3], h[3], want_e[3] = {0}, want_h[3] = {0};
    tor_far_near_at(near[0], (double[3]){0, at[1] + r * u[0], at[2] + r * u[1]}, e, h);
    if (tm) { /* H = grad g x I */
      want_e[0] = TOR_I * k * eta * g * current;
      want_h[1] = slope * u[1] * current;
      want_h[2] = -slope * u[0] * current;
    } else { /* a magnetic current: E = -grad g x M */
      want_h[0] = TOR_I * k / eta * g * current;
      want_e[1] = -slope * u[1] * current;
      want_e[2] = slope * u[0] * current;
    }
    compare(&error, eta, e, h, want_e, want_h);
  }
  stop();
  return error.worst / error.largest;
}

static void line_sources_have_their_fields(void **state) {
  (void)state;
  for (int tm = 0; tm < 2; tm++)
    for (int i = 0; i < 2; i++) {
      const double distance = i ? 10 : 1, coarse = line(tm, 10, distance), fine = line(tm, 5, distance);
      print_message("%s, %g wavelengths: cells of 10 nm %.2e, 5 nm %.2e, order %.2f\n", tm ? "TM" : "TE", distance,
                    coarse, fine, log2(coarse / fine));
      assert_true(fine < 5e-3 && log2(coarse / fine) > 1.8);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(dipoles_have_their_fields), cmocka_unit_test(mirrors_make_images),
                                     cmocka_unit_test(line_sources_have_their_fields)};
  return cmocka_run_group_tests_name("far_near", tests, job_text_begin, job_text_end);
}
