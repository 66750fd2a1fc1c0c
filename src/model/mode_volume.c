/* Volumes of modes: see mode_volume.h. */
#include "src/model/mode_volume.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/box_walk.h"
#include "src/model/column_media.h"
#include "src/model/column_nodes.h"
#include "src/model/monitor.h"
#include "src/model/response.h"

/* What is summed up at nodes: u |E|^2 has no place there. */
enum { NODE_ENERGY, NODE_SQUARE, NODE_KINDS };
/* Frequencies at which a response is taken: w, and w (1 - STEP), w (1 + STEP) for its derivative. */
enum { AT, BELOW, ABOVE, RESPONSES };
static const double STEP = 1e-4;

struct evaluation {
  struct tor_box_walk walk;
  int nfreq;
  struct tor_responses responses; /* [RESPONSES][nfreq] */
  struct tor_mode_volume *to;
  double *highest, *largest; /* [nfreq] eps |E|^2 at a node, and near it */
  double *slice[3];          /* [NODE_KINDS][nfreq][nodes]: the present slice of nodes, those before and behind */
  double *pending;           /* of the one that is not complete yet */
};

/* A thread's part: one slice of points, which touches two slices of nodes. */
struct worker {
  struct evaluation *e;
  struct tor_box_walker walker;
  int ix;          /* of the slice */
  double *energy;  /* [nfreq] integral */
  double *node[2]; /* as pending: with the same ix and the next */
};

int tor_mode_volume_has_nodes(const struct tor_job *job) { return tor_job_has_nodes(job); }

/* --- Responses --- */

static size_t nodes_of(const struct tor_box_walk *b) { return ((size_t)b->count[1] + 1) * ((size_t)b->count[2] + 1); }

/* Number of response r at frequency q. */
static int place(const struct evaluation *e, int r, int q) { return r * e->nfreq + q; }

static double complex step_of(const struct evaluation *e, int r, int q) {
  return tor_responses_step(&e->responses, place(e, r, q));
}

/* --- Sums --- */

/* Which part of a point's cell lies in the box along an axis. */
static double share_along(const struct tor_box_walk *b, int comp, int axis, int i) {
  const int from = i - b->first[axis], n = b->count[axis];
  if (b->grid.plane && axis == TOR_X) return 1;
  if (comp >= 0 && tor_comp_half(comp, axis)) return from >= 0 && from < n;
  return from < 0 || from > n ? 0 : from == 0 || from == n ? 0.5 : 1;
}

static double share_of(const struct tor_box_walk *b, int comp, const int at[3]) {
  double share = 1;
  for (int a = 0; a < 3; a++) share *= share_along(b, comp, a, at[a]);
  return share;
}

static void add_at_node(struct worker *w, const int at[3], int q, double energy, double square) {
  const struct tor_box_walk *b = &w->e->walk;
  const size_t nodes = nodes_of(b), row = (size_t)b->count[2] + 1;
  const size_t place = (size_t)q * nodes + (size_t)(at[1] - b->first[1]) * row + (size_t)(at[2] - b->first[2]);
  double *to = w->node[at[0] != w->ix];
  to[place] += energy;
  to[NODE_SQUARE * (size_t)w->e->nfreq * nodes + place] += square;
}

/* Both ends of an edge; at the box's sides it is the only one of its axis. */
static void add_at_ends(struct worker *w, int axis, const int at[3], int q, double energy, double square) {
  const struct tor_box_walk *b = &w->e->walk;
  const int uniform = b->grid.plane && axis == TOR_X;
  for (int end = 0; end < (uniform ? 1 : 2); end++) {
    int node[3] = {at[0], at[1], at[2]};
    node[axis] += end;
    const int from = node[axis] - b->first[axis];
    const double part = uniform || from == 0 || from == b->count[axis] ? 1 : 0.5;
    add_at_node(w, node, q, part * energy, part * square);
  }
}

static void take_point(struct tor_box_walker *walker, int comp, const int at[3], int z) {
  struct worker *w = walker->context;
  const struct evaluation *e = w->e;
  const struct tor_grid *g = &e->walk.grid;
  const double share = share_of(&e->walk, comp, at), unit = g->ct / tor_grid_metric(g, comp);
  if (walker->column.cb[(size_t)comp * (size_t)e->walk.columns->slab->nzp + (size_t)z] == 0 || share == 0) return;
  for (int q = 0; q < e->nfreq; q++) {
    const double complex field = tor_box_field(&e->walk, comp, at, q);
    const double square = creal(field) * creal(field) + cimag(field) * cimag(field);
    double complex y[RESPONSES];
    for (int r = 0; r < RESPONSES; r++)
      y[r] = tor_responses_edge(&e->responses, &walker->column, comp, z, place(e, r, q));
    const double slope = creal((y[ABOVE] - y[BELOW]) / (step_of(e, ABOVE, q) - step_of(e, BELOW, q)));
    w->energy[q] += share * unit * slope * square;
    add_at_ends(w, tor_comp_axis(comp), at, q, unit * creal(y[AT] / step_of(e, AT, q)) * square, square);
  }
}

