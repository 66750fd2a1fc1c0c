/* Surface nodes (update.h) on the GPU, for all engines: the counterpart of diamond/cpu/node.c. A node's state lies in
 * device memory and is read past the first-level cache, since another tower may have written it. */
#ifndef TOR_DIAMOND_GPU_VIEW_NODES_CUH
#define TOR_DIAMOND_GPU_VIEW_NODES_CUH

#include "diamond/gpu/view/lattice.cuh"

/* A column's run of nodes: its first values of state and weight; nz 0: it has none. */
struct node_run {
  int z0, nz, pitch, metal, gap0, gap; /* as in tor_pole_range */
  int vectors;
  const uint16_t *vector; /* [vectors]: V values along z that hold nodes, by number */
  real *state;
  const real *weight;
};
POINT_FN node_run node_run_of(const tor_gpu_view &s, const tor_gpu_nodes &of) {
  return {of.z0,
          of.nz,
          of.pitch,
          of.metal,
          of.gap0,
          of.gap,
          of.count,
          s.node_vector + of.first,
          s.state + of.state,
          s.weight + of.weight};
}
POINT_FN node_run no_nodes() { return {0, 0, 0, 0, 0, 0, 0, nullptr, nullptr, nullptr}; }
/* The values of a run at z, of state and of weight, which are not in the gap: a node's others follow, each `pitch`
 * behind the one before, with metals METAL_ROW. */
enum { METAL_ROW = TOR_METAL_PITCH, METAL_SHIFT = 3 };
static_assert(1 << METAL_SHIFT == METAL_ROW, "of the place in a row");
POINT_FN int first_in_row(int z0) { return z0 & ~(TOR_NODE_ALIGN - 1); }
POINT_FN int node_place(const node_run &run, int rows, int z) {
  if (run.metal <= 0) return z - first_in_row(run.z0);
  return tor_metal_block(run.z0, run.gap0, run.gap, z) * rows * METAL_ROW + (z & (METAL_ROW - 1));
}
POINT_FN bool in_gap(const node_run &run, int z) {
  return run.metal > 0 && tor_metal_block(run.z0, run.gap0, run.gap, z) < 0;
}
POINT_FN real *node_state(const node_run &run, int z) {
  return run.state + node_place(run, tor_node_states_of(run.metal), z);
}
POINT_FN const real *node_weight(const node_run &run, int z) {
  return run.weight + node_place(run, tor_node_weights_of(run.metal), z);
}
/* A column's place in view.nodes, or -1. */
POINT_FN int nodes_at(const tor_gpu_view &s, tor_gidx column) { return s.nodes_at[column]; }
POINT_FN node_run nodes_of(const tor_gpu_view &s, tor_gidx column) {
  const int at = nodes_at(s, column);
  return at < 0 ? no_nodes() : node_run_of(s, s.nodes[at]);
}

/* Nodes go with sites: a tower advances those of its own sites, and those on a PEC with the sites beside it. Along one
 * axis, the site that a node goes with. */
POINT_FN int site_with(const tor_gpu_view &s, int axis, int node) {
  if (s.periodic[axis]) return node;
  if (node == 0 && s.first[axis] == 1) return 1;
  return node == 2 * s.n[axis] && s.last[axis] + 1 == node ? node - 1 : node;
}
/* Whether the nodes at (u, v), on a ring perhaps beyond its ends, go with a site in the square lo <= p, q < lo + width
 * of the frame at (u0, v0). */
POINT_FN bool nodes_in_tile(const tor_gpu_view &s, int u, int v, int u0, int v0, int lo, int width) {
  if (u < 0 || u > 2 * s.n[0] || (!s.periodic[TOR_Y] && (v < 0 || v > 2 * s.n[1]))) return false;
  const int at_u = site_with(s, TOR_X, u) - u0, at_v = site_with(s, TOR_Y, v) - v0;
  const int p = at_u + at_v - lo, q = at_u - at_v - lo;
  return p >= 0 && p < width && q >= 0 && q < width;
}

