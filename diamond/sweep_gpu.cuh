/* A stage of a slab that does not fit the device: rows of towers are swept from right to left in groups, while columns
 * load ahead of them and leave behind them (window.h). For one precision. */
#ifndef TOR_SWEEP_GPU_CUH
#define TOR_SWEEP_GPU_CUH

#include "slab_gpu.cuh"

struct tor_gpu_sweep;

/* What moves: field, psi of z, coef, state, weight; the values of the last three lie in the order of their columns. The
 * slab must outlive the result. `bytes`: device memory for it. */
struct tor_gpu_sweep *TOR_NAME(tor_gpu_sweep_new)(const struct tor_slab *slab, double bytes);
/* Runs view->steps steps on the sweep's stream; energy: [view->steps] on the host, 1 where the energy is summed. */
void TOR_NAME(tor_gpu_sweep_run)(struct tor_gpu_sweep *sweep, tor_gpu_view *view, int order, const uint8_t *energy);
cudaStream_t TOR_NAME(tor_gpu_sweep_stream)(const struct tor_gpu_sweep *sweep);
/* Returns when the slab's arrays are up to date. */
void TOR_NAME(tor_gpu_sweep_finish)(struct tor_gpu_sweep *sweep);
void TOR_NAME(tor_gpu_sweep_free)(struct tor_gpu_sweep *sweep);

/* Sets the images behind walls in z of columns lo <= ix < hi, which the CPU reads. Of slab_gpu.cu. */
void TOR_NAME(tor_gpu_set_images)(const tor_gpu_view *view, int lo, int hi, cudaStream_t stream);
/* Sums the energy of columns lo <= ix < hi, which stand at the end of a step. Of slab_gpu.cu. */
void TOR_NAME(tor_gpu_sum_energies)(const tor_gpu_view *view, int lo, int hi, cudaStream_t stream);

#endif
