/* What cells hold: see cell.h. */
#include "src/model/cell.h"

#include <math.h>

#include "src/base/types.h"
#include "src/job/cylindrical.h"
#include "src/job/even.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column_media.h"
#include "src/model/nearby.h"
#include "src/model/pec.h"

/* Cylindrical coordinates: cells around the half plane, in which media are looked up, over the edge along phi. */
static const double THIN = 1e-3;

int tor_cell_is_uniform(const struct tor_columns *c, const struct tor_nearby *near, const double lo[3],
                        const double hi[3], int *medium) {
  const int *list = near->seen, nlist = near->nseen;
  int holds;
  *medium = -1;
  if (lo[2] > near->hi_z || hi[2] < near->lo_z) return 1;
  const int top = tor_objects_top(c->job->objects, list, nlist, lo, hi, &holds);
  if (top < 0 || holds) { /* the last object that is not outside the box contains all of it, or there is none */
    *medium = top < 0 ? -1 : c->job->objects[list[top]].medium;
    return 1;
  }
  for (int p = 0; p < 27; p++) {
    /* Just inside the corners, so that a face that coincides with a side of the box does not count. */
    const double f[3] = {1e-6, 0.5, 1 - 1e-6};
    double x[3] = {lo[0] + f[p % 3] * (hi[0] - lo[0]), lo[1] + f[p / 3 % 3] * (hi[1] - lo[1]),
                   lo[2] + f[p / 9] * (hi[2] - lo[2])};
    const int on_top = tor_objects_at(c->job->objects, list, nlist, x);
    const int here = on_top < 0 ? -1 : c->job->objects[list[on_top]].medium;
    if (p == 0) *medium = here;
    if (here != *medium) return 0;
  }
  for (int i = 0; i < near->n; i++) {
    const double *blo = c->objects.lo[near->list[i]], *bhi = c->objects.hi[near->list[i]];
    int outside = 0, cut = 0;
    for (int a = 0; a < 3; a++) {
      outside |= bhi[a] <= lo[a] || blo[a] >= hi[a];
      cut |= (blo[a] > lo[a] && blo[a] < hi[a]) || (bhi[a] > lo[a] && bhi[a] < hi[a]);
    }
    if (cut && !outside) return 0;
    const struct tor_object *o = &c->job->objects[near->list[i]];
    if (!outside && tor_object_hides_parts(o) && !tor_object_holds_box(o, lo, hi)) return 0;
  }
  return 1;
}

/* Whether an object ends between lo and hi along an axis, or at them to a millionth of a cell. */
static int ends_between(const struct tor_columns *c, const struct tor_nearby *near, int axis, double lo, double hi) {
  const double tolerance = 1e-6 * c->grid->d[axis];
  for (int i = 0; i < near->nseen; i++) {
    double end[2][3];
    tor_object_bounds(&c->job->objects[near->seen[i]], end[0], end[1]);
    for (int side = 0; side < 2; side++)
      if (end[side][axis] > lo - tolerance && end[side][axis] < hi + tolerance) return 1;
  }
  return 0;
}

int tor_cell_cut_at_walls(const struct tor_columns *c, const struct tor_nearby *near, double reach, double lo[3],
                          double hi[3]) {
  const struct tor_grid *g = c->grid;
  int cut = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2, upper = f % 2;
    const double wall = upper ? tor_grid_at(g, a, g->n[a]) : g->lo[a], beyond = upper ? hi[a] - wall : wall - lo[a],
                 within = reach * g->d[a];
    if (beyond < 1e-6 * g->d[a] || ((g->plane || g->angular) && a == TOR_X) || tor_grid_periodic(g, a) ||
        (g->mirror[a] && !upper))
      continue;
    if (!ends_between(c, near, a, upper ? wall : wall - within, upper ? wall + within : wall)) continue;
    (upper ? hi : lo)[a] = wall;
    cut |= 1 << a;
  }
  return cut;
}

void tor_cell_mirror_normal(int cut, double normal[3]) {
  double square = 0;
  for (int a = 0; a < 3; a++) square += cut >> a & 1 ? 0 : normal[a] * normal[a];
  if (!cut || square < 1e-12) return;
  for (int a = 0; a < 3; a++) normal[a] = cut >> a & 1 ? 0 : normal[a] / sqrt(square);
}

/* The edge of cells along an axis; in 2-D, where nothing varies along x, as along y. */
static double edge_along(const struct tor_grid *g, int a) {
  if (g->angular && a == TOR_PHI) return THIN * g->d[a];
  return g->d[g->plane && a == TOR_X ? TOR_Y : a];
}

