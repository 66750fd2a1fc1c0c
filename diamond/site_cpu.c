/* One site of the lattice on the CPU: see site_cpu.h.
 *
 * Every component obeys e' = e + cb (D1 - D2); `struct line` holds what its loop over z reads, whichever component it is. The loops
 * (advance_*) are one inline text instantiated for order, CPML on either difference, kind of coefficient and target. */
#include "site_cpu.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "../src/error.h"

typedef tor_real real;

/* A difference along one axis: neighbours half a cell (a, b) and one and a half cells (c, d) away, and its CPML. */
struct difference {
  const real *a, *b, *c, *d;
  real *psi;
  real cpml_b, cpml_c, cpml_ik;             /* along x, y: one value a site */
  const real *cpml_bz, *cpml_cz, *cpml_ikz; /* along z: one a point */
};

struct line {
  real *f;   /* the component */
  real *out; /* where the curl goes when it is not applied at once */
  const real *cb;
  real cb0;
  struct difference d1, d2;
};

enum cpml_mode { NONE, SITE, POINT };
enum coef_mode { SCALAR, ARRAY, CURL_ONLY };

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS real stretched(const int order, const enum cpml_mode mode, const struct difference *s, real *restrict psi, int z) {
  real diff = order == 2 ? tor_difference(2, s->a[z], s->b[z], 0, 0) : tor_difference(4, s->a[z], s->b[z], s->c[z], s->d[z]);
  if (mode == NONE) return diff;
  real memory = mode == SITE ? tor_cpml_memory(s->cpml_b, s->cpml_c, psi[z], diff)
                             : tor_cpml_memory(s->cpml_bz[z], s->cpml_cz[z], psi[z], diff);
  psi[z] = memory;
  return tor_cpml_stretch(mode == SITE ? s->cpml_ik : s->cpml_ikz[z], diff, memory);
}

ALWAYS void advance(const int order, const enum cpml_mode m1, const enum cpml_mode m2, const enum coef_mode coef,
                    const struct line *line, int z0, int z1) {
  const struct difference s1 = line->d1, s2 = line->d2;
  real *restrict f = line->f, *restrict out = line->out, *restrict psi1 = s1.psi, *restrict psi2 = s2.psi;
  const real *restrict cb = line->cb;
  const real cb0 = line->cb0;
#pragma omp simd
  for (int z = z0; z < z1; z++) {
    real curl = stretched(order, m1, &s1, psi1, z) - stretched(order, m2, &s2, psi2, z);
    if (coef == CURL_ONLY)
      out[z] = curl;
    else
      f[z] = tor_advance(f[z], coef == SCALAR ? cb0 : cb[z], curl);
  }
}

typedef void advance_fn(const struct line *line, int z0, int z1);
#define ADVANCE(order, m1, m2, coef) \
  static void advance_##order##_##m1##_##m2##_##coef(const struct line *line, int z0, int z1) { \
    advance(order, m1, m2, coef, line, z0, z1); \
  }
#define ADVANCE_COEF(order, m1, m2) ADVANCE(order, m1, m2, SCALAR) ADVANCE(order, m1, m2, ARRAY) ADVANCE(order, m1, m2, CURL_ONLY)
#define ADVANCE_CPML(order) \
  ADVANCE_COEF(order, NONE, NONE) \
  ADVANCE_COEF(order, NONE, SITE) \
  ADVANCE_COEF(order, NONE, POINT) \
  ADVANCE_COEF(order, SITE, NONE) \
  ADVANCE_COEF(order, SITE, SITE) \
  ADVANCE_COEF(order, SITE, POINT) ADVANCE_COEF(order, POINT, NONE) ADVANCE_COEF(order, POINT, SITE)
ADVANCE_CPML(2)
ADVANCE_CPML(4)

