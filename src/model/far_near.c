/* Fields near a radiating surface: see far_near.h. */
#define _DEFAULT_SOURCE /* Bessel functions */
#include "src/model/far_near.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/far_layers.h"
#include "src/model/far_parts.h"
#include "src/model/far_surface.h"

enum { LEAST_CELLS = 2 }; /* of distance: the sum over points is the integral to exp(-2 pi distance / cell) */

/* The points of one component of one side, as currents along an axis. */
struct current {
  int axis, magnetic;
  int a, b, c; /* axes across the side, and of the points' two indices */
  int n[2];
  double x[3], d[2]; /* of the first point, and between points [m] */
  double *re, *im;   /* [n0][n1] with weights [A m] or [V m], 2-D [A] or [V], each per Hz */
};

struct tor_far_near {
  const struct tor_far_field *far;
  double k, eta;
  int flat; /* whether nothing depends on x */
  int ncurrent, longest;
  struct current *current;
};

/* --- Currents --- */

/* At the plane itself, of the rows along its axis: E's middle one; H from both sides by order 4. */
static void make_current(const struct tor_far_side *s, int i, struct current *to) {
  static const double four[4] = {-1.0 / 16, 9.0 / 16, 9.0 / 16, -1.0 / 16};
  static const double sign[4] = {-1, 1, 1, -1}; /* M_c = -E_b, M_b = E_c, J_c = H_b, J_b = -H_c */
  const int a = s->axis, b = (a + 1) % 3, c = (a + 2) % 3;
  const struct tor_far_values *v = &s->value[i];
  const size_t count = (size_t)v->n[0] * (size_t)v->n[1];
  *to = (struct current){.axis = i % 2 ? b : c, .magnetic = i < 2, .a = a, .b = b, .c = c};
  for (int j = 0; j < 2; j++) {
    to->n[j] = v->n[j];
    to->d[j] = v->d[j];
    to->x[j ? c : b] = v->place[j];
  }
  to->x[a] = s->place;
  to->re = tor_alloc(count + 1, sizeof *to->re, "far field");
  to->im = tor_alloc(count + 1, sizeof *to->im, "far field");
  for (int r = 0; r < v->rows; r++) {
    const double weight = sign[i] * (v->rows == 4 ? four[r] : r == v->rows / 2);
    for (size_t j = 0; j < count; j++) {
      to->re[j] += weight * v->re[(size_t)r * count + j];
      to->im[j] += weight * v->im[(size_t)r * count + j];
    }
  }
}

struct tor_far_near *tor_far_near_new(const struct tor_far_field *far) {
  struct tor_far_near *near = tor_alloc(1, sizeof *near, "far field");
  *near = (struct tor_far_near){.far = far, .flat = far->job->plane != TOR_SPACE, .longest = far->longest};
  double index = far->index;
  near->eta = far->eta;
  if (far->stack.count) /* one plane, and the layers are behind it */
    tor_far_stack_medium(&far->stack, far->job, far->recorder->omega[far->freq],
                         tor_far_near_place(far->recorder->spec, far->across, 0) -
                             tor_grid_at(far->monitors->grid, far->across, far->lo[far->across]),
                         &index, &near->eta);
  near->k = index * far->recorder->omega[far->freq] / TOR_C0;
  near->ncurrent = 4 * far->nside;
  near->current = tor_alloc((size_t)near->ncurrent, sizeof *near->current, "far field");
  for (int i = 0; i < near->ncurrent; i++) make_current(&far->side[i / 4], i % 4, &near->current[i]);
  return near;
}

void tor_far_near_free(struct tor_far_near *near) {
  for (int i = 0; near && i < near->ncurrent; i++) {
    free(near->current[i].re);
    free(near->current[i].im);
  }
  if (near) free(near->current);
  free(near);
}

/* --- Green's function --- */

/* At distances^2 r2[n], g = exp(i k r) / (4 pi r), in 2-D i / 4 H_0(k r): g + g' / (k^2 r), then (g'' - g' / r) / (k
 * r)^2 and g' / r, of n numbers each in re and im. */
struct green {
  double *r2, *re[3], *im[3];
};

