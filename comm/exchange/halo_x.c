/* Transfer of columns between two ranks along x: see halo_x.h. */
#include "comm/exchange/halo_x.h"

#include <string.h>

#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/worker.h"

/* Tags of the packed columns; buffer number c adds c * TAG_BUFFER. */
enum { TAG_LEFTWARD = 1, TAG_RIGHTWARD, TAG_BUFFER = 20 };

/* --- The way --- */

enum { CAN_FETCH = 1, CAN_SEND = 2 }; /* from the device's memory */

static enum tor_halo_x_way negotiate(struct tor_halo_x *o) {
  const struct tor_worker_halo_x_calls *near = o->worker->calls->halo_x;
  struct tor_halo_x_buffer buffer[TOR_HALO_X_BUFFERS];
  char info[TOR_WORKER_PEER_INFO];
  near->peer_info(o->worker->self, o->side, info);
  tor_channel_swap(&o->in[0], &o->out[0], info, sizeof info);
  const int fetches = near->probe(o->worker->self, o->side, info) ? CAN_FETCH : 0;
  const int sends =
      tor_message_takes_device_memory(o->out[0].peer) && near->buffers(o->worker->self, o->side, buffer) ? CAN_SEND : 0;
  int both = fetches | sends;
  tor_channel_swap(&o->in[0], &o->out[0], &both, sizeof both);
  both &= fetches | sends;
  const enum tor_halo_x_way way = both & CAN_FETCH  ? TOR_HALO_X_FETCHED
                                  : both & CAN_SEND ? TOR_HALO_X_DIRECT
                                                    : TOR_HALO_X_PACKED;
  near->negotiate(o->worker->self, o->side, way);
  return way;
}

static void open_buffers(struct tor_halo_x *o) {
  const struct tor_worker_halo_x_calls *near = o->worker->calls->halo_x;
  struct tor_halo_x_buffer buffer[TOR_HALO_X_BUFFERS];
  const size_t all = o->bytes[0];
  const int buffers = o->way == TOR_HALO_X_DIRECT ? near->buffers(o->worker->self, o->side, buffer) : 0;
  o->bytes[0] = near->bytes(o->worker->self, o->side);
  if (o->way == TOR_HALO_X_FETCHED) o->fetched = all - o->bytes[0];
  for (int i = 0; i < buffers; i++) {
    const int c = o->channels++;
    o->bytes[c] = buffer[i].bytes;
    tor_channel_open(&o->in[c], o->in[0].peer, o->in[0].tag + TAG_BUFFER * c);
    tor_channel_open(&o->out[c], o->out[0].peer, o->out[0].tag + TAG_BUFFER * c);
    tor_channel_lend(&o->in[c], buffer[i].at, buffer[i].bytes);
    tor_channel_lend(&o->out[c], buffer[i].at, buffer[i].bytes);
  }
}

void tor_halo_x_open(struct tor_halo_x *o, const struct tor_worker *worker, enum tor_halo_x_side side,
                     const struct tor_column_block *block, int peer, enum tor_token token) {
  const int right = side == TOR_RIGHT;
  *o = (struct tor_halo_x){.worker = worker, .side = side, .token = token, .channels = 1};
  o->bytes[0] = worker->calls->open(worker->self, side, block);
  tor_channel_open(&o->in[0], peer, right ? TAG_LEFTWARD : TAG_RIGHTWARD);
  tor_channel_open(&o->out[0], peer, right ? TAG_RIGHTWARD : TAG_LEFTWARD);
  if (worker->calls->halo_x) {
    o->way = negotiate(o);
    open_buffers(o);
  }
  struct tor_channel *const packed[] = {&o->out[0], &o->in[0]};
  for (int i = 0; i < 2; i++) {
    void *buffer = tor_channel_buffer(packed[i], o->bytes[0]);
    if (buffer) worker->calls->pin(worker->self, buffer, packed[i]->capacity);
  }
  if (token == TOR_TOKEN_AWAY) tor_channel_receive(&o->in[0], o->bytes[0]);
}

void tor_halo_x_detach(struct tor_halo_x *o) {
  if (o->worker && o->way == TOR_HALO_X_FETCHED)
    o->worker->calls->halo_x->negotiate(o->worker->self, o->side, TOR_HALO_X_PACKED);
}

void tor_halo_x_close(struct tor_halo_x *o) {
  if (!o->worker) return;
  const int gives_up = o->token == TOR_TOKEN_AWAY; /* receives for a next stage that is not run */
  const struct tor_channel *const packed[] = {&o->out[0], &o->in[0]};
  tor_halo_x_settle(o);
  if (!gives_up) tor_channel_wait(&o->in[0]);
  for (int i = 0; i < 2; i++)
    if (packed[i]->buffer) o->worker->calls->unpin(o->worker->self, packed[i]->buffer);
  for (int c = 0; c < o->channels; c++) {
    tor_channel_close(&o->out[c], 0);
    tor_channel_close(&o->in[c], gives_up);
  }
  o->worker = NULL;
}

/* --- Sending and receiving --- */

static int is_sent(struct tor_halo_x *o) {
  int done = 1;
  for (int c = 0; c < o->channels; c++) done &= tor_channel_test(&o->out[c]);
  return done;
}

static void send(struct tor_halo_x *o) {
  for (int c = 0; c < o->channels; c++) tor_channel_send(&o->out[c], o->bytes[c]);
  o->out[0].bytes += (double)o->fetched;
}

/* Sends and receives use the same buffers, so receives are posted only when all sends are done. The packed columns are
 * tested last, since their channel counts the time of all. */
static int has_come(struct tor_halo_x *o) {
  int done = 1;
  if (!o->expects && !is_sent(o)) return 0;
  for (int c = 1; c < o->channels; c++) {
    if (!o->expects) tor_channel_receive(&o->in[c], o->bytes[c]);
    done &= tor_channel_test(&o->in[c]);
  }
  o->expects = 1;
  return done && tor_channel_test(&o->in[0]);
}

void tor_halo_x_move_on(struct tor_halo_x *o, int may_come) {
  if (!o->worker) return;
  const struct tor_worker_calls *calls = o->worker->calls;
  void *const self = o->worker->self;
  is_sent(o);
  if (o->token == TOR_TOKEN_LEAVES && calls->moved(self, o->side)) {
    send(o);
    o->token = TOR_TOKEN_AWAY;
  }
  if (o->token == TOR_TOKEN_AWAY && may_come && has_come(o)) {
    o->expects = 0;
    calls->unpack(self, o->side, o->in[0].buffer);
    o->in[0].bytes += (double)o->fetched;
    o->token = TOR_TOKEN_COMES;
  }
  if (o->token == TOR_TOKEN_COMES && calls->moved(self, o->side)) o->token = TOR_TOKEN_HERE;
}

void tor_halo_x_settle(struct tor_halo_x *o) {
  for (int c = 0; o->worker && c < o->channels; c++) tor_channel_wait(&o->out[c]);
}

void tor_halo_x_give(struct tor_halo_x *o) {
  if (!o->worker) return;
  tor_halo_x_settle(o);
  tor_channel_receive(&o->in[0], o->bytes[0]);
  o->worker->calls->pack(o->worker->self, o->side, o->out[0].buffer);
  o->token = TOR_TOKEN_LEAVES;
  tor_halo_x_move_on(o, 0);
}
