/* V values along z of a run's poles, as a lane of any tower advances them: the arithmetic, in the order of site.c, and
 * the arrays of charged runs. Addresses and the order of loads differ between the families (reg_special_work.cuh,
 * smem_poles.cuh). */
#ifndef TOR_DIAMOND_GPU_TOWER_POLE_VECTOR_CUH
#define TOR_DIAMOND_GPU_TOWER_POLE_VECTOR_CUH

#include "diamond/gpu/tower/tower_ptx.cuh"
#include "diamond/gpu/view/point.cuh"

/* Advances J and P of an explicit pole in field e, of a run's weights `share`, and adds the new J to sum. A pole
 * without P has k2 = 0 and P = -0, which change nothing. */
POINT_FN void advance_pole(real dt, real k1, real k2, real k3, const vec &share, const vec &e, vec &j, vec &p,
                           vec &sum) {
#pragma unroll
  for (int k = 0; k < V; k++) {
    j.at[k] = tor_pole_drive(tor_pole_current(k1, k2, j.at[k], p.at[k]), share.at[k], k3, e.at[k]);
    p.at[k] = tor_pole_polarisation(dt, j.at[k], p.at[k]);
    sum.at[k] += j.at[k];
  }
}
POINT_FN vec no_polarisation() {
  vec p;
#pragma unroll
  for (int k = 0; k < V; k++) p.at[k] = (real)-0.0;
  return p;
}

/* The branch in series with a charged run's poles: its charge and its three weights (slab.h); for other runs, values
 * with which the results have the same bits. */
struct pole_branch {
  vec charge, a, g, r;

  /* By the lanes that are `on`. */
  __device__ __forceinline__ void load(bool on, const real *charge_at, const real *a_at, const real *g_at,
                                       const real *r_at) {
    g = charge = {};
#pragma unroll
    for (int k = 0; k < V; k++) a.at[k] = r.at[k] = 1;
    load_values_if(on, charge_at, charge);
    load_values_if(on, a_at, a);
    load_values_if(on, g_at, g);
    load_values_if(on, r_at, r);
  }
  /* The poles' field, where e is that of the site. */
  __device__ __forceinline__ vec field(const vec &e) const {
    vec own;
#pragma unroll
    for (int k = 0; k < V; k++) own.at[k] = tor_branch_field(a.at[k], e.at[k], charge.at[k]);
    return own;
  }
  /* The branch's current, where sum is that of the poles; advances the charge. */
  __device__ __forceinline__ vec advance(const vec &sum) {
    vec current;
#pragma unroll
    for (int k = 0; k < V; k++) {
      charge.at[k] = tor_branch_charge(charge.at[k], g.at[k], sum.at[k]);
      current.at[k] = tor_branch_current(r.at[k], sum.at[k]);
    }
    return current;
  }
};

#endif
