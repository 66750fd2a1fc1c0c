/* Processing of the items passed through exchange rows, by all computing warps; see reg_special.cuh. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_SPECIAL_WORK_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_SPECIAL_WORK_CUH

#include "diamond/gpu/tower_reg/reg_special.cuh"
#include "diamond/gpu/tower/node_vector.cuh"
#include "diamond/gpu/tower/pole_vector.cuh"

/* --- Simple poles --- */
/* A lane advances a pole_vector of an item: V neighbouring values along z. After the item's site an entry holds the
 * count of a tor_gpu_work. */
POINT_FN int pole_vectors_of(uint2 entry) { return entry.x >> 16 & ((1 << TOR_GPU_MEDIUM_SHIFT) - 1); }
POINT_FN int medium_of(uint2 entry) { return (int)(entry.x >> (16 + TOR_GPU_MEDIUM_SHIFT)); }

/* An item's pole_vector number `at`; none beyond the last. */
POINT_FN tor_gpu_pole_vector load_pole_vector(const tor_gpu_view &s, uint2 entry, int at) {
  tor_gpu_pole_vector pole_vector = {};
  if (at < pole_vectors_of(entry)) pole_vector = s.pole_vector[entry.y + at];
  return pole_vector;
}

/* The view of the block's part. */
template <class K> POINT_FN const tor_gpu_view &own_view(const tor_gpu_view &s) {
  if constexpr (K::BLOCH)
    return shared<K>().view[0];
  else
    return s;
}

/* Prefetches a pole_vector's state, of the part's states, into the second-level cache. */
template <int MEDIUM>
POINT_FN void fetch_piece(const tor_gpu_view &s, real *states, const tor_gpu_pole_vector &pole_vector) {
  const tor_gpu_fast_medium &medium = s.fast[MEDIUM];
  const bool on = pole_vector.what != 0;
  const unsigned pitch = pitch_of(pole_vector) * (unsigned)sizeof(real);
  real *const state = states + state_of(pole_vector);
#pragma unroll
  for (unsigned i = 0; i < 2 * TOR_GPU_FAST_POLES; i++) fetch_if(on & (i < medium.nstate), steps_from(state, pitch, i));
  fetch_if(on, s.weight + weight_of(pole_vector));
}

/* Subtracts the poles' currents from a pole_vector's values of the curl, which lie in a row of the item's range, and
 * stores the poles' new state. The state of `next`, the lane's next pole_vector, is prefetched meanwhile. */
template <int MEDIUM>
POINT_FN void advance_pole_vector(const tor_gpu_view &s, real *states, const tor_gpu_pole_vector &pole_vector,
                                  const tor_gpu_pole_vector &next, int comp, real *curl_row, const real *before_row) {
  const tor_gpu_fast_medium &medium = s.fast[MEDIUM];
  const bool on = pole_vector.what != 0;
  const bool charged = pole_vector.what >> TOR_GPU_POLE_VECTOR_CHARGED & 1;
  const int at = (int)(pole_vector.what >> TOR_GPU_POLE_VECTOR_VECTOR) * V;
  const unsigned pitch = pitch_of(pole_vector) * (unsigned)sizeof(real);
  real *const state = states + state_of(pole_vector), *const weight = (real *)s.weight + weight_of(pole_vector);
  real *const charge = steps_from(state, pitch, medium.nstate);
  const real *const k3 = medium.k3[comp - TOR_EX];
  vec j[TOR_GPU_FAST_POLES], p[TOR_GPU_FAST_POLES], share = {}, curl = {}, own = {}, sum = {};
#pragma unroll
  for (int i = 0; i < TOR_GPU_FAST_POLES; i++) {
    j[i] = {};
    p[i] = no_polarisation();
    load_values_if(on & (i < medium.npoles), steps_from(state, pitch, medium.j_at[i]), j[i]);
    load_values_if(on & medium.has_p[i], steps_from(state, pitch, medium.p_at[i]), p[i]);
  }
  load_values_if(on, weight, share);
  pole_branch branch;
  branch.load(charged, charge, steps_from(weight, pitch, 1), steps_from(weight, pitch, 2),
              steps_from(weight, pitch, 3));
  if (on) {
    curl = *(const vec *)(curl_row + at);
    own = *(const vec *)(before_row + at);
  }
  own = branch.field(own);
#pragma unroll
  for (int i = 0; i < TOR_GPU_FAST_POLES; i++) {
    if (i >= medium.npoles) break;
    advance_pole(s.dt, medium.k1[i], medium.k2[i], k3[i], share, own, j[i], p[i], sum);
    if (i == 0) fetch_piece<MEDIUM>(s, states, next);
    store_values_if(on & medium.has_p[i], steps_from(state, pitch, medium.p_at[i]), p[i]);
    store_values_if(on, steps_from(state, pitch, medium.j_at[i]), j[i]);
  }
  const vec current = branch.advance(sum);
  store_values_if(charged, charge, branch.charge);
#pragma unroll
  for (int k = 0; k < V; k++)
    if (pole_vector.what >> k & 1) curl_row[at + k] = curl.at[k] - current.at[k];
}

