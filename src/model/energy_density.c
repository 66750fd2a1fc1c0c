/* Energy of the fields in a box: see energy_density.h. */
#include "src/model/energy_density.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/box_walk.h"
#include "src/model/column_media.h"
#include "src/model/column_nodes.h"
#include "src/model/monitor.h"
#include "src/model/response.h"

struct evaluation {
  struct tor_box_walk walk;
  struct tor_responses responses;
  double *stored; /* [ndispersion][3][nfreq] of a medium's poles, over eps0 |E|^2 / 2 */
  struct tor_energy_density *to;
};

/* A thread's part: one slice of points with the same ix, and the cells at both sides of it. */
struct worker {
  const struct evaluation *e;
  struct tor_box_walker walker;
  double *cells;  /* [2][TOR_ENERGIES][nfreq][count[1]][count[2]]: of ix - 1 and ix */
  double *energy; /* [nfreq] of a point */
};

int tor_energy_density_has_nodes(const struct tor_job *job) { return tor_job_has_nodes(job); }

/* --- Which media --- */

void tor_energy_density_check(const struct tor_job *job, const struct tor_monitor *monitor, struct tor_faults *faults) {
  for (int i = 0; i < job->nmedia; i++) {
    const struct tor_medium *m = &job->media[i];
    const char *const part = tor_medium_has_gain(m)
                                 ? "pole of negative strength, whose energy is not that of an oscillator"
                             : tor_medium_is_trapezoidal(m) ? "critical point, which is no oscillator"
                                                            : tor_medium_node_part(m);
    if (!part || !tor_job_uses_medium(job, i)) continue;
    tor_fault_at(faults, tor_job_monitor_place(job, monitor),
                 "the energy that \"%s\" stores is not known: it has a %s; need " TOR_NEEDED(
                     "a job without it, or fields and a flux_box"),
                 m->name, part);
  }
}

/* --- Energies over |E|^2 eps0 / 2 --- */

/* A pole along an axis, at the grid's frequency W and with cosine = cos(w dt / 2). */
static double stored_by(const struct tor_pole *pole, int axis, double frequency, double cosine) {
  const double part = tor_pole_part(pole, axis), square = frequency * frequency;
  if (pole->kind == TOR_DEBYE) return part * pole->strength / (1 + pow(frequency * pole->tau / cosine, 2));
  const double own = pole->kind == TOR_LORENTZ ? pole->omega * pole->omega : 0,
               strength = pole->kind == TOR_LORENTZ ? pole->strength * own : pole->strength * pole->strength;
  return part * strength * (square + own) / (pow(own - square, 2) + pow(pole->gamma * cosine * frequency, 2));
}

static double stored(const struct evaluation *e, int d, int axis, int q) {
  return e->stored[(3 * d + axis) * e->to->nfreq + q];
}

/* An edge: what acts at once, and the poles, in a branch driven by its own field a e / (1 + g w C / step), whose charge
 * g P^2 counts, too, by the part r / a of the edge. */
static double of_edge(const struct tor_box_walker *w, const struct evaluation *e, int comp, int z, int q) {
  const struct tor_columns *c = e->walk.columns;
  const struct tor_grid *g = c->grid;
  const int axis = tor_comp_axis(comp);
  const double unit = g->ct / tor_grid_metric(g, comp);
  const double complex step = tor_responses_step(&e->responses, q);
  double sum = creal(tor_responses_permittivity(&e->responses, &w->column, comp, z, -1));
  for (int d = 0; d < c->slab->ndispersion; d++) {
    double k[TOR_BRANCH_WEIGHTS];
    const int kind = tor_column_poles(c, &w->column, comp, d, z, k);
    if (kind == 1) sum += k[0] * stored(e, d, axis, q);
    if (kind != 2) continue;
    const double complex own = k[0] * tor_responses_poles(&e->responses, d, axis, q),
                         inside = k[1] / (1 + own * k[2] / step), p = own * inside / step;
    sum +=
        k[3] / k[1] * (k[0] * stored(e, d, axis, q) * creal(inside * conj(inside)) + unit * k[2] * creal(p * conj(p)));
  }
  return sum;
}

/* A point of H: its permeability. */
static double of_h(const struct tor_box_walker *w, const struct evaluation *e, int comp, int z) {
  const struct tor_columns *c = e->walk.columns;
  const size_t point = (size_t)comp * (size_t)c->slab->nzp + (size_t)z;
  return 0.5 * c->grid->ct / tor_grid_metric(c->grid, comp) * (2 + w->column.ca1[point]) / w->column.cb[point];
}

static double square_of(double complex v) { return creal(v) * creal(v) + cimag(v) * cimag(v); }

/* A metal's node, with v and u the means and half the differences of its edges' fields: its poles and the charges on
 * the surface (diamond/core/update.h). */
