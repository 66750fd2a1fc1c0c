/* CUDA's failures, for programs without diamond/gpu/engine/device.cu. */
#include <cstdio>
#include <cstdlib>

#include "diamond/gpu/view/slab_view.cuh"

void tor_gpu_fail(const char *file, int line, const char *call, int error) {
  fprintf(stderr, "%s:%d: %s: error %d\n", file, line, call, error);
  exit(1);
}
