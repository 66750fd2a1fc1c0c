/* Surface nodes as towers advance them: V values along z that hold nodes at a time, with all loads at once. The same
 * operations as in view/nodes.cuh, which the stepwise engine uses. */
#ifndef TOR_DIAMOND_GPU_TOWER_NODE_VECTOR_CUH
#define TOR_DIAMOND_GPU_TOWER_NODE_VECTOR_CUH

#include "diamond/gpu/tower/tower_ptx.cuh"
#include "diamond/gpu/tower/tower_sync.cuh"
#include "diamond/gpu/view/nodes.cuh"

/* E along an axis at V nodes, from the edges below and above them. */
struct vec_pair {
  vec mean, difference; /* half of it */
};

/* E along z at V nodes from z on, where `own` is E there and `under` the value below the first. */
POINT_FN vec_pair pair_along_z(const tor_gpu_view &s, int z, const vec &own, real under) {
  const int n = s.n[2];
  vec_pair pair;
#pragma unroll
  for (int k = 0; k < V; k++) {
    real below = k ? own.at[k - 1] : under, above = own.at[k];
    if (k == 0 && z == 0 && !s.periodic[TOR_Z]) below = s.pmc[TOR_ZLO] ? -above : above;
    if (z + k == n) above = s.pmc[TOR_ZHI] ? -below : below;
    pair.mean.at[k] = tor_node_mean(s.node_in[2], below, above);
    pair.difference.at[k] = tor_node_difference(s.node_in[2], below, above);
  }
  return pair;
}

/* E along x or y at V nodes from z on, from the edges below and above (u, v). */
POINT_FN vec_pair pair_across(const tor_gpu_view &s, int axis, int node, int z, const vec &below, const vec &above) {
  const bool turns_below = node == 0 && s.pmc[2 * axis], turns_above = node == 2 * s.n[axis] && s.pmc[2 * axis + 1];
  vec_pair pair;
#pragma unroll
  for (int k = 0; k < V; k++) {
    const bool on_wall =
        !s.periodic[TOR_Z] && ((z + k == 0 && !s.pmc[TOR_ZLO]) || (z + k == s.n[2] && !s.pmc[TOR_ZHI]));
    const real before = turns_below ? -below.at[k] : below.at[k], behind = turns_above ? -above.at[k] : above.at[k];
    pair.mean.at[k] = tor_node_mean(s.node_in[axis], before, behind);
    pair.difference.at[k] = tor_node_difference(s.node_in[axis], before, behind);
    if (on_wall) pair.mean.at[k] = pair.difference.at[k] = 0; /* on a PEC only the field across it */
  }
  return pair;
}

/* E along `axis` at the V nodes from z on of the column at (u, v); z: a multiple of V. field.values(comp, u, v,
 * z): V values of E; field.below(u, v, z): Ez below z > 0; Field::SEGMENTS: z has some (tor_slab.segments);
 * Field::BLOCH: values below a period are turned. Lanes that are not `on` load nothing. */
template <class Field>
POINT_FN vec_pair node_pair(const tor_gpu_view &s, bool on, int axis, int u, int v, int z, const Field &field) {
  const bool on_x = (u == 0 && s.first[0] == 1) || (u == 2 * s.n[0] && s.last[0] + 1 == u),
             on_y = (v == 0 && s.first[1] == 1) || (v == 2 * s.n[1] && s.last[1] + 1 == v);
  if (!on || (axis != TOR_X && on_x) || (axis != TOR_Y && on_y)) return vec_pair{};
  if (axis == TOR_Z) {
    const int under = Field::SEGMENTS ? (z % s.pitch ? z : z + s.period) : z > 0 ? z : s.periodic[TOR_Z] ? s.n[2] : 1;
    const vec own = field.values(TOR_EZ, u, v, z);
    real before = field.below(u, v, under);
    if constexpr (Field::BLOCH)
      if (z == 0 && s.periodic[TOR_Z]) field.turn_below(u, v, under, before);
    return pair_along_z(s, z, own, before);
  }
  const int node = axis == TOR_X ? u : v, lower = edge_below(s, axis, node),
            upper = node < 2 * s.n[axis] ? node + 1 : node - 1;
  const bool x = axis == TOR_X;
  vec below = field.values(TOR_EX + axis, x ? lower : u, x ? v : lower, z);
  const vec above = field.values(TOR_EX + axis, x ? upper : u, x ? v : upper, z);
  if constexpr (Field::BLOCH)
    if (!x && node == 0 && s.periodic[TOR_Y]) field.turn_values(TOR_EY, u, lower, z, below);
  return pair_across(s, axis, node, z, below, above);
}