static double of_metal(const struct evaluation *e, const double *k, const double complex v[3],
                       const double complex u[3], int q) {
  const struct tor_grid *g = &e->walk.grid;
  const struct tor_responses *r = &e->responses;
  const double complex step = tor_responses_step(r, q);
  const int d = (int)k[TOR_METAL_MEDIUM] - 1;
  double complex chi = g->ct * k[TOR_METAL_DRIVE] / (step * step + k[TOR_METAL_RESTORE] * g->ct), f[3], slope[3];
  double inner = creal(chi); /* the oscillator is a permittivity; without a restoring force its energy is -chi */
  if (!(k[TOR_METAL_RESTORE] > 0)) inner = -inner;
  if (d >= 0) {
    inner += stored(e, d, 0, q);
    chi += g->ct / (step * tor_grid_metric(g, TOR_EX)) *
           (tor_responses_poles(r, d, 0, q) + r->implicit[3 * d] * r->half[q]);
  }
  tor_metal_fields(k, chi, v, u, f, slope);
  double complex across = 0, leaning = 0; /* n . P, and what Q adds to it */
  double along = 0, differing = 0, charges = 0;
  for (int a = 0; a < 3; a++) {
    const double complex s = chi * slope[a];
    across += k[a] * f[a];
    leaning += k[a] * k[TOR_METAL_LEAN + a] * s;
    along += square_of(f[a]);
    differing += square_of(slope[a]);
    charges += k[TOR_METAL_STIFF + a] * square_of(s);
  }
  along -= square_of(across);
  charges += k[TOR_METAL_ACROSS] * square_of(chi * across) - 2 * creal(conj(chi * across) * leaning);
  const double rest = 1 - k[TOR_METAL_ALONG]; /* P and Q across the surface are by this less than the metal's */
  return 2 * k[TOR_METAL_SHARE] *
         (inner * along + (rest > 0 ? (inner * (square_of(across) + differing) + charges) / rest : 0));
}

/* --- Cells --- */

/* Adds w->energy, of a point of a component (or of a node: comp -1), to the cells that it touches. */
static void deposit(struct worker *w, int comp, const int at[3], int kind) {
  const struct tor_box_walk *b = &w->e->walk;
  const struct tor_energy_density *to = w->e->to;
  const size_t nfreq = (size_t)to->nfreq, slice = (size_t)to->count[1] * (size_t)to->count[2];
  int first[3], n[3], whole = 1;
  for (int a = 0; a < 3; a++) whole *= tor_box_cells(b, comp, a, at[a], &first[a], &n[a]);
  for (int x = first[0]; x < first[0] + n[0]; x++) {
    const size_t side = x + to->first[0] == at[0]; /* of the slice */
    for (size_t q = 0; q < nfreq; q++)
      for (int y = first[1]; y < first[1] + n[1]; y++)
        for (int z = first[2]; z < first[2] + n[2]; z++)
          w->cells[((side * TOR_ENERGIES + (size_t)kind) * nfreq + q) * slice + (size_t)y * (size_t)to->count[2] +
                   (size_t)z] += w->energy[q] / whole;
  }
}

static void take_point(struct tor_box_walker *walker, int comp, const int at[3], int z) {
  struct worker *w = walker->context;
  const struct evaluation *e = w->e;
  const int h = tor_comp_is_h(comp);
  if (walker->column.cb[(size_t)comp * (size_t)e->walk.columns->slab->nzp + (size_t)z] == 0) return;
  for (int q = 0; q < e->to->nfreq; q++)
    w->energy[q] = 0.5 * (h ? TOR_MU0 * of_h(walker, e, comp, z) : TOR_EPS0 * of_edge(walker, e, comp, z, q)) *
                   square_of(tor_box_field(&e->walk, comp, at, q));
  deposit(w, comp, at, h ? TOR_ENERGY_OF_H : TOR_ENERGY_OF_E);
}

static void take_node(struct tor_box_walker *walker, const int at[3], int z, const int flip[3]) {
  struct worker *w = walker->context;
  const struct evaluation *e = w->e;
  const int metal = walker->column.metal_poles > 0;
  double k[TOR_METAL_WEIGHTS];
  if (!tor_column_has_node(e->walk.columns, &walker->column, z)) return;
  tor_column_node(e->walk.columns, &walker->column, z, k);
  for (int q = 0; q < e->to->nfreq; q++) {
    double complex v[3], u[3], chi[3][3];
    double sum = 0;
    tor_box_pairs(&e->walk, at, flip, q, v, u);
    if (metal) {
      sum = of_metal(e, k, v, u, q);
    } else { /* oscillators stand for permittivities */
      tor_responses_node(&e->responses, &walker->column, z, q, chi);
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) sum += creal(conj(v[a]) * chi[a][b] * v[b]);
    }
    w->energy[q] = 0.5 * TOR_EPS0 * sum;
  }
  deposit(w, -1, at, TOR_ENERGY_OF_E);
}

