/* Absorbed power: the sum over a box against the flux into it, for each kind of loss and averaging; maps, media,
 * objects add up to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "src/base/units.h"
#include "src/job/turn.h"
#include "src/model/absorption.h"
#include "src/model/spectrum.h"
#include "tests/support/plain_job.h"

static const double NM10[3] = {10 * TOR_NM, 10 * TOR_NM, 10 * TOR_NM};
static double wavelengths[2] = {400 * TOR_NM, 600 * TOR_NM};

/* A scene in a box: what differs between the cases. */
struct scene {
  const char *name;
  int order;
  enum tor_averaging averaging;
  const char *media[2]; /* built-in, or "conductor", "magnetic", "debye", "crystal" */
  int symmetric, periodic, plane;
  double most; /* relative error */
};

static void set_poles(struct tor_medium *m, struct tor_pole pole) {
  m->npoles = 1;
  m->poles = malloc(sizeof *m->poles);
  assert_non_null(m->poles);
  m->poles[0] = pole;
}

static struct tor_medium medium_of(const char *name) {
  struct tor_medium m;
  if (tor_medium_builtin(name, &m)) return m;
  m = tor_medium_vacuum(name);
  for (int a = 0; a < 3; a++) {
    m.eps[a] = 3;
    if (!strcmp(name, "conductor")) m.sigma[a] = 2e4;
    if (!strcmp(name, "crystal")) m.sigma[a] = 1e4 * (a + 1), m.eps[a] = 2 + a;
    if (!strcmp(name, "magnetic")) m.sigma_m[a] = 5e9, m.mu[a] = 1.5;
  }
  if (!strcmp(name, "debye")) set_poles(&m, (struct tor_pole){.kind = TOR_DEBYE, .strength = 2, .tau = 1e-15});
  if (!strcmp(name, "metal")) {
    set_poles(&m, (struct tor_pole){.kind = TOR_DRUDE, .strength = 7 * TOR_EV, .gamma = 1 * TOR_EV});
    for (int a = 0; a < 3; a++) m.eps[a] = 1.5;
  }
  if (!strcmp(name, "semiconductor"))
    set_poles(&m, (struct tor_pole){TOR_LORENTZ, .strength = 4, .omega = 3 * TOR_EV, .gamma = 1 * TOR_EV});
  return m;
}

