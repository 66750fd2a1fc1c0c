/* Two of the helper warps of a shared-memory tower: one loads the values that the tile borrows, one stores the values
 * that leave the tile and publishes the progress. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_HELPER_WARPS_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_HELPER_WARPS_CUH

#include "diamond/gpu/tower_smem/smem_tile.cuh"

namespace {

/* Copied in place of rows beyond the slab. */
alignas(16) static __device__ real smem_no_row[SMEM_ROW];

/* Memory of CPML along z in the block: of the lower and the upper layer, where it begins among the slab's and the
 * tile's values, bytes. */
struct smem_psi_part {
  int from[2], to[2];
  unsigned bytes[2];
  __device__ __forceinline__ smem_psi_part(const tor_gpu_view &s, const smem_span &span) {
    from[0] = to[0] = 0;
    from[1] = s.zlo + s.layers.hi0 - s.zhi0;
    to[1] = s.layers.lo;
    bytes[0] = (unsigned)(span.has_below() ? 0 : s.layers.lo) * (unsigned)sizeof(real);
    bytes[1] = (unsigned)(span.has_above() ? 0 : s.layers.hi) * (unsigned)sizeof(real);
  }
  __device__ __forceinline__ unsigned all() const { return bytes[0] + bytes[1]; }
};
POINT_FN bool has_memory(const tor_gpu_view &s, int u, int v) {
  return u >= 0 && u <= 2 * s.n[0] && v >= 0 && v <= 2 * s.n[1];
}

/* --- Loads --- */
/* Borrows the vectors of a field at the rim of the square lo <= p, q < lo + WIDTH, in the frame at (u0, v0); memory
 * of CPML along z where p, q >= own, which the tile advances. ISSUES: else only counts, returns their bytes. */
template <int HALF, int WIDTH, int INNER, bool ISSUES>
POINT_FN unsigned borrow(const tor_gpu_view &s, const smem_span &span, int u0, int v0, int lo, int own,
                         uint64_t *barrier) {
  typedef smem_halo<WIDTH, INNER> rim;
  const int lane = threadIdx.x % WARP, npz = s.zlo + s.zhi;
  const smem_psi_part psi(s, span);
  const bool has_beside = SMEM_TALL && (HALF ? span.has_above() : span.has_below());
  const int z_beside = HALF ? span.first + span.count : span.first - SMEM_BESIDE;
  unsigned rows = 0, psis = 0, besides = 0;
#pragma unroll 1
  for (int i = lane; i < (rim::COUNT + WARP - 1) / WARP * WARP; i += WARP) {
    const rim at(lo, i);
    const int u = u0 + at.u, v = v0 + at.v;
    const int comp = i < rim::COUNT ? comp_at(HALF, u, v) : -1;
    const bool across = comp >= 0 && comp_axis(comp) != TOR_Z,
               has_psi = across && psi.all() && at.p >= own && at.q >= own;
    if (ISSUES) {
      if (comp < 0) continue;
      const int slot = slot_of(u + v, u - v);
      const bool memory = has_memory(s, u, v);
      const tor_gidx column = memory ? column_of(s, u, v) : 0;
      const real *const row = memory ? s.field + (column * TOR_NCOMP + comp) * s.nzp : nullptr;
      bulk_load(smem().field[comp][slot], memory ? row + span.first : smem_no_row, span.bytes(), barrier);
      for (int k = 0; k < 2; k++)
        if (has_psi && psi.bytes[k])
          bulk_load(&smem().psi[smem_psi_of(comp)][slot][psi.to[k]],
                    memory ? s.psi[TOR_Z] + (column * 4 + smem_psi_of(comp)) * npz + psi.from[k] : smem_no_row,
                    psi.bytes[k], barrier);
      if (has_beside && across)
        bulk_load(smem().beside[smem_psi_of(comp)][slot], memory ? row + z_beside : smem_no_row,
                  SMEM_BESIDE * (unsigned)sizeof(real), barrier);
    } else {
      rows += (unsigned)__popc(__ballot_sync(~0u, comp >= 0));
      psis += (unsigned)__popc(__ballot_sync(~0u, has_psi));
      besides += (unsigned)__popc(__ballot_sync(~0u, has_beside && across));
    }
  }
  return rows * span.bytes() + psis * psi.all() + besides * SMEM_BESIDE * (unsigned)sizeof(real);
}

POINT_FN void wait_for_neighbours(int steps) {
  const int lane = threadIdx.x % WARP;
  if (lane < tower_dependency::NEIGHBOURS) smem().dependency[lane].wait(steps);
  __syncwarp();
}

/* --- Stores --- */
/* Stores the vectors of a field at the lower rim of the tile's points, all but INNER columns of p and q. */
template <int HALF, int INNER> POINT_FN void leave(const tor_gpu_view &s, const smem_span &span, int u0, int v0) {
  typedef smem_halo<SMEM_TILE, INNER> rim;
  const int lane = threadIdx.x % WARP, npz = s.zlo + s.zhi;
  const smem_psi_part psi(s, span);
#pragma unroll 1
  for (int i = lane; i < rim::COUNT; i += WARP) {
    const rim at(HALF ? 2 * SMEM_S : SMEM_S, i, true);
    const int u = u0 + at.u, v = v0 + at.v, comp = comp_at(HALF, u, v);
    if (comp < 0 || !inside(s, u, v)) continue;
    const int slot = slot_of(u + v, u - v);
    const tor_gidx column = column_of(s, u, v);
    bulk_store(s.field + (column * TOR_NCOMP + comp) * s.nzp + span.first, smem().field[comp][slot], span.bytes());
    for (int k = 0; k < 2; k++)
      if (psi.bytes[k] && comp_axis(comp) != TOR_Z)
        bulk_store(s.psi[TOR_Z] + (column * 4 + smem_psi_of(comp)) * npz + psi.from[k],
                   &smem().psi[smem_psi_of(comp)][slot][psi.to[k]], psi.bytes[k]);
  }
}

