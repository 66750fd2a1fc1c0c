/* Sites of the lattice on the GPU with all that acts on them: the twin of site_cpu.c. A thread has the V values along z
 * that make 16 bytes; the decisions that hold for a whole column are then made once for them.
 *
 * Images behind the walls are reflected on the fly. Those in memory, which the CPU engines read, are set once at the
 * end of a run. */
#ifndef TOR_DIAMOND_GPU_STEPWISE_SITE_CUH
#define TOR_DIAMOND_GPU_STEPWISE_SITE_CUH

#include "diamond/gpu/view/slab_view.cuh"

#define POINT_FN static __device__ __forceinline__

/* What a kernel knows about components at compile time. */
__host__ __device__ constexpr int comp_at(int half, int u, int v) {
  return half ? ((u & 1) ? ((v & 1) ? -1 : TOR_EX) : ((v & 1) ? TOR_EY : TOR_EZ))
              : ((u & 1) ? ((v & 1) ? TOR_HZ : TOR_HY) : ((v & 1) ? TOR_HX : -1));
}
__host__ __device__ constexpr bool comp_is_h(int comp) { return comp >= TOR_HX; }
__host__ __device__ constexpr int comp_axis(int comp) { return comp % 3; }
/* Component comp obeys f' = f + cb (d_A F_B - d_B F_A); A is the axis of the first difference, B of the second. */
__host__ __device__ constexpr int curl_axis(int comp, int which) {
  return comp_is_h(comp) != (which == 1) ? (comp_axis(comp) + 2) % 3 : (comp_axis(comp) + 1) % 3;
}
__host__ __device__ constexpr int curl_of(int comp, int which) {
  return (comp_is_h(comp) ? TOR_EX : TOR_HX) + curl_axis(comp, 1 - which);
}
/* Sites of a component have this parity. */
__host__ __device__ constexpr int comp_u(int comp) { return comp == TOR_EX || comp == TOR_HY || comp == TOR_HZ; }
__host__ __device__ constexpr int comp_v(int comp) { return comp == TOR_EY || comp == TOR_HX || comp == TOR_HZ; }

POINT_FN tor_gidx column_of(const tor_gpu_view &s, int u, int v) {
  return s.origin + (tor_gidx)(u >> 1) * s.stride + (v >> 1);
}

/* Is the site one that is advanced? */
POINT_FN bool inside(const tor_gpu_view &s, int u, int v) {
  return u >= s.first[0] && u <= s.last[0] && v >= s.first[1] && v <= s.last[1];
}

/* Values of a component along z that are advanced. */
template <int COMP> POINT_FN int points_z(const tor_gpu_view &s) {
  return s.n[2] + ((comp_is_h(COMP) == (comp_axis(COMP) == TOR_Z)) && s.pmc[TOR_ZHI]);
}

enum { V = 16 / sizeof(real) };
struct alignas(16) vec {
  real at[V];
};

/* `count` of V values, of which all may be read. */
POINT_FN void store_values(real *to, const vec &value, int count) {
  if (count >= V) {
    *(vec *)to = value;
    return;
  }
#pragma unroll
  for (int k = 0; k < V; k++)
    if (k < count) to[k] = value.at[k];
}

/* Component OF, `shift` half cells along x or y from (u, v), at z0; its image changes sign behind some walls. PLAIN: no
 * wall is near. */
template <int OF, int AXIS, bool PLAIN> POINT_FN vec vector_at(const tor_gpu_view &s, int u, int v, int z0, int shift) {
  int at = (AXIS == TOR_X ? u : v) + shift, end = 2 * s.n[AXIS];
  bool negative = false;
  if (!PLAIN)
    while (at < 0 || at > end) {
      negative ^= (s.pmc[2 * AXIS + (at > 0)] != 0) == comp_is_h(OF);
      at = at < 0 ? -at : 2 * end - at;
    }
  tor_gidx column = AXIS == TOR_X ? column_of(s, at, v) : column_of(s, u, at);
  vec value = *(const vec *)(s.field + (column * TOR_NCOMP + OF) * s.nzp + z0);
  if (!PLAIN && negative)
#pragma unroll
    for (int k = 0; k < V; k++) value.at[k] = -value.at[k];
  return value;
}

/* The values z0 - 2 .. z0 + V + 1 of a component along z, of which order ORDER needs some; tangential E changes sign at
 * a PEC, tangential H at a PMC. */
