/* Sites of the lattice on the CPU: see site.h.
 *
 * The values that a site reads follow from its parity, except near the walls: struct tor_kind. The loops over z are in
 * line.h. */
#include "diamond/cpu/site.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "diamond/core/slab.h"
#include "diamond/core/update.h"
#include "diamond/cpu/bloch.h"
#include "diamond/cpu/line.h"
#include "diamond/cpu/node.h"
#include "diamond/cpu/pole.h"
#include "src/base/error.h"
#include "src/base/types.h"

typedef tor_real real;

enum { NMIRROR = 4 };
struct tor_site_work {
  const struct tor_slab *slab;
  const struct tor_stage *stage;
  struct tor_kind kind[2][2][2]; /* [half][u & 1][v & 1] */
  int u0, u1, v0, v1;            /* no neighbour of the sites in here is behind a wall */
  real *curl;
  real *mirror[2][NMIRROR];        /* sign-changed ghost values for the two differences, and those of Bloch walls */
  struct tor_site_work *imaginary; /* Bloch walls: of the imaginary part; else NULL */
  real turn[2][2][2];              /* along z: tor_slab.bloch of both parts */
};

static int component_at(int half, int u, int v) {
  static const int e[2][2] = {{TOR_EZ, TOR_EY}, {TOR_EX, -1}}, h[2][2] = {{-1, TOR_HX}, {TOR_HY, TOR_HZ}};
  return half ? e[u & 1][v & 1] : h[u & 1][v & 1];
}

static real *vector_at(const struct tor_slab *slab, int comp, int u, int v) {
  return (real *)slab->field + tor_slab_vector(slab, tor_slab_column(slab, u >> 1, v >> 1), comp);
}

/* Periods of `end` half cells from the first to that of site `at`, which is less than two below. */
static int periods(int at, int end) { return (at + 2 * end) / end - 2; }

/* The vector of `comp` at (u, v) moved by `shift` half cells along axis x or y, or its ghost value behind a wall:
 * tangential E changes sign at a PEC and tangential H at a PMC. */
static const real *neighbour(const struct tor_slab *slab, int comp, int axis, int u, int v, int shift, real *mirror) {
  const int from = axis == TOR_X ? u : v, end = 2 * slab->n[axis];
  int at = from + shift, negative = 0, around = 0;
  if (tor_slab_periodic(slab, axis)) {
    around = periods(at, end) - periods(from, end);
    if (axis == TOR_X || !tor_slab_is_arc(slab)) at -= around * end;
  } else
    while (at < 0 || at > end) {
      negative ^= (slab->wall[2 * axis + (at > 0)] == TOR_PMC) == tor_comp_is_h(comp);
      at = at < 0 ? -at : 2 * end - at;
    }
  const real *p = axis == TOR_X ? vector_at(slab, comp, at, v) : vector_at(slab, comp, u, at);
  if (around && slab->other) return tor_bloch_vector(slab, axis, around, p, mirror);
  if (!negative) return p;
  /* No further: the last places of the vector hold the next component's ghost values below z = 0, which another tower
   * may be writing. */
  for (int z = 0; z <= slab->n[2]; z++) mirror[z] = -p[z];
  return mirror;
}

/* CPML state of the component along one axis; the four places follow slab.h. */
static real *psi_site(const struct tor_slab *slab, int axis, int comp, int u, int v) {
  const struct tor_cpml_axis *cpml = &slab->cpml[axis];
  int layer = cpml->index[(axis == TOR_X ? u : v) >> 1], along = ((axis == TOR_X ? v : u) >> 1) - slab->lo[!axis];
  int place = tor_comp_axis(comp) - (tor_comp_axis(comp) > axis) + 2 * tor_comp_is_h(comp);
  tor_gidx column = (tor_gidx)layer * slab->held[!axis] + along;
  return (real *)(axis == TOR_X ? slab->psi_x : slab->psi_y) + (column * 4 + place) * slab->nzp;
}

/* Place of the neighbour of component `of`, `shift` half cells along `axis` from a site of parity u, v. Along z, node k
 * has half cells k - 1, k beside it; half cell k has nodes k, k + 1. */