/* The polarisation of a surface node over the field along the surface and across it (docs/design/metal-nodes.md,
 * absorption_points.c). A dielectric's oscillator stands for a permittivity: its own energy is not the field's. */
static double complex node_response(const struct evaluation *e, const double *k, int metal, int r, int q) {
  const struct tor_grid *g = &e->walk.grid;
  const double complex step = step_of(e, r, q);
  const double restore = metal ? k[TOR_METAL_RESTORE] : e->walk.columns->slab->node.restore;
  const double drive = metal ? k[TOR_METAL_DRIVE] : restore * k[TOR_METAL_DRIVE];
  const int d = metal ? (int)k[TOR_METAL_MEDIUM] - 1 : -1;
  double complex chi = drive / (step + restore * g->ct / step);
  if (d >= 0)
    chi += (tor_responses_poles(&e->responses, d, 0, place(e, r, q)) +
            e->responses.implicit[3 * d] * e->responses.half[place(e, r, q)]) /
           tor_grid_metric(g, TOR_EX);
  return chi;
}

/* The square of the field along a dielectric's surface. */
static double along_surface(const double *k, const double complex v[3]) {
  double complex across = 0;
  double square = 0;
  for (int a = 0; a < 3; a++) {
    across += k[a] * v[a];
    square += creal(v[a] * conj(v[a]));
  }
  return square - creal(across * conj(across));
}

static void take_node(struct tor_box_walker *walker, const int at[3], int z, const int flip[3]) {
  struct worker *w = walker->context;
  const struct evaluation *e = w->e;
  const struct tor_columns *c = e->walk.columns;
  const double share = share_of(&e->walk, -1, at);
  const int kind = walker->column.metal_poles, metal = kind > 0;
  double k[TOR_METAL_WEIGHTS];
  if (share == 0 || !tor_column_has_node(c, &walker->column, z)) return;
  tor_column_node(c, &walker->column, z, k);
  const int poles = metal && k[TOR_METAL_MEDIUM] > 0;
  for (int q = 0; q < e->nfreq; q++) {
    double complex v[3], u[3], total[RESPONSES];
    tor_box_pairs(&e->walk, at, flip, q, v, u);
    for (int r = 0; r < RESPONSES; r++) {
      const double complex chi = node_response(e, k, metal, r, q);
      total[r] = e->walk.grid.ct * chi *
                 (metal ? tor_metal_work(k, e->walk.grid.ct * chi / step_of(e, r, q), v, u) : along_surface(k, v));
    }
    const double now = creal(total[AT] / step_of(e, AT, q)),
                 slope = creal((total[ABOVE] - total[BELOW]) / (step_of(e, ABOVE, q) - step_of(e, BELOW, q)));
    w->energy[q] += share * (poles ? slope : now);
    add_at_node(w, at, q, now, 0);
  }
}

/* --- Slices, in order --- */

/* What a parabola through three neighbours rises above the middle one. Where they differ by more than a field in a
 * homogeneous medium does, as on a surface, it is no parabola. */
static double rise_of(double before, double here, double behind) {
  const double bend = 2 * here - before - behind, slope = behind - before;
  return fmin(before, behind) > 0.75 * here && bend > 0 ? slope * slope / (8 * bend) : 0;
}

/* The largest near a node of slice 1, of which those to both sides of an axis are known. */
static double peak_at(const struct evaluation *e, int q, size_t node) {
  const struct tor_box_walk *b = &e->walk;
  const size_t row = (size_t)b->count[2] + 1, first = (size_t)q * nodes_of(b);
  const double *here = e->slice[1] + first, *before = e->slice[0] + first, *behind = e->slice[2] + first;
  const size_t y = node / row, z = node % row;
  double peak = here[node] + rise_of(before[node], here[node], behind[node]);
  if (y > 0 && y < (size_t)b->count[1]) peak += rise_of(here[node - row], here[node], here[node + row]);
  if (z > 0 && z < (size_t)b->count[2]) peak += rise_of(here[node - 1], here[node], here[node + 1]);
  return peak;
}