/* A run with metals: the node at z, with the mean fields v and half the differences d of its edges. */
static __device__ __noinline__ void advance_metal_node(const tor_gpu_view &s, const node_run &run, int z, real vx,
                                                       real vy, real vz, real dx, real dy, real dz) {
  enum { ALL = 6 }; /* P along x, y, z, then Q */
  const real *const w = node_weight(run, z), v[3] = {vx, vy, vz}, d[3] = {dx, dy, dz},
                    n[3] = {w[0], w[METAL_ROW], w[2 * METAL_ROW]};
  const real share = w[TOR_METAL_SHARE * METAL_ROW], along = w[TOR_METAL_ALONG * METAL_ROW];
  if (share == 0) return; /* between nodes; its state stays 0 */
  real *const state = node_state(run, z);
  real before[ALL], y[ALL], charge[3], f[ALL], sum[ALL];
#pragma unroll
  for (int i = 0; i < ALL; i++) {
    before[i] = __ldcg(state + (6 + i) * METAL_ROW);
    y[i] = s.node_field[i % 3] * before[i];
  }
#pragma unroll
  for (int a = 0; a < 3; a++)
    charge[a] = tor_metal_charge(w[TOR_METAL_ACROSS * METAL_ROW], y[a], w[(TOR_METAL_LEAN + a) * METAL_ROW], y[3 + a]);
  const real p = tor_node_across(n[0], n[1], n[2], y[0], y[1], y[2]),
             t = tor_metal_across(along, tor_node_across(n[0], n[1], n[2], v[0], v[1], v[2]),
                                  tor_node_across(n[0], n[1], n[2], charge[0], charge[1], charge[2]));
#pragma unroll
  for (int a = 0; a < 3; a++) {
    f[a] = tor_metal_field(n[a], t, v[a]);
    f[3 + a] = tor_metal_slope(along, n[a], d[a], w[(TOR_METAL_LEAN + a) * METAL_ROW], p,
                               w[(TOR_METAL_STIFF + a) * METAL_ROW], y[3 + a]);
  }
  const int medium = (int)w[TOR_METAL_MEDIUM * METAL_ROW] - 1;
  const tor_gpu_dispersion none = {0, 0, 0, 0}, of = medium < 0 ? none : s.dispersion[medium];
  const tor_gpu_pole nothing = {};
  for (int i = 0; i <= run.metal; i++) {
    const tor_gpu_pole pole = i && i <= of.npoles ? s.pole[of.first + i - 1] : nothing;
#pragma unroll
    for (int m = 0; m < ALL; m++) {
      real *const at = state + (TOR_METAL_STATE + TOR_POLE_STATE * i + 6 * (m / 3) + m % 3) * METAL_ROW,
                  *const own = at + 3 * METAL_ROW;
      const real old = __ldcg(own), j = __ldcg(at);
      const real current =
          i ? tor_pole_drive(tor_pole_current(pole.k1, pole.k2, j, old), s.node_edge[m % 3], pole.k3[m % 3], f[m])
            : tor_metal_oscillator(j, old, s.node_flux[m % 3] * w[TOR_METAL_DRIVE * METAL_ROW],
                                   w[TOR_METAL_RESTORE * METAL_ROW], f[m]);
      *at = current;
      *own = tor_pole_polarisation(s.dt, current, old);
      sum[m] = i ? sum[m] + current : current;
    }
  }
#pragma unroll
  for (int a = 0; a < 3; a++) {
    state[a * METAL_ROW] = tor_metal_above(share, n[a], sum[a], sum[3 + a]);
    state[(3 + a) * METAL_ROW] = tor_metal_below(share, n[a], sum[a], sum[3 + a]);
  }
#pragma unroll
  for (int i = 0; i < ALL; i++) state[(6 + i) * METAL_ROW] = tor_pole_polarisation(s.dt, sum[i], before[i]);
}

/* The place of row a, column b of a node's tensor among its weights. */
POINT_FN int tensor_at(int a, int b) { return a == b ? a : 6 - a - b; }
/* A node of a medium with a full tensor: whether weights are its own, not those between nodes, where J, P stay 0; its
 * step, v: the mean fields of its edges. */
