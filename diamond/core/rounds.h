/* How a worker (worker.h) advances a 2-D slab whose rows of cells along y several ranks share: by rounds of some steps.
 * Before each round the own rows next to a border, with all of their state, become the neighbour's halo rows; the round
 * leaves all own rows right. These calls take the place of the worker's run, ran, pack and unpack. */
#ifndef TOR_DIAMOND_CORE_ROUNDS_H
#define TOR_DIAMOND_CORE_ROUNDS_H

#include "diamond/core/column_state.h"
#include "diamond/core/worker.h"

struct tor_halo_rows_calls {
  /* The columns that the rank owns; once, before the first stage. */
  void (*open)(void *self, const struct tor_column_block *own);
  /* Bytes of the own rows that are sent to the neighbour on a side; halo: of the halo rows that come from there. */
  size_t (*bytes)(void *self, enum tor_halo_y_side side, int halo);
  /* Start to copy own rows to pinned memory, halo rows from there, after the rounds before. moved: whether that is
   * done.
   */
  void (*pack)(void *self, enum tor_halo_y_side side, void *to);
  void (*unpack)(void *self, enum tor_halo_y_side side, const void *from);
  int (*moved)(void *self);
  /* Starts the round that begins with step `first` of the stage; returns its steps, the same on all ranks. */
  int (*round)(void *self, int first);
};

#endif