template <int ORDER, bool IS_H> struct row {
  real value[V + 4];
  __device__ __forceinline__ real &operator[](int k) { return value[k + 2]; }

  __device__ __forceinline__ void load(const tor_gpu_view &s, const real *p, int z0) {
    constexpr bool BELOW = IS_H || ORDER == 4, BELOW2 = IS_H && ORDER == 4, ABOVE = !IS_H || ORDER == 4,
                   ABOVE2 = !IS_H && ORDER == 4;
    row &r = *this;
    const int top = s.n[2] - z0; /* k of z = n */
    const bool minus_lo = (s.pmc[TOR_ZLO] != 0) == IS_H, minus_hi = (s.pmc[TOR_ZHI] != 0) == IS_H;
    vec mid = *(const vec *)p;
#pragma unroll
    for (int k = 0; k < V; k++) r[k] = mid.at[k];
    r[-2] = BELOW2 && z0 ? p[-2] : (real)0;
    r[-1] = BELOW && z0 ? p[-1] : (real)0;
    r[V] = ABOVE || IS_H ? p[V] : (real)0;
    r[V + 1] = ABOVE2 || BELOW2 ? p[V + 1] : (real)0;
    if (IS_H) {
      if (z0 == 0) r[-1] = minus_lo ? -r[0] : r[0];
#pragma unroll
      for (int k = 0; k <= V; k++)
        if (k == top) r[k] = minus_hi ? -r[k - 1] : r[k - 1];
      if (ORDER == 4) {
        if (z0 == 0) r[-2] = minus_lo ? -r[1] : r[1];
#pragma unroll
        for (int k = 1; k <= V; k++)
          if (k == top + 1) r[k] = minus_hi ? -r[k - 3] : r[k - 3];
      }
    } else if (ORDER == 4) {
      if (z0 == 0) r[-1] = minus_lo ? -r[1] : r[1];
#pragma unroll
      for (int k = 1; k <= V + 1; k++)
        if (k == top + 1) r[k] = minus_hi ? -r[k - 2] : r[k - 2];
    }
  }
};

/* Place of the CPML memory of COMP's difference along AXIS, or -1 where there is none. */
template <int COMP, int AXIS> POINT_FN tor_gidx psi_at(const tor_gpu_view &s, unsigned cls, int u, int v, int z) {
  constexpr int place = comp_axis(COMP) - (comp_axis(COMP) > AXIS) + 2 * comp_is_h(COMP);
  if (AXIS == TOR_Z) {
    bool upper = s.zhi && z >= s.zhi0;
    if (z >= s.zlo && !upper) return -1;
    return (column_of(s, u, v) * 4 + place) * (s.zlo + s.zhi) + z + (upper ? s.zlo - s.zhi0 : 0);
  }
  if (!(cls & (AXIS == TOR_X ? TOR_COL_CPML_X : TOR_COL_CPML_Y))) return -1;
  tor_gidx layer = s.cpml[AXIS].index[(AXIS == TOR_X ? u : v) >> 1];
  tor_gidx column = layer * (s.n[AXIS == TOR_X] + 1) + ((AXIS == TOR_X ? v : u) >> 1);
  return (column * 4 + place) * s.nzp + z;
}

/* The first (WHICH = 0) or second difference of COMP's curl: loaded, then stretched where a layer acts, so that the
 * loads of both differences and of what they are multiplied with are under way at once. */
