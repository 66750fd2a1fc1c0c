/* The state of columns as bytes: everything that changes while they are advanced. Checkpoints store it, and ranks send
 * it to each other.
 *
 * A column's bytes: fields with the ghost values behind walls in z, memory of the CPML, states of the poles and surface
 * nodes, energy sums, Fourier sums of its monitors, and, where asked, its samples of time series. Their size and order
 * follow from the job alone, so that bytes packed by one rank, engine or number of threads can be unpacked by another.
 * Local. */
#ifndef TOR_DIAMOND_CORE_COLUMN_STATE_H
#define TOR_DIAMOND_CORE_COLUMN_STATE_H

#include <stddef.h>

#include "diamond/core/slab.h"

/* Columns ix in [x0, x1), iy in [y0, y1), all of them held. */
struct tor_column_block {
  int x0, x1, y0, y1;
};

static inline struct tor_column_block tor_column_block_held(const struct tor_slab *slab) {
  return (struct tor_column_block){slab->lo[0], slab->lo[0] + slab->held[0], slab->lo[1], slab->lo[1] + slab->held[1]};
}

/* Columns of a block with from <= ix + lean iy < to. */
struct tor_halo_y_part {
  struct tor_column_block block;
  int lean; /* 1 or -1 */
  int from, to;
};
/* Those with this iy: *x0 <= ix < *x1; none where *x0 >= *x1. */
static inline void tor_halo_y_columns(const struct tor_halo_y_part *part, int iy, int *x0, int *x1) {
  const int from = part->from - part->lean * iy, to = part->to - part->lean * iy;
  *x0 = from > part->block.x0 ? from : part->block.x0;
  *x1 = to < part->block.x1 ? to : part->block.x1;
}

/* Bytes of a block. samples[ngroup]: how many samples of each time series are part of it, the first ones; NULL: none.
 */
size_t tor_column_state_bytes(const struct tor_slab *slab, const struct tor_column_block *block, const int *samples);

/* The block's bytes, columns in the order of (ix, iy). `to` and `from` have the size that tor_column_state_bytes
 * returns. */
void tor_column_state_pack(const struct tor_slab *slab, const struct tor_column_block *block, const int *samples,
                           void *to);
void tor_column_state_unpack(struct tor_slab *slab, const struct tor_column_block *block, const int *samples,
                             const void *from);

#endif
