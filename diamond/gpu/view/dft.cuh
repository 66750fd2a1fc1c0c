/* The DFT samples of a stage, and the Fourier sums computed from them after the towers. For one precision.
 *
 * A sample of a Fourier sum is many numbers a point, which would delay a tower's step. Towers store the field's value
 * alone, one a point and sample; a kernel adds a stage's samples to the sums when its rows are done, in the order of
 * time, so that the sums have the bits that they have on the CPU.
 *
 * Along y, where the last tower of a rank writes columns of the rank above it, its samples there move to that rank
 * after the towers, before they are added. Sums are complete before their columns move to another rank along x. */
#ifndef TOR_DIAMOND_GPU_VIEW_DFT_CUH
#define TOR_DIAMOND_GPU_VIEW_DFT_CUH

#include "diamond/core/column_state.h"
#include "diamond/gpu/view/slab_view.cuh"

struct tor_gpu_dft;

/* The Fourier monitors in a block of columns; slab must outlive the result. */
struct tor_gpu_dft *TOR_NAME(tor_gpu_dft_new)(const struct tor_slab *slab, const struct tor_column_block *block);
void TOR_NAME(tor_gpu_dft_free)(struct tor_gpu_dft *dft_samples);
/* Adds the samples to the sums, after all work given to the stream, and deletes them. */
void TOR_NAME(tor_gpu_dft_sum)(const struct tor_gpu_dft *dft_samples, const tor_gpu_view *view, cudaStream_t stream);

/* Bytes of the samples in the stage that group, [slab->ngroup] on the host, is set for, the same on two ranks that have
 * the columns; and the most in any stage of so many steps. */
size_t TOR_NAME(tor_gpu_dft_bytes)(const struct tor_gpu_dft *dft_samples, const tor_gpu_group *group);
size_t TOR_NAME(tor_gpu_dft_most_bytes)(const struct tor_gpu_dft *dft_samples, int steps);
/* After all work given to the stream: moves the samples so far out, to device memory, and deletes them; and in, where
 * they count as recorded here. Only where there are bytes. */
void TOR_NAME(tor_gpu_dft_give)(const struct tor_gpu_dft *dft_samples, const tor_gpu_view *view,
                                const tor_gpu_group *group, real *to, cudaStream_t stream);
void TOR_NAME(tor_gpu_dft_take)(const struct tor_gpu_dft *dft_samples, const tor_gpu_view *view,
                                const tor_gpu_group *group, const real *from, cudaStream_t stream);

#endif
