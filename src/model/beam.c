/* Gaussian beams: see beam.h. */
#include "src/model/beam.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/base/vector3.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/model/grid_wave.h"
#include "src/model/plane_media.h"

/* Waves of an amplitude A below exp(-REACH^2) are left out; a beam ends REACH radii from its middle. */
static const double REACH = 4.5;
/* Parts of K along the axis, over K: of waves that count as travelling through the plane, and of those that are left
 * out; between the two they fade, so that the sum is smooth in frequency. */
static const double THROUGH = 0.25, GRAZING = 0.05;

/* Products without the care for infinities that C has. */
static double complex times(double complex a, double complex b) {
  return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

void tor_beam_frame(const struct tor_source *source, double first[3], double second[3]) {
  const double *p = source->across, turn = source->waist_angle * TOR_PI / 180, c = cos(turn), s = sin(turn);
  double q[3];
  tor_cross(source->travel, p, q);
  for (int a = 0; a < 3; a++) {
    first[a] = c * p[a] + s * q[a];
    second[a] = c * q[a] - s * p[a];
  }
}

const char *tor_beam_medium(const struct tor_plane_media *p, double omega, double *eps, double *mu) {
  const struct tor_grid *g = &p->grid;
  const double complex step = CMPLX(0, -tor_wave_frequency(g, omega));
  double complex *value = tor_alloc((size_t)TOR_NCOMP * (size_t)p->npoints, sizeof *value, "beam");
  double complex found[2] = {0, 0};
  int same = 1, alike = 1, known[2] = {0, 0};
  tor_plane_media_response(p, omega, value);
  for (int c = 0; c < TOR_NCOMP; c++) {
    int first = -1;
    for (int i = 0; i < p->npoints && same; i++) {
      if (!(tor_plane_media_share(p, c, i) > 0)) continue;
      if (first < 0) first = i;
      const double complex here = value[c * p->npoints + i], there = value[c * p->npoints + first];
      same = cabs(here - there) <= 1e-9 * cabs(there);
    }
    if (first < 0) continue;
    const double complex part = value[c * p->npoints + first] / (step * tor_grid_metric(g, c));
    const int h = tor_comp_is_h(c);
    alike &= !known[h] || cabs(part - found[h]) <= 1e-9 * cabs(part);
    found[h] = part;
    known[h] = 1;
  }
  free(value);
  *eps = creal(found[0]);
  *mu = creal(found[1]);
  const double lost = fmax(fabs(cimag(found[0])) / cabs(found[0]), fabs(cimag(found[1])) / cabs(found[1]));
  if (!same) return "the media in its plane differ, need " TOR_NEEDED("a plane in one homogeneous medium");
  if (!alike) return "the medium in its plane is anisotropic, need " TOR_NEEDED("an isotropic one without losses");
  if (lost <= 1e-6 && *eps > 0 && *mu > 0) return NULL;
  return "the medium in its plane absorbs, need " TOR_NEEDED("an isotropic one without losses");
}

/* What all waves of a beam have in common. */
struct making {
  const struct tor_source *source;
  struct tor_beam *beam;
  double omega, eps, mu, W;
  double e[2][3];          /* along the waists */
  double complex polar[3]; /* of E */
  double ahead;            /* from the focus to the origin, along the direction [m] */
};

static void make_frame(struct making *m) {
  const struct tor_source *s = m->source;
  const struct tor_plane_media *p = m->beam->plane;
  double q[3];
  tor_beam_frame(s, m->e[0], m->e[1]);
  tor_cross(s->travel, s->across, q);
  for (int a = 0; a < 3; a++)
    m->polar[a] = s->circular ? (s->across[a] + s->circular * TOR_I * q[a]) / sqrt(2) : s->across[a];
  const double place = tor_grid_at(&p->grid, p->axis, p->node);
  m->ahead = (place - s->focus[p->axis]) / s->travel[p->axis];
  for (int a = 0; a < 3; a++) m->beam->origin[a] = s->focus[a] + m->ahead * s->travel[a];
}

/* The grid's wave number along a direction. */
static double wave_number(const struct making *m) {
  const struct tor_grid *g = &m->beam->plane->grid;
  const double *n = m->source->travel, wanted = m->W * m->W * m->eps * m->mu;
  double k = sqrt(m->eps * m->mu) * m->omega / TOR_C0;
  for (int i = 0; i < 30; i++) {
    double sum = 0, slope = 0;
    for (int a = 0; a < 3; a++) {
      const double K = tor_wave_discrete(g, a, k * n[a]);
      sum += K * K;
      slope += 2 * K * n[a] * tor_wave_slope(g->order, 0.5 * k * n[a] * g->d[a]);
    }
    k -= (sum - wanted) / slope;
  }
  return k;
}

/* The radius along one of the waists, `ahead` of the focus [m]. */
static double radius_at(const struct making *m, int waist, double ahead) {
  const double w = m->source->waist[waist], far = ahead - (waist ? m->source->astigmatism : 0);
  const double spread = 2 * far / (m->beam->wave_number * w);
  return w * sqrt(1 + spread * spread);
}

/* Along an axis of the plane, where the amplitude has fallen to 1/e: of an ellipse that is seen along the direction.
 * The radius is that `further` from the focus. */
static double radius_on_plane(const struct making *m, int a, double further) {
  const double *n = m->source->travel;
  const int axis = m->beam->plane->axis;
  double sum = 0;
  for (int waist = 0; waist < 2; waist++) {
    const double *e = m->e[waist], across = e[a] - n[a] * e[axis] / n[axis];
    const double w = fmax(radius_at(m, waist, m->ahead - further), radius_at(m, waist, m->ahead + further));
    sum += pow(w * across, 2);
  }
  return sqrt(sum);
}

/* The range of wave numbers along an axis of the plane. */
static void find_range(const struct making *m, int a, double *lo, double *hi) {
  enum { TURNS = 64, RINGS = 8 };
  const double k = m->beam->wave_number;
  *lo = *hi = k * m->source->travel[a];
  for (int i = 0; i < TURNS * RINGS; i++) {
    const double r = 2 * REACH * (1 + i / TURNS) / RINGS, turn = 2 * TOR_PI * (i % TURNS) / TURNS;
    const double k1 = r * cos(turn) / m->source->waist[0], k2 = r * sin(turn) / m->source->waist[1];
    const double rest = k * k - k1 * k1 - k2 * k2;
    if (rest < 0) continue;
    const double at = k1 * m->e[0][a] + k2 * m->e[1][a] + sqrt(rest) * m->source->travel[a];
    *lo = fmin(*lo, at);
    *hi = fmax(*hi, at);
  }
}

/* The wave numbers along next or last: so dense that the beam's images, which a sum has in place of an integral, do not
 * reach the plane; in a periodic cell those of the cell. Whole multiples of the step. */
static void make_waves(const struct making *m, int side) {
  struct tor_beam *b = m->beam;
  const struct tor_plane_media *p = b->plane;
  const struct tor_grid *g = &p->grid;
  const int a = side ? p->last : p->next;
  b->count[side] = 1;
  b->step[side] = 1;
  if (tor_plane_media_uniform(p, side)) return;
  double further = 0, lo, hi;
  b->radius[side] = radius_on_plane(m, a, 0);
  for (int i = 0; i < 3; i++)
    further = fabs(m->source->travel[a] / m->source->travel[p->axis]) * REACH * radius_on_plane(m, a, further);
  const double end[2] = {tor_grid_at(g, a, p->lo[side]), tor_grid_at(g, a, p->lo[side] + p->n[side])};
  const double far = fmax(fabs(end[0] - b->origin[a]), fabs(end[1] - b->origin[a]));
  const double period =
      p->wall[side][0] == TOR_PERIODIC ? p->n[side] * g->d[a] : far + REACH * radius_on_plane(m, a, further);
  find_range(m, a, &lo, &hi);
  b->step[side] = 2 * TOR_PI / period;
  const double from = floor(lo / b->step[side]), to = ceil(hi / b->step[side]);
  b->first[side] = from * b->step[side];
  b->count[side] = (int)(to - from) + 1;
}

/* The part of a wave vector along the axis; 0: the wave does not travel. through: that of K over K. */
static double part_along(const struct making *m, double k[3], double K[3], double *through) {
  const struct tor_plane_media *p = m->beam->plane;
  const double whole = m->W * m->W * m->eps * m->mu;
  const double rest = whole - K[p->next] * K[p->next] - K[p->last] * K[p->last];
  k[p->axis] = K[p->axis] = 0;
  if (rest <= GRAZING * GRAZING * whole) return 0;
  *through = sqrt(rest / whole);
  const double half = tor_wave_half_phase(&p->grid, p->axis, sqrt(rest)), sign = m->source->direction;
  if (half < 0) return 0;
  k[p->axis] = sign * 2 * half / p->grid.d[p->axis];
  K[p->axis] = sign * sqrt(rest);
  return k[p->axis];
}

/* One wave: its fields at the origin. */
static void make_wave(const struct making *m, int at, double k[3]) {
  struct tor_beam *b = m->beam;
  const struct tor_plane_media *p = b->plane;
  const struct tor_grid *g = &p->grid;
  const struct tor_source *s = m->source;
  const double *n = s->travel;
  double K[3], slope[3], gradient[3];
  double complex E[3], H[3];
  for (int i = 0; i < 3; i++)
    if (i != p->axis) K[i] = tor_wave_discrete(g, i, k[i]);
  double through = 0;
  const int travels = part_along(m, k, K, &through) != 0;
  const double k1 = tor_dot(k, m->e[0]), k2 = tor_dot(k, m->e[1]);
  const double A = exp(-0.25 * (pow(s->waist[0] * k1, 2) + pow(s->waist[1] * k2, 2)));
  for (int i = 0; i < 3; i++) {
    slope[i] = tor_wave_slope(g->order, 0.5 * k[i] * g->d[i]);
    gradient[i] = K[i] * slope[i];
  }
  if (through < THROUGH) b->stopped = fmax(b->stopped, A);
  if (!travels || tor_dot(n, K) <= 0 || tor_dot(n, gradient) <= 0) {
    b->stopped = fmax(b->stopped, A);
    return;
  }
  const double rise = fmin((through - GRAZING) / (THROUGH - GRAZING), 1), fade = rise * rise * (3 - 2 * rise);
  /* From an integral over k1, k2 to one over the plane's wave numbers: both have the surface K^2 = const. */
  const double area = tor_dot(n, gradient) / gradient[p->axis] * (s->direction > 0 ? 1 : -1);
  const double phase = (tor_dot(k, n) - b->wave_number) * m->ahead + 0.5 * k2 * k2 * s->astigmatism / b->wave_number;
  const double complex amplitude = A * fade * fabs(area) * cexp(TOR_I * phase);
  const double complex part = (m->polar[0] * K[0] + m->polar[1] * K[1] + m->polar[2] * K[2]) / tor_dot(n, K);
  for (int i = 0; i < 3; i++) E[i] = amplitude * (m->polar[i] - n[i] * part);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    H[i] = (K[j] * E[l] - K[l] * E[j]) / (m->W * m->mu * TOR_ETA0);
  }
  b->along[at] = k[p->axis];
  for (int i = 0; i < 3; i++) {
    if (i == p->axis) continue;
    b->part[TOR_EX + i][at] = E[i];
    b->part[TOR_HX + i][at] = H[i];
  }
}

