/* Poles, injections, nodes and monitors of V values along z, which a thread has of a column: each list is read once for
 * all of them, and what they load does not wait for one another. Value by value, the operations of point.cuh and
 * nodes.cuh in the same order. */
#ifndef TOR_DIAMOND_GPU_STEPWISE_SITE_EXTRAS_CUH
#define TOR_DIAMOND_GPU_STEPWISE_SITE_EXTRAS_CUH

#include "diamond/gpu/view/nodes.cuh"
#include "diamond/gpu/view/point.cuh"

/* Which of the values z0 .. z0 + V - 1 below nz belong to a range of `count` values from `first` on; value k is number
 * at + k of the range. */
struct values_in_range {
  int at, lo, hi; /* k of the first one, and behind the last one; none: lo >= hi */
  __device__ __forceinline__ values_in_range(int z0, int nz, int first, int count)
      : at(z0 - first), lo(max(first - z0, 0)), hi(min((int)V, min(nz, first + count) - z0)) {}
  __device__ __forceinline__ bool any() const { return lo < hi; }
  __device__ __forceinline__ bool has(int k) const { return k >= lo && k < hi; }
};

/* Currents and polarisations of a pole at the values that are in the range. */
struct pole_values {
  real of[V][2];
  __device__ __forceinline__ void load(const values_in_range &range, const real *j, int pitch, bool has_p) {
#pragma unroll
    for (int k = 0; k < V; k++) {
      of[k][0] = range.has(k) ? j[k] : (real)0;
      of[k][1] = has_p && range.has(k) ? j[pitch + k] : (real)0;
    }
  }
  __device__ __forceinline__ void store(const values_in_range &range, real *j, int pitch, bool has_p) const {
#pragma unroll
    for (int k = 0; k < V; k++)
      if (range.has(k)) {
        j[k] = of[k][0];
        if (has_p) j[pitch + k] = of[k][1];
      }
  }
};

/* poles_before of point.cuh: e is the field before the step, curl becomes that without the currents of the poles. */
POINT_FN void poles_before(const tor_gpu_view &s, const tor_extra &extra, int comp, int z0, int nz, const vec &e,
                           vec &curl) {
  for (int i = extra.run[comp]; i < extra.run[comp + 1]; i++) {
    const tor_pole_range run = s.run[i];
    const values_in_range range(z0, nz, run.z0, run.nz);
    if (!range.any()) continue;
    const tor_gpu_dispersion d = s.dispersion[run.dispersion];
    const int pitch = run.pitch, at = tor_pole_range_lead(&run) + range.at;
    const real *const weight = s.weight + run.weight + at;
    real *j = s.state + run.state + at, *const charge = j + (tor_gidx)d.nstate * pitch;
    real w[V], own[V], q[V], sum[V];
#pragma unroll
    for (int k = 0; k < V; k++) {
      w[k] = range.has(k) ? weight[k] : (real)0;
      q[k] = run.branch && range.has(k) ? charge[k] : (real)0;
      own[k] = run.branch && range.has(k) ? tor_branch_field(weight[pitch + k], e.at[k], q[k]) : e.at[k];
      sum[k] = 0;
    }
    for (int p = 0; p < d.npoles; p++) {
      const tor_gpu_pole pole = s.pole[d.first + p];
      pole_values values;
      values.load(range, j, pitch, pole.has_p);
#pragma unroll
      for (int k = 0; k < V; k++) sum[k] += pole_before(s, pole, comp, w[k], own[k], values.of[k], 1);
      values.store(range, j, pitch, pole.has_p);
      j += pitch * (1 + pole.has_p);
    }
#pragma unroll
    for (int k = 0; k < V; k++)
      if (range.has(k)) {
        if (run.branch) {
          charge[k] = tor_branch_charge(q[k], weight[2 * pitch + k], sum[k]);
          sum[k] = tor_branch_current(weight[3 * pitch + k], sum[k]);
        }
        curl.at[k] -= sum[k];
      }
  }
}

/* poles_after of point.cuh, with the new field. */
POINT_FN void poles_after(const tor_gpu_view &s, const tor_extra &extra, int comp, int z0, int nz, const vec &e) {
  for (int i = extra.run[comp]; i < extra.run[comp + 1]; i++) {
    const tor_pole_range run = s.run[i];
    const values_in_range range(z0, nz, run.z0, run.nz);
    if (!range.any()) continue;
    const tor_gpu_dispersion d = s.dispersion[run.dispersion];
    if (!d.implicit) continue;
    const int pitch = run.pitch, at = tor_pole_range_lead(&run) + range.at;
    const real *const weight = s.weight + run.weight + at;
    real *j = s.state + run.state + at, w[V];
#pragma unroll
    for (int k = 0; k < V; k++) w[k] = range.has(k) ? weight[k] : (real)0;
    for (int p = 0; p < d.npoles; p++) {
      const tor_gpu_pole pole = s.pole[d.first + p];
      if (pole.implicit) {
        pole_values values;
        values.load(range, j, pitch, true);
#pragma unroll
        for (int k = 0; k < V; k++) {
          real *const value = values.of[k];
          value[0] = tor_pole_drive(value[0], w[k], pole.k4[comp], e.at[k]);
          value[1] = tor_pole_polarisation(s.dt, value[0], value[1]);
        }
        values.store(range, j, pitch, true);
      }
      j += pitch * (1 + pole.has_p);
    }
  }
}

POINT_FN void inject(const tor_gpu_view &s, const tor_extra &extra, int comp, int step, int z0, int nz, const vec &cb,
                     vec &f) {
  for (int i = extra.inject[comp]; i < extra.inject[comp + 1]; i++) {
    const struct tor_inject in = s.inject[i];
    const values_in_range range(z0, nz, in.z0, in.nz);
    if (!range.any()) continue;
    const real *const row = inject_row(s, in, step);
#pragma unroll
    for (int k = 0; k < V; k++)
      if (range.has(k)) f.at[k] = inject_point(s, in, row, range.at + k, cb.at[k], f.at[k]);
  }
}

POINT_FN void inject_nodes(const tor_gpu_view &s, int comp, tor_gidx column, int z0, int nz, const vec &cb, vec &f) {
  for (int end = 0; end < 2; end++) {
    const tor_gidx there = column_at_end(s, column, comp, end);
    const node_run at = nodes_of(s, there);
    const bool around = end && comp != TOR_EZ && there <= column;
#pragma unroll
    for (int k = 0; k < V; k++)
      if (z0 + k < nz) f.at[k] = inject_nodes<false>(s, at, comp, end, around, z0 + k, cb.at[k], f.at[k]);
  }
}

POINT_FN void record(const tor_gpu_view &s, const tor_extra &extra, int comp, int step, int z0, int nz, const vec &f) {
  for (int i = extra.record[comp]; i < extra.record[comp + 1]; i++) {
    const tor_record rec = s.record[i];
    const values_in_range range(z0, nz, rec.z0, rec.nz);
    if (!range.any()) continue;
    const tor_gpu_group group = s.group[rec.group];
    const int sample = group.sample[step];
    if (sample < 0) continue;
#pragma unroll
    for (int k = 0; k < V; k++)
      if (range.has(k)) store_sample(group, sample, rec.offset + range.at + k, f.at[k]);
  }
}

#endif
