/* Strips of columns at a rank's borders along Y, exchanged in parts while a worker runs towers behind the caller's back
 * (docs/user/cluster.md, GPUs along y). The CPU's strips travel by strip.h.
 *
 * As there, the rank above a border lends what the tower across it needs in every even row, the rank below hands back.
 * A part leaves as soon as the tower that writes it has left its columns, while that tower still runs. Nobody waits:
 * tor_border_poll takes each strip as far on its way as it goes. */
#ifndef TOR_COMM_EXCHANGE_HALO_Y_GPU_H
#define TOR_COMM_EXCHANGE_HALO_Y_GPU_H

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"
#include "comm/worker/worker.h"

/* Parts of strips that go one way, one after the other. */
struct tor_flow {
  struct tor_channel *channel; /* not owned */
  int row, part;
  int state; /* of border.c */
};

struct tor_border {
  const struct tor_layout *layout;
  const struct tor_worker *worker; /* NULL: the domain ends here */
  enum tor_edge edge;
  int x, y; /* of the rank below the border */
  struct tor_flow out, in;
  struct tor_rows rows; /* now running */
  int steps;
  int is_near; /* the workers fetch most of a part from each other; else all of it comes by messages */
};

/* Channels are open and stay open until tor_border_close; layout and worker must outlive it. With the rank beyond the
 * border, those of one x from below to above. */
void tor_border_open(struct tor_border *border, const struct tor_layout *layout, const struct tor_worker *worker, int x,
                     int y, enum tor_edge edge, struct tor_channel *out, struct tor_channel *in);
void tor_border_close(struct tor_border *border);

/* Before a run of some rows, at least one, which both ranks start. */
void tor_border_begin(struct tor_border *border, struct tor_rows rows, int steps);
/* While the run is under way, and after it until it returns 1: all strips have come and gone. */
int tor_border_poll(struct tor_border *border);
/* After runs, on both ranks: what monitors heard in columns that were lent starts on its way up; takes it on its way
 * until it returns 1. */
void tor_border_hear(struct tor_border *border);
int tor_border_heard(struct tor_border *border);

#endif
