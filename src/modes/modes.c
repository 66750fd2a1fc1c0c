/* Modes guided along an axis: see modes.h. */
#include "src/modes/modes.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/plane_media.h"
#include "src/modes/mode_operator.h"
#include "src/modes/mode_solver.h"
#include "src/modes/sparse.h"

/* An eigenvector: P Q e = -gamma^2 e. */
struct vector {
  double complex gamma;
  double complex *e, *g; /* [size] */
  double residual;
};

/* Without the real or the imaginary part that is rounding. */
static double complex cleaned(double complex gamma) {
  const double least = 1e-11 * cabs(gamma);
  return CMPLX(fabs(creal(gamma)) > least ? creal(gamma) : 0, fabs(cimag(gamma)) > least ? cimag(gamma) : 0);
}

/* A first choice of the two signs: decay where that is the larger part. */
static double complex forward(double complex gamma) {
  const double along = creal(gamma), decay = cimag(gamma);
  return (fabs(decay) > fabs(along) ? decay : along) < 0 ? -gamma : gamma;
}

/* g = Q e / (i gamma), and gamma^2 by the quotient that is stationary at an eigenvector: -gamma^2 = (e, Q P Q e) / (e,
 * Q e). Sets the residual. */
static void refine(const struct tor_mode_operator *op, struct vector *v) {
  double complex *const image = tor_alloc((size_t)op->size, sizeof *image, "modes");
  tor_mode_operator_q(op, v->e, v->g);
  tor_mode_operator_p(op, v->g, image);
  const double complex lambda = tor_mode_operator_product(op, v->g, image) / tor_mode_operator_product(op, v->e, v->g);
  double error = 0, all = 0;
  for (int i = 0; i < op->size; i++) {
    const double complex of = image[i] - lambda * v->e[i];
    error += creal(of * conj(of));
    all += creal(v->e[i] * conj(v->e[i]));
  }
  v->residual = sqrt(error / all) / cabs(lambda);
  v->gamma = forward(cleaned(csqrt(-lambda)));
  for (int i = 0; i < op->size; i++) v->g[i] /= TOR_I * v->gamma;
  free(image);
}

/* Surface nodes act on E along the axis by the mean of two places, which depends on gamma: the eigenvector of the
 * operator at its own theta. With F = P Q - shift close to it, e <- e - F^-1 (P Q(theta) - lambda) e (A. Neumaier, SIAM
 * J. Numer. Anal. 22, 914 (1985)). Returns 0, or -1 with why. */
static int settle(const struct tor_plane_media *plane, double omega, struct vector *v, char *why, size_t size) {
  enum { ROUNDS = 30 };
  struct tor_mode_operator of_factors, op;
  const int order = plane->grid.order;
  tor_mode_operator_make(plane, omega, tor_mode_theta(order, v->gamma), &of_factors);
  struct tor_mode_factors *factors = tor_mode_factor(&of_factors, -v->gamma * v->gamma * (1 + 1e-6), why, size);
  double complex before = 0, *const image = tor_alloc((size_t)of_factors.size, sizeof *image, "modes");
  for (int round = 0; round < ROUNDS && factors && cabs(v->gamma - before) > 1e-14 * cabs(v->gamma); round++) {
    before = v->gamma;
    tor_mode_operator_make(plane, omega, tor_mode_theta(order, v->gamma), &op);
    refine(&op, v);
    tor_mode_operator_p(&op, v->g, image);
    for (int i = 0; i < op.size; i++) image[i] = TOR_I * v->gamma * (image[i] - TOR_I * v->gamma * v->e[i]);
    tor_mode_solve(factors, image, image);
    for (int i = 0; i < op.size; i++) v->e[i] -= image[i];
    refine(&op, v);
    tor_mode_operator_free(&op);
  }
  free(image);
  tor_mode_operator_free(&of_factors);
  const int failed = !factors;
  tor_mode_factors_free(factors);
  return failed ? -1 : 0;
}

