/* What is absorbed at points and nodes: see absorption.h. */
#include "src/model/absorption_parts.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/column.h"
#include "src/model/column_media.h"
#include "src/model/monitor.h"
#include "src/model/nearby.h"

enum { OWNERS = 8, SAMPLES = 4 };

/* The objects in a cell, by the number of its sample points that each one gives its medium. */
struct tor_absorption_owners {
  int count;
  int object[OWNERS], medium[OWNERS], hits[OWNERS]; /* object: of the columns' job; -1: the background */
};

/* --- Which object --- */

static void add_hit(struct tor_absorption_owners *o, const struct tor_job *job, int object) {
  int i = 0;
  while (i < o->count && o->object[i] != object) i++;
  if (i == OWNERS) return;
  if (i == o->count) {
    o->object[i] = object;
    o->medium[i] = object < 0 ? job->background : job->objects[object].medium;
    o->hits[i] = 0;
    o->count++;
  }
  o->hits[i]++;
}

/* Samples the cell around x. Where nine points lie in one object, that is taken for the whole. */
static struct tor_absorption_owners find_owners(const struct tor_balance_worker *w, const double x[3]) {
  const struct tor_columns *c = w->b->columns;
  const struct tor_nearby *near = &w->here;
  struct tor_absorption_owners o = {0};
  if (!near->nseen) {
    add_hit(&o, c->job, -1);
    return o;
  }
  for (int pass = 0; pass < 2; pass++) {
    const int n = pass ? SAMPLES : 2, flat = c->grid->plane != TOR_SPACE;
    o.count = 0;
    for (int i = 0; i < (flat ? 1 : n); i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) {
          const double part[3] = {flat ? 0 : (i + 0.5) / n - 0.5, (j + 0.5) / n - 0.5, (k + 0.5) / n - 0.5};
          double at[3];
          for (int a = 0; a < 3; a++) at[a] = x[a] + (pass ? 1 : 1.9) * part[a] * c->grid->d[a];
          const int place = tor_objects_at(c->job->objects, near->seen, near->nseen, at);
          add_hit(&o, c->job, place < 0 ? -1 : near->seen[place]);
        }
    if (o.count == 1) break;
  }
  return o;
}

static int element_of(const struct tor_balance *b, int object) {
  return object < 0 ? b->to->nobjects : b->element[object];
}

static double *object_sums(struct tor_balance_worker *w, int object) {
  const int e = element_of(w->b, object);
  double *sums = w->object + (size_t)e * (size_t)w->b->to->nfreq;
  if (!w->is_touched[e]) w->touched[w->ntouched++] = e;
  w->is_touched[e] = 1;
  return sums;
}

/* The first object near the point that has the medium; -1: the background. */
static int any_owner(const struct tor_balance_worker *w, int medium) {
  for (int i = 0; i < w->here.nseen; i++)
    if (w->b->columns->job->objects[w->here.seen[i]].medium == medium) return w->here.seen[i];
  return -1;
}

/* --- Where it goes --- */

/* The cells beside a point along an axis: [first, first + n) of the box; whole: how many there are without the box's
 * sides. A point on nodes has one on either side. */
static int cells_along(const struct tor_balance *b, int comp, int axis, int i, int *first, int *whole) {
  const struct tor_absorption *to = b->to;
  const int on_nodes = (comp < 0 || !tor_comp_half(comp, axis)) && !(b->columns->grid->plane && axis == TOR_X);
  const int lo = i - on_nodes - to->first[axis], hi = i - to->first[axis];
  *whole = 1 + on_nodes;
  *first = lo < 0 ? 0 : lo;
  return (hi < to->count[axis] ? hi : to->count[axis] - 1) - *first + 1;
}

/* Adds w->power of a point of a component (or of a node: comp -1), which one medium takes. */
static void deposit(struct tor_balance_worker *w, int comp, const int at[3], int medium,
                    const struct tor_absorption_owners *o) {
  const struct tor_balance *b = w->b;
  const struct tor_absorption *to = b->to;
  const size_t nfreq = (size_t)to->nfreq, slice = (size_t)to->count[1] * (size_t)to->count[2];
  int first[3], n[3], whole[3], hits = 0;
  for (int a = 0; a < 3; a++) n[a] = cells_along(b, comp, a, at[a], &first[a], &whole[a]);
  if (n[0] <= 0 || n[1] <= 0 || n[2] <= 0) return;
  const double each = 1.0 / (whole[0] * whole[1] * whole[2]), part = each * n[0] * n[1] * n[2];
  for (int i = 0; i < o->count; i++) hits += o->medium[i] == medium ? o->hits[i] : 0;
  for (size_t q = 0; q < nfreq; q++) w->medium[(size_t)medium * nfreq + q] += part * w->power[q];
  if (!hits) {
    double *sums = object_sums(w, any_owner(w, medium));
    for (size_t q = 0; q < nfreq; q++) sums[q] += part * w->power[q];
  }
  for (int i = 0; i < o->count && hits; i++) {
    if (o->medium[i] != medium) continue;
    double *sums = object_sums(w, o->object[i]);
    for (size_t q = 0; q < nfreq; q++) sums[q] += part * o->hits[i] / hits * w->power[q];
  }
  for (int x = first[0]; x < first[0] + n[0]; x++) {
    const int side = x + to->first[0] == at[0]; /* of the slice */
    for (size_t q = 0; q < nfreq; q++)
      for (int y = first[1]; y < first[1] + n[1]; y++)
        for (int z = first[2]; z < first[2] + n[2]; z++)
          w->cells[((size_t)side * nfreq + q) * slice + (size_t)y * (size_t)to->count[2] + (size_t)z] +=
              each * w->power[q];
  }
}

