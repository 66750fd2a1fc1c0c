/* Diffraction orders: see orders.h.
 *
 * The grid's own plane waves are used, so that the decomposition is exact to rounding: with K_a = 2 / d_a sin(k_a d_a /
 * 2) (order 4: with its third-cell term) and W = 2 / (c dt) sin(w dt / 2), K x E = W mu H, K x H = -W eps E, and K^2 =
 * W^2 eps mu gives K_a of each order. H half a cell to both sides of a node has the mean cos(k_a d_a / 2) times that at
 * the node. */
#include "src/model/orders.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/flat_walls.h"
#include "src/model/grid_wave.h"
#include "src/model/monitor.h"

/* --- The medium --- */

static int is_fit(const struct tor_medium *m) {
  for (int a = 1; a < 3; a++)
    if (m->mu[a] != m->mu[0]) return 0;
  return tor_medium_is_isotropic(m) && !tor_medium_absorbs(m) && !m->conducts;
}

/* Whether a flat wall beyond half a cell changes the coefficients in a plane that is otherwise in one medium. x: a
 * point of the plane. */
static int wall_is_near(const struct tor_job *job, const struct tor_grid *g, int axis, int node, int medium,
                        const double x[3]) {
  enum { STEPS = 6 };
  for (int i = -STEPS; i <= STEPS; i++) {
    const double index = node + i * tor_flat_cells(job, g) / STEPS;
    const double at = tor_grid_at(g, axis, fmin(fmax(index, tor_grid_first(g, axis) + 1e-3), g->n[axis] - 1e-3));
    double beside[3] = {x[0], x[1], x[2]};
    beside[axis] = at;
    if (tor_job_medium_at(job, beside) != medium) return tor_flat_around(job, g, x);
  }
  return 0;
}

int tor_plane_medium(const struct tor_job *job, const struct tor_grid *g, int axis, int node, const int lo[3],
                     const int hi[3]) {
  enum { POINTS = 24 };
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  const int walls = tor_flat_rule(job, g).used;
  int medium = 0;
  for (int i = 0; i < 3 * POINTS * POINTS && medium != TOR_MEDIUM_MIXED; i++) {
    const int point_b = i / 3 % POINTS, point_c = i / 3 / POINTS;
    double x[3];
    x[axis] = tor_grid_at(g, axis, node + 0.499 * (i % 3 - 1));
    x[b] = tor_grid_at(g, b, lo[b] + (point_b + 0.5) / POINTS * (hi[b] - lo[b]));
    x[c] = tor_grid_at(g, c, lo[c] + (point_c + 0.5) / POINTS * (hi[c] - lo[c]));
    const int here = tor_job_medium_at(job, x);
    medium = i && here != medium ? TOR_MEDIUM_MIXED : here;
    if (i % 3 == 1 && medium >= 0 && walls && wall_is_near(job, g, axis, node, medium, x)) medium = TOR_MEDIUM_MIXED;
  }
  return medium >= 0 && !is_fit(&job->media[medium]) ? TOR_MEDIUM_UNFIT : medium;
}

/* --- The plane's fields --- */

struct plane {
  const struct tor_monitors *monitors;
  const struct tor_recorder *recorder;
  const struct tor_grid *grid;
  const struct tor_flux_plane *at;
  int b, c, freq;
};

/* The wave number of an order along an axis of the plane; one cell has the order 0 alone. */
static double along(const struct tor_grid *g, int axis, int order) {
  return 2 * TOR_PI * order / (tor_grid_length(g, axis)) + tor_grid_bloch(g, axis);
}

/* exp(-i k x) */
static double complex phase_back(double k, double x) { return CMPLX(cos(k * x), -sin(k * x)); }

/* Mean over the cell of a patch's values at its number `row` along the axis, times exp(-i (k_b b + k_c c)). */
static double complex mean_of(const struct plane *p, int patch, int row, const double k[2]) {
  const struct tor_patch *of = &p->recorder->patch[p->at->patch + patch];
  const struct tor_grid *g = p->grid;
  const int nb = g->n[p->b], nc = g->n[p->c];
  double complex sum = 0;
  int at[3];
  if (!tor_comp_exists(g->plane, of->comp)) return 0;
  double complex *along_c = tor_alloc((size_t)nc, sizeof *along_c, "orders");
  for (int j = 0; j < nc; j++) along_c[j] = phase_back(k[1], tor_grid_place(g, of->comp, p->c, j));
  at[p->at->axis] = row;
  for (int i = 0; i < nb; i++) {
    double complex line = 0;
    at[p->b] = i;
    for (int j = 0; j < nc; j++) {
      at[p->c] = j;
      line += tor_recorder_spectrum(p->monitors, p->recorder, of, at[0], at[1], at[2], p->freq) * along_c[j];
    }
    sum += line * phase_back(k[0], tor_grid_place(g, of->comp, p->b, i));
  }
  free(along_c);
  return sum / ((double)nb * nc);
}

