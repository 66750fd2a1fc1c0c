/* A window on arrays in host memory: their columns move through rings of device memory, in the order of a sweep from
 * the highest ix to the lowest, sweep after sweep.
 *
 * An array's ring (ring.h) has addresses for all of it, so that column ix stands where it would in a copy of the whole
 * array: kernels know nothing of the window. Columns that stand in the ring at one time span at most `width`. Copies
 * run on streams of their own; a sweep begins to load while the one before still leaves.
 *
 * All functions are local and end the run, with a message that says what to do, when the device or the driver fails. */
#ifndef TOR_DIAMOND_GPU_WINDOW_WINDOW_H
#define TOR_DIAMOND_GPU_WINDOW_WINDOW_H

#include <cuda_runtime.h>
#include <stddef.h>

#include "diamond/gpu/view/ring.h"

/* An array whose parts belong to columns ix in rising order; by tor_reserve or tor_alloc (src/base/error.h). */
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
/* Pins the arrays, which must outlive the window. Returns with the window empty. */
struct tor_window *tor_window_new(int ncolumn, int npart, const struct tor_window_part *part, int width);
void tor_window_free(struct tor_window *w);
int tor_window_width(const struct tor_window *w);

/* Copies are enqueued a few at a time, and go on when this is called, again and again: other copies get in between, and
 * no call waits for room in a stream. */
void tor_window_go_on(struct tor_window *w);
/* Starts the next sweep. All columns of the last one must have been told to leave. */
void tor_window_begin(struct tor_window *w);
/* Where the kernels of this sweep find a part: the address of its first column. */
char *tor_window_base(const struct tor_window *w, int part);
/* A part's ring, for other devices. */
struct tor_ring tor_window_ring(const struct tor_window *w, int part);
/* Columns from lo on of sweep number `sweep`, counted from 0, and those of the sweeps before may be loaded, no others
 * until the next call. Without a call: all. Loads on as far as that. lo <= the number of columns. */
void tor_window_open(struct tor_window *w, long long sweep, int lo);
/* Whether columns from lo on are there, down to which no more than `width` may be held: work that is started from now
 * on may use them. Loads on as far as the window allows, into the next sweep, too. */
int tor_window_has(struct tor_window *w, int lo);
/* Columns from lo on leave when the work that `stream` has been given is done. */
void tor_window_leave(struct tor_window *w, int lo, cudaStream_t stream);
/* Work given to `stream` from now on finds columns from lo on, which have been told to leave, in host memory. */
void tor_window_follow(struct tor_window *w, int lo, cudaStream_t stream);
/* Returns when all that left has arrived in host memory. */
void tor_window_finish(struct tor_window *w);

#endif
