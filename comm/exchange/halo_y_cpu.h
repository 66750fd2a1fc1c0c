/* Strips of columns at a rank's borders along Y, exchanged while its towers run (docs/user/cluster.md, Along y).
 *
 * In every even row the rank above a border lends what the tower across it needs, the rank below runs that tower and
 * hands back. Both happen around single towers of one run of the engine: the others go on meanwhile. */
#ifndef TOR_COMM_EXCHANGE_HALO_Y_CPU_H
#define TOR_COMM_EXCHANGE_HALO_Y_CPU_H

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"

struct tor_halo_y_cpu {
  const struct tor_decomposition *layout;
  struct tor_slab *slab;
  int y;
  /* Rank y + 1 lends, y works and hands back. */
  struct tor_channel from_above, to_above, from_below, to_below;
  struct tor_rows rows; /* now running */
  int steps;
};

/* layout, slab must outlive it. Local. */
void tor_halo_y_cpu_open(struct tor_halo_y_cpu *strips, const struct tor_decomposition *layout, struct tor_slab *slab,
                         int x, int y);
void tor_halo_y_cpu_close(struct tor_halo_y_cpu *strips);

/* Before and after the towers of some rows, at least one, are run: all ranks of a column of ranks run the same rows. */
void tor_halo_y_cpu_begin(struct tor_halo_y_cpu *strips, struct tor_rows rows, int steps);
void tor_halo_y_cpu_end(struct tor_halo_y_cpu *strips);
/* Before and after each tower, by the thread that runs it, and before another tower that needs it starts. */
void tor_halo_y_cpu_before(struct tor_halo_y_cpu *strips, int row, int place);
void tor_halo_y_cpu_after(struct tor_halo_y_cpu *strips, int row, int place);

/* Has the library move on what is under way. For any thread, at any time between begin and end. */
void tor_halo_y_cpu_poll(struct tor_channel *const *channels, int count);

#endif
