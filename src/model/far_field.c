/* Far fields: see far_field.h. */
#include "src/model/far_field.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/far_layers.h"
#include "src/model/far_parts.h"
#include "src/model/far_rings.h"
#include "src/model/far_surface.h"
#include "src/model/grid_wave.h"
#include "src/model/monitor.h"
#include "src/model/source.h"

enum { MOST_ROWS = 4, MOST_IMAGES = 8 };

/* Plane waves exp(-i k.r) of both polarisations: E, and H in the unit of 1 / eta. */
struct wave {
  double k[3], e[2][3], h[2][3];
  double complex phase;
};

/* --- The surface --- */

static void read_values(const struct tor_far_field *far, const struct tor_flux_plane *plane, int patch,
                        struct tor_far_values *v) {
  const struct tor_grid *g = far->monitors->grid;
  const struct tor_patch *p = &far->recorder->patch[plane->patch + patch];
  const int a = plane->axis, axes[2] = {(a + 1) % 3, (a + 2) % 3};
  const int exists = tor_comp_exists(g->plane, p->comp);
  double unit = plane->sign;
  const int mean = tor_comp_is_h(p->comp) && !plane->wide; /* of H on both sides */
  *v = (struct tor_far_values){.comp = p->comp, .rows = mean ? 1 : p->count[a]};
  for (int i = 0; i < 2; i++) {
    v->n[i] = exists ? p->count[axes[i]] : 0;
    v->d[i] = g->d[axes[i]];
    v->place[i] = tor_grid_place(g, p->comp, axes[i], p->first[axes[i]]);
    unit *= v->d[i];
  }
  const size_t count = (size_t)v->rows * (size_t)v->n[0] * (size_t)v->n[1];
  v->re = tor_alloc(count + 1, sizeof *v->re, "far field");
  v->im = tor_alloc(count + 1, sizeof *v->im, "far field");
  size_t to = 0;
  int at[3];
  for (at[a] = 0; at[a] < v->rows && exists; at[a]++)
    for (at[axes[0]] = 0; at[axes[0]] < v->n[0]; at[axes[0]]++)
      for (at[axes[1]] = 0; at[axes[1]] < v->n[1]; at[axes[1]]++, to++) {
        double weight = unit;
        for (int i = 0; i < 2; i++)
          if (v->n[i] > 1 && !tor_comp_half(p->comp, axes[i]) && (!at[axes[i]] || at[axes[i]] == v->n[i] - 1))
            weight *= 0.5;
        double complex f = tor_recorder_spectrum(far->monitors, far->recorder, p, at[0], at[1], at[2], far->freq);
        if (mean) {
          int other[3] = {at[0], at[1], at[2]};
          other[a] = 1;
          f = 0.5 *
              (f + tor_recorder_spectrum(far->monitors, far->recorder, p, other[0], other[1], other[2], far->freq));
        }
        f *= weight;
        v->re[to] = creal(f);
        v->im[to] = cimag(f);
      }
}

static void read_sides(struct tor_far_field *far) {
  const struct tor_grid *g = far->monitors->grid;
  const struct tor_recorder *l = far->recorder;
  far->nside = l->nplane;
  far->side = tor_alloc((size_t)l->nplane, sizeof *far->side, "far field");
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < l->nplane; i++) {
    const struct tor_flux_plane *p = &l->plane[i];
    far->side[i] = (struct tor_far_side){.axis = p->axis, .wide = p->wide, .place = tor_grid_at(g, p->axis, p->node)};
    for (int j = 0; j < 4; j++) read_values(far, p, j, &far->side[i].value[j]);
  }
  for (int i = 0; i < far->nside; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 2; k++)
        if (far->side[i].value[j].n[k] > far->longest) far->longest = far->side[i].value[j].n[k];
}

