/* An absorber reflects R^sigma of the amplitude at normal incidence (src/model/pml.h, R = 1e-3), in any background and
 * in both orders, and more where it is thinner than the wavelength; and it is passive: a thin Drude film that runs into
 * it loses its energy, which CPML amplifies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>

#include "src/base/units.h"
#include "src/model/spectrum.h"
#include "tests/support/plain_job.h"

enum { FREQ = 3, CELLS = 300, FACE = 40, FRONT = 30, THIN = 60, THICK = 150 };

/* A tenth of the amplitude returns, a hundredth of the power. The layer counts as no shorter than the longest
 * wavelength of the pulse, where its spectrum has fallen to 1/e. */
static void reflected(int order, double permittivity, int layer) {
  const double longest = (560 + 280 / 2) * TOR_NM, path = sqrt(permittivity) * layer * 5 * TOR_NM;
  const double sigma = fmax(1, longest / path) / 3, expected = 0.01;
  const int n[3] = {1, 1, CELLS};
  const double cell[3] = {20 * TOR_NM, 20 * TOR_NM, 5 * TOR_NM};
  struct tor_job job;
  tor_plain_job(&job, n, cell, order, TOR_F64, TOR_PEC, 0);
  job.boundary[TOR_YLO].wall = job.boundary[TOR_YHI].wall = TOR_PMC;
  job.boundary[TOR_ZLO] = (struct tor_boundary){TOR_CPML, 20, 3, 1, 1, 0.05, 0};
  job.boundary[TOR_ZHI] = (struct tor_boundary){TOR_ABSORBER, layer, 3, sigma, 1, 0, 0};
  for (int a = 0; a < 3; a++) job.media[0].eps[a] = permittivity;
  struct tor_source wave = {
      .kind = TOR_PLANE_WAVE, .name = "wave", .axis = TOR_Z, .direction = 1, .polarisation = TOR_X};
  wave.profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 560 * TOR_NM, .band = 280 * TOR_NM, .amplitude = 1};
  for (int a = 0; a < 3; a++) {
    wave.lo[a] = -1;
    wave.hi[a] = 1;
  }
  wave.lo[2] = (FACE - CELLS / 2.0) * cell[2];
  job.nsources = 1;
  job.sources = &wave;
  double wavelength[FREQ] = {480 * TOR_NM, 560 * TOR_NM, 660 * TOR_NM};
  const double z = (FRONT - CELLS / 2.0) * cell[2];
  struct tor_monitor flux = {.kind = TOR_FLUX,
                             .name = "front",
                             .lo = {-1, -1, z},
                             .hi = {1, 1, z},
                             .nwavelength = FREQ,
                             .wavelength = wavelength};
  job.nmonitors = 1;
  job.monitors = &flux;
  job.run_time = 80e-15;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  struct tor_spectrum s;
  tor_spectrum_make(model.monitors, model.sources, &model.monitors->recorder[0], &s);
  for (int q = 0; q < FREQ; q++) {
    print_message("order %d, permittivity %g, %d cells, %g nm: reflects %.6f of the power, expected %.6f\n", order,
                  permittivity, layer, wavelength[q] / TOR_NM, -s.value[1][q], expected);
    assert_true(fabs(-s.value[1][q] / expected - 1) < 0.01);
  }
  tor_spectrum_free(&s);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

static void normal_incidence(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    reflected(order, 1, THICK);
    reflected(order, 2.25, THIN);
  }
}

