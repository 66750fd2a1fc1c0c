/* A stage of a slab that does not fit the device: rows of towers are swept from right to left in groups, while columns
 * load ahead of them and leave behind them (window.h). For one precision. */
#ifndef TOR_DIAMOND_GPU_WINDOW_SWEEP_CUH
#define TOR_DIAMOND_GPU_WINDOW_SWEEP_CUH

#include "diamond/core/column_store.h"
#include "diamond/core/worker.h"
#include "diamond/gpu/view/ring.h"
#include "diamond/gpu/view/slab_view.cuh"

struct tor_gpu_plain;
struct tor_gpu_sweep;

/* The arrays that move: field, psi of z, coef, state, weight, and of complex fields the imaginary part's field, psi of
 * z and state; the values of coef, state and weight lie in the order of their columns. slab, plain and store must
 * outlive the result. `bytes`: device memory for the window. store: of these arrays; null: they are in memory. */
struct tor_gpu_sweep *TOR_NAME(tor_gpu_sweep_new)(const struct tor_slab *slab, const struct tor_gpu_plain *plain,
                                                  double bytes, const struct tor_column_store *store);
/* Runs view->steps steps on the sweep's stream; energy: [view->steps] on the host, 1 where the energy is summed. */
void TOR_NAME(tor_gpu_sweep_run)(struct tor_gpu_sweep *sweep, tor_gpu_view *view, int order, const uint8_t *energy);
cudaStream_t TOR_NAME(tor_gpu_sweep_stream)(const struct tor_gpu_sweep *sweep);
/* Returns when the slab's arrays are up to date. */
void TOR_NAME(tor_gpu_sweep_finish)(struct tor_gpu_sweep *sweep);
void TOR_NAME(tor_gpu_sweep_free)(struct tor_gpu_sweep *sweep);

/* --- One sweep a stage in parts, between which neighbouring ranks change columns (device.h). --- */
/* Columns lo <= ix < hi, counted from the first held, are those of the x halo on this side. */
void TOR_NAME(tor_gpu_sweep_share)(struct tor_gpu_sweep *sweep, enum tor_halo_x_side side, int lo, int hi);
/* These columns have arrived in the slab's own arrays. Before this call the sweep does not load them. */
void TOR_NAME(tor_gpu_sweep_came)(struct tor_gpu_sweep *sweep, const tor_gpu_view *view, enum tor_halo_x_side side);
/* Begins a sweep of view->steps steps; energy: is summed at their end. */
void TOR_NAME(tor_gpu_sweep_begin)(struct tor_gpu_sweep *sweep, tor_gpu_view *view, int order, bool energy);
/* The rows to be run next, `first` down to `last`; in the end all rows, from right to left. */
void TOR_NAME(tor_gpu_sweep_rows)(struct tor_gpu_sweep *sweep, const tor_gpu_view *view, int first, int last);
/* Starts what can be started of them without waiting. True when they are done. */
bool TOR_NAME(tor_gpu_sweep_go_on)(struct tor_gpu_sweep *sweep, const tor_gpu_view *view);
/* Rows are started by `start`, on the sweep's stream, because columns of y halos move while they run. Their columns
 * then stay until the next call of tor_gpu_sweep_rows. Before the first sweep. */
void TOR_NAME(tor_gpu_sweep_start_by)(struct tor_gpu_sweep *sweep, void (*start)(void *self, struct tor_gpu_span span),
                                      void *self);
/* Of rows started so: the most of one call of tor_gpu_sweep_rows in sweeps of so many steps; and whether all rows of
 * the last call have started, whose columns are on the device from then on. */
int TOR_NAME(tor_gpu_sweep_most_rows)(const struct tor_gpu_sweep *sweep, const tor_gpu_view *view, int order,
                                      int steps);
bool TOR_NAME(tor_gpu_sweep_started)(const struct tor_gpu_sweep *sweep);
/* The rings of field and of psi of z (none: size 0), and the number of the sweep begun last, for devices that
 * fetch y halos. */
void TOR_NAME(tor_gpu_sweep_rings)(const struct tor_gpu_sweep *sweep, struct tor_ring ring[2]);
long long TOR_NAME(tor_gpu_sweep_number)(const struct tor_gpu_sweep *sweep);
/* No row to be run needs columns from lo on: they leave. 0: the sweep ends. */
void TOR_NAME(tor_gpu_sweep_leave)(struct tor_gpu_sweep *sweep, const tor_gpu_view *view, int lo);
/* Work given to `stream` from now on finds columns from lo on, which are leaving, in the slab's own arrays. */
void TOR_NAME(tor_gpu_sweep_follow)(struct tor_gpu_sweep *sweep, int lo, cudaStream_t stream);

#endif