static tor_gidx neighbour_place(const struct tor_slab *slab, int of, int axis, int u, int v, int shift) {
  tor_gidx column = axis == TOR_X ? (tor_gidx)((u + shift) >> 1) * slab->held[1] : axis == TOR_Y ? (v + shift) >> 1 : 0;
  int z = axis == TOR_Z ? (shift + !tor_comp_is_h(of)) >> 1 : 0;
  return tor_slab_vector(slab, column, of) + z;
}

/* E_i: D1 = d_j H_k, D2 = d_k H_j; H_i: D1 = d_k E_j, D2 = d_j E_k, with i, j, k cyclic. */
static enum tor_difference_kind side_of(const struct tor_slab *slab, int h, int axis) {
  if (axis == TOR_X && slab->plane) return TOR_DIFFERENCE_NONE;
  return axis != TOR_Z ? TOR_DIFFERENCE_PLAIN : h ? TOR_DIFFERENCE_UP : TOR_DIFFERENCE_DOWN;
}

static struct tor_kind kind_make(const struct tor_slab *slab, int half, int u, int v) {
  static const int shift[4] = {1, -1, 3, -3};
  struct tor_kind k = {.comp = component_at(half, u, v)};
  if (k.comp < 0 || !tor_comp_exists(slab->plane, k.comp)) return (struct tor_kind){.comp = -1};
  int h = !half, axis = tor_comp_axis(k.comp), next = (axis + 1) % 3, last = (axis + 2) % 3, from = h ? TOR_EX : TOR_HX;
  k.classes =
      TOR_COL_INJECT | TOR_COL_RECORD | (axis == TOR_X ? 0 : TOR_COL_CPML_X) | (axis == TOR_Y ? 0 : TOR_COL_CPML_Y) |
      (h ? TOR_COL_COEF_H | TOR_COL_LOSSY_H : TOR_COL_COEF_E | TOR_COL_LOSSY_E | TOR_COL_POLES | TOR_COL_AT_NODES);
  int at_nodes = h ? axis == TOR_Z : axis != TOR_Z;
  k.nz = slab->n[2] + (at_nodes && slab->wall[TOR_ZHI] == TOR_PMC);
  k.n = slab->n[2];
  k.wall_lo = slab->wall[TOR_ZLO];
  k.wall_hi = slab->wall[TOR_ZHI];
  k.column = (tor_gidx)tor_plane_comps(slab->plane) * slab->nzp;
  k.zlo = slab->zlo;
  k.zhi0 = slab->zhi ? slab->zhi0 : k.nz;
  k.place = tor_slab_vector(slab, 0, k.comp);
  for (int which = 0; which < 2; which++) {
    k.axis[which] = h == which ? next : last;
    k.of[which] = from + (h == which ? last : next);
    k.side[which] = side_of(slab, h, k.axis[which]);
    if (k.side[which] == TOR_DIFFERENCE_NONE) continue;
    for (int n = 0; n < 4; n++) k.near[which][n] = neighbour_place(slab, k.of[which], k.axis[which], u, v, shift[n]);
  }
  k.coef = slab->uniform[k.comp] ? TOR_LINE_SCALAR : TOR_LINE_ARRAY;
  k.cb = (const real *)slab->cb + (tor_gidx)k.comp * slab->nzp;
  k.ca1 = (const real *)slab->ca1 + (tor_gidx)k.comp * slab->nzp;
  k.cpml_b = (const real *)slab->cpml[TOR_Z].b + h * slab->nzp;
  k.cpml_c = (const real *)slab->cpml[TOR_Z].c + h * slab->nzp;
  k.cpml_ik = (const real *)slab->cpml[TOR_Z].ik + h * slab->nzp;
  k.npsi = 4 * (slab->zlo + slab->zhi);
  k.psi_place = (axis + 2 * h) * (slab->zlo + slab->zhi);
  k.psi_upper = slab->zlo - slab->zhi0;
  k.plain = TOR_NAME(tor_line_plain_function)(slab->order, k.side[0], k.side[1], k.coef);
  return k;
}

