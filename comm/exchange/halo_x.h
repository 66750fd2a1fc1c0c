/* The columns that a rank shares with its neighbour along x, sent there and back (docs/user/cluster.md).
 *
 * Packed columns travel in a message. Columns in a device's memory are fetched by the neighbour's device, or are sent
 * by separate messages from memory to memory where MPI takes device memory. Both ranks negotiate the way when they
 * open. */
#ifndef TOR_COMM_EXCHANGE_HALO_X_H
#define TOR_COMM_EXCHANGE_HALO_X_H

#include "comm/transport/message.h"
#include "diamond/core/worker.h"

/* Where the newest state of the columns is. */
enum tor_token {
  TOR_TOKEN_AWAY,  /* with the neighbour, or in transfer; a receive is posted */
  TOR_TOKEN_COMES, /* it has arrived and is being unpacked */
  TOR_TOKEN_HERE,
  TOR_TOKEN_LEAVES /* it is being packed */
};

enum { TOR_HALO_X_CHANNELS = 1 + TOR_HALO_X_BUFFERS };
struct tor_halo_x {
  const struct tor_worker *worker; /* NULL: no neighbour; the columns are always here */
  enum tor_halo_x_side side;
  enum tor_token token;
  enum tor_halo_x_way way;
  /* Packed columns first, then buffers of a device's memory. */
  int channels;
  struct tor_channel in[TOR_HALO_X_CHANNELS], out[TOR_HALO_X_CHANNELS];
  size_t bytes[TOR_HALO_X_CHANNELS], fetched;
  int expects; /* buffers: receives are posted */
};

/* token: where the columns are at first. The peer opens its side of them at the same time. */
void tor_halo_x_open(struct tor_halo_x *halo, const struct tor_worker *worker, enum tor_halo_x_side side,
                     const struct tor_column_block *block, int peer, enum tor_token token);
/* Progresses the transfer without blocking. may_come: the columns may also be unpacked, after which they are newer than
 * those beside them. */
void tor_halo_x_move_on(struct tor_halo_x *halo, int may_come);
/* Starts to send the columns to the neighbour, and posts the receive for their return. */
void tor_halo_x_give(struct tor_halo_x *halo);
/* Returns when all sends have been received. */
void tor_halo_x_settle(struct tor_halo_x *halo);
/* Ends fetching: before the neighbour closes. */
void tor_halo_x_detach(struct tor_halo_x *halo);
/* Cancels the receive of columns that are away. */
void tor_halo_x_close(struct tor_halo_x *halo);

#endif
