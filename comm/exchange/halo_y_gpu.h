/* Halos at a rank's borders along y, exchanged in parts while a worker runs towers asynchronously
 * (docs/user/cluster.md, GPUs along y). Those of the CPU are exchanged by halo_y_cpu.h.
 *
 * As there, the rank above a border lends the columns that the tower across it needs in every even row, and the rank
 * below returns them. A part is sent as soon as the tower that writes it has left its columns, while that tower still
 * runs. No call blocks: tor_halo_y_gpu_poll progresses each halo as far as possible. */
#ifndef TOR_COMM_EXCHANGE_HALO_Y_GPU_H
#define TOR_COMM_EXCHANGE_HALO_Y_GPU_H

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"
#include "diamond/core/worker.h"

/* Parts of halos sent in one direction, one after the other. */
struct tor_flow {
  struct tor_channel *channel; /* not owned */
  int row, part;
  int state; /* of halo_y_gpu.c */
};

struct tor_halo_y_gpu {
  const struct tor_decomposition *layout;
  const struct tor_worker *worker; /* NULL: the domain ends here */
  enum tor_halo_y_side side;
  int x, y; /* of the rank below the border */
  struct tor_flow out, in;
  struct tor_rows rows; /* now running */
  int steps;
  int is_near; /* the workers fetch most of a part from each other; else messages contain all of it */
};

/* Channels are open and stay open until tor_halo_y_gpu_close; layout and worker must outlive it. The rank beyond the
 * border must do the same; ranks of one x open their borders from below to above, that of a ring's seam last. y: of the
 * rank below, -1 for rank 0's border at the seam. */
void tor_halo_y_gpu_open(struct tor_halo_y_gpu *halo, const struct tor_decomposition *layout,
                         const struct tor_worker *worker, int x, int y, enum tor_halo_y_side side,
                         struct tor_channel *out, struct tor_channel *in);
void tor_halo_y_gpu_close(struct tor_halo_y_gpu *halo);

/* Before a run of some rows, at least one, which both ranks start. */
void tor_halo_y_gpu_begin(struct tor_halo_y_gpu *halo, struct tor_rows rows, int steps);
/* To be called during the run, and after it until it returns 1: all halos have been sent and received. */
int tor_halo_y_gpu_poll(struct tor_halo_y_gpu *halo);
/* After runs, on both ranks: start to send the DFT samples of lent columns to the upper rank; poll until it returns 1.
 */
void tor_halo_y_gpu_send_dft(struct tor_halo_y_gpu *halo);
int tor_halo_y_gpu_dft_sent(struct tor_halo_y_gpu *halo);

#endif