/* Neighbours of a site that has some behind a wall. */
static void set_reflected(const struct tor_slab *slab, const struct tor_kind *k, struct tor_line *line, int u, int v,
                          real *const (*mirror)[NMIRROR]) {
  for (int which = 0; which < 2; which++) {
    struct tor_difference *s = &line->d[which];
    int axis = k->axis[which], of = k->of[which];
    if (axis == TOR_Z || k->side[which] == TOR_DIFFERENCE_NONE) continue;
    s->a = neighbour(slab, of, axis, u, v, 1, mirror[which][0]);
    s->b = neighbour(slab, of, axis, u, v, -1, mirror[which][1]);
    if (slab->order == 2) continue;
    s->c = neighbour(slab, of, axis, u, v, 3, mirror[which][2]);
    s->d = neighbour(slab, of, axis, u, v, -3, mirror[which][3]);
  }
}

/* The CPML of a difference along x or y. */
static void set_layer(const struct tor_slab *slab, struct tor_difference *s, int comp, int axis, int u, int v) {
  const struct tor_cpml_axis *cpml = &slab->cpml[axis];
  int at = axis == TOR_X ? u : v;
  s->cpml_b = (const real *)cpml->b + at;
  s->cpml_c = (const real *)cpml->c + at;
  s->cpml_ik = (const real *)cpml->ik + at;
  s->cpml_step = axis == TOR_X ? 0 : 2;
  s->psi = psi_site(slab, axis, comp, u, v);
  s->psi_step = 4 * (tor_gidx)slab->nzp * (axis == TOR_X ? 1 : slab->held[0]);
}

/* A sheet's contribution, for some values along z at a time. signal: of the step. */
static void inject_sheet(const struct tor_inject *in, const real *restrict profile, const real *signal,
                         real *restrict f, const real *restrict cb) {
  enum { AT_ONCE = 64 };
  const real factor = (real)in->factor;
  for (int z0 = 0; z0 < in->nz; z0 += AT_ONCE) {
    const int count = in->nz - z0 < AT_ONCE ? in->nz - z0 : AT_ONCE;
    real sum[AT_ONCE] = {0};
    for (int m = 0; m < in->terms; m++) {
      const real *restrict term = profile + (tor_gidx)m * in->nz + z0;
#pragma omp simd
      for (int z = 0; z < count; z++) sum[z] = tor_sheet_term(sum[z], term[z], signal[m]);
    }
    for (int z = 0; z < count; z++) {
      const int at = in->z0 + z0 + z;
      f[at] = tor_inject(f[at], cb[at], factor * sum[z]);
    }
  }
}

static void inject(const struct tor_slab *slab, const struct tor_stage *stage, const struct tor_extra *extra, int comp,
                   int step, real *f, const real *cb) {
  for (int i = extra->inject[comp]; i < extra->inject[comp + 1]; i++) {
    const struct tor_inject *in = &slab->inject[i];
    const real *value = (const real *)stage->table[in->table] + (tor_gidx)step * stage->width[in->table] + in->index;
    real factor = (real)in->factor;
    if (in->terms) {
      inject_sheet(in, (const real *)slab->profile + in->profile, value, f, cb);
      continue;
    }
    for (int z = 0; z < in->nz; z++) {
      int at = in->z0 + z;
      f[at] = tor_inject(f[at], cb[at], factor * value[in->stride * z]);
    }
  }
}

