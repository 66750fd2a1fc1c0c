/* The estimated cost of columns against the columns that the model makes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/plain_job.h"
#include "src/model/column_work.h"
#include "src/base/units.h"

enum { UNIT = 256 };

struct found {
  struct tor_grid grid;
  int64_t *work[2], all;
};

/* The sum over `parts` parts; along x and along y it is the same. */
static struct found find(const struct tor_job *job, double layers, double poles, int parts) {
  struct found f = {.all = 0};
  int64_t *part[2], along_y = 0;
  tor_grid_make(job, &f.grid);
  for (int a = 0; a < 2; a++) {
    f.work[a] = calloc((size_t)f.grid.n[a] + 1, sizeof *f.work[a]);
    part[a] = calloc((size_t)f.grid.n[a] + 1, sizeof *part[a]);
  }
  for (int i = 0; i < parts; i++) {
    tor_column_work(job, &f.grid, &(struct tor_column_costs){layers, poles}, i, parts, part);
    for (int a = 0; a < 2; a++)
      for (int c = 0; c <= f.grid.n[a]; c++) f.work[a][c] += part[a][c];
  }
  for (int c = 0; c <= f.grid.n[0]; c++) f.all += f.work[0][c];
  for (int c = 0; c <= f.grid.n[1]; c++) along_y += f.work[1][c];
  assert_true(f.all == along_y);
  free(part[0]);
  free(part[1]);
  return f;
}

static void found_free(struct found *f) {
  free(f->work[0]);
  free(f->work[1]);
}

static struct tor_job job_of(const int n[3], enum tor_wall wall, int layers) {
  struct tor_job job;
  tor_plain_job(&job, n, (const double[3]){5 * TOR_NM, 5 * TOR_NM, 5 * TOR_NM}, 2, TOR_F32, wall, layers);
  return job;
}

/* A sphere of gold off the middle, `cells` cells in radius. */
static struct tor_object add_gold(struct tor_job *job, double cells) {
  job->media = realloc(job->media, 2 * sizeof *job->media);
  assert_true(tor_medium_builtin("Au", &job->media[job->nmedia++]));
  return (struct tor_object){.shape = TOR_SPHERE,
                             .medium = 1,
                             .center = {-0.2 * job->size[0], 0.1 * job->size[1], 0},
                             .radius = {cells * job->cell[0], 0}};
}

static void a_vacuum_costs_its_cells(void **unused) {
  (void)unused;
  struct tor_job job = job_of((const int[3]){30, 20, 16}, TOR_PEC, 0);
  struct found f = find(&job, 7, 7, 3);
  for (int c = 0; c <= 30; c++) assert_int_equal(f.work[0][c], UNIT * 21 * 16);
  for (int c = 0; c <= 20; c++) assert_int_equal(f.work[1][c], UNIT * 31 * 16);
  found_free(&f);
  tor_plain_job_free(&job);
}

/* Cells counted as CPML are those to which the model gives CPML. */
static void layers_cost_their_cells(void **unused) {
  (void)unused;
  const int n[3] = {40, 30, 24};
  struct tor_job job = job_of(n, TOR_CPML, 5);
  job.boundary[TOR_YLO].wall = TOR_PMC;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  struct found f = find(&job, 3, 0, 1);
  for (int ix = 0; ix <= n[0]; ix++) {
    int64_t wanted = 0;
    for (int iy = 0; iy <= n[1]; iy++) {
      const int in = (model.slab.cls[tor_slab_column(&model.slab, ix, iy)] & (TOR_COL_CPML_X | TOR_COL_CPML_Y)) != 0;
      wanted += n[2] + 3 * (in ? n[2] : 10);
    }
    assert_int_equal(f.work[0][ix], UNIT * wanted);
  }
  found_free(&f);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

/* Slices cost more where the model has poles, in all as much as it has points. */
static void poles_cost_what_the_model_has(void **unused) {
  (void)unused;
  const int n[3] = {50, 40, 32};
  struct tor_job job = job_of(n, TOR_PEC, 0);
  struct tor_object sphere = add_gold(&job, 10);
  job.objects = &sphere;
  job.nobjects = 1;
  job.averaging = TOR_AVERAGE_STAIRCASE;
  struct tor_model model;
  struct tor_simulation sim;
  tor_plain_start(&job, &model, &sim);
  const double state = model.slab.dispersion[0].nstate, each = 0.5 * (1 + state) * 2 * UNIT;
  struct found f = find(&job, 0, 2, 4), vacuum = find(&job, 0, 0, 1);
  const double cells = (double)(f.all - vacuum.all) / each, points = (double)model.dispersive / 3;
  assert_true(state == 11);
  assert_true(fabs(cells - points) < 0.03 * points);
  for (int ix = 0; ix <= n[0]; ix++) {
    int poles = 0;
    for (int iy = 0; iy <= n[1]; iy++) poles |= model.slab.cls[tor_slab_column(&model.slab, ix, iy)] & TOR_COL_POLES;
    if (!poles) assert_int_equal(f.work[0][ix], vacuum.work[0][ix]);
  }
  found_free(&f);
  found_free(&vacuum);
  tor_plain_stop(&model, &sim);
  tor_plain_job_free(&job);
}

/* A domain with more columns than are sampled: the sphere's volume within some percent, and the same by any part. */
static void a_sample_is_enough(void **unused) {
  (void)unused;
  struct tor_job job = job_of((const int[3]){1000, 900, 300}, TOR_PEC, 0);
  struct tor_object sphere = add_gold(&job, 140);
  job.objects = &sphere;
  job.nobjects = 1;
  struct found f = find(&job, 0, 1, 2), vacuum = find(&job, 0, 0, 1);
  const double volume = 4.0 / 3 * TOR_PI * 140.0 * 140 * 140, cells = (double)(f.all - vacuum.all) / (6.0 * UNIT);
  assert_true(fabs(cells - volume) < 0.03 * volume);
  found_free(&f);
  found_free(&vacuum);
  tor_plain_job_free(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_vacuum_costs_its_cells),
      cmocka_unit_test(layers_cost_their_cells),
      cmocka_unit_test(poles_cost_what_the_model_has),
      cmocka_unit_test(a_sample_is_enough),
  };
  return cmocka_run_group_tests_name("column work", tests, NULL, NULL);
}