/* The change of i gamma with the operator: (e', Q g) + ... at a vector, with the weights of the operator `at`. */
static double complex quotient(const struct tor_mode_operator *at, const struct tor_mode_operator *op,
                               const struct vector *v) {
  double complex *const image = tor_alloc((size_t)op->size, sizeof *image, "modes");
  tor_mode_operator_p(op, v->g, image);
  double complex sum = tor_mode_operator_product(at, v->g, image);
  tor_mode_operator_q(op, v->e, image);
  sum += tor_mode_operator_product(at, v->e, image);
  free(image);
  return sum / (2 * tor_mode_operator_product(at, v->e, v->g));
}

/* d gamma / d omega: i gamma = (g, P g) + (e, Q e) over 2 (e, g) is stationary at an eigenvector, so that only P and Q
 * are differentiated, with omega and, where there are surface nodes, with gamma itself. */
static double complex gamma_slope(const struct tor_plane_media *plane, double omega, const struct vector *v) {
  static const double STEP = 1e-4;
  const int order = plane->grid.order;
  const double complex theta = tor_mode_theta(order, v->gamma);
  struct tor_mode_operator at, op;
  double complex by_omega = 0, by_gamma = 0;
  tor_mode_operator_make(plane, omega, theta, &at);
  for (int sign = -1; sign <= 1; sign += 2) {
    tor_mode_operator_make(plane, omega * (1 + sign * STEP), theta, &op);
    by_omega += sign * quotient(&at, &op, v) / (2 * STEP * omega);
    tor_mode_operator_free(&op);
    if (!plane->surface) continue;
    tor_mode_operator_make(plane, omega, tor_mode_theta(order, v->gamma * (1 + sign * STEP)), &op);
    by_gamma += sign * quotient(&at, &op, v) / (2 * STEP * v->gamma);
    tor_mode_operator_free(&op);
  }
  tor_mode_operator_free(&at);
  return by_omega / (TOR_I - by_gamma);
}

/* The second end of a period has the values of the first. */
static void close_periods(const struct tor_plane_media *p, double complex *field) {
  const int row = p->n[1] + 1;
  for (int k = 0; k < row && p->wall[0][0] == TOR_PERIODIC; k++) field[p->n[0] * row + k] = field[k];
  for (int i = 0; i <= p->n[0] && p->wall[1][0] == TOR_PERIODIC; i++) field[i * row + p->n[1]] = field[i * row];
}

/* Fields in V/m and A/m from a vector, not normalised. */
static void set_fields(const struct tor_plane_media *p, double omega, const struct vector *v, struct tor_mode *mode) {
  const int n = p->npoints, order = p->grid.order;
  struct tor_mode_operator op;
  mode->theta = tor_mode_theta(order, v->gamma);
  tor_mode_operator_make(p, omega, mode->theta, &op);
  for (int c = 0; c < TOR_NCOMP; c++) mode->field[c] = tor_alloc((size_t)n, sizeof *mode->field[c], "modes");
  memcpy(mode->field[TOR_EX + p->next], v->e, (size_t)n * sizeof *v->e);
  memcpy(mode->field[TOR_EX + p->last], v->e + n, (size_t)n * sizeof *v->e);
  memcpy(mode->field[TOR_HX + p->last], v->g, (size_t)n * sizeof *v->g);
  for (int i = 0; i < n; i++) mode->field[TOR_HX + p->next][i] = -v->g[n + i];
  double complex *const ei = mode->field[TOR_EX + p->axis], *const hi = mode->field[TOR_HX + p->axis];
  tor_sparse_apply(&op.grad, v->g, ei);
  tor_sparse_apply(&op.curl, v->e, hi);
  for (int i = 0; i < n; i++) {
    ei[i] /= op.response[(TOR_EX + p->axis) * n + i];
    hi[i] /= op.response[(TOR_HX + p->axis) * n + i];
  }
  tor_mode_operator_free(&op);
  const double complex beyond = cexp(0.5 * TOR_I * mode->theta);
  for (int c = 0; c < TOR_NCOMP; c++) {
    const double complex scale =
        (tor_comp_half(c, p->axis) ? beyond : 1) / (p->grid.d[tor_comp_axis(c)] * (tor_comp_is_h(c) ? TOR_ETA0 : 1));
    for (int i = 0; i < n; i++) mode->field[c][i] *= scale;
    close_periods(p, mode->field[c]);
  }
}

