/* The operator of guided modes: see mode_operator.h. */
#include "src/modes/mode_operator.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/model/plane_media.h"
#include "src/modes/sparse.h"

/* --- The difference along the axis --- */

double complex tor_mode_gamma(int order, double complex theta) {
  const double complex x = csin(0.5 * theta);
  return order == 2 ? 2 * x : 2 * x - 2 * TOR_MODE_FAR * (3 * x - 4 * x * x * x);
}

double complex tor_mode_slope(int order, double complex theta) {
  const double complex near = ccos(0.5 * theta);
  return 1 / (order == 2 ? near : near - 3 * TOR_MODE_FAR * ccos(1.5 * theta));
}

double complex tor_mode_theta(int order, double complex gamma) {
  if (order == 2) return 2 * casin(0.5 * gamma);
  double complex x = gamma / (2 - 6 * TOR_MODE_FAR);
  for (int i = 0; i < 50; i++) {
    const double complex change = ((2 - 6 * TOR_MODE_FAR) * x + 8 * TOR_MODE_FAR * x * x * x - gamma) /
                                  (2 - 6 * TOR_MODE_FAR + 24 * TOR_MODE_FAR * x * x);
    x -= change;
    if (cabs(change) <= 1e-16 * cabs(x)) break;
  }
  return 2 * casin(x);
}

/* --- Differences in the plane --- */

/* A difference along next or last (side 0, 1) at place p, of half cells (half 1) or nodes: the places of the values of
 * the other kind that it reads, and their weights. */
struct stencil {
  int n;
  int at[4];
  double weight[4];
};

/* Brings a place beyond the plane's sides back, as ghost values are (docs/design/numerics.md, Walls), and turns the
 * weight's sign with it. */
static int reflected(const struct tor_plane_media *plane, int side, int is_half, int at, double *weight) {
  const int n = plane->n[side];
  if (plane->wall[side][0] == TOR_PERIODIC) return (at % n + n) % n;
  while (at < 0 || at > n - is_half) {
    const int high = at > n - is_half, pmc = plane->wall[side][high] == TOR_PMC;
    at = (high ? 2 * n : 0) - at - is_half;
    if (pmc == is_half) *weight = -*weight; /* nodes are odd at a PEC, half cells at a PMC */
  }
  return at;
}

static struct stencil difference(const struct tor_plane_media *plane, int side, int half, int p) {
  static const double near[4] = {1, -1, -1.0 / 27, 1.0 / 27};
  static const int from_nodes[4] = {1, 0, 2, -1}, from_halves[4] = {0, -1, 1, -2};
  struct stencil s = {.n = plane->grid.order};
  for (int i = 0; i < s.n; i++) {
    s.weight[i] = near[i];
    s.at[i] = reflected(plane, side, !half, p + (half ? from_nodes : from_halves)[i], &s.weight[i]);
  }
  return s;
}

static int point_at(const struct tor_plane_media *plane, int side, const int at[2], int place) {
  return side ? at[0] * (plane->n[1] + 1) + place : place * (plane->n[1] + 1) + at[1];
}

/* Adds the stretched difference along a side of component `of` at `at`, of half cells or nodes there. */
static void add_difference(struct tor_mode_operator *op, struct tor_sparse *to, int side, int half, const int at[2],
                           int of, double sign) {
  const struct tor_plane_media *plane = op->plane;
  if (tor_plane_media_uniform(plane, side)) return;
  const struct stencil s = difference(plane, side, half, at[side]);
  const double complex stretch = sign * tor_plane_media_stretch(plane, side, 2 * at[side] + half, op->omega);
  const int second = of == TOR_EX + plane->last || of == TOR_HX + plane->next ? op->npoints : 0; /* e_k, g_k */
  for (int i = 0; i < s.n; i++) {
    const int point = point_at(plane, side, at, s.at[i]);
    if (op->active[of * op->npoints + point]) tor_sparse_add(to, second + point, stretch * s.weight[i]);
  }
}

/* --- The matrices --- */

static void set_active(struct tor_mode_operator *op) {
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int i = 0; i < op->npoints; i++)
      op->active[comp * op->npoints + i] = (char)(tor_plane_media_share(op->plane, comp, i) > 0);
}

