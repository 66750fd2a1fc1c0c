/* Two of the warps that serve a tray: they look up what the next step needs of the columns' media, of planes that
 * inject and of layers. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_PREFETCH_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_PREFETCH_CUH

#include "diamond/gpu/tower_smem/smem_tile.cuh"

namespace {

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
  if (coef >= 0)
    lanes = number >= 0 ? s.coef_lanes[((tor_gidx)number * 3 + comp) * s.trays + span.rank]
                        : ~(uint64_t)0 >> (2 * WARP - span.past());
  const int own = (int)(coef / 16) + comp * (s.nzp / 16);
  if (coef >= 0) bulk_prefetch(s.coef + (tor_gidx)own * 16 + span.first, span.bytes());
  tray_media is[2] = {{own, (unsigned)lanes, 0}, {own, (unsigned)(lanes >> WARP), 0}};
#pragma unroll
  for (int k = 0; k < TOR_GPU_STRANDS; k++) {
    tor_gpu_strand strand = {};
    if (number >= 0) strand = s.strand[((tor_gidx)number * 3 + comp) * TOR_GPU_STRANDS + k];
    t.strand[slot][k] = strand;
    if (strand.count) { /* a step before it is needed */
      bulk_prefetch((const vec *)s.state + strand.state,
                    (t.medium[strand.medium].nstate + (strand.charged != 0)) * strand.count * (unsigned)sizeof(vec));
      bulk_prefetch((const vec *)s.weight + strand.weight,
                    (strand.charged ? TOR_BRANCH_WEIGHTS : 1) * strand.count * (unsigned)sizeof(vec));
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int at = strand.from - span.first / V - half * WARP, from = min(max(at, 0), (int)WARP),
                past = min(max(at + strand.count, 0), (int)WARP);
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
      const int at = strand.from - span.first / V, from = max(-at, 0) / TRAY_CHUNK,
                end = min((int)strand.count, span.past() - at);
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
      for (int chunk = 0; chunk < count; chunk++)
        to.chunk[first + chunk] = (uint16_t)(slot | k << 7 | (from + chunk) << 8);
    }
  }
  if (lane == 0) to.chunks = listed;
}

/* What planes inject at the sites of a step, a plane and a site a lane and turn; what is loaded for several turns is
 * under way at once. */
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
      const bool on = here >= 0 && here < span.count && comp_at(half, at.u, at.v) == plane.comp &&
                      inside(s, at.u, at.v) && !(half && axis != TOR_Z && plane.z == 0);
      to.inject_at[k][number] =
          (uint16_t)(on ? (plane.comp * TRAY_SLOTS + slot_of(at.u + at.v, at.u - at.v)) * TRAY_ROW + here
                        : TRAY_NOWHERE);
      if (!on) continue;
      if (half) own[n] = s.coef_at[column_of(s, at.u, at.v)];
      value[n] = plane.table[(tor_gidx)step * plane.width + plane.index + plane.along[0] * (at.u >> 1) +
                             plane.along[1] * (at.v >> 1)];
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
  if (needs & (axis == TOR_X ? TRAY_LAYERS_X : TRAY_LAYERS_Y) && at >= s.first[axis] && at <= s.last[axis])
    is.index = s.cpml[axis].index[at >> 1];
  if (is.index >= 0) is = {is.index, s.cpml[axis].ik[at], s.cpml[axis].b[at], s.cpml[axis].c[at]};
  to.half_cell[axis][i] = is;
}

/* By one of the warps that look up. known: what has been looked up of the tile's sites in the step before; step: of the
 * launch, which begins at first_step of the stage. */
POINT_FN void look_up(const tor_gpu_view &s, const tray_span &span, const tray_tower &tower, unsigned needs,
                      unsigned known, int first_step, int step) {
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
POINT_FN void look_up_steps(const tor_gpu_view &s, const tray_span &span, const tray_tower &tower, int first_step,
                            const Needs &needs_of) {
  unsigned known = 0, needs = needs_of(tower.first);
#pragma unroll 1
  for (int step = tower.first - 1; step < tower.past; step++) {
    const unsigned next = step + 2 < tower.past ? needs_of(step + 2) : 0;
    if (step + 1 < tower.past) look_up(s, span, tower, needs, known, first_step, step + 1);
    known = needs;
    needs = next;
    if (step < tower.first)
      sync_tower(span.nblock);
    else
      wait_at(TRAY_STEP, TRAY_AT_STEP); /* the step has read what is filled from now on */
  }
}

} // namespace

#endif
