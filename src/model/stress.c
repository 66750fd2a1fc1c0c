/* Maxwell's stress tensor on the sides of a box: see stress.h; docs/design/force.md. */
#include "src/model/stress.h"

#include <complex.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/model/monitor.h"

/* A side of the box: the patches of E and H by axis, all at the same wavelength. */
struct side {
  const struct tor_monitors *monitors;
  const struct tor_recorder *recorder;
  const struct tor_patch *field[TOR_NCOMP];
  int axis, row[TOR_NCOMP]; /* of a field along the axis: at the node or half a cell below it */
  int wide;                 /* there is one more on either side */
  int freq;
};

/* A component at a point (i, j) along the side's other axes, in cyclic order; row 0: at the
 * node or half a cell below it, 1: above.
 */
static double complex value(const struct side *s, int comp, int row, int i, int j) {
  const struct tor_patch *p = s->field[comp];
  int at[3];
  at[s->axis] = s->row[comp] + row;
  at[(s->axis + 1) % 3] = i;
  at[(s->axis + 2) % 3] = j;
  for (int a = 0; a < 3; a++)
    if (at[a] >= p->count[a]) return 0; /* 2-D jobs have half of the components */
  return tor_recorder_spectrum(s->monitors, s->recorder, p, at[0], at[1], at[2], s->freq);
}

static double product(double complex a, double complex b) { return creal(a) * creal(b) + cimag(a) * cimag(b); }

/* Along axis 1 or 2 of the side: points of a component, and their weights: half at the ends of nodes. */
static int points(const struct side *s, int comp, int along) { return s->field[comp]->count[(s->axis + along) % 3]; }
static double weight(const struct side *s, int comp, int along, int i) {
  const int a = (s->axis + along) % 3, n = s->field[comp]->count[a];
  return n > 1 && !tor_comp_half(comp, a) && (i == 0 || i == n - 1) ? 0.5 : 1;
}

/* Sum over the side of |component|^2; of one that stands half a cell off the side, of the product of both values, which
 * keeps the stress of waves across it the same at all nodes; in order 4 less that of the next two. */
static double square(const struct side *s, int comp) {
  const int off = tor_comp_half(comp, s->axis);
  double sum = 0;
  for (int i = 0; i < points(s, comp, 1); i++)
    for (int j = 0; j < points(s, comp, 2); j++) {
      const double complex below = value(s, comp, 0, i, j), above = off ? value(s, comp, 1, i, j) : below;
      double here = product(below, above);
      if (off && s->wide) here += 0.125 * (here - product(value(s, comp, -1, i, j), value(s, comp, 2, i, j)));
      sum += weight(s, comp, 1, i) * weight(s, comp, 2, j) * here;
    }
  return sum;
}

/* Sum of Re(on off*): `on` stands on the side, `off` half a cell off it and half a cell off `on` along axis `along`. */
static double shear(const struct side *s, int on, int off, int along) {
  double sum = 0;
  if (!points(s, off, 1) || !points(s, off, 2)) return 0;
  const int step = points(s, off, along) > 1; /* in 2-D nothing varies along x */
  for (int i = 0; i < points(s, on, 1); i++)
    for (int j = 0; j < points(s, on, 2); j++) {
      const int i1 = i + (along == 1 ? step : 0), j1 = j + (along == 2 ? step : 0);
      const double complex mean = 0.25 * (value(s, off, 0, i, j) + value(s, off, 1, i, j) + value(s, off, 0, i1, j1) +
                                          value(s, off, 1, i1, j1));
      sum += weight(s, on, 1, i) * weight(s, on, 2, j) * product(value(s, on, 0, i, j), mean);
    }
  return sum;
}

static struct side side_of(const struct tor_monitors *ms, const struct tor_recorder *l, const struct tor_flux_plane *p,
                           int freq) {
  struct side s = {.monitors = ms, .recorder = l, .axis = p->axis, .wide = p->wide, .freq = freq};
  for (int i = 0; i < 4; i++) s.field[l->patch[p->patch + i].comp] = &l->patch[p->patch + i];
  s.field[TOR_EX + p->axis] = &l->patch[p->patch + TOR_STRESS_NORMAL_E];
  s.field[TOR_HX + p->axis] = &l->patch[p->patch + TOR_STRESS_NORMAL_H];
  s.row[TOR_EX + p->axis] = p->wide;
  for (int k = 1; k < 3; k++) s.row[TOR_EX + (p->axis + k) % 3] = s.row[TOR_HX + (p->axis + k) % 3] = p->wide;
  return s;
}

void tor_stress_force(const struct tor_monitors *ms, const struct tor_job *job, const struct tor_recorder *l, int freq,
                      double force[3]) {
  const struct tor_medium *m = &job->media[l->medium < 0 ? job->background : l->medium];
  const double of[2] = {TOR_EPS0 * creal(tor_medium_permittivity(m, 0, l->omega[freq])),
                        TOR_ETA0 * TOR_ETA0 * TOR_EPS0 * creal(tor_medium_permeability(m, 0, l->omega[freq]))};
  force[0] = force[1] = force[2] = 0;
  for (int i = 0; i < l->nplane; i++) {
    const struct tor_flux_plane *p = &l->plane[i];
    const struct side s = side_of(ms, l, p, freq);
    const int a = p->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    const double area = p->sign * ms->grid->d[b] * ms->grid->d[c];
    for (int h = 0; h < 2; h++) {
      const int f = h ? TOR_HX : TOR_EX;
      force[a] += 0.5 * area * of[h] * (square(&s, f + a) - square(&s, f + b) - square(&s, f + c));
      /* E along the side stands on it, and E across it off; H the other way round. */
      force[b] += area * of[h] * (h ? shear(&s, f + a, f + b, 1) : shear(&s, f + b, f + a, 1));
      force[c] += area * of[h] * (h ? shear(&s, f + a, f + c, 2) : shear(&s, f + c, f + a, 2));
    }
  }
}