POINT_FN bool is_node(const real (&w)[TOR_TENSOR_WEIGHTS]) { return w[0] + w[1] + w[2] != 0; }
POINT_FN void advance_point(const tor_gpu_view &s, const real (&w)[TOR_TENSOR_WEIGHTS], const real (&v)[3],
                            real (&j)[3], real (&p)[3]) {
#pragma unroll
  for (int a = 0; a < 3; a++) {
    const real field = tor_tensor_field(w[tensor_at(a, 0)], w[tensor_at(a, 1)], w[tensor_at(a, 2)], v[0], v[1], v[2]);
    j[a] = tor_metal_oscillator(j[a], p[a], s.node_out[a], s.node_restore, field);
    p[a] = tor_pole_polarisation(s.dt, j[a], p[a]);
  }
}

/* One with a Kerr effect, magnetised poles or of second order, likewise. */
template <int WEIGHTS> POINT_FN bool is_node(const real (&w)[WEIGHTS]) {
  return w[0] != 0 || w[1] != 0 || w[2] != 0 || w[TOR_FULL_KERR] != 0;
}
template <int WEIGHTS>
POINT_FN void advance_point(const tor_gpu_view &s, const real (&w)[WEIGHTS], const real (&v)[3], real (&j)[3],
                            real (&p)[3]) {
  const tor_gpu_magnetised &pole = s.magnetised[(int)w[TOR_FULL_POLE]];
  const real strength = tor_kerr_strength(w[TOR_FULL_KERR], v[0], v[1], v[2]);
  real x[3], current[3], product[6];
  if (WEIGHTS == TOR_CHI2_WEIGHTS) tor_chi2_products(v[0], v[1], v[2], product);
#pragma unroll
  for (int a = 0; a < 3; a++) {
    const real linear = tor_tensor_field(w[tensor_at(a, 0)], w[tensor_at(a, 1)], w[tensor_at(a, 2)], v[0], v[1], v[2]);
    real field = tor_kerr_field(linear, strength, v[a]);
    if (WEIGHTS == TOR_CHI2_WEIGHTS) field = tor_chi2_field(field, w[WEIGHTS - 1], pole.chi2 + 6 * a, product);
    x[a] = tor_magnetised_drive(pole.drive[a], field, pole.restore, p[a]);
  }
#pragma unroll
  for (int a = 0; a < 3; a++) {
    const real turned =
        tor_tensor_field(pole.turn[3 * a], pole.turn[3 * a + 1], pole.turn[3 * a + 2], x[0], x[1], x[2]);
    current[a] =
        tor_magnetised_current(pole.keep[3 * a], pole.keep[3 * a + 1], pole.keep[3 * a + 2], j[0], j[1], j[2], turned);
  }
#pragma unroll
  for (int a = 0; a < 3; a++) {
    j[a] = current[a];
    p[a] = tor_pole_polarisation(s.dt, current[a], p[a]);
  }
}

/* The node at z of a run of such media, whose nodes have WEIGHTS weights. */
template <int WEIGHTS>
POINT_FN void advance_medium_node(const tor_gpu_view &s, const node_run &run, int z, const real (&v)[3]) {
  const real *const weight = node_weight(run, z);
  real *const state = node_state(run, z);
  real w[WEIGHTS], j[3], p[3];
#pragma unroll
  for (int i = 0; i < WEIGHTS; i++) w[i] = weight[i * run.pitch];
  if (!is_node(w)) return;
#pragma unroll
  for (int a = 0; a < 3; a++) {
    j[a] = __ldcg(state + a * run.pitch);
    p[a] = __ldcg(state + (3 + a) * run.pitch);
  }
  advance_point(s, w, v, j, p);
#pragma unroll
  for (int a = 0; a < 3; a++) {
    state[a * run.pitch] = j[a];
    state[(3 + a) * run.pitch] = p[a];
  }
}
template <int WEIGHTS>
static __device__ __noinline__ void advance_full_node(const tor_gpu_view &s, const node_run &run, int z, real vx,
                                                      real vy, real vz) {
  const real v[3] = {vx, vy, vz};
  advance_medium_node<WEIGHTS>(s, run, z, v);
}

