/* Modes of 2-D jobs, TM and TE: those of a 3-D job with one cell between walls, and the exact dispersion of slabs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <complex.h>
#include <math.h>
#include <string.h>

#include "src/base/units.h"
#include "src/modes/mode_solver.h"
#include "src/modes/mode_sweep.h"
#include "tests/support/job_text.h"

/* The modes of a job's text, of one wavelength; [count], each to be freed. */
static void solve(const char *text, int count, struct tor_mode *mode) {
  struct tor_mode_sweep sweep;
  read_with(text, NULL, 0);
  expect_good(!faults.count);
  tor_mode_sweep_make(&job, &job.modes, &sweep);
  if (sweep.found[0] != count) print_error("%d of %d modes: %s\n", sweep.found[0], count, sweep.why);
  assert_int_equal(sweep.found[0], count);
  for (int m = 0; m < count; m++) {
    mode[m] = sweep.mode[m];
    sweep.mode[m] = (struct tor_mode){0};
  }
  tor_mode_sweep_free(&sweep);
}

enum { THIN = 8 }; /* modes of the 3-D job, among them two of the 2-D job */

/* A guide along x or y of a medium that absorbs, beside a layer, a part of a wall away; cells of 21 nm. thin: the 3-D
 * job with one cell along z, so long that it has no part in the time step. */
static void guide_text(char *text, size_t size, int thin, int along_y, int te, int order, const char *averaging,
                       const char *wall) {
  const char *const z = thin ? ", 1e9" : "", *const at = thin ? ", 0.0" : "";
  const int n =
      snprintf(text, size,
               "length_unit = \"nm\"; grid = { size = [%s%s]; cell = [21.0, 21.0%s]; order = %d; averaging = \"%s\"; ",
               along_y ? "1701, 420" : "420, 1701", z, z, order, averaging);
  const int m = n + snprintf(text + n, size - (size_t)n,
                             "%s};\nboundaries = { default = \"pec\"; %c_lo = \"pmc\"; %c_hi = \"%s\"; %s};\n",
                             thin ? ""
                             : te ? "polarisation = \"TE\"; "
                                  : "polarisation = \"TM\"; ",
                             along_y ? 'x' : 'y', along_y ? 'x' : 'y', wall,
                             thin && te ? "z_lo = \"pmc\"; z_hi = \"pmc\"; " : "");
  const char *const corner[2] = {along_y ? "-850.5, 0.0" : "0.0, -850.5", along_y ? "850.5, 0.0" : "0.0, 850.5"};
  snprintf(
      text + m, size - (size_t)m,
      "media = ( { name = \"clad\"; index = 1.444; }, { name = \"core\"; index = 3.1; conductivity_S_per_m = 300.0; } "
      ");\n"
      "background = \"clad\";\nobjects = ( { type = \"%s\"; medium = \"core\"; center = [%s%s]; size = [%s%s]; } );"
      "\nmodes = { box = { lo = [%s%s]; hi = [%s%s]; }; wavelengths = [1550.0]; count = %d; target_index = 2.5; };"
      "\nsources = ( { type = \"%s\"; position = [0.0, 0.0%s]; %s"
      "time = { type = \"pulse\"; wavelength = 1550.0; band = 100.0; }; } );\nrun = { time_fs = 1.0; };\n",
      thin ? "box" : "rectangle", along_y ? "-300.0, 0.0" : "0.0, -300.0", at, along_y ? "517.0, 9e3" : "9e3, 517.0",
      thin ? ", 9e9" : "", corner[0], thin ? ", -0.5e9" : "", corner[1], thin ? ", 0.5e9" : "", thin ? THIN : 2,
      thin ? "electric_dipole"
      : te ? "line_dipole"
           : "line_current",
      at,
      te     ? "axis = \"x\"; "
      : thin ? "axis = \"z\"; "
             : "");
}

/* PMC walls let fields of the other polarisation pass with the cell as half a wave: so nearest in n_eff. */
static const struct tor_mode *nearest(const struct tor_mode *mode, const struct tor_mode of[THIN]) {
  const struct tor_mode *best = of;
  for (int m = 1; m < THIN; m++)
    if (cabs(of[m].n_eff - mode->n_eff) < cabs(best->n_eff - mode->n_eff)) best = &of[m];
  return best;
}

