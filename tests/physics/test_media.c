/* Every kind of medium: a film's reflection and transmission at normal incidence against the transfer matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>

#include "jobs/tools/mie.h"
#include "src/model/spectrum.h"
#include "src/base/units.h"
#include "tests/support/etchegoin.h"
#include "tests/support/plain_job.h"

enum { FREQ = 3, CELLS = 700, FACE = 150, FRONT = 130, BEHIND = 500, LAYER = 60 };

static double matched; /* transmission of a matched film, which the transfer matrix does not cover; 0: not matched */

static double wavelength[FREQ] = {480 * TOR_NM, 560 * TOR_NM, 660 * TOR_NM};

/* What a job of a film points to. */
struct film {
  struct tor_object layer;
  struct tor_source wave;
  struct tor_monitor flux[2]; /* before the film, behind it */
};

/* A film of the medium, 40 nm thick, its sides between the grid's nodes; cells of 1 nm along z. Takes the medium. */
static void make_job(struct tor_job *job, struct film *film, struct tor_medium medium, int order) {
  const int n[3] = {1, 1, CELLS};
  const double cell[3] = {20 * TOR_NM, 20 * TOR_NM, 1 * TOR_NM};
  tor_plain_job(job, n, cell, order, TOR_F64, TOR_PEC, 0);
  job->boundary[TOR_YLO].wall = job->boundary[TOR_YHI].wall = TOR_PMC;
  for (int f = TOR_ZLO; f <= TOR_ZHI; f++) job->boundary[f] = (struct tor_boundary){TOR_CPML, LAYER, 3, 1, 1, 0.05, 0};
  job->media = realloc(job->media, 2 * sizeof *job->media);
  job->media[job->nmedia++] = medium;
  film->layer =
      (struct tor_object){.shape = TOR_LAYER, .medium = 1, .axis = TOR_Z, .lo = -20.25 * TOR_NM, .hi = 20.25 * TOR_NM};
  job->nobjects = 1;
  job->objects = &film->layer;
  film->wave =
      (struct tor_source){.kind = TOR_PLANE_WAVE, .name = "wave", .axis = TOR_Z, .direction = 1, .polarisation = TOR_X};
  film->wave.profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 560 * TOR_NM, .band = 280 * TOR_NM, .amplitude = 1};
  for (int a = 0; a < 3; a++) {
    film->wave.lo[a] = -1;
    film->wave.hi[a] = 1;
  }
  film->wave.lo[2] = (FACE - CELLS / 2.0) * TOR_NM;
  job->nsources = 1;
  job->sources = &film->wave;
  for (int i = 0; i < 2; i++) {
    double z = ((i ? BEHIND : FRONT) - CELLS / 2.0) * TOR_NM;
    film->flux[i] = (struct tor_monitor){.kind = TOR_FLUX,
                                         .name = i ? "behind" : "front",
                                         .lo = {-1, -1, z},
                                         .hi = {1, 1, z},
                                         .nwavelength = FREQ,
                                         .wavelength = wavelength};
  }
  job->nmonitors = 2;
  job->monitors = film->flux;
  job->run_time = 60e-15;
  job->run_decay = 1e-9;
}

static void film(const char *what, struct tor_medium medium, int order, double limit) {
  const double thickness = 40.5 * TOR_NM;
  struct tor_job job;
  struct film parts;
  make_job(&job, &parts, medium, order);
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  struct tor_spectrum s[2];
  for (int i = 0; i < 2; i++) tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[i], &s[i]);
  double worst = 0;
  for (int q = 0; q < FREQ; q++) {
    double omega = 2 * TOR_PI * TOR_C0 / wavelength[q], r, t;
    const double complex eps[3] = {1, tor_medium_permittivity(&medium, TOR_X, omega), 1};
    tor_slab_rt(1, eps, &thickness, wavelength[q], &r, &t);
    if (matched > 0) {
      r = 0;
      t = matched;
    }
    worst = fmax(worst, fmax(fabs(-s[0].value[1][q] - r), fabs(s[1].value[1][q] - t)));
  }
  print_message("%s, order %d: R, T off by at most %.1e\n", what, order, worst);
  assert_true(worst < limit);
  for (int i = 0; i < 2; i++) tor_spectrum_free(&s[i]);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