double tor_beam_power(struct tor_beam *b) {
  const struct tor_plane_media *p = b->plane;
  const int count = b->count[0] * b->count[1];
  double area = 1, power = 0;
  for (int side = 0; side < 2; side++)
    if (!tor_plane_media_uniform(p, side)) area *= 2 * TOR_PI / b->step[side];
  for (int i = 0; i < count; i++) {
    const double complex *ej = &b->part[TOR_EX + p->next][i], *ek = &b->part[TOR_EX + p->last][i],
                         *hj = &b->part[TOR_HX + p->next][i], *hk = &b->part[TOR_HX + p->last][i];
    power += 0.5 * area * creal(*ej * conj(*hk) - *ek * conj(*hj)) *
             tor_wave_slope(p->grid.order, 0.5 * b->along[i] * p->grid.d[p->axis]);
    b->square += area * (creal(*ej * conj(*ej)) + creal(*ek * conj(*ek)));
  }
  return fabs(power);
}

/* To a power of 1 W. */
static void normalise(struct tor_beam *b) {
  const int count = b->count[0] * b->count[1];
  const double power = tor_beam_power(b);
  if (!(power > 0)) return;
  b->square /= power;
  for (int c = 0; c < TOR_NCOMP; c++)
    for (int i = 0; i < count && b->part[c]; i++) b->part[c][i] /= sqrt(power);
}