static void record(const struct tor_slab *slab, const struct tor_extra *extra, int comp, int step, const real *f) {
  for (int i = extra->record[comp]; i < extra->record[comp + 1]; i++) {
    const struct tor_record *rec = &slab->record[i];
    const struct tor_record_group *group = &slab->group[rec->group];
    int sample = group->sample[step];
    if (sample < 0) continue;
    if (group->kind == TOR_RECORD_SERIES) {
      double *to = group->data + (tor_gidx)sample * group->npoints + rec->offset;
      for (int z = 0; z < rec->nz; z++) to[z] = (double)f[rec->z0 + z];
      continue;
    }
    int nf = group->nfreq;
    const double *restrict re = group->phase + ((tor_gidx)step * 2 + tor_comp_is_h(comp)) * 2 * nf, *restrict im =
                                                                                                        re + nf;
    for (int z = 0; z < rec->nz; z++) {
      double value = (double)f[rec->z0 + z];
      double *restrict to = group->data + (rec->offset + z) * 2 * nf;
#pragma omp simd
      for (int q = 0; q < nf; q++) {
        to[q] = __builtin_fma(value, re[q], to[q]);
        to[nf + q] = __builtin_fma(value, im[q], to[nf + q]);
      }
    }
  }
}

/* Sum of value^2 / cb, where cb is not 0, along z in an order that suits 32 lanes and one: lane z mod 32 first, then
 * the lanes pairwise. */
static double energy_along_z(const real *f, const real *cb, int n) {
  double lane[32] = {0};
  for (int z = 0; z < n; z++) {
    double value = (double)f[z];
    if (cb[z] == 0) continue; /* a perfect conductor */
    lane[z % 32] = __builtin_fma(value * value, 1.0 / (double)cb[z], lane[z % 32]);
  }
  for (int width = 16; width; width /= 2)
    for (int i = 0; i < width; i++) lane[i] += lane[i + width];
  return lane[0];
}

static real *column_at(const struct tor_site_work *work, tor_gidx column) {
  return (real *)work->slab->field + column * tor_plane_comps(work->slab->plane) * work->slab->nzp;
}
static real *psi_z_at(const struct tor_site_work *work, const struct tor_kind *k, tor_gidx column) {
  return (real *)work->slab->psi_z + column * k->npsi + k->psi_place;
}

/* Sets the site (u, v) of a column of class `cls` and its differences. */
static void set_line(const struct tor_site_work *work, const struct tor_kind *k, int u, int v, unsigned cls,
                     struct tor_line *line, enum tor_difference_kind side[2]) {
  tor_gidx column = tor_slab_column(work->slab, u >> 1, v >> 1);
  tor_line_set(line, k, column_at(work, column), psi_z_at(work, k, column));
  line->out = work->curl;
  for (int which = 0; which < 2; which++) {
    int axis = k->axis[which];
    side[which] = k->side[which];
    if (axis == TOR_Z || !(cls & (axis == TOR_X ? TOR_COL_CPML_X : TOR_COL_CPML_Y))) continue;
    set_layer(work->slab, &line->d[which], k->comp, axis, u, v);
    side[which] = TOR_DIFFERENCE_CPML;
  }
  if (u < work->u0 || u > work->u1 || v < work->v0 || v > work->v1)
    set_reflected(work->slab, k, line, u, v, work->mirror);
}

/* `count` sites from (u, v) on, of columns of one class without extras; where a wall is near, one at a time. */
static void update_bare(const struct tor_site_work *work, const struct tor_kind *k, int u, int v, unsigned cls,
                        int count, int wall_near) {
  tor_gidx column = tor_slab_column(work->slab, u >> 1, v >> 1);
  if (!cls && !wall_near) {
    k->plain(k, column_at(work, column), psi_z_at(work, k, column), count);
    return;
  }
  enum tor_difference_kind side[2];
  struct tor_line line;
  set_line(work, k, u, v, cls, &line, side);
  TOR_NAME(tor_line_function)(work->slab->order, side[0], side[1], k->coef)(k, &line, count);
}

