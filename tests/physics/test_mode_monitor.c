/* Monitors of modes: what a guide carries between two planes, against the solver's beta and the flux. fp64. */
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
#include "src/modes/mode_amplitudes.h"
#include "src/modes/mode_solver.h"
#include "src/modes/plane_sources.h"
#include "tests/support/job_text.h"
#include "tests/support/plain_job.h"

/* Amplitudes of mode 0 at the first wavelength of a monitor, and its power. */
struct carried {
  double complex forward, backward, theta;
  int node;
  double power, flux; /* of all modes together */
};

/* Runs a job with so many monitors, all of modes. */
static void run(const char *text, int count, struct carried *carried) {
  struct tor_model model;
  struct tor_simulation sim;
  read_with(text, NULL, 0);
  expect_good(!faults.count && !tor_plane_sources_make(&job, &faults));
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  assert_int_equal(model.monitors->count, count);
  for (int i = 0; i < count; i++) {
    const struct tor_recorder *l = &model.monitors->recorder[i];
    struct tor_mode_amplitudes a;
    tor_mode_amplitudes_make(&job, model.monitors, l, &a);
    assert_int_equal(a.sweep.found[0], l->spec->count);
    carried[i] = (struct carried){a.forward[0],
                                  a.backward[0],
                                  a.sweep.mode[0].theta,
                                  l->plane[0].node,
                                  0,
                                  tor_recorder_flux(model.monitors, l, 0, 1, 0)};
    for (int m = 0; m < l->spec->count; m++)
      carried[i].power += pow(cabs(a.forward[m]), 2) - pow(cabs(a.backward[m]), 2);
    tor_mode_amplitudes_free(&a);
  }
  tor_plain_stop(&model, &sim);
}

static double decibels(double complex ratio) { return 20 * log10(cabs(ratio)); }

/* The mode's phase from one plane to the next is the solver's, in both directions; the third monitor has the second's
 * plane and the first's place as its reference. */
static void check_phase(const struct carried c[3], double most, double back) {
  const double complex gained = cexp(CMPLX(0, 1) * c[0].theta * (c[1].node - c[0].node));
  const double off = cabs(c[1].forward / (c[0].forward * gained) - 1);
  print_message("theta %.10f %+.1e i: phase over %d cells off by %.1e, backward by %.1e, reference by %.1e; backward "
                "%.1f dB\n",
                creal(c[0].theta), cimag(c[0].theta), c[1].node - c[0].node, off,
                cabs(c[1].backward * gained / c[0].backward - 1), cabs(c[2].forward / c[0].forward - 1),
                decibels(c[0].backward / c[0].forward));
  assert_true(off < most && cabs(c[2].forward / c[0].forward - 1) < most);
  assert_true(decibels(c[0].backward / c[0].forward) < back);
}

/* A slab of 230 nm between CPML on all sides, 40 nm cells. The planes lie in the near field of what the source radiates
 * beside the mode. */
static void plane_text(char *text, size_t size, int along_y, int te, int order) {
  const char *const at[3] = {"-400.0", "1000.0", "1000.0"};
  int n = snprintf(text, size,
                   "length_unit = \"nm\";\ngrid = { size = [%s]; cell = 40.0; order = %d; precision = \"fp64\"; "
                   "polarisation = \"%s\"; };\nboundaries = { cpml = { thickness = 600.0; }; };\n"
                   "media = ( { name = \"clad\"; index = 1.444; }, { name = \"core\"; index = 3.4757; } );\n"
                   "background = \"clad\";\n"
                   "objects = ( { type = \"rectangle\"; medium = \"core\"; size = [%s]; } );\n"
                   "sources = ( { type = \"%s\"; %s position = [%s]; "
                   "time = { type = \"pulse\"; wavelength = 1550.0; band = 350.0; }; } );\nmonitors = (",
                   along_y ? "2600, 4800" : "4800, 2600", order, te ? "TE" : "TM",
                   along_y ? "230.0, 9e3" : "9e3, 230.0", te ? "line_dipole" : "line_current",
                   !te       ? ""
                   : along_y ? "axis = \"x\";"
                             : "axis = \"y\";",
                   along_y ? "20.0, -1500.0" : "-1500.0, 20.0");
  for (int i = 0; i < 3; i++)
    n += snprintf(text + n, size - (size_t)n,
                  "%s\n  { type = \"mode\"; box = { lo = [%s%s%s]; hi = [%s%s%s]; }; wavelengths = [1520.0]; %s}",
                  i ? "," : "", along_y ? "-1300.0, " : "", at[i], along_y ? "" : ", -1300.0",
                  along_y ? "1300.0, " : "", at[i], along_y ? "" : ", 1300.0", i == 2 ? "reference = -400.0; " : "");
  snprintf(text + n, size - (size_t)n, ");\nrun = { time_fs = 230.0; };\n");
}

