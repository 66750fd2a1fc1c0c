/* What a monitor's samples mean: spectra and fluxes; see monitor.h. */
#include <complex.h>
#include <math.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/model/monitor.h"

/* The same as if no edge depended on the distance from an axis. */
static double flat_scale(const struct tor_grid *grid, int comp, const int at[3]) {
  const int axis = tor_comp_axis(comp);
  const double edge = grid->node[axis] ? tor_grid_edge(grid, comp, axis, at[axis]) : grid->d[axis];
  return 1 / edge / (tor_comp_is_h(comp) ? TOR_ETA0 : 1);
}

double tor_component_scale(const struct tor_grid *grid, int comp, const int at[3]) {
  return flat_scale(grid, comp, at) * tor_cylindrical_scale(grid, comp, at[TOR_Z]);
}

/* Of the point ix, iy, iz of a patch. */
static double scale_of(const struct tor_grid *grid, const struct tor_patch *p, int ix, int iy, int iz) {
  return tor_component_scale(grid, p->comp, (const int[3]){p->first[0] + ix, p->first[1] + iy, p->first[2] + iz});
}
static double flat_scale_of(const struct tor_grid *grid, const struct tor_patch *p, const int at[3]) {
  return flat_scale(grid, p->comp, (const int[3]){p->first[0] + at[0], p->first[1] + at[1], p->first[2] + at[2]});
}

double tor_window_value(const struct tor_monitor *m, double t) {
  if (!m->windowed) return 1;
  const double outside = fmax(m->window[0] - t, t - m->window[1]);
  if (outside <= 0) return 1;
  return m->window[2] > 0 ? exp(-(outside / m->window[2]) * (outside / m->window[2])) : 0;
}

/* The factor on the values that are recorded for a point of a patch: beyond a mirror their sign, beyond the seam of
 * Bloch walls the phase of a period. */
static double complex factor_at(const struct tor_grid *g, const struct tor_patch *p, const int at[3]) {
  double phase = 0;
  for (int a = 0; a < 3; a++) {
    int i = p->first[a] + at[a];
    if (g->phase[a] != 0) phase += g->phase[a] * tor_grid_wrap(g, a, &i);
  }
  const double sign = tor_patch_sign(g, p, at[0], at[1], at[2]);
  return phase != 0 ? sign * CMPLX(cos(phase), sin(phase)) : sign;
}

/* A sample of a series, with its imaginary part, as stored. */
static double complex sample_of(const struct tor_monitors *ms, const struct tor_recorder *l, tor_gidx sample,
                                tor_gidx point) {
  const struct tor_record_group *group = &ms->group[l->group];
  const tor_gidx at = sample * group->npoints + point;
  return CMPLX(group->data[at], ms->imaginary ? group[ms->imaginary].data[at] : 0);
}

double complex tor_recorder_value(const struct tor_monitors *ms, const struct tor_recorder *l,
                                  const struct tor_patch *p, int ix, int iy, int iz, int sample) {
  const tor_gidx point = p->offset + ((tor_gidx)ix * p->count[1] + iy) * p->count[2] + iz;
  const double complex factor = factor_at(ms->grid, p, (const int[3]){ix, iy, iz}),
                       value = sample_of(ms, l, sample, point);
  const double scale = scale_of(ms->grid, p, ix, iy, iz);
  return CMPLX((creal(factor) * creal(value) - cimag(factor) * cimag(value)) * scale,
               (creal(factor) * cimag(value) + cimag(factor) * creal(value)) * scale);
}

double tor_recorder_sample(const struct tor_monitors *ms, const struct tor_recorder *l, const struct tor_patch *p,
                           int ix, int iy, int iz, int sample) {
  return creal(tor_recorder_value(ms, l, p, ix, iy, iz, sample));
}