/* The largest of slice 1, at ix. */
static void find_largest(struct evaluation *e, int ix) {
  const struct tor_box_walk *b = &e->walk;
  const size_t nodes = nodes_of(b), row = (size_t)b->count[2] + 1;
  for (int q = 0; q < e->nfreq; q++) {
    const double *energy = e->slice[1] + (size_t)q * nodes, *square = energy + (size_t)e->nfreq * nodes;
    for (size_t i = 0; i < nodes; i++) {
      if (!(energy[i] > e->highest[q])) continue;
      const int at[3] = {ix, b->first[1] + (int)(i / row), b->first[2] + (int)(i % row)};
      e->highest[q] = energy[i];
      e->largest[q] = peak_at(e, q, i);
      e->to[q].index = sqrt(energy[i] / square[i]);
      for (int a = 0; a < 3; a++) e->to[q].place[a] = tor_grid_at(&b->grid, a, at[a]);
    }
  }
}

/* The next slice of nodes becomes number 2: that of ix. */
static void take_next(struct evaluation *e, int ix, size_t size) {
  double *oldest = e->slice[0];
  e->slice[0] = e->slice[1];
  e->slice[1] = e->slice[2];
  e->slice[2] = e->pending;
  e->pending = oldest;
  memset(oldest, 0, size * sizeof *oldest);
  find_largest(e, ix - 1);
}

/* Adds a slice of points, and clears it. */
static void join(struct worker *w) {
  struct evaluation *e = w->e;
  const size_t size = NODE_KINDS * (size_t)e->nfreq * nodes_of(&e->walk);
  for (int q = 0; q < e->nfreq; q++) e->to[q].energy += w->energy[q], w->energy[q] = 0;
  for (size_t i = 0; i < size; i++) e->pending[i] += w->node[0][i];
  take_next(e, w->ix, size);
  memcpy(e->pending, w->node[1], size * sizeof *e->pending);
  for (int i = 0; i < 2; i++) memset(w->node[i], 0, size * sizeof *e->pending);
}

/* --- All of it --- */

static void find_responses(struct evaluation *e) {
  static const double factor[RESPONSES] = {[AT] = 1, [BELOW] = 1 - STEP, [ABOVE] = 1 + STEP};
  double *omega = tor_alloc(RESPONSES * (size_t)e->nfreq, sizeof *omega, "mode volume");
  for (int r = 0; r < RESPONSES; r++)
    for (int q = 0; q < e->nfreq; q++) omega[place(e, r, q)] = factor[r] * e->walk.recorder->omega[q];
  tor_responses_make(e->walk.columns, omega, RESPONSES * e->nfreq, &e->responses);
  free(omega);
}

static void run_worker(struct evaluation *e) {
  const size_t size = NODE_KINDS * (size_t)e->nfreq * nodes_of(&e->walk);
  struct worker w = {.e = e, .walker = tor_box_walker_new(&e->walk, &w)};
  w.energy = tor_alloc((size_t)e->nfreq, sizeof *w.energy, "mode volume");
  for (int i = 0; i < 2; i++) w.node[i] = tor_alloc(size, sizeof *w.node[i], "mode volume");
#pragma omp for ordered schedule(dynamic, 1)
  for (int i = 0; i < e->walk.slices; i++) {
    w.ix = e->walk.first[0] + i;
    tor_box_walk_slice(&w.walker, w.ix);
#pragma omp ordered
    join(&w);
  }
  tor_box_walker_free(&w.walker);
  free(w.energy);
  for (int i = 0; i < 2; i++) free(w.node[i]);
}

void tor_mode_volume_make(const struct tor_monitors *ms, const struct tor_job *job, const struct tor_recorder *l,
                          struct tor_mode_volume *to) {
  struct evaluation e = {.nfreq = l->nfreq, .to = to};
  tor_box_walk_start(ms, job, l, &e.walk);
  e.walk.point = take_point;
  e.walk.node = tor_mode_volume_has_nodes(job) ? take_node : NULL;
  find_responses(&e);
  const size_t size = NODE_KINDS * (size_t)e.nfreq * nodes_of(&e.walk);
  e.largest = tor_alloc((size_t)e.nfreq, sizeof *e.largest, "mode volume");
  e.highest = tor_alloc((size_t)e.nfreq, sizeof *e.highest, "mode volume");
  e.pending = tor_alloc(size, sizeof *e.pending, "mode volume");
  for (int i = 0; i < 3; i++) e.slice[i] = tor_alloc(size, sizeof *e.slice[i], "mode volume");
  memset(to, 0, (size_t)e.nfreq * sizeof *to);
#pragma omp parallel
  run_worker(&e);
  take_next(&e, e.walk.first[0] + e.walk.slices, size);
  for (int q = 0; q < e.nfreq; q++) {
    const double *d = e.walk.grid.d;
    to[q].energy *= d[0] * d[1] * d[2];
    to[q].volume = e.largest[q] > 0 ? to[q].energy / e.largest[q] : (double)NAN;
  }
  tor_responses_free(&e.responses);
  free(e.largest);
  free(e.highest);
  free(e.pending);
  for (int i = 0; i < 3; i++) free(e.slice[i]);
  tor_box_walk_stop(&e.walk);
}
