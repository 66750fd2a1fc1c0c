/* A worker advances a rank's slab and moves its columns out and in: the CPU's engines (worker_cpu.c) or a GPU
 * (diamond/gpu/engine/worker_gpu.cu). comm/exchange uses workers through this interface alone.
 *
 * A worker is a table of calls and the object that they get as `self`. All calls are local, must come from the thread
 * that opened the object, and end the process with a message when memory, a device or its driver fails. run, pack and
 * unpack start work; ran and moved return whether it is done, 0 or 1. On the CPU it is done when they return. One run
 * is pending at a time, and in each halo one pack or one unpack.
 *
 * A worker that runs asynchronously also has calls for the halos along y, used during a run: has_done
 * reports the progress of the towers next to a rank's end along y; pack and unpack of halo_y move parts of its halos,
 * one each a side at a time. Towers beyond that end count as run as far as unpack states. */
#ifndef TOR_DIAMOND_CORE_WORKER_H
#define TOR_DIAMOND_CORE_WORKER_H

#include "diamond/core/column_state.h"
#include "diamond/core/engine.h"

enum tor_halo_x_side { TOR_RIGHT, TOR_LEFT, TOR_NHALO_X };
enum tor_halo_y_side { TOR_BELOW, TOR_ABOVE, TOR_NHALO_Y };

/* How the columns of an x halo travel between two ranks. PACKED, at first: through the host's memory and a message.
 * FETCHED: the receiver's device copies them from the sender's, which keeps them unchanged until they return. DIRECT:
 * the caller sends buffers of the device's memory from there, and receives into them; the rest is packed. */
enum tor_halo_x_way { TOR_HALO_X_PACKED, TOR_HALO_X_FETCHED, TOR_HALO_X_DIRECT };
enum { TOR_HALO_X_BUFFERS = 11 }; /* of both parts of complex fields */
struct tor_halo_x_buffer {
  void *at; /* on the device, which owns it */
  size_t bytes;
};
enum { TOR_WORKER_PEER_INFO = 2048 }; /* bytes */

/* For workers whose columns lie in a device's memory. */
struct tor_worker_halo_x_calls {
  /* Writes the info that the neighbour's worker needs to fetch columns from here, TOR_WORKER_PEER_INFO bytes. */
  void (*peer_info)(void *self, enum tor_halo_x_side side, void *info);
  /* Whether this worker can fetch from the neighbour that wrote `info`. */
  int (*probe)(void *self, enum tor_halo_x_side side, const void *info);
  /* Sets the way that both ranks take; PACKED again before the neighbour's worker is closed. */
  void (*negotiate)(void *self, enum tor_halo_x_side side, enum tor_halo_x_way way);
  /* Bytes that are packed on that way. */
  size_t (*bytes)(void *self, enum tor_halo_x_side side);
  /* The buffers that DIRECT would send. Returns their number, 0 where the columns lie in the host's memory. */
  int (*buffers)(void *self, enum tor_halo_x_side side, struct tor_halo_x_buffer buffer[TOR_HALO_X_BUFFERS]);
};

