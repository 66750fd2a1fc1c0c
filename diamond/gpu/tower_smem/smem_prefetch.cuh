/* Two of the helper warps of a shared-memory tower: they look up the next step's data of the columns' media, of planes
 * that inject and of CPML along x and y. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_PREFETCH_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_PREFETCH_CUH

#include "diamond/gpu/tower_smem/smem_tile.cuh"
#include "diamond/gpu/view/planes.cuh"

namespace {

/* Own coefficients and pole_segments of an E site that comes into the tile of a step. */
POINT_FN void prefetch_site(const tor_gpu_view &s, const smem_span &span, int u, int v) {
  smem_storage &t = smem();
  const int comp = comp_at(1, u, v);
  if (comp < 0) return;
  const int slot = comp * SMEM_SLOTS + slot_of(u + v, u - v);
  tor_gidx coef = -1;
  int number = -1;
  if (inside(s, u, v)) {
    const tor_gidx column = column_of(s, u, v);
    coef = s.coef_at[column];
    number = s.segment_at[column];
  }
  uint64_t lanes = 0;
  if (coef >= 0)
    lanes = number >= 0 ? s.coef_lanes[((tor_gidx)number * 3 + comp) * s.smem_blocks + span.rank]
                        : ~(uint64_t)0 >> (2 * WARP - span.past());
  const int own = (int)(coef / 16) + comp * (s.nzp / 16);
  if (coef >= 0) bulk_prefetch(s.coef + (tor_gidx)own * 16 + span.first, span.bytes());
  smem_media is[2] = {{own, (unsigned)lanes, 0}, {own, (unsigned)(lanes >> WARP), 0}};
#pragma unroll
  for (int k = 0; k < TOR_GPU_POLE_SEGMENTS; k++) {
    tor_gpu_pole_segment pole_segment = {};
    if (number >= 0) pole_segment = s.pole_segment[((tor_gidx)number * 3 + comp) * TOR_GPU_POLE_SEGMENTS + k];
    t.pole_segment[slot][k] = pole_segment;
    if (pole_segment.count) { /* a step before it is needed */
      bulk_prefetch((const vec *)s.state + pole_segment.state,
                    (t.medium[pole_segment.medium].nstate + (pole_segment.charged != 0)) * pole_segment.count *
                        (unsigned)sizeof(vec));
      bulk_prefetch((const vec *)s.weight + pole_segment.weight,
                    (pole_segment.charged ? TOR_BRANCH_WEIGHTS : 1) * pole_segment.count * (unsigned)sizeof(vec));
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int at = pole_segment.from - span.first / V - half * WARP, from = min(max(at, 0), (int)WARP),
                past = min(max(at + pole_segment.count, 0), (int)WARP);
      is[half].poles |= (unsigned)((1ull << past) - (1ull << from));
    }
  }
  t.media[0][slot] = is[0];
  t.media[1][slot] = is[1];
}

