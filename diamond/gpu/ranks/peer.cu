/* See peer.cuh. */
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

void tor_gpu_peer_info_fill(struct tor_gpu_peer_info *info, const struct tor_slab *slab, int stride, int count,
                            const struct tor_gpu_shared *shared, const struct tor_ring ring[2]) {
  memset(info, 0, sizeof *info);
  memcpy(info->machine, machine_name().text, sizeof info->machine);
  memcpy(info->process, process_name().text, sizeof info->process);
  name_device(info->device);
  CUDA_TRY(cudaGetDevice(&info->number));
  info->lo[0] = slab->lo[0];
  info->lo[1] = slab->lo[1];
  info->stride = stride;
  info->is_open = !ring;
  for (int i = 0; ring && i < 2; i++) info->ring[i] = ring[i];
  for (int i = 0; i < count; i++) {
    info->shared[i] = shared[i];
    if (info->is_open && shared[i].memory && cudaIpcGetMemHandle(&info->handle[i], shared[i].memory) != cudaSuccess)
      info->is_open = 0;
  }
  cudaGetLastError(); /* a system without this has no peers in other processes */
}

/* Within a process memory has one address on all devices. */
static int open_here(struct tor_gpu_peer *peer, const struct tor_gpu_peer_info *info) {
  int device, can = 0;
  CUDA_TRY(cudaGetDevice(&device));
  if (cudaDeviceCanAccessPeer(&can, device, info->number) != cudaSuccess || !can) return 0;
  const cudaError_t status = cudaDeviceEnablePeerAccess(info->number, 0);
  if (status != cudaSuccess && status != cudaErrorPeerAccessAlreadyEnabled) return 0;
  for (int i = 0; i < 2; i++) {
    if (info->ring[i].size && !tor_ring_reach(&info->ring[i])) return 0;
    peer->ring[i] = info->ring[i];
  }
  for (int i = 0; i < TOR_GPU_SHARED; i++) peer->memory[i] = static_cast<char *>(info->shared[i].memory);
  return 1;
}

static int open_handles(struct tor_gpu_peer *peer, const struct tor_gpu_peer_info *info) {
  peer->by_handle = true;
  for (int i = 0; i < TOR_GPU_SHARED; i++)
    if (info->shared[i].memory &&
        cudaIpcOpenMemHandle((void **)&peer->memory[i], info->handle[i], cudaIpcMemLazyEnablePeerAccess) != cudaSuccess)
      return 0;
  return 1;
}

int tor_gpu_peer_open(struct tor_gpu_peer *peer, const struct tor_gpu_peer_info *info) {
  const char *wish = getenv("TORRE_GPU_PEERS");
  const name machine = machine_name();
  char device[sizeof info->device];
  *peer = {};
  name_device(device);
  if ((wish && !strcmp(wish, "off")) || !machine.text[0] || strcmp(machine.text, info->machine)) return 0;
  /* Copies within a device may be done by kernels, which do not fit beside towers. */
  if (!memcmp(device, info->device, sizeof device)) return 0;
  const bool is_here = !strcmp(process_name().text, info->process);
  const int is_opened = is_here ? open_here(peer, info) : info->is_open && open_handles(peer, info);
  cudaGetLastError();
  if (!is_opened) {
    tor_gpu_peer_close(peer);
    return 0;
  }
  peer->lo[0] = info->lo[0];
  peer->lo[1] = info->lo[1];
  peer->stride = info->stride;
  return 1;
}

void tor_gpu_peer_close(struct tor_gpu_peer *peer) {
  for (int i = 0; i < TOR_GPU_SHARED; i++)
    if (peer->memory[i] && peer->by_handle) CUDA_TRY(cudaIpcCloseMemHandle(peer->memory[i]));
  *peer = {};
}
