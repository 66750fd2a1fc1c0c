/* Records of a shared-memory tower, and injections by the columns' lists; plane sources are applied in
 * smem_sites_order2.cuh and smem_sites_order4.cuh. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_EXTRAS_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_EXTRAS_CUH

#include "diamond/gpu/tower_smem/smem_poles.cuh"
#include "diamond/gpu/view/nodes.cuh"
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
    __device__ __forceinline__ real operator()(int comp, int u, int v, int z) const {
      return smem().field[comp][slot_of(u + v, u - v)][z];
    }
  };

  /* Surface nodes of H's half-step: of each point of the tile the node that goes with it, a warp a node. */
  __device__ __forceinline__ void advance_nodes() const {
    typedef smem_point<SMEM_TILE> point;
    for (int number = warp; number < point::COUNT; number += SMEM_WARPS) {
      const point at(SMEM_S, number);
      if (!inside(s, u0 + at.u, v0 + at.v)) continue;
      const int u = node_with(s, TOR_X, u0 + at.u), v = node_with(s, TOR_Y, v0 + at.v);
      if (u < 0 || v < 0) continue;
      const node_run run = nodes_of(s, column_of(s, u, v));
      for (int k = lane; k < run.nz; k += WARP) advance_node(s, run, u, v, k, field_in_tile{});
    }
  }
  /* The currents of the nodes beside E's sites, a warp a site. */
  __device__ __forceinline__ void inject_at_nodes() const {
    typedef smem_point<SMEM_TILE> point;
    for (int number = warp; number < point::COUNT; number += SMEM_WARPS) {
      const point at(2 * SMEM_S, number);
      const int u = u0 + at.u, v = v0 + at.v, comp = comp_at(1, u, v);
      if (comp < 0 || !inside(s, u, v)) continue;
      const tor_gidx column = column_of(s, u, v);
      const unsigned cls = s.cls[column];
      if (!(cls & TOR_COL_AT_NODES)) continue;
      const real *const coef = cls & TOR_COL_COEF_E
                                   ? s.coef + s.extra[s.extra_id[column]].coef_e + (tor_gidx)comp * s.nzp
                                   : s.cb + (tor_gidx)comp * s.nzp;
      real *const values = smem().field[comp][slot_of(u + v, u - v)];
      for (int end = 0; end < 2; end++) {
        const node_run run = nodes_at_end(s, comp, u, v, end);
        for (int k = lane; k < run.nz; k += WARP) {
          const int at_z = run.z0 + k - (comp == TOR_EZ && end);
          if (at_z < 0 || at_z >= s.n[2] || (comp != TOR_EZ && at_z == 0)) continue;
          values[at_z] = inject_nodes(run, comp, end, at_z, coef[at_z], values[at_z]);
        }
        __syncwarp();
      }
    }
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
          if ((HALF && comp != TOR_EZ && at_z == 0) || here < 0 || here >= span.count) continue;
          values[here] = inject_point(in, row, k, coef[at_z], values[here]);
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
