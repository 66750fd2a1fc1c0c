/* Records of a shared-memory tower, and injections by the columns' lists; plane sources are applied in
 * smem_sites_order2.cuh and smem_sites_order4.cuh. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_EXTRAS_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_EXTRAS_CUH

#include "diamond/gpu/tower/node_vector.cuh"
#include "diamond/gpu/tower_smem/smem_poles.cuh"
#include "diamond/gpu/view/planes.cuh"

namespace {

struct smem_extras : smem_poles {
  using smem_poles::smem_poles;

  /* Samples of the uniform planes' monitors, a value a thread. */
  template <int HALF> __device__ __forceinline__ void record_planes() const {
    for (int axis = 0; axis < 3; axis++) {
      const int comp = (HALF ? TOR_EX : TOR_HX) + axis;
      for (int k = 0; k < s.planes->nrecord[comp]; k++) {
        const tor_plane_record &plane = s.planes->record[comp][k];
        real *const to = recorded_by(s, plane, step, 0, 0, plane.at.z0);
        if (!to) continue;
        typedef smem_point<SMEM_TILE> point;
        for (int i = threadIdx.x; i < point::COUNT * plane.at.nz; i += SMEM_WARPS * WARP) {
          const point at(HALF ? 2 * SMEM_S : SMEM_S, i % point::COUNT);
          const int above = i / point::COUNT, u = u0 + at.u, v = v0 + at.v;
          const int at_z = plane.at.z0 + above - span.first;
          if (comp_at(HALF, u, v) == comp && inside(s, u, v) && at_z >= 0 && at_z < span.count)
            to[above + plane_step(plane.along, u >> 1, v >> 1)] = smem().field[comp][slot_of(u + v, u - v)][at_z];
        }
      }
    }
  }

  /* E in the tile. */
  struct field_in_tile {
    static constexpr bool SEGMENTS = false, BLOCH = false;
    __device__ __forceinline__ vec values(int comp, int u, int v, int z) const {
      vec is = {};
      if (z < SMEM_ROW) is = *(const vec *)&smem().field[comp][slot_of(u + v, u - v)][z];
      return is;
    }
    __device__ __forceinline__ real below(int u, int v, int z) const {
      return smem().field[TOR_EZ][slot_of(u + v, u - v)][z - 1];
    }
  };

  /* Nodes of media whose polarisation is at nodes. Not inlined, and called once: a call inside the loop of the others
   * costs towers without such nodes 2 % (registers). */
  static __device__ __noinline__ void advance_medium_nodes(const tor_gpu_view &s, const smem_step &now,
                                                           const smem_node_list &list, int warp, int lane) {
    const int flat = now.nodes[0], past = flat * now.node_parts[0];
#pragma unroll 1
    for (int i = warp * WARP + lane; i < past; i += SMEM_WARPS * WARP) {
      const smem_nodes &is = list.nodes[i / now.node_parts[0]];
      const int k = i % now.node_parts[0];
      if (k < is.run.vectors && is.run.metal)
        advance_medium_vector(s, true, is.run, is.u, is.v, is.run.vector[k] * V, field_in_tile{});
    }
  }

  /* Surface nodes of H's half-step: V of a column along z a lane and turn, with metals three lanes. */
  __device__ __forceinline__ void advance_nodes() const {
    const int flat = now().nodes[0], flat_past = flat * now().node_parts[0];
    const int metals = now().nodes[1], metal_past = metals * now().node_parts[1];
#pragma unroll 1
    for (int i = warp * WARP; i < flat_past; i += SMEM_WARPS * WARP) {
      const int at = (i + lane) / now().node_parts[0], k = (i + lane) % now().node_parts[0];
      const smem_nodes &is = node_list().nodes[min(at, flat - 1)];
      const bool here = at < flat && k < is.run.vectors;
      const int z = here ? is.run.vector[k] * V : is.run.z0;
      advance_node_vector(s, here && !is.run.metal, is.run, is.u, is.v, z, field_in_tile{});
    }
    if (s.has_medium_nodes) advance_medium_nodes(s, now(), node_list(), warp, lane);
#pragma unroll 1
    for (int i = warp * NODE_SLOTS; i < metal_past; i += SMEM_WARPS * NODE_SLOTS) {
      const int number = i + lane % NODE_SLOTS, at = number / now().node_parts[1], k = number % now().node_parts[1];
      const smem_nodes &is = node_list().nodes[flat + min(at, metals - 1)];
      const bool here = lane < 3 * NODE_SLOTS && at < metals && k < is.run.vectors;
      advance_metal_vector(s, here, is.run, is.u, is.v, here ? is.run.vector[k] * V : is.run.z0, field_in_tile{});
    }
  }
  /* The currents of nodes at V values along z of an edge. */
  struct node_currents {
    real *value; /* null: none */
    vec cb, j[2];
    int z0, first[2], past[2]; /* of the values; of those with nodes at either end */
    bool flat;                 /* the edge lies across z, where the value at z = 0 is a PEC's */
  };
  __device__ __forceinline__ node_currents load_currents(int number, int count) const {
    node_currents of = {nullptr, {}, {{}, {}}, 0, {0, 0}, {0, 0}, false};
    if (number >= count * now().edge_parts) return of;
    const smem_edge &is = node_list().edge[number / now().edge_parts];
    const int first = is.nz[0] && is.nz[1] ? min(is.z0[0], is.z0[1]) : is.z0[is.nz[0] == 0];
    const int z = max(first, 0) / V * V + number % now().edge_parts * V;
    bool any = false;
#pragma unroll
    for (int end = 0; end < 2; end++) {
      const int above = end && is.comp == TOR_EZ; /* the nodes lie one higher than the values */
      const int from = is.z0[end] + above, past = from + is.nz[end];
      /* Of the current of the node at a z; whether there is one. */
      const auto place = [&](int node) {
        const int stored = node < is.behind[end] ? node : node - (is.behind[end] - is.gap[end]);
        return is.j[end] + (is.block[end] ? (stored >> METAL_SHIFT) * is.block[end] + (node & (METAL_ROW - 1)) : node);
      };
      const auto is_stored = [&](int node) { return node < is.gap[end] || node >= is.behind[end]; };
      const bool here = is_stored(z);
      of.first[end] = from - above;
      of.past[end] = past - above;
      any |= z + V > of.first[end] && z < of.past[end] && (above || here);
      load_written_values_if(z + V > from && z < past && here, place(z), of.j[end]);
      if (above) {
        real next = 0;
        if (z + V >= from && z + V < past && is_stored(z + V)) next = __ldcg(place(z + V));
#pragma unroll
        for (int k = 0; k < V; k++) of.j[end].at[k] = k + 1 < V ? of.j[end].at[(k + 1) % V] : next;
      }
    }
    if (!any || z >= s.n[2]) return of;
    of.z0 = z;
    of.flat = is.comp != TOR_EZ;
    of.cb = *(const vec *)(is.cb + z);
    of.value = &smem().field[is.comp][is.slot][z];
    return of;
  }
  /* The currents of the nodes beside E, likewise; they are loaded while other warps advance E. */
  __device__ __forceinline__ void inject_at_nodes() const {
    enum { AT_ONCE = 3 };
    const int count = now().edges, past = count * now().edge_parts;
    int i = warp * WARP;
    do {
      node_currents of[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) of[k] = load_currents(i + lane + k * SMEM_WARPS * WARP, count);
      if (i == warp * WARP) wait_at(SMEM_COMPUTING, SMEM_WARPS * WARP); /* E is advanced */
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) {
        if (!of[k].value) continue;
        vec f = *(const vec *)of[k].value;
#pragma unroll
        for (int m = 0; m < V; m++) {
          const int z = of[k].z0 + m;
          if (z >= s.n[2] || (of[k].flat && z == s.zero_z)) continue;
#pragma unroll
          for (int end = 0; end < 2; end++)
            if (z >= of[k].first[end] && z < of[k].past[end])
              f.at[m] = tor_inject(f.at[m], of[k].cb.at[m], -of[k].j[end].at[m]);
        }
        *(vec *)of[k].value = f;
      }
      i += AT_ONCE * SMEM_WARPS * WARP;
    } while (i < past);
  }

  /* Injections and records by the columns' lists, a warp a site. The lanes look up the lists of the warp's sites at the
   * same time. */
  template <int HALF> __device__ __forceinline__ void work_off_lists() const {
    typedef smem_point<SMEM_TILE> point;
    constexpr int SITES = (point::COUNT + SMEM_WARPS - 1) / SMEM_WARPS;
    static_assert(SITES <= WARP, "a lane a site");
    const int number_mine = warp * SITES + min(lane, SITES - 1);
    const point mine(HALF ? 2 * SMEM_S : SMEM_S, number_mine);
    const int u = u0 + mine.u, v = v0 + mine.v, comp_mine = number_mine < point::COUNT ? comp_at(HALF, u, v) : -1;
    const real *coef_mine = s.cb + (tor_gidx)max(comp_mine, 0) * s.nzp;
    int inject[2] = {0, 0}, record[2] = {0, 0};
    if (comp_mine >= 0 && inside(s, u, v)) {
      const tor_gidx column = column_of(s, u, v);
      const unsigned cls = s.cls[column];
      if (cls & (TOR_COL_INJECT | TOR_COL_RECORD)) {
        const tor_extra &extra = s.extra[s.extra_id[column]];
        if (has_own(cls, comp_mine))
          coef_mine = s.coef + (HALF ? extra.coef_e : extra.coef_h) + (tor_gidx)comp_axis(comp_mine) * s.nzp;
#pragma unroll
        for (int k = 0; k < 2; k++) {
          if (cls & TOR_COL_INJECT) inject[k] = extra.inject[comp_mine + k];
          if (cls & TOR_COL_RECORD && now().sampled) record[k] = extra.record[comp_mine + k];
        }
      }
    }
    const int slot_mine = slot_of(u + v, u - v);
    for (int i = 0; i < SITES; i++) {
      const int comp = __shfl_sync(~0u, comp_mine, i), slot = __shfl_sync(~0u, slot_mine, i);
      const int first_inject = __shfl_sync(~0u, inject[0], i), past_inject = __shfl_sync(~0u, inject[1], i);
      const int first_record = __shfl_sync(~0u, record[0], i), past_record = __shfl_sync(~0u, record[1], i);
      const real *const coef = (const real *)__shfl_sync(~0u, (unsigned long long)coef_mine, i);
      if (comp < 0) continue;
      real *const values = smem().field[comp][slot];
      for (int n = first_inject; n < past_inject; n++) {
        const struct tor_inject in = s.inject[n];
        const real *const row = inject_row(s, in, step);
        for (int k = lane; k < in.nz; k += WARP) {
          const int at_z = in.z0 + k, here = at_z - span.first;
          if ((HALF && comp != TOR_EZ && at_z == s.zero_z) || here < 0 || here >= span.count) continue;
          values[here] = inject_point(s, in, row, k, coef[at_z], values[here]);
        }
        __syncwarp();
      }
      for (int n = first_record; n < past_record; n++) {
        const tor_record of = s.record[n];
        const tor_gpu_group &group = s.group[of.group];
        const int sample = group.sample[step];
        if (sample < 0) continue;
        for (int k = lane; k < of.nz; k += WARP) {
          const int here = of.z0 + k - span.first;
          if (here >= 0 && here < span.count) store_sample(group, sample, of.offset + k, values[here]);
        }
      }
    }
  }
};

/* Code that few tiles or steps need is compiled separately: inlined, it would cost registers in the code that all need.
 */
template <int HALF> static __device__ __noinline__ void smem_lists(smem_extras worker) {
  worker.work_off_lists<HALF>();
}
template <int HALF> static __device__ __noinline__ void smem_nodes(smem_extras worker) {
  if (HALF)
    worker.inject_at_nodes();
  else
    worker.advance_nodes();
}
template <int HALF> static __device__ __noinline__ void smem_records(smem_extras worker) {
  worker.record_planes<HALF>();
}

} // namespace

#endif
