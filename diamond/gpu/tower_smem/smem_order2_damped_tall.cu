/* Shared-memory towers of order 2 with absorbers for towers of several blocks along z (smem_tile.cuh), fp32. */
#define TOR_SMEM_ORDER 2
#define TOR_SMEM_DAMPED 1
#define TOR_SMEM_TALL 1
#include "diamond/gpu/tower_smem/smem_kernel.cuh"

void tor_gpu_smem_damped2_tall(const tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream) {
  run_span(view, span, stream);
}
