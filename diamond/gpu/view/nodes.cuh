/* Surface nodes (update.h) on the GPU, for all engines: the counterpart of diamond/cpu/node.c. A node's state lies in
 * device memory and is read past the first-level cache, since another tower may have written it. */
#ifndef TOR_DIAMOND_GPU_VIEW_NODES_CUH
#define TOR_DIAMOND_GPU_VIEW_NODES_CUH

#include "diamond/gpu/view/lattice.cuh"

/* A column's run of nodes: values of state and weight at its z0; nz 0: it has none. */
struct node_run {
  int z0, nz, pitch;
  real *state;
  const real *weight;
};
POINT_FN node_run nodes_of(const tor_gpu_view &s, tor_gidx column) {
  if (!(s.cls[column] & TOR_COL_NODES)) return {0, 0, 0, nullptr, nullptr};
  const tor_pole_range &run = s.run[s.extra[s.extra_id[column]].run[3]];
  const int lead = tor_pole_range_lead(&run);
  return {run.z0, run.nz, run.pitch, s.state + run.state + lead, s.weight + run.weight + lead};
}

/* Along one axis, the node that goes with a site at `at`: its own, or that on the PEC beside it; -1: none. */
POINT_FN int node_with(const tor_gpu_view &s, int axis, int at) {
  if (!(at & 1)) return at;
  if (at == 1 && s.first[axis] == 1) return 0;
  return at + 1 == 2 * s.n[axis] && s.last[axis] == at ? at + 1 : -1;
}

/* Advances the node at (u, v), k of its run. e_at(comp, u, v, z): E there, within the domain. */
template <class At>
POINT_FN void advance_node(const tor_gpu_view &s, const node_run &run, int u, int v, int k, const At &e_at) {
  const int z = run.z0 + k, end[3] = {2 * s.n[0], 2 * s.n[1], s.n[2]};
  const bool on_x = (u == 0 && s.first[0] == 1) || (u == end[0] && s.last[0] + 1 == u),
             on_y = (v == 0 && s.first[1] == 1) || (v == end[1] && s.last[1] + 1 == v),
             on_z = (z == 0 && !s.pmc[TOR_ZLO]) || (z == end[2] && !s.pmc[TOR_ZHI]);
  real f[3] = {0, 0, 0}; /* on a PEC only the field across it */
  if (!s.plane && !on_y && !on_z) {
    const real above = e_at(TOR_EX, u < end[0] ? u + 1 : u - 1, v, z),
               below = e_at(TOR_EX, u > 0 ? u - 1 : u + 1, v, z);
    f[0] = tor_node_mean(s.node_in[0], u == 0 && s.pmc[TOR_XLO] ? -below : below,
                         u == end[0] && s.pmc[TOR_XHI] ? -above : above);
  }
  if (!on_x && !on_z) {
    const real above = e_at(TOR_EY, u, v < end[1] ? v + 1 : v - 1, z),
               below = e_at(TOR_EY, u, v > 0 ? v - 1 : v + 1, z);
    f[1] = tor_node_mean(s.node_in[1], v == 0 && s.pmc[TOR_YLO] ? -below : below,
                         v == end[1] && s.pmc[TOR_YHI] ? -above : above);
  }
  if (!on_x && !on_y) {
    const real above = e_at(TOR_EZ, u, v, z < end[2] ? z : z - 1), below = e_at(TOR_EZ, u, v, z > 0 ? z - 1 : z);
    f[2] = tor_node_mean(s.node_in[2], z == 0 && s.pmc[TOR_ZLO] ? -below : below,
                         z == end[2] && s.pmc[TOR_ZHI] ? -above : above);
  }
  const real *weight = run.weight + k;
  const real n[3] = {weight[0], weight[run.pitch], weight[2 * run.pitch]}, g = weight[3 * run.pitch];
  const real across = tor_node_across(n[0], n[1], n[2], f[0], f[1], f[2]);
#pragma unroll
  for (int a = 0; a < 3; a++) {
    real *const j = run.state + a * run.pitch + k, *const p = run.state + (3 + a) * run.pitch + k;
    const real before = __ldcg(p);
    const real current = tor_node_current(__ldcg(j), before, g * s.node_out[a], s.node_restore, n[a], across, f[a]);
    *j = current;
    *p = tor_pole_polarisation(s.dt, current, before);
  }
}

/* E in device memory. */
struct field_in_memory {
  const tor_gpu_view &s;
  __device__ __forceinline__ real operator()(int comp, int u, int v, int z) const {
    return __ldcg(s.field + vector_of(s, column_of(s, u, v), comp) + z);
  }
};

/* The nodes at one end of component comp's edges at (u, v), along whose axis the sites lie at u +- 1, v +- 1. */
POINT_FN node_run nodes_at_end(const tor_gpu_view &s, int comp, int u, int v, int end) {
  return nodes_of(s, column_of(s, u, v) + (comp == TOR_EX ? end * s.stride : comp == TOR_EY ? end : 0));
}
/* A value f of E at z, advanced with cb, without the current of the nodes at one end. */
POINT_FN real inject_nodes(const node_run &run, int comp, int end, int z, real cb, real f) {
  const int k = z + (comp == TOR_EZ && end) - run.z0;
  return k < 0 || k >= run.nz ? f : tor_inject(f, cb, -__ldcg(run.state + comp * run.pitch + k));
}
POINT_FN real inject_nodes(const tor_gpu_view &s, int comp, int u, int v, int z, real cb, real f) {
#pragma unroll 1
  for (int end = 0; end < 2; end++) f = inject_nodes(nodes_at_end(s, comp, u, v, end), comp, end, z, cb, f);
  return f;
}
/* Whether a column's E of component comp has nodes beside values z0 to past - 1. */
POINT_FN bool has_nodes_beside(const tor_gpu_view &s, tor_gidx column, int comp, int z0, int past) {
  const tor_gidx at = column - s.origin;
  if ((comp == TOR_EX && at / s.stride >= s.n[0]) || (comp == TOR_EY && at % s.stride >= s.n[1]))
    return false; /* beyond the last edge */
  for (int end = 0; end < 2; end++) {
    const node_run run = nodes_of(s, column + (comp == TOR_EX ? end * s.stride : comp == TOR_EY ? end : 0));
    const int first = run.z0 - (comp == TOR_EZ && end);
    if (run.nz && first < past && first + run.nz > z0) return true;
  }
  return false;
}

#endif
