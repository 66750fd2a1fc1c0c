/* The warps that serve a tray: one brings what the tile borrows, one stores what leaves the tile and reports, two look up what the next
 * step needs. */
#ifndef TOR_TRAY_SERVE_CUH
#define TOR_TRAY_SERVE_CUH

#include "tray_gpu.cuh"

namespace {

/* Copied in place of rows beyond the slab. */
alignas(16) static __device__ real tray_no_row[TRAY_ROW];

/* Memory of CPML along z in the block: where it begins among the slab's, bytes. */
struct tray_memory_part {
  int from;
  unsigned bytes;
  __device__ __forceinline__ tray_memory_part(const tor_gpu_view &s, const tray_span &span) {
    from = span.has_below() ? s.zlo : 0;
    bytes = (unsigned)((span.has_below() ? 0 : s.zlo) + (span.has_above ? 0 : s.zhi)) * (unsigned)sizeof(real);
  }
};
POINT_FN bool has_memory(const tor_gpu_view &s, int u, int v) { return u >= 0 && u <= 2 * s.n[0] && v >= 0 && v <= 2 * s.n[1]; }

/* --- What comes --- */
/* Borrows the vectors of a field at the rim of the square lo <= p, q < lo + WIDTH, in the frame at (u0, v0); memory
 * of CPML along z where p, q >= own, which the tile advances. ISSUES: else only counts, returns their bytes. */
template <int HALF, int WIDTH, int INNER, bool ISSUES>
POINT_FN unsigned borrow(const tor_gpu_view &s, const tray_span &span, int u0, int v0, int lo, int own, uint64_t *barrier) {
  typedef tray_rim<WIDTH, INNER> rim;
  const int lane = threadIdx.x % WARP, npz = s.zlo + s.zhi;
  const tray_memory_part psi(s, span);
  const bool has_beside = TRAY_TALL && (HALF ? span.has_above : span.has_below());
  const int z_beside = HALF ? span.first + span.count : span.first - TRAY_BESIDE;
  unsigned rows = 0, psis = 0, besides = 0;
#pragma unroll 1
  for (int i = lane; i < (rim::COUNT + WARP - 1) / WARP * WARP; i += WARP) {
    const rim at(lo, i);
    const int u = u0 + at.u, v = v0 + at.v;
    const int comp = i < rim::COUNT ? comp_at(HALF, u, v) : -1;
    const bool across = comp >= 0 && comp_axis(comp) != TOR_Z, has_psi = across && psi.bytes && at.p >= own && at.q >= own;
    if (ISSUES) {
      if (comp < 0) continue;
      const int slot = slot_of(u + v, u - v);
      const bool memory = has_memory(s, u, v);
      const tor_gidx column = memory ? column_of(s, u, v) : 0;
      const real *const row = memory ? s.field + (column * TOR_NCOMP + comp) * s.nzp : nullptr;
      bulk_load(tray().field[comp][slot], memory ? row + span.first : tray_no_row, span.bytes(), barrier);
      if (has_psi)
        bulk_load(&tray().psi[tray_psi_of(comp)][slot][psi.from],
                  memory ? s.psi[TOR_Z] + (column * 4 + tray_psi_of(comp)) * npz + psi.from : tray_no_row, psi.bytes, barrier);
      if (has_beside && across)
        bulk_load(tray().beside[tray_psi_of(comp)][slot], memory ? row + z_beside : tray_no_row, TRAY_BESIDE * (unsigned)sizeof(real), barrier);
    } else {
      rows += (unsigned)__popc(__ballot_sync(~0u, comp >= 0));
      psis += (unsigned)__popc(__ballot_sync(~0u, has_psi));
      besides += (unsigned)__popc(__ballot_sync(~0u, has_beside && across));
    }
  }
  return rows * span.bytes() + psis * psi.bytes + besides * TRAY_BESIDE * (unsigned)sizeof(real);
}

POINT_FN void wait_for_neighbours(int steps) {
  const int lane = threadIdx.x % WARP;
  if (lane < tower_watch::NEIGHBOURS) tray().watch[lane].wait(steps);
  __syncwarp();
}

/* --- What leaves --- */
/* Stores the vectors of a field at the lower rim of the tile's points, all but INNER columns of p and q. */
template <int HALF, int INNER> POINT_FN void leave(const tor_gpu_view &s, const tray_span &span, int u0, int v0) {
  typedef tray_rim<TRAY_TILE, INNER> rim;
  const int lane = threadIdx.x % WARP, npz = s.zlo + s.zhi;
  const tray_memory_part psi(s, span);
#pragma unroll 1
  for (int i = lane; i < rim::COUNT; i += WARP) {
    const rim at(HALF ? 2 * TRAY_S : TRAY_S, i, true);
    const int u = u0 + at.u, v = v0 + at.v, comp = comp_at(HALF, u, v);
    if (comp < 0 || !inside(s, u, v)) continue;
    const int slot = slot_of(u + v, u - v);
    const tor_gidx column = column_of(s, u, v);
    bulk_store(s.field + (column * TOR_NCOMP + comp) * s.nzp + span.first, tray().field[comp][slot], span.bytes());
    if (psi.bytes && comp_axis(comp) != TOR_Z)
      bulk_store(s.psi[TOR_Z] + (column * 4 + tray_psi_of(comp)) * npz + psi.from, &tray().psi[tray_psi_of(comp)][slot][psi.from], psi.bytes);
  }
}

/* What leaves behind a half-step: all behind the last one. */
template <int HALF> POINT_FN void leave(const tor_gpu_view &s, const tray_span &span, int u0, int v0, bool last) {
  if (last)
    leave<HALF, 0>(s, span, u0, v0);
  else
    leave<HALF, TRAY_TILE - 2 * TRAY_S>(s, span, u0, v0);
}

/* The cluster's first block reports when all have stored. */
POINT_FN void store_bands(const tor_gpu_view &s, const tray_span &span, const tray_tower &tower, int nblock, int *done) {
  tray_memory &t = tray();
  int *const told = cg::this_cluster().map_shared_rank(&t.stored_by[span.rank], 0);
  const int lane = threadIdx.x % WARP;
  for (int step = tower.first; step < tower.past; step++) {
    const bool last = step + 1 == tower.past;
    wait_for_threads(&t.h_done, step + 1);
    leave<0>(s, span, tower.u0(step), tower.v0, last);
    if (TRAY_ORDER == 4) {
      bulk_stores_read();
      __syncwarp();
      if (lane == 0) tell_threads(&t.h_stored, step + 1);
    }
    wait_for_threads(&t.e_done, step + 1);
    leave<1>(s, span, tower.u0(step), tower.v0, last);
    bulk_stores_read();
    __syncwarp();
    if (lane == 0) tell_threads(&t.stored, step + 1);
    bulk_stores_done();
    fence_bulk();
    __syncwarp();
    if (span.rank) {
      if (lane == 0) tell_block(told, step + 1);
    } else {
      if (TRAY_TALL) wait_until_told(lane && lane < nblock, &t.stored_by[lane % TOR_GPU_MOST_BLOCKS], step + 1);
      __syncwarp();
      if (lane == 0) publish(done, last ? INT_MAX : step + 1);
    }
  }
}

/* --- What is looked up --- */
/* Own coefficients and strands of an E site that comes into the tile of a step. */
POINT_FN void look_up_site(const tor_gpu_view &s, const tray_span &span, int u, int v) {
  tray_memory &t = tray();
  const int comp = comp_at(1, u, v);
  if (comp < 0) return;
  const int slot = comp * TRAY_SLOTS + slot_of(u + v, u - v);
  tor_gidx coef = -1;
  int number = -1;
  if (inside(s, u, v)) {
    const tor_gidx column = column_of(s, u, v);
    coef = s.coef_at[column];
    number = s.strand_at[column];
  }
  uint64_t lanes = 0;
  if (coef >= 0) lanes = number >= 0 ? s.coef_lanes[((tor_gidx)number * 3 + comp) * s.trays + span.rank] : ~(uint64_t)0 >> (2 * WARP - span.past());
  const int own = (int)(coef / 16) + comp * (s.nzp / 16);
  if (coef >= 0) bulk_prefetch(s.coef + (tor_gidx)own * 16 + span.first, span.bytes());
  tray_media is[2] = {{own, (unsigned)lanes, 0}, {own, (unsigned)(lanes >> WARP), 0}};
#pragma unroll
  for (int k = 0; k < TOR_GPU_STRANDS; k++) {
    tor_gpu_strand strand = {};
    if (number >= 0) strand = s.strand[((tor_gidx)number * 3 + comp) * TOR_GPU_STRANDS + k];
    t.strand[slot][k] = strand;
    if (strand.count) { /* a step before it is needed */
      bulk_prefetch((const vec *)s.state + strand.state, (t.medium[strand.medium].nstate + (strand.charged != 0)) * strand.count * (unsigned)sizeof(vec));
      bulk_prefetch((const vec *)s.weight + strand.weight, (strand.charged ? TOR_BRANCH_WEIGHTS : 1) * strand.count * (unsigned)sizeof(vec));
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int at = strand.from - span.first / V - half * WARP, from = min(max(at, 0), (int)WARP), past = min(max(at + strand.count, 0), (int)WARP);
      is[half].poles |= (unsigned)((1ull << past) - (1ull << from));
    }
  }
  t.media[0][slot] = is[0];
  t.media[1][slot] = is[1];
}

/* Shares out what the block has of the strands of the tile's sites, in chunks. */
POINT_FN void list_chunks(tray_step &to, const tray_span &span, int u0, int v0) {
  tray_memory &t = tray();
  const int lane = threadIdx.x % WARP;
  int listed = 0;
  typedef tray_point<TRAY_TILE> point;
#pragma unroll 1
  for (int i = lane; i < (point::COUNT + WARP - 1) / WARP * WARP; i += WARP) {
    const point at(2 * TRAY_S, min(i, point::COUNT - 1));
    const int u = u0 + at.u, v = v0 + at.v, comp = i < point::COUNT ? comp_at(1, u, v) : -1;
    const int slot = max(comp, 0) * TRAY_SLOTS + slot_of(u + v, u - v);
#pragma unroll
    for (int k = 0; k < TOR_GPU_STRANDS; k++) {
      const tor_gpu_strand &strand = t.strand[slot][k];
      const int at = strand.from - span.first / V, from = max(-at, 0) / TRAY_CHUNK, end = min((int)strand.count, span.past() - at);
      const int count = comp < 0 ? 0 : max((end + TRAY_CHUNK - 1) / TRAY_CHUNK - from, 0);
      if (!__any_sync(~0u, count)) continue;
      int past = count;
#pragma unroll
      for (int by = 1; by < WARP; by *= 2) {
        const int before = __shfl_up_sync(~0u, past, by);
        if (lane >= by) past += before;
      }
      const int first = listed + past - count;
      listed += __shfl_sync(~0u, past, WARP - 1);
      for (int chunk = 0; chunk < count; chunk++) to.chunk[first + chunk] = (uint16_t)(slot | k << 7 | (from + chunk) << 8);
    }
  }
  if (lane == 0) to.chunks = listed;
}

/* What planes inject at the sites of a step, a plane and a site a lane and turn; what is loaded for several turns is under way at once. */
POINT_FN void look_up_planes(const tor_gpu_view &s, const tray_span &span, tray_step &to, int step, int u0, int v0) {
  enum { TURNS = TRAY_ORDER == 4 ? 3 : 2 };
  const tray_memory &t = tray();
  const int count = past_plane(1) * TRAY_SITES;
#pragma unroll 1
  for (int done = threadIdx.x % WARP; done - (int)(threadIdx.x % WARP) < count; done += TURNS * WARP) {
    tor_gidx own[TURNS];
    real value[TURNS];
#pragma unroll
    for (int n = 0; n < TURNS; n++) {
      own[n] = -1;
      value[n] = 0;
      const int i = done + n * WARP, number = i % TRAY_SITES, k = i / TRAY_SITES;
      if (i >= count) continue;
      const tray_inject &plane = t.plane[k];
      const int half = !comp_is_h(plane.comp), axis = comp_axis(plane.comp);
      const tray_site at = numbered_site(half, axis, number, u0, v0);
      const int here = plane.z - span.first;
      const bool on = here >= 0 && here < span.count && comp_at(half, at.u, at.v) == plane.comp && inside(s, at.u, at.v) &&
                      !(half && axis != TOR_Z && plane.z == 0);
      to.inject_at[k][number] = (uint16_t)(on ? (plane.comp * TRAY_SLOTS + slot_of(at.u + at.v, at.u - at.v)) * TRAY_ROW + here : TRAY_NOWHERE);
      if (!on) continue;
      if (half) own[n] = s.coef_at[column_of(s, at.u, at.v)];
      value[n] = plane.table[(tor_gidx)step * plane.width + plane.index + plane.along[0] * (at.u >> 1) + plane.along[1] * (at.v >> 1)];
    }
#pragma unroll
    for (int n = 0; n < TURNS; n++) {
      const int i = done + n * WARP, number = i % TRAY_SITES, k = i / TRAY_SITES;
      if (i >= count) continue;
      const tray_inject &plane = t.plane[k];
      const real *const cb = own[n] < 0 ? s.cb + plane.comp * s.nzp : s.coef + own[n] + comp_axis(plane.comp) * s.nzp;
      to.inject_cb[k][number] = cb[plane.z];
      to.injected[k][number] = plane.factor * value[n];
    }
  }
}

/* The half cells of a step's tile in layers along x and y, one a lane. */
POINT_FN void look_up_half_cells(const tor_gpu_view &s, tray_step &to, unsigned needs, int u0, int v0) {
  const int lane = threadIdx.x % WARP, axis = lane / TRAY_HALF_CELLS, i = lane % TRAY_HALF_CELLS;
  const int at = axis == TOR_X ? u0 + i : v0 + i - TRAY_R - 1;
  tray_half_cell is = {-1, 0, 0, 0};
  if (needs & (axis == TOR_X ? TRAY_LAYERS_X : TRAY_LAYERS_Y) && at >= s.first[axis] && at <= s.last[axis]) is.index = s.cpml[axis].index[at >> 1];
  if (is.index >= 0) is = {is.index, s.cpml[axis].ik[at], s.cpml[axis].b[at], s.cpml[axis].c[at]};
  to.half_cell[axis][i] = is;
}

/* By one of the warps that look up. known: what has been looked up of the tile's sites in the step before; step: of the launch, which
 * begins at first_step of the stage. */
POINT_FN void look_up(const tor_gpu_view &s, const tray_span &span, const tray_tower &tower, unsigned needs, unsigned known, int first_step, int step) {
  tray_step &to = tray().step[step & 1];
  const int u0 = tower.u0(step), v0 = tower.v0, lane = threadIdx.x % WARP;
  if (threadIdx.x / WARP == TRAY_LOOKS) {
    if (needs & TRAY_MEDIA && !(known & TRAY_MEDIA)) {
#pragma unroll 1
      for (int i = lane; i < tray_point<TRAY_TILE>::COUNT; i += WARP) {
        const tray_point<TRAY_TILE> at(2 * TRAY_S, i);
        look_up_site(s, span, u0 + at.u, v0 + at.v);
      }
    } else if (needs & TRAY_MEDIA) { /* what is known of the others is being read */
      typedef tray_rim<TRAY_TILE, TRAY_TILE - 2 * TRAY_S> rim;
#pragma unroll 1
      for (int i = lane; i < rim::COUNT; i += WARP) {
        const rim at(2 * TRAY_S, i);
        look_up_site(s, span, u0 + at.u, v0 + at.v);
      }
    }
    __syncwarp();
    if (needs & TRAY_POLES) list_chunks(to, span, u0, v0);
  } else {
    if (lane == 0) {
      to.needs = needs;
      to.sampled = s.sampled[first_step + step];
    }
    look_up_half_cells(s, to, needs, u0, v0);
    if (needs & TRAY_PLANES) look_up_planes(s, span, to, first_step + step, u0, v0);
  }
  __syncwarp();
}

/* For all steps of a tower, each while the one before is advanced; all of the tower wait for the first. */
template <class Needs>
POINT_FN void look_up_steps(const tor_gpu_view &s, const tray_span &span, const tray_tower &tower, int nblock, int first_step,
                            const Needs &needs_of) {
  unsigned known = 0, needs = needs_of(tower.first);
#pragma unroll 1
  for (int step = tower.first - 1; step < tower.past; step++) {
    const unsigned next = step + 2 < tower.past ? needs_of(step + 2) : 0;
    if (step + 1 < tower.past) look_up(s, span, tower, needs, known, first_step, step + 1);
    known = needs;
    needs = next;
    if (step < tower.first)
      sync_tower(nblock);
    else
      wait_at(TRAY_STEP, TRAY_AT_STEP); /* the step has read what is filled from now on */
  }
}

/* --- The warp that brings --- */
/* band: number of the tower's first step among those of the kernel's life. All of a tower of several blocks wait for what the first step needs:
 * what blocks then send each other must not be written over. */
POINT_FN void bring_bands(const tor_gpu_view &s, const tray_span &span, const tray_tower &tower, int nblock, int band) {
  tray_memory &t = tray();
  const int lane = threadIdx.x % WARP, v0 = tower.v0;
  constexpr int S = TRAY_S, READS = TRAY_READS, TILE = TRAY_TILE;
  const int row_u = tower.row_u; /* which components stand where is the same in all steps */
  const unsigned e_bytes = borrow<1, READS, TILE, false>(s, span, row_u, v0, 0, 2 * S, nullptr),
                 h_bytes = borrow<0, READS, TILE, false>(s, span, row_u, v0, S, 3 * S, nullptr);
  wait_for_neighbours(tower.first + 1);
  {
    uint64_t *const came = &t.e_came[band & 1];
    const unsigned bytes = borrow<1, READS, 0, false>(s, span, row_u, v0, 0, 2 * S, nullptr) + borrow<0, TILE, 0, false>(s, span, row_u, v0, S, S, nullptr);
    if (lane == 0) barrier_expect(came, bytes);
    __syncwarp();
    borrow<1, READS, 0, true>(s, span, tower.u0(tower.first), v0, 0, 2 * S, came);
    borrow<0, TILE, 0, true>(s, span, tower.u0(tower.first), v0, S, S, came);
    if (TRAY_TALL) {
      barrier_wait(came, (unsigned)band >> 1 & 1);
      sync_tower(nblock);
    }
  }
  for (int step = tower.first; step < tower.past; step++, band++) {
    wait_for_neighbours(step + 1);
    if (TRAY_ORDER == 4) { /* the slots of these vectors had those that E of the step before read, or that left then */
      wait_for_threads(&t.e_done, step);
      wait_for_threads(&t.h_stored, step);
    } else { /* those that left two steps ago */
      wait_for_threads(&t.stored, step - 1);
    }
    if (lane == 0) barrier_expect(&t.h_came[band & 1], h_bytes);
    __syncwarp();
    borrow<0, READS, TILE, true>(s, span, tower.u0(step), v0, S, 3 * S, &t.h_came[band & 1]);
    if (step + 1 == tower.past) break;
    if (TRAY_ORDER == 4) {
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