static void slab_carries_its_mode(void **state) {
  static const int cases[3][3] = {{0, 0, 2}, {1, 1, 2}, {0, 1, 4}};
  (void)state;
  for (int i = 0; i < 3; i++) {
    char text[2048];
    struct carried c[3];
    plane_text(text, sizeof text, cases[i][0], cases[i][1], cases[i][2]);
    print_message("along %c, %s, order %d: ", "xy"[cases[i][0]], cases[i][1] ? "TE" : "TM", cases[i][2]);
    run(text, 3, c);
    check_phase(c, 1e-9, -85);
  }
}

/* A quarter of a silicon wire in a metal tube in which two modes travel: the power is the sum of |a|^2. grid, core:
 * of these groups; phase, power: their largest errors. */
static void check_wire(const char *grid, const char *core, double phase, double power) {
  char text[2048];
  struct carried c[3];
  int n =
      snprintf(text, sizeof text,
               "length_unit = \"nm\";\ngrid = { size = [3600.0, 450.0, 400.0]; cell = [50.0, 45.0, 40.0]; precision "
               "= \"fp64\"; %s };\nboundaries = { default = \"pec\"; z_lo = \"pmc\"; x_lo = \"cpml\"; x_hi = \"cpml\"; "
               "cpml = { thickness = 700.0; }; };\n"
               "media = ( { name = \"clad\"; index = 1.444; }, { name = \"core\"; index = 3.4757; } );\n"
               "background = \"clad\";\nobjects = ( { medium = \"core\"; center = [0.0, -225.0, -200.0]; %s } );\n"
               "sources = ( { type = \"electric_dipole\"; axis = \"y\"; position = [-1000.0, -200.0, -190.0]; "
               "time = { type = \"pulse\"; wavelength = 1550.0; band = 150.0; }; } );\nmonitors = (",
               grid, core);
  for (int i = 0; i < 3; i++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "%s\n  { type = \"mode\"; box = { lo = [%d.0, -225.0, -200.0]; hi = [%d.0, 225.0, 200.0]; }; "
                  "wavelengths = [1550.0]; count = 2; target_index = 2.0; %s}",
                  i ? "," : "", i ? 1000 : 400, i ? 1000 : 400, i == 2 ? "reference = 400.0; " : "");
  snprintf(text + n, sizeof text - (size_t)n, ");\nrun = { time_fs = 420.0; };\n");
  run(text, 3, c);
  check_phase(c, phase, -60);
  for (int i = 0; i < 2; i++) {
    print_message("power of the modes over the flux: 1 %+.1e\n", c[i].power / c[i].flux - 1);
    assert_true(fabs(c[i].power / c[i].flux - 1) < power);
  }
}

static void wire_carries_power(void **state) {
  (void)state;
  check_wire("", "type = \"box\"; size = [9e3, 450.0, 220.0];", 1e-9, 1e-6);
}

/* Flux has no part of the power that nodes carry along the axis, so two modes interfere in it. What a resonance at a
 * mode's cut-off still has at the run's end is in the phase. */
static void rod_with_surface_nodes(void **state) {
  const char *const rod = "type = \"cylinder\"; axis = \"x\"; radius = 200.0; height = 9e3;";
  (void)state;
  check_wire("averaging = \"tensor\";", rod, 1e-8, 1e-3);
  check_wire("averaging = \"tensor\"; order = 4;", rod, 1e-8, 1e-3);
}

int main(void) {
  if (!tor_mode_solver_built()) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slab_carries_its_mode),
      cmocka_unit_test(wire_carries_power),
      cmocka_unit_test(rod_with_surface_nodes),
  };
  return cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