struct tor_far_field *tor_far_field_new(const struct tor_monitors *monitors, const struct tor_job *job,
                                        const struct tor_recorder *recorder, int freq) {
  struct tor_far_field *far = tor_alloc(1, sizeof *far, "far field");
  const struct tor_grid *g = monitors->grid;
  const double omega = recorder->omega[freq];
  *far = (struct tor_far_field){.monitors = monitors, .job = job, .recorder = recorder, .freq = freq};
  if (recorder->spec->kind == TOR_FAR_FIELD && !g->angular) far->stack = tor_far_stack_of(job, g);
  if (far->stack.count) {
    tor_far_stack_medium(&far->stack, job, omega, 1, &far->index, &far->eta);
  } else {
    const struct tor_medium *m = &job->media[recorder->medium];
    const double eps = creal(tor_medium_permittivity(m, 0, omega)), mu = creal(tor_medium_permeability(m, 0, omega));
    far->index = sqrt(eps * mu);
    far->eta = TOR_ETA0 * sqrt(mu / eps);
  }
  far->k = tor_wave_frequency(g, omega) * far->index;
  far->across = -1;
  for (int a = 0; a < 3; a++) {
    far->lo[a] = tor_grid_node(g, a, recorder->spec->lo[a]);
    far->hi[a] = tor_grid_node(g, a, recorder->spec->hi[a]);
    if (far->lo[a] == far->hi[a]) far->across = a;
  }
  far->mirrors = tor_far_surface_mirrors(g, far->across, far->lo, far->hi);
  if (g->angular)
    far->rings = tor_far_rings_new(monitors, recorder, freq);
  else
    read_sides(far);
  return far;
}

void tor_far_field_free(struct tor_far_field *far) {
  for (int i = 0; far && i < far->nside; i++)
    for (int j = 0; j < 4; j++) {
      free(far->side[i].value[j].re);
      free(far->side[i].value[j].im);
    }
  if (far) tor_far_rings_free(far->rings);
  if (far) free(far->side);
  free(far);
}

/* --- Its product with a wave --- */

/* exp(-i k (x + j d)) for j < n, as real and imaginary parts. */
static void phases(double k, double x, double d, int n, double *re, double *im) {
  for (int j = 0; j < n; j++) {
    re[j] = cos(k * (x + j * d));
    im[j] = -sin(k * (x + j * d));
  }
}

/* Sum over a patch of its values times exp(-i k.r) in the plane, and times `row` along its axis. work: 4 longest. */
static double complex projected(const struct tor_far_field *far, const struct tor_far_values *v, const double k[2],
                                const double complex *row, double *work) {
  double *cr = work, *ci = cr + far->longest, *br = ci + far->longest, *bi = br + far->longest;
  phases(k[0], v->place[0], v->d[0], v->n[0], br, bi);
  phases(k[1], v->place[1], v->d[1], v->n[1], cr, ci);
  double complex all = 0;
  for (int r = 0; r < v->rows; r++) {
    double complex sum = 0;
    for (int i = 0; i < v->n[0]; i++) {
      const size_t first = ((size_t)r * (size_t)v->n[0] + (size_t)i) * (size_t)v->n[1];
      const double *re = v->re + first, *im = v->im + first;
      double sr = 0, si = 0;
#pragma omp simd reduction(+ : sr, si)
      for (int j = 0; j < v->n[1]; j++) {
        sr += re[j] * cr[j] - im[j] * ci[j];
        si += re[j] * ci[j] + im[j] * cr[j];
      }
      sum += CMPLX(sr, si) * CMPLX(br[i], bi[i]);
    }
    all += row[r] * sum;
  }
  return all;
}

/* The wave's H along the plane's axis as the products with E at each of its rows see it, and its E for H's rows: the
 * terms of `crossing` in monitor_spectrum.c. step: exp(-i k_a d / 2). */
static void row_factors(int wide, double complex step, double complex e[MOST_ROWS], double complex h[MOST_ROWS]) {
  const double complex back = conj(step), far = step * step * step;
  if (!wide) {
    e[0] = creal(step);
    h[0] = 1; /* rows are means already */
    return;
  }
  e[0] = -step / 24; /* at -1, by H at 1/2 */
  e[1] = 9.0 / 8.0 * creal(step) - creal(far) / 24;
  e[2] = -back / 24;
  h[0] = h[3] = -1.0 / 48;              /* at -3/2, 3/2, by E at 0 */
  h[1] = 9.0 / 16.0 - step * step / 24; /* at -1/2, by E at 0 and 1 */
  h[2] = 9.0 / 16.0 - conj(step * step) / 24;
}

