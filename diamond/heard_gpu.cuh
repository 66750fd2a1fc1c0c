/* What Fourier monitors have heard in a stage, and the sums that are made of it behind the towers. For one precision.
 *
 * A sample of a Fourier sum is many numbers a point, which a tower's step would wait for. Towers keep the field's value
 * alone, one a point and sample; a kernel adds a stage's samples to the sums when its rows are done, in the order of
 * time, so that the sums have the bits that they would have otherwise. Where the values would take more memory than the
 * sums (few frequencies, many samples in a stage), sums are made at once.
 *
 * Among ranks, values travel with their columns across borders along y, while towers run; sums are brought up to date
 * before their columns go to another rank along x. */
#ifndef TOR_HEARD_GPU_CUH
#define TOR_HEARD_GPU_CUH

#include "slab_gpu.cuh"

struct tor_gpu_heard;

/* The Fourier monitors in columns lo <= ix < hi, counted from the first held; slab must outlive the result. */
struct tor_gpu_heard *TOR_NAME(tor_gpu_heard_new)(const struct tor_slab *slab, int lo, int hi);
void TOR_NAME(tor_gpu_heard_free)(struct tor_gpu_heard *heard);
/* Adds what was heard to the sums, after what the stream has been given, and forgets it. */
void TOR_NAME(tor_gpu_heard_sum)(const struct tor_gpu_heard *heard, const tor_gpu_view *view, cudaStream_t stream);

#endif