/* What saturation makes of a node's currents, as saturate of diamond/cpu/node.c. */
POINT_FN void saturate(const tor_gpu_magnetised &pole, real inverse, const real (&v)[3], const real (&field)[3],
                       const real (&before)[3], real (&current)[3], real &population) {
  real driven[3], work[3];
#pragma unroll
  for (int a = 0; a < 3; a++) {
    work[a] = pole.work[a] * v[a];
    driven[a] = pole.turn[4 * a] * (pole.drive[a] * field[a]);
  }
  const real at_rest = tor_gain_work(work[0], work[1], work[2], before[0] + current[0], before[1] + current[1],
                                     before[2] + current[2]),
             mean = tor_gain_mean(population, inverse, pole.rest, at_rest,
                                  tor_gain_work(work[0], work[1], work[2], driven[0], driven[1], driven[2]));
#pragma unroll
  for (int a = 0; a < 3; a++) current[a] = tor_gain_current(current[a], mean, driven[a]);
  population = tor_gain_after(population, mean);
}

/* The node at z of a run with saturable poles: stepwise alone (tor_slab.has_gain). Between nodes its state stays 0. */
static __device__ __noinline__ void advance_gain_node(const tor_gpu_view &s, const node_run &run, int z, real vx,
                                                      real vy, real vz) {
  const real v[3] = {vx, vy, vz}, *const weight = node_weight(run, z);
  real w[TOR_CHI2_WEIGHTS], j[3], field[3], x[3], current[3];
#pragma unroll
  for (int i = 0; i < TOR_CHI2_WEIGHTS; i++) w[i] = weight[i * run.pitch];
  if (w[0] == 0 && w[1] == 0 && w[2] == 0) return;
  real *const state = node_state(run, z);
  const tor_gpu_magnetised &pole = s.magnetised[(int)w[TOR_FULL_POLE]];
  const real strength = tor_kerr_strength(w[TOR_FULL_KERR], v[0], v[1], v[2]);
#pragma unroll
  for (int a = 0; a < 3; a++) {
    j[a] = __ldcg(state + a * run.pitch);
    field[a] = tor_tensor_field(w[tensor_at(a, 0)], w[tensor_at(a, 1)], w[tensor_at(a, 2)], v[0], v[1], v[2]);
    field[a] = tor_kerr_field(field[a], strength, v[a]);
    x[a] = tor_magnetised_drive(pole.drive[a], field[a], pole.restore, __ldcg(state + (3 + a) * run.pitch));
  }
#pragma unroll
  for (int a = 0; a < 3; a++) {
    const real *const keep = pole.keep + 3 * a, *const turn = pole.turn + 3 * a;
    const real turned = tor_tensor_field(turn[0], turn[1], turn[2], x[0], x[1], x[2]);
    current[a] = tor_magnetised_current(keep[0], keep[1], keep[2], j[0], j[1], j[2], turned);
  }
  real population = __ldcg(state + TOR_NODE_STATE * run.pitch);
  saturate(pole, w[TOR_FULL_INVERSE], v, field, j, current, population);
  state[TOR_NODE_STATE * run.pitch] = population;
#pragma unroll
  for (int a = 0; a < 3; a++) {
    real *const p = state + (3 + a) * run.pitch;
    state[a * run.pitch] = current[a];
    *p = tor_pole_polarisation(s.dt, current[a], __ldcg(p));
  }
}

/* The node at z of a run with metals or of enum tor_node_media; d: half the differences of its edges. */
POINT_FN void advance_other_node(const tor_gpu_view &s, const node_run &run, int z, const real (&f)[3],
                                 const real (&d)[3]) {
  if (run.metal > 0)
    advance_metal_node(s, run, z, f[0], f[1], f[2], d[0], d[1], d[2]);
  else if (run.metal == TOR_FULL_NODES)
    advance_full_node<TOR_FULL_WEIGHTS>(s, run, z, f[0], f[1], f[2]);
  else if (run.metal == TOR_CHI2_NODES)
    advance_full_node<TOR_CHI2_WEIGHTS>(s, run, z, f[0], f[1], f[2]);
  else if (run.metal == TOR_GAIN_NODES)
    advance_gain_node(s, run, z, f[0], f[1], f[2]);
  else
    advance_medium_node<TOR_TENSOR_WEIGHTS>(s, run, z, f);
}

/* Along x or y, the edge below a node: around a period the last one, else mirrored. */
POINT_FN int edge_below(const tor_gpu_view &s, int axis, int node) {
  if (node > 0) return node - 1;
  return s.periodic[axis] ? 2 * s.n[axis] - 1 : node + 1;
}

