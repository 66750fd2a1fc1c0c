/* Periodic walls: the exact waves of the grid in a box without walls, objects across a seam, and a cell between mirrors
 * against the whole one. */
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

static void set_periodic(struct tor_job *job, int axis) {
  for (int side = 0; side < 2; side++)
    job->boundary[2 * axis + side] = (struct tor_boundary){.wall = TOR_PERIODIC, .kappa = 1};
}

/* --- A plane wave of the grid --- */

/* Sets the fields to the wave after `step` steps, or returns the largest difference from it. */
static double compare_wave(struct tor_model *model, const struct tor_grid_plane_wave *w, int step, int set) {
  const struct tor_grid *g = &model->grid;
  double worst = 0;
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int x = 0; x < g->n[0]; x++)
      for (int y = 0; y < g->n[1]; y++)
        for (int z = set ? -1 : 0; z < g->n[2] + 2 * set; z++) {
          const double value = creal(tor_grid_plane_wave_value(w, g, comp, (const int[3]){x, y, z},
                                                               (step - 0.5 * tor_comp_is_h(comp)) * g->dt));
          double *const at = (double *)model->slab.field +
                             (tor_slab_column(&model->slab, x, y) * TOR_NCOMP + comp) * model->slab.nzp + z;
          if (set) *at = value;
          worst = fmax(worst, fabs(*at - value) / g->d[tor_comp_axis(comp)]);
        }
  return worst;
}

static void wave_is_exact(int order, const int n[3], const int periods[3]) {
  enum { STEPS = 150 };
  const double cell[3] = {10 * TOR_NM, 13 * TOR_NM, 9 * TOR_NM};
  struct tor_job job;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_job(&job, n, cell, order, TOR_F64, TOR_PEC, 0);
  for (int a = 0; a < 3; a++) set_periodic(&job, a);
  job.run_time = 1;
  tor_plain_start(&job, &model, &sim);
  sim.setup.engine = TOR_ENGINE_STEPWISE;
  const struct tor_grid_plane_wave wave = tor_grid_plane_wave(&model.grid, periods);
  compare_wave(&model, &wave, 0, 1);
  tor_simulation_stage(&sim, STEPS);
  while (sim.step < STEPS) tor_simulation_stage(&sim, STEPS);
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
    wave_is_exact(order, (const int[3]){12, 10, 14}, (const int[3]){1, -2, 1});
    wave_is_exact(order, (const int[3]){7, 1, 17}, (const int[3]){1, 0, -2}); /* one cell: nothing varies along y */
    wave_is_exact(order, (const int[3]){9, 11, 1}, (const int[3]){-1, 2, 0});
  }
}

/* --- A cell with a sphere --- */

enum { QUANTITIES = 4 };

/* Flux planes across the whole cell, behind and before the sphere; the orders of the first. */
static void set_planes(struct tor_job *job, const int n[3], struct tor_monitor monitor[3], double *wavelength) {
  for (int i = 0; i < 2; i++) {
    const double x = (i ? -150 : 120) * TOR_NM, y = 0.5 * n[1] * job->cell[1], z = 0.5 * n[2] * job->cell[2];
    monitor[i] = (struct tor_monitor){.kind = TOR_FLUX,
                                      .name = "plane",
                                      .lo = {x, -y, -z},
                                      .hi = {x, y, z},
                                      .nwavelength = 1,
                                      .wavelength = wavelength};
  }
  monitor[2] = monitor[0];
  monitor[2].kind = TOR_ORDERS;
  monitor[2].axis = TOR_X;
  job->monitors = monitor;
  job->nmonitors = 3;
}

/* Transmitted and reflected power and a field behind a sphere at (0, y, z) in a periodic cell or, with mirrors, in its
 * upper quarter. */