/* Stores the vectors that leave after a half-step; after the last one all of them. */
template <int HALF> POINT_FN void leave(const tor_gpu_view &s, const smem_span &span, int u0, int v0, bool last) {
  if (last)
    leave<HALF, 0>(s, span, u0, v0);
  else
    leave<HALF, SMEM_TILE - 2 * SMEM_S>(s, span, u0, v0);
}

/* The cluster's first block publishes a step when all blocks have stored it. */
POINT_FN void store_bands(const tor_gpu_view &s, const smem_span &span, const smem_tower &tower, int *done) {
  smem_storage &t = smem();
  int *const stored_by = cg::this_cluster().map_shared_rank(&t.stored_by[span.rank], 0);
  const int lane = threadIdx.x % WARP;
  for (int step = tower.first; step < tower.past; step++) {
    const bool last = step + 1 == tower.past;
    wait_for_threads(&t.h_done, step + 1);
    leave<0>(s, span, tower.u0(step), tower.v0, last);
    if (SMEM_ORDER == 4) {
      bulk_stores_read();
      __syncwarp();
      if (lane == 0) signal_threads(&t.h_stored, step + 1);
    }
    wait_for_threads(&t.e_done, step + 1);
    leave<1>(s, span, tower.u0(step), tower.v0, last);
    bulk_stores_read();
    __syncwarp();
    if (lane == 0) signal_threads(&t.stored, step + 1);
    bulk_stores_done();
    fence_bulk();
    __syncwarp();
    if (span.rank) {
      if (lane == 0) signal_block(stored_by, step + 1);
    } else {
      if (SMEM_TALL) wait_for_signal(lane && lane < span.nblock, &t.stored_by[lane % TOR_GPU_MOST_BLOCKS], step + 1);
      __syncwarp();
      if (lane == 0) publish(done, last ? INT_MAX : step + 1);
    }
  }
}

/* --- The warp that loads --- */
/* band: number of the tower's first step among those of the kernel's life. All warps of a tower of several blocks wait
 * for the values that the first step needs: values that blocks then send each other must not be overwritten. */
POINT_FN void load_bands(const tor_gpu_view &s, const smem_span &span, const smem_tower &tower, int band) {
  smem_storage &t = smem();
  const int lane = threadIdx.x % WARP, v0 = tower.v0;
  constexpr int S = SMEM_S, READS = SMEM_READS, TILE = SMEM_TILE;
  const int row_u = tower.row_u; /* the positions of the components are the same in all steps */
  const unsigned e_bytes = borrow<1, READS, TILE, false>(s, span, row_u, v0, 0, 2 * S, nullptr),
                 h_bytes = borrow<0, READS, TILE, false>(s, span, row_u, v0, S, 3 * S, nullptr);
  wait_for_neighbours(tower.first + 1);
  {
    uint64_t *const came = &t.e_came[band & 1];
    const unsigned bytes = borrow<1, READS, 0, false>(s, span, row_u, v0, 0, 2 * S, nullptr) +
                           borrow<0, TILE, 0, false>(s, span, row_u, v0, S, S, nullptr);
    if (lane == 0) barrier_expect(came, bytes);
    __syncwarp();
    borrow<1, READS, 0, true>(s, span, tower.u0(tower.first), v0, 0, 2 * S, came);
    borrow<0, TILE, 0, true>(s, span, tower.u0(tower.first), v0, S, S, came);
    if (SMEM_TALL) {
      barrier_wait(came, (unsigned)band >> 1 & 1);
      sync_tower(span.nblock);
    }
  }
  for (int step = tower.first; step < tower.past; step++, band++) {
    wait_for_neighbours(step + 1);
    if (SMEM_ORDER == 4) { /* the slots of these vectors had those that E of the step before read, or that left then */
      wait_for_threads(&t.e_done, step);
      wait_for_threads(&t.h_stored, step);
    } else { /* those that left two steps ago */
      wait_for_threads(&t.stored, step - 1);
    }
    if (lane == 0) barrier_expect(&t.h_came[band & 1], h_bytes);
    __syncwarp();
    borrow<0, READS, TILE, true>(s, span, tower.u0(step), v0, S, 3 * S, &t.h_came[band & 1]);
    if (step + 1 == tower.past) break;
    if (SMEM_ORDER == 4) {
      wait_for_threads(&t.h_done, step + 1);
      wait_for_threads(&t.stored, step);
    } else {
      wait_for_threads(&t.h_done, step); /* the step before has read E there */
    }
    if (lane == 0) barrier_expect(&t.e_came[(band + 1) & 1], e_bytes);
    __syncwarp();
    borrow<1, READS, TILE, true>(s, span, tower.u0(step + 1), v0, 0, 2 * S, &t.e_came[(band + 1) & 1]);
  }
}

} // namespace

#endif
