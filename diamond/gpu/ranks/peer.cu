/* Another rank's memory on another device: see peer_gpu.cuh. */
#include "diamond/gpu/ranks/peer.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/gpu/view/slab_view.cuh"

struct name {
  char text[40];
};

static name read_name(const char *path) {
  name n = {};
  FILE *f = fopen(path, "r");
  if (!f) return n;
  if (!fgets(n.text, (int)sizeof n.text, f)) n.text[0] = 0;
  fclose(f);
  return n;
}

/* Differs between machines, and is the same in all containers of one. */
static name machine_name() { return read_name("/proc/sys/kernel/random/boot_id"); }

/* Differs between processes; their numbers may not, in containers. */
static const name &process_name() {
  static const name own = read_name("/proc/sys/kernel/random/uuid");
  return own;
}

static void name_device(char *name) {
  struct cudaDeviceProp properties;
  int device;
  CUDA_TRY(cudaGetDevice(&device));
  CUDA_TRY(cudaGetDeviceProperties(&properties, device));
  memcpy(name, properties.uuid.bytes, sizeof properties.uuid.bytes);
}

void tor_gpu_peer_describe(struct tor_gpu_card *card, const struct tor_slab *slab, int stride, int count,
                           const struct tor_gpu_shared *shared, const struct tor_ring ring[2]) {
  memset(card, 0, sizeof *card);
  memcpy(card->machine, machine_name().text, sizeof card->machine);
  memcpy(card->process, process_name().text, sizeof card->process);
  name_device(card->device);
  CUDA_TRY(cudaGetDevice(&card->number));
  card->lo[0] = slab->lo[0];
  card->lo[1] = slab->lo[1];
  card->stride = stride;
  card->is_open = !ring;
  for (int i = 0; ring && i < 2; i++) card->ring[i] = ring[i];
  for (int i = 0; i < count; i++) {
    card->shared[i] = shared[i];
    if (card->is_open && shared[i].memory && cudaIpcGetMemHandle(&card->handle[i], shared[i].memory) != cudaSuccess)
      card->is_open = 0;
  }
  cudaGetLastError(); /* a system without this has no peers in other processes */
}

/* Within a process memory has one address on all devices. */
static int open_here(struct tor_gpu_peer *peer, const struct tor_gpu_card *card) {
  int device, can = 0;
  CUDA_TRY(cudaGetDevice(&device));
  if (cudaDeviceCanAccessPeer(&can, device, card->number) != cudaSuccess || !can) return 0;
  const cudaError_t status = cudaDeviceEnablePeerAccess(card->number, 0);
  if (status != cudaSuccess && status != cudaErrorPeerAccessAlreadyEnabled) return 0;
  for (int i = 0; i < 2; i++) {
    if (card->ring[i].size && !tor_ring_reach(&card->ring[i])) return 0;
    peer->ring[i] = card->ring[i];
  }
  for (int i = 0; i < TOR_GPU_SHARED; i++) peer->memory[i] = static_cast<char *>(card->shared[i].memory);
  return 1;
}

static int open_handles(struct tor_gpu_peer *peer, const struct tor_gpu_card *card) {
  peer->by_handle = true;
  for (int i = 0; i < TOR_GPU_SHARED; i++)
    if (card->shared[i].memory &&
        cudaIpcOpenMemHandle((void **)&peer->memory[i], card->handle[i], cudaIpcMemLazyEnablePeerAccess) != cudaSuccess)
      return 0;
  return 1;
}

int tor_gpu_peer_open(struct tor_gpu_peer *peer, const struct tor_gpu_card *card) {
  const char *wish = getenv("TORRE_GPU_PEERS");
  const name machine = machine_name();
  char device[sizeof card->device];
  *peer = {};
  name_device(device);
  if ((wish && !strcmp(wish, "off")) || !machine.text[0] || strcmp(machine.text, card->machine)) return 0;
  /* Copies within a device may be done by kernels, for which towers leave no room. */
  if (!memcmp(device, card->device, sizeof device)) return 0;
  const bool is_here = !strcmp(process_name().text, card->process);
  const int is_opened = is_here ? open_here(peer, card) : card->is_open && open_handles(peer, card);
  cudaGetLastError();
  if (!is_opened) {
    tor_gpu_peer_close(peer);
    return 0;
  }
  peer->lo[0] = card->lo[0];
  peer->lo[1] = card->lo[1];
  peer->stride = card->stride;
  return 1;
}

void tor_gpu_peer_close(struct tor_gpu_peer *peer) {
  for (int i = 0; i < TOR_GPU_SHARED; i++)
    if (peer->memory[i] && peer->by_handle) CUDA_TRY(cudaIpcCloseMemHandle(peer->memory[i]));
  *peer = {};
}
