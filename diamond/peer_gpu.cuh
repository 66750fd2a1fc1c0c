/* Columns of another rank's slab, on another device of the same machine, that this device's copy engines reach: over
 * NVLink, or PCIe where the system allows. The rank is another process, or another thread of this one. Needs no kernel
 * there or here. */
#ifndef TOR_PEER_GPU_CUH
#define TOR_PEER_GPU_CUH

#include <cuda_runtime.h>

#include "device.h"
#include "ring.h"

/* What a rank tells of itself. */
struct tor_gpu_card {
  char machine[40], process[40];
  char device[16];
  int number;                   /* of the device, in its process */
  void *memory[2];              /* field, and psi of z if it has any */
  int is_open;                  /* to other processes, by these */
  cudaIpcMemHandle_t handle[2];
  int has_psi, lo[2], stride;   /* of its slab and view */
  struct tor_ring ring[2]; /* of the two, where a window passes over the slab: in this process alone */
};
static_assert(sizeof(struct tor_gpu_card) <= TOR_DEVICE_CARD, "a card's size in device.h");

/* A peer's memory as this process sees it; both null: out of reach. With rings it is where they tell for a sweep. */
struct tor_gpu_peer {
  char *memory[2];
  struct tor_ring ring[2];
  bool by_handle;
  int lo[2], stride;
};

/* memory: starts of allocations, as cudaMalloc gave them; psi may be null. Or ring, if not null. */
void tor_gpu_peer_describe(struct tor_gpu_card *card, const struct tor_slab *slab, int stride, void *const memory[2],
                           const struct tor_ring ring[2]);
/* Opens the peer's memory to the thread's device. Returns 0 where that cannot be; TORRE_GPU_PEERS=off in the environment forbids it. */
int tor_gpu_peer_open(struct tor_gpu_peer *peer, const struct tor_gpu_card *card);
/* Before the peer frees its memory. */
void tor_gpu_peer_close(struct tor_gpu_peer *peer);

#endif
