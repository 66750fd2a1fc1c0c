/* Trays of order 2 (tray_gpu.cuh), fp32. */
#define TOR_TRAY_ORDER 2
#include "diamond/gpu/tower_smem/smem_kernel.cuh"

void tor_gpu_trays2(const tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream) {
  run_span(view, span, stream);
}