/* Adds it to sum[polarisation]. */
static void add_product(const struct tor_far_field *far, const struct tor_far_side *s, const struct wave *w,
                        double *work, double complex sum[2]) {
  const int a = s->axis, b = (a + 1) % 3, c = (a + 2) % 3;
  const double k[2] = {w->k[b], w->k[c]}, half = 0.5 * w->k[a] * far->monitors->grid->d[a], at = w->k[a] * s->place;
  double complex of_e[MOST_ROWS], of_h[MOST_ROWS], f[4];
  row_factors(s->wide, CMPLX(cos(half), -sin(half)), of_e, of_h);
  for (int i = 0; i < 4; i++) f[i] = projected(far, &s->value[i], k, i < 2 ? of_e : of_h, work);
  const double complex phase = w->phase * CMPLX(cos(at), -sin(at));
  for (int i = 0; i < 2; i++) {
    const double complex eh = (f[0] * w->h[i][c] - f[1] * w->h[i][b]) / far->eta;
    const double complex he = w->e[i][b] * f[3] - w->e[i][c] * f[2];
    sum[i] += phase * (eh - he);
  }
}

/* The waves' images in the surface's mirrors: on a PEC the sum of E and its image lies across the wall, on a PMC along
 * it. Returns their number with the wave itself, w[0]. */
static int add_images(const struct tor_far_field *far, struct wave w[MOST_IMAGES]) {
  const struct tor_grid *g = far->monitors->grid;
  int n = 1;
  for (int f = 0; f < TOR_NFACE; f++) {
    if (!(far->mirrors >> f & 1)) continue;
    const int a = f / 2, pec = tor_grid_wall(g, f) == TOR_PEC;
    const double wall = g->lo[a] + (f % 2 ? g->n[a] * g->d[a] : 0);
    for (int i = 0; i < n; i++) {
      struct wave *to = &w[n + i];
      *to = w[i];
      for (int c = 0; c < 6; c++) {
        to->e[c / 3][c % 3] *= (c % 3 == a) == pec ? 1 : -1;
        to->h[c / 3][c % 3] *= (c % 3 == a) == pec ? -1 : 1;
      }
      to->k[a] = -w[i].k[a];
      to->phase *= CMPLX(cos(2 * w[i].k[a] * wall), -sin(2 * w[i].k[a] * wall));
    }
    n *= 2;
  }
  return n;
}

/* --- Directions --- */

/* Vectors of the job's axes: the direction, and those along which the two fields are. */
static void directions(const struct tor_far_field *far, double theta, double phi, double u[3], double along[2][3]) {
  const int plane = far->job->plane != TOR_SPACE;
  const double ct = plane ? 0 : cos(theta), st = plane ? 1 : sin(theta), cp = cos(phi), sp = sin(phi);
  const double user[3][3] = {
      {st * cp, st * sp, ct}, {ct * cp, ct * sp, plane ? 1 : -st}, {-sp, cp, 0}}; /* 2-D: z in place of theta */
  for (int a = 0; a < 3; a++) {
    const int of = tor_user_axis(far->job, a);
    u[a] = user[0][of];
    along[0][a] = user[1][of];
    along[1][a] = user[2][of];
  }
}

/* The wave vector whose K lies along u, and the root of its dk_x dk_y dk_z / (dK_x dK_y dK_z). Returns whether it
 * travels. */
static int wave_vector(const struct tor_far_field *far, const double u[3], double k[3], double *root) {
  const struct tor_grid *g = far->monitors->grid;
  double slopes = 1;
  for (int a = 0; a < 3; a++) {
    k[a] = 0;
    if (g->plane && a == TOR_X) continue;
    const double half = tor_wave_half_phase(g, a, fabs(far->k * u[a]));
    if (half < 0) return 0;
    k[a] = copysign(2 * half / g->d[a], u[a]);
    slopes *= tor_wave_slope(g->order, half);
  }
  *root = 1 / sqrt(slopes);
  return slopes > 0;
}