/* The spectrum of a point of a patch, whose stored values have the factor `unit` to V/m or A/m. */
static double complex spectrum_in(const struct tor_monitors *ms, const struct tor_recorder *l,
                                  const struct tor_patch *p, int ix, int iy, int iz, double unit, int freq) {
  const struct tor_record_group *group = &ms->group[l->group];
  const tor_gidx first = (p->offset + ((tor_gidx)ix * p->count[1] + iy) * p->count[2] + iz) * 2 * group->nfreq;
  const double *at = group->data + first;
  const double scale = unit * l->every * ms->grid->dt;
  if (!ms->imaginary) {
    const double real = tor_patch_sign(ms->grid, p, ix, iy, iz) * scale;
    return CMPLX(real * at[freq], real * at[group->nfreq + freq]);
  }
  const double *im = group[ms->imaginary].data + first;
  return scale * factor_at(ms->grid, p, (const int[3]){ix, iy, iz}) *
         CMPLX(at[freq] - im[group->nfreq + freq], at[group->nfreq + freq] + im[freq]);
}

double complex tor_recorder_spectrum(const struct tor_monitors *ms, const struct tor_recorder *l,
                                     const struct tor_patch *p, int ix, int iy, int iz, int freq) {
  return spectrum_in(ms, l, p, ix, iy, iz, scale_of(ms->grid, p, ix, iy, iz), freq);
}

double complex tor_probe_spectrum(const struct tor_monitors *ms, const struct tor_recorder *l,
                                  const struct tor_patch *p, tor_gidx steps, int freq) {
  double complex sum = 0;
  for (int k = 0; k < tor_recorder_samples(l, steps); k++) {
    const double t = ((double)(k + 1) * l->every - 0.5 * tor_comp_is_h(p->comp)) * ms->grid->dt;
    const double phase = l->omega[freq] * t;
    sum += tor_window_value(l->spec, t) * sample_of(ms, l, k, p->offset) * CMPLX(cos(phase), sin(phase));
  }
  return sum * factor_at(ms->grid, p, (const int[3]){0, 0, 0}) *
         (scale_of(ms->grid, p, 0, 0, 0) * l->every * ms->grid->dt);
}

/* Energy flux across the plane at e[0], with h half a point on either side of it: h[-1], h[0]; in order 4 also the
 * terms between e[m] and h[n] over three half cells. above: weight of h[0], the part of the cell below in both, which
 * is the power that graded cells exchange, too. These are all the terms by which these differences exchange energy
 * between both sides (docs/design/numerics-sources.md). */
static double crossing(const double complex *e, const double complex *h, int wide, double above) {
  const double complex near = above == 0.5 ? 0.5 * (h[-1] + h[0]) : h[-1] + above * (h[0] - h[-1]);
  if (!wide) return creal(e[0] * conj(near));
  const double far = creal(e[-1] * conj(h[0])) + creal(e[1] * conj(h[-1])) + 0.5 * creal(e[0] * conj(h[-2] + h[1]));
  return 9.0 / 8.0 * creal(e[0] * conj(near)) - far / 24.0;
}

/* Length of a point's part of a plane along an axis over that of a cell of length tor_grid.d: at the plane's ends half
 * a cell of nodes. end: -1, 1 there, else 0. */
static double part_of(const struct tor_grid *g, int comp, int axis, int i, int end) {
  const int half = tor_comp_half(comp, axis);
  if (!g->node[axis]) return end && !half ? 0.5 : 1;
  if (!end || half) return tor_grid_edge(g, comp, axis, i) / g->d[axis];
  return 0.5 * tor_grid_edge(g, TOR_EX + axis, axis, end < 0 ? i : i - 1) / g->d[axis];
}

/* The part of the cell below a node in both beside it. */
static double above_at(const struct tor_grid *g, int axis, int node) {
  const double below = tor_grid_edge(g, TOR_EX + axis, axis, node - 1);
  return g->node[axis] ? below / (below + tor_grid_edge(g, TOR_EX + axis, axis, node)) : 0.5;
}