/* --- Slices, in order --- */

/* Adds a slice's cells and clears them. */
static void join(struct worker *w, int ix) {
  const struct tor_energy_density *to = w->e->to;
  const size_t nfreq = (size_t)to->nfreq, slice = (size_t)to->count[1] * (size_t)to->count[2];
  for (int side = 0; side < 2; side++)
    for (int kind = 0; kind < TOR_ENERGIES; kind++) {
      const int x = ix - 1 + side - to->first[0];
      if (x < 0 || x >= to->count[0]) continue;
      for (size_t q = 0; q < nfreq; q++) {
        const double *from = w->cells + (((size_t)side * TOR_ENERGIES + (size_t)kind) * nfreq + q) * slice;
        double *sum = to->density[kind] + (q * (size_t)to->count[0] + (size_t)x) * slice;
        for (size_t i = 0; i < slice; i++) sum[i] += from[i];
      }
    }
  memset(w->cells, 0, 2 * TOR_ENERGIES * nfreq * slice * sizeof *w->cells);
}

/* --- All of it --- */

static void find_responses(struct evaluation *e, const struct tor_job *job) {
  const struct tor_columns *c = e->walk.columns;
  const int nfreq = e->to->nfreq;
  tor_responses_make(c, e->walk.recorder->omega, nfreq, &e->responses);
  e->stored = tor_alloc(3 * (size_t)c->slab->ndispersion * (size_t)nfreq, sizeof *e->stored, "energy");
  for (int d = 0; d < c->slab->ndispersion; d++)
    for (int a = 0; a < 3; a++)
      for (int q = 0; q < nfreq; q++) {
        const struct tor_medium *m = &job->media[e->walk.medium[d]];
        const double angle = 0.5 * e->walk.recorder->omega[q] * c->grid->dt;
        for (int p = 0; p < m->npoles; p++)
          e->stored[(3 * d + a) * nfreq + q] += stored_by(&m->poles[p], a, 2 / c->grid->dt * sin(angle), cos(angle));
      }
}

static void run_worker(const struct evaluation *e) {
  const struct tor_energy_density *to = e->to;
  struct worker w = {.e = e, .walker = tor_box_walker_new(&e->walk, &w)};
  w.cells = tor_alloc(2 * TOR_ENERGIES * (size_t)to->nfreq * (size_t)to->count[1] * (size_t)to->count[2],
                      sizeof *w.cells, "energy");
  w.energy = tor_alloc((size_t)to->nfreq, sizeof *w.energy, "energy");
#pragma omp for ordered schedule(dynamic, 1)
  for (int i = 0; i < e->walk.slices; i++) {
    tor_box_walk_slice(&w.walker, to->first[0] + i);
#pragma omp ordered
    join(&w, to->first[0] + i);
  }
  tor_box_walker_free(&w.walker);
  free(w.cells);
  free(w.energy);
}

/* From energies of cells to densities, and their sums. */
static void finish(struct tor_energy_density *to, double volume) {
  const size_t cells = (size_t)to->count[0] * (size_t)to->count[1] * (size_t)to->count[2];
  for (int kind = 0; kind < TOR_ENERGIES; kind++)
    for (size_t i = 0; i < cells * (size_t)to->nfreq; i++) to->total[kind][i / cells] += volume * to->density[kind][i];
}

void tor_energy_density_make(const struct tor_monitors *ms, const struct tor_job *job, const struct tor_recorder *l,
                             struct tor_energy_density *to) {
  struct evaluation e = {.to = to};
  tor_box_walk_start(ms, job, l, &e.walk);
  e.walk.point = take_point;
  e.walk.node = tor_energy_density_has_nodes(job) ? take_node : NULL;
  *to = (struct tor_energy_density){.nfreq = l->nfreq};
  memcpy(to->first, e.walk.first, sizeof to->first);
  memcpy(to->count, e.walk.count, sizeof to->count);
  const size_t cells = (size_t)to->count[0] * (size_t)to->count[1] * (size_t)to->count[2];
  for (int kind = 0; kind < TOR_ENERGIES; kind++) {
    to->total[kind] = tor_alloc((size_t)to->nfreq, sizeof *to->total[kind], "energy");
    to->density[kind] = tor_alloc(cells * (size_t)to->nfreq, sizeof *to->density[kind], "energy");
  }
  find_responses(&e, job);
#pragma omp parallel
  run_worker(&e);
  finish(to, ms->grid->d[0] * ms->grid->d[1] * ms->grid->d[2]);
  free(e.stored);
  tor_responses_free(&e.responses);
  tor_box_walk_stop(&e.walk);
}

void tor_energy_density_free(struct tor_energy_density *energy) {
  for (int kind = 0; kind < TOR_ENERGIES; kind++) {
    free(energy->total[kind]);
    free(energy->density[kind]);
  }
  *energy = (struct tor_energy_density){0};
}
