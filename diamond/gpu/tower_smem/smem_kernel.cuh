/* Towers whose tile lies in shared memory (smem_tile.cuh): kernel and launch. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_KERNEL_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_KERNEL_CUH

#include <limits.h>
#include <stdio.h>

#include "diamond/gpu/tower_smem/smem_prefetch.cuh"
#include "diamond/gpu/tower_smem/smem_helper_warps.cuh"
#include "diamond/gpu/tower_smem/smem_step.cuh"

namespace {

/* Fills the constant part of a block's shared memory. */
POINT_FN void fill_smem_tile(const tor_gpu_view &s, const smem_span &span) {
  smem_storage &t = smem();
  const int npz = s.layers.lo + s.layers.hi;
  for (int i = threadIdx.x; i < 2 * npz; i += SMEM_THREADS) {
    const int h = i / npz, k = i % npz, z = k < s.layers.lo ? k : k - s.layers.lo + s.layers.hi0;
    const bool on = z < s.n[2];
    t.cpml_z[h][0][k] = on ? s.cpml[TOR_Z].ik[h * s.nzp + z] : (real)1;
    t.cpml_z[h][1][k] = on ? s.cpml[TOR_Z].b[h * s.nzp + z] : (real)1; /* beyond the slab it stays */
    t.cpml_z[h][2][k] = on ? s.cpml[TOR_Z].c[h * s.nzp + z] : (real)0;
  }
  for (int i = threadIdx.x; i < 3 * SMEM_ROW; i += SMEM_THREADS)
    t.cb[i / SMEM_ROW][i % SMEM_ROW] =
        i % SMEM_ROW < span.count ? s.cb[i / SMEM_ROW * s.nzp + span.first + i % SMEM_ROW] : (real)0;
  if (threadIdx.x < TOR_GPU_FAST_MEDIA) {
    const tor_gpu_fast_medium &from = s.fast[threadIdx.x];
    smem_medium &to = t.medium[threadIdx.x];
    to.npoles = from.npoles;
    to.nstate = from.nstate;
    to.has_p = 0;
    for (int i = 0; i < TOR_GPU_FAST_POLES; i++) {
      const bool pole = i < from.npoles;
      to.k1[i] = pole ? from.k1[i] : (real)0;
      to.k2[i] = pole ? from.k2[i] : (real)0;
      for (int a = 0; a < 3; a++) to.k3[a][i] = pole ? from.k3[a][i] : (real)0;
      to.has_p |= (from.has_p[i] ? 1u : 0u) << i;
    }
  }
  if (threadIdx.x == 0) {
    t.most_poles = 0;
    for (int m = 0; m < TOR_GPU_FAST_MEDIA; m++) t.most_poles = max(t.most_poles, s.fast[m].npoles);
    int count = 0;
    for (int half = 0; half < 2; half++) {
      for (int axis = 0; s.planes && axis < 3; axis++) {
        const int comp = (half ? TOR_EX : TOR_HX) + axis;
        t.plane_of[comp][0] = count;
        for (int k = 0; k < s.planes->ninject[comp]; k++) {
          const tor_plane_inject &from = s.planes->inject[comp][k];
          t.plane[count++] = {s.table[from.at.table], comp,          from.at.z0,
                              s.width[from.at.table], from.at.index, {from.along[0], from.along[1]},
                              (real)from.at.factor};
        }
        t.plane_of[comp][1] = count;
      }
    }
    for (int i = 0; i < 2; i++) {
      barrier_init(&t.e_came[i], 1);
      barrier_init(&t.h_came[i], 1);
    }
    for (int half = 0; half < 2; half++) barrier_init(&t.came_beside[half], 1);
    fence_barriers();
    fence_bulk();
    if (span.has_below()) barrier_expect(&t.came_beside[0], SMEM_BESIDE_BYTES);
    if (span.has_above()) barrier_expect(&t.came_beside[1], SMEM_BESIDE_BYTES);
  }
}

