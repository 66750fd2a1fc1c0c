/* Bloch walls: the exact waves of the grid at any wave vector, a cell that may be cut anywhere, and the bands of a
 * crystal of rods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <complex.h>
#include <math.h>
#include <string.h>

#include "src/base/units.h"
#include "src/model/orders.h"
#include "tests/support/grid_plane_wave.h"
#include "tests/support/plain_job.h"

static void set_bloch(struct tor_job *job, int axis, double phase) {
  for (int side = 0; side < 2; side++)
    job->boundary[2 * axis + side] = (struct tor_boundary){.wall = TOR_PERIODIC, .kappa = 1};
  job->phase[axis] = phase;
}

/* --- A plane wave of the grid --- */

/* Sets the fields to the wave after `step` steps, or returns the largest difference from it; at last also at the ends
 * of the periods, which are copies. */
static double compare_wave(struct tor_model *model, const struct tor_grid_plane_wave *w, int step, int set) {
  const struct tor_grid *g = &model->grid;
  const struct tor_slab *slab = &model->slab;
  double worst = 0;
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int x = 0; x <= g->n[0]; x++)
      for (int y = 0; y <= g->n[1]; y++)
        for (int z = set ? -1 : 0; z <= g->n[2] + set; z++) {
          const double complex value = tor_grid_plane_wave_value(w, g, comp, (const int[3]){x, y, z},
                                                                 (step - 0.5 * tor_comp_is_h(comp)) * g->dt);
          const tor_gidx i = tor_slab_vector(slab, tor_slab_column(slab, x, y), comp) + z;
          double *const re = (double *)slab->field + i, *const im = (double *)slab->other->field + i;
          if (set) *re = creal(value);
          if (set) *im = cimag(value);
          worst = fmax(worst, cabs(CMPLX(*re, *im) - value) / g->d[tor_comp_axis(comp)]);
        }
  return worst;
}

static void wave_is_exact(int order, const int n[3], const int periods[3], const double phase[3]) {
  enum { STEPS = 100 };
  const double cell[3] = {10 * TOR_NM, 13 * TOR_NM, 9 * TOR_NM};
  struct tor_job job;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_job(&job, n, cell, order, TOR_F64, TOR_PEC, 0);
  for (int a = 0; a < 3; a++) set_bloch(&job, a, phase[a]);
  job.run_time = 1;
  tor_plain_start(&job, &model, &sim);
  sim.setup.engine = TOR_ENGINE_STEPWISE;
  const struct tor_grid_plane_wave wave = tor_grid_plane_wave(&model.grid, periods);
  compare_wave(&model, &wave, 0, 1);
  while (sim.step < STEPS) tor_simulation_stage(&sim, STEPS);
  tor_simulation_fetch(&sim);
  const double worst = compare_wave(&model, &wave, STEPS, 0);
  print_message("order %d, %d x %d x %d cells: a wave of the grid is kept to %.1e over %d steps\n", order, n[0], n[1],
                n[2], worst, STEPS);
  assert_true(worst < 1e-12);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

static void waves_of_the_grid_are_exact(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2) {
    wave_is_exact(order, (const int[3]){8, 6, 9}, (const int[3]){1, -2, 0}, (const double[3]){0.7, -1.1, 2.9});
    wave_is_exact(order, (const int[3]){7, 1, 9}, (const int[3]){1, 0, -2}, (const double[3]){-0.3, 0.4, 0.9});
    wave_is_exact(order, (const int[3]){5, 9, 1}, (const int[3]){0, 1, 0}, (const double[3]){0, -2, 0.6});
    wave_is_exact(order, (const int[3]){1, 7, 6}, (const int[3]){0, 0, 1}, (const double[3]){0.5, 3, 0});
  }
}

/* --- A cell with a sphere and a dipole --- */

enum { QUANTITIES = 4, PLANES = 2 };

/* Flux planes across the cell on both sides, the orders of the first, the work of the dipole. */
static void set_monitors(struct tor_job *job, const int n[3], struct tor_monitor monitor[4], double *wavelength) {
  for (int i = 0; i < 3; i++) {
    const double x = (i == 1 ? -120 : 120) * TOR_NM, y = 0.5 * n[1] * job->cell[1], z = 0.5 * n[2] * job->cell[2];
    monitor[i] = (struct tor_monitor){.kind = i == 2 ? TOR_ORDERS : TOR_FLUX,
                                      .name = "plane",
                                      .axis = TOR_X,
                                      .lo = {x, -y, -z},
                                      .hi = {x, y, z},
                                      .nwavelength = 1,
                                      .wavelength = wavelength};
  }
  monitor[3] = (struct tor_monitor){.kind = TOR_DECAY_RATE, .name = "rate", .nwavelength = 1, .wavelength = wavelength};
  job->monitors = monitor;
  job->nmonitors = 4;
}