/* i k eta / (4 pi r), and in 2-D i k eta i / 4 sqrt(2 / (pi k r)) exp(-i pi / 4) times the current. */
static double complex unit_of(const struct tor_far_field *far, double k, double eta) {
  return far->job->plane ? eta / 4 * sqrt(2 * k / TOR_PI) * CMPLX(-sqrt(0.5), sqrt(0.5))
                         : CMPLX(0, k * eta / (4 * TOR_PI));
}

/* The same from rings. */
static void at_rings(const struct tor_far_field *far, double theta, double phi, double complex e[2]) {
  const double ct = cos(theta), st = sin(theta), cp = cos(phi), sp = sin(phi);
  const double u[3] = {st * cp, st * sp, ct}, along[2][3] = {{ct * cp, ct * sp, -st}, {-sp, cp, 0}};
  const double unit = far->k * far->eta / (4 * TOR_PI), sign = far->across >= 0 && ct < 0 ? -1 : 1;
  double complex sum[2] = {0};
  tor_far_rings_add(far->rings, far->k, far->eta, u, along, sum);
  for (int i = 0; i < 2; i++) e[i] = CMPLX(0, sign * unit) * sum[i];
}

/* Sum over a patch of its values times a layered wave's component `axis`, of E or H. */
static double complex in_layers(const struct tor_far_field *far, const struct tor_far_side *s,
                                const struct tor_far_values *v, const struct tor_layered_wave *w, int axis, int of_h,
                                double *work) {
  double *factor[2][2];
  double complex across = 0, sum = 0, field[2][3];
  for (int i = 0; i < 3; i++) { /* the plane's axis, then those in it */
    const int a = (s->axis + i) % 3, n = i ? v->n[i - 1] : 1;
    for (int j = 0; j < n; j++) {
      const double x = i ? v->place[i - 1] + j * v->d[i - 1] : s->place, path = w->lateral * w->along[a] * x;
      double complex f = CMPLX(cos(path), -sin(path));
      if (a == far->stack.axis) {
        tor_layered_wave_at(w, x, field[0], field[1]);
        f = field[of_h][axis];
      }
      if (!i) {
        across = f;
        continue;
      }
      for (int k = 0; k < 2; k++) factor[i - 1][k] = work + (2 * (i - 1) + k) * far->longest;
      factor[i - 1][0][j] = creal(f);
      factor[i - 1][1][j] = cimag(f);
    }
  }
  const int first = v->rows / 3, last = v->rows - 1 - first; /* order 4: those next to the plane */
  for (int r = first; r <= last; r++)
    for (int i = 0; i < v->n[0]; i++) {
      const size_t at = ((size_t)r * (size_t)v->n[0] + (size_t)i) * (size_t)v->n[1];
      double re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
      for (int j = 0; j < v->n[1]; j++) {
        re += v->re[at + (size_t)j] * factor[1][0][j] - v->im[at + (size_t)j] * factor[1][1][j];
        im += v->re[at + (size_t)j] * factor[1][1][j] + v->im[at + (size_t)j] * factor[1][0][j];
      }
      sum += CMPLX(re, im) * CMPLX(factor[0][0][i], factor[0][1][i]) / (last - first + 1);
    }
  return sum * across;
}