void tor_cell_bounds(const struct tor_columns *c, int comp, const int at[3], double x[3], double lo[3], double hi[3]) {
  const struct tor_grid *g = c->grid;
  for (int a = 0; a < 3; a++) {
    const double edge = edge_along(g, a);
    x[a] = tor_grid_place(g, comp, a, at[a]);
    lo[a] = x[a] - 0.5 * edge;
    hi[a] = x[a] + 0.5 * edge;
    if (!g->node[a]) continue;
    const double half = 0.5 * tor_comp_half(comp, a), i = at[a] + half;
    lo[a] = tor_grid_at(g, a, i - 0.5); /* of a node the middle of the cell beside it */
    hi[a] = tor_grid_at(g, a, i + 0.5);
    if (c->job->averaging != TOR_AVERAGE_STAIRCASE) continue;
    const double least = fmin(x[a] - lo[a], hi[a] - x[a]);
    lo[a] = x[a] - least;
    hi[a] = x[a] + least;
  }
}

/* Whether a cell's point is not in its middle along an axis: a node between unequal cells. */
static int is_skew(const double x[3], const double lo[3], const double hi[3], int a) {
  return x[a] > lo[a] && x[a] < hi[a] && fabs(x[a] - 0.5 * (lo[a] + hi[a])) > 1e-6 * (hi[a] - lo[a]);
}

/* Shares of a cut cell from its parts on both sides of the point, so that they are exact for faces on nodes. */
static void share_by_parts(const struct tor_columns *c, const struct tor_nearby *near, const double x[3],
                           const double lo[3], const double hi[3], int samples, struct tor_mix *mix) {
  double share[TOR_MIX_MAX] = {0}, sum = 0;
  int skew = 0;
  for (int a = 0; a < 3; a++) skew |= is_skew(x, lo, hi, a) << a;
  for (int part = 0; part < 8 && skew; part++) {
    if (part & ~skew) continue;
    struct tor_mix own = {.count = 1, .share = {1}};
    double from[3], to[3], volume = 1;
    for (int a = 0; a < 3; a++) {
      from[a] = part >> a & 1 ? x[a] : lo[a];
      to[a] = skew >> a & 1 && !(part >> a & 1) ? x[a] : hi[a];
      volume *= (to[a] - from[a]) / (hi[a] - lo[a]);
    }
    if (!tor_cell_is_uniform(c, near, from, to, &own.medium[0]))
      tor_geometry_mix(c->job->objects, near->seen, near->nseen, from, to, samples, &own);
    for (int i = 0; i < own.count; i++)
      for (int m = 0; m < mix->count; m++)
        if (mix->medium[m] == own.medium[i]) {
          share[m] += volume * own.share[i];
          sum += volume * own.share[i];
        }
  }
  for (int m = 0; m < mix->count && sum > 0; m++) mix->share[m] = share[m] / sum;
}

void tor_cell_around_node(const struct tor_grid *grid, const int at[3], double x[3], double lo[3], double hi[3]) {
  for (int a = 0; a < 3; a++) {
    const double half = 0.5 * edge_along(grid, a);
    x[a] = grid->angular && a == TOR_PHI ? 0 : tor_grid_at(grid, a, at[a]);
    lo[a] = x[a] - half;
    hi[a] = x[a] + half;
  }
}

int tor_cell_goes_through(const struct tor_columns *c, const struct tor_nearby *near, int axis) {
  enum { MOST = 32 };
  const struct tor_grid *g = c->grid;
  const double little = 1e-6 * g->d[axis], lo = g->lo[axis] + little, hi = tor_grid_at(g, axis, g->n[axis]) - little;
  double ends[MOST];
  if ((g->plane || g->angular) && axis == TOR_X) return 1;
  for (int i = 0; i < near->nseen; i++) {
    const int count = tor_object_ends(&c->job->objects[near->seen[i]], axis, MOST, ends);
    if (count < 0) return 0;
    for (int e = 0; e < count; e++)
      if (ends[e] > lo && ends[e] < hi) return 0;
  }
  return 1;
}

struct tor_mix tor_cell_mix(const struct tor_columns *c, const struct tor_nearby *near, const double x[3], double lo[3],
                            double hi[3]) {
  const int samples = c->job->averaging == TOR_AVERAGE_STAIRCASE ? 1 : c->job->samples;
  struct tor_mix mix = {.count = 1, .share = {1}};
  const int cut = tor_cell_cut_at_walls(c, near, 0, lo, hi);
  if (samples == 1 || !tor_cell_is_uniform(c, near, lo, hi, &mix.medium[0]))
    (c->job->averaging == TOR_AVERAGE_TENSOR ? tor_geometry_mix_lines : tor_geometry_mix)(
        c->job->objects, near->seen, near->nseen, lo, hi, samples, &mix);
  if (samples > 1 && mix.count > 1 && tor_grid_is_graded(c->grid)) share_by_parts(c, near, x, lo, hi, samples, &mix);
  if (c->conducts) tor_pec_leave(c->job, &mix);
  tor_cell_mirror_normal(cut, mix.normal);
  for (int m = 0; m < mix.count; m++) tor_cell_mirror_normal(cut, mix.of_medium[m]);
  return mix;
}
