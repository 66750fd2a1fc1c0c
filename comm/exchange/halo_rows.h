/* Halo rows of a 2-D slab that ranks along y share, for workers that advance it by rounds (diamond/core/rounds.h):
 * before each round neighbours send each other the rows next to their border. No round of a rank is more than one ahead
 * of its neighbours'. */
#ifndef TOR_COMM_EXCHANGE_HALO_ROWS_H
#define TOR_COMM_EXCHANGE_HALO_ROWS_H

#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/rounds.h"
#include "diamond/core/worker.h"

struct tor_halo_rows {
  const struct tor_worker *worker; /* NULL: not opened */
  const struct tor_halo_rows_calls *calls;
  struct {
    struct tor_channel *out, *in; /* not owned; NULL: the domain ends here */
    size_t bytes[2];              /* of own rows, of halo rows */
  } side[TOR_NHALO_Y];
};

/* own: the rank's columns. out, in: channels to and from the neighbours, NULL where there is none; they are open, and
 * stay so, as the worker does, until tor_halo_rows_close. */
void tor_halo_rows_open(struct tor_halo_rows *halo, const struct tor_worker *worker,
                        const struct tor_halo_rows_calls *calls, const struct tor_column_block *own,
                        struct tor_channel *const out[TOR_NHALO_Y], struct tor_channel *const in[TOR_NHALO_Y]);
/* All rounds of a stage that the worker has begun. Neighbours must do the same. */
void tor_halo_rows_run(struct tor_halo_rows *halo, int steps);
void tor_halo_rows_close(struct tor_halo_rows *halo);

#endif