/* The code of a thread, from its first tower to its last. */
template <bool HELPS>
POINT_FN void visit_towers(const tor_gpu_view &s, const smem_span &span, const tower_queue &queue,
                           smem_scratch &scratch, smem_worker *worker) {
  smem_storage &t = smem();
  const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  int band = 0; /* steps that the block has run */
  for (int line = 0;;) {
    const int number = take_tower(queue, &t.taken, span.nblock, span.rank);
    if (number >= queue.ntowers) return;
    const tower_at at = find_tower(queue, line, number);
    line = at.line;
    /* The tile lies in the slab from the first step with u0 + 2R + 2S > first to the last with u0 + S <= last. */
    smem_tower tower = {SMEM_R * at.row, SMEM_R * at.place, 0, 0};
    tower.first = min(max(0, (s.first[0] - tower.row_u - SMEM_READS) / (2 * SMEM_S) + 1), queue.steps);
    if (tower.row_u + SMEM_READS > s.first[0]) tower.first = 0;
    tower.past =
        tower.row_u + SMEM_S > s.last[0] ? 0 : min((s.last[0] - tower.row_u - SMEM_S) / (2 * SMEM_S) + 1, queue.steps);
    tower.past = max(tower.past, tower.first);
    if (threadIdx.x == 0) t.h_done = t.e_done = t.h_stored = t.stored = tower.first;
    if (threadIdx.x < TOR_GPU_MOST_BLOCKS) t.stored_by[threadIdx.x] = tower.first;
    const bool runs = tower.first < tower.past;
    if constexpr (HELPS) {
      if (warp == SMEM_LOADS && lane < tower_dependency::NEIGHBOURS)
        t.dependency[lane] = {right_neighbour(queue, at, lane), 0};
      auto needs_of = [&](int step) INLINE -> unsigned {
        const int column = tower.u0(step) >> 1;
        return queue.needs[(size_t)(column - queue.first_at) * queue.nplaces + (at.place - queue.first_place)];
      };
      /* The prefetching warps arrive there once the data of the first step is ready, and so does the loading warp where
       * blocks send each other values. */
      if (!runs || warp == SMEM_STORES || (warp == SMEM_LOADS && !SMEM_TALL)) sync_tower(span.nblock);
      if (!runs) {
        if (warp == SMEM_STORES && lane == 0 && span.rank == 0) publish(queue.done + number, INT_MAX);
      } else if (warp == SMEM_LOADS) {
        load_bands(s, span, tower, band);
      } else if (warp == SMEM_STORES) {
        store_bands(s, span, tower, queue.done + number);
      } else {
        prefetch_steps(s, span, tower, scratch, queue.first_step, needs_of);
      }
    } else {
      sync_tower(span.nblock);
      if (runs) worker->run(tower, queue.first_step, band);
    }
    band += tower.past - tower.first;
    __syncthreads();
  }
}

static __global__ void __launch_bounds__(SMEM_THREADS, 1)
    run_smem_towers(const __grid_constant__ tor_gpu_view s, const tower_queue queue) {
  const smem_span span(s);
  smem_scratch &scratch = ((smem_scratch *)queue.exchange)[blockIdx.x];
  fill_smem_tile(s, span);
  sync_tower(span.nblock); /* barriers are ready for the values that other blocks send */
  /* The computing warps acquire the registers that the helper warps release. */
  if (threadIdx.x >= SMEM_WARPS * WARP) {
    keep_registers<SMEM_REGISTERS_HELPERS>();
    visit_towers<true>(s, span, queue, scratch, nullptr);
  } else {
    take_registers<SMEM_REGISTERS>();
    smem_worker worker(s, span, scratch);
    visit_towers<false>(s, span, queue, scratch, &worker);
  }
}

/* needs[i][k]: of the tile at v0 = R (first_place + k), and u0 = 2 (first_at + i), one more where v0 is odd. */
static __global__ void find_smem_needs(const __grid_constant__ tor_gpu_view s, const tower_queue queue,
                                       uint8_t *needs) {
  const int k = blockIdx.y * blockDim.x + threadIdx.x, v0 = SMEM_R * (queue.first_place + k);
  const int u0 = 2 * ((int)blockIdx.x + queue.first_at) + (v0 & 1);
  if (k >= queue.nplaces) return;
  tile_survey tile = {0, false, s.in_planes != nullptr};
  /* Order 4: the values that the tile reads beyond a wall are ghost values. */
  typedef smem_point<SMEM_ORDER == 4 ? SMEM_READS + 4 : SMEM_TILE + 2> point;
  for (int i = 0; i < point::COUNT; i++) {
    const point at(SMEM_ORDER == 4 ? 0 : SMEM_S, i);
    const int past = 2 * SMEM_S + SMEM_TILE;
    if (SMEM_ORDER == 2 || (at.p >= SMEM_S && at.q >= SMEM_S && at.p < past && at.q < past))
      tile.see(s, u0 + at.u, v0 + at.v);
    else
      tile.walls |= !inside(s, u0 + at.u, v0 + at.v);
  }
  const int by_lists = tile.cls & (TOR_COL_INJECT | TOR_COL_RECORD) ? ITEMS : 0;
  needs[(size_t)blockIdx.x * queue.nplaces + k] =
      (uint8_t)(tile.common() | (tile.cls & TOR_COL_POLES ? POLES : 0) |
                (tile.cls & (TOR_COL_NODES | TOR_COL_AT_NODES) ? NODES : 0) | (tile.planes ? PLANES : by_lists));
}

static_assert(sizeof(smem_storage) <= 227 * 1024, "a block has no more");

void run_span(const tor_gpu_view *s, const struct tor_gpu_span *span, cudaStream_t stream) {
  launch_towers(run_smem_towers, s->smem_blocks, SMEM_THREADS, sizeof(smem_storage), sizeof(smem_scratch), SMEM_S,
                SMEM_R, find_smem_needs, s, span, stream);
}

} // namespace

#endif