template <int ORDER, int COMP, int WHICH, bool PLAIN> struct difference {
  static constexpr int AXIS = curl_axis(COMP, WHICH), OF = curl_of(COMP, WHICH);
  vec a, b, c, d;
  row<ORDER, comp_is_h(OF)> r;

  __device__ __forceinline__ void load(const tor_gpu_view &s, int u, int v, int z0) {
    if (AXIS == TOR_Z) {
      r.load(s, s.field + (column_of(s, u, v) * TOR_NCOMP + OF) * s.nzp + z0, z0);
      return;
    }
    a = vector_at<OF, AXIS, PLAIN>(s, u, v, z0, 1);
    b = vector_at<OF, AXIS, PLAIN>(s, u, v, z0, -1);
    if (ORDER == 4) {
      c = vector_at<OF, AXIS, PLAIN>(s, u, v, z0, 3);
      d = vector_at<OF, AXIS, PLAIN>(s, u, v, z0, -3);
    }
  }

  /* nz: values along z that are advanced. */
  __device__ __forceinline__ vec finish(const tor_gpu_view &s, unsigned cls, int u, int v, int z0, int nz) {
    constexpr int up = !comp_is_h(OF); /* along z: nodes above a half cell, half cells below a node */
    vec diff;
#pragma unroll
    for (int k = 0; k < V; k++) {
      if (AXIS == TOR_Z)
        diff.at[k] = ORDER == 2 ? tor_difference(2, r[k + up], r[k + up - 1], 0, 0)
                                : tor_difference(4, r[k + up], r[k + up - 1], r[k + up + 1], r[k + up - 2]);
      else
        diff.at[k] = ORDER == 2 ? tor_difference(2, a.at[k], b.at[k], 0, 0)
                                : tor_difference(4, a.at[k], b.at[k], c.at[k], d.at[k]);
    }
    if (PLAIN && AXIS != TOR_Z) return diff;
    const tor_gidx at = psi_at<COMP, AXIS>(s, cls, u, v, z0);
    if (at < 0) return diff;
    real *psi = s.psi[AXIS] + at;
    const int i = AXIS == TOR_X ? u : AXIS == TOR_Y ? v : comp_is_h(COMP) * s.nzp + z0;
    const real *ik = s.cpml[AXIS].ik + i, *cpml_b = s.cpml[AXIS].b + i, *cpml_c = s.cpml[AXIS].c + i;
    /* A lower layer as thick as the slab ends with the half cells: a node on the upper wall lies outside, its row may
     * be unaligned. */
    const int count = AXIS == TOR_Z && z0 < s.zlo ? min(s.zlo, nz) - z0 : nz - z0;
    const bool aligned = AXIS != TOR_Z || (s.zlo + s.zhi) % V == 0;
    vec memory;
    if (aligned) {
      memory = *(const vec *)psi;
    } else {
#pragma unroll
      for (int k = 0; k < V; k++) memory.at[k] = k < count ? psi[k] : (real)0;
    }
#pragma unroll
    for (int k = 0; k < V; k++)
      if (k < count) {
        const int j = AXIS == TOR_Z ? k : 0;
        memory.at[k] = tor_cpml_memory(cpml_b[j], cpml_c[j], memory.at[k], diff.at[k]);
        diff.at[k] = tor_cpml_stretch(ik[j], diff.at[k], memory.at[k]);
      }
    if (aligned) {
      store_values(psi, memory, count);
    } else {
#pragma unroll
      for (int k = 0; k < V; k++)
        if (k < count) psi[k] = memory.at[k];
    }
    return diff;
  }
};

/* The explicit part of a pole at one point; j[0], and j[pitch] where it has a polarisation. Returns its current. */
POINT_FN real pole_before(const tor_gpu_view &s, const tor_gpu_pole &pole, int comp, real w, real e, real *j,
                          int pitch) {
  real current;
  if (pole.has_p) {
    real p = j[pitch];
    current = tor_pole_drive(tor_pole_current(pole.k1, pole.k2, *j, p), w, pole.k3[comp], e);
    if (!pole.implicit) j[pitch] = tor_pole_polarisation(s.dt, current, p);
  } else {
    current = tor_pole_drive(pole.k1 * *j, w, pole.k3[comp], e);
  }
  *j = current;
  return current;
}

/* Curl without the currents of the poles; e is the field before the step. */
POINT_FN real poles_before(const tor_gpu_view &s, const tor_extra &extra, int comp, int z, real e, real curl) {
  for (int i = extra.run[comp]; i < extra.run[comp + 1]; i++) {
    const tor_run run = s.run[i];
    int k = z - run.z0;
    if (k < 0 || k >= run.nz) continue;
    const tor_gpu_dispersion d = s.dispersion[run.dispersion];
    const int pitch = run.pitch, at = tor_run_lead(&run) + k;
    const real *weight = s.weight + run.weight + at;
    real *j = s.state + run.state + at, *charge = j + (tor_gidx)d.nstate * pitch;
    const real q = run.branch ? *charge : (real)0, own = run.branch ? tor_branch_field(weight[pitch], e, q) : e;
    real sum = 0;
    for (int p = 0; p < d.npoles; p++) {
      const tor_gpu_pole &pole = s.pole[d.first + p];
      sum += pole_before(s, pole, comp, *weight, own, j, pitch);
      j += pitch * (1 + pole.has_p);
    }
    if (run.branch) {
      *charge = tor_branch_charge(q, weight[2 * pitch], sum);
      sum = tor_branch_current(weight[3 * pitch], sum);
    }
    curl -= sum;
  }
  return curl;
}