static void scale_fields(const struct tor_plane_media *p, struct tor_mode *mode, double complex factor) {
  for (int c = 0; c < TOR_NCOMP; c++)
    for (int i = 0; i < p->npoints; i++) mode->field[c][i] *= factor;
}

/* Unit power, and the phase. A wave whose power goes back is the one of the opposite beta: the forward wave may have
 * phases that go back, and CPML in a mode's tail may give it a slight gain. */
static void normalise(const struct tor_plane_media *p, struct vector *v, struct tor_mode *mode) {
  double complex top = 0;
  for (int s = 0; s < 2; s++) {
    const double complex *e = mode->field[TOR_EX + (s ? p->last : p->next)];
    for (int i = 0; i < p->npoints; i++)
      if (cabs(e[i]) > (1 + 1e-6) * cabs(top)) top = e[i];
  }
  scale_fields(p, mode, conj(top) / cabs(top));
  const double power = tor_mode_power(p, mode), reaction = cabs(tor_mode_overlap(p, mode, mode));
  mode->evanescent = !(fabs(power) > 1e-6 * reaction);
  if (power < 0 && !mode->evanescent) {
    v->gamma = -v->gamma;
    for (int i = 0; i < 2 * p->npoints; i++) v->g[i] = -v->g[i];
    for (int c = 0; c < TOR_NCOMP; c++) free(mode->field[c]);
    set_fields(p, mode->omega, v, mode);
    normalise(p, v, mode);
    return;
  }
  scale_fields(p, mode, 1 / sqrt(mode->evanescent ? reaction : fabs(power)));
}

static void finish(const struct tor_job *job, const struct tor_plane_media *plane,
                   const struct tor_mode_request *request, struct vector *v, struct tor_mode *mode) {
  const double d = plane->grid.d[plane->axis], omega = 2 * TOR_PI * TOR_C0 / request->wavelength;
  *mode = (struct tor_mode){.wavelength = request->wavelength, .omega = omega, .residual = v->residual};
  set_fields(plane, omega, v, mode);
  normalise(plane, v, mode);
  mode->theta = tor_mode_theta(plane->grid.order, v->gamma);
  mode->beta = mode->theta / d;
  mode->n_eff = mode->beta * TOR_C0 / omega;
  mode->group = TOR_C0 / d * tor_mode_slope(plane->grid.order, mode->theta) * gamma_slope(plane, omega, v);
  tor_mode_numbers(job, plane, request->core, mode);
}

/* The operator at a request's wavelength and target, and the eigenvalue there. */
static double complex make_near(const struct tor_plane_media *plane, const struct tor_mode_request *request,
                                struct tor_mode_operator *op) {
  const double omega = 2 * TOR_PI * TOR_C0 / request->wavelength;
  const double complex theta = request->target * omega / TOR_C0 * plane->grid.d[plane->axis];
  const double complex gamma = tor_mode_gamma(plane->grid.order, theta);
  tor_mode_operator_make(plane, omega, theta, op);
  return -gamma * gamma;
}

/* Inverse iteration from v->e. Returns whether it ends at an eigenvector. */
static int iterate(const struct tor_mode_operator *op, double complex shift, struct vector *v) {
  enum { ROUNDS = 12 };
  const double good = 1e-13, enough = 1e-10;
  char why[128];
  struct tor_mode_factors *factors = tor_mode_factor(op, shift, why, sizeof why);
  double before = INFINITY;
  v->residual = INFINITY;
  for (int round = 0; round < ROUNDS && factors && v->residual > good; round++) {
    double largest = 0;
    tor_mode_solve(factors, v->e, v->e);
    for (int i = 0; i < op->size; i++) largest = fmax(largest, cabs(v->e[i]));
    if (!(largest > 0)) break;
    for (int i = 0; i < op->size; i++) v->e[i] /= largest;
    refine(op, v);
    if (round > 2 && v->residual > 0.5 * before) break;
    before = v->residual;
  }
  tor_mode_factors_free(factors);
  return v->residual <= enough;
}