/* Nodes of dielectrics. */
template <class Field>
POINT_FN void advance_node_vector(const tor_gpu_view &s, bool on, const node_run &run, int u, int v, int z,
                                  const Field &field) {
  real *const state = node_state(run, z);
  const real *const weight = node_weight(run, z);
  vec n[3], g = {}, j[3], p[3], f[3];
#pragma unroll
  for (int a = 0; a < 3; a++) {
    n[a] = j[a] = p[a] = {};
    load_values_if(on, weight + a * run.pitch, n[a]);
    load_written_values_if(on, state + a * run.pitch, j[a]);
    load_written_values_if(on, state + (3 + a) * run.pitch, p[a]);
  }
  load_values_if(on, weight + 3 * run.pitch, g);
#pragma unroll
  for (int a = 0; a < 3; a++) f[a] = node_pair(s, on, a, u, v, z, field).mean;
#pragma unroll
  for (int k = 0; k < V; k++) {
    const real across = tor_node_across(n[0].at[k], n[1].at[k], n[2].at[k], f[0].at[k], f[1].at[k], f[2].at[k]);
#pragma unroll
    for (int a = 0; a < 3; a++) {
      const real current = tor_node_current(j[a].at[k], p[a].at[k], g.at[k] * s.node_out[a], s.node_restore, n[a].at[k],
                                            across, f[a].at[k]);
      if (g.at[k] == 0) continue; /* between nodes; J, P stay 0 */
      j[a].at[k] = current;
      p[a].at[k] = tor_pole_polarisation(s.dt, current, p[a].at[k]);
    }
  }
#pragma unroll
  for (int a = 0; a < 3; a++) {
    store_values_if(on, state + a * run.pitch, j[a]);
    store_values_if(on, state + (3 + a) * run.pitch, p[a]);
  }
}

/* Nodes of media with a full tensor, a Kerr effect, magnetised poles or of second order, which have WEIGHTS weights. */
template <int WEIGHTS, class Field>
POINT_FN void advance_weighted_vector(const tor_gpu_view &s, bool on, const node_run &run, int u, int v, int z,
                                      const Field &field) {
  real *const state = node_state(run, z);
  const real *const weight = node_weight(run, z);
  vec w[WEIGHTS], j[3], p[3], f[3];
#pragma unroll
  for (int i = 0; i < WEIGHTS; i++) {
    w[i] = {};
    load_values_if(on, weight + i * run.pitch, w[i]);
  }
#pragma unroll
  for (int a = 0; a < 3; a++) {
    j[a] = p[a] = {};
    load_written_values_if(on, state + a * run.pitch, j[a]);
    load_written_values_if(on, state + (3 + a) * run.pitch, p[a]);
  }
#pragma unroll
  for (int a = 0; a < 3; a++) f[a] = node_pair(s, on, a, u, v, z, field).mean;
#pragma unroll
  for (int k = 0; k < V; k++) {
    real own[WEIGHTS], mean[3], jk[3], pk[3];
#pragma unroll
    for (int i = 0; i < WEIGHTS; i++) own[i] = w[i].at[k];
#pragma unroll
    for (int a = 0; a < 3; a++) {
      mean[a] = f[a].at[k];
      jk[a] = j[a].at[k];
      pk[a] = p[a].at[k];
    }
    if (is_node(own)) advance_point(s, own, mean, jk, pk);
#pragma unroll
    for (int a = 0; a < 3; a++) {
      j[a].at[k] = jk[a];
      p[a].at[k] = pk[a];
    }
  }
#pragma unroll
  for (int a = 0; a < 3; a++) {
    store_values_if(on, state + a * run.pitch, j[a]);
    store_values_if(on, state + (3 + a) * run.pitch, p[a]);
  }
}

/* Such nodes of a run. */
template <class Field>
POINT_FN void advance_medium_vector(const tor_gpu_view &s, bool on, const node_run &run, int u, int v, int z,
                                    const Field &field) {
  if (run.metal == TOR_FULL_NODES)
    advance_weighted_vector<TOR_FULL_WEIGHTS>(s, on, run, u, v, z, field);
  else if (run.metal == TOR_CHI2_NODES)
    advance_weighted_vector<TOR_CHI2_WEIGHTS>(s, on, run, u, v, z, field);
  else
    advance_weighted_vector<TOR_TENSOR_WEIGHTS>(s, on, run, u, v, z, field);
}

/* Nodes of a run with metals: three lanes advance V of them, one an axis, so that a warp has NODE_SLOTS such vectors.
 */
enum { NODE_SLOTS = WARP / 3 };
POINT_FN int node_axis(int lane) { return min(lane / NODE_SLOTS, 2); }