/* Advances the node at (u, v) and z within its run, if there is one. e_at(comp, u, v, z): E there, within the domain.
 */
template <class At>
POINT_FN void advance_node(const tor_gpu_view &s, const node_run &run, int u, int v, int z, const At &e_at) {
  if (in_gap(run, z)) return;
  /* All loads come first, as stores would hold back later ones. */
  const real *const weight = node_weight(run, z);
  real *const state = node_state(run, z);
  const int pitch = run.pitch;
  const real n[3] = {weight[0], weight[pitch], weight[2 * pitch]}, g = weight[3 * pitch];
  real j[3], p[3];
#pragma unroll
  for (int a = 0; a < 3; a++) {
    j[a] = __ldcg(state + a * pitch);
    p[a] = __ldcg(state + (3 + a) * pitch);
  }
  const int end[3] = {2 * s.n[0], 2 * s.n[1], s.n[2]};
  const bool on_x = (u == 0 && s.first[0] == 1) || (u == end[0] && s.last[0] + 1 == u),
             on_y = (v == 0 && s.first[1] == 1) || (v == end[1] && s.last[1] + 1 == v),
             on_z = !s.periodic[TOR_Z] && ((z == 0 && !s.pmc[TOR_ZLO]) || (z == end[2] && !s.pmc[TOR_ZHI]));
  const int below_u = edge_below(s, TOR_X, u), below_v = edge_below(s, TOR_Y, v),
            below_z = z > 0 || !s.periodic[TOR_Z] ? max(z - 1, 0) : end[2] - 1;
  /* A value that lies a period below, between Bloch walls. */
  auto turned = [&](int comp, bool around, int at_u, int at_v, int at_z, real own) {
    if (!around || !s.other_field || !s.periodic[comp_axis(comp)]) return own;
    const real other = __ldcg(s.other_field + vector_of(s, column_of(s, at_u, at_v), comp) + at_z);
    return across_seam(s, comp_axis(comp), -1, own, other);
  };
  real f[3] = {0, 0, 0}, d[3] = {0, 0, 0}; /* on a PEC only the field across it */
  auto take = [&](int axis, real below, real above) {
    f[axis] = tor_node_mean(s.node_in[axis], below, above);
    d[axis] = tor_node_difference(s.node_in[axis], below, above);
  };
  if (!s.plane && !on_y && !on_z) {
    const real above = e_at(TOR_EX, u < end[0] ? u + 1 : u - 1, v, z),
               below = turned(TOR_EX, u == 0, below_u, v, z, e_at(TOR_EX, below_u, v, z));
    take(TOR_X, u == 0 && s.pmc[TOR_XLO] ? -below : below, u == end[0] && s.pmc[TOR_XHI] ? -above : above);
  }
  if (!on_x && !on_z) {
    const real above = e_at(TOR_EY, u, v < end[1] ? v + 1 : v - 1, z),
               below = turned(TOR_EY, v == 0, u, below_v, z, e_at(TOR_EY, u, below_v, z));
    take(TOR_Y, v == 0 && s.pmc[TOR_YLO] ? -below : below, v == end[1] && s.pmc[TOR_YHI] ? -above : above);
  }
  if (!on_x && !on_y) {
    const real above = e_at(TOR_EZ, u, v, z < end[2] ? z : z - 1),
               below = turned(TOR_EZ, z == 0, u, v, below_z, e_at(TOR_EZ, u, v, below_z));
    take(TOR_Z, z == 0 && s.pmc[TOR_ZLO] ? -below : below, z == end[2] && s.pmc[TOR_ZHI] ? -above : above);
  }
  if (run.metal) return advance_other_node(s, run, z, f, d);
  if (g == 0) return; /* between nodes; J, P stay 0 */
  const real across = tor_node_across(n[0], n[1], n[2], f[0], f[1], f[2]);
#pragma unroll
  for (int a = 0; a < 3; a++) {
    const real current = tor_node_current(j[a], p[a], g * s.node_out[a], s.node_restore, n[a], across, f[a]);
    state[a * pitch] = current;
    state[(3 + a) * pitch] = tor_pole_polarisation(s.dt, current, p[a]);
  }
}