/* A site of a column with extras. */
static void update_rich(const struct tor_site_work *work, const struct tor_kind *k, int step, int u, int v,
                        unsigned cls) {
  const struct tor_slab *slab = work->slab;
  tor_gidx column = tor_slab_column(slab, u >> 1, v >> 1);
  const struct tor_extra *extra = slab->extra_id[column] < 0 ? NULL : &slab->extra[slab->extra_id[column]];
  int comp = k->comp, h = tor_comp_is_h(comp), nz = k->nz;
  int own = (cls & (h ? TOR_COL_COEF_H : TOR_COL_COEF_E)) != 0,
      lossy = (cls & (h ? TOR_COL_LOSSY_H : TOR_COL_LOSSY_E)) != 0;
  int poles = !h && (cls & TOR_COL_POLES);

  enum tor_difference_kind side[2];
  struct tor_line line;
  set_line(work, k, u, v, cls, &line, side);
  const real *ca1 = k->ca1;
  if (own) {
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): columns of such a class have extras */
    const tor_gidx first = h ? extra->coef_h : extra->coef_e;
    line.cb = (const real *)slab->coef + first + (tor_gidx)tor_comp_axis(comp) * slab->nzp;
    ca1 = line.cb + (tor_gidx)3 * slab->nzp;
  }
  enum tor_line_coef coef = lossy || poles ? TOR_LINE_CURL_ONLY : own ? TOR_LINE_ARRAY : k->coef;
  TOR_NAME(tor_line_function)(slab->order, side[0], side[1], coef)(k, &line, 1);

  real *f = line.f;
  const real *cb = line.cb;
  if (coef == TOR_LINE_CURL_ONLY) {
    real *restrict curl = work->curl;
    if (poles) TOR_NAME(tor_poles_before)(slab, extra, comp, f, curl);
    if (lossy) {
#pragma omp simd
      for (int z = 0; z < nz; z++) f[z] = tor_advance_lossy(f[z], ca1[z], cb[z], curl[z]);
    } else {
#pragma omp simd
      for (int z = 0; z < nz; z++) f[z] = tor_advance(f[z], cb[z], curl[z]);
    }
  }
  if (cls & TOR_COL_AT_NODES) TOR_NAME(tor_nodes_inject)(slab, comp, u, v, f, cb);
  if (cls & TOR_COL_INJECT) inject(slab, work->stage, extra, comp, step, f, cb);
  if (tor_comp_axis(comp) != TOR_Z) tor_line_ghosts(slab->order, h, k->n, k->wall_lo, k->wall_hi, f);
  if (poles) TOR_NAME(tor_poles_after)(slab, extra, comp, f);
  if (cls & TOR_COL_RECORD) record(slab, extra, comp, step, f);
  if (work->stage->energy && work->stage->energy[step]) { /* the imaginary part comes second */
    double *const sum = &slab->energy[column * TOR_NCOMP + comp];
    *sum = slab->imaginary ? *sum + energy_along_z(f, cb, nz) : energy_along_z(f, cb, nz);
  }
}

/* Sites of one component from (u, v0) to v1. Columns of one class without extras are advanced together. */
static void update_component(const struct tor_site_work *work, const struct tor_kind *k, int step, int u, int v0,
                             int v1) {
  const unsigned bare = TOR_COL_CPML_X | TOR_COL_CPML_Y;
  const uint16_t *cls = work->slab->cls + tor_slab_column(work->slab, u >> 1, 0);
  int energy = work->stage->energy && work->stage->energy[step];
  for (int v = v0, n; v <= v1; v += 2 * n) {
    unsigned c = cls[v >> 1] & k->classes;
    n = 1;
    if (energy || (c & ~bare)) {
      update_rich(work, k, step, u, v, c);
      continue;
    }
    int wall_near = u < work->u0 || u > work->u1 || v < work->v0 || v > work->v1;
    int last = wall_near ? v : v1 < work->v1 ? v1 : work->v1;
    while (v + 2 * n <= last && (cls[(v >> 1) + n] & k->classes) == c) n++;
    update_bare(work, k, u, v, c, n, wall_near);
  }
}

/* Whether a wall's own sites are not advanced: a PEC's. */
static int is_pec(const struct tor_slab *slab, int face) {
  return slab->wall[face] != TOR_PMC && slab->wall[face] != TOR_PERIODIC;
}

