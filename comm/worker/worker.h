/* Who advances a rank's slab and takes its columns out and in: the CPU's engines or a GPU. comm/exchange/exchange.c and
 * halo_y_gpu.c know no more of either.
 *
 * run, pack and unpack start something; ran and moved tell whether it is done. On the CPU all is done at once. One call
 * of `run` is under way at a time, and on each side one of pack or unpack. All calls are local.
 *
 * A worker that runs behind the caller's back has calls for borders along y, too, while a run is under way: left tells
 * how far towers next to a border are, pack_part and unpack_part start to move parts of strips, one each at a border at
 * a time. Towers beyond a border count as run as far as unpack_part says. */
#ifndef TOR_COMM_WORKER_WORKER_H
#define TOR_COMM_WORKER_WORKER_H

#include "diamond/core/column_state.h"
#include "diamond/gpu/device.h"
#include "diamond/core/engine.h"

enum tor_halo_x_side { TOR_RIGHT, TOR_LEFT, TOR_NHALO_X };
enum tor_halo_y_side { TOR_BELOW, TOR_ABOVE, TOR_NHALO_Y };

struct tor_worker_calls {
  /* The columns that side `side` will move. Returns their bytes packed, which both ranks that share them find alike. */
  size_t (*open)(void *self, enum tor_halo_x_side side, const struct tor_column_block *block);
  /* A buffer that messages of a side come and go by, and before it is freed. */
  void (*pin)(void *self, void *buffer, size_t bytes);
  void (*unpin)(void *self, void *buffer);
  /* stage and setup stay until the next stage. */
  void (*begin)(void *self, const struct tor_stage *stage, const struct tor_engine_setup *setup);
  void (*run)(void *self, const struct tor_engine_part *part);
  /* To be asked again and again, also in waits between runs: a worker may have columns of its own to move. */
  int (*ran)(void *self);
  /* All rows of the stage are done. */
  void (*end)(void *self);
  /* Columns as the towers run so far leave them; a later run finds those unpacked. */
  void (*pack)(void *self, enum tor_halo_x_side side, void *to);
  void (*unpack)(void *self, enum tor_halo_x_side side, const void *from);
  int (*moved)(void *self, enum tor_halo_x_side side);
  /* Energies of columns x0 <= ix < x1, which stand at the end of a step that sums them; to the host's slab. */
  void (*sum_energy)(void *self, int x0, int x1);
  void (*fetch_energy)(void *self);
  void (*close)(void *self);
  /* Whether a row, in stages of so many steps, is of the kind that is run faster by itself. NULL: all rows are alike.
   */
  int (*is_plain)(void *self, int row, int steps);
  /* For a worker whose columns may go from device to device along x; or NULL. */
  const struct tor_worker_halo_x_calls *halo_x;
  /* Along y; NULL for a worker that does all at once, whose strips travel by hooks (halo_y_cpu.h). */
  const struct tor_worker_halo_y_calls *halo_y;
};

enum { TOR_WORKER_PEER_INFO = 1024 };
/* Other ways for what lies in a device's memory; see device.h. */
struct tor_worker_halo_x_calls {
  /* What the neighbour's worker needs to know to fetch columns from here itself, TOR_WORKER_PEER_INFO bytes; whether
   * this one can, by what that one tells; and the way that both take, to be PACKED before the neighbour's worker is
   * closed.
   */
  void (*peer_info)(void *self, enum tor_halo_x_side side, void *info);
  int (*probe)(void *self, enum tor_halo_x_side side, const void *info);
  void (*negotiate)(void *self, enum tor_halo_x_side side, enum tor_halo_x_way way);
  /* Bytes that are packed then, and the buffers that would go by DIRECT. */
  size_t (*bytes)(void *self, enum tor_halo_x_side side);
  int (*buffers)(void *self, enum tor_halo_x_side side, struct tor_halo_x_buffer buffer[TOR_HALO_X_BUFFERS]);
};

struct tor_worker_halo_y_calls {
  /* The most rows of a run that has borders, in a stage of so many steps; neighbours along y run as many, so the fewest
   * of all. */
  int (*most_rows)(void *self, int steps);
  /* Whether the run under way has started: parts may be packed and unpacked from then on. */
  int (*started)(void *self);
  /* There is a neighbour beyond this edge; before the first run. lent: the columns that any row's tower on the border
   * borrows. Returns the most bytes that monitors' samples there have in a stage of so many steps. */
  size_t (*open)(void *self, enum tor_halo_y_side side, const struct tor_column_block *lent, int steps);
  /* As along x; whether both can fetch, and do. */
  void (*peer_info)(void *self, enum tor_halo_y_side side, void *info);
  int (*probe)(void *self, enum tor_halo_y_side side, const void *info);
  void (*negotiate)(void *self, enum tor_halo_y_side side, int both);
  /* Bytes of a part packed, which both ranks find alike; and those that are fetched beside that. */
  size_t (*bytes)(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part);
  size_t (*fetched)(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part);
  /* Whether the tower next to the edge in this row of the run has done so many steps. */
  int (*left)(void *self, enum tor_halo_y_side side, int row, int steps);
  void (*pack)(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, void *to);
  int (*packed)(void *self, enum tor_halo_y_side side);
  /* Columns in; with them the tower beyond the edge in this row, which may be the one right of the run's first, has
   * done so many steps. */
  void (*unpack)(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, const void *from, int row,
                 int steps);
  int (*unpacked)(void *self, enum tor_halo_y_side side);
  /* Monitors' samples of lent columns, where a worker keeps a stage's samples beside the columns: bytes in this stage,
   * which both ranks find alike, and after a run, before a halo_x's columns are packed and the stage ends, their way
   * from the rank below to the one above. packed and unpacked tell. */
  size_t (*dft_bytes)(void *self, enum tor_halo_y_side side);
  void (*pack_dft)(void *self, enum tor_halo_y_side side, void *to);
  void (*unpack_dft)(void *self, enum tor_halo_y_side side, const void *from);
};

struct tor_worker {
  const struct tor_worker_calls *calls;
  void *self;
  int is_async; /* what is started goes on behind the caller's back */
};

/* slab must outlive the worker. */
struct tor_worker tor_worker_cpu(struct tor_slab *slab);
/* By the device's towers. device and slab must outlive the worker. */
struct tor_worker tor_worker_gpu(struct tor_device *device, struct tor_slab *slab);

#endif