/* tor_node_across of V nodes, whose components the three lanes hold. */
POINT_FN vec across_lanes(int slot, const vec (&n)[3], const vec &x) {
  vec across;
#pragma unroll
  for (int k = 0; k < V; k++) {
    real at[3];
#pragma unroll
    for (int a = 0; a < 3; a++) at[a] = __shfl_sync(~0u, x.at[k], a * NODE_SLOTS + slot);
    across.at[k] = tor_node_across(n[0].at[k], n[1].at[k], n[2].at[k], at[0], at[1], at[2]);
  }
  return across;
}

/* Coefficients of the pole `number` of a node's medium (1 + its dispersion), along an axis. */
struct node_pole {
  real k1, k2, k3;
};
POINT_FN node_pole node_pole_of(const tor_gpu_view &s, real medium, int number, int axis) {
  const int d = (int)medium - 1;
  if (d < 0 || number >= s.dispersion[d].npoles) return {0, 0, 0};
  const tor_gpu_pole &pole = s.pole[s.dispersion[d].first + number];
  return {pole.k1, pole.k2, pole.k3[axis]};
}

/* The poles of V nodes along an axis. f, g: what drives P and Q; sum, slope: of their currents J, I; state: J of the
 * oscillator along the axis. */
POINT_FN void advance_node_poles(const tor_gpu_view &s, bool on, const node_run &run, real *state, int axis,
                                 const vec &share, const vec &medium, const vec (&f)[2], vec (&sum)[2]) {
  enum { AT_ONCE = 2 }; /* poles */
  real first = 0;       /* the medium of the first node; `mixed`: others have another one */
  bool mixed = false;
#pragma unroll
  for (int k = 0; k < V; k++) {
    if (share.at[k] != 0 && first == 0) first = medium.at[k];
  }
#pragma unroll
  for (int k = 0; k < V; k++) mixed |= share.at[k] != 0 && medium.at[k] != first;
#pragma unroll 1
  for (int i = 0; i < run.metal; i += AT_ONCE) {
    vec js[AT_ONCE][2], ps[AT_ONCE][2];
    node_pole pole[AT_ONCE];
    real *const at = state + TOR_POLE_STATE * (1 + i) * METAL_ROW;
#pragma unroll
    for (int m = 0; m < AT_ONCE; m++) {
      const bool has = on && i + m < run.metal;
#pragma unroll
      for (int q = 0; q < 2; q++) {
        js[m][q] = ps[m][q] = {};
        load_written_values_if(has, at + (TOR_POLE_STATE * m + 6 * q) * METAL_ROW, js[m][q]);
        load_written_values_if(has, at + (TOR_POLE_STATE * m + 6 * q + 3) * METAL_ROW, ps[m][q]);
      }
      pole[m] = node_pole_of(s, first, i + m, axis);
    }
#pragma unroll
    for (int m = 0; m < AT_ONCE; m++) {
      if (i + m >= run.metal) break;
#pragma unroll
      for (int k = 0; k < V; k++) {
        if (share.at[k] == 0) continue;
        const node_pole here = mixed ? node_pole_of(s, medium.at[k], i + m, axis) : pole[m];
#pragma unroll
        for (int q = 0; q < 2; q++) {
          const real current = tor_pole_drive(tor_pole_current(here.k1, here.k2, js[m][q].at[k], ps[m][q].at[k]),
                                              s.node_edge[axis], here.k3, f[q].at[k]);
          js[m][q].at[k] = current;
          ps[m][q].at[k] = tor_pole_polarisation(s.dt, current, ps[m][q].at[k]);
          sum[q].at[k] += current;
        }
      }
#pragma unroll
      for (int q = 0; q < 2; q++) {
        store_values_if(on, at + (TOR_POLE_STATE * m + 6 * q) * METAL_ROW, js[m][q]);
        store_values_if(on, at + (TOR_POLE_STATE * m + 6 * q + 3) * METAL_ROW, ps[m][q]);
      }
    }
  }
}

/* Weights of V nodes with metals along a lane's axis. */
struct metal_weights {
  vec n[3], drive, restore, share, along, across, lean, stiff, medium;
};
POINT_FN metal_weights metal_weights_at(bool on, const real *weight, int axis) {
  metal_weights w = {};
#pragma unroll
  for (int a = 0; a < 3; a++) load_values_if(on, weight + a * METAL_ROW, w.n[a]);
  load_values_if(on, weight + TOR_METAL_DRIVE * METAL_ROW, w.drive);
  load_values_if(on, weight + TOR_METAL_RESTORE * METAL_ROW, w.restore);
  load_values_if(on, weight + TOR_METAL_SHARE * METAL_ROW, w.share);
  load_values_if(on, weight + TOR_METAL_ALONG * METAL_ROW, w.along);
  load_values_if(on, weight + TOR_METAL_ACROSS * METAL_ROW, w.across);
  load_values_if(on, weight + (TOR_METAL_LEAN + axis) * METAL_ROW, w.lean);
  load_values_if(on, weight + (TOR_METAL_STIFF + axis) * METAL_ROW, w.stiff);
  load_values_if(on, weight + TOR_METAL_MEDIUM * METAL_ROW, w.medium);
  return w;
}