/* The surface nodes' part of Y_i: the mean field of the two edges at a node, and its current at both ends. */
static void add_axial_nodes(struct tor_mode_operator *op) {
  const struct tor_plane_media *p = op->plane;
  if (!p->surface) return;
  const double complex mean = 2 * ccos(0.5 * op->theta);
  const double complex factor =
      mean * mean * p->node_coef.in[p->axis] * p->node_coef.out[p->axis] * tor_plane_media_node(p, op->omega);
  for (int i = 0; i < op->npoints; i++)
    op->response[p->axis * op->npoints + i] += factor * p->surface[3 * op->npoints + i];
}

/* Adds what the current along a side (axis a) of the node at `node` has of e, times factor. */
static void add_node(struct tor_mode_operator *op, int a, const int node[2], double complex factor) {
  const struct tor_plane_media *p = op->plane;
  const int point = node[0] * (p->n[1] + 1) + node[1];
  const double g = p->surface[3 * op->npoints + point], *normal = p->surface + point;
  if (!(g > 0)) return;
  for (int s = 0; s < 2; s++) {
    const int b = s ? p->last : p->next;
    if (tor_plane_media_uniform(p, s)) continue;
    const double along = (a == b) - normal[a * op->npoints] * normal[b * op->npoints];
    for (int end = 0; end < 2; end++) {
      double weight = p->node_coef.in[b] * along * g;
      const int place = reflected(p, s, 1, node[s] - 1 + end, &weight), to = point_at(p, s, node, place);
      if (op->active[b * op->npoints + to]) tor_sparse_add(&op->node, s * op->npoints + to, factor * weight);
    }
  }
}

static void make_nodes(struct tor_mode_operator *op) {
  const struct tor_plane_media *p = op->plane;
  if (!p->surface) return;
  const double complex response = tor_plane_media_node(p, op->omega);
  tor_sparse_begin(&op->node, op->size);
  for (int s = 0; s < 2; s++) {
    const int a = s ? p->last : p->next;
    for (int i = 0; i < op->npoints; i++) {
      int node[2] = {i / (p->n[1] + 1), i % (p->n[1] + 1)};
      for (int end = 0; end < 2 && op->active[a * op->npoints + i]; end++, node[s]++)
        add_node(op, a, node, p->node_coef.out[a] * response);
      tor_sparse_end_row(&op->node);
    }
  }
}

static void make_differences(struct tor_mode_operator *op) {
  const struct tor_plane_media *p = op->plane;
  const int ej = TOR_EX + p->next, ek = TOR_EX + p->last, hj = TOR_HX + p->next, hk = TOR_HX + p->last;
  const int ei = TOR_EX + p->axis, hi = TOR_HX + p->axis;
  const char *active = op->active;
  struct tor_sparse *const all[] = {&op->grad, &op->curl, &op->lift, &op->turn};
  for (int i = 0; i < 4; i++) tor_sparse_begin(all[i], i < 2 ? op->npoints : op->size);
  for (int i = 0; i < op->npoints; i++) {
    const int at[2] = {i / (p->n[1] + 1), i % (p->n[1] + 1)};
    if (active[ei * op->npoints + i]) {
      add_difference(op, &op->grad, 0, 0, at, hk, 1);
      add_difference(op, &op->grad, 1, 0, at, hj, 1);
    }
    if (active[hi * op->npoints + i]) {
      add_difference(op, &op->curl, 1, 1, at, ej, 1);
      add_difference(op, &op->curl, 0, 1, at, ek, -1);
    }
    tor_sparse_end_row(&op->grad);
    tor_sparse_end_row(&op->curl);
  }
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < op->npoints; i++) {
      const int at[2] = {i / (p->n[1] + 1), i % (p->n[1] + 1)};
      if (active[(s ? ek : ej) * op->npoints + i]) {
        add_difference(op, &op->lift, s, 1, at, ei, 1);
        add_difference(op, &op->turn, !s, 0, at, hi, s ? -1 : 1);
      }
      tor_sparse_end_row(&op->lift);
      tor_sparse_end_row(&op->turn);
    }
}