static void check_pair(int along_y, int te, int order, const char *averaging, const char *wall) {
  char text[2048];
  struct tor_mode plane[2], thin[THIN];
  guide_text(text, sizeof text, 0, along_y, te, order, averaging, wall);
  solve(text, 2, plane);
  guide_text(text, sizeof text, 1, along_y, te, order, averaging, wall);
  solve(text, THIN, thin);
  for (int m = 0; m < 2; m++) {
    const struct tor_mode *const other = nearest(&plane[m], thin);
    print_message("along %c, %s, order %d, %s, %s: n_eff %.9f %+.3e i, n_g %.6f, off by %.1e\n", "xy"[along_y],
                  te ? "TE" : "TM", order, averaging, wall, creal(plane[m].n_eff), cimag(plane[m].n_eff),
                  creal(plane[m].group), cabs(plane[m].n_eff / other->n_eff - 1));
    assert_true(cabs(plane[m].n_eff / other->n_eff - 1) < 1e-11);
    assert_true(cabs(plane[m].group / other->group - 1) < 1e-6);
    assert_true(fabs(plane[m].core / other->core - 1) < 1e-9);
    assert_true(fabs(plane[m].area / other->area - 1) < 1e-9); /* a width of the one, for one metre of the other */
    assert_true(fabs(plane[m].te - te) < 1e-12 && cimag(plane[m].n_eff) > 1e-4);
    tor_mode_free(&plane[m]);
  }
  for (int m = 0; m < THIN; m++) tor_mode_free(&thin[m]);
}

static void modes_are_those_of_one_cell_between_walls(void **state) {
  (void)state;
  check_pair(0, 0, 2, "subpixel", "pec");
  check_pair(1, 0, 4, "subpixel", "cpml");
  check_pair(0, 1, 2, "subpixel", "absorber");
  check_pair(1, 1, 4, "subpixel", "pec");
  check_pair(0, 1, 2, "tensor", "pec");
  check_pair(1, 1, 2, "tensor", "pec"); /* in thin parts of cells across each axis alike */
  check_pair(0, 1, 4, "tensor", "cpml");
}

/* n_eff of the lowest mode of a symmetric slab: h tan(h d / 2) = r q, r = 1 (E along the slab) or eps_1 / eps_2. */
static double slab_exact(double n1, double n2, double thickness, double wavelength, int te) {
  const double k = 2 * TOR_PI / wavelength, r = te ? n1 * n1 / (n2 * n2) : 1;
  double lo = n2, hi = n1;
  for (int i = 0; i < 200; i++) {
    const double n = 0.5 * (lo + hi), h = k * sqrt(n1 * n1 - n * n), q = k * sqrt(n * n - n2 * n2);
    if (h * thickness > TOR_PI || h * tan(0.5 * h * thickness) > r * q)
      lo = n;
    else
      hi = n;
  }
  return lo;
}

static double slab_error(double cell, int te) {
  char text[1024];
  struct tor_mode mode[2];
  snprintf(text, sizeof text,
           "length_unit = \"nm\"; grid = { size = [220, 3520]; cell = %g; polarisation = \"%s\"; };\n"
           "boundaries = { default = \"pec\"; };\n"
           "media = ( { name = \"clad\"; index = 1.444; }, { name = \"core\"; index = 3.4757; } );\n"
           "background = \"clad\";\nobjects = ( { type = \"rectangle\"; medium = \"core\"; size = [9e3, 220.0]; } );\n"
           "modes = { box = { lo = [0.0, -1760.0]; hi = [0.0, 1760.0]; }; wavelengths = [1550.0]; count = 2; };\n"
           "run = { time_fs = 1.0; };\n",
           cell, te ? "TE" : "TM");
  solve(text, 2, mode);
  const double exact = slab_exact(3.4757, 1.444, 220 * TOR_NM, 1550 * TOR_NM, te), n = creal(mode[0].n_eff);
  print_message("slab, %s, %g nm: n_eff %.6f, exact %.6f\n", te ? "TE" : "TM", cell, n, exact);
  tor_mode_free(&mode[0]);
  tor_mode_free(&mode[1]);
  return n - exact;
}

static void slab_has_the_exact_dispersion(void **state) {
  (void)state;
  for (int te = 0; te < 2; te++) {
    const double coarse = slab_error(11, te), fine = slab_error(5.5, te), order = log2(coarse / fine);
    print_message("errors %.2e, %.2e: order %.2f\n", coarse, fine, order);
    assert_true(fabs(fine) < 1e-3 && order > 1.9 && order < 2.1);
  }
}

