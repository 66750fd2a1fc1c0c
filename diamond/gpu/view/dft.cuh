/* What Fourier monitors have heard in a stage, and the sums that are made of it behind the towers. For one precision.
 *
 * A sample of a Fourier sum is many numbers a point, which a tower's step would wait for. Towers keep the field's value
 * alone, one a point and sample; a kernel adds a stage's samples to the sums when its rows are done, in the order of
 * time, so that the sums have the bits that they have on the CPU.
 *
 * Along y, where the tower on a border writes columns of the rank above it, what it heard there goes to that rank
 * behind the towers, before sums are made of it. Sums are brought up to date before their columns go to another rank
 * along x. */
#ifndef TOR_DIAMOND_GPU_VIEW_DFT_CUH
#define TOR_DIAMOND_GPU_VIEW_DFT_CUH

#include "diamond/core/column_state.h"
#include "diamond/gpu/view/slab_view.cuh"

struct tor_gpu_dft;

/* The Fourier monitors in a block of columns; slab must outlive the result. */
struct tor_gpu_dft *TOR_NAME(tor_gpu_dft_new)(const struct tor_slab *slab, const struct tor_column_block *block);
void TOR_NAME(tor_gpu_dft_free)(struct tor_gpu_dft *dft_samples);
/* Adds what was heard to the sums, after what the stream has been given, and forgets it. */
void TOR_NAME(tor_gpu_dft_sum)(const struct tor_gpu_dft *dft_samples, const tor_gpu_view *view, cudaStream_t stream);

/* Bytes of what is heard in the stage that group, [slab->ngroup] on the host, is set for, alike for two ranks that have
 * the columns; and the most in any stage of so many steps. */
size_t TOR_NAME(tor_gpu_dft_bytes)(const struct tor_gpu_dft *dft_samples, const tor_gpu_group *group);
size_t TOR_NAME(tor_gpu_dft_most_bytes)(const struct tor_gpu_dft *dft_samples, int steps);
/* After what the stream has been given: moves what was heard so far out, to device memory, and forgets it; and in,
 * where it is as if heard here. Only where there are bytes. */
void TOR_NAME(tor_gpu_dft_give)(const struct tor_gpu_dft *dft_samples, const tor_gpu_view *view,
                                const tor_gpu_group *group, real *to, cudaStream_t stream);
void TOR_NAME(tor_gpu_dft_take)(const struct tor_gpu_dft *dft_samples, const tor_gpu_view *view,
                                const tor_gpu_group *group, const real *from, cudaStream_t stream);

#endif
