/* What media absorb: see absorption.h. */
#include "src/model/absorption.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/model/absorption_parts.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/periodic_objects.h"
#include "src/model/box_walk.h"
#include "src/model/column_media.h"
#include "src/model/metal.h"
#include "src/model/monitor.h"
#include "src/model/plane_media.h"

unsigned tor_absorption_components(const struct tor_job *job) {
  unsigned components = 1u << TOR_EX | 1u << TOR_EY | 1u << TOR_EZ;
  for (int m = 0; m < job->nmedia; m++)
    for (int a = 0; a < 3; a++)
      if (job->media[m].sigma_m[a] != 0) components |= components << 3;
  return components;
}

int tor_absorption_has_nodes(const struct tor_job *job) {
  int metals = 0;
  for (int m = 0; m < job->nmedia; m++) metals |= tor_is_metal(job, &job->media[m]);
  return metals && tor_job_has_nodes(job);
}

/* --- Slices --- */

/* Adds a slice's sums and clears them. */
static void join_slice(struct tor_balance_worker *w, int ix) {
  const struct tor_absorption *to = w->b->to;
  const size_t nfreq = (size_t)to->nfreq, slice = (size_t)to->count[1] * (size_t)to->count[2];
  for (size_t i = 0; i < (size_t)to->nmedia * nfreq; i++) to->medium[i] += w->medium[i];
  memset(w->medium, 0, (size_t)to->nmedia * nfreq * sizeof *w->medium);
  for (int i = 0; i < w->ntouched; i++) {
    const size_t e = (size_t)w->touched[i] * nfreq;
    for (size_t q = e; q < e + nfreq; q++) to->object[q] += w->object[q];
    memset(w->object + e, 0, nfreq * sizeof *w->object);
    w->is_touched[w->touched[i]] = 0;
  }
  w->ntouched = 0;
  for (int side = 0; side < 2; side++) {
    const int x = ix - 1 + side - to->first[0];
    if (x < 0 || x >= to->count[0]) continue;
    for (size_t q = 0; q < nfreq; q++) {
      const double *from = w->cells + ((size_t)side * nfreq + q) * slice;
      double *sum = to->density + (q * (size_t)to->count[0] + (size_t)x) * slice;
      for (size_t i = 0; i < slice; i++) sum[i] += from[i];
    }
  }
  memset(w->cells, 0, 2 * nfreq * slice * sizeof *w->cells);
}

/* --- All of it --- */

static void start_worker(const struct tor_balance *b, struct tor_balance_worker *w) {
  const struct tor_absorption *to = b->to;
  const size_t nfreq = (size_t)to->nfreq;
  *w = (struct tor_balance_worker){.b = b, .walker = tor_box_walker_new(&b->walk, w)};
  w->cells = tor_alloc(2 * nfreq * (size_t)to->count[1] * (size_t)to->count[2], sizeof *w->cells, "absorption");
  w->medium = tor_alloc((size_t)to->nmedia * nfreq, sizeof *w->medium, "absorption");
  w->object = tor_alloc(((size_t)to->nobjects + 1) * nfreq, sizeof *w->object, "absorption");
  w->touched = tor_alloc((size_t)to->nobjects + 1, sizeof *w->touched, "absorption");
  w->is_touched = tor_alloc((size_t)to->nobjects + 1, 1, "absorption");
  w->power = tor_alloc(nfreq, sizeof *w->power, "absorption");
  w->square = tor_alloc(nfreq, sizeof *w->square, "absorption");
}

static void stop_worker(struct tor_balance_worker *w) {
  tor_box_walker_free(&w->walker);
  free(w->cells);
  free(w->medium);
  free(w->object);
  free(w->touched);
  free(w->is_touched);
  free(w->power);
  free(w->square);
}

