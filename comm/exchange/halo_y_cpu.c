/* Halos at borders along y: see halo_y_cpu.h. Threads take turns in message calls, none of which blocks. */
#include "comm/exchange/halo_y_cpu.h"

#include <sched.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"

enum { TAG_DOWN = 3, TAG_UP };

/* At any place along x. */
static int has_above(const struct tor_halo_y_cpu *s) { return tor_decomposition_beside(s->layout, 0, s->y, 1) >= 0; }
static int has_below(const struct tor_halo_y_cpu *s) { return tor_decomposition_beside(s->layout, 0, s->y, 0) >= 0; }

/* --- Columns to and from channels --- */

/* Returns once no transfer is pending; other threads may use messages meanwhile. */
static void await(struct tor_channel *c) {
  double begin = tor_message_clock();
  for (int done = 0; !done;) {
#pragma omp critical(tor_message)
    done = tor_channel_test(c);
    if (!done) sched_yield();
  }
  c->blocked += tor_message_clock() - begin;
}

static void send(struct tor_halo_y_cpu *s, struct tor_channel *to, struct tor_column_block block) {
  size_t bytes = tor_column_state_bytes(s->slab, &block, NULL);
  await(to);
  tor_column_state_pack(s->slab, &block, NULL, tor_channel_buffer(to, bytes));
#pragma omp critical(tor_message)
  tor_channel_send(to, bytes);
}

static void expect(struct tor_halo_y_cpu *s, struct tor_channel *from, struct tor_column_block block) {
  size_t bytes = tor_column_state_bytes(s->slab, &block, NULL);
#pragma omp critical(tor_message)
  tor_channel_receive(from, bytes);
}

static void take(struct tor_halo_y_cpu *s, struct tor_channel *from, struct tor_column_block block) {
  await(from);
  tor_column_state_unpack(s->slab, &block, NULL, from->buffer);
}

/* --- Transfers of a row: columns are lent by the rank above and returned by the rank below --- */

static void lend(struct tor_halo_y_cpu *s, int row) {
  send(s, &s->to_below, tor_decomposition_halo_y_down(s->layout, s->y - 1, row, s->steps));
}
static void expect_loan(struct tor_halo_y_cpu *s, int row) {
  expect(s, &s->from_above, tor_decomposition_halo_y_down(s->layout, s->y, row, s->steps));
}
static void take_loan(struct tor_halo_y_cpu *s, int row) {
  take(s, &s->from_above, tor_decomposition_halo_y_down(s->layout, s->y, row, s->steps));
}
static void hand_back(struct tor_halo_y_cpu *s, int row) {
  send(s, &s->to_above, tor_decomposition_halo_y_up(s->layout, s->y, row, s->steps));
}
static void expect_back(struct tor_halo_y_cpu *s, int row) {
  expect(s, &s->from_below, tor_decomposition_halo_y_up(s->layout, s->y - 1, row, s->steps));
}
static void take_back(struct tor_halo_y_cpu *s, int row) {
  take(s, &s->from_below, tor_decomposition_halo_y_up(s->layout, s->y - 1, row, s->steps));
}

/* --- Around towers --- */

static int is_odd(int row) { return row & 1; }

/* The tower across the border above; and the first tower above the border below, around which the halos are sent. */
static int is_across(const struct tor_halo_y_cpu *s, int row, int place) {
  return has_above(s) && !is_odd(row) && place == s->layout->place[s->y + 1];
}
static int is_beyond(const struct tor_halo_y_cpu *s, int row, int place) {
  return has_below(s) && is_odd(row) && place == s->layout->place[s->y] + 1;
}

void tor_halo_y_cpu_begin(struct tor_halo_y_cpu *s, struct tor_rows rows, int steps) {
  s->rows = rows;
  s->steps = steps;
  int even = rows.first - is_odd(rows.first);
  if (even < rows.last) return;
  if (has_above(s)) expect_loan(s, even);
  if (has_below(s)) expect_back(s, even);
  if (has_below(s) && even == rows.first) lend(s, even);
}

void tor_halo_y_cpu_before(struct tor_halo_y_cpu *s, int row, int place) {
  if (is_across(s, row, place)) {
    take_loan(s, row);
    if (row - 2 >= s->rows.last) expect_loan(s, row - 2);
  }
  if (is_beyond(s, row, place) && row < s->rows.first) {
    take_back(s, row + 1);
    if (row - 1 >= s->rows.last) expect_back(s, row - 1);
  }
}

void tor_halo_y_cpu_after(struct tor_halo_y_cpu *s, int row, int place) {
  if (is_across(s, row, place)) hand_back(s, row);
  if (is_beyond(s, row, place) && row > s->rows.last) lend(s, row - 1);
}

void tor_halo_y_cpu_end(struct tor_halo_y_cpu *s) {
  if (has_below(s) && !is_odd(s->rows.last)) take_back(s, s->rows.last);
}

void tor_halo_y_cpu_poll(struct tor_channel *const *channels, int count) {
#pragma omp critical(tor_message)
  for (int i = 0; i < count; i++) tor_channel_test(channels[i]);
}

void tor_halo_y_cpu_open(struct tor_halo_y_cpu *s, const struct tor_decomposition *layout, struct tor_slab *slab, int x,
                         int y) {
  memset(s, 0, sizeof *s);
  s->layout = layout;
  s->slab = slab;
  s->y = y;
  /* Two ranks of a ring are each above and below the other: tags distinguish their borders. */
  const int above = tor_decomposition_beside(layout, x, y, 1), below = tor_decomposition_beside(layout, x, y, 0);
  if (above >= 0) {
    tor_channel_open(&s->from_above, above, TAG_DOWN);
    tor_channel_open(&s->to_above, above, TAG_UP);
  }
  if (below >= 0) {
    tor_channel_open(&s->from_below, below, TAG_UP);
    tor_channel_open(&s->to_below, below, TAG_DOWN);
  }
}

void tor_halo_y_cpu_close(struct tor_halo_y_cpu *s) {
  struct tor_channel *channels[] = {&s->from_above, &s->to_above, &s->from_below, &s->to_below};
  for (int i = 0; i < 4; i++) tor_channel_close(channels[i], 0);
}
