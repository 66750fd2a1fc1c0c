/* Host links and copies between GPUs, as a machine file needs them (jobs/machines/h200-8.cfg): `links [megabytes]`.
 *
 * Prints for 1, 2, 4, ... and all GPUs at once GB/s each way of a GPU between it and pinned memory, both ways busy, and
 * then of a copy from GPU 0 to GPU 1. Each line is the better of three rounds of four copies each way. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 4, ROUNDS = 3, WAYS = 2, MOST = 64 };

static void try_call(cudaError_t status) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "links: %s\n", cudaGetErrorString(status));
  exit(1);
}

/* Of one GPU: buffers of so many bytes each way, and the stream of each way. */
struct link {
  void *host[WAYS], *device[WAYS];
  cudaStream_t way[WAYS];
};

static void open_link(struct link *l, int gpu, size_t bytes) {
  try_call(cudaSetDevice(gpu));
  for (int w = 0; w < WAYS; w++) {
    try_call(cudaHostAlloc(&l->host[w], bytes, cudaHostAllocPortable));
    memset(l->host[w], 1, bytes);
    try_call(cudaMalloc(&l->device[w], bytes));
    try_call(cudaStreamCreateWithFlags(&l->way[w], cudaStreamNonBlocking));
  }
}

/* Seconds of four copies each way on each of the first `gpus`. */
static double both_ways(const struct link *links, int gpus, size_t bytes) {
  double start = 0;
#pragma omp parallel num_threads(gpus)
  {
    const int gpu = omp_get_thread_num();
    const struct link *l = &links[gpu];
    try_call(cudaSetDevice(gpu));
#pragma omp barrier
#pragma omp single
    start = omp_get_wtime();
    for (int i = 0; i < COPIES; i++) {
      try_call(cudaMemcpyAsync(l->device[0], l->host[0], bytes, cudaMemcpyHostToDevice, l->way[0]));
      try_call(cudaMemcpyAsync(l->host[1], l->device[1], bytes, cudaMemcpyDeviceToHost, l->way[1]));
    }
    for (int w = 0; w < WAYS; w++) try_call(cudaStreamSynchronize(l->way[w]));
  }
  return omp_get_wtime() - start;
}

/* Seconds of four copies from GPU 0 to GPU 1. */
static double between(const struct link *links, size_t bytes) {
  const double start = omp_get_wtime();
  for (int i = 0; i < COPIES; i++)
    try_call(cudaMemcpyPeerAsync(links[1].device[0], 1, links[0].device[0], 0, bytes, links[0].way[0]));
  try_call(cudaStreamSynchronize(links[0].way[0]));
  return omp_get_wtime() - start;
}

int main(int argc, char **argv) {
  const double megabytes = argc > 1 ? strtod(argv[1], NULL) : 512;
  if (!(megabytes >= 1 && megabytes < 1e5)) {
    fprintf(stderr, "links: got \"%s\", need megabytes from 1 to 1e5\n", argv[1]);
    return 2;
  }
  const size_t bytes = (size_t)(megabytes * 1e6);
  struct link links[MOST];
  int gpus;
  try_call(cudaGetDeviceCount(&gpus));
  if (gpus > MOST) gpus = MOST;
#pragma omp parallel for num_threads(gpus) schedule(static, 1)
  for (int gpu = 0; gpu < gpus; gpu++) open_link(&links[gpu], gpu, bytes);
  const double moved = COPIES * (double)bytes * 1e-9;
  for (int n = 1; n <= gpus; n = n < gpus && 2 * n > gpus ? gpus : 2 * n) {
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) best = fmin(best, both_ways(links, n, bytes));
    printf("%d GPUs: %.1f GB/s each way, each\n", n, moved / best);
  }
  if (gpus > 1) {
    int reached;
    try_call(cudaSetDevice(0));
    try_call(cudaDeviceCanAccessPeer(&reached, 0, 1));
    if (reached) try_call(cudaDeviceEnablePeerAccess(1, 0));
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) best = fmin(best, between(links, bytes));
    printf("GPU 0 to GPU 1: %.0f GB/s%s\n", moved / best, reached ? "" : ", through the host");
  }
  return 0;
}
