/* A window on arrays in host memory: their columns move through rings of device memory, in the order of a sweep from
 * the highest ix to the lowest, sweep after sweep.
 *
 * An array's ring (ring.h) has addresses for all of it, so that column ix has the address that it would have in a copy
 * of the whole array: kernels do not depend on the window. Columns that are in the ring at one time span at most
 * `width`. Copies run on streams of their own; a sweep begins to load while columns of the one before still leave.
 *
 * Where a store (column_store.h) has the arrays, columns move between the rings and its pool. They load once the store
 * has them, and are given back to it when they have left.
 *
 * All functions are local and end the run, with a message that states the remedy, when the device or the driver fails.
 */
#ifndef TOR_DIAMOND_GPU_WINDOW_WINDOW_H
#define TOR_DIAMOND_GPU_WINDOW_WINDOW_H

#include <cuda_runtime.h>
#include <stddef.h>

#include "diamond/core/column_store.h"
#include "diamond/gpu/view/ring.h"

/* An array whose parts belong to columns ix in rising order; by tor_reserve or tor_alloc (src/base/error.h), or a
 * store's. */
struct tor_window_part {
  char *host;
  const size_t *start; /* [ncolumn + 1] bytes before column ix; copied */
  size_t front;        /* bytes before the first column that go with it; at most TOR_WINDOW_FRONT */
  int changes;         /* columns are copied back */
};
enum { TOR_WINDOW_FRONT = 256, TOR_WINDOW_PARTS = 8 };

struct tor_window;

/* The widest window, in columns, whose rings take no more than `bytes`; 0 when there is none. */
int tor_window_widest(int ncolumn, int npart, const struct tor_window_part *part, double bytes);
/* Pins the arrays, or the pool of their store (NULL: none), which must outlive the window. Returns with the window
 * empty. */
struct tor_window *tor_window_new(int ncolumn, int npart, const struct tor_window_part *part, int width,
                                  const struct tor_column_store *store);
void tor_window_free(struct tor_window *w);
int tor_window_width(const struct tor_window *w);

/* Enqueues the next few copies; to be called repeatedly, until the copies are done. Few at a time, so that other copies
 * can be enqueued in between and no call waits for space in a stream. */
void tor_window_go_on(struct tor_window *w);
/* Starts the next sweep. tor_window_leave must have been called for all columns of the last one. */
void tor_window_begin(struct tor_window *w);
/* Where the kernels of this sweep find a part: the address of its first column. */
char *tor_window_base(const struct tor_window *w, int part);
/* A part's ring, for other devices. */
struct tor_ring tor_window_ring(const struct tor_window *w, int part);
/* Columns from lo on of sweep number `sweep`, counted from 0, and those of the sweeps before may be loaded, no others
 * until the next call. Without a call: all. Continues to load up to there. lo <= the number of columns. */
void tor_window_open(struct tor_window *w, long long sweep, int lo);
/* Whether columns from lo on are on the device; at most `width` of them may not have left yet. Work that is started
 * from now on may use them. Continues to load as far as the window allows, into the next sweep, too. Where the store
 * does not have them yet, waits a little. */
int tor_window_has(struct tor_window *w, int lo);
/* Columns from lo on leave when all work given to `stream` so far is done. */
void tor_window_leave(struct tor_window *w, int lo, cudaStream_t stream);
/* Makes `stream` wait: work given to it from now on finds columns from lo on, for which tor_window_leave has been
 * called, in host memory. */
void tor_window_follow(struct tor_window *w, int lo, cudaStream_t stream);
/* Returns when all columns that left have arrived in host memory; with a store also when it has got them, and no copy
 * uses its pool. */
void tor_window_finish(struct tor_window *w);

#endif
