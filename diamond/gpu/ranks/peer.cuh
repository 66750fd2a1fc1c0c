/* Columns of another rank's slab, on another device of the same machine, that this device's copy engines reach: over
 * NVLink, or PCIe where the system allows. The rank is another process, or another thread of this one. No kernel is
 * needed on either device. */
#ifndef TOR_DIAMOND_GPU_RANKS_PEER_CUH
#define TOR_DIAMOND_GPU_RANKS_PEER_CUH

#include <cuda_runtime.h>

#include "diamond/core/worker.h"
#include "diamond/gpu/view/ring.h"

/* Of one allocation: what is shared begins `at` bytes after its start. */
struct tor_gpu_shared {
  void *memory;                  /* null: none */
  size_t at, bytes, rows, pitch; /* 0 where the two ranks do not need them */
};
enum { TOR_GPU_SHARED = TOR_HALO_X_BUFFERS };

/* The info that a rank sends to its neighbour, by which the neighbour reaches its memory. */
struct tor_gpu_peer_info {
  char machine[40], process[40];
  char device[16];
  int number; /* of the device, in its process */
  struct tor_gpu_shared shared[TOR_GPU_SHARED];
  int is_open; /* to other processes, by these */
  cudaIpcMemHandle_t handle[TOR_GPU_SHARED];
  int lo[2], stride;       /* of its slab and view */
  struct tor_ring ring[2]; /* of the first two, where a window passes over the slab: in this process alone */
};
static_assert(sizeof(struct tor_gpu_peer_info) <= TOR_WORKER_PEER_INFO, "its size in worker.h");

/* A peer's memory as this process sees it; all null: out of reach. With rings, see tor_ring_base. */
struct tor_gpu_peer {
  char *memory[TOR_GPU_SHARED];
  struct tor_ring ring[2];
  bool by_handle;
  int lo[2], stride;
};

/* shared: their memory is as cudaMalloc gave it. Or ring, if not null. */
void tor_gpu_peer_info_fill(struct tor_gpu_peer_info *info, const struct tor_slab *slab, int stride, int count,
                            const struct tor_gpu_shared *shared, const struct tor_ring ring[2]);
/* Opens the peer's memory to the thread's device. Returns 0 where that is impossible, or disabled by
 * TORRE_GPU_PEERS=off in the environment. */
int tor_gpu_peer_open(struct tor_gpu_peer *peer, const struct tor_gpu_peer_info *info);
/* Before the peer frees its memory. */
void tor_gpu_peer_close(struct tor_gpu_peer *peer);

#endif