/* What drives P and Q of V nodes along a lane's axis, in fields e of its edges; y: the fields of P and Q. */
POINT_FN void metal_fields(int slot, int axis, const metal_weights &w, const vec_pair &e, const vec (&y)[2],
                           vec (&f)[2]) {
  vec charge;
#pragma unroll
  for (int k = 0; k < V; k++) charge.at[k] = tor_metal_charge(w.across.at[k], y[0].at[k], w.lean.at[k], y[1].at[k]);
  const vec normal = across_lanes(slot, w.n, e.mean), polar = across_lanes(slot, w.n, y[0]),
            charges = across_lanes(slot, w.n, charge);
#pragma unroll
  for (int k = 0; k < V; k++) {
    const real n = axis == 0 ? w.n[0].at[k] : axis == 1 ? w.n[1].at[k] : w.n[2].at[k];
    f[0].at[k] = tor_metal_field(n, tor_metal_across(w.along.at[k], normal.at[k], charges.at[k]), e.mean.at[k]);
    f[1].at[k] =
        tor_metal_slope(w.along.at[k], n, e.difference.at[k], w.lean.at[k], polar.at[k], w.stiff.at[k], y[1].at[k]);
  }
}

/* All lanes of a warp come here. on: of three lanes alike. */
template <class Field>
POINT_FN void advance_metal_vector(const tor_gpu_view &s, bool on, const node_run &run, int u, int v, int z,
                                   const Field &field) {
  const int lane = threadIdx.x % WARP, slot = lane % NODE_SLOTS, axis = node_axis(lane);
  real *const state = node_state(run, z) + axis * METAL_ROW, *const oscillator = state + TOR_METAL_STATE * METAL_ROW;
  const metal_weights w = metal_weights_at(on, node_weight(run, z), axis);
  vec before[2], j[2], p[2], y[2], sum[2], f[2], above = {}, below = {};
#pragma unroll
  for (int q = 0; q < 2; q++) {
    before[q] = j[q] = p[q] = {};
    load_written_values_if(on, state + (6 + 3 * q) * METAL_ROW, before[q]);
    load_written_values_if(on, oscillator + 6 * q * METAL_ROW, j[q]);
    load_written_values_if(on, oscillator + (6 * q + 3) * METAL_ROW, p[q]);
#pragma unroll
    for (int k = 0; k < V; k++) y[q].at[k] = s.node_field[axis] * before[q].at[k];
  }
  metal_fields(slot, axis, w, node_pair(s, on, axis, u, v, z, field), y, f);
#pragma unroll
  for (int q = 0; q < 2; q++) {
#pragma unroll
    for (int k = 0; k < V; k++) {
      sum[q].at[k] =
          tor_metal_oscillator(j[q].at[k], p[q].at[k], s.node_flux[axis] * w.drive.at[k], w.restore.at[k], f[q].at[k]);
      if (w.share.at[k] == 0) continue; /* between nodes; its state stays 0 */
      j[q].at[k] = sum[q].at[k];
      p[q].at[k] = tor_pole_polarisation(s.dt, sum[q].at[k], p[q].at[k]);
    }
    store_values_if(on, oscillator + 6 * q * METAL_ROW, j[q]);
    store_values_if(on, oscillator + (6 * q + 3) * METAL_ROW, p[q]);
  }
  advance_node_poles(s, on, run, oscillator, axis, w.share, w.medium, f, sum);
#pragma unroll
  for (int k = 0; k < V; k++) {
    if (w.share.at[k] == 0) continue;
    const real n = axis == 0 ? w.n[0].at[k] : axis == 1 ? w.n[1].at[k] : w.n[2].at[k];
    above.at[k] = tor_metal_above(w.share.at[k], n, sum[0].at[k], sum[1].at[k]);
    below.at[k] = tor_metal_below(w.share.at[k], n, sum[0].at[k], sum[1].at[k]);
#pragma unroll
    for (int q = 0; q < 2; q++) before[q].at[k] = tor_pole_polarisation(s.dt, sum[q].at[k], before[q].at[k]);
  }
  store_values_if(on, state, above);
  store_values_if(on, state + 3 * METAL_ROW, below);
#pragma unroll
  for (int q = 0; q < 2; q++) store_values_if(on, state + (6 + 3 * q) * METAL_ROW, before[q]);
}

#endif
