/* Columns of another process's slab, on another device of the same machine, that this device's copy engines reach: over
 * NVLink, or PCIe where the system allows. Needs no kernel there or here. */
#ifndef TOR_PEER_GPU_CUH
#define TOR_PEER_GPU_CUH

#include <cuda_runtime.h>

#include "device.h"

/* What a process tells of itself. */
struct tor_gpu_card {
  char machine[64];
  char device[16];
  cudaIpcMemHandle_t memory[2]; /* of field, and of psi of z if it has any */
  int has_psi, lo[2], stride;   /* of its slab and view */
};
static_assert(sizeof(struct tor_gpu_card) <= TOR_DEVICE_CARD, "a card's size in device.h");

/* A peer's memory as this process sees it; both null: out of reach. */
struct tor_gpu_peer {
  char *memory[2];
  int lo[2], stride;
};

/* memory: starts of allocations, as cudaMalloc gave them; psi may be null. */
void tor_gpu_peer_describe(struct tor_gpu_card *card, const struct tor_slab *slab, int stride, void *const memory[2]);
/* Opens the peer's memory. Returns 0 where that cannot be; TORRE_GPU_PEERS=off in the environment forbids it. */
int tor_gpu_peer_open(struct tor_gpu_peer *peer, const struct tor_gpu_card *card);
/* Before the peer frees its memory. */
void tor_gpu_peer_close(struct tor_gpu_peer *peer);

#endif