/* The absorbers' loss at V points of E along z: p_x p_y and place of a site's component. */
POINT_FN vec damping_losses(const tor_gpu_view &s, real across, int comp, int z) {
  vec loss = *(const vec *)(s.damping[TOR_Z] + (comp == TOR_EZ) * s.nzp + z);
#pragma unroll
  for (int k = 0; k < V; k++) loss.at[k] = tor_damping_loss(across * loss.at[k]);
  return loss;
}

/* Items of one medium; those of others are skipped. */
template <class K, int MEDIUM>
POINT_FN void work_off_poles(const tor_gpu_view &s, const tower_block<K> &b, int parity, int count, const uint2 *list) {
  constexpr int LANES = WARP / V; /* of an item */
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, nwarp = b.nthread / WARP, vector = lane % LANES;
  if (!s.fast[MEDIUM].npoles) return;
  auto entry_at = [&](int at) INLINE {
    uint2 entry = make_uint2(0, 0);
    if (at < count && medium_of(list[at]) == MEDIUM) entry = list[at];
    return entry;
  };
  int i = warp * V + lane / LANES;
  uint2 entry = entry_at(i);
  tor_gpu_pole_vector pole_vector = load_pole_vector(s, entry, vector);
#pragma unroll 1
  for (; i - lane / LANES < count; i += nwarp * V) {
    const uint2 next = entry_at(i + nwarp * V);
    const tor_gpu_pole_vector next_pole_vector = load_pole_vector(s, next, vector);
    const int pole_vectors = pole_vectors_of(entry);
    if (__any_sync(~0u, pole_vectors)) {
      const int comp = comp_of(entry.x), site = site_of(entry.x), range = warp_of(entry.x) * WARP;
      const int z = b.z0 + range + vector * V, points = s.n[2] + ((comp != TOR_EZ) & s.pmc[TOR_ZHI]);
      real *const curl = exchange_row<K, 1, 0>(site) + range, *const before = exchange_row<K, 1, 1>(site) + range;
      vec cb = {}, loss = {};
      load_values_if(pole_vectors && z < points, shared<K>().coef[site] + z, cb);
      if constexpr (K::DAMPED)
        if (pole_vectors && z < points) loss = damping_losses(s, shared<K>().damping[parity][1][site], comp, z);
      advance_pole_vector<MEDIUM>(s, own_view<K>(s).state, pole_vector, next_pole_vector, comp, curl, before);
      __syncwarp();
      if (pole_vectors) {
        vec value = *(const vec *)(curl + vector * V), from = *(const vec *)(before + vector * V);
#pragma unroll
        for (int k = 0; k < V; k++) {
          const real cb_here = z + k < points ? cb.at[k] : 0;
          value.at[k] = K::DAMPED ? tor_advance_lossy(from.at[k], loss.at[k], cb_here, value.at[k])
                                  : tor_advance(from.at[k], cb_here, value.at[k]);
          if (!K::WRAPS && z + k == 0 && comp != TOR_EZ && !s.pmc[TOR_ZLO]) value.at[k] = 0;
        }
        *(vec *)(curl + vector * V) = value;
      }
    }
    entry = next;
    pole_vector = next_pole_vector;
  }
}
template <class K, int... MEDIUM>
POINT_FN void work_off_media(const tor_gpu_view &s, const tower_block<K> &b, int parity, int count, const uint2 *list,
                             std::integer_sequence<int, MEDIUM...>) {
  (work_off_poles<K, MEDIUM>(s, b, parity, count, list), ...);
}