double tor_plane_area(const struct tor_grid *g, const struct tor_flux_plane *p) {
  double area = 1;
  if (g->angular) {
    const double inner = tor_grid_at(g, TOR_RADIAL, p->lo[TOR_RADIAL]),
                 outer = tor_grid_at(g, TOR_RADIAL, p->hi[TOR_RADIAL]);
    return p->axis == TOR_AXIAL ? TOR_PI * (outer * outer - inner * inner)
                                : 2 * TOR_PI * outer * (p->hi[TOR_AXIAL] - p->lo[TOR_AXIAL]) * g->d[TOR_AXIAL];
  }
  for (int i = 1; i < 3; i++) {
    const int a = (p->axis + i) % 3, lo = p->lo[a], hi = p->hi[a];
    area *= g->node[a] ? tor_grid_at(g, a, hi) - tor_grid_at(g, a, lo) : (hi - lo) * g->d[a];
  }
  return area;
}

/* Sum over a plane of E conj(H) from their patches; ends count half along the node axis. In cylindrical coordinates the
 * edges' lengths along phi, which cancel in the product, are in the values. */
static double plane_sum(const struct tor_monitors *ms, const struct tor_recorder *l, const struct tor_flux_plane *plane,
                        const struct tor_patch *pe, const struct tor_patch *ph, int freq) {
  const int axis = plane->axis, wide = plane->wide;
  int count[3] = {pe->count[0], pe->count[1], pe->count[2]}, at[3];
  const double above = above_at(ms->grid, axis, plane->node);
  double sum = 0;
  count[axis] = 1;
  for (at[0] = 0; at[0] < count[0]; at[0]++)
    for (at[1] = 0; at[1] < count[1]; at[1]++)
      for (at[2] = 0; at[2] < count[2]; at[2]++) {
        double weight = 1;
        double complex e[3], h[4];
        for (int a = 0; a < 3; a++)
          if (a != axis && count[a] > 1)
            weight *= part_of(ms->grid, pe->comp, a, pe->first[a] + at[a], (at[a] == count[a] - 1) - (at[a] == 0));
        int to[3] = {at[0], at[1], at[2]};
        for (to[axis] = 0; to[axis] < pe->count[axis]; to[axis]++)
          e[to[axis]] = spectrum_in(ms, l, pe, to[0], to[1], to[2], flat_scale_of(ms->grid, pe, to), freq);
        for (to[axis] = 0; to[axis] < ph->count[axis]; to[axis]++)
          h[to[axis]] = spectrum_in(ms, l, ph, to[0], to[1], to[2], flat_scale_of(ms->grid, ph, to), freq);
        sum += weight * crossing(e + wide, h + wide + 1, wide, above);
      }
  return sum;
}

double tor_recorder_flux(const struct tor_monitors *ms, const struct tor_recorder *l, int first, int last, int freq) {
  double total = 0;
  for (int i = first; i < last; i++) {
    const struct tor_flux_plane *plane = &l->plane[i];
    const struct tor_patch *p = &l->patch[plane->patch];
    int b = (plane->axis + 1) % 3, c = (plane->axis + 2) % 3;
    double flux = plane_sum(ms, l, plane, &p[0], &p[3], freq) - plane_sum(ms, l, plane, &p[1], &p[2], freq);
    total += plane->sign * flux * ms->grid->d[b] * ms->grid->d[c];
  }
  return ms->grid->angular ? total * tor_cylindrical_around(ms->grid) : total;
}

double tor_recorder_work(const struct tor_monitors *ms, const struct tor_recorder *l, const struct tor_source *source,
                         double complex moment, int freq) {
  const struct tor_patch *p = &l->patch[0];
  double weight[3][2];
  double complex field = 0;
  double phase = 0; /* from the recorded points to those of the dipole */
  for (int a = 0; a < 3; a++) {
    int at[2];
    const int n = tor_grid_between(ms->grid, p->comp, a, source->position[a], at, weight[a]);
    phase += ms->grid->phase[a] * tor_grid_periods(ms->grid, p->comp, a, source->position[a], n, 0);
  }
  for (int x = 0; x < p->count[0]; x++)
    for (int y = 0; y < p->count[1]; y++)
      for (int z = 0; z < p->count[2]; z++)
        field += weight[0][x] * weight[1][y] * weight[2][z] * tor_recorder_spectrum(ms, l, p, x, y, z, freq);
  return -creal(field * CMPLX(cos(phase), sin(phase)) * conj(moment));
}
