/* What a tower's threads wait for: the other blocks of a cluster, warps of their own block, the steps of neighbouring
 * towers. */
#ifndef TOR_DIAMOND_GPU_TOWER_TOWER_SYNC_CUH
#define TOR_DIAMOND_GPU_TOWER_TOWER_SYNC_CUH

#include "diamond/gpu/tower/tower_ptx.cuh"

enum { WARP = 32 };
/* The same for all lanes, and known to be. */
POINT_FN unsigned warp_uniform(unsigned value) { return __reduce_max_sync(~0u, value); }

/* For all threads of a tower. */
POINT_FN void sync_tower(int nblock) {
  if (nblock > 1)
    cg::this_cluster().sync();
  else
    __syncthreads();
}
/* Barriers of a block, besides 0 for all its threads: some wait there, others only tell that they have come. */
enum block_barrier {
  COMPUTING = 1,
  PREPARING,
  STEP_PREPARED,
  STEP_STORED,
  LISTS_PREPARED,
  ROWS_READ,
  ROWS_OF_OTHER_BUFFER_READ
};

/* For a warp: returns once other blocks of the cluster have told so many steps, those of the lanes that are `on`. */
POINT_FN void wait_for_signal(bool on, const int *count, int steps) {
  while (!__all_sync(~0u, is_signalled(on, count, steps))) continue;
}

/* The steps that one right-hand neighbour has done; a lane watches each of them. */
struct tower_dependency {
  enum { NEIGHBOURS = 3 };
  const int *done; /* null: the slab has no such tower */
  int seen;

  /* Returns once `steps` steps are done. */
  __device__ __forceinline__ void wait(int steps) {
    if (!done || seen >= steps) return;
    for (;;) {
      seen = published(done);
      if (seen >= steps) break;
      __nanosleep(40);
    }
    fence_bulk(); /* what was acquired is read by bulk copies, too */
  }
};

#endif
