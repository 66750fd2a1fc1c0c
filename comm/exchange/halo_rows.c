/* Halo rows before each round: see halo_rows.h. */
#include "comm/exchange/halo_rows.h"

#include <string.h>

#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/rounds.h"
#include "diamond/core/worker.h"

void tor_halo_rows_open(struct tor_halo_rows *h, const struct tor_worker *worker,
                        const struct tor_halo_rows_calls *calls, const struct tor_column_block *own,
                        struct tor_channel *const out[TOR_NHALO_Y], struct tor_channel *const in[TOR_NHALO_Y]) {
  memset(h, 0, sizeof *h);
  h->worker = worker;
  h->calls = calls;
  calls->open(worker->self, own);
  for (int e = 0; e < TOR_NHALO_Y; e++) {
    if (!out[e]) continue;
    h->side[e].out = out[e];
    h->side[e].in = in[e];
    for (int i = 0; i < 2; i++) {
      struct tor_channel *channel = i ? in[e] : out[e];
      h->side[e].bytes[i] = calls->bytes(worker->self, e, i);
      void *buffer = tor_channel_buffer(channel, h->side[e].bytes[i]);
      if (buffer) worker->calls->pin(worker->self, buffer, channel->capacity);
    }
  }
}

/* Copies of the round before may still read the buffers of received rows, so receives begin when own rows have been
 * packed, which follows them. */
static void exchange_rows(struct tor_halo_rows *h) {
  const struct tor_worker *worker = h->worker;
  const struct tor_halo_rows_calls *calls = h->calls;
  for (int e = 0; e < TOR_NHALO_Y; e++) {
    if (!h->side[e].out) continue;
    tor_channel_wait(h->side[e].out);
    calls->pack(worker->self, e, h->side[e].out->buffer);
  }
  while (!calls->moved(worker->self)) continue;
  for (int e = 0; e < TOR_NHALO_Y; e++) {
    if (!h->side[e].out) continue;
    tor_channel_receive(h->side[e].in, h->side[e].bytes[1]);
    tor_channel_send(h->side[e].out, h->side[e].bytes[0]);
  }
  for (int e = 0; e < TOR_NHALO_Y; e++) {
    if (!h->side[e].out) continue;
    tor_channel_wait(h->side[e].in);
    calls->unpack(worker->self, e, h->side[e].in->buffer);
  }
}

void tor_halo_rows_run(struct tor_halo_rows *h, int steps) {
  for (int done = 0; done < steps;) {
    exchange_rows(h);
    done += h->calls->round(h->worker->self, done);
  }
}

void tor_halo_rows_close(struct tor_halo_rows *h) {
  if (!h->worker) return;
  for (int e = 0; e < TOR_NHALO_Y; e++)
    for (int i = 0; i < 2 && h->side[e].out; i++) {
      struct tor_channel *channel = i ? h->side[e].in : h->side[e].out;
      tor_channel_wait(channel);
      if (channel->buffer) h->worker->calls->unpin(h->worker->self, channel->buffer);
    }
  h->worker = NULL;
}