static double orders_power(const struct tor_model *model, const struct tor_job *job) {
  int count;
  double sum = 0;
  struct tor_order *wave = tor_orders_find(model->monitors, job, &model->monitors->recorder[2], &count);
  for (int i = 0; i < count; i++) sum += wave[i].direction * wave[i].power;
  free(wave);
  return sum;
}

/* Power to both sides, that of the orders and that of the dipole, with sphere and dipole moved by y, z. */
static void cell_with_sphere(int order, enum tor_plain_surface surface, double y, double z, enum tor_engine_kind engine,
                             double result[QUANTITIES]) {
  const int n[3] = {52, 12, 12};
  const double cell = 10 * TOR_NM, edges[3] = {cell, cell, cell};
  struct tor_job job;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_job(&job, n, edges, order, TOR_F64, TOR_CPML, 10);
  set_bloch(&job, TOR_Y, 0.9);
  set_bloch(&job, TOR_Z, -0.5);
  struct tor_medium media[2] = {job.media[0], job.media[0]};
  tor_plain_surface(&job, &media[1], surface);
  struct tor_object sphere = {.shape = TOR_SPHERE, .medium = 1, .center = {0, y, z}, .radius = {38 * TOR_NM}};
  struct tor_medium *const own = job.media;
  job.media = media;
  job.nmedia = 2;
  job.objects = &sphere;
  job.nobjects = 1;
  struct tor_source dipole = {.kind = TOR_ELECTRIC_DIPOLE,
                              .name = "dipole",
                              .polarisation = TOR_Y,
                              .position = {63 * TOR_NM, y - 2 * TOR_NM, z + 3 * TOR_NM}};
  dipole.profile = (struct tor_profile){
      .kind = TOR_PULSE, .wavelength = 250 * TOR_NM, .band = 100 * TOR_NM, .amplitude = 1, .zero_mean = 1};
  job.sources = &dipole;
  job.nsources = 1;
  double wavelength[] = {250 * TOR_NM};
  struct tor_monitor monitor[4];
  set_monitors(&job, n, monitor, wavelength);
  job.run_time = 12 * TOR_FS;
  tor_plain_start(&job, &model, &sim);
  sim.setup = (struct tor_engine_setup){engine, order == 4 ? 1 : 3, 1};
  tor_plain_run(&sim);
  for (int i = 0; i < PLANES; i++) result[i] = tor_recorder_flux(model.monitors, &model.monitors->recorder[i], 0, 1, 0);
  result[2] = orders_power(&model, &job);
  const struct tor_recorder *rate = &model.monitors->recorder[3];
  result[3] =
      tor_recorder_work(model.monitors, rate, &dipole, tor_source_spectrum(model.sources, 0, rate->omega[0]), 0);
  tor_plain_stop(&model, &sim);
  tor_plain_job_return(&job, own);
  tor_plain_job_free(&job);
}

/* In the middle and at the corner, in eight pieces across two seams, the dipole's current too: the same cell, moved by
 * half a period in each direction. */
static void check_cut_cell(int order, enum tor_plain_surface surface) {
  double middle[QUANTITIES], corner[QUANTITIES];
  cell_with_sphere(order, surface, 0, 0, TOR_ENGINE_STEPWISE, middle);
  cell_with_sphere(order, surface, 60 * TOR_NM, -60 * TOR_NM, TOR_ENGINE_DIAMOND, corner);
  print_message("order %d: out %.9g and %.9g, by orders %.9g, dipole's %.9g\n", order, middle[0], -middle[1], middle[2],
                middle[3]);
  for (int i = 0; i < QUANTITIES; i++) {
    assert_true(i == 1 ? middle[i] < 0 : middle[i] > 0);
    assert_true(fabs(middle[i] - corner[i]) < 1e-11 * middle[3]);
  }
  /* The layers behind the plane absorb evanescent orders: the first one falls by exp(-2 q l) of 8e-5 from the
   * dipole to the layers, l = 127 nm, q^2 = (2 pi - 0.9)^2 / (120 nm)^2 - (2 pi / 250 nm)^2. */
  if (surface == TOR_PLAIN_SUBPIXEL) assert_true(fabs(middle[2] - middle[0]) < 8e-5 * middle[0]);
  /* What the dipole gives off leaves, where nothing absorbs. */
  if (surface != TOR_PLAIN_METAL_NODES) assert_true(fabs(middle[0] - middle[1] - middle[3]) < 2e-4 * middle[3]);
}
static void a_cell_may_be_cut_anywhere(void **state) {
  (void)state;
  check_cut_cell(2, TOR_PLAIN_SUBPIXEL);
  check_cut_cell(2, TOR_PLAIN_METAL_NODES);
  check_cut_cell(4, TOR_PLAIN_NODES);
}