/* --- Edges at surface nodes --- */
/* The currents on V values from z on at one end of an edge: 0 where no node acts. */
POINT_FN vec load_node_currents(const tor_gpu_view &s, bool on, const tor_gpu_node_edge &edge, int comp, int end,
                                int z) {
  const int from = edge.from[end], past = edge.past[end], above = comp == TOR_EZ && end;
  /* Of the current of the node at a z; -1: in the gap. */
  const auto place = [&](int node) INLINE {
    if (!edge.block[end]) return node - first_in_row(from + above);
    const int block = tor_metal_block(from + above, edge.gap0[end], edge.gap[end], node);
    return block < 0 ? -1 : block * edge.block[end] + (node & (METAL_ROW - 1));
  };
  const real *const j = s.state + edge.j[end];
  vec current = {};
  if (!above) { /* the nodes' V values are the edge's */
    const int at = place(z);
    load_written_values_if(on && z + V > from && z < past && at >= 0, j + at, current);
    return current;
  }
#pragma unroll
  for (int k = 0; k < V; k++) {
    const int at = place(z + k + 1);
    if (on && z + k >= from && z + k < past && at >= 0) current.at[k] = __ldcg(j + at);
  }
  return current;
}

/* Items beside nodes: the lanes take V values each, as those of poles do. */
template <class K>
POINT_FN void work_off_edges(const tor_gpu_view &s, const tower_block<K> &b, int parity, int count, const uint2 *list,
                             int u0, int v0) {
  constexpr int LANES = WARP / V; /* of an item */
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, nwarp = b.nthread / WARP, vector = lane % LANES;
  const tor_gpu_view &own = own_view<K>(s);
  auto entry_at = [&](int at) INLINE {
    uint2 entry = make_uint2(0, 0);
    if (at < count && medium_of(list[at]) == TOR_GPU_AT_NODES) entry = list[at];
    return entry;
  };
  auto edge_of = [&](uint2 entry) INLINE {
    tor_gpu_node_edge edge = {};
    if (pole_vectors_of(entry)) edge = s.edge_at_nodes[entry.y];
    return edge;
  };
  int i = warp * V + lane / LANES;
  uint2 entry = entry_at(i);
  tor_gpu_node_edge edge = edge_of(entry);
#pragma unroll 1
  for (; i - lane / LANES < count; i += nwarp * V) {
    const uint2 next = entry_at(i + nwarp * V);
    const tor_gpu_node_edge next_edge = edge_of(next);
    const int comp = comp_of(entry.x), site = site_of(entry.x), range = warp_of(entry.x) * WARP;
    const int z = b.z0 + range + vector * V, points = s.n[2] + ((comp != TOR_EZ) & s.pmc[TOR_ZHI]);
    const bool on = pole_vectors_of(entry), inside = on && z < points;
    vec cb = {}, loss = {}, current[2];
    load_values_if(inside, shared<K>().coef[site] + z, cb);
#pragma unroll
    for (int end = 0; end < 2; end++) current[end] = load_node_currents(own, inside, edge, comp, end, z);
    if constexpr (K::DAMPED)
      if (inside) loss = damping_losses(s, shared<K>().damping[parity][1][site], comp, z);
    if (on) {
      real *const to = exchange_row<K, 1, 0>(site) + range + vector * V;
      const vec curl = *(const vec *)to, before = *(const vec *)(exchange_row<K, 1, 1>(site) + range + vector * V);
      vec value = before; /* beyond the slab it stays 0 */
#pragma unroll
      for (int k = 0; k < V; k++) {
        if (z + k >= points) continue;
        real f = K::DAMPED ? tor_advance_lossy(before.at[k], loss.at[k], cb.at[k], curl.at[k])
                           : tor_advance(before.at[k], cb.at[k], curl.at[k]);
#pragma unroll
        for (int end = 0; end < 2; end++)
          if (z + k >= edge.from[end] && z + k < edge.past[end]) f = tor_inject(f, cb.at[k], -current[end].at[k]);
        value.at[k] = !K::WRAPS && z + k == 0 && comp != TOR_EZ && !s.pmc[TOR_ZLO] ? (real)0 : f;
      }
      *(vec *)to = value;
      /* Nodes read E in device memory. */
      const site_place at = shared<K>().site[1][site];
      store_values(own.field + vector_of(s, column_of(s, u0 + at.u, around_y(s, v0 + at.v)), comp) + z, value,
                   min(points - z, (int)V));
    }
    entry = next;
    edge = next_edge;
  }
}

