/* Another process's memory on another device: see peer_gpu.cuh. */
#include "peer_gpu.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slab_gpu.cuh"

/* Differs between machines, and is the same in all containers of one. */
static void name_machine(char *name, size_t size) {
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
  memset(name, 0, size);
  if (!f) return;
  if (!fgets(name, (int)size, f)) name[0] = 0;
  fclose(f);
}

static void name_device(char *name) {
  struct cudaDeviceProp properties;
  int device;
  CUDA_TRY(cudaGetDevice(&device));
  CUDA_TRY(cudaGetDeviceProperties(&properties, device));
  memcpy(name, properties.uuid.bytes, sizeof properties.uuid.bytes);
}

void tor_gpu_peer_describe(struct tor_gpu_card *card, const struct tor_slab *slab, int stride, void *const memory[2]) {
  memset(card, 0, sizeof *card);
  name_machine(card->machine, sizeof card->machine);
  name_device(card->device);
  card->lo[0] = slab->lo[0];
  card->lo[1] = slab->lo[1];
  card->stride = stride;
  card->has_psi = memory[1] != nullptr;
  for (int i = 0; i < 2; i++)
    if (memory[i] && cudaIpcGetMemHandle(&card->memory[i], memory[i]) != cudaSuccess) card->machine[0] = 0;
  cudaGetLastError(); /* a system without this has no peers */
}

int tor_gpu_peer_open(struct tor_gpu_peer *peer, const struct tor_gpu_card *card) {
  const char *wish = getenv("TORRE_GPU_PEERS");
  char machine[sizeof card->machine], device[sizeof card->device];
  *peer = {};
  name_machine(machine, sizeof machine);
  name_device(device);
  if ((wish && !strcmp(wish, "off")) || !machine[0] || strcmp(machine, card->machine)) return 0;
  /* Copies within a device may be done by kernels, for which towers leave no room. */
  if (!memcmp(device, card->device, sizeof device)) return 0;
  for (int i = 0; i < 1 + card->has_psi; i++)
    if (cudaIpcOpenMemHandle((void **)&peer->memory[i], card->memory[i], cudaIpcMemLazyEnablePeerAccess) !=
        cudaSuccess) {
      cudaGetLastError();
      tor_gpu_peer_close(peer);
      return 0;
    }
  peer->lo[0] = card->lo[0];
  peer->lo[1] = card->lo[1];
  peer->stride = card->stride;
  return 1;
}

void tor_gpu_peer_close(struct tor_gpu_peer *peer) {
  for (int i = 0; i < 2; i++)
    if (peer->memory[i]) CUDA_TRY(cudaIpcCloseMemHandle(peer->memory[i]));
  *peer = {};
}