/* E in device memory. */
struct field_in_memory {
  const tor_gpu_view &s;
  __device__ __forceinline__ real operator()(int comp, int u, int v, int z) const {
    return __ldcg(s.field + vector_of(s, column_of(s, u, v), comp) + z);
  }
};

/* The column of the nodes at one end of a column's edge of component comp. */
POINT_FN tor_gidx column_at_end(const tor_gpu_view &s, tor_gidx column, int comp, int end) {
  if (!end || comp == TOR_EZ) return column;
  const tor_gidx at = column - s.origin;
  if (comp == TOR_EX)
    return s.periodic[TOR_X] && at / s.stride == s.n[0] - 1 ? s.origin + at % s.stride : column + s.stride;
  return s.periodic[TOR_Y] && at % s.stride == s.n[1] - 1 ? column - s.n[1] + 1 : column + 1;
}
/* A value f of E at z, advanced with cb, without the current of the nodes at one end; around: whose column lies a
 * period above. SEGMENTS: z has some (tor_slab.segments). */
template <bool SEGMENTS>
POINT_FN real inject_nodes(const tor_gpu_view &s, const node_run &run, int comp, int end, bool around, int z, real cb,
                           real f) {
  const int above = comp == TOR_EZ && end,
            over = above && (SEGMENTS ? z % s.pitch == s.period - 1 : s.periodic[TOR_Z] && z == s.n[2] - 1),
            node = !over      ? z + above
                   : SEGMENTS ? z + 1 - s.period
                              : 0;
  if (node < run.z0 || node >= run.z0 + run.nz || in_gap(run, node)) return f;
  const real *const j = node_state(run, node) + (comp + tor_node_current_of(run.metal, end)) * run.pitch;
  real current = __ldcg(j);
  if (s.other_state && (around || over))
    current = across_seam(s, comp_axis(comp), 1, current, __ldcg(s.other_state + (j - s.state)));
  return tor_inject(f, cb, -current);
}
template <bool SEGMENTS = false>
POINT_FN real inject_nodes(const tor_gpu_view &s, int comp, tor_gidx column, int z, real cb, real f) {
  node_run at[2];
  bool around[2];
#pragma unroll
  for (int end = 0; end < 2; end++) {
    const tor_gidx there = column_at_end(s, column, comp, end);
    at[end] = nodes_of(s, there);
    around[end] = end && comp != TOR_EZ && there <= column;
  }
#pragma unroll
  for (int end = 0; end < 2; end++) f = inject_nodes<SEGMENTS>(s, at[end], comp, end, around[end], z, cb, f);
  return f;
}
/* Whether a run has nodes where a periodic z, or a segment of it, begins, whose last value lies within z0 to past - 1:
 * they act on that value, too. Of V nodes at a beginning, any. */
POINT_FN bool acts_at_end(const tor_gpu_view &s, const node_run &run, int z0, int past) {
  for (int first = 0; s.periodic[TOR_Z] && first < s.n[2]; first += s.pitch) {
    const int last = first + s.period - 1;
    if (last < z0 || last >= past) continue;
    for (int i = 0; i < run.vectors; i++)
      if (run.vector[i] == first / V) return true;
  }
  return false;
}
/* Whether a column's E of component comp has nodes beside values z0 to past - 1. */
POINT_FN bool has_nodes_beside(const tor_gpu_view &s, tor_gidx column, int comp, int z0, int past) {
  const tor_gidx at = column - s.origin;
  if ((comp == TOR_EX && at / s.stride >= s.n[0]) || (comp == TOR_EY && at % s.stride >= s.n[1]))
    return false; /* beyond the last edge */
  for (int end = 0; end < 2; end++) {
    const node_run run = nodes_of(s, column_at_end(s, column, comp, end));
    const int first = run.z0 - (comp == TOR_EZ && end);
    if (run.nz && first < past && first + run.nz > z0) {
      const int above = run.z0 - first, last = min(past + above, run.z0 + run.nz) - 1;
      if (!in_gap(run, max(z0 + above, run.z0)) || !in_gap(run, last)) return true;
    }
    if (comp == TOR_EZ && end && acts_at_end(s, run, z0, past)) return true;
  }
  return false;
}

#endif