/* --- Points --- */

/* A point's spectrum in the monitor's records; at[]: indices on the grid. */
static double complex field_at(const struct tor_balance *b, int comp, const int at[3], int q) {
  const struct tor_patch *p = &b->recorder->patch[comp];
  return tor_recorder_spectrum(b->monitors, b->recorder, p, at[0] - p->first[0], at[1] - p->first[1],
                               at[2] - p->first[2], q);
}

/* The conductance over 1 / eta0 of a point in the update's units, and of which part the poles' implicit one is. */
static double conductivity_of(const struct tor_medium *m, int comp) {
  return tor_comp_is_h(comp) ? m->sigma_m[tor_comp_axis(comp)] : m->sigma[tor_comp_axis(comp)];
}

/* Divides what a conductance takes among the media by their conductivity and fraction. */
static void deposit_conductance(struct tor_balance_worker *w, int comp, const int at[3],
                                const struct tor_absorption_owners *o, double value) {
  const struct tor_balance *b = w->b;
  const struct tor_job *job = b->job;
  double sum = 0;
  int only = -1;
  for (int m = 0; m < job->nmedia; m++)
    if (conductivity_of(&job->media[m], comp) != 0) only = only == -1 ? m : -2;
  for (int i = 0; i < o->count && only == -2; i++) sum += o->hits[i] * conductivity_of(&job->media[o->medium[i]], comp);
  for (int m = 0; m < job->nmedia; m++) {
    double share = m == only, of_medium = 0;
    for (int i = 0; i < o->count && only == -2; i++)
      of_medium += o->medium[i] == m ? o->hits[i] * conductivity_of(&job->media[m], comp) : 0;
    if (sum > 0) share = of_medium / sum;
    if (only == -2 && !(sum > 0) && conductivity_of(&job->media[m], comp) != 0) share = 1, sum = HUGE_VAL;
    if (!(share > 0)) continue;
    for (int q = 0; q < b->to->nfreq; q++) w->power[q] = share * value * creal(b->half[q]) * w->square[q];
    deposit(w, comp, at, m, o);
  }
}

/* |e|^2 in the update's units, over eta0, times what a response in these units is short of power. */
static void find_squares(struct tor_balance_worker *w, int comp, const int at[3]) {
  const struct tor_balance *b = w->b;
  const struct tor_grid *g = b->columns->grid;
  const double d = g->d[tor_comp_axis(comp)] * (tor_comp_is_h(comp) ? TOR_ETA0 : 1);
  for (int q = 0; q < b->to->nfreq; q++) {
    const double complex e = field_at(b, comp, at, q);
    w->square[q] = b->first_difference * d * d / TOR_ETA0 * (creal(e) * creal(e) + cimag(e) * cimag(e));
  }
}

/* A medium's fraction at z of a column, and with a branch its other weights (diamond/core/update.h). Returns 0: none;
 * 1; 2: a branch. */
static int weights_at(const struct tor_balance_worker *w, int comp, int d, int z, double k[TOR_BRANCH_WEIGHTS]) {
  const struct tor_slab *slab = w->b->columns->slab;
  const size_t nzp = (size_t)slab->nzp,
               first = ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * TOR_COLUMN_KINDS;
  const double *share = w->column.share + first * TOR_BRANCH_WEIGHTS * nzp,
               *of_branch = share + TOR_BRANCH_WEIGHTS * nzp;
  const int branch = of_branch[z] > 0;
  if (!branch && !(share[z] > 0)) return 0;
  for (size_t i = 0; i < TOR_BRANCH_WEIGHTS; i++) k[i] = branch ? of_branch[i * nzp + (size_t)z] : share[z];
  return 1 + branch;
}

