/* The towers of order 2, without CPML along z; tiles and threads that were fastest on an H200 (docs/design/gpu.md). */
#include "diamond/gpu/tower_reg/reg_kernel.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"

enum { THREADS = TOR_GPU_BLOCK_Z(2, sizeof(real)) };

void TOR_NAME(tor_gpu_towers2)(const tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream) {
  run_span<tower_kind<2, tor_gpu_radius2(false), THREADS, false>>(view, span, stream);
}
