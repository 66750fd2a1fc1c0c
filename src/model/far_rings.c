/* Far fields in cylindrical coordinates: see far_rings.h.
 *
 * On a ring of radius r the fields are amplitudes times cos(m phi) (E_r, E_z, H_phi) or sin(m phi) (the others), of m =
 * 0 amplitudes, and the wave is exp(-i k (r sin(theta) cos(phi - phi0) + z cos(theta))): periodic in phi, so equal
 * steps are exact once they are finer than its waves (the error falls faster than any power). Along the rings' other
 * axis and across the planes values are taken at their places and as means of both sides, as for the flux: second
 * order. */
#include "src/model/far_rings.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/base/vector3.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/model/monitor.h"

/* A component of a plane; its points lie along the plane's axis that is not phi. */
struct values {
  int n, is_odd;         /* sin(m phi) */
  double first, d;       /* places [m] */
  double complex *value; /* [n] amplitudes, times d, ends on nodes half */
};

struct plane {
  int axis; /* TOR_RADIAL: a cylinder; TOR_AXIAL: a disc */
  double place;
  int sign;
  struct values value[4]; /* E_b, E_c, H_b, H_c, of the axes behind `axis` in cyclic order */
};

struct tor_far_rings {
  int m, nplane;
  double reach; /* the largest radius [m] */
  struct plane *plane;
};

static void read_values(const struct tor_monitors *ms, const struct tor_recorder *l, const struct tor_flux_plane *plane,
                        int which, int freq, struct values *v) {
  const struct tor_grid *g = ms->grid;
  const struct tor_patch *p = &l->patch[plane->patch + which];
  const int a = plane->axis, o = a == TOR_RADIAL ? TOR_AXIAL : TOR_RADIAL, half = tor_comp_half(p->comp, o);
  const int empty = p->count[TOR_PHI] < 1;
  *v = (struct values){.n = empty ? 0 : p->count[o],
                       .is_odd = g->angular > 0 && tor_comp_half(p->comp, TOR_PHI),
                       .first = tor_grid_place(g, p->comp, o, p->first[o]),
                       .d = g->d[o]};
  v->value = tor_alloc((size_t)v->n + 1, sizeof *v->value, "far field");
  for (int i = 0; i < v->n; i++) {
    int at[3] = {p->count[TOR_PHI] - 1, 0, 0}; /* of both nodes along phi that of phi = 0 */
    at[o] = i;
    for (at[a] = 0; at[a] < p->count[a]; at[a]++)
      v->value[i] += tor_recorder_spectrum(ms, l, p, at[0], at[1], at[2], freq) / p->count[a];
    v->value[i] *= v->d * (!half && (i == 0 || i == v->n - 1) ? 0.5 : 1);
  }
}

struct tor_far_rings *tor_far_rings_new(const struct tor_monitors *ms, const struct tor_recorder *l, int freq) {
  struct tor_far_rings *rings = tor_alloc(1, sizeof *rings, "far field");
  rings->m = tor_cylindrical_number(ms->grid->angular);
  rings->nplane = l->nplane;
  rings->plane = tor_alloc((size_t)l->nplane + 1, sizeof *rings->plane, "far field");
  for (int i = 0; i < l->nplane; i++) {
    const struct tor_flux_plane *from = &l->plane[i];
    struct plane *to = &rings->plane[i];
    *to =
        (struct plane){.axis = from->axis, .place = tor_grid_at(ms->grid, from->axis, from->node), .sign = from->sign};
    rings->reach = fmax(rings->reach, tor_grid_at(ms->grid, TOR_RADIAL, from->hi[TOR_RADIAL]));
    for (int j = 0; j < 4; j++) read_values(ms, l, from, j, freq, &to->value[j]);
  }
  return rings;
}

void tor_far_rings_free(struct tor_far_rings *rings) {
  for (int i = 0; rings && i < rings->nplane; i++)
    for (int j = 0; j < 4; j++) free(rings->plane[i].value[j].value);
  if (rings) free(rings->plane);
  free(rings);
}

/* The wave's factors around a ring: of each component of E~ and eta H~ along phi, z, r, times exp(-i k r) in the ring's
 * plane; then their integrals with cos(m phi) and sin(m phi). */
struct around {
  double complex e[2][3][2], h[2][3][2]; /* [wave][axis][odd] */
};

static struct around integrate(int m, double k, double radius, int steps, const double u[3], const double e[2][3],
                               const double h[2][3]) {
  struct around sum = {0};
  for (int i = 0; i < steps; i++) {
    const double phi = 2 * TOR_PI * i / steps, c = cos(phi), s = sin(phi), weight = 2 * TOR_PI / steps;
    const double unit[3][3] = {{-s, c, 0}, {0, 0, 1}, {c, s, 0}}; /* phi, z, r: the job's axes */
    const double path = k * radius * (u[0] * c + u[1] * s);
    const double complex phase = weight * CMPLX(cos(path), -sin(path));
    const double part[2] = {cos(m * phi), sin(m * phi)};
    for (int w = 0; w < 2; w++)
      for (int a = 0; a < 3; a++)
        for (int odd = 0; odd < 2; odd++) {
          sum.e[w][a][odd] += phase * (part[odd] * tor_dot(unit[a], e[w]));
          sum.h[w][a][odd] += phase * (part[odd] * tor_dot(unit[a], h[w]));
        }
  }
  return sum;
}

static void add_plane(const struct plane *p, const struct tor_far_rings *rings, double k, double eta, const double u[3],
                      const double e[2][3], const double h[2][3], double complex sum[2]) {
  const int b = (p->axis + 1) % 3, c = (p->axis + 2) % 3, is_disc = p->axis == TOR_AXIAL;
  const int steps = 32 + 2 * (int)ceil(k * rings->reach * hypot(u[0], u[1]) + rings->m);
  struct around a = {0};
  if (!is_disc) a = integrate(rings->m, k, p->place, steps, u, e, h);
  for (int which = 0; which < 4; which++) {
    const struct values *v = &p->value[which];
    for (int i = 0; i < v->n; i++) {
      const double at = v->first + i * v->d, radius = is_disc ? at : p->place, z = is_disc ? p->place : at;
      if (radius == 0) continue;
      if (is_disc) a = integrate(rings->m, k, radius, steps, u, e, h);
      const double complex value = p->sign * radius * v->value[i] * CMPLX(cos(k * u[2] * z), -sin(k * u[2] * z));
      for (int w = 0; w < 2; w++) {
        const double complex with[4] = {a.h[w][c][v->is_odd] / eta, -a.h[w][b][v->is_odd] / eta, a.e[w][c][v->is_odd],
                                        -a.e[w][b][v->is_odd]};
        sum[w] += value * with[which];
      }
    }
  }
}

void tor_far_rings_add(const struct tor_far_rings *rings, double k, double eta, const double u[3],
                       const double along[2][3], double complex sum[2]) {
  double h[2][3];
  for (int w = 0; w < 2; w++)
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      h[w][a] = -(u[b] * along[w][c] - u[c] * along[w][b]);
    }
  for (int i = 0; i < rings->nplane; i++)
    add_plane(&rings->plane[i], rings, k, eta, u, along, (const double(*)[3])h, sum);
}