static void alloc_waves(struct tor_beam *beam) {
  const size_t count = (size_t)beam->count[0] * (size_t)beam->count[1];
  beam->along = tor_alloc(count, sizeof *beam->along, "beam");
  for (int c = 0; c < TOR_NCOMP; c++)
    if (tor_comp_axis(c) != beam->plane->axis) beam->part[c] = tor_alloc(count, sizeof *beam->part[c], "beam");
}

void tor_beam_open(const struct tor_plane_media *plane, const double origin[3], const int count[2],
                   struct tor_beam *beam) {
  *beam = (struct tor_beam){.plane = plane, .count = {count[0], count[1]}};
  for (int a = 0; a < 3; a++) beam->origin[a] = origin[a];
  alloc_waves(beam);
}

void tor_beam_make(const struct tor_source *source, const struct tor_plane_media *plane, double omega, double eps,
                   double mu, struct tor_beam *beam) {
  struct making m = {.source = source, .beam = beam, .omega = omega, .eps = eps, .mu = mu};
  *beam = (struct tor_beam){.plane = plane};
  m.W = tor_wave_frequency(&plane->grid, omega);
  make_frame(&m);
  beam->wave_number = wave_number(&m);
  for (int side = 0; side < 2; side++) make_waves(&m, side);
  alloc_waves(beam);
  for (int i = 0; i < beam->count[0]; i++)
    for (int j = 0; j < beam->count[1]; j++) {
      double k[3];
      k[plane->next] = beam->first[0] + i * beam->step[0];
      k[plane->last] = beam->first[1] + j * beam->step[1];
      k[plane->axis] = 0;
      make_wave(&m, i * beam->count[1] + j, k);
    }
  normalise(beam);
}

