/* Sheets in a column: see column_media.h. */
#include <math.h>
#include <stddef.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/thin_sheet.h"
#include "src/model/cell.h"
#include "src/model/coefficient.h"
#include "src/model/column_media.h"

/* The part of a sheet's current that the nodes number i along its normal carry: between two nodes it is divided
 * linearly. */
static double part_at(const struct tor_grid *g, int a, double position, int i) {
  const double x = tor_grid_at(g, a, i), next = tor_grid_at(g, a, position < x ? i - 1 : i + 1);
  return fmax(0, 1 - (position - x) / (next - x));
}

/* The same over the length of the nodes' cell, as a multiple of 1 / sheet.thickness. */
static double density_at(const struct tor_grid *g, const struct tor_job *job, const struct tor_thin_sheet *s, int i) {
  const int a = s->axis, periodic = job->boundary[2 * a].wall == TOR_PERIODIC;
  double part = 0;
  for (int k = -periodic; k <= periodic; k++) part += part_at(g, a, s->position + k * job->size[a], i);
  return part > 0 ? part * s->thickness / tor_grid_edge(g, TOR_EX + (a + 1) % 3, a, i) : 0;
}

/* The part of an edge's cell that the sheet covers, along its plane. */
static double covered(const struct tor_columns *c, const struct tor_thin_sheet *s, int comp, const int at[3]) {
  const int n = c->job->averaging == TOR_AVERAGE_STAIRCASE ? 1 : c->job->samples, u = (s->axis + 1) % 3,
            v = (s->axis + 2) % 3;
  double x[3], lo[3], hi[3];
  int hits = 0;
  if (!s->nparts) return 1;
  tor_cell_bounds(c, comp, at, x, lo, hi);
  x[s->axis] = s->position;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      x[u] = lo[u] + (i + 0.5) / n * (hi[u] - lo[u]);
      x[v] = lo[v] + (j + 0.5) / n * (hi[v] - lo[v]);
      hits += tor_thin_sheet_contains(c->job, s, x);
    }
  return (double)hits / (n * n);
}

/* The sheet's part of a point of a component along it; 0: none. */
static double weight_at(const struct tor_columns *c, const struct tor_thin_sheet *s, int comp, const int at[3]) {
  if (tor_comp_axis(comp) == s->axis || !tor_comp_exists(c->grid->plane, comp)) return 0;
  const double density = density_at(c->grid, c->job, s, at[s->axis]);
  return density > 0 ? density * covered(c, s, comp, at) : 0;
}

int tor_column_meets_sheets(const struct tor_columns *c, int ix, int iy) {
  for (int i = 0; i < c->job->nsheets; i++) {
    const struct tor_thin_sheet *s = &c->job->sheets[i];
    if (s->axis == TOR_Z && !s->nparts) continue; /* the background has it */
    int at[3] = {ix, iy, 0};
    if (s->axis == TOR_Z) /* of all nodes the sheet covers the same part */
      at[TOR_Z] = tor_grid_node(c->grid, TOR_Z, s->position);
    for (int comp = TOR_EX; comp <= TOR_EZ; comp++) {
      if (tor_comp_axis(comp) == s->axis || !tor_comp_exists(c->grid->plane, comp)) continue;
      if (s->axis != TOR_Z ? density_at(c->grid, c->job, s, at[s->axis]) > 0 : covered(c, s, comp, at) > 0) return 1;
    }
  }
  return 0;
}

static void add_point(const struct tor_columns *c, const struct tor_thin_sheet *s, struct tor_column *col, int comp,
                      int z, double weight) {
  const struct tor_slab *slab = c->slab;
  const int d = c->dispersion[s->medium], a = tor_comp_axis(comp);
  const struct tor_medium *m = &c->job->media[s->medium];
  double implicit = 0, own = 0;
  tor_poles_implicit(m, c->grid->ct, a, &implicit, &own);
  const double more = weight * (m->eps[a] - 1 + own) / c->grid->ct, now = weight * implicit;
  double *const cb = &col->cb[comp * slab->nzp + z], *const ca1 = &col->ca1[comp * slab->nzp + z];
  if ((more != 0 || now != 0) && *cb > 0) {
    const double forward = 1 / (tor_grid_metric(c->grid, comp) * *cb), backward = (1 + *ca1) * forward;
    *cb = 1 / (tor_grid_metric(c->grid, comp) * (forward + more + now));
    *ca1 = *ca1 != 0 || now != 0 ? (backward + more) / (forward + more + now) - 1 : 0;
  }
  if (d < 0) return;
  const size_t kind = ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * TOR_COLUMN_KINDS;
  col->present[kind] = 1;
  col->share[kind * TOR_BRANCH_WEIGHTS * (size_t)slab->nzp + (size_t)z] += weight;
}

void tor_column_add_sheets(const struct tor_columns *c, struct tor_column *col, int ix, int iy) {
  for (int i = 0; i < c->job->nsheets; i++) {
    const struct tor_thin_sheet *s = &c->job->sheets[i];
    if (col == &c->background && (s->axis != TOR_Z || s->nparts)) continue;
    if (s->axis != TOR_Z && !(density_at(c->grid, c->job, s, s->axis == TOR_X ? ix : iy) > 0)) continue;
    for (int comp = TOR_EX; comp <= TOR_EZ; comp++)
      for (int z = 0; z <= c->grid->n[TOR_Z]; z++) {
        const double weight = weight_at(c, s, comp, (const int[3]){ix, iy, z});
        if (weight > 0) add_point(c, s, col, comp, z, weight);
      }
  }
}