/* Completes the implicit poles with the new field. */
POINT_FN void poles_after(const tor_gpu_view &s, const tor_extra &extra, int comp, int z, real e) {
  for (int i = extra.run[comp]; i < extra.run[comp + 1]; i++) {
    const tor_run run = s.run[i];
    int k = z - run.z0;
    const tor_gpu_dispersion d = s.dispersion[run.dispersion];
    if (k < 0 || k >= run.nz || !d.implicit) continue;
    const int pitch = run.pitch, at = tor_run_lead(&run) + k;
    real w = s.weight[run.weight + at], *j = s.state + run.state + at;
    for (int p = 0; p < d.npoles; p++) {
      const tor_gpu_pole &pole = s.pole[d.first + p];
      if (pole.implicit) {
        *j = tor_pole_drive(*j, w, pole.k4[comp], e);
        j[pitch] = tor_pole_polarisation(s.dt, *j, j[pitch]);
      }
      j += pitch * (1 + pole.has_p);
    }
  }
}

POINT_FN real inject(const tor_gpu_view &s, const tor_extra &extra, int comp, int step, int z, real cb, real f) {
  for (int i = extra.inject[comp]; i < extra.inject[comp + 1]; i++) {
    const struct tor_inject in = s.inject[i];
    int k = z - in.z0;
    if (k < 0 || k >= in.nz) continue;
    const real *value = s.table[in.table] + (tor_gidx)step * s.width[in.table] + in.index;
    f = tor_inject(f, cb, (real)in.factor * value[in.stride * k]);
  }
  return f;
}

POINT_FN void record(const tor_gpu_view &s, const tor_extra &extra, int comp, int step, int z, real f) {
  for (int i = extra.record[comp]; i < extra.record[comp + 1]; i++) {
    const tor_record rec = s.record[i];
    int k = z - rec.z0;
    if (k < 0 || k >= rec.nz) continue;
    const tor_gpu_group group = s.group[rec.group];
    int sample = group.sample[step];
    if (sample < 0) continue;
    const tor_gidx at = (tor_gidx)sample * group.npoints + rec.offset + k;
    if (group.series)
      group.data[at] = (double)f;
    else
      group.heard[at] = f;
  }
}

/* Coefficients of COMP in a column: [nzp]. */
template <int COMP> POINT_FN const real *coefficient(const tor_gpu_view &s, unsigned cls, const tor_extra *extra) {
  if (!(cls & (comp_is_h(COMP) ? TOR_COL_COEF_H : TOR_COL_COEF_E))) return s.cb + (tor_gidx)COMP * s.nzp;
  return s.coef + (comp_is_h(COMP) ? extra->coef_h : extra->coef_e) + (tor_gidx)comp_axis(COMP) * s.nzp;
}
POINT_FN const tor_extra *extra_of(const tor_gpu_view &s, tor_gidx column) {
  int id = s.extra_id[column];
  return id < 0 ? nullptr : &s.extra[id];
}

/* What a site's new values depend on beyond the fields. */
POINT_FN bool is_lossy(unsigned cls, int comp) { return cls & (comp_is_h(comp) ? TOR_COL_LOSSY_H : TOR_COL_LOSSY_E); }
POINT_FN bool has_own(unsigned cls, int comp) { return cls & (comp_is_h(comp) ? TOR_COL_COEF_H : TOR_COL_COEF_E); }

