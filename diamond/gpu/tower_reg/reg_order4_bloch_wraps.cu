/* The towers of order 4 of complex fields between Bloch walls, where the ends of z meet, in one block a part. */
#include "diamond/gpu/tower_reg/reg_kernel.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"

enum { THREADS = TOR_GPU_BLOCK_Z(4, sizeof(real)) };
typedef tower_kind<4, TOR_GPU_RADIUS4, THREADS, false, false, true, true> kind;
typedef tower_kind<4, TOR_GPU_RADIUS4, THREADS, false, false, true, true, true> kind_with_nodes;

void TOR_NAME(tor_gpu_bloch4_wraps)(const tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream) {
  (view->has_nodes ? run_span<kind_with_nodes> : run_span<kind>)(view, span, stream);
}