/* --- Bands --- */

/* The frequency [c/a] of the largest spectral value of a probe within `range` of f, with a Hann window. */
static double peak_near(const struct tor_model *model, double a, double f, double range) {
  enum { POINTS = 400 };
  const struct tor_monitors *ms = model->monitors;
  const struct tor_recorder *l = &ms->recorder[0];
  const int n = tor_recorder_samples(l, model->steps), first = n / 10;
  double best = 0, largest = 0;
  for (int q = 0; q <= POINTS; q++) {
    const double at = f * (1 + range * (2.0 * q / POINTS - 1));
    double complex sum = 0;
    for (int k = first; k < n; k++) {
      const double x = (k - first) / (double)(n - first), phase = 2 * TOR_PI * at * k * model->grid.ct * l->every / a;
      sum += tor_recorder_sample(ms, l, &l->patch[0], 0, 0, 0, k) * (1 - cos(2 * TOR_PI * x)) *
             CMPLX(cos(phase), sin(phase));
    }
    if (cabs(sum) <= largest) continue;
    largest = cabs(sum);
    best = at;
  }
  return best;
}

/* Rods of permittivity 8.9 and radius 0.2 a, E along them, 24 cells a period. */
static void check_bands(const double k[2], const double *expected, int count) {
  enum { CELLS = 24 };
  const double a = 1000 * TOR_NM, edges[3] = {1, a / CELLS, a / CELLS};
  const int n[3] = {1, CELLS, CELLS};
  struct tor_job job;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_job(&job, n, edges, 2, TOR_F64, TOR_PEC, 0);
  job.plane = TOR_PLANE_TM;
  job.turn = 2;
  for (int axis = TOR_Y; axis <= TOR_Z; axis++) set_bloch(&job, axis, 2 * TOR_PI * k[axis - 1]);
  struct tor_medium media[2] = {job.media[0], job.media[0]}, *const own = job.media;
  for (int axis = 0; axis < 3; axis++) media[1].eps[axis] = 8.9;
  struct tor_object rod = {
      .shape = TOR_CYLINDER, .medium = 1, .axis = TOR_X, .height = 4, .radius = {0.2 * a, 0.2 * a}};
  job.media = media;
  job.nmedia = 2;
  job.objects = &rod;
  job.nobjects = 1;
  struct tor_source line = {
      .kind = TOR_ELECTRIC_DIPOLE, .name = "line", .polarisation = TOR_X, .position = {0, 0.13 * a, 0.31 * a}};
  line.profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 2.2 * a, .band = 2.2 * a, .amplitude = 1, .zero_mean = 1};
  job.sources = &line;
  job.nsources = 1;
  struct tor_monitor probe = {.kind = TOR_PROBE,
                              .name = "probe",
                              .lo = {0, -0.17 * a, 0.28 * a},
                              .hi = {0, -0.17 * a, 0.28 * a},
                              .components = 1 << TOR_EX,
                              .every = 8};
  job.monitors = &probe;
  job.nmonitors = 1;
  job.run_time = 130 * a / TOR_C0;
  tor_plain_start(&job, &model, &sim);
  tor_plain_run(&sim);
  for (int i = 0; i < count; i++) {
    const double f = peak_near(&model, a, expected[i], 0.02);
    print_message("k = %.1f, %.1f: %.5f, exact %.5f (%+.2f %%)\n", k[0], k[1], f, expected[i],
                  100 * (f / expected[i] - 1));
    assert_true(fabs(f - expected[i]) < 0.005 * expected[i]);
  }
  tor_plain_stop(&model, &sim);
  tor_plain_job_return(&job, own);
  tor_plain_job_free(&job);
}

/* By plane waves: FEATURES of the crystal in docs/design/bloch.md. */
static void rods_have_their_bands(void **state) {
  (void)state;
  check_bands((const double[2]){0, 0}, (const double[]){0.5823, 0.6279}, 2);
  check_bands((const double[2]){0.5, 0}, (const double[]){0.27471, 0.44253, 0.6360}, 3);
  check_bands((const double[2]){0.5, 0.5}, (const double[]){0.32240, 0.54886}, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(waves_of_the_grid_are_exact),
                                     cmocka_unit_test(a_cell_may_be_cut_anywhere),
                                     cmocka_unit_test(rods_have_their_bands)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