/* For workers that run asynchronously. */
struct tor_worker_halo_y_calls {
  /* The most rows of a run that has halos along y, in a stage of so many steps. Neighbours along y run as many: the
   * fewest of all ranks. */
  int (*most_rows)(void *self, int steps);
  /* Whether the current run has started: parts may be packed and unpacked from then on. */
  int (*started)(void *self);
  /* There is a neighbour on this side. Once, before the first run. lent: the columns across the ranks' common end that
   * towers of the rank below write and the rank above owns, of all rows. Returns the most bytes of DFT samples in them
   * in a stage of so many steps, the same on both ranks. */
  size_t (*open)(void *self, enum tor_halo_y_side side, const struct tor_column_block *lent, int steps);
  /* As along x. both: both ranks can fetch, and do; else all goes by messages. */
  void (*peer_info)(void *self, enum tor_halo_y_side side, void *info);
  int (*probe)(void *self, enum tor_halo_y_side side, const void *info);
  void (*negotiate)(void *self, enum tor_halo_y_side side, int both);
  /* Bytes of a part's message, the same on both ranks; and bytes that are fetched beside it. */
  size_t (*bytes)(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part);
  size_t (*fetched)(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part);
  /* Whether the last tower on this side, in this row of the run, has done so many steps. May return 0 while the answer
   * is pending: call it again. */
  int (*has_done)(void *self, enum tor_halo_y_side side, int row, int steps);
  /* Start to move a part to and from pinned memory, beside the towers. The part that is unpacked counts as the first
   * `steps` steps of the tower beyond this side in `row`, which is a row of the run or the one right of its first;
   * towers that need more steps wait. */
  void (*pack)(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, void *to);
  int (*packed)(void *self, enum tor_halo_y_side side);
  void (*unpack)(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, const void *from, int row,
                 int steps);
  int (*unpacked)(void *self, enum tor_halo_y_side side);
  /* DFT samples in borrowed columns are not in the parts: a worker may keep a stage's samples apart from the columns.
   * Their bytes in this stage, the same on both ranks, 0 for none; and after a run, before an x halo is packed and
   * before the stage ends, their transfer from the rank below (pack_dft) to the one above (unpack_dft). packed and
   * unpacked return whether it is done. */
  size_t (*dft_bytes)(void *self, enum tor_halo_y_side side);
  void (*pack_dft)(void *self, enum tor_halo_y_side side, void *to);
  void (*unpack_dft)(void *self, enum tor_halo_y_side side, const void *from);
};

struct tor_worker_calls {
  /* The columns that the x halo on this side moves. Returns their bytes packed, the same on both ranks. */
  size_t (*open)(void *self, enum tor_halo_x_side side, const struct tor_column_block *block);
  /* Pins a buffer that messages of a halo go through; and before it is freed. */
  void (*pin)(void *self, void *buffer, size_t bytes);
  void (*unpin)(void *self, void *buffer);
  /* Begins a stage; stage and setup must stay until the next one. No run is pending. */
  void (*begin)(void *self, const struct tor_stage *stage, const struct tor_engine_setup *setup);
  void (*run)(void *self, const struct tor_engine_part *part);
  /* To be called repeatedly, also while waiting between runs: a worker with a window moves its own columns here. */
  int (*ran)(void *self);
  /* All rows of the stage are done. */
  void (*end)(void *self);
  /* Columns in the state after the runs so far; later runs find those that were unpacked. */
  void (*pack)(void *self, enum tor_halo_x_side side, void *to);
  void (*unpack)(void *self, enum tor_halo_x_side side, const void *from);
  int (*moved)(void *self, enum tor_halo_x_side side);
  /* Sums the energies of columns x0 <= ix < x1, which are at the end of a step that sums them; and writes them to the
   * host's slab, for a reduction that follows. A right overlap may be back by then in a newer state: the sums that its
   * columns travel with stay as they are. */
  void (*sum_energy)(void *self, int x0, int x1);
  void (*fetch_energy)(void *self);
  /* Frees what the worker owns. */
  void (*close)(void *self);
  /* Whether a row, in stages of so many steps, has plain columns alone: runs of such rows are faster. NULL: no row
   * differs. */
  int (*is_plain)(void *self, int row, int steps);
  const struct tor_worker_halo_x_calls *halo_x; /* NULL: columns move by messages alone */
  const struct tor_worker_halo_y_calls *halo_y; /* NULL: halos along y move by hooks (comm/exchange/halo_y_cpu.h) */
};

struct tor_worker {
  const struct tor_worker_calls *calls;
  void *self;
  int is_async; /* run, pack and unpack return before their work is done */
};

/* slab must outlive the worker. */
struct tor_worker tor_worker_cpu(struct tor_slab *slab);

#endif