/* --- The general case --- */
/* One item: its curl and old value become its new value. z0: of the warp's range. */
template <class K, int HALF>
POINT_FN void advance_item(const tor_gpu_view &s, int step, int u, int v, int comp, unsigned cls,
                           const tor_extra &extra, int z0, real *curl_row, real old) {
  const int z = z0 + (int)threadIdx.x % WARP;
  const bool own = has_own(cls, comp), on = z < points_along_z(s, comp);
  real curl = *curl_row, f = old;
  if (on) {
    const real *at = (own ? s.coef + (HALF ? extra.coef_e : extra.coef_h) + (tor_gidx)comp_axis(comp) * s.nzp
                          : s.cb + (tor_gidx)comp * s.nzp) +
                     z;
    const real cb = *at;
    const bool poles = HALF && (cls & TOR_COL_POLES);
    if (poles) curl = poles_before(s, extra, comp, z, f, curl);
    if (is_lossy(cls, comp))
      f = tor_advance_lossy(f, own ? at[(tor_gidx)3 * s.nzp] : s.ca1[(tor_gidx)comp * s.nzp + z], cb, curl);
    else
      f = tor_advance(f, cb, curl);
    if (HALF && cls & TOR_COL_AT_NODES) f = inject_nodes<K::SEGMENTS>(s, comp, column_of(s, u, v), z, cb, f);
    if (cls & TOR_COL_INJECT) f = inject(s, extra, comp, step, z, cb, f);
    if (!K::WRAPS && HALF && comp != TOR_EZ && z == 0 && !s.pmc[TOR_ZLO]) f = 0;
    if (poles) poles_after(s, extra, comp, z, f);
    /* Nodes read E in device memory. */
    if (HALF && cls & TOR_COL_AT_NODES) s.field[(column_of(s, u, v) * TOR_NCOMP + comp) * s.nzp + z] = f;
  }
  *curl_row = f;
  if (on && cls & TOR_COL_RECORD) record(s, extra, comp, step, z, f);
}

/* Whether the block has items in this half-step: warp-uniform, also for the compiler. */
template <class K, int HALF> POINT_FN bool has_work(int parity) {
  const item_counts count = shared<K>().items.count[parity][HALF];
  return __any_sync(~0u, count.poles | count.rest);
}

/* Processes the items of a half-step in a frame at (u0, v0), if it has any; the block's threads have written their
 * exchange rows, and may read them after it. */
template <class K, int HALF>
POINT_FN void work_off(const tor_gpu_view &s, const tower_block<K> &b, int parity, int step, int u0, int v0) {
  item_list<K> &items = shared<K>().items;
  const item_counts count = items.count[parity][HALF];
  wait_at(COMPUTING, b.nthread);
  if constexpr (HALF)
    if (count.poles) {
      work_off_media(s, b, parity, count.poles, items.e_item[parity],
                     std::make_integer_sequence<int, TOR_GPU_FAST_MEDIA>{});
      if (K::NODES && s.has_nodes) work_off_edges(s, b, parity, count.poles, items.e_item[parity], u0, v0);
    }
  const int lane = threadIdx.x % WARP, nwarp = b.nthread / WARP;
  for (int i = threadIdx.x / WARP; i < count.rest; i += nwarp) {
    uint2 entry;
    if (HALF) {
      entry = items.e_item[parity][item_list<K>::ITEMS - 1 - i];
    } else {
      const unsigned where = items.h_item[i];
      const site_place at = shared<K>().site[0][site_of(where)];
      const tor_gidx column = column_of(s, u0 + at.u, around_y(s, v0 + at.v));
      entry = make_uint2(where | (unsigned)s.cls[column] << 16, (unsigned)s.extra_id[column]);
    }
    const int site = site_of(entry.x), zl = warp_of(entry.x) * WARP;
    const site_place at = shared<K>().site[HALF][site];
    advance_item<K, HALF>(own_view<K>(s), step, u0 + at.u, around_y(s, v0 + at.v), comp_of(entry.x), entry.x >> 16,
                          s.extra[entry.y], b.z0 + zl, exchange_row<K, HALF, 0>(site) + zl + lane,
                          exchange_row<K, HALF, 1>(site)[zl + lane]);
  }
  wait_at(COMPUTING, b.nthread);
}

