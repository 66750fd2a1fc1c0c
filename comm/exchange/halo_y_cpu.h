/* Strips of columns at a rank's borders along Y, exchanged while its towers run (docs/user/cluster.md, Along y).
 *
 * In every even row the rank above a border lends what the tower across it needs, the rank below runs that tower and
 * hands back. Both happen around single towers of one run of the engine: the others go on meanwhile. */
#ifndef TOR_COMM_EXCHANGE_HALO_Y_CPU_H
#define TOR_COMM_EXCHANGE_HALO_Y_CPU_H

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"

struct tor_strips {
  const struct tor_layout *layout;
  struct tor_slab *slab;
  int y;
  /* Rank y + 1 lends, y works and hands back. */
  struct tor_channel from_above, to_above, from_below, to_below;
  struct tor_rows rows; /* now running */
  int steps;
};

/* layout, slab must outlive it. Local. */
void tor_strips_open(struct tor_strips *strips, const struct tor_layout *layout, struct tor_slab *slab, int x, int y);
void tor_strips_close(struct tor_strips *strips);

/* Before and after the towers of some rows, at least one, are run: all ranks of a column of ranks run the same rows. */
void tor_strips_begin(struct tor_strips *strips, struct tor_rows rows, int steps);
void tor_strips_end(struct tor_strips *strips);
/* Before and after each tower, by the thread that runs it, and before another tower that needs it starts. */
void tor_strips_before(struct tor_strips *strips, int row, int place);
void tor_strips_after(struct tor_strips *strips, int row, int place);

/* Has the library move on what is under way. For any thread, at any time between begin and end. */
void tor_strips_poll(struct tor_channel *const *channels, int count);

#endif