/* sin and cos of 2 pi t by their series at a quarter of the angle, which two doublings bring back: to some 1e-15. */
static inline void turn(double t, double *restrict s, double *restrict c) {
  const double whole = 6755399441055744.0; /* 1.5 * 2^52: added and taken off, it leaves the nearest integer */
  const double x = (t - ((t + whole) - whole)) * (0.5 * TOR_PI), y = x * x;
  double sn =
      x * (1 + y * (-1.0 / 6 +
                    y * (1.0 / 120 +
                         y * (-1.0 / 5040 + y * (1.0 / 362880 + y * (-1.0 / 39916800 + y * (1.0 / 6227020800.0 -
                                                                                            y / 1307674368000.0)))))));
  double cs =
      1 +
      y * (-0.5 + y * (1.0 / 24 +
                       y * (-1.0 / 720 + y * (1.0 / 40320 + y * (-1.0 / 3628800 + y * (1.0 / 479001600.0 +
                                                                                       y * (-1.0 / 87178291200.0 +
                                                                                            y / 20922789888000.0)))))));
  for (int i = 0; i < 2; i++) {
    const double twice = 2 * sn * cs;
    cs = 1 - 2 * sn * sn;
    sn = twice;
  }
  *s = sn;
  *c = cs;
}

static void green_in_space(const struct green *g, double k, int n) {
  const double *restrict r2 = g->r2;
  double *restrict ar = g->re[0], *restrict ai = g->im[0], *restrict br = g->re[1], *restrict bi = g->im[1],
                   *restrict cr = g->re[2], *restrict ci = g->im[2];
#pragma omp simd
  for (int j = 0; j < n; j++) {
    const double r = sqrt(r2[j]), over = 1 / r, q = over / k, q2 = q * q, unit = over / (4 * TOR_PI);
    double s, c;
    turn(k * r / (2 * TOR_PI), &s, &c);
    const double gr = unit * c, gi = unit * s, one = 1 - q2, three = 3 * q2 - 1;
    ar[j] = one * gr - q * gi;
    ai[j] = one * gi + q * gr;
    br[j] = (three * gr + 3 * q * gi) * over * over;
    bi[j] = (three * gi - 3 * q * gr) * over * over;
    cr[j] = (-gr * over - k * gi) * over;
    ci[j] = (-gi * over + k * gr) * over;
  }
}

/* along: of currents along x, whose own field is g alone. */
static void green_in_plane(const struct green *g, double k, int n, int along) {
  for (int j = 0; j < n; j++) {
    const double r = sqrt(g->r2[j]), kr = k * r;
    const double complex h0 = CMPLX(j0(kr), y0(kr)), h1 = CMPLX(j1(kr), y1(kr)), value = TOR_I / 4 * h0,
                         slope = -TOR_I / 4 * k * h1, second = -k * k * value - slope / r;
    const double complex of[3] = {along ? value : value + slope / (k * kr), (second - slope / r) / (kr * kr),
                                  slope / r};
    for (int i = 0; i < 3; i++) {
      g->re[i][j] = creal(of[i]);
      g->im[i][j] = cimag(of[i]);
    }
  }
}

/* --- A point --- */

/* Sums over a row of points, their amplitudes times the three functions and powers of z, the way from the point along
 * it: a, b, b z, b z^2, c, c z. */
static void add_row(const struct green *g, const double *restrict re, const double *restrict im, double z, double d,
                    int n, double complex sum[6]) {
  double s[12] = {0};
  for (int i = 0; i < 3; i++) {
    const double *restrict gr = g->re[i], *restrict gi = g->im[i];
    double r0 = 0, i0 = 0, r1 = 0, i1 = 0, r2 = 0, i2 = 0;
#pragma omp simd reduction(+ : r0, i0, r1, i1, r2, i2)
    for (int j = 0; j < n; j++) {
      const double x = z - j * d, pr = re[j] * gr[j] - im[j] * gi[j], pi = re[j] * gi[j] + im[j] * gr[j];
      r0 += pr, i0 += pi;
      r1 += pr * x, i1 += pi * x;
      r2 += pr * x * x, i2 += pi * x * x;
    }
    const int at = i == 0 ? 0 : i == 1 ? 1 : 4;
    s[2 * at] = r0, s[2 * at + 1] = i0;
    if (i > 0) s[2 * at + 2] = r1, s[2 * at + 3] = i1;
    if (i == 1) s[6] = r2, s[7] = i2;
  }
  for (int i = 0; i < 6; i++) sum[i] = CMPLX(s[2 * i], s[2 * i + 1]);
}

