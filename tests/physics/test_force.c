/* The force of light on a sphere by Maxwell's stress tensor, against Mie's series: Q_pr = Q_ext - g Q_sca (Bohren and
 * Huffman, Absorption and Scattering of Light by Small Particles, Wiley, 1983, 4.5). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "src/base/units.h"
#include "src/model/spectrum.h"
#include "tests/support/job_text.h"
#include "tests/support/plain_job.h"

/* A sphere of index 2, k r = 2, 12 cells a radius: pressure in two boxes, along x, y, z. */
static void run(const char *more, double q[2][3]) {
  char monitors[512];
  const double r = GLASS_SPHERE_RADIUS, d = r / 12;
  struct tor_model model;
  struct tor_simulation sim;
  snprintf(monitors, sizeof monitors,
           "{ type = \"force\"; radius = %.10g; wavelengths = [500.0];\n"
           "    box = { lo = [%.10g, %.10g, %.10g]; hi = [%.10g, %.10g, %.10g]; }; },\n"
           "  { type = \"force\"; radius = %.10g; wavelengths = [500.0];\n"
           "    box = { lo = [%.10g, %.10g, %.10g]; hi = [%.10g, %.10g, %.10g]; }; }",
           r, -14 * d, -14 * d, -14 * d, 14 * d, 14 * d, 14 * d, r, -14 * d, -15 * d, -15 * d, 14 * d, 15 * d, 14 * d);
  read_glass_sphere(52, 1, more, monitors);
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  for (int i = 0; i < 2; i++) {
    struct tor_spectrum s;
    tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[i], &s);
    for (int a = 0; a < 3; a++) q[i][a] = s.value[3 + a][0];
    tor_spectrum_free(&s);
  }
  tor_plain_stop(&model, &sim);
}

static void sphere(const char *more, double worst) {
  const double want = 2.358;
  double q[2][3];
  run(more, q);
  print_message("%s Q_pr %.5f, %.5f in the other box, Mie %.3f: %+.2f %%; across %.1e %.1e\n", more, q[0][2], q[1][2],
                want, 100 * (q[0][2] / want - 1), q[0][0], q[0][1]);
  assert_true(fabs(q[0][2] / want - 1) < worst);
  assert_true(fabs(q[1][2] / q[0][2] - 1) < 2e-4);
  for (int i = 0; i < 2; i++) assert_true(fabs(q[i][0]) < 1e-9 && fabs(q[i][1]) < 1e-9);
}

static void pressure_on_a_sphere(void **state) {
  (void)state;
  sphere("", 0.01);
  sphere("order = 4;", 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pressure_on_a_sphere)};
  return cmocka_run_group_tests_name("force", tests, job_text_begin, job_text_end);
}
