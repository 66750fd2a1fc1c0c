/* A rank's state as a file of blocks. For checkpoint.c alone. */
#ifndef TOR_SRC_SIMULATION_CHECKPOINT_STATE_H
#define TOR_SRC_SIMULATION_CHECKPOINT_STATE_H

#include "io/files/block_file.h"
#include "src/simulation/simulation.h"

/* Distributes all samples of time series so far to all ranks: those of a rank's own columns may have been taken by a
 * neighbour.
 * Collective. Returns 0; or -1 with errno on all ranks. */
int tor_checkpoint_state_join(const struct tor_simulation *sim);

/* Writes this rank's own columns, and on rank 0 the history of the energy. *bytes: size of the file. Local. Returns 0;
 * or -1 with errno. */
int tor_checkpoint_state_write(const char *path, const struct tor_block_head *head, const struct tor_simulation *sim,
                               double *bytes);

/* How much of a state that lies in several files has been read. */
struct tor_checkpoint_parts {
  unsigned char *column; /* [held columns], in the order of (ix, iy): times that each was read; owned by the caller */
  int energies;          /* histories of the energy */
};

/* Reads from a rank's file the columns that this process holds, and counts them in *parts; from rank 0's also the
 * history of the energy. Blocks of other columns are not read. head: the required head of the file. Local. */
enum tor_block_status tor_checkpoint_state_read(const char *path, const struct tor_block_head *head,
                                                struct tor_simulation *sim, struct tor_checkpoint_parts *parts);
/* Whether that is a whole state, each column and the energy once. */
int tor_checkpoint_state_is_whole(const struct tor_checkpoint_parts *parts, const struct tor_slab *slab);

#endif