/* E along b, c at the plane, and eta0 H there as the mean of both sides. */
static void fields_of(const struct plane *p, const double k[2], double complex e[2], double complex h[2]) {
  for (int i = 0; i < 2; i++) {
    e[i] = mean_of(p, i, p->at->wide, k);
    h[i] = 0.5 * TOR_ETA0 * (mean_of(p, 2 + i, p->at->wide, k) + mean_of(p, 2 + i, p->at->wide + 1, k));
  }
}

/* The part of E H* that the plane's flux counts of a wave (monitor_spectrum.c, crossing). */
static double flux_factor(const struct plane *p, double half) { return tor_wave_slope(p->at->wide ? 4 : 2, half); }

/* Both waves of an order: splits the fields by the impedances of s, W mu / K_a, and of p, K_a / (W eps). */
static void split(const struct plane *p, const struct tor_medium *m, const int order[2], struct tor_order wave[2],
                  int *travels) {
  const struct tor_grid *g = p->grid;
  const int axis = p->at->axis;
  const double omega = p->recorder->omega[p->freq], w = tor_wave_frequency(g, omega);
  const double eps = creal(tor_medium_permittivity(m, 0, omega)), mu = creal(tor_medium_permeability(m, 0, omega));
  const double k[2] = {along(g, p->b, order[0]), along(g, p->c, order[1])};
  const double kb = tor_wave_discrete(g, p->b, k[0]), kc = tor_wave_discrete(g, p->c, k[1]),
               square = w * w * eps * mu - kb * kb - kc * kc;
  const double ka = square > 0 ? sqrt(square) : 0, half = tor_wave_half_phase(g, axis, ka);
  *travels = square > 0 && half > 0;
  if (!*travels) return;
  const double phi = kb != 0 || kc != 0 ? atan2(kc, kb) : 0, cosine = ka / sqrt(ka * ka + kb * kb + kc * kc);
  double complex e[2], h[2];
  fields_of(p, k, e, h);
  const double complex es = cos(phi) * e[1] - sin(phi) * e[0], ep = cos(phi) * e[0] + sin(phi) * e[1];
  const double complex hs = (cos(phi) * h[1] - sin(phi) * h[0]) / cos(half),
                       hp = (cos(phi) * h[0] + sin(phi) * h[1]) / cos(half);
  const double zs = w * mu / ka, zp = ka / (w * eps), area = tor_grid_length(g, p->b) * tor_grid_length(g, p->c);
  const double real = sqrt(eps * mu) * omega / TOR_C0, across = hypot(k[0], k[1]);
  for (int i = 0; i < 2; i++) {
    const int sign = i ? -1 : 1;
    const double complex s = 0.5 * (es - sign * zs * hp), tangential = 0.5 * (ep + sign * zp * hs);
    wave[i] = (struct tor_order){.freq = p->freq, .order = {order[0], order[1]}, .direction = sign, .phi = phi};
    wave[i].theta = asin(fmin(across / real, 1));
    const double flux = flux_factor(p, half) * area / TOR_ETA0;
    wave[i].power = flux * (creal(s * conj(s)) / zs + creal(tangential * conj(tangential)) / zp);
    const int along_b = kb == 0 && kc == 0 && g->n[p->b] == 1; /* as in orders whose plane of incidence is across b */
    wave[i].field[along_b] = s;
    wave[i].field[!along_b] = tangential / cosine;
    wave[i].amplitude[along_b] = sqrt(flux / zs) * s;
    wave[i].amplitude[!along_b] = sqrt(flux / zp) * tangential;
  }
}

/* The largest order along an axis that can travel. */
static int most(const struct tor_grid *g, int axis, double k) {
  const int half = g->n[axis] / 2;
  k += fabs(tor_grid_bloch(g, axis));
  return g->n[axis] == 1 ? 0 : (int)fmin(ceil(k * tor_grid_length(g, axis) / (2 * TOR_PI)) + 1, half);
}

struct tor_order *tor_orders_find(const struct tor_monitors *monitors, const struct tor_job *job,
                                  const struct tor_recorder *recorder, int *count) {
  const struct tor_medium *m = &job->media[recorder->medium];
  struct plane p = {.monitors = monitors, .recorder = recorder, .grid = monitors->grid, .at = &recorder->plane[0]};
  struct tor_order *list = NULL;
  size_t capacity = 0;
  *count = 0;
  p.b = (p.at->axis + 1) % 3;
  p.c = (p.at->axis + 2) % 3;
  for (p.freq = 0; p.freq < recorder->nfreq; p.freq++) {
    const double omega = recorder->omega[p.freq],
                 k = omega / TOR_C0 *
                     sqrt(creal(tor_medium_permittivity(m, 0, omega) * tor_medium_permeability(m, 0, omega)));
    const int mb = most(p.grid, p.b, k), mc = most(p.grid, p.c, k);
    for (int i = 0; i < (2 * mb + 1) * (2 * mc + 1); i++) {
      const int order[2] = {i / (2 * mc + 1) - mb, i % (2 * mc + 1) - mc};
      struct tor_order wave[2];
      int travels;
      split(&p, m, order, wave, &travels);
      for (int way = 0; way < 2 && travels; way++) {
        list = tor_grow(list, (size_t)*count + 1, &capacity, sizeof *list);
        list[(*count)++] = wave[way];
      }
    }
  }
  return list;
}