static struct tor_medium with_pole(double eps, struct tor_pole pole) {
  struct tor_medium m = tor_medium_vacuum("film");
  m.eps[0] = m.eps[1] = m.eps[2] = eps;
  m.npoles = 1;
  m.poles = malloc(sizeof *m.poles);
  m.poles[0] = pole;
  return m;
}

static void both_orders(const char *what, struct tor_medium medium, double limit) {
  film(what, tor_medium_copy(&medium), 2, limit);
  film(what, medium, 4, limit);
}

static void dielectric_film(void **state) {
  (void)state;
  struct tor_medium m = tor_medium_vacuum("film");
  m.eps[0] = 2.5; /* the wave's E is along x: the other axes must not matter */
  m.eps[1] = 7;
  m.eps[2] = 5;
  both_orders("anisotropic dielectric", m, 2e-4);
}
static void conducting_film(void **state) {
  (void)state;
  struct tor_medium m = tor_medium_vacuum("film");
  m.eps[0] = m.eps[1] = m.eps[2] = 3;
  m.sigma[0] = m.sigma[1] = m.sigma[2] = 5e4;
  both_orders("conductor", m, 2e-4);
}
static void drude_film(void **state) {
  (void)state;
  both_orders("Drude metal", with_pole(1, (struct tor_pole){TOR_DRUDE, 9 * TOR_EV, 0, 0.3 * TOR_EV, 0, {0}, 0}), 2e-4);
}
static void lorentz_film(void **state) {
  (void)state;
  both_orders("Lorentz medium",
              with_pole(2, (struct tor_pole){TOR_LORENTZ, 1.5, 2.3 * TOR_EV, 0.3 * TOR_EV, 0, {0}, 0}), 2e-4);
}
static void debye_film(void **state) {
  (void)state;
  both_orders("Debye medium", with_pole(2, (struct tor_pole){TOR_DEBYE, 2.5, 0, 0, 0.4e-15, {0}, 0}), 2e-4);
}
static void gold_film(void **state) {
  (void)state;
  struct tor_medium m;
  assert_true(tor_medium_builtin("Au", &m));
  both_orders("gold", m, 2e-4);
}

/* Gold of P. G. Etchegoin, E. C. Le Ru, M. Meyer, J. Chem. Phys. 125, 164705 (2006), erratum 127, 189901. */
static void critical_point_film(void **state) {
  (void)state;
  struct tor_medium m = with_pole(1.53, tor_etchegoin_pole(0));
  m.npoles = 3;
  m.poles = realloc(m.poles, 3 * sizeof *m.poles);
  for (int p = 1; p < 3; p++) m.poles[p] = tor_etchegoin_pole(p);
  both_orders("gold by critical points", m, 2e-4);
}

/* Matched permittivity and permeability, and equal losses, do not reflect: exp(-2 sigma eta0 d) of the power is
 * transmitted. */
static void matched_film(void **state) {
  (void)state;
  struct tor_medium m = tor_medium_vacuum("film");
  for (int a = 0; a < 3; a++) {
    m.eps[a] = m.mu[a] = 2;
    m.sigma[a] = 3e4;
    m.sigma_m[a] = m.sigma[a] * TOR_ETA0 * TOR_ETA0;
  }
  matched = exp(-2 * m.sigma[0] * TOR_ETA0 * 40.5 * TOR_NM);
  both_orders("matched eps, mu, sigma, sigma*", m, 2e-4);
  matched = 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dielectric_film), cmocka_unit_test(conducting_film),     cmocka_unit_test(drude_film),
      cmocka_unit_test(lorentz_film),    cmocka_unit_test(debye_film),          cmocka_unit_test(gold_film),
      cmocka_unit_test(matched_film),    cmocka_unit_test(critical_point_film),
  };
  return cmocka_run_group_tests_name("media", tests, NULL, NULL);
}