/* A layer on one side that reaches beyond the middle of the domain damps its own columns alone. */
static void thick_layer(void **state) {
  (void)state;
  enum { N = 30, CELLS_X = 25 };
  const int n[3] = {N, 4, 4};
  const double cell[3] = {5 * TOR_NM, 5 * TOR_NM, 5 * TOR_NM};
  struct tor_job job;
  tor_plain_job(&job, n, cell, 2, TOR_F64, TOR_PEC, 0);
  job.boundary[TOR_XHI] = (struct tor_boundary){TOR_ABSORBER, CELLS_X, 3, 1, 1, 0, 0};
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  const struct tor_slab *slab = &model.slab;
  for (int i = 0; i < 6 * slab->nzp; i++) assert_true(((const double *)slab->ca1)[i] == 0);
  for (int ix = 0; ix <= N; ix++) {
    const unsigned lossy = slab->cls[tor_slab_column(slab, ix, 2)] & (TOR_COL_LOSSY_E | TOR_COL_LOSSY_H);
    assert_true((lossy != 0) == (ix >= N - CELLS_X));
  }
  /* Ex, Hy, Hz of the last column lie beyond the wall. */
  const tor_gidx last = tor_slab_column(slab, N, 2), wall = tor_slab_column(slab, N - 1, 2);
  const struct tor_extra *beyond = &slab->extra[slab->extra_id[last]], *before = &slab->extra[slab->extra_id[wall]];
  const double *coef = slab->coef, at_wall = ((const double *)slab->damping[TOR_X])[2 * N];
  assert_true(coef[beyond->coef_e] < coef[before->coef_e]);
  assert_true(fabs(coef[beyond->coef_e + (tor_gidx)3 * slab->nzp] - (2 * at_wall - 2)) < 1e-12);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

/* Energy after `steps` over that after half of them: a film 2 cells thick, a kick of E in its middle. */
static double growth(enum tor_wall wall, double offset) {
  enum { SIDE = 26, LAYERS = 7, STEPS = 4000 };
  const int n[3] = {SIDE, SIDE, SIDE};
  const double cell[3] = {5 * TOR_NM, 5 * TOR_NM, 5 * TOR_NM};
  struct tor_job job;
  tor_plain_job(&job, n, cell, 2, TOR_F64, wall, LAYERS);
  for (int f = 0; f < TOR_NFACE; f++) job.boundary[f].cells = LAYERS;
  job.media = realloc(job.media, 2 * sizeof *job.media);
  struct tor_medium *film = &job.media[job.nmedia++];
  *film = tor_medium_vacuum("film");
  film->npoles = 1;
  film->poles = malloc(sizeof *film->poles);
  film->poles[0] = (struct tor_pole){TOR_DRUDE, 5 * TOR_EV, 0, 0.01 * TOR_EV, 0, {0}, 0};
  struct tor_object layer = {
      .shape = TOR_LAYER, .medium = 1, .axis = TOR_Z, .lo = (offset - 1) * cell[2], .hi = (offset + 1) * cell[2]};
  job.nobjects = 1;
  job.objects = &layer;
  struct tor_monitor energy = {.kind = TOR_ENERGY, .name = "energy", .every = 20};
  job.nmonitors = 1;
  job.monitors = &energy;
  job.run_time = STEPS * 0.9 * cell[0] / sqrt(3) / TOR_C0;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  tor_plain_set(&model, TOR_EZ, SIDE / 2, SIDE / 2, SIDE / 2, 1e-9);
  tor_plain_run(&sim);
  double half = 0, last = 0;
  for (int i = 0; i < sim.nenergy; i++) {
    double *largest = sim.energy_step[i] <= sim.step / 2 && sim.energy_step[i] > sim.step / 4 ? &half : NULL;
    if (sim.energy_step[i] > sim.step - sim.step / 4) largest = &last;
    if (largest) *largest = fmax(*largest, sim.energy[i]);
  }
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
  return last / half;
}

static void passive(void **state) {
  (void)state;
  const double offset = 0.3, cpml = growth(TOR_CPML, offset), absorber = growth(TOR_ABSORBER, offset);
  print_message("energy over that before: CPML %.3g, absorber %.3g\n", cpml, absorber);
  assert_true(absorber < 1);
  assert_true(cpml > 100); /* the reason for absorbers: if it ends, the warning of layer_media.h may go */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(normal_incidence), cmocka_unit_test(thick_layer),
                                     cmocka_unit_test(passive)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
