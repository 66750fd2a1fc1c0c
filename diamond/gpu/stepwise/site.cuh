/* Sites of the lattice on the GPU with everything that acts on them: the counterpart of site.c. A thread has the V
 * values along z that make 16 bytes; the decisions that hold for a whole column are then made once for them.
 *
 * Ghost values behind the walls are reflected on the fly. Those in memory, which the CPU engines read, are set once at
 * the end of a run. */
#ifndef TOR_DIAMOND_GPU_STEPWISE_SITE_CUH
#define TOR_DIAMOND_GPU_STEPWISE_SITE_CUH

#include "diamond/gpu/stepwise/site_extras.cuh"

/* Component OF, `shift` half cells along x or y from (u, v), at z0; its ghost value changes sign behind some walls.
 * PLAIN: no wall is near. */
template <int OF, int AXIS, bool PLAIN> POINT_FN vec vector_at(const tor_gpu_view &s, int u, int v, int z0, int shift) {
  int at = (AXIS == TOR_X ? u : v) + shift, end = 2 * s.n[AXIS];
  bool negative = false;
  int around = 0; /* periods */
  if (!PLAIN && s.periodic[AXIS]) {
    around = (at + 2 * end) / end - 2;
    at -= around * end;
  } else if (!PLAIN)
    while (at < 0 || at > end) {
      negative ^= (s.pmc[2 * AXIS + (at > 0)] != 0) == comp_is_h(OF);
      at = at < 0 ? -at : 2 * end - at;
    }
  tor_gidx column = AXIS == TOR_X ? column_of(s, at, v) : column_of(s, u, at);
  const tor_gidx place = vector_of(s, column, OF) + z0;
  vec value = *(const vec *)(s.field + place);
  if (!PLAIN && around && s.other_field) {
    const vec other = *(const vec *)(s.other_field + place);
#pragma unroll
    for (int k = 0; k < V; k++) value.at[k] = across_seam(s, AXIS, around, value.at[k], other.at[k]);
  }
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

  /* Values beyond the ends of periodic z, the first of which is at `first`. */
  __device__ __forceinline__ void wrap(const tor_gpu_view &s, const real *first, int z0) {
    const int n = s.n[2];
#pragma unroll
    for (int k = -2; k < V + 2; k++) {
      const int z = z0 + k, around = (z + 2 * n) / n - 2;
      if (!around) continue;
      const real *const at = first + (z - around * n);
      (*this)[k] = s.other_field ? across_seam(s, TOR_Z, around, *at, s.other_field[at - s.field]) : *at;
    }
  }

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
    if (s.periodic[TOR_Z]) {
      wrap(s, p - z0, z0);
    } else if (IS_H) {
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

/* The first (WHICH = 0) or second difference of COMP's curl: loaded, then stretched where CPML acts, so that the loads
 * of both differences and of their factors overlap. */
template <int ORDER, int COMP, int WHICH, bool PLAIN> struct difference {
  static constexpr int AXIS = curl_axis(COMP, WHICH), OF = curl_of(COMP, WHICH);
  vec a, b, c, d;
  row<ORDER, comp_is_h(OF)> r;

  __device__ __forceinline__ void load(const tor_gpu_view &s, int u, int v, int z0) {
    if (AXIS == TOR_Z) {
      r.load(s, s.field + vector_of(s, column_of(s, u, v), OF) + z0, z0);
      return;
    }
    if (AXIS == TOR_X && s.plane) {
      a = b = c = d = vec{};
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
    /* A lower CPML as thick as the slab ends with the half cells: a node on the upper wall lies outside, its row may be
     * unaligned. */
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

/* Half a step of the values z0 .. z0 + V - 1 of COMP at (u, v); does nothing outside the slab. */
template <int ORDER, int COMP> POINT_FN void advance_site(const tor_gpu_view &s, int step, int u, int v, int z0) {
  constexpr bool h = comp_is_h(COMP);
  const int nz = points_z<COMP>(s);
  if (z0 >= nz || !inside(s, u, v)) return;
  /* Values that do not depend on the column's class are loaded first. */
  const tor_gidx column = column_of(s, u, v);
  const unsigned cls = s.cls[column];
  real *field = s.field + vector_of(s, column, COMP) + z0;
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
  if (poles) poles_before(s, *extra, COMP, z0, nz, f, curl);
  if (is_lossy(cls, COMP)) {
    const vec ca1 = *(const vec *)(has_own(cls, COMP) ? at + (tor_gidx)3 * s.nzp : s.ca1 + (tor_gidx)COMP * s.nzp + z0);
#pragma unroll
    for (int k = 0; k < V; k++) f.at[k] = tor_advance_lossy(f.at[k], ca1.at[k], cb.at[k], curl.at[k]);
  } else {
#pragma unroll
    for (int k = 0; k < V; k++) f.at[k] = tor_advance(f.at[k], cb.at[k], curl.at[k]);
  }
  if (!h && cls & TOR_COL_AT_NODES) inject_nodes(s, COMP, column, z0, nz, cb, f);
  if (cls & TOR_COL_INJECT) inject(s, *extra, COMP, step, z0, nz, cb, f);
  if (!h && comp_axis(COMP) != TOR_Z && z0 == 0 && !s.pmc[TOR_ZLO] && !s.periodic[TOR_Z]) f.at[0] = 0;
  if (poles) poles_after(s, *extra, COMP, z0, nz, f);
  if (cls & TOR_COL_RECORD) record(s, *extra, COMP, step, z0, nz, f);
  store_values(field, f, nz - z0);
}

/* The nodes z0 .. z0 + V - 1 of the column at (u, v). */
POINT_FN void advance_nodes(const tor_gpu_view &s, int u, int v, int z0) {
  const node_run run = nodes_of(s, column_of(s, u, v));
  for (int z = max(z0, run.z0); z < min(z0 + V, run.z0 + run.nz); z++)
    advance_node(s, run, u, v, z, field_in_memory{s});
}

/* New values of COMP at (u, v) in a plain column away from the walls. */
template <int ORDER, int COMP> POINT_FN vec advance_plain(const tor_gpu_view &s, int u, int v, int z0) {
  difference<ORDER, COMP, 0, true> d1;
  difference<ORDER, COMP, 1, true> d2;
  d1.load(s, u, v, z0);
  d2.load(s, u, v, z0);
  vec f = *(const vec *)(s.field + vector_of(s, column_of(s, u, v), COMP) + z0),
      cb = *(const vec *)(s.cb + (tor_gidx)COMP * s.nzp + z0);
  vec curl = d1.finish(s, 0, u, v, z0, s.n[2]), second = d2.finish(s, 0, u, v, z0, s.n[2]);
#pragma unroll
  for (int k = 0; k < V; k++) f.at[k] = tor_advance(f.at[k], cb.at[k], curl.at[k] - second.at[k]);
  if (!comp_is_h(COMP) && comp_axis(COMP) != TOR_Z && z0 == 0 && !s.periodic[TOR_Z]) f.at[0] = 0;
  return f;
}

/* Energy of one component of a column, of its values from z0 to past - 1, by one warp, in the order of the CPU's
 * energy_along_z; the sum is lane 0's. */
template <int COMP> POINT_FN double energy_along_z(const tor_gpu_view &s, tor_gidx column, int z0, int past) {
  const real *cb = coefficient<COMP>(s, s.cls[column], extra_of(s, column));
  const real *f = s.field + vector_of(s, column, COMP);
  double sum = 0;
  for (int z = z0 + (int)threadIdx.x % 32; z < past; z += 32) {
    double value = (double)f[z];
    if (cb[z] == 0) continue; /* a perfect conductor */
    sum = __fma_rn(value * value, 1.0 / (double)cb[z], sum);
  }
  for (int width = 16; width; width /= 2) sum += __shfl_down_sync(~0u, sum, width);
  return sum;
}
template <int COMP> POINT_FN void sum_energy(const tor_gpu_view &s, int u, int v) {
  const tor_gidx column = column_of(s, u, v);
  const double sum = energy_along_z<COMP>(s, column, 0, points_z<COMP>(s));
  double *const to = s.energy + (column * TOR_NCOMP + COMP);
  if (threadIdx.x % 32 == 0) *to = s.imaginary ? *to + sum : sum;
}

#endif
