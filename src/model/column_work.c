/* The work of columns: see column_work.h. */
#include "src/model/column_work.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/coefficient.h"

enum { UNIT = TOR_COLUMN_WORK_UNIT, SAMPLE = 1 << 14 }; /* about the number of columns that a part samples */

/* Data for sampling the media. */
struct sampler {
  const struct tor_job *job;
  const struct tor_grid *grid;
  int *weight;               /* [nmedia] of a cell, in quarters of one with a Drude pole */
  double (*lo)[3], (*hi)[3]; /* [nobjects] bounds */
  int *in_slice;             /* [nobjects] those near a slice, in painting order */
  int *medium;               /* [n[2]] of a column's cells */
  int stride;
};

static int max(int a, int b) { return a > b ? a : b; }
static int min(int a, int b) { return a < b ? a : b; }

static int in_layer(const struct tor_grid *g, int axis, int i) {
  return tor_grid_in_layer(g, 2 * axis, i) || tor_grid_in_layer(g, 2 * axis + 1, i);
}

static int layer_cells(const struct tor_grid *g, int axis) {
  int cells = 0;
  for (int i = 0; i < g->n[axis]; i++) cells += in_layer(g, axis, i);
  return cells;
}

static struct sampler look_new(const struct tor_job *job, const struct tor_grid *grid, int parts) {
  struct sampler k = {job, grid, .stride = 1};
  const size_t objects = (size_t)job->nobjects;
  k.weight = tor_alloc((size_t)job->nmedia, sizeof *k.weight, "work of columns");
  k.lo = tor_alloc(objects, sizeof *k.lo, "work of columns");
  k.hi = tor_alloc(objects, sizeof *k.hi, "work of columns");
  k.in_slice = tor_alloc(objects, sizeof *k.in_slice, "work of columns");
  k.medium = tor_alloc((size_t)grid->n[2], sizeof *k.medium, "work of columns");
  for (int m = 0; m < job->nmedia; m++) {
    struct tor_dispersion dispersion = {0};
    if (!job->media[m].npoles) continue;
    tor_dispersion_make(&job->media[m], grid, &dispersion);
    k.weight[m] = grid->order == 4 ? 3 + dispersion.nstate : 2 + 2 * dispersion.nstate;
    free(dispersion.pole);
  }
  for (int o = 0; o < job->nobjects; o++) tor_object_bounds(&job->objects[o], k.lo[o], k.hi[o]);
  const double columns[2] = {tor_grid_slices(grid, 0), tor_grid_slices(grid, 1)};
  while (ceil(columns[0] / k.stride) * ceil(columns[1] / k.stride) > (double)SAMPLE * parts) k.stride++;
  return k;
}

static void look_free(struct sampler *k) {
  free(k->weight);
  free(k->lo);
  free(k->hi);
  free(k->in_slice);
  free(k->medium);
}

static double place(const struct tor_grid *g, int axis, double i) { return tor_grid_at(g, axis, i); }

/* Weight of a column's cells. */
static int64_t column_weight(const struct sampler *k, int nslice, int ix, int iy) {
  const struct tor_grid *g = k->grid;
  const int nz = g->n[2];
  double x[3] = {g->plane ? 0 : place(g, 0, ix), place(g, 1, iy), 0};
  int64_t weight = 0;
  for (int z = 0; z < nz; z++) k->medium[z] = k->job->background;
  for (int i = 0; i < nslice; i++) {
    const int o = k->in_slice[i];
    if (x[1] < k->lo[o][1] || x[1] > k->hi[o][1]) continue;
    const double from = tor_grid_index(g, 2, k->lo[o][2]), to = tor_grid_index(g, 2, k->hi[o][2]);
    const int last = to < nz ? (int)to : nz - 1;
    for (int z = from > 0 ? (int)fmin(from, nz) : 0; z <= last; z++) {
      x[2] = place(g, 2, z + 0.5);
      if (tor_object_contains(&k->job->objects[o], x)) k->medium[z] = k->job->objects[o].medium;
    }
  }
  for (int z = 0; z < nz; z++) weight += k->weight[k->medium[z]];
  return weight;
}

/* Samples a column in the middle of each block of stride x stride columns of a slice of blocks, and counts it for the
 * whole block. */
static void add_poles(const struct sampler *k, double cost, int slice, int64_t *const work[2]) {
  const struct tor_grid *g = k->grid;
  const int x0 = slice * k->stride, x1 = min(x0 + k->stride, tor_grid_slices(g, 0)), ix = (x0 + x1 - 1) / 2;
  const double x = g->plane ? 0 : place(g, 0, ix);
  int nslice = 0;
  for (int o = 0; o < k->job->nobjects; o++)
    if (x >= k->lo[o][0] && x <= k->hi[o][0]) k->in_slice[nslice++] = o;
  for (int y0 = 0; y0 <= g->n[1]; y0 += k->stride) {
    const int y1 = min(y0 + k->stride, g->n[1] + 1);
    const int64_t poles = llrint(0.25 * UNIT * cost * (double)column_weight(k, nslice, ix, (y0 + y1 - 1) / 2));
    for (int i = x0; i < x1; i++) work[0][i] += poles * (y1 - y0);
    for (int i = y0; i < y1; i++) work[1][i] += poles * (x1 - x0);
  }
}

void tor_column_work(const struct tor_job *job, const struct tor_grid *grid, const struct tor_column_costs *costs,
                     int part, int parts, int64_t *const work[2]) {
  const int n[3] = {tor_grid_slices(grid, 0) - 1, grid->n[1], grid->n[2]};
  const int64_t vacuum = (int64_t)UNIT * n[2], inside = vacuum + llrint(UNIT * costs->layers * layer_cells(grid, 2)),
                layer = vacuum + llrint(UNIT * costs->layers * n[2]);
  int poles = 0;
  for (int a = 0; a < 2; a++) memset(work[a], 0, ((size_t)n[a] + 1) * sizeof *work[a]);
  for (int a = 0; a < 2 && !part; a++) {
    const int other = n[1 - a] + 1;
    int across = 0;
    for (int i = 0; i < other; i++) across += in_layer(grid, 1 - a, i);
    for (int i = 0; i <= n[a]; i++)
      work[a][i] = in_layer(grid, a, i) ? layer * other : layer * across + inside * (other - across);
  }
  for (int m = 0; m < job->nmedia; m++) poles += job->media[m].npoles;
  if (!poles) return;
  struct sampler k = look_new(job, grid, max(parts, 1));
  for (int slice = part; slice * k.stride <= n[0]; slice += parts) add_poles(&k, costs->poles, slice, work);
  look_free(&k);
}