/* Runs the scene: two bodies of two media that touch, a dipole beside the box of both. */
static void run(const struct scene *s, struct tor_absorption *absorption, double flux[2]) {
  const double cell[3] = {s->plane ? 1 : NM10[0], NM10[1], NM10[2]};
  const int n[3] = {s->plane ? 1 : 22, s->periodic ? 12 : 22, 26};
  struct tor_job job;
  tor_plain_job(&job, n, cell, s->order, TOR_F64, TOR_CPML, 6);
  job.averaging = s->averaging;
  job.courant = 0.8;
  job.media = realloc(job.media, 3 * sizeof *job.media);
  assert_non_null(job.media);
  for (int i = 0; i < 2; i++) job.media[job.nmedia++] = medium_of(s->media[i]);
  if (s->periodic)
    for (int f = TOR_YLO; f <= TOR_YHI; f++) job.boundary[f] = (struct tor_boundary){.wall = TOR_PERIODIC, .kappa = 1};
  if (s->symmetric) job.symmetry[TOR_X] = 1;
  if (s->plane) job.plane = TOR_PLANE_TE, job.turn = TOR_TURN_PLANE;
  for (int f = 0; f < 2 && s->plane; f++) job.boundary[f] = (struct tor_boundary){.wall = TOR_PEC, .kappa = 1};
  const double shift = s->symmetric || s->plane ? 0 : 3 * TOR_NM;
  struct tor_object body[2] = {
      {.shape = TOR_SPHERE, .medium = 1, .center = {shift, 2 * TOR_NM, -1 * TOR_NM}, .radius = {27 * TOR_NM}},
      {.shape = TOR_BOX,
       .medium = 2,
       .center = {shift, -10 * TOR_NM, 15 * TOR_NM},
       .size = {31 * TOR_NM, 30 * TOR_NM, 33 * TOR_NM}}};
  if (s->plane) body[0].shape = TOR_CYLINDER, body[0].height = body[1].size[0] = 4;
  struct tor_source dipole = {.kind = TOR_ELECTRIC_DIPOLE,
                              .name = "dipole",
                              .polarisation = TOR_Y,
                              .position = {s->symmetric || s->plane ? 0 : 5 * TOR_NM, 5 * TOR_NM, -62 * TOR_NM}};
  dipole.profile = (struct tor_profile){
      .kind = TOR_PULSE, .wavelength = 480 * TOR_NM, .band = 200 * TOR_NM, .amplitude = 1e-9, .zero_mean = 1};
  struct tor_monitor monitors[2] = {{.kind = TOR_FLUX_BOX, .name = "box"}, {.kind = TOR_ABSORPTION, .name = "map"}};
  for (int i = 0; i < 2; i++) {
    monitors[i].nwavelength = 2;
    monitors[i].wavelength = wavelengths;
    for (int a = 0; a < 3; a++)
      monitors[i].lo[a] = -(monitors[i].hi[a] = a == 0 && s->plane ? 0.5 : (a == 1 && s->periodic ? 60 : 50) * TOR_NM);
  }
  job.nobjects = job.nmonitors = 2;
  job.nsources = 1;
  job.objects = body;
  job.sources = &dipole;
  job.monitors = monitors;
  job.run_time = 45e-15;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  for (int q = 0; q < 2; q++)
    flux[q] =
        -tor_recorder_flux(model.monitors, &model.monitors->recorder[0], 0, model.monitors->recorder[0].nplane, q);
  tor_absorption_make(model.monitors, &job, &model.monitors->recorder[1], absorption);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

static void check(const struct scene *s) {
  struct tor_absorption a;
  double flux[2];
  run(s, &a, flux);
  const size_t cells = (size_t)a.count[0] * (size_t)a.count[1] * (size_t)a.count[2];
  const double volume = s->plane ? 1e-16 : 1e-24;
  for (int q = 0; q < 2; q++) {
    double map = 0, objects = 0;
    for (size_t i = 0; i < cells; i++) map += a.density[(size_t)q * cells + i] * volume;
    for (int o = 0; o <= a.nobjects; o++) objects += a.object[o * a.nfreq + q];
    print_message("%s, %.0f nm: %.4g J/Hz, over the flux %.3g; media %.3f %.3f, objects %.3f %.3f\n", s->name,
                  wavelengths[q] / TOR_NM, a.total[q], a.total[q] / flux[q] - 1, a.medium[2 + q] / a.total[q],
                  a.medium[4 + q] / a.total[q], a.object[q] / a.total[q], a.object[2 + q] / a.total[q]);
    if (!(flux[q] > 0 && fabs(a.total[q] / flux[q] - 1) < s->most)) fail_msg("%s: not the flux", s->name);
    assert_true(fabs(map / a.total[q] - 1) < 1e-12);
    assert_true(fabs(objects / a.total[q] - 1) < 1e-12);
    for (int i = 0; i < 2; i++) { /* an object a medium */
      assert_true(a.medium[2 * (i + 1) + q] >= 0);
      assert_true(fabs(a.object[2 * i + q] - a.medium[2 * (i + 1) + q]) < 1e-12 * a.total[q]);
    }
  }
  tor_absorption_free(&a);
}

static void absorbed_power_is_the_flux(void **state) {
  static const struct scene scenes[] = {
      {"nodes", 2, TOR_AVERAGE_TENSOR, {"metal", "semiconductor"}, 0, 0, 0, 1e-6},
      {"nodes, mirror, order 4", 4, TOR_AVERAGE_TENSOR, {"metal", "conductor"}, 1, 0, 0, 1e-6},
      {"nodes, periodic", 2, TOR_AVERAGE_TENSOR, {"metal", "crystal"}, 0, 1, 0, 1e-6},
      {"magnetic, periodic", 2, TOR_AVERAGE_SUBPIXEL, {"magnetic", "debye"}, 0, 1, 0, 1e-6},
      {"2-D", 2, TOR_AVERAGE_SUBPIXEL, {"semiconductor", "conductor"}, 0, 0, 1, 1e-6},
      {"2-D, nodes", 2, TOR_AVERAGE_TENSOR, {"metal", "semiconductor"}, 0, 0, 1, 1e-6},
      {"steps", 2, TOR_AVERAGE_STAIRCASE, {"conductor", "semiconductor"}, 0, 0, 0, 1e-6},
  };
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) check(&scenes[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(absorbed_power_is_the_flux)};
  return cmocka_run_group_tests_name("absorption", tests, NULL, NULL);
}