/* The lowest mode of a slab along x of 220 nm in a domain of 3520 nm, with a plane from -half to half [nm]. */
static void cut_slab(double half, int te, const char *wavelengths, struct tor_mode_sweep *sweep) {
  char text[1024];
  snprintf(text, sizeof text,
           "length_unit = \"nm\"; grid = { size = [220, 3520]; cell = 20; polarisation = \"%s\"; };\n"
           "boundaries = { default = \"pec\"; };\n"
           "media = ( { name = \"clad\"; index = 1.444; }, { name = \"core\"; index = 2.0; } );\n"
           "background = \"clad\";\nobjects = ( { type = \"rectangle\"; medium = \"core\"; size = [9e3, 520.0]; } );\n"
           "modes = { box = { lo = [0.0, %g]; hi = [0.0, %g]; }; wavelengths = [%s]; count = 1; };\n"
           "run = { time_fs = 1.0; };\n",
           te ? "TE" : "TM", -half, half, wavelengths);
  read_with(text, NULL, 0);
  expect_good(!faults.count);
  tor_mode_sweep_make(&job, &job.modes, sweep);
  assert_int_equal(sweep->found[0], 1);
}

/* What is said of a plane that cuts a mode off is what the mode of the whole plane has beyond it. */
static void the_part_beyond_a_plane_is_estimated(void **state) {
  (void)state;
  for (int te = 0; te < 2; te++)
    for (double half = 800; half <= 1200; half += 200) {
      struct tor_mode_sweep whole, cut;
      int axis, high;
      char text[256];
      cut_slab(half, te, "1550", &cut);
      const double said = tor_mode_beyond(&job, &cut.plane, &cut.mode[0], &axis, &high);
      assert_int_equal(tor_mode_beyond_text(&job, &cut.plane, &cut.mode[0], text, sizeof text), said > 1e-6);
      tor_mode_sweep_free(&cut);
      cut_slab(1760, te, "1550", &whole);
      double outside = 0, all = 0;
      for (int c = TOR_HX; c <= TOR_HZ; c++)
        for (int i = 0; i < whole.plane.npoints; i++) {
          const double y = tor_grid_place(&whole.plane.grid, c, TOR_Z, i), h = cabs(whole.mode[0].field[c][i]);
          all += h * h;
          if (fabs(y) > half * TOR_NM) outside += h * h;
        }
      assert_false(tor_mode_beyond_text(&job, &whole.plane, &whole.mode[0], text, sizeof text));
      tor_mode_sweep_free(&whole);
      print_message("%s, cut off at %g nm: beyond %.3e, estimate %.3e\n", te ? "TE" : "TM", half, outside / all, said);
      assert_int_equal(axis, TOR_Z); /* the user's y */
      assert_true(fabs(said / (outside / all) - 1) < 0.2);
    }
}

/* Of several wavelengths the warning is about the one with most beyond the plane. */
static void the_worst_wavelength_is_named(void **state) {
  (void)state;
  struct tor_mode_sweep sweep;
  char text[512], expected[512], of_it[256];
  cut_slab(1000, 1, "1300, 1700, 1500", &sweep);
  assert_int_equal(tor_mode_sweep_beyond_text(&sweep, 0, text, sizeof text), 1);
  tor_mode_beyond_text(&job, &sweep.plane, tor_mode_sweep_at(&sweep, 1, 0), of_it, sizeof of_it);
  snprintf(expected, sizeof expected, "at 1700 nm %s", of_it);
  assert_string_equal(text, expected);
  assert_int_equal(tor_mode_sweep_beyond_text(&sweep, 1, text, sizeof text), 0);
  tor_mode_sweep_free(&sweep);
  cut_slab(1000, 1, "1550", &sweep);
  assert_int_equal(tor_mode_sweep_beyond_text(&sweep, 0, text, sizeof text), 1);
  assert_null(strstr(text, "1550"));
  tor_mode_sweep_free(&sweep);
}

int main(void) {
  if (!tor_mode_solver_built()) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes_are_those_of_one_cell_between_walls),
      cmocka_unit_test(the_part_beyond_a_plane_is_estimated),
      cmocka_unit_test(the_worst_wavelength_is_named),
      cmocka_unit_test(slab_has_the_exact_dispersion),
  };
  return cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