/* Adds the fields of currents at x: own along the current, and curl = grad g x current. */
static void add_current(const struct tor_far_near *near, const struct current *w, const double x[3],
                        const struct green *g, double complex own[3], double complex curl[3]) {
  const int q = w->axis, n = w->n[1];
  const double first = x[w->c] - w->x[w->c];
  double way[3];
  for (int a = 0; a < 3; a++) way[a] = near->flat && a == TOR_X ? 0 : x[a] - w->x[a];
  for (int i = 0; i < w->n[0]; i++) {
    double complex sum[6];
    const double across = near->flat && w->b == TOR_X ? 0 : x[w->b] - w->x[w->b] - i * w->d[0],
                 z = near->flat && w->c == TOR_X ? 0 : first, step = near->flat && w->c == TOR_X ? 0 : w->d[1];
    way[w->b] = across;
    const double rest = way[w->a] * way[w->a] + across * across;
    for (int j = 0; j < n; j++) g->r2[j] = rest + (z - j * step) * (z - j * step);
    if (near->flat)
      green_in_plane(g, near->k, n, q == TOR_X);
    else
      green_in_space(g, near->k, n);
    const size_t at = (size_t)i * (size_t)n;
    add_row(g, w->re + at, w->im + at, z, step, n, sum);
    /* r_u r_q and r_u summed with the functions: r_c is in the sums */
    double complex grad[3];
    for (int u = 0; u < 3; u++) {
      const int powers = (u == w->c) + (q == w->c);
      own[u] += sum[1 + powers] * (u == w->c ? 1 : way[u]) * (q == w->c ? 1 : way[q]);
      grad[u] = u == w->c ? sum[5] : sum[4] * way[u];
    }
    own[q] += sum[0];
    for (int u = 0; u < 3; u++) {
      const int v = (u + 1) % 3, t = (u + 2) % 3;
      curl[u] += t == q ? grad[v] : v == q ? -grad[t] : 0;
    }
  }
}

/* The fields of the surface's currents alone, without images. */
static void add_all(const struct tor_far_near *near, const double x[3], double complex e[3], double complex h[3]) {
  double *const work = tor_alloc(7 * (size_t)near->longest + 1, sizeof *work, "far field");
  struct green g = {.r2 = work};
  for (int i = 0; i < 3; i++) {
    g.re[i] = work + (size_t)(1 + 2 * i) * (size_t)near->longest;
    g.im[i] = g.re[i] + near->longest;
  }
  double complex own[2][3] = {{0}}, curl[2][3] = {{0}}; /* of J, of M */
  for (int i = 0; i < near->ncurrent; i++) {
    const struct current *w = &near->current[i];
    add_current(near, w, x, &g, own[w->magnetic], curl[w->magnetic]);
  }
  for (int a = 0; a < 3; a++) {
    e[a] = TOR_I * near->k * near->eta * own[0][a] - curl[1][a];
    h[a] = curl[0][a] + TOR_I * near->k / near->eta * own[1][a];
  }
  free(work);
}