void tor_balance_point(struct tor_balance_worker *w, int comp, const int at[3], int z) {
  const struct tor_balance *b = w->b;
  const struct tor_columns *c = b->columns;
  const size_t nfreq = (size_t)b->to->nfreq, point = (size_t)comp * (size_t)c->slab->nzp + (size_t)z;
  const int axis = tor_comp_axis(comp), ndispersion = tor_comp_is_h(comp) ? 0 : c->slab->ndispersion;
  if (w->column.cb[point] == 0) return; /* a perfect conductor */
  double conductance = -w->column.ca1[point] / w->column.cb[point], k[TOR_BRANCH_WEIGHTS], x[3];
  const double all = conductance;
  int any = conductance != 0;
  for (int d = 0; d < ndispersion && !any; d++) any = weights_at(w, comp, d, z, k);
  if (!any) return;
  for (int a = 0; a < 3; a++) x[a] = tor_grid_place(c->grid, comp, a, at[a]);
  const struct tor_absorption_owners owners = find_owners(w, x);
  find_squares(w, comp, at);
  for (int d = 0; d < ndispersion; d++) {
    const double complex *current = b->current + ((size_t)d * 3 + (size_t)axis) * nfreq;
    const int kind = weights_at(w, comp, d, z, k);
    if (!kind) continue;
    if (kind == 1) conductance -= k[0] * b->implicit[d * 3 + axis];
    for (size_t q = 0; q < nfreq; q++) {
      const double complex step = b->half[q] - 1 / b->half[q], own = k[0] * current[q];
      w->power[q] = creal(kind == 1 ? own : k[3] * own * k[1] / (1 + own * k[2] / step)) * w->square[q];
    }
    deposit(w, comp, at, b->medium[d], &owners);
  }
  if (fabs(conductance) > 1e-12 * fabs(all)) deposit_conductance(w, comp, at, &owners, conductance);
}

/* The mean of the two edges of an axis at a node [V/m/Hz]; behind a wall the field across it is reflected. */
static double complex mean_at(const struct tor_balance *b, int axis, const int at[3], int q) {
  const struct tor_grid *g = b->columns->grid;
  const struct tor_patch *p = &b->recorder->patch[TOR_EX + axis];
  int below[3] = {at[0], at[1], at[2]};
  below[axis]--;
  const int low = below[axis] >= p->first[axis], high = at[axis] < p->first[axis] + p->count[axis];
  const double complex e0 = low ? field_at(b, TOR_EX + axis, below, q) : 0,
                       e1 = high ? field_at(b, TOR_EX + axis, at, q) : 0;
  const int low_face = g->mirror[axis] ? 2 * axis + 1 : 2 * axis;
  if (!low) return tor_grid_wall(g, low_face) == TOR_PMC ? 0 : e1;
  if (!high) return tor_grid_wall(g, 2 * axis + 1) == TOR_PMC ? 0 : e0;
  return 0.5 * (e0 + e1);
}

void tor_balance_node(struct tor_balance_worker *w, const int at[3], int z, const int flip[3]) {
  const struct tor_balance *b = w->b;
  const struct tor_columns *c = b->columns;
  const struct tor_grid *g = c->grid;
  double k[TOR_METAL_WEIGHTS], n[3], x[3];
  if (!w->column.metal_poles || !tor_column_has_node(c, &w->column, z)) return;
  tor_column_node(c, &w->column, z, k);
  const int d = (int)k[TOR_METAL_MEDIUM] - 1;
  if (d < 0) return;
  for (int a = 0; a < 3; a++) {
    n[a] = flip[a] ? -k[a] : k[a];
    x[a] = g->lo[a] + at[a] * g->d[a];
  }
  const double volume = g->d[0] * g->d[1] * g->d[2];
  for (int q = 0; q < b->to->nfreq; q++) {
    const double complex step = b->half[q] - 1 / b->half[q],
                         chi =
                             k[TOR_METAL_DRIVE] / (step + k[TOR_METAL_RESTORE] * g->ct / step) +
                             b->current[(size_t)d * 3 * (size_t)b->to->nfreq + (size_t)q] / tor_grid_metric(g, TOR_EX);
    double complex v[3], along = 0, product = 0;
    for (int a = 0; a < 3; a++) along += n[a] * (v[a] = mean_at(b, a, at, q));
    const double complex inside = (1 - k[TOR_METAL_ALONG]) * along / (1 + k[TOR_METAL_ACROSS] * g->ct * chi / step);
    for (int a = 0; a < 3; a++) product += conj(v[a]) * (v[a] - n[a] * (along - inside));
    w->power[q] = 2 * k[TOR_METAL_SHARE] * volume / TOR_ETA0 * creal(chi * product);
  }
  const struct tor_absorption_owners owners = find_owners(w, x);
  deposit(w, -1, at, b->medium[d], &owners);
}