#define ENTRY(order, m1, m2) \
  { advance_##order##_##m1##_##m2##_SCALAR, advance_##order##_##m1##_##m2##_ARRAY, advance_##order##_##m1##_##m2##_CURL_ONLY }
#define TABLE(order) \
  { \
    {ENTRY(order, NONE, NONE), ENTRY(order, NONE, SITE), ENTRY(order, NONE, POINT)}, \
        {ENTRY(order, SITE, NONE), ENTRY(order, SITE, SITE), ENTRY(order, SITE, POINT)}, \
        {ENTRY(order, POINT, NONE), ENTRY(order, POINT, SITE), {NULL, NULL, NULL}}, \
  }
static advance_fn *const advance_table[2][3][3][3] = {TABLE(2), TABLE(4)};

enum { NMIRROR = 4 };
struct tor_site_work {
  real *curl, *whole; /* the curl, and a copy before the poles took their share */
  real *mirror[2][NMIRROR]; /* sign-changed images for the two differences */
};

static int component_at(int half, int u, int v) {
  static const int e[2][2] = {{TOR_EZ, TOR_EY}, {TOR_EX, -1}}, h[2][2] = {{-1, TOR_HX}, {TOR_HY, TOR_HZ}};
  return half ? e[u & 1][v & 1] : h[u & 1][v & 1];
}

static real *vector_at(const struct tor_slab *slab, int comp, int u, int v) {
  return (real *)slab->field + (tor_slab_column(slab, u >> 1, v >> 1) * TOR_NCOMP + comp) * slab->nzp;
}

/* The vector of `comp` at (u, v) moved by `shift` half cells along axis x or y, or its image behind a wall: tangential E changes
 * sign at a PEC and tangential H at a PMC. */
static const real *neighbour(const struct tor_slab *slab, int comp, int axis, int u, int v, int shift, real *mirror) {
  int at = (axis == TOR_X ? u : v) + shift, end = 2 * slab->n[axis], negative = 0;
  while (at < 0 || at > end) {
    negative ^= (slab->wall[2 * axis + (at > 0)] == TOR_PMC) == tor_comp_is_h(comp);
    at = at < 0 ? -at : 2 * end - at;
  }
  const real *p = axis == TOR_X ? vector_at(slab, comp, at, v) : vector_at(slab, comp, u, at);
  if (!negative) return p;
  for (int z = 0; z < slab->nzp; z++) mirror[z] = -p[z];
  return mirror;
}

/* CPML state of the component along one axis; the four places follow slab.h. */
static real *psi_site(const struct tor_slab *slab, int axis, int comp, int u, int v) {
  const struct tor_cpml_axis *cpml = &slab->cpml[axis];
  int layer = cpml->index[(axis == TOR_X ? u : v) >> 1], along = axis == TOR_X ? v >> 1 : u >> 1;
  int place = tor_comp_axis(comp) - (tor_comp_axis(comp) > axis) + 2 * tor_comp_is_h(comp);
  tor_gidx column = (tor_gidx)layer * (slab->n[!axis] + 1) + along;
  return (real *)(axis == TOR_X ? slab->psi_x : slab->psi_y) + (column * 4 + place) * slab->nzp;
}

/* Fills one difference of component `comp` along `axis`, of component `of`. Returns how its CPML acts. */
static enum cpml_mode set_difference(const struct tor_slab *slab, struct difference *s, int comp, int of, int axis, int u, int v,
                                     unsigned cls, real *const *mirror) {
  if (axis == TOR_Z) { /* node k has half cells k - 1, k beside it; half cell k has nodes k, k + 1 */
    const real *p = vector_at(slab, of, u, v) + !tor_comp_is_h(of);
    s->a = p;
    s->b = p - 1;
    s->c = p + 1;
    s->d = p - 2;
    return POINT;
  }
  s->a = neighbour(slab, of, axis, u, v, 1, mirror[0]);
  s->b = neighbour(slab, of, axis, u, v, -1, mirror[1]);
  if (slab->order == 4) {
    s->c = neighbour(slab, of, axis, u, v, 3, mirror[2]);
    s->d = neighbour(slab, of, axis, u, v, -3, mirror[3]);
  }
  if (!(cls & (axis == TOR_X ? TOR_COL_CPML_X : TOR_COL_CPML_Y))) return NONE;
  const struct tor_cpml_axis *cpml = &slab->cpml[axis];
  int at = axis == TOR_X ? u : v;
  s->cpml_ik = ((const real *)cpml->ik)[at];
  s->cpml_b = ((const real *)cpml->b)[at];
  s->cpml_c = ((const real *)cpml->c)[at];
  s->psi = psi_site(slab, axis, comp, u, v);
  return SITE;
}

/* Points the z difference's CPML at the lower or the upper layer. */
static void set_layer_z(const struct tor_slab *slab, struct difference *s, int comp, int u, int v, int upper) {
  const struct tor_cpml_axis *cpml = &slab->cpml[TOR_Z];
  int h = tor_comp_is_h(comp), npz = slab->zlo + slab->zhi;
  s->psi = (real *)slab->psi_z + (tor_slab_column(slab, u >> 1, v >> 1) * 4 + tor_comp_axis(comp) + 2 * h) * npz;
  if (upper) s->psi += slab->zlo - slab->zhi0;
  s->cpml_ikz = (const real *)cpml->ik + h * slab->nzp;
  s->cpml_bz = (const real *)cpml->b + h * slab->nzp;
  s->cpml_cz = (const real *)cpml->c + h * slab->nzp;
}

/* The images behind the walls in z, and the zeros of tangential E on a PEC. */
static void set_images(const struct tor_slab *slab, int comp, real *f) {
  int n = slab->n[2];
  if (tor_comp_axis(comp) == TOR_Z) return;
  int lo_pmc = slab->wall[TOR_ZLO] == TOR_PMC, hi_pmc = slab->wall[TOR_ZHI] == TOR_PMC;
  if (tor_comp_is_h(comp)) {
    f[-1] = lo_pmc ? -f[0] : f[0];
    f[n] = hi_pmc ? -f[n - 1] : f[n - 1];
    /* One cell: the second image is reflected at both walls. */
    real up = n > 1 ? f[1] : f[n], down = n > 1 ? f[n - 2] : f[-1];
    f[-2] = lo_pmc ? -up : up;
    f[n + 1] = hi_pmc ? -down : down;
  } else {
    if (!lo_pmc) f[0] = 0;
    if (!hi_pmc) f[n] = 0;
    f[-1] = lo_pmc ? f[1] : -f[1];
    f[n + 1] = hi_pmc ? f[n - 1] : -f[n - 1];
  }
}

static void inject(const struct tor_slab *slab, const struct tor_stage *stage, const struct tor_extra *extra, int comp, int step,
                   real *f, const real *cb) {
  for (int i = extra->inject[comp]; i < extra->inject[comp + 1]; i++) {
    const struct tor_inject *in = &slab->inject[i];
    const real *value = (const real *)stage->table[in->table] + (tor_gidx)step * stage->width[in->table] + in->index;
    real factor = (real)in->factor;
    for (int z = 0; z < in->nz; z++) {
      int at = in->z0 + z;
      f[at] = tor_inject(f[at], cb[at], factor * value[in->stride * z]);
    }
  }
}

/* A branch: few points, so poles inside and z outside. */
static void branch_before(const struct tor_slab *slab, const struct tor_run *run, int comp, const real *curl, real *rest) {
  const real dt = (real)slab->dt;
  const struct tor_dispersion *d = &slab->dispersion[run->dispersion];
  const real *w = (const real *)slab->weight + run->weight, *cb = w + run->nz, *r = cb + run->nz;
  real *e = (real *)slab->state + run->state;
  for (int z = 0; z < run->nz; z++) {
    real current = 0, *j = e + run->nz + z;
    for (int p = 0; p < d->npoles; p++) {
      const struct tor_pole_coef *pole = &d->pole[p];
      const real k1 = (real)pole->k1, k2 = (real)pole->k2, k3 = (real)pole->k3[comp];
      if (pole->has_p) {
        real *pol = j + run->nz;
        *j = tor_pole_drive(tor_pole_current(k1, k2, *j, *pol), w[z], k3, e[z]);
        *pol = tor_pole_polarisation(dt, *j, *pol);
      } else {
        *j = tor_pole_drive(k1 * *j, w[z], k3, e[z]);
      }
      current += *j;
      j += run->nz * (1 + pole->has_p);
    }
    int at = run->z0 + z;
    e[z] = tor_branch_field(e[z], cb[z], curl[at], current);
    rest[at] = tor_branch_curl(rest[at], r[z], current);
  }
}

/* Advances the poles by their explicit part and takes their currents from the curl. `e` is the field before the step. */
static void poles_before(const struct tor_slab *slab, const struct tor_extra *extra, int comp, const real *restrict e,
                         real *restrict curl, real *restrict whole, int nz) {
  const real dt = (real)slab->dt;
  int branches = 0;
  for (int i = extra->run[comp]; i < extra->run[comp + 1]; i++) branches |= slab->run[i].branch;
  if (branches) memcpy(whole, curl, (size_t)nz * sizeof *whole);
  for (int i = extra->run[comp]; i < extra->run[comp + 1]; i++) {
    const struct tor_run *run = &slab->run[i];
    if (run->branch) {
      branch_before(slab, run, comp, whole, curl);
      continue;
    }
    const struct tor_dispersion *d = &slab->dispersion[run->dispersion];
    const real *restrict w = (const real *)slab->weight + run->weight, *restrict from = e + run->z0;
    real *restrict to = curl + run->z0, *restrict state = (real *)slab->state + run->state;
    for (int p = 0; p < d->npoles; p++) {
      const struct tor_pole_coef *pole = &d->pole[p];
      const real k1 = (real)pole->k1, k2 = (real)pole->k2, k3 = (real)pole->k3[comp];
      real *restrict j = state, *restrict pol = state + run->nz;
      if (!pole->has_p) {
#pragma omp simd
        for (int z = 0; z < run->nz; z++) {
          j[z] = tor_pole_drive(k1 * j[z], w[z], k3, from[z]);
          to[z] -= j[z];
        }
      } else if (!pole->implicit) {
#pragma omp simd
        for (int z = 0; z < run->nz; z++) {
          j[z] = tor_pole_drive(tor_pole_current(k1, k2, j[z], pol[z]), w[z], k3, from[z]);
          pol[z] = tor_pole_polarisation(dt, j[z], pol[z]);
          to[z] -= j[z];
        }
      } else {
#pragma omp simd
        for (int z = 0; z < run->nz; z++) {
          j[z] = tor_pole_drive(tor_pole_current(k1, k2, j[z], pol[z]), w[z], k3, from[z]);
          to[z] -= j[z];
        }
      }
      state += run->nz * (1 + pole->has_p);
    }
  }
}

/* Completes the implicit poles with the new field. */
static void poles_after(const struct tor_slab *slab, const struct tor_extra *extra, int comp, const real *restrict e) {
  const real dt = (real)slab->dt;
  for (int i = extra->run[comp]; i < extra->run[comp + 1]; i++) {
    const struct tor_run *run = &slab->run[i];
    const struct tor_dispersion *d = &slab->dispersion[run->dispersion];
    if (!d->implicit) continue;
    const real *restrict w = (const real *)slab->weight + run->weight, *restrict from = e + run->z0;
    real *restrict state = (real *)slab->state + run->state;
    for (int p = 0; p < d->npoles; p++) {
      const struct tor_pole_coef *pole = &d->pole[p];
      real *restrict j = state, *restrict pol = state + run->nz;
      state += run->nz * (1 + pole->has_p);
      if (!pole->implicit) continue;
      const real k4 = (real)pole->k4[comp];
#pragma omp simd
      for (int z = 0; z < run->nz; z++) {
        j[z] = tor_pole_drive(j[z], w[z], k4, from[z]);
        pol[z] = tor_pole_polarisation(dt, j[z], pol[z]);
      }
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
    const double *restrict re = group->phase + ((tor_gidx)step * 2 + tor_comp_is_h(comp)) * 2 * nf, *restrict im = re + nf;
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

/* Sum of value^2 / cb along z in an order that suits 32 lanes and one: lane z mod 32 first, then the lanes pairwise. */
static double energy_along_z(const real *f, const real *cb, int n) {
  double lane[32] = {0};
  for (int z = 0; z < n; z++) {
    double value = (double)f[z];
    lane[z % 32] = __builtin_fma(value * value, 1.0 / (double)cb[z], lane[z % 32]);
  }
  for (int width = 16; width; width /= 2)
    for (int i = 0; i < width; i++) lane[i] += lane[i + width];
  return lane[0];
}

void TOR_NAME(tor_site_update)(const struct tor_slab *slab, const struct tor_stage *stage, struct tor_site_work *work, int step,
                               int half, int u, int v) {
  int comp = component_at(half, u, v);
  if (comp < 0) return;
  int axis = tor_comp_axis(comp), h = !half;
  tor_gidx column = tor_slab_column(slab, u >> 1, v >> 1);
  unsigned cls = slab->cls[column];
  const struct tor_extra *extra = slab->extra_id[column] < 0 ? NULL : &slab->extra[slab->extra_id[column]];
  int own = h ? cls & TOR_COL_COEF_H : cls & TOR_COL_COEF_E, lossy = h ? cls & TOR_COL_LOSSY_H : cls & TOR_COL_LOSSY_E;
  int poles = !h && (cls & TOR_COL_POLES);

  struct line line = {0};
  line.f = vector_at(slab, comp, u, v);
  line.out = work->curl;
  const real *ca1;
  if (own) {
    line.cb = (const real *)slab->coef + (h ? extra->coef_h : extra->coef_e) + (tor_gidx)axis * slab->nzp;
    ca1 = line.cb + (tor_gidx)3 * slab->nzp;
  } else {
    line.cb = (const real *)slab->cb + (tor_gidx)comp * slab->nzp;
    ca1 = (const real *)slab->ca1 + (tor_gidx)comp * slab->nzp;
  }
  line.cb0 = line.cb[0];

  /* E_i: D1 = d_j H_k, D2 = d_k H_j; H_i: D1 = d_k E_j, D2 = d_j E_k, with i, j, k cyclic. */
  int j = (axis + 1) % 3, k = (axis + 2) % 3, from = h ? TOR_EX : TOR_HX;
  int axis1 = h ? k : j, axis2 = h ? j : k;
  enum cpml_mode m1 = set_difference(slab, &line.d1, comp, from + axis2, axis1, u, v, cls, work->mirror[0]);
  enum cpml_mode m2 = set_difference(slab, &line.d2, comp, from + axis1, axis2, u, v, cls, work->mirror[1]);
  int rich = lossy || poles;
  enum coef_mode coef = rich ? CURL_ONLY : own || !slab->uniform[comp] ? ARRAY : SCALAR;
  int at_nodes = h ? axis == TOR_Z : axis != TOR_Z;
  int nz = slab->n[2] + (at_nodes && slab->wall[TOR_ZHI] == TOR_PMC);
  advance_fn *const(*table)[3][3] = advance_table[slab->order == 4];
  if (axis == TOR_Z) {
    table[m1][m2][coef](&line, 0, nz);
  } else {
    struct difference *dz = axis1 == TOR_Z ? &line.d1 : &line.d2;
    int p1 = m1 == POINT ? NONE : m1, p2 = m2 == POINT ? NONE : m2;
    if (slab->zlo) {
      set_layer_z(slab, dz, comp, u, v, 0);
      table[m1][m2][coef](&line, 0, slab->zlo);
    }
    table[p1][p2][coef](&line, slab->zlo, slab->zhi ? slab->zhi0 : nz);
    if (slab->zhi) {
      set_layer_z(slab, dz, comp, u, v, 1);
      table[m1][m2][coef](&line, slab->zhi0, nz);
    }
  }

  real *f = line.f;
  if (rich) {
    real *restrict curl = work->curl;
    if (poles) poles_before(slab, extra, comp, f, curl, work->whole, nz);
    if (lossy) {
#pragma omp simd
      for (int z = 0; z < nz; z++) f[z] = tor_advance_lossy(f[z], ca1[z], line.cb[z], curl[z]);
    } else {
#pragma omp simd
      for (int z = 0; z < nz; z++) f[z] = tor_advance(f[z], line.cb[z], curl[z]);
    }
  }
  if (cls & TOR_COL_INJECT) inject(slab, stage, extra, comp, step, f, line.cb);
  set_images(slab, comp, f);
  if (poles) poles_after(slab, extra, comp, f);
  if (cls & TOR_COL_RECORD) record(slab, extra, comp, step, f);
  if (stage->energy && stage->energy[step]) slab->energy[column * TOR_NCOMP + comp] = energy_along_z(f, line.cb, nz);
}

struct tor_site_work *TOR_NAME(tor_site_work_new)(const struct tor_slab *slab) {
  enum { NBUFFER = 2 + 2 * NMIRROR };
  struct tor_site_work *work = tor_alloc(1, sizeof *work, "thread scratch");
  size_t stride = (size_t)slab->nzp + 2 * TOR_VECTOR;
  real *buffer = tor_alloc(NBUFFER * stride, sizeof *buffer, "thread scratch");
  work->curl = buffer + TOR_VECTOR;
  work->whole = work->curl + stride;
  for (int i = 0; i < 2 * NMIRROR; i++) work->mirror[i / NMIRROR][i % NMIRROR] = work->whole + (size_t)(i + 1) * stride;
  return work;
}

void TOR_NAME(tor_site_work_free)(struct tor_site_work *work) {
  if (!work) return;
  free(work->curl - TOR_VECTOR);
  free(work);
}

unsigned TOR_NAME(tor_site_enter)(void) {
#if TOR_REAL_BITS == 32 && defined(__SSE__)
  unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040u); /* flush to zero, denormals are zero */
  return saved;
#else
  return 0;
#endif
}

void TOR_NAME(tor_site_leave)(unsigned saved) {
#if TOR_REAL_BITS == 32 && defined(__SSE__)
  _mm_setcsr(saved);
#else
  (void)saved;
#endif
}