void tor_beam_free(struct tor_beam *beam) {
  free(beam->along);
  for (int c = 0; c < TOR_NCOMP; c++) free(beam->part[c]);
  *beam = (struct tor_beam){0};
}

/* exp(i k x) of all waves along next or last at each of the plane's points: [points][count]. */
static double complex *make_phases(const struct tor_beam *b, int comp, int side) {
  const struct tor_plane_media *p = b->plane;
  const int a = side ? p->last : p->next, count = b->count[side];
  double complex *phase = tor_alloc((size_t)(p->n[side] + 1) * (size_t)count, sizeof *phase, "beam");
  for (int i = 0; i <= p->n[side]; i++) {
    const double x = tor_grid_place(&p->grid, comp, a, p->lo[side] + i) - b->origin[a];
    for (int q = 0; q < count; q++)
      phase[i * count + q] =
          tor_plane_media_uniform(p, side) ? 1 : cexp(TOR_I * (b->first[side] + q * b->step[side]) * x);
  }
  return phase;
}

void tor_beam_field(const struct tor_beam *b, int comp, double cells, double complex *to) {
  const struct tor_plane_media *p = b->plane;
  const int rows = p->n[0] + 1, columns = p->n[1] + 1, n0 = b->count[0], n1 = b->count[1];
  double complex *phase[2] = {make_phases(b, comp, 0), make_phases(b, comp, 1)};
  double complex *moved = tor_alloc((size_t)n0 * (size_t)n1, sizeof *moved, "beam");
  double complex *summed = tor_alloc((size_t)rows * (size_t)n1, sizeof *summed, "beam");
  const double shift = cells * p->grid.d[p->axis];
  for (int i = 0; i < n0 * n1; i++) moved[i] = times(b->part[comp][i], cexp(TOR_I * b->along[i] * shift));
#pragma omp parallel for schedule(static)
  for (int i = 0; i < rows; i++) {
    double complex *sum = summed + (size_t)i * (size_t)n1;
    for (int q = 0; q < n0; q++)
      for (int r = 0; r < n1; r++) sum[r] += times(phase[0][i * n0 + q], moved[q * n1 + r]);
    for (int j = 0; j < columns; j++) {
      double complex value = 0;
      for (int r = 0; r < n1; r++) value += times(sum[r], phase[1][j * n1 + r]);
      to[i * columns + j] = value;
    }
  }
  free(phase[0]);
  free(phase[1]);
  free(moved);
  free(summed);
}

void tor_beam_take(const struct tor_beam *b, int direction, int h, int place, double complex *scratch, double *to) {
  const struct tor_plane_media *p = b->plane;
  const int from_node = place - TOR_SHEET_PLACES / 2;
  const double cells = from_node - 0.5 * h * direction;
  for (int side = 0; side < 2; side++) {
    const int comp = (h ? TOR_HX : TOR_EX) + (side ? p->last : p->next);
    double *re = to + side * p->npoints, *im = re + 2 * p->npoints;
    for (int i = 0; i < p->npoints; i++) re[i] = im[i] = 0;
    if (!tor_comp_exists(p->grid.plane, comp)) continue;
    tor_beam_field(b, comp, cells, scratch);
    for (int i = 0; i < p->npoints; i++) {
      if (!(tor_plane_media_share(p, comp, i) > 0)) continue;
      const double scale = p->grid.d[tor_comp_axis(comp)] * (h ? TOR_ETA0 : 1);
      re[i] = scale * creal(scratch[i]);
      im[i] = scale * cimag(scratch[i]);
    }
  }
}