/* Half a step of the values z0 .. z0 + V - 1 of COMP at (u, v); nothing happens outside the slab. */
template <int ORDER, int COMP> POINT_FN void advance_site(const tor_gpu_view &s, int step, int u, int v, int z0) {
  constexpr bool h = comp_is_h(COMP);
  const int nz = points_z<COMP>(s);
  if (z0 >= nz || !inside(s, u, v)) return;
  /* All that does not depend on the column's class is loaded first. */
  const tor_gidx column = column_of(s, u, v);
  const unsigned cls = s.cls[column];
  real *field = s.field + (column * TOR_NCOMP + COMP) * s.nzp + z0;
  const real *at = s.cb + (tor_gidx)COMP * s.nzp + z0;
  vec f = *(const vec *)field, cb = *(const vec *)at;
  difference<ORDER, COMP, 0, false> d1;
  difference<ORDER, COMP, 1, false> d2;
  d1.load(s, u, v, z0);
  d2.load(s, u, v, z0);
  const tor_extra *extra = cls & ~(TOR_COL_CPML_X | TOR_COL_CPML_Y) ? extra_of(s, column) : nullptr;
  if (has_own(cls, COMP)) {
    at = coefficient<COMP>(s, cls, extra) + z0;
    cb = *(const vec *)at;
  }
  vec curl = d1.finish(s, cls, u, v, z0, nz), second = d2.finish(s, cls, u, v, z0, nz);
#pragma unroll
  for (int k = 0; k < V; k++) curl.at[k] -= second.at[k];
  const bool poles = !h && (cls & TOR_COL_POLES);
  if (poles)
#pragma unroll
    for (int k = 0; k < V; k++)
      if (z0 + k < nz) curl.at[k] = poles_before(s, *extra, COMP, z0 + k, f.at[k], curl.at[k]);
  if (is_lossy(cls, COMP)) {
    const vec ca1 = *(const vec *)(has_own(cls, COMP) ? at + (tor_gidx)3 * s.nzp : s.ca1 + (tor_gidx)COMP * s.nzp + z0);
#pragma unroll
    for (int k = 0; k < V; k++) f.at[k] = tor_advance_lossy(f.at[k], ca1.at[k], cb.at[k], curl.at[k]);
  } else {
#pragma unroll
    for (int k = 0; k < V; k++) f.at[k] = tor_advance(f.at[k], cb.at[k], curl.at[k]);
  }
  if (cls & TOR_COL_INJECT)
#pragma unroll
    for (int k = 0; k < V; k++)
      if (z0 + k < nz) f.at[k] = inject(s, *extra, COMP, step, z0 + k, cb.at[k], f.at[k]);
  if (!h && comp_axis(COMP) != TOR_Z && z0 == 0 && !s.pmc[TOR_ZLO]) f.at[0] = 0;
  if (poles)
#pragma unroll
    for (int k = 0; k < V; k++)
      if (z0 + k < nz) poles_after(s, *extra, COMP, z0 + k, f.at[k]);
  if (cls & TOR_COL_RECORD)
#pragma unroll
    for (int k = 0; k < V; k++)
      if (z0 + k < nz) record(s, *extra, COMP, step, z0 + k, f.at[k]);
  store_values(field, f, nz - z0);
}

/* New values of COMP at (u, v) in a plain column away from the walls. */
template <int ORDER, int COMP> POINT_FN vec advance_plain(const tor_gpu_view &s, int u, int v, int z0) {
  difference<ORDER, COMP, 0, true> d1;
  difference<ORDER, COMP, 1, true> d2;
  d1.load(s, u, v, z0);
  d2.load(s, u, v, z0);
  vec f = *(const vec *)(s.field + (column_of(s, u, v) * TOR_NCOMP + COMP) * s.nzp + z0),
      cb = *(const vec *)(s.cb + (tor_gidx)COMP * s.nzp + z0);
  vec curl = d1.finish(s, 0, u, v, z0, s.n[2]), second = d2.finish(s, 0, u, v, z0, s.n[2]);
#pragma unroll
  for (int k = 0; k < V; k++) f.at[k] = tor_advance(f.at[k], cb.at[k], curl.at[k] - second.at[k]);
  if (!comp_is_h(COMP) && comp_axis(COMP) != TOR_Z && z0 == 0) f.at[0] = 0;
  return f;
}

/* Energy of one component of a column by one warp, in the order of the CPU's energy_along_z. */
template <int COMP> POINT_FN void sum_energy(const tor_gpu_view &s, int u, int v) {
  tor_gidx column = column_of(s, u, v);
  const real *cb = coefficient<COMP>(s, s.cls[column], extra_of(s, column));
  const real *f = s.field + (column * TOR_NCOMP + COMP) * s.nzp;
  int lane = threadIdx.x % 32, nz = points_z<COMP>(s);
  double sum = 0;
  for (int z = lane; z < nz; z += 32) {
    double value = (double)f[z];
    sum = __fma_rn(value * value, 1.0 / (double)cb[z], sum);
  }
  for (int width = 16; width; width /= 2) sum += __shfl_down_sync(~0u, sum, width);
  if (lane == 0) s.energy[column * TOR_NCOMP + COMP] = sum;
}

#endif