double complex tor_mode_weight(const struct tor_plane_media *p, double omega, int side, int point) {
  const int at[2] = {point / (p->n[1] + 1), point % (p->n[1] + 1)};
  const double share = tor_plane_media_share(p, TOR_EX + (side ? p->last : p->next), point);
  if (!(share > 0)) return 0;
  return share / (tor_plane_media_stretch(p, 0, 2 * at[0] + (side == 0), omega) *
                  tor_plane_media_stretch(p, 1, 2 * at[1] + (side == 1), omega));
}

static void make_weights(struct tor_mode_operator *op) {
  for (int i = 0; i < op->size; i++)
    op->weight[i] = tor_mode_weight(op->plane, op->omega, i / op->npoints, i % op->npoints);
}

void tor_mode_operator_make(const struct tor_plane_media *plane, double omega, double complex theta,
                            struct tor_mode_operator *op) {
  *op = (struct tor_mode_operator){.plane = plane, .npoints = plane->npoints, .omega = omega, .theta = theta};
  op->size = 2 * op->npoints;
  op->response = tor_alloc((size_t)TOR_NCOMP * (size_t)op->npoints, sizeof *op->response, "modes");
  op->active = tor_alloc((size_t)TOR_NCOMP * (size_t)op->npoints, 1, "modes");
  op->weight = tor_alloc((size_t)op->size, sizeof *op->weight, "modes");
  op->work = tor_alloc((size_t)op->npoints, sizeof *op->work, "modes");
  tor_plane_media_response(plane, omega, op->response);
  add_axial_nodes(op);
  set_active(op);
  make_differences(op);
  make_nodes(op);
  make_weights(op);
}

void tor_mode_operator_free(struct tor_mode_operator *op) {
  struct tor_sparse *const all[] = {&op->grad, &op->lift, &op->curl, &op->turn, &op->node};
  for (int i = 0; i < 5; i++) tor_sparse_free(all[i]);
  free(op->response);
  free(op->active);
  free(op->weight);
  free(op->work);
  *op = (struct tor_mode_operator){0};
}

/* --- Products --- */

/* work = matrix from / response of a component. */
static void to_axis(const struct tor_mode_operator *op, const struct tor_sparse *matrix, int comp,
                    const double complex *from) {
  memset(op->work, 0, (size_t)op->npoints * sizeof *op->work);
  tor_sparse_apply(matrix, from, op->work);
  for (int i = 0; i < op->npoints; i++) op->work[i] /= op->response[comp * op->npoints + i];
}

void tor_mode_operator_p(const struct tor_mode_operator *op, const double complex *g, double complex *to) {
  const struct tor_plane_media *p = op->plane;
  to_axis(op, &op->grad, TOR_EX + p->axis, g);
  for (int i = 0; i < op->npoints; i++) {
    to[i] = -op->response[(TOR_HX + p->last) * op->npoints + i] * g[i];
    to[op->npoints + i] = -op->response[(TOR_HX + p->next) * op->npoints + i] * g[op->npoints + i];
  }
  tor_sparse_apply(&op->lift, op->work, to);
}

void tor_mode_operator_q(const struct tor_mode_operator *op, const double complex *e, double complex *to) {
  const struct tor_plane_media *p = op->plane;
  to_axis(op, &op->curl, TOR_HX + p->axis, e);
  memset(to, 0, (size_t)op->size * sizeof *to);
  if (op->node.rows) tor_sparse_apply(&op->node, e, to);
  for (int i = 0; i < op->npoints; i++) {
    to[i] = -to[i] - op->response[(TOR_EX + p->next) * op->npoints + i] * e[i];
    to[op->npoints + i] =
        -to[op->npoints + i] - op->response[(TOR_EX + p->last) * op->npoints + i] * e[op->npoints + i];
  }
  tor_sparse_apply(&op->turn, op->work, to);
}

double complex tor_mode_operator_product(const struct tor_mode_operator *op, const double complex *a,
                                         const double complex *b) {
  double complex sum = 0;
  for (int i = 0; i < op->size; i++) sum += op->weight[i] * a[i] * b[i];
  return sum;
}