/* Surface nodes from (u, v0) to v1. Sites on a PEC are not advanced: its nodes go with the sites beside it. */
static void advance_nodes(const struct tor_slab *slab, int u, int v0, int v1) {
  const int end = 2 * slab->n[0];
  if (v0 > v1) return;
  if (v0 == 1 && is_pec(slab, TOR_YLO)) v0 = 0;
  if (v1 + 1 == 2 * slab->n[1] && is_pec(slab, TOR_YHI)) v1++;
  for (int iy = (v0 + 1) >> 1; 2 * iy <= v1; iy++) {
    if (u % 2 == 0) TOR_NAME(tor_nodes_advance)(slab, u >> 1, iy);
    if (u == 1 && is_pec(slab, TOR_XLO)) TOR_NAME(tor_nodes_advance)(slab, 0, iy);
    if (u + 1 == end && is_pec(slab, TOR_XHI)) TOR_NAME(tor_nodes_advance)(slab, slab->n[0], iy);
  }
}

/* The ghost values along z of both parts, of the sites of one component from (u, v0) to v1. */
static void join_parts(const struct tor_site_work *work, const struct tor_kind *k, int u, int v0, int v1) {
  const int order = work->slab->order, h = tor_comp_is_h(k->comp);
  if (tor_comp_axis(k->comp) == TOR_Z || !tor_slab_periodic(work->slab, TOR_Z)) return;
  for (int v = v0; v <= v1; v += 2) {
    real *const re = vector_at(work->slab, k->comp, u, v), *const im = vector_at(work->slab->other, k->comp, u, v);
    tor_bloch_ghosts(order, h, k->n, work->turn[0], re, im);
    tor_bloch_ghosts(order, h, k->n, work->turn[1], im, re);
  }
}

void TOR_NAME(tor_site_line)(const struct tor_site_work *work, int step, int half, int u, int v0, int v1) {
  const struct tor_site_work *const second = work->imaginary;
  if (!half && work->slab->has_nodes) advance_nodes(work->slab, u, v0, v1);
  if (!half && work->slab->has_nodes && second) advance_nodes(second->slab, u, v0, v1);
  for (int odd = 0; odd < 2; odd++) {
    const struct tor_kind *k = &work->kind[half][u & 1][odd];
    const int first = v0 + ((v0 ^ odd) & 1);
    if (k->comp < 0) continue;
    update_component(work, k, step, u, first, v1);
    if (!second) continue;
    update_component(second, &second->kind[half][u & 1][odd], step, u, first, v1);
    join_parts(work, k, u, first, v1);
  }
}

/* Into the second-level cache. The empty statement keeps gcc 12 from taking functions that only prefetch for functions
 * without effect. */
static void fetch(const real *p, tor_gidx n) {
  __asm__ volatile("");
  for (tor_gidx z = 0; z < n; z += 64 / (int)sizeof *p) __builtin_prefetch(p + z, 0, 2);
}

static void fetch_extra(const struct tor_slab *slab, const struct tor_extra *extra, int comp) {
  tor_gidx own = tor_comp_is_h(comp) ? extra->coef_h : extra->coef_e;
  if (own >= 0) fetch((const real *)slab->coef + own + (tor_gidx)tor_comp_axis(comp) * slab->nzp, slab->nzp);
  if (tor_comp_is_h(comp)) return;
  for (int i = extra->run[comp]; i < extra->run[comp + 1]; i++) {
    const struct tor_pole_range *run = &slab->run[i];
    if (i > extra->run[comp] && run->state == run[-1].state) continue;
    fetch((const real *)slab->weight + run->weight, run->pitch);
    fetch((const real *)slab->state + run->state, (tor_gidx)slab->dispersion[run->dispersion].nstate * run->pitch);
  }
}

static void fetch_site(const struct tor_site_work *work, const struct tor_kind *k, int u, int v) {
  const struct tor_slab *slab = work->slab;
  tor_gidx column = tor_slab_column(slab, u >> 1, v >> 1);
  unsigned cls = slab->cls[column];
  fetch(column_at(work, column) + k->place, slab->nzp);
  for (int which = 0; which < 2; which++) {
    int axis = k->axis[which];
    if (axis == TOR_Z)
      fetch(psi_z_at(work, k, column), k->npsi / 4);
    else if (cls & (axis == TOR_X ? TOR_COL_CPML_X : TOR_COL_CPML_Y))
      fetch(psi_site(slab, axis, k->comp, u, v), slab->nzp);
  }
  if (slab->extra_id[column] >= 0) fetch_extra(slab, &slab->extra[slab->extra_id[column]], k->comp);
}