/* The same over layers. */
static void at_layers(const struct tor_far_field *far, const double u[3], const double along[2][3],
                      double complex e[2]) {
  const double omega = far->recorder->omega[far->freq], k0 = tor_wave_frequency(far->monitors->grid, omega);
  double index, eta;
  tor_far_stack_medium(&far->stack, far->job, omega, u[far->stack.axis], &index, &eta);
  if (isnan(index)) return;
  double *work = tor_alloc(4 * (size_t)far->longest, sizeof *work, "far field");
  struct wave image[MOST_IMAGES] = {{.phase = 1}};
  struct tor_layered_wave *w = tor_alloc(1, sizeof *w, "far field");
  double complex sum[2] = {0};
  for (int a = 0; a < 3; a++) {
    image[0].k[a] = k0 * index * u[a];
    for (int i = 0; i < 2; i++) image[0].e[i][a] = along[i][a];
  }
  const int n = add_images(far, image);
  for (int j = 0; j < 2 * n; j++) {
    const struct wave *from = &image[j / 2];
    double of[3];
    for (int a = 0; a < 3; a++) of[a] = from->k[a] / (k0 * index);
    tor_layered_wave_make(&far->stack, far->job, omega, k0, of, from->e[j % 2], w);
    for (int k = 0; k < far->nside; k++) {
      const struct tor_far_side *s = &far->side[k];
      const int b = (s->axis + 1) % 3, c = (s->axis + 2) % 3;
      const double complex eh = in_layers(far, s, &s->value[0], w, c, 1, work) -
                                in_layers(far, s, &s->value[1], w, b, 1, work),
                           he = in_layers(far, s, &s->value[3], w, b, 0, work) -
                                in_layers(far, s, &s->value[2], w, c, 0, work);
      sum[j % 2] += from->phase * (eh / TOR_ETA0 - he);
    }
  }
  const double sign = far->across >= 0 && u[far->across] < 0 ? -1 : 1;
  for (int i = 0; i < 2; i++) e[i] = sign * unit_of(far, k0 * index, eta) * sum[i];
  free(w);
  free(work);
}

void tor_far_field_at(const struct tor_far_field *far, double theta, double phi, double complex e[2]) {
  double u[3], along[2][3], k[3], root;
  if (far->rings) {
    at_rings(far, theta, phi, e);
    return;
  }
  directions(far, theta, phi, u, along);
  e[0] = e[1] = (double)NAN;
  if (far->stack.count) {
    at_layers(far, u, (const double(*)[3])along, e);
    return;
  }
  if (!wave_vector(far, u, k, &root)) return;
  double *work = tor_alloc(4 * (size_t)far->longest, sizeof *work, "far field");
  const double complex unit = unit_of(far, far->k, far->eta);
  struct wave w[MOST_IMAGES] = {{.phase = 1}};
  double complex sum[2] = {0};
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    w[0].k[a] = k[a];
    for (int i = 0; i < 2; i++) {
      w[0].e[i][a] = along[i][a];
      w[0].h[i][a] = -(u[b] * along[i][c] - u[c] * along[i][b]);
    }
  }
  const int n = add_images(far, w);
  for (int s = 0; s < far->nside; s++)
    for (int j = 0; j < n; j++) add_product(far, &far->side[s], &w[j], work, sum);
  const int against = far->across >= 0 && u[far->across] < 0;
  for (int i = 0; i < 2; i++) e[i] = (against ? -unit : unit) * root * sum[i];
  free(work);
}

double tor_far_field_power(const struct tor_far_field *far, const double complex e[2]) {
  return (creal(e[0] * conj(e[0])) + creal(e[1] * conj(e[1]))) / far->eta;
}

double tor_far_field_power_at(const struct tor_far_field *far, double theta, double phi, const double complex e[2]) {
  double u[3], along[2][3], index, eta;
  if (!far->stack.count) return tor_far_field_power(far, e);
  directions(far, theta, phi, u, along);
  tor_far_stack_medium(&far->stack, far->job, far->recorder->omega[far->freq], u[far->stack.axis], &index, &eta);
  return (creal(e[0] * conj(e[0])) + creal(e[1] * conj(e[1]))) / eta;
}

void tor_far_field_medium(const struct tor_far_field *far, double *index, double *impedance) {
  *index = far->index;
  *impedance = far->eta;
}

double tor_far_field_total(const struct tor_far_field *far, const struct tor_sources *sources) {
  if (far->across < 0 && tor_far_surface_within(far->monitors->grid, sources, far->lo, far->hi)) return (double)NAN;
  double total = tor_recorder_flux(far->monitors, far->recorder, 0, far->recorder->nplane, far->freq);
  for (int f = 0; f < TOR_NFACE; f++)
    if (far->mirrors >> f & 1) total *= 2;
  return far->across < 0 ? total : fabs(total);
}
