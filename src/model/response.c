/* Responses of points and nodes: see response.h. */
#include "src/model/response.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/model/column_media.h"
#include "src/model/column_nodes.h"
#include "src/model/plane_media.h"
#include "src/model/surface.h"

void tor_responses_make(const struct tor_columns *columns, const double *omega, int count, struct tor_responses *to) {
  const struct tor_slab *slab = columns->slab;
  const size_t n = (size_t)slab->ndispersion;
  *to = (struct tor_responses){.columns = columns, .count = count};
  to->half = tor_alloc((size_t)count, sizeof *to->half, "responses");
  to->poles = tor_alloc(3 * n * (size_t)count, sizeof *to->poles, "responses");
  to->implicit = tor_alloc(3 * n, sizeof *to->implicit, "responses");
  for (int q = 0; q < count; q++) to->half[q] = cexp(CMPLX(0, -0.5 * omega[q] * columns->grid->dt));
  for (size_t d = 0; d < n; d++)
    for (size_t a = 0; a < 3; a++) {
      const struct tor_dispersion *of = &slab->dispersion[d];
      for (int i = 0; i < of->npoles; i++) to->implicit[3 * d + a] += of->pole[i].k4[a];
      for (size_t q = 0; q < (size_t)count; q++)
        to->poles[(3 * d + a) * (size_t)count + q] = tor_plane_media_poles(of, (int)a, columns->grid->ct, to->half[q]);
    }
}

void tor_responses_free(struct tor_responses *r) {
  free(r->half);
  free(r->poles);
  free(r->implicit);
  *r = (struct tor_responses){0};
}

double complex tor_responses_step(const struct tor_responses *r, int q) { return r->half[q] - 1 / r->half[q]; }

double complex tor_responses_poles(const struct tor_responses *r, int d, int axis, int q) {
  return r->poles[(3 * d + axis) * r->count + q];
}

int tor_column_poles(const struct tor_columns *c, const struct tor_column *column, int comp, int d, int z,
                     double k[TOR_BRANCH_WEIGHTS]) {
  const struct tor_slab *slab = c->slab;
  const size_t nzp = (size_t)slab->nzp,
               first = ((size_t)comp * (size_t)slab->ndispersion + (size_t)d) * TOR_COLUMN_KINDS;
  const double *share = column->share + first * TOR_BRANCH_WEIGHTS * nzp, *of_branch = share + TOR_BRANCH_WEIGHTS * nzp;
  const int branch = of_branch[z] > 0;
  if (!branch && !(share[z] > 0)) return 0;
  for (size_t i = 0; i < TOR_BRANCH_WEIGHTS; i++) k[i] = branch ? of_branch[i * nzp + (size_t)z] : share[z];
  return 1 + branch;
}

double complex tor_responses_edge(const struct tor_responses *r, const struct tor_column *column, int comp, int z,
                                  int q) {
  const struct tor_slab *slab = r->columns->slab;
  const size_t point = (size_t)comp * (size_t)slab->nzp + (size_t)z;
  const double complex step = tor_responses_step(r, q);
  double complex sum = (step - column->ca1[point] / r->half[q]) / column->cb[point];
  for (int d = 0; d < slab->ndispersion; d++) {
    double k[TOR_BRANCH_WEIGHTS];
    const int kind = tor_column_poles(r->columns, column, comp, d, z, k);
    if (!kind) continue;
    const double complex own = k[0] * tor_responses_poles(r, d, tor_comp_axis(comp), q);
    sum += kind == 1 ? own : k[3] * own * k[1] / (1 + own * k[2] / step);
  }
  return sum;
}

/* Of the coefficients, forward and backward, the mean, less what poles have in the forward one. */
static double instantaneous(const struct tor_responses *r, const struct tor_column *column, int comp, int z) {
  const struct tor_slab *slab = r->columns->slab;
  const size_t point = (size_t)comp * (size_t)slab->nzp + (size_t)z;
  double sum = (2 + column->ca1[point]) / column->cb[point];
  for (int d = 0; d < slab->ndispersion; d++) {
    double k[TOR_BRANCH_WEIGHTS];
    if (tor_column_poles(r->columns, column, comp, d, z, k) == 1)
      sum -= k[0] * r->implicit[3 * d + tor_comp_axis(comp)];
  }
  return 0.5 * sum;
}

double complex tor_responses_permittivity(const struct tor_responses *r, const struct tor_column *column, int comp,
                                          int z, int q) {
  const struct tor_grid *g = r->columns->grid;
  const double unit = g->ct / tor_grid_metric(g, comp);
  if (column->cb[(size_t)comp * (size_t)r->columns->slab->nzp + (size_t)z] == 0) return CMPLX(NAN, NAN);
  if (q < 0) return unit * instantaneous(r, column, comp, z);
  return unit * tor_responses_edge(r, column, comp, z, q) / tor_responses_step(r, q);
}

/* --- Nodes --- */

/* The oscillator that stands for a permittivity, over that permittivity. */
static double complex of_oscillator(const struct tor_responses *r, double restore, int q) {
  if (q < 0) return 1;
  const double complex step = tor_responses_step(r, q);
  return restore / (step * step + restore * r->columns->grid->ct) * r->columns->grid->ct;
}

