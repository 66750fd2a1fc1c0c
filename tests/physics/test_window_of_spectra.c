/* Windows in time of monitors' spectra: parts of the time add up to the whole, and a transform during the run has the
 * flanks that a probe's series gets behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <complex.h>
#include <math.h>

#include "src/model/monitor.h"
#include "tests/support/job_text.h"
#include "tests/support/plain_job.h"

/* A line current between metal plates, which ring; monitors of one point of Ez and Hy. */
static const char *const text =
    "grid = { size = [300.0, 240.0]; cell = 10.0; polarisation = \"TM\"; precision = \"fp64\"; };\n"
    "boundaries = { default = \"pec\"; };\n"
    "sources = ( { type = \"line_current\"; position = [-40.0, 20.0]; "
    "time = { type = \"pulse\"; wavelength = 400.0; band = 300.0; }; } );\n"
    "monitors = (\n"
    "  { type = \"field\"; name = \"all\"; POINT window = { }; },\n"
    "  { type = \"field\"; name = \"early\"; POINT window = { to_fs = 8.003; }; },\n"
    "  { type = \"field\"; name = \"late\"; POINT window = { from_fs = 8.003; }; },\n"
    "  { type = \"field\"; name = \"part\"; POINT window = { from_fs = 8.0; to_fs = 15.0; rise_fs = 2.0; }; },\n"
    "  { type = \"probe\"; name = \"probe\"; position = [60.0, 30.0]; components = [\"Ez\", \"Hy\"]; "
    "wavelengths = [410.0]; window = { from_fs = 8.0; to_fs = 15.0; rise_fs = 2.0; }; } );\n"
    "run = { time_fs = 25.0; };\n";

static void parts_add_up_and_probes_agree(void **state) {
  static const char *const point = "box = { lo = [60.0, 30.0]; hi = [60.0, 30.0]; }; components = [\"Ez\", \"Hy\"]; "
                                   "wavelengths = [410.0];";
  char full[4096];
  int n = 0;
  (void)state;
  for (const char *at = text; *at; at++) {
    const int is_point = at[0] == 'P' && at[1] == 'O';
    n += snprintf(full + n, sizeof full - (size_t)n, "%s", is_point ? point : (const char[]){*at, 0});
    if (is_point) at += 4;
  }
  struct tor_model model;
  struct tor_simulation sim;
  read_with(full, NULL, 0);
  expect_good(!faults.count);
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  const struct tor_monitors *ms = model.monitors;
  for (int c = 0; c < 2; c++) {
    double complex f[4];
    for (int i = 0; i < 4; i++)
      f[i] = tor_recorder_spectrum(ms, &ms->recorder[i], &ms->recorder[i].patch[c], 0, 0, 0, 0);
    const struct tor_recorder *probe = &ms->recorder[4];
    const double complex series = tor_probe_spectrum(ms, probe, &probe->patch[c], sim.step, 0);
    print_message("%s: parts %.3f, %.3f of the whole; sum off by %.1e; probe off by %.1e\n", c ? "Hy" : "Ez",
                  cabs(f[1] / f[0]), cabs(f[2] / f[0]), cabs((f[1] + f[2]) / f[0] - 1), cabs(f[3] / series - 1));
    assert_true(cabs(f[1] / f[0]) > 0.05 && cabs(f[2] / f[0]) > 0.05);
    assert_true(cabs((f[1] + f[2]) / f[0] - 1) < 1e-12);
    assert_true(cabs(f[3] / f[0] - 1) > 0.05);
    assert_true(cabs(f[3] / series - 1) < 1e-12);
  }
  tor_plain_stop(&model, &sim);
}

static void windows_that_end_before_they_begin_are_refused(void **state) {
  (void)state;
  expect_only("monitors = ( { type = \"flux\"; box = { lo = [0, -9, -9]; hi = [0, 9, 9]; }; wavelengths = [400];\n"
              "  window = { from_fs = 5.0; to_fs = 4.0; }; } );\n",
              4, "monitors[0].window.to_fs", "got 4, need a time above from_fs = 5");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_add_up_and_probes_agree),
      cmocka_unit_test(windows_that_end_before_they_begin_are_refused),
  };
  return cmocka_run_group_tests(tests, job_text_begin, job_text_end);
}
