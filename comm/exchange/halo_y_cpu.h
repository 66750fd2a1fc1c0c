/* Halos at a rank's borders along y, exchanged while its towers run (docs/user/cluster.md, Along y).
 *
 * In every even row the rank above a border sends the columns that the tower across it needs; the rank below runs that
 * tower and returns them. Both transfers surround single towers of one run of the engine; the others continue. */
#ifndef TOR_COMM_EXCHANGE_HALO_Y_CPU_H
#define TOR_COMM_EXCHANGE_HALO_Y_CPU_H

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"

struct tor_halo_y_cpu {
  const struct tor_decomposition *layout;
  struct tor_slab *slab;
  int y;
  /* Rank y + 1 lends columns; rank y runs the tower across the border and returns them. */
  struct tor_channel from_above, to_above, from_below, to_below;
  struct tor_rows rows; /* now running */
  int steps;
};

/* layout, slab must outlive it. Local. */
void tor_halo_y_cpu_open(struct tor_halo_y_cpu *halo, const struct tor_decomposition *layout, struct tor_slab *slab,
                         int x, int y);
void tor_halo_y_cpu_close(struct tor_halo_y_cpu *halo);

/* Before and after a run of rows, at least one: all ranks of one x run the same rows. */
void tor_halo_y_cpu_begin(struct tor_halo_y_cpu *halo, struct tor_rows rows, int steps);
void tor_halo_y_cpu_end(struct tor_halo_y_cpu *halo);
/* Before and after each tower, on the thread that runs it, and before another tower that depends on it starts. */
void tor_halo_y_cpu_before(struct tor_halo_y_cpu *halo, int row, int place);
void tor_halo_y_cpu_after(struct tor_halo_y_cpu *halo, int row, int place);

/* Lets the library progress pending transfers. For any thread, at any time between begin and end. */
void tor_halo_y_cpu_poll(struct tor_channel *const *channels, int count);

#endif
