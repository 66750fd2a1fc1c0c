/* Halos in parts at a border along y: see halo_y_gpu.h. */
#include "comm/exchange/halo_y_gpu.h"

#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/tile.h"
#include "diamond/core/worker.h"

enum { STARTS, MOVES, DONE };

/* The rank above a border (the border is on its side TOR_BELOW) lends columns; the other one returns them. */
static int lends(const struct tor_halo_y_gpu *b) { return b->side == TOR_BELOW; }

/* The columns lent for the first row of a run travel as one part: no tower of this run writes them before. */
static int is_whole(const struct tor_halo_y_gpu *b, int loan, const struct tor_flow *f) {
  return loan && f->row == b->rows.first;
}

static struct tor_halo_y_part part_of(const struct tor_halo_y_gpu *b, int loan, const struct tor_flow *f) {
  if (!is_whole(b, loan, f))
    return (loan ? tor_decomposition_halo_y_part_down : tor_decomposition_halo_y_part_up)(b->layout, b->y, f->row,
                                                                                          b->steps, f->part);
  const struct tor_column_block all = tor_decomposition_halo_y_down(b->layout, b->y, f->row, b->steps);
  return (struct tor_halo_y_part){all, 1, all.x0 + all.y0, all.x1 + all.y1};
}

/* The last lent halo is followed by a message without columns: all returned columns have been unpacked, and the rank
 * below may change its columns. */
static int is_note(const struct tor_halo_y_gpu *b, const struct tor_flow *f) { return f->row < b->rows.last; }

static size_t bytes_of(const struct tor_halo_y_gpu *b, int loan, const struct tor_flow *f) {
  if (is_note(b, f)) return 0;
  const struct tor_halo_y_part part = part_of(b, loan, f);
  return b->worker->calls->halo_y->bytes(b->worker->self, b->side, &part);
}

/* Bytes that are fetched beside the message. */
static double fetched_of(const struct tor_halo_y_gpu *b, int loan, const struct tor_flow *f) {
  if (!b->is_near || is_note(b, f)) return 0;
  const struct tor_halo_y_part part = part_of(b, loan, f);
  return (double)b->worker->calls->halo_y->fetched(b->worker->self, b->side, &part);
}

static void next(const struct tor_halo_y_gpu *b, int loan, struct tor_flow *f) {
  f->state = is_note(b, f) ? DONE : STARTS;
  if (!is_whole(b, loan, f) && ++f->part < tor_decomposition_halo_y_parts(b->steps)) return;
  f->part = 0;
  f->row -= 2;
  if (is_note(b, f) && !loan) f->state = DONE;
}

static void expect(struct tor_halo_y_gpu *b) {
  if (b->in.state != DONE) tor_channel_receive(b->in.channel, bytes_of(b, !lends(b), &b->in));
}

/* Whether the part to be sent is final in its columns. */
static int is_left(const struct tor_halo_y_gpu *b) {
  const struct tor_flow *f = &b->out;
  if (is_note(b, f)) return b->in.state == DONE;
  return is_whole(b, lends(b), f) ||
         b->worker->calls->halo_y->has_done(b->worker->self, b->side, f->row + lends(b),
                                            tor_decomposition_halo_y_part_left(b->steps, f->part));
}

static void send(struct tor_halo_y_gpu *b) {
  const struct tor_worker_halo_y_calls *calls = b->worker->calls->halo_y;
  struct tor_flow *f = &b->out;
  if (f->state == STARTS && tor_channel_test(f->channel) && is_left(b)) {
    const struct tor_halo_y_part part = part_of(b, lends(b), f);
    if (!is_note(b, f)) calls->pack(b->worker->self, b->side, &part, f->channel->buffer);
    f->state = MOVES;
  }
  if (f->state == MOVES && (is_note(b, f) || calls->packed(b->worker->self, b->side))) {
    tor_channel_send(f->channel, bytes_of(b, lends(b), f));
    f->channel->bytes += fetched_of(b, lends(b), f);
    next(b, lends(b), f);
  }
}

static void take(struct tor_halo_y_gpu *b) {
  const struct tor_worker_halo_y_calls *calls = b->worker->calls->halo_y;
  struct tor_flow *f = &b->in;
  const int loan = !lends(b), last = tor_decomposition_halo_y_parts(b->steps) - 1;
  if (f->state == STARTS && tor_channel_test(f->channel)) {
    const struct tor_halo_y_part part = part_of(b, loan, f);
    if (!is_note(b, f))
      calls->unpack(b->worker->self, b->side, &part, f->channel->buffer, f->row + loan,
                    tor_decomposition_halo_y_part_allows(b->steps, is_whole(b, loan, f) ? last : f->part));
    f->state = MOVES;
  }
  if (f->state == MOVES && (is_note(b, f) || calls->unpacked(b->worker->self, b->side))) {
    f->channel->bytes += fetched_of(b, loan, f);
    next(b, loan, f);
    expect(b);
  }
}

int tor_halo_y_gpu_poll(struct tor_halo_y_gpu *b) {
  if (!b->worker) return 1;
  if (!b->worker->calls->halo_y->started(b->worker->self)) return 0;
  if (b->in.state != DONE) take(b);
  if (b->out.state != DONE) send(b);
  return b->in.state == DONE && b->out.state == DONE;
}