void tor_far_near_at(const struct tor_far_near *near, const double x[3], double complex e[3], double complex h[3]) {
  const struct tor_far_field *far = near->far;
  const struct tor_grid *g = far->monitors->grid;
  const int across = far->across;
  const double sign = across >= 0 && x[across] < tor_grid_at(g, across, far->lo[across]) ? -1 : 1;
  for (int a = 0; a < 3; a++) e[a] = h[a] = 0;
  for (unsigned images = 0; images < 1u << TOR_NFACE; images++) {
    double at[3] = {x[0], x[1], x[2]}, of_e[3] = {sign, sign, sign}, of_h[3] = {sign, sign, sign};
    double complex one[2][3];
    if (images & ~far->mirrors) continue;
    for (int f = 0; f < TOR_NFACE; f++) {
      if (!(images >> f & 1)) continue;
      const int m = f / 2, pec = tor_grid_wall(g, f) == TOR_PEC;
      at[m] = 2 * (g->lo[m] + (f % 2 ? g->n[m] * g->d[m] : 0)) - at[m];
      for (int a = 0; a < 3; a++) { /* on a PEC the sum of E and its image lies across the wall */
        of_e[a] *= (a == m) == pec ? 1 : -1;
        of_h[a] *= (a == m) == pec ? -1 : 1;
      }
    }
    add_all(near, at, one[0], one[1]);
    for (int a = 0; a < 3; a++) {
      e[a] += of_e[a] * one[0][a];
      h[a] += of_h[a] * one[1][a];
    }
  }
}

/* --- Planes in space --- */

int tor_far_near_points(const struct tor_monitor *m, int axis) {
  const double steps = (m->seen_hi[axis] - m->seen_lo[axis]) / m->seen_step;
  return (int)ceil(steps * (1 - 1e-9)) + 1;
}

double tor_far_near_place(const struct tor_monitor *m, int axis, int i) {
  const int n = tor_far_near_points(m, axis);
  return n == 1 ? m->seen_lo[axis] : m->seen_lo[axis] + (m->seen_hi[axis] - m->seen_lo[axis]) * i / (n - 1);
}

/* Distance of the plane from the surface, images of both with it, along the axis where it is largest [cells]: above 0
 * they are apart there. In *side: 1 above, -1 below. */
static double gap(const struct tor_grid *g, const struct tor_monitor *m, unsigned mirrors, const int lo[3],
                  const int hi[3], int only, int *side) {
  double most = -INFINITY;
  for (int a = 0; a < 3; a++) {
    double from = tor_grid_at(g, a, lo[a]), to = tor_grid_at(g, a, hi[a]);
    if ((g->plane && a == TOR_X) || (only >= 0 && a != only)) continue;
    if (mirrors >> 2 * a & 1) from -= to - from;
    if (mirrors >> (2 * a + 1) & 1) to += to - from;
    const double above = (m->seen_lo[a] - to) / g->d[a], below = (from - m->seen_hi[a]) / g->d[a];
    if (fmax(above, below) <= most) continue;
    most = fmax(above, below);
    *side = above > below ? 1 : -1;
  }
  return most;
}

void tor_far_near_check(const struct tor_job *job, const struct tor_grid *g, const struct tor_monitor *m,
                        const struct tor_far_stack *stack, const int lo[3], const int hi[3],
                        struct tor_faults *faults) {
  int across = -1, side = 0;
  for (int a = 0; a < 3; a++)
    if (lo[a] == hi[a]) across = a;
  const struct tor_place *place = tor_job_monitor_place(job, m);
  if (gap(g, m, tor_far_surface_mirrors(g, across, lo, hi), lo, hi, across, &side) < LEAST_CELLS) {
    tor_fault_at(faults, place,
                 across >= 0 ? "plane lies on both sides of the surface, or within %d cells of it, need " TOR_NEEDED(
                                   "a plane on one side of it")
                             : "plane lies in the box, or within %d cells of it, need " TOR_NEEDED(
                                   "a plane outside, wholly on one side of it"),
                 LEAST_CELLS);
    return;
  }
  if (!stack->count) return;
  const double x = across >= 0 ? tor_grid_at(g, across, lo[across]) : 0, slack = g->d[stack->axis];
  int behind = across == stack->axis;
  for (int i = 0; i < stack->count && behind; i++) behind = side * (x - stack->at[i]) > slack;
  if (!behind)
    tor_fault_at(faults, place,
                 "plane is given in homogeneous space, and there are layers across %c, need " TOR_NEEDED(
                     "a surface of one plane across %c with all layers on its other side, or angles and cosines alone"),
                 tor_axis_name(job, stack->axis), tor_axis_name(job, stack->axis));
}
