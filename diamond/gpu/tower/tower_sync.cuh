/* Synchronisation of a tower's threads with the other blocks of a cluster, with warps of their own block and with the
 * steps of neighbouring towers. */
#ifndef TOR_DIAMOND_GPU_TOWER_TOWER_SYNC_CUH
#define TOR_DIAMOND_GPU_TOWER_TOWER_SYNC_CUH

#include "diamond/gpu/tower/tower_ptx.cuh"

enum { WARP = 32 };
/* The value, which is the same for all lanes, in a form that the compiler recognises as warp-uniform. */
POINT_FN unsigned warp_uniform(unsigned value) { return __reduce_max_sync(~0u, value); }

/* Bits of the lanes before this one. */
POINT_FN int bits_before(unsigned bits, int lane) { return __popc(bits & ((1u << lane) - 1)); }

/* For all threads of a tower. */
POINT_FN void sync_tower(int nblock) {
  if (nblock > 1)
    cg::this_cluster().sync();
  else
    __syncthreads();
}
/* Named barriers of a block, besides 0 for all its threads: some warps wait there (bar.sync), others only arrive. */
enum block_barrier {
  COMPUTING = 1,
  PREPARING,
  STEP_PREPARED,
  STEP_STORED,
  LISTS_PREPARED,
  ROWS_READ,
  ROWS_OF_OTHER_BUFFER_READ
};

/* For a warp: returns once the counters of all lanes that are `on`, signalled by other blocks of the cluster, have
 * reached `steps`. */
POINT_FN void wait_for_signal(bool on, const int *count, int steps) {
  while (!__all_sync(~0u, is_signalled(on, count, steps))) continue;
}

/* The number of steps that one right-hand neighbour has done; each neighbour is polled by a lane of its own. */
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
