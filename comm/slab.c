/* The seven steps: see slab.h. */
#include "slab.h"

#include <stdlib.h>
#include <string.h>

#include "../src/error.h"

const char *const tor_phase_name[TOR_NPHASE] = {"waitR", "calcR", "sendR", "calcM", "waitL", "calcL", "sendL"};

enum { TAG_LEFTWARD = 1, TAG_RIGHTWARD };

/* What one stage is about. */
struct work {
  struct tor_exchange *x;
  const struct tor_stage *stage;
  const struct tor_engine_setup *setup;
  struct tor_rows right, middle, left;
};

/* --- Columns to and from channels --- */

static struct tor_column_block overlap(const struct tor_exchange *x, struct tor_span span) {
  return (struct tor_column_block){span.from, span.to, x->share.held.y0, x->share.held.y1};
}

static void pack_and_send(struct tor_exchange *x, struct tor_channel *to, const struct tor_column_block *block) {
  size_t bytes = tor_column_state_bytes(x->slab, block, NULL);
  tor_channel_wait(to);
  tor_column_state_pack(x->slab, block, NULL, tor_channel_room(to, bytes));
  tor_channel_send(to, bytes);
}

static void wait_and_unpack(struct tor_exchange *x, struct tor_channel *from, const struct tor_column_block *block) {
  tor_channel_wait(from);
  tor_column_state_unpack(x->slab, block, NULL, from->buffer);
}

/* --- Rows of towers --- */

static void before_tower(void *self, int row, int place) {
  struct tor_exchange *x = self;
  tor_strips_before(&x->strips, row, place);
}

/* Messages move on while towers run only when the library is asked now and then. */
static void after_tower(void *self, int row, int place) {
  struct tor_exchange *x = self;
  struct tor_strips *s = &x->strips;
  struct tor_channel *const channels[] = {&x->from_right, &x->to_right, &x->from_left, &x->to_left,
                                          &s->from_above, &s->to_above, &s->from_below, &s->to_below};
  tor_strips_after(s, row, place);
  tor_strips_poll(channels, 8);
}

static void run_rows(const struct work *w, struct tor_rows rows) {
  struct tor_exchange *x = w->x;
  const struct tor_layout *l = x->layout;
  const int y = x->share.y, several = l->ranks[0] * l->ranks[1] > 1;
  const struct tor_engine_hooks hooks = {before_tower, after_tower, x};
  const struct tor_engine_part part = {rows.first, rows.last, l->place[y] + 1, l->place[y + 1], several ? &hooks : NULL};
  if (rows.first < rows.last) return;
  tor_strips_begin(&x->strips, rows, w->stage->steps);
  tor_engine_run_part(x->slab, w->stage, w->setup, &part);
  tor_strips_end(&x->strips);
}

/* --- The seven steps. On the domain's edges those of the missing neighbour do nothing. --- */

static int has_right(const struct tor_exchange *x) { return x->share.x + 1 < x->layout->ranks[0]; }
static int has_left(const struct tor_exchange *x) { return x->share.x > 0; }

/* The right overlap as rank x + 1 left it after its calcL of this stage. */
static void waitR(const struct work *w) {
  struct tor_exchange *x = w->x;
  if (!has_right(x)) return;
  struct tor_column_block block = overlap(x, x->share.right);
  wait_and_unpack(x, &x->from_right, &block);
  tor_channel_receive(&x->from_right, x->right_bytes);
}

static void calcR(const struct work *w) { run_rows(w, w->right); }

/* The right overlap, finished, back to rank x + 1 for its calcL of the next stage. */
static void sendR(const struct work *w) {
  struct tor_exchange *x = w->x;
  if (!has_right(x)) return;
  struct tor_column_block block = overlap(x, x->share.right);
  pack_and_send(x, &x->to_right, &block);
}

static void calcM(const struct work *w) { run_rows(w, w->middle); }

/* The left overlap as rank x - 1 left it after its calcR of the stage before. */
static void waitL(const struct work *w) {
  struct tor_exchange *x = w->x;
  if (!x->left_due) return;
  struct tor_column_block block = overlap(x, x->share.left);
  wait_and_unpack(x, &x->from_left, &block);
  x->left_due = 0;
}

static void calcL(const struct work *w) { run_rows(w, w->left); }

static void sendL(const struct work *w) {
  struct tor_exchange *x = w->x;
  if (!has_left(x)) return;
  struct tor_column_block block = overlap(x, x->share.left);
  tor_channel_receive(&x->from_left, x->left_bytes);
  pack_and_send(x, &x->to_left, &block);
  x->left_due = 1;
}

static void phase(const struct work *w, enum tor_phase number, void (*step)(const struct work *)) {
  struct tor_exchange *x = w->x;
  double start = tor_message_clock();
  step(w);
  double end = tor_message_clock();
  x->seconds[number] += end - start;
  if (!x->keep_times) return;
  x->times = tor_grow(x->times, x->ntimes + 1, &x->times_room, sizeof *x->times);
  x->times[x->ntimes++] = (struct tor_phase_time){x->stages, number, start - x->begin, end - x->begin};
}

void tor_exchange_stage(struct tor_exchange *x, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  struct work w = {.x = x, .stage = stage, .setup = setup};
  if (stage->steps > x->layout->th) TOR_DIE("a stage of %d steps on a layout for %d", stage->steps, x->layout->th);
  tor_layout_rows(x->layout, &x->share, stage->steps, &w.right, &w.middle, &w.left);
  phase(&w, TOR_WAIT_R, waitR);
  phase(&w, TOR_CALC_R, calcR);
  phase(&w, TOR_SEND_R, sendR);
  phase(&w, TOR_CALC_M, calcM);
  phase(&w, TOR_WAIT_L, waitL);
  phase(&w, TOR_CALC_L, calcL);
  phase(&w, TOR_SEND_L, sendL);
  x->stages++;
}

void tor_exchange_settle(struct tor_exchange *x) {
  struct work w = {.x = x};
  waitL(&w);
}

void tor_exchange_open(struct tor_exchange *x, const struct tor_layout *layout, struct tor_slab *slab, int rx, int ry) {
  memset(x, 0, sizeof *x);
  x->layout = layout;
  x->slab = slab;
  x->share = tor_layout_share(layout, rx, ry);
  if (has_right(x)) {
    int peer = tor_layout_number(layout, rx + 1, ry);
    struct tor_column_block block = overlap(x, x->share.right);
    x->right_bytes = tor_column_state_bytes(slab, &block, NULL);
    tor_channel_open(&x->from_right, peer, TAG_LEFTWARD);
    tor_channel_open(&x->to_right, peer, TAG_RIGHTWARD);
    tor_channel_receive(&x->from_right, x->right_bytes);
  }
  if (has_left(x)) {
    int peer = tor_layout_number(layout, rx - 1, ry);
    struct tor_column_block block = overlap(x, x->share.left);
    x->left_bytes = tor_column_state_bytes(slab, &block, NULL);
    tor_channel_open(&x->from_left, peer, TAG_RIGHTWARD);
    tor_channel_open(&x->to_left, peer, TAG_LEFTWARD);
  }
  tor_strips_open(&x->strips, layout, slab, rx, ry);
  tor_message_barrier();
  x->begin = tor_message_clock();
}

void tor_exchange_close(struct tor_exchange *x) {
  struct tor_channel *channels[] = {&x->to_right, &x->from_left, &x->to_left};
  tor_exchange_settle(x);
  tor_channel_close(&x->from_right, 1); /* posted for a stage that does not come */
  for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) tor_channel_close(channels[i], 0);
  tor_strips_close(&x->strips);
  free(x->times);
}