/* E in device memory, where items and the towers on the right have written that of the step before. */
template <class K> struct field_written {
  static constexpr bool SEGMENTS = K::SEGMENTS, BLOCH = K::BLOCH;
  const tor_gpu_view &s;
  METHOD vec values(int comp, int u, int v, int z) const {
    vec is;
    load_written_values_if(true, s.field + vector_of(s, column_of(s, u, v), comp) + z, is);
    return is;
  }
  METHOD real below(int u, int v, int z) const {
    return __ldcg(s.field + vector_of(s, column_of(s, u, v), TOR_EZ) + z - 1);
  }
  /* BLOCH: such values as they are a period below along y or z. */
  METHOD void turn_values(int comp, int u, int v, int z, vec &is) const {
    vec other;
    load_written_values_if(true, s.other_field + vector_of(s, column_of(s, u, v), comp) + z, other);
#pragma unroll
    for (int k = 0; k < V; k++) is.at[k] = across_seam(s, TOR_Y, -1, is.at[k], other.at[k]);
  }
  METHOD void turn_below(int u, int v, int z, real &is) const {
    is = across_seam(s, TOR_Z, -1, is, __ldcg(s.other_field + vector_of(s, column_of(s, u, v), TOR_EZ) + z - 1));
  }
};

/* Of numbers that the lanes have summed up, `upto` each with its own: the first lane whose sum is above `number`; 31 if
 * there is none. */
POINT_FN int lane_of(int upto, int number) {
  int lane = 0;
#pragma unroll
  for (int step = WARP / 2; step; step /= 2)
    if (__shfl_sync(~0u, upto, lane + step - 1) <= number) lane += step;
  return lane;
}
POINT_FN int sum_of_lanes(int value) { /* up to this one */
#pragma unroll
  for (int by = 1; by < WARP; by *= 2) {
    const int before = __shfl_up_sync(~0u, value, by);
    if ((int)threadIdx.x % WARP >= by) value += before;
  }
  return value;
}

/* A block's part of z, by value: the address of a tower_block would keep it in memory. */
struct block_part {
  int z0, nthread, nblock;
};

/* Surface nodes of H's half-step in the block's part of z, in the frame at (u0, v0). All warps look up the same
 * columns, a lane each, and share their vectors: a lane each, with metals three. */
template <class K>
static __device__ __noinline__ void work_off_nodes(const tor_gpu_view &s, const block_part b, int u0, int v0) {
  enum { LO = K::S - 1, LINE = (K::R + 2) / 2, COUNT = (K::R + 2) * LINE }; /* nodes that go with a site of the tile */
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, nwarp = b.nthread / WARP;
#pragma unroll 1
  for (int first = 0; first < COUNT; first += WARP) {
    const int number = first + lane, i = number / LINE, p = LO + 2 * i, q = LO + 2 * (2 * (number % LINE) + (i & 1));
    const int u = u0 + ((p + q) >> 1); /* p, q even, p + q a multiple of 4 */
    int v = v0 + ((p - q) >> 1), mine = -1, before = 0, vectors = 0, metal = 0;
    if (number < COUNT && nodes_in_tile(s, u, v, u0, v0, K::S, 2 * K::R))
      mine = nodes_at(s, column_of(s, u, around_y(s, v)));
    if (!__any_sync(~0u, mine >= 0)) continue;
    v = around_y(s, v);
    if (mine >= 0) {
      const tor_gpu_nodes &nodes = s.nodes[mine];
      const uint16_t *const ranges = s.node_range + (tor_gidx)mine * (s.nrange + 1);
      if (b.z0 > 0) before = ranges[b.z0 / 32];
      vectors = (b.z0 / b.nthread + 1 < b.nblock ? (int)ranges[(b.z0 + b.nthread) / 32] : nodes.count) - before;
      metal = nodes.metal;
    }
    for (int metals = 0; metals < 2; metals++) {
      const int own = (metal > 0) == metals ? vectors : 0, upto = sum_of_lanes(own);
      const int total = __shfl_sync(~0u, upto, WARP - 1), width = metals ? (int)NODE_SLOTS : (int)WARP;
#pragma unroll 1
      for (int at = warp * width; at < total; at += nwarp * width) {
        const int task = at + (metals ? lane % NODE_SLOTS : lane), of = lane_of(upto, task);
        const bool here = task < total && lane < (metals ? 3 * NODE_SLOTS : WARP);
        const int k = task - __shfl_sync(~0u, upto - own - before, of), from = __shfl_sync(~0u, mine, of);
        const int at_u = __shfl_sync(~0u, u, of), at_v = __shfl_sync(~0u, v, of);
        node_run run = no_nodes();
        if (here) run = node_run_of(s, s.nodes[from]);
        const int z = here ? run.vector[k] * V : 0;
        if (metals)
          advance_metal_vector(s, here, run, at_u, at_v, z, field_written<K>{s});
        else if (run.metal)
          advance_medium_vector(s, here, run, at_u, at_v, z, field_written<K>{s});
        else
          advance_node_vector(s, here, run, at_u, at_v, z, field_written<K>{s});
      }
    }
  }
}

#endif