int tor_modes_continue(const struct tor_job *job, const struct tor_plane_media *plane,
                       const struct tor_mode_request *request, const struct tor_mode *near, struct tor_mode *mode) {
  struct tor_mode_request r = *request;
  struct tor_mode_operator op;
  char why[128];
  if (r.core < 0) tor_plane_largest_index(job, plane, r.wavelength, &r.core);
  const double complex shift = make_near(plane, &r, &op);
  struct vector v = {.e = tor_alloc((size_t)op.size, sizeof *v.e, "modes"),
                     .g = tor_alloc((size_t)op.size, sizeof *v.g, "modes")};
  for (int s = 0; s < 2; s++) {
    const int axis = s ? plane->last : plane->next;
    for (int i = 0; i < plane->npoints; i++)
      v.e[s * plane->npoints + i] = near->field[TOR_EX + axis][i] * plane->grid.d[axis];
  }
  const int found = iterate(&op, shift, &v) && !(plane->surface && settle(plane, op.omega, &v, why, sizeof why));
  if (found) finish(job, plane, &r, &v, mode);
  tor_mode_operator_free(&op);
  free(v.e);
  free(v.g);
  return found;
}

static int falling(const void *a, const void *b) {
  const double x = creal(((const struct tor_mode *)a)->n_eff), y = creal(((const struct tor_mode *)b)->n_eff);
  return (x < y) - (x > y);
}

int tor_modes_solve(const struct tor_job *job, const struct tor_plane_media *plane,
                    const struct tor_mode_request *request, struct tor_mode *mode, char *why, size_t size) {
  struct tor_mode_request r = *request;
  int medium, found = 0;
  const double largest = tor_plane_largest_index(job, plane, r.wavelength, &medium);
  if (!(r.target > 0)) r.target = largest;
  if (r.core < 0) r.core = medium;
  struct tor_mode_operator op;
  const double complex shift = make_near(plane, &r, &op);
  double complex *const value = tor_alloc((size_t)r.count, sizeof *value, "modes");
  double complex *const all = tor_alloc((size_t)r.count * (size_t)op.size, sizeof *all, "modes");
  double complex *const g = tor_alloc((size_t)op.size, sizeof *g, "modes");
  *why = 0;
  struct tor_mode_factors *factors = tor_mode_factor(&op, shift, why, size);
  if (factors) found = tor_mode_eigenvectors(&op, factors, shift, r.count, value, all, why, size);
  tor_mode_factors_free(factors);
  if (found < 0) found = 0;
  for (int m = 0; m < found; m++) {
    struct vector v = {.e = all + (size_t)m * (size_t)op.size, .g = g};
    refine(&op, &v);
    if (plane->surface && settle(plane, op.omega, &v, why, size)) {
      found = m;
      break;
    }
    finish(job, plane, &r, &v, &mode[m]);
  }
  tor_mode_operator_free(&op);
  free(value);
  free(all);
  free(g);
  qsort(mode, (size_t)found, sizeof *mode, falling);
  return found;
}

void tor_mode_free(struct tor_mode *mode) {
  for (int c = 0; c < TOR_NCOMP; c++) free(mode->field[c]);
  *mode = (struct tor_mode){0};
}

double complex tor_mode_overlap(const struct tor_plane_media *p, const struct tor_mode *a, const struct tor_mode *b) {
  const double area = p->grid.d[p->next] * p->grid.d[p->last];
  const double complex beyond = cexp(-0.5 * TOR_I * b->theta); /* H at the node, in phase */
  double complex sum = 0;
  for (int s = 0; s < 2; s++) {
    const int e = TOR_EX + (s ? p->last : p->next), h = TOR_HX + (s ? p->next : p->last);
    for (int i = 0; i < p->npoints; i++)
      sum += (s ? -1 : 1) * tor_mode_weight(p, b->omega, s, i) * a->field[e][i] * b->field[h][i];
  }
  return 0.5 * area * beyond * sum;
}

void tor_modes_follow(const struct tor_plane_media *plane, const struct tor_mode *before, struct tor_mode *mode,
                      int count) {
  for (int m = 0; m < count; m++) {
    int best = m;
    double most = -1;
    for (int k = m; k < count; k++) {
      const double overlap =
          cabs(tor_mode_overlap(plane, &before[m], &mode[k])) / cabs(tor_mode_overlap(plane, &mode[k], &mode[k]));
      if (overlap <= most) continue;
      most = overlap;
      best = k;
    }
    const struct tor_mode swap = mode[m];
    mode[m] = mode[best];
    mode[best] = swap;
  }
}
