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
#include "src/model/box_walk.h"
#include "src/model/column.h"
#include "src/model/column_media.h"
#include "src/model/column_nodes.h"
#include "src/model/nearby.h"
#include "src/model/response.h"

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
  const struct tor_nearby *near = &w->walker.here;
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
  for (int i = 0; i < w->walker.here.nseen; i++)
    if (w->b->columns->job->objects[w->walker.here.seen[i]].medium == medium) return w->walker.here.seen[i];
  return -1;
}

/* --- Where it goes --- */

/* Adds w->power of a point of a component (or of a node: comp -1), which one medium takes. */
static void deposit(struct tor_balance_worker *w, int comp, const int at[3], int medium,
                    const struct tor_absorption_owners *o) {
  const struct tor_balance *b = w->b;
  const struct tor_absorption *to = b->to;
  const size_t nfreq = (size_t)to->nfreq, slice = (size_t)to->count[1] * (size_t)to->count[2];
  int first[3], n[3], whole[3], hits = 0;
  for (int a = 0; a < 3; a++) whole[a] = tor_box_cells(&b->walk, comp, a, at[a], &first[a], &n[a]);
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
    const double complex e = tor_box_field(&b->walk, comp, at, q);
    w->square[q] = b->first_difference * d * d / TOR_ETA0 * (creal(e) * creal(e) + cimag(e) * cimag(e));
  }
}

void tor_balance_point(struct tor_box_walker *walker, int comp, const int at[3], int z) {
  struct tor_balance_worker *w = walker->context;
  const struct tor_balance *b = w->b;
  const struct tor_columns *c = b->columns;
  const size_t nfreq = (size_t)b->to->nfreq, point = (size_t)comp * (size_t)c->slab->nzp + (size_t)z;
  const int axis = tor_comp_axis(comp), ndispersion = tor_comp_is_h(comp) ? 0 : c->slab->ndispersion;
  if (w->walker.column.cb[point] == 0) return; /* a perfect conductor */
  double conductance = -w->walker.column.ca1[point] / w->walker.column.cb[point], k[TOR_BRANCH_WEIGHTS], x[3];
  const double all = conductance;
  int any = conductance != 0;
  for (int d = 0; d < ndispersion && !any; d++) any = tor_column_poles(c, &w->walker.column, comp, d, z, k);
  if (!any) return;
  for (int a = 0; a < 3; a++) x[a] = tor_grid_place(c->grid, comp, a, at[a]);
  const struct tor_absorption_owners owners = find_owners(w, x);
  find_squares(w, comp, at);
  for (int d = 0; d < ndispersion; d++) {
    const double complex *current = b->current + ((size_t)d * 3 + (size_t)axis) * nfreq;
    const int kind = tor_column_poles(c, &w->walker.column, comp, d, z, k);
    if (!kind) continue;
    if (kind == 1) conductance -= k[0] * b->implicit[d * 3 + axis];
    for (size_t q = 0; q < nfreq; q++) {
      const double complex step = b->half[q] - 1 / b->half[q], own = k[0] * current[q];
      w->power[q] = creal(kind == 1 ? own : k[3] * own * k[1] / (1 + own * k[2] / step)) * w->square[q];
    }
    deposit(w, comp, at, b->walk.medium[d], &owners);
  }
  if (fabs(conductance) > 1e-12 * fabs(all)) deposit_conductance(w, comp, at, &owners, conductance);
}

void tor_balance_node(struct tor_box_walker *walker, const int at[3], int z, const int flip[3]) {
  struct tor_balance_worker *w = walker->context;
  const struct tor_balance *b = w->b;
  const struct tor_columns *c = b->columns;
  const struct tor_grid *g = c->grid;
  double k[TOR_METAL_WEIGHTS], x[3];
  if (w->walker.column.metal_poles <= 0 || !tor_column_has_node(c, &w->walker.column, z)) return;
  tor_column_node(c, &w->walker.column, z, k);
  const int d = (int)k[TOR_METAL_MEDIUM] - 1;
  if (d < 0) return;
  for (int a = 0; a < 3; a++) x[a] = tor_grid_at(g, a, at[a]);
  const double volume = g->d[0] * g->d[1] * g->d[2];
  for (int q = 0; q < b->to->nfreq; q++) {
    const double complex step = b->half[q] - 1 / b->half[q],
                         chi =
                             k[TOR_METAL_DRIVE] / (step + k[TOR_METAL_RESTORE] * g->ct / step) +
                             b->current[(size_t)d * 3 * (size_t)b->to->nfreq + (size_t)q] / tor_grid_metric(g, TOR_EX);
    double complex v[3], u[3];
    tor_box_pairs(&b->walk, at, flip, q, v, u);
    w->power[q] = volume / TOR_ETA0 * creal(chi * tor_metal_work(k, g->ct * chi / step, v, u));
  }
  const struct tor_absorption_owners owners = find_owners(w, x);
  deposit(w, -1, at, b->walk.medium[d], &owners);
}