/* What depends on the frequency alone. */
static void find_responses(struct tor_balance *b) {
  const struct tor_columns *c = b->columns;
  const size_t nfreq = (size_t)b->to->nfreq, n = (size_t)c->slab->ndispersion;
  b->half = tor_alloc(nfreq, sizeof *b->half, "absorption");
  b->current = tor_alloc(n * 3 * nfreq, sizeof *b->current, "absorption");
  b->implicit = tor_alloc(n * 3, sizeof *b->implicit, "absorption");
  for (size_t q = 0; q < nfreq; q++) b->half[q] = cexp(CMPLX(0, -0.5 * b->recorder->omega[q] * c->grid->dt));
  for (size_t d = 0; d < n; d++) {
    const struct tor_dispersion *of = &c->slab->dispersion[d];
    for (size_t a = 0; a < 3; a++) {
      for (int i = 0; i < of->npoles; i++) b->implicit[3 * d + a] += of->pole[i].k4[a];
      for (size_t q = 0; q < nfreq; q++)
        b->current[(3 * d + a) * nfreq + q] =
            tor_plane_media_poles(of, (int)a, c->grid->ct, b->half[q]) + b->implicit[3 * d + a] * b->half[q];
    }
  }
}

static void reserve(const struct tor_balance *b, struct tor_absorption *to) {
  const struct tor_recorder *l = b->recorder;
  *to = (struct tor_absorption){.nfreq = l->nfreq, .nmedia = b->job->nmedia};
  for (int o = 0; o < b->job->nobjects; o++) {
    const int number = tor_job_object_number(b->job, o);
    if (number >= to->nobjects) to->nobjects = number + 1;
  }
  memcpy(to->first, b->walk.first, sizeof to->first);
  memcpy(to->count, b->walk.count, sizeof to->count);
  const size_t nfreq = (size_t)l->nfreq, cells = (size_t)to->count[0] * (size_t)to->count[1] * (size_t)to->count[2];
  to->total = tor_alloc(nfreq, sizeof *to->total, "absorption");
  to->medium = tor_alloc((size_t)to->nmedia * nfreq, sizeof *to->medium, "absorption");
  to->object = tor_alloc(((size_t)to->nobjects + 1) * nfreq, sizeof *to->object, "absorption");
  to->density = tor_alloc(cells * nfreq, sizeof *to->density, "absorption");
}

static void find_elements(struct tor_balance *b) {
  const struct tor_columns *c = b->columns;
  int *origin = tor_job_copies_of(b->job, c->grid, tor_columns_reach(c->grid), c->job);
  b->element = tor_alloc((size_t)c->job->nobjects, sizeof *b->element, "absorption");
  for (int o = 0; o < c->job->nobjects; o++) b->element[o] = tor_job_object_number(b->job, origin[o]);
  free(origin);
}

void tor_absorption_make(const struct tor_monitors *ms, const struct tor_job *job, const struct tor_recorder *l,
                         struct tor_absorption *to) {
  const struct tor_grid *grid = ms->grid;
  struct tor_balance b = {.job = job, .recorder = l, .to = to};
  tor_box_walk_start(ms, job, l, &b.walk);
  b.columns = b.walk.columns;
  b.walk.point = tor_balance_point;
  b.walk.node = tor_absorption_has_nodes(job) ? tor_balance_node : NULL;
  b.first_difference = grid->order == 4 ? 9.0 / 8.0 : 1;
  reserve(&b, to);
  find_elements(&b);
  find_responses(&b);
#pragma omp parallel
  {
    struct tor_balance_worker w;
    start_worker(&b, &w);
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < b.walk.slices; i++) {
      tor_box_walk_slice(&w.walker, to->first[0] + i);
#pragma omp ordered
      join_slice(&w, to->first[0] + i);
    }
    stop_worker(&w);
  }
  const size_t cells = (size_t)to->count[0] * (size_t)to->count[1] * (size_t)to->count[2];
  const double volume = grid->d[0] * grid->d[1] * grid->d[2];
  for (size_t i = 0; i < cells * (size_t)to->nfreq; i++) to->density[i] /= volume;
  for (int m = 0; m < to->nmedia; m++)
    for (int q = 0; q < to->nfreq; q++) to->total[q] += to->medium[m * to->nfreq + q];
  free(b.element);
  free(b.half);
  free(b.current);
  free(b.implicit);
  tor_box_walk_stop(&b.walk);
}

void tor_absorption_free(struct tor_absorption *a) {
  free(a->total);
  free(a->medium);
  free(a->object);
  free(a->density);
  memset(a, 0, sizeof *a);
}