static void cell_with_sphere(int order, enum tor_plain_surface surface, int mirrors, double y, double z,
                             enum tor_engine_kind engine, double complex result[QUANTITIES]) {
  enum { LONG = 60, WIDE = 12 };
  const int n[3] = {LONG, mirrors ? WIDE / 2 : WIDE, mirrors ? WIDE / 2 : WIDE};
  const double cell = 10 * TOR_NM, edges[3] = {cell, cell, cell};
  struct tor_job job;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_job(&job, n, edges, order, TOR_F64, TOR_CPML, 10);
  for (int a = 1; a < 3; a++) {
    set_periodic(&job, a);
    for (int side = 0; side < 2 && mirrors; side++)
      job.boundary[2 * a + side].wall = a == TOR_Z ? TOR_PEC : TOR_PMC; /* E along z */
  }
  struct tor_medium media[2] = {job.media[0], job.media[0]};
  tor_plain_surface(&job, &media[1], surface);
  struct tor_object sphere = {.shape = TOR_SPHERE, .medium = 1, .center = {0, y, z}, .radius = {38 * TOR_NM}};
  struct tor_medium *const own = job.media;
  job.media = media;
  job.nmedia = 2;
  job.objects = &sphere;
  job.nobjects = 1;
  struct tor_source wave = {
      .kind = TOR_PLANE_WAVE, .name = "wave", .axis = TOR_X, .direction = 1, .polarisation = TOR_Z};
  wave.profile =
      (struct tor_profile){.kind = TOR_PULSE, .wavelength = 250 * TOR_NM, .band = 100 * TOR_NM, .amplitude = 1};
  for (int a = 0; a < 3; a++) {
    wave.lo[a] = a ? -1 : -120 * TOR_NM;
    wave.hi[a] = 1;
  }
  job.sources = &wave;
  job.nsources = 1;
  double wavelength[] = {250 * TOR_NM};
  struct tor_monitor monitor[3];
  set_planes(&job, n, monitor, wavelength);
  job.run_time = 12 * TOR_FS;
  tor_plain_start(&job, &model, &sim);
  sim.setup = (struct tor_engine_setup){engine, order == 4 ? 1 : 3, 1};
  tor_plain_run(&sim);
  for (int i = 0; i < 2; i++) {
    const struct tor_recorder *l = &model.monitors->recorder[i];
    result[i] = tor_recorder_flux(model.monitors, l, 0, l->nplane, 0);
  }
  result[3] = 0;
  /* The middle of the plane at z = 120 nm, and in a quarter its corner. */
  const struct tor_recorder *l = &model.monitors->recorder[0];
  const struct tor_patch *p = &l->patch[1]; /* Ez */
  result[2] = tor_recorder_spectrum(model.monitors, l, p, 0, 0, 0, 0);
  int count;
  struct tor_order *wave_of = tor_orders_find(model.monitors, &job, &model.monitors->recorder[2], &count);
  for (int i = 0; i < count; i++) result[3] += wave_of[i].direction * wave_of[i].power;
  free(wave_of);
  tor_plain_stop(&model, &sim);
  tor_plain_job_return(&job, own);
  tor_plain_job_free(&job);
}

/* A sphere in the middle and one at the corner, in eight pieces across two seams: the same cell, moved by half a period
 * in each direction. */
static void check_cut_cell(int order, enum tor_plain_surface surface) {
  double complex middle[QUANTITIES], corner[QUANTITIES];
  cell_with_sphere(order, surface, 0, 0, 0, TOR_ENGINE_STEPWISE, middle);
  cell_with_sphere(order, surface, 0, 60 * TOR_NM, -60 * TOR_NM, TOR_ENGINE_DIAMOND, corner);
  for (int i = 0; i < 2; i++) {
    print_message("order %d: %.12g %.12g\n", order, creal(middle[i]), creal(corner[i]));
    print_message("orders %.15g of %.15g\n", creal(middle[3]), creal(middle[0]));
    assert_true(creal(middle[0]) > 0);
    assert_true(cabs(middle[i] - corner[i]) < 1e-11 * cabs(middle[0]));
  }
  /* The orders' sum is the flux; the layers behind the plane absorb a little of what is left of evanescent ones, more
   * with nodes, most with the metal, which is near its resonance. */
  if (surface == TOR_PLAIN_SUBPIXEL) assert_true(cabs(middle[3] - middle[0]) < 1e-8 * cabs(middle[0]));
  assert_true(cabs(middle[2] - corner[2]) > 1e-3 * cabs(middle[2])); /* not above the same point of the sphere */
}
static void a_cell_may_be_cut_anywhere(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2)
    for (int surface = TOR_PLAIN_SUBPIXEL; surface <= TOR_PLAIN_METAL_NODES; surface++)
      check_cut_cell(order, (enum tor_plain_surface)surface);
}

/* By symmetry a quarter of the cell between mirrors has a quarter of its power. */
static void check_quarter(int order, enum tor_plain_surface surface) {
  double complex whole[QUANTITIES], quarter[QUANTITIES];
  cell_with_sphere(order, surface, 0, 0, 0, TOR_ENGINE_DIAMOND, whole);
  cell_with_sphere(order, surface, 1, -30 * TOR_NM, -30 * TOR_NM, TOR_ENGINE_DIAMOND, quarter);
  for (int i = 0; i < 2; i++) {
    print_message("order %d: %.12g %.12g\n", order, creal(whole[i]), 4 * creal(quarter[i]));
    assert_true(cabs(whole[i] - 4 * quarter[i]) < 1e-11 * cabs(whole[0]));
  }
}
static void a_quarter_between_mirrors_is_a_quarter(void **state) {
  (void)state;
  for (int order = 2; order <= 4; order += 2)
    for (int surface = TOR_PLAIN_SUBPIXEL; surface <= TOR_PLAIN_METAL_NODES; surface++)
      check_quarter(order, (enum tor_plain_surface)surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(waves_of_the_grid_are_exact),
                                     cmocka_unit_test(a_cell_may_be_cut_anywhere),
                                     cmocka_unit_test(a_quarter_between_mirrors_is_a_quarter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
