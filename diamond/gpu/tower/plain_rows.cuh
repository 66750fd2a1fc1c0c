/* Rows of towers that touch plain columns alone, without poles, CPML along x and y, own coefficients, sources or
 * monitors: kernels specialised for them are faster than the general ones (reg_kernel.cuh). For one precision. */
#ifndef TOR_DIAMOND_GPU_TOWER_PLAIN_ROWS_CUH
#define TOR_DIAMOND_GPU_TOWER_PLAIN_ROWS_CUH

#include "diamond/gpu/view/slab_view.cuh"

/* Columns that rows first ... last (from right to left) touch in so many steps: lo <= ix < hi, cut at the slab. Rounded
 * up, because kernels read ahead. */
struct tor_gpu_reach {
  int lo, hi;
};
struct tor_gpu_reach TOR_NAME(tor_gpu_reach_of_rows)(const tor_gpu_view *view, int order, int steps, int first,
                                                     int last);

struct tor_gpu_plain;
struct tor_gpu_plain *TOR_NAME(tor_gpu_plain_new)(const struct tor_slab *slab);
void TOR_NAME(tor_gpu_plain_free)(struct tor_gpu_plain *plain);
bool TOR_NAME(tor_gpu_is_plain)(const struct tor_gpu_plain *plain, const tor_gpu_view *view, int order, int steps,
                                int first, int last);

/* Starts the towers of a span whose rows are named, by one launch. */
void TOR_NAME(tor_gpu_plain_start)(const struct tor_gpu_plain *plain, const tor_gpu_view *view, int order,
                                   const struct tor_gpu_span *span, cudaStream_t stream);
/* Runs all rows, in row_groups of plain and of other rows, each of them worth a launch. */
void TOR_NAME(tor_gpu_plain_run)(const struct tor_gpu_plain *plain, const tor_gpu_view *view, int order, int first_step,
                                 int steps, cudaStream_t stream);

#endif