/* f's part across the surface is (1 - along) n . v - n . (across P - lean Q), and Q follows from g. */
void tor_metal_fields(const double *k, double complex chi, const double complex v[3], const double complex u[3],
                      double complex f[3], double complex g[3]) {
  const double *n = k, *lean = k + TOR_METAL_LEAN, *stiff = k + TOR_METAL_STIFF, rest = 1 - k[TOR_METAL_ALONG];
  double complex normal = 0, drive = 0, own = 1 + k[TOR_METAL_ACROSS] * chi;
  for (int a = 0; a < 3; a++) {
    const double complex q = n[a] * lean[a] * n[a] * chi / (1 + stiff[a] * chi);
    normal += n[a] * v[a];
    drive += q * u[a];
    own -= q * lean[a] * chi;
  }
  const double complex across = rest * (normal + drive) / own; /* of f */
  for (int a = 0; a < 3; a++) {
    f[a] = v[a] - n[a] * (normal - across);
    g[a] = n[a] * (rest * u[a] + lean[a] * chi * across) / (1 + stiff[a] * chi);
  }
}

double complex tor_metal_work(const double *k, double complex chi, const double complex v[3],
                              const double complex u[3]) {
  double complex f[3], g[3], sum = 0;
  tor_metal_fields(k, chi, v, u, f, g);
  for (int a = 0; a < 3; a++) sum += conj(v[a]) * f[a] + k[a] * conj(u[a]) * g[a];
  return 2 * k[TOR_METAL_SHARE] * sum;
}

/* A metal's node in equal fields of both edges: its oscillator and its poles; also of dielectrics beside it. */
static void of_metal(const struct tor_responses *r, const double *k, int q, double complex to[3][3]) {
  const struct tor_grid *g = r->columns->grid;
  const int d = (int)k[TOR_METAL_MEDIUM] - 1;
  const double exact = d < 0 ? r->columns->node_factor : 1; /* of a dielectric's */
  double complex chi = k[TOR_METAL_RESTORE] > 0 ? k[TOR_METAL_DRIVE] / (exact * k[TOR_METAL_RESTORE]) : 0;
  if (q >= 0) {
    const double complex step = tor_responses_step(r, q);
    chi = g->ct * k[TOR_METAL_DRIVE] / (step * step + k[TOR_METAL_RESTORE] * g->ct);
    if (d >= 0)
      chi += g->ct / (step * tor_grid_metric(g, TOR_EX)) *
             (tor_responses_poles(r, d, 0, q) + r->implicit[3 * d] * r->half[q]);
  }
  for (int b = 0; b < 3; b++) {
    const double complex v[3] = {b == 0, b == 1, b == 2}, equal[3] = {0};
    double complex f[3], slope[3];
    tor_metal_fields(k, chi, v, equal, f, slope);
    for (int a = 0; a < 3; a++) to[a][b] = 2 * k[TOR_METAL_SHARE] * chi * f[a];
  }
}

/* m x = y for three columns y, in place of y, by elimination with pivots. */
static void solve(double complex m[3][3], double complex y[3][3]) {
  for (int i = 0; i < 3; i++) {
    int best = i;
    for (int k = i + 1; k < 3; k++) best = cabs(m[k][i]) > cabs(m[best][i]) ? k : best;
    for (int j = 0; j < 3; j++) {
      const double complex own = m[i][j], other = y[i][j];
      m[i][j] = m[best][j], m[best][j] = own;
      y[i][j] = y[best][j], y[best][j] = other;
    }
    for (int k = 0; k < 3; k++) {
      if (k == i) continue;
      const double complex f = m[k][i] / m[i][i];
      for (int j = 0; j < 3; j++) m[k][j] -= f * m[i][j], y[k][j] -= f * y[i][j];
    }
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) y[i][j] /= m[i][i];
}

/* A pole whose current turns, or that saturates, at rest: J / half + turn restore P = keep J half ... at the transform,
 * with P = c dt J / step; half of the edge is each end's. */
static void of_pole(const struct tor_responses *r, const struct tor_magnetised *pole, double share, int q,
                    double complex to[3][3]) {
  const struct tor_grid *g = r->columns->grid;
  if (q < 0) return;
  const double complex half = r->half[q], step = tor_responses_step(r, q);
  double complex m[3][3];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      m[a][b] = (a == b) * half - pole->keep[3 * a + b] / half + pole->turn[3 * a + b] * pole->restore * g->ct / step;
      to[a][b] = pole->turn[3 * a + b] * pole->drive[b] * share;
    }
  solve(m, to);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) to[a][b] *= 2 * g->ct / (step * tor_grid_metric(g, TOR_EX + a) * g->d[a]);
}

void tor_responses_node(const struct tor_responses *r, const struct tor_column *column, int z, int q,
                        double complex to[3][3]) {
  const struct tor_columns *c = r->columns;
  const struct tor_node *node = &column->node[z];
  double k[TOR_METAL_WEIGHTS];
  memset(to, 0, 3 * sizeof *to);
  if (!tor_column_has_node(c, column, z)) return;
  tor_column_node(c, column, z, k);
  if (column->metal_poles > 0) {
    of_metal(r, k, q, to);
    return;
  }
  if (node->share > 0) {
    of_pole(r, &c->slab->magnetised[(int)k[TOR_FULL_POLE]], node->share, q, to);
    return;
  }
  const double complex factor = (q < 0 ? 1 : c->node_factor) * of_oscillator(r, c->slab->node.restore, q);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      const double *n = node->normal;
      to[a][b] = factor * (node->kind == TOR_NODE_MOVES ? node->g * ((a == b) - n[a] * n[b])
                                                        : node->tensor[a == b ? a : 6 - a - b]); /* yz, zx, xy */
      if (c->grid->angular && (a == TOR_X || b == TOR_X)) to[a][b] = 0; /* edges along phi have the mean */
    }
}
