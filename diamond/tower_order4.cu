/* The towers of order 4; tiles and threads that were fastest on an H200 (docs/gpu.md). */
#include "tower_gpu.cuh"
#include "tower_radius.cuh"

enum { RADIUS = TOR_GPU_RADIUS4, THREADS = TOR_REAL_BITS == 32 ? 256 : 128 };

void TOR_NAME(tor_gpu_towers4)(const tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream) {
  (view->zlo + view->zhi > 0 ? run_span<tower_kind<4, RADIUS, THREADS, true>> : run_span<tower_kind<4, RADIUS, THREADS, false>>)(view, span, stream);
}