void TOR_NAME(tor_site_prefetch)(const struct tor_site_work *work, int half, int u, int v0, int v1) {
  for (int v = v0; v <= v1; v++) {
    const struct tor_kind *k = &work->kind[half][u & 1][v & 1];
    if (k->comp < 0) continue;
    fetch_site(work, k, u, v);
    if (work->imaginary) fetch_site(work->imaginary, &work->imaginary->kind[half][u & 1][v & 1], u, v);
  }
}

struct tor_site_work *TOR_NAME(tor_site_work_new)(const struct tor_slab *slab, const struct tor_stage *stage) {
  enum { NBUFFER = 1 + 2 * NMIRROR };
  struct tor_site_work *work = tor_alloc(1, sizeof *work, "thread scratch");
  work->slab = slab;
  work->stage = stage;
  size_t stride = (size_t)slab->nzp + 2 * TOR_VECTOR;
  real *buffer = tor_alloc(NBUFFER * stride, sizeof *buffer, "thread scratch");
  work->curl = buffer + TOR_VECTOR;
  for (int i = 0; i < 2 * NMIRROR; i++) work->mirror[i / NMIRROR][i % NMIRROR] = work->curl + (size_t)(i + 1) * stride;
  for (int i = 0; i < 8; i++) work->kind[i / 4][i / 2 % 2][i % 2] = kind_make(slab, i / 4, i / 2 % 2, i % 2);
  int reach = slab->order == 4 ? 3 : 1;
  work->u0 = slab->plane ? 0 : reach;
  work->u1 = slab->plane ? 1 : 2 * slab->n[0] - reach - tor_slab_periodic(slab, TOR_X); /* site 2n is that at 0 */
  work->v0 = reach;
  work->v1 = 2 * slab->n[1] - reach - tor_slab_periodic(slab, TOR_Y);
  if (tor_slab_is_arc(slab) && !slab->other) { /* all neighbours lie beside their sites */
    work->v0 = 2 * slab->lo[1];
    work->v1 = 2 * (slab->lo[1] + slab->held[1]);
  }
  if (!slab->other || slab->imaginary) return work;
  work->imaginary = TOR_NAME(tor_site_work_new)(slab->other, stage);
  for (int i = 0; i < 8; i++)
    work->turn[i / 4][i / 2 % 2][i % 2] = (real)(i / 4 ? slab->other : slab)->bloch[TOR_Z][i / 2 % 2][i % 2];
  return work;
}

void TOR_NAME(tor_site_work_free)(struct tor_site_work *work) {
  if (!work) return;
  TOR_NAME(tor_site_work_free)(work->imaginary);
  free(work->curl - TOR_VECTOR);
  free(work);
}

/* Subnormals of fp32 are zero, as on the GPU. */
#if defined(__SSE__)
enum { FLUSH = 0x8040 };
static unsigned mode(void) { return _mm_getcsr(); }
static void set_mode(unsigned bits) { _mm_setcsr(bits); }
#elif defined(__aarch64__)
enum { FLUSH = 1 << 24 }; /* FPCR.FZ */
static unsigned mode(void) {
  uint64_t bits;
  __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
  return (unsigned)bits;
}
static void set_mode(unsigned bits) { __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)bits)); }
#else /* kept: results may differ from the GPU's in the last bit */
enum { FLUSH = 0 };
static unsigned mode(void) { return 0; }
static void set_mode(unsigned bits) { (void)bits; }
#endif

unsigned TOR_NAME(tor_site_enter)(void) {
  const unsigned saved = mode();
  set_mode(TOR_REAL_BITS == 32 ? saved | FLUSH : saved);
  return saved;
}

void TOR_NAME(tor_site_leave)(unsigned saved) { set_mode(saved); }