/* Divides the block's part of the pole_segments of the tile's sites into chunks. */
POINT_FN void list_chunks(smem_step &to, const smem_span &span, int u0, int v0) {
  smem_storage &t = smem();
  const int lane = threadIdx.x % WARP;
  int listed = 0;
  typedef smem_point<SMEM_TILE> point;
#pragma unroll 1
  for (int i = lane; i < (point::COUNT + WARP - 1) / WARP * WARP; i += WARP) {
    const point at(2 * SMEM_S, min(i, point::COUNT - 1));
    const int u = u0 + at.u, v = v0 + at.v, comp = i < point::COUNT ? comp_at(1, u, v) : -1;
    const int slot = max(comp, 0) * SMEM_SLOTS + slot_of(u + v, u - v);
#pragma unroll
    for (int k = 0; k < TOR_GPU_POLE_SEGMENTS; k++) {
      const tor_gpu_pole_segment &pole_segment = t.pole_segment[slot][k];
      const int at = pole_segment.from - span.first / V, from = max(-at, 0) / SMEM_CHUNK,
                end = min((int)pole_segment.count, span.past() - at);
      const int count = comp < 0 ? 0 : max((end + SMEM_CHUNK - 1) / SMEM_CHUNK - from, 0);
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
  if (lane == 0) to.chunks = (uint16_t)listed;
}

/* An edge of component comp at (u, v) beside the nodes of view.nodes[ends], -1: none there. Returns how many times V
 * values along z it takes. */
POINT_FN unsigned fill_edge(const tor_gpu_view &s, smem_edge &to, int comp, int u, int v, const int ends[2]) {
  const tor_gidx coef = s.coef_at[column_of(s, u, v)];
  int first = s.n[2], past = 0;
  to.cb = coef < 0 ? s.cb + (tor_gidx)comp * s.nzp : s.coef + coef + (tor_gidx)comp * s.nzp;
  to.comp = (uint16_t)comp;
  to.slot = (uint16_t)slot_of(u + v, u - v);
  for (int end = 0; end < 2; end++) {
    node_run run = no_nodes();
    if (ends[end] >= 0) run = node_run_of(s, s.nodes[ends[end]]);
    const int block = run.metal > 0 ? tor_node_states_of(run.metal) * METAL_ROW : 0, first_block = run.z0 / METAL_ROW;
    to.j[end] = run.state + (comp + tor_node_current_of(run.metal, end)) * run.pitch -
                (block ? first_block * block : first_in_row(run.z0));
    to.block[end] = (int16_t)block;
    to.gap[end] = (int16_t)(run.gap ? (first_block + run.gap0) * METAL_ROW : INT16_MAX);
    to.behind[end] = (int16_t)(run.gap ? to.gap[end] + run.gap * METAL_ROW : INT16_MAX);
    to.z0[end] = (int16_t)(run.z0 - (comp == TOR_EZ && end));
    to.nz[end] = (int16_t)run.nz;
    if (!run.nz) continue;
    first = min(first, (int)to.z0[end]);
    past = max(past, to.z0[end] + run.nz);
  }
  return (unsigned)(past - max(first, 0) / V * V + V - 1) / V;
}

/* Fetches a column's nodes into the second-level cache. */
POINT_FN void fetch_nodes(const node_run &run) {
  const int last = run.z0 + run.nz - 1,
            blocks = run.metal > 0 ? tor_metal_block(run.z0, run.gap0, run.gap, last) + 1 : 1;
  const unsigned bytes = (unsigned)(blocks * run.pitch) * (unsigned)sizeof(real);
  bulk_prefetch(run.state, (unsigned)tor_node_states_of(run.metal) * bytes);
  bulk_prefetch(run.weight, (unsigned)tor_node_weights_of(run.metal) * bytes);
}

/* The nodes and the edges beside nodes of a step. First a slot of Ez a lane, then a point of the tile. */
POINT_FN void list_nodes(const tor_gpu_view &s, smem_step &to, smem_node_list &list, int u0, int v0) {
  const int lane = threadIdx.x % WARP;
  const smem_site at = site_of_slot(lane, u0, v0);
  int mine = -1;
  unsigned parts = 0;
  if (at.u >= 0 && at.u <= 2 * s.n[0] && at.v >= 0 && at.v <= 2 * s.n[1]) mine = nodes_at(s, column_of(s, at.u, at.v));
  const bool own = mine >= 0 && nodes_in_tile(s, at.u, at.v, u0, v0, SMEM_S, SMEM_TILE);
  const int metal = own && s.nodes[mine].metal > 0;
  const unsigned flats = __ballot_sync(~0u, own && !metal), metals = __ballot_sync(~0u, metal);
  if (own) {
    const node_run run = node_run_of(s, s.nodes[mine]);
    list.nodes[metal ? __popc(flats) + bits_before(metals, lane) : bits_before(flats, lane)] = {run, at.u, at.v};
    parts = (unsigned)run.vectors;
    if (!nodes_in_tile(s, at.u, at.v, u0 - 2 * SMEM_S, v0, SMEM_S, SMEM_TILE)) /* it was not in the step before */
      fetch_nodes(run);
  }
  const unsigned longest[2] = {warp_uniform(metal ? 0 : parts), warp_uniform(metal ? parts : 0)};
  if (lane == 0) {
    to.nodes[0] = (uint8_t)__popc(flats);
    to.nodes[1] = (uint8_t)__popc(metals);
    to.node_parts[0] = (uint8_t)longest[0];
    to.node_parts[1] = (uint8_t)longest[1];
  }
  unsigned listed;
  int edges = 0;
  parts = 0;
  typedef smem_point<SMEM_TILE> point;
#pragma unroll 1
  for (int i = lane; i < (point::COUNT + WARP - 1) / WARP * WARP; i += WARP) {
    const point at(2 * SMEM_S, min(i, point::COUNT - 1));
    const int u = u0 + at.u, v = v0 + at.v, comp = i < point::COUNT && inside(s, u, v) ? comp_at(1, u, v) : -1;
    int ends[2];
    for (int end = 0; end < 2; end++) {
      const int shift = end ? 1 : -1, at_u = u + (comp == TOR_EX) * shift, at_v = v + (comp == TOR_EY) * shift;
      ends[end] = __shfl_sync(~0u, mine, comp < 0 ? 0 : slot_of(at_u + at_v, at_u - at_v));
    }
    const bool beside = comp >= 0 && (ends[0] >= 0 || ends[1] >= 0);
    listed = __ballot_sync(~0u, beside);
    if (beside) parts = max(parts, fill_edge(s, list.edge[edges + bits_before(listed, lane)], comp, u, v, ends));
    edges += __popc(listed);
  }
  parts = warp_uniform(parts);
  if (lane == 0) {
    to.edges = (uint8_t)edges;
    to.edge_parts = (uint8_t)parts;
  }
}

/* The values that planes inject at the sites of a step, a plane and a site a lane and turn; the loads of several turns
 * overlap. */
POINT_FN void prefetch_planes(const tor_gpu_view &s, const smem_span &span, smem_step &to, int step, int u0, int v0) {
  enum { TURNS = SMEM_ORDER == 4 ? 3 : 2 };
  const smem_storage &t = smem();
  const int count = past_plane(1) * SMEM_SITES;
#pragma unroll 1
  for (int done = threadIdx.x % WARP; done - (int)(threadIdx.x % WARP) < count; done += TURNS * WARP) {
    tor_gidx own[TURNS];
    real value[TURNS];
#pragma unroll
    for (int n = 0; n < TURNS; n++) {
      own[n] = -1;
      value[n] = 0;
      const int i = done + n * WARP, number = i % SMEM_SITES, k = i / SMEM_SITES;
      if (i >= count) continue;
      const smem_inject &plane = t.plane[k];
      const int half = !comp_is_h(plane.comp), axis = comp_axis(plane.comp);
      const smem_site at = numbered_site(half, axis, number, u0, v0);
      const int here = plane.z - span.first;
      const bool on = here >= 0 && here < span.count && comp_at(half, at.u, at.v) == plane.comp &&
                      inside(s, at.u, at.v) && !(half && axis != TOR_Z && plane.z == s.zero_z);
      to.inject_at[k][number] =
          (uint16_t)(on ? (plane.comp * SMEM_SLOTS + slot_of(at.u + at.v, at.u - at.v)) * SMEM_ROW + here
                        : SMEM_NOWHERE);
      if (!on) continue;
      if (half) own[n] = s.coef_at[column_of(s, at.u, at.v)];
      value[n] = inject_row(plane.table, plane.width, plane.index, step)[plane_step(plane.along, at.u >> 1, at.v >> 1)];
    }
#pragma unroll
    for (int n = 0; n < TURNS; n++) {
      const int i = done + n * WARP, number = i % SMEM_SITES, k = i / SMEM_SITES;
      if (i >= count) continue;
      const smem_inject &plane = t.plane[k];
      const real *const cb = own[n] < 0 ? s.cb + plane.comp * s.nzp : s.coef + own[n] + comp_axis(plane.comp) * s.nzp;
      to.inject_cb[k][number] = cb[plane.z];
      if (SMEM_DAMPED && comp_is_h(plane.comp)) {
        const smem_site at = numbered_site(0, comp_axis(plane.comp), number, u0, v0);
        if (inside(s, at.u, at.v))
          to.inject_cb[k][number] = cb[plane.z] * (s.damping[TOR_X][at.u] * s.damping[TOR_Y][at.v]);
      }
      to.injected[k][number] = plane.factor * value[n];
    }
  }
}

/* The half cells of a step's tile in layers along x and y, one a lane. */
POINT_FN void prefetch_half_cells(const tor_gpu_view &s, smem_step &to, unsigned needs, int u0, int v0) {
  const int lane = threadIdx.x % WARP, axis = lane / SMEM_HALF_CELLS, i = lane % SMEM_HALF_CELLS;
  const int at = axis == TOR_X ? u0 + i : v0 + i - SMEM_R - 1;
  smem_half_cell is = {-1, 0, 0, 0};
  if (needs & (axis == TOR_X ? IN_CPML_X : IN_CPML_Y) && at >= s.first[axis] && at <= s.last[axis])
    is.index = s.cpml[axis].index[at >> 1];
  if (is.index >= 0) is = {is.index, s.cpml[axis].ik[at], s.cpml[axis].b[at], s.cpml[axis].c[at]};
  to.half_cell[axis][i] = is;
}

/* By one of the prefetching warps. known: the part of the tile's sites that was looked up in the step before; step: of
 * the launch, which begins at first_step of the stage. */
POINT_FN void look_up(const tor_gpu_view &s, const smem_span &span, const smem_tower &tower, smem_scratch &scratch,
                      unsigned needs, unsigned known, int first_step, int step) {
  smem_step &to = smem().step[step & 1];
  const int u0 = tower.u0(step), v0 = tower.v0, lane = threadIdx.x % WARP;
  if (threadIdx.x / WARP == SMEM_PREFETCHES) {
    if (needs & SMEM_MEDIA && !(known & SMEM_MEDIA)) {
#pragma unroll 1
      for (int i = lane; i < smem_point<SMEM_TILE>::COUNT; i += WARP) {
        const smem_point<SMEM_TILE> at(2 * SMEM_S, i);
        prefetch_site(s, span, u0 + at.u, v0 + at.v);
      }
    } else if (needs & SMEM_MEDIA) { /* the data of the others is being read */
      typedef smem_halo<SMEM_TILE, SMEM_TILE - 2 * SMEM_S> rim;
#pragma unroll 1
      for (int i = lane; i < rim::COUNT; i += WARP) {
        const rim at(2 * SMEM_S, i);
        prefetch_site(s, span, u0 + at.u, v0 + at.v);
      }
    }
    __syncwarp();
    if (needs & POLES) list_chunks(to, span, u0, v0);
    if (needs & NODES) list_nodes(s, to, scratch.nodes[step & 1], u0, v0);
  } else {
    if (lane == 0) {
      to.needs = needs;
      to.sampled = s.sampled[first_step + step];
    }
    prefetch_half_cells(s, to, needs, u0, v0);
    if (needs & PLANES) prefetch_planes(s, span, to, first_step + step, u0, v0);
  }
  __syncwarp();
}

/* For all steps of a tower, each while the one before is advanced; all warps of the tower wait for the first. */
template <class Needs>
POINT_FN void prefetch_steps(const tor_gpu_view &s, const smem_span &span, const smem_tower &tower,
                             smem_scratch &scratch, int first_step, const Needs &needs_of) {
  unsigned known = 0, needs = needs_of(tower.first);
#pragma unroll 1
  for (int step = tower.first - 1; step < tower.past; step++) {
    const unsigned next = step + 2 < tower.past ? needs_of(step + 2) : 0;
    if (step + 1 < tower.past) look_up(s, span, tower, scratch, needs, known, first_step, step + 1);
    known = needs;
    needs = next;
    if (step < tower.first)
      sync_tower(span.nblock);
    else
      wait_at(SMEM_STEP, SMEM_AT_STEP); /* the step has read the tables that are filled from now on */
  }
}

} // namespace

#endif
