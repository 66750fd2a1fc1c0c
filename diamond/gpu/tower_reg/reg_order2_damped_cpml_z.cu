/* The towers of order 2 with absorbers, with CPML along z. */
#include "diamond/gpu/tower_reg/reg_kernel.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"

enum { THREADS = TOR_GPU_BLOCK_Z(2, sizeof(real)) };
typedef tower_kind<2, tor_gpu_radius2(true), THREADS, true, true> kind;
static_assert(TOR_REAL_BITS == 64 || exchange<kind>::IN_SHARED, "media with poles are slower by a sixth without");

void TOR_NAME(tor_gpu_damped2z)(const tor_gpu_view *view, const struct tor_gpu_span *span, cudaStream_t stream) {
  run_span<kind>(view, span, stream);
}