void tor_halo_y_gpu_begin(struct tor_halo_y_gpu *b, struct tor_rows rows, int steps) {
  const int even = rows.first - (rows.first & 1);
  b->rows = rows;
  b->steps = steps;
  for (int i = 0; i < 2; i++) {
    struct tor_flow *f = i ? &b->in : &b->out;
    f->row = even;
    f->part = 0;
    f->state = b->worker && even >= rows.last ? STARTS : DONE;
  }
  expect(b);
}

/* --- DFT samples of monitors in lent columns: one way, from the rank below --- */

static struct tor_flow *dft_flow(struct tor_halo_y_gpu *b) { return lends(b) ? &b->in : &b->out; }

void tor_halo_y_gpu_send_dft(struct tor_halo_y_gpu *b) {
  if (!b->worker) return;
  const size_t bytes = b->worker->calls->halo_y->dft_bytes(b->worker->self, b->side);
  if (!bytes) return;
  dft_flow(b)->state = STARTS;
  if (lends(b)) tor_channel_receive(b->in.channel, bytes);
}

int tor_halo_y_gpu_dft_sent(struct tor_halo_y_gpu *b) {
  if (!b->worker) return 1;
  const struct tor_worker_halo_y_calls *calls = b->worker->calls->halo_y;
  struct tor_flow *f = dft_flow(b);
  if (f->state == STARTS && tor_channel_test(f->channel)) {
    if (lends(b))
      calls->unpack_dft(b->worker->self, b->side, f->channel->buffer);
    else
      calls->pack_dft(b->worker->self, b->side, f->channel->buffer);
    f->state = MOVES;
  }
  if (f->state == MOVES && (lends(b) ? calls->unpacked : calls->packed)(b->worker->self, b->side)) {
    if (!lends(b)) tor_channel_send(f->channel, calls->dft_bytes(b->worker->self, b->side));
    f->state = DONE;
  }
  return f->state == DONE;
}

/* --- Open and close --- */

/* The columns across the border that the rank above lends, of all rows. */
static struct tor_column_block lent_columns(const struct tor_decomposition *layout, int x, int y) {
  const struct tor_part part = tor_decomposition_part(layout, x, 0); /* all of one x hold the same along x */
  struct tor_column_block lent = tor_decomposition_halo_y_down(layout, y, 0, layout->th);
  lent.x0 = part.held.x0;
  lent.x1 = part.held.x1;
  return lent;
}

/* Bytes of the largest halo of any row, in one part. */
static size_t most_bytes(const struct tor_halo_y_gpu *b, int loan) {
  const struct tor_tiling tiling = tor_decomposition_tiling(b->layout, b->layout->th);
  int first, last;
  size_t most = 0;
  tor_tiling_rows(&tiling, &first, &last);
  if (first >= b->layout->row[b->x + 1]) first = b->layout->row[b->x + 1] - 1;
  if (last < b->layout->row[b->x]) last = b->layout->row[b->x];
  for (int row = first - (first & 1); row >= last; row -= 2) {
    const struct tor_column_block block =
        (loan ? tor_decomposition_halo_y_down : tor_decomposition_halo_y_up)(b->layout, b->y, row, b->layout->th);
    const struct tor_halo_y_part all = {block, 1, block.x0 + block.y0, block.x1 + block.y1};
    const size_t bytes = b->worker->calls->halo_y->bytes(b->worker->self, b->side, &all);
    if (bytes > most) most = bytes;
  }
  return most;
}

/* Whether the two workers fetch columns from each other. */
static int make_near(struct tor_halo_y_gpu *b) {
  const struct tor_worker_halo_y_calls *calls = b->worker->calls->halo_y;
  char info[TOR_WORKER_PEER_INFO];
  calls->peer_info(b->worker->self, b->side, info);
  tor_channel_swap(b->in.channel, b->out.channel, info, sizeof info);
  const int mine = calls->probe(b->worker->self, b->side, info);
  int theirs = mine;
  tor_channel_swap(b->in.channel, b->out.channel, &theirs, sizeof theirs);
  calls->negotiate(b->worker->self, b->side, mine && theirs);
  return mine && theirs;
}

void tor_halo_y_gpu_open(struct tor_halo_y_gpu *b, const struct tor_decomposition *layout,
                         const struct tor_worker *worker, int x, int y, enum tor_halo_y_side side,
                         struct tor_channel *out, struct tor_channel *in) {
  *b = (struct tor_halo_y_gpu){layout, worker, side, x, y, {.channel = out}, {.channel = in}, {0, 0}, 0, 0};
  const struct tor_column_block lent = lent_columns(layout, x, y);
  const size_t dft_samples = worker->calls->halo_y->open(worker->self, side, &lent, layout->th);
  b->is_near = make_near(b);
  for (int i = 0; i < 2; i++) {
    struct tor_channel *channel = i ? in : out;
    const size_t columns = most_bytes(b, i ? !lends(b) : lends(b));
    void *buffer = tor_channel_buffer(channel, columns > dft_samples ? columns : dft_samples);
    if (buffer) worker->calls->pin(worker->self, buffer, channel->capacity);
  }
}

void tor_halo_y_gpu_close(struct tor_halo_y_gpu *b) {
  if (!b->worker) return;
  for (int i = 0; i < 2; i++) {
    struct tor_channel *channel = i ? b->in.channel : b->out.channel;
    tor_channel_wait(channel);
    if (channel->buffer) b->worker->calls->unpin(b->worker->self, channel->buffer);
  }
  if (b->is_near) b->worker->calls->halo_y->negotiate(b->worker->self, b->side, 0);
  b->worker = NULL;
}
