/* The towers of order 2 of complex fields between Bloch walls, without CPML along z. */
#include "diamond/gpu/tower_reg/reg_kernel.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"

enum { THREADS = TOR_GPU_BLOCK_Z(2, sizeof(real)) };
typedef tower_kind<2, tor_gpu_radius2(false), THREADS, false, false, false, true> kind;
typedef tower_kind<2, tor_gpu_radius2(false), THREADS, false, false, false, true, true> kind_with_nodes;

void TOR_NAME(tor_gpu_bloch2)(const tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream) {
  (view->has_nodes ? run_span<kind_with_nodes> : run_span<kind>)(view, span, stream);
}
