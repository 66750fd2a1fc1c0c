/* The seven steps: see slab.h. */
#include "comm/exchange/exchange.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/row_group.h"
#include "src/base/error.h"

const char *const tor_phase_name[TOR_NPHASE] = {"waitR", "calcR", "sendR", "calcM", "waitL", "calcL", "sendL"};

/* What one stage is about. */
struct work {
  struct tor_exchange *x;
  const struct tor_stage *stage;
  struct tor_rows right, middle, left;
};

/* --- Rows of towers --- */

static void before_tower(void *self, int row, int place) {
  struct tor_exchange *x = self;
  tor_strips_before(&x->strips, row, place);
}

/* Messages move on while towers run only when the library is asked now and then. */
static void after_tower(void *self, int row, int place) {
  struct tor_exchange *x = self;
  struct tor_strips *s = &x->strips;
  struct tor_overlap *const right = &x->overlap[TOR_RIGHT], *const left = &x->overlap[TOR_LEFT];
  struct tor_channel *const channels[] = {&right->in[0],  &right->out[0], &left->in[0],   &left->out[0],
                                          &s->from_above, &s->to_above,   &s->from_below, &s->to_below};
  tor_strips_after(s, row, place);
  tor_strips_poll(channels, 8);
}

/* Time in which nothing but borders along y kept the rank. */
static void add_blocked(struct tor_exchange *x, double seconds) {
  for (int e = 0; e < TOR_NEDGE; e++)
    if (x->border[e].worker) x->border[e].in.channel->blocked += seconds;
}

/* While a worker runs behind the caller's back, overlaps and strips move on. */
static void run_behind(struct tor_exchange *x, const struct tor_engine_part *part, int steps) {
  const struct tor_rows rows = {part->first, part->last};
  double ended = 0;
  for (int e = 0; e < TOR_NEDGE; e++) tor_border_begin(&x->border[e], rows, steps);
  x->worker.calls->run(x->worker.self, part);
  for (int ran = 0, through = 0; !ran || !through;) {
    tor_overlap_move_on(&x->overlap[TOR_RIGHT], x->ahead);
    tor_overlap_move_on(&x->overlap[TOR_LEFT], 1);
    through = tor_border_poll(&x->border[TOR_BELOW]);
    through &= tor_border_poll(&x->border[TOR_ABOVE]);
    if (!ran) ran = x->worker.calls->ran(x->worker.self);
    if (ran && ended == 0) ended = tor_message_clock();
  }
  add_blocked(x, tor_message_clock() - ended); /* what the worker itself waits for while it runs is not seen */
}

/* Rows of a run that begins with `first` and may go on to `last`. */
static int run_length(const struct tor_exchange *x, int first, int last) {
  int rows = first - last + 1;
  if (x->rows.is_plain && first <= x->rows.first && last >= x->rows.last)
    rows = tor_stretch(x->rows.is_plain + (x->rows.first - first), rows);
  return rows < x->most_rows ? rows : x->most_rows;
}

static void run_rows(const struct work *w, struct tor_rows rows) {
  struct tor_exchange *x = w->x;
  const struct tor_layout *l = x->layout;
  const int y = x->share.y, several = l->ranks[0] * l->ranks[1] > 1;
  const struct tor_engine_hooks hooks = {before_tower, after_tower, x};
  const struct tor_engine_part part = {rows.first, rows.last, l->place[y] + 1, l->place[y + 1],
                                       several ? &hooks : NULL};
  if (rows.first < rows.last) return;
  if (x->worker.behind) {
    for (struct tor_engine_part some = part; some.first >= part.last; some.first = some.last - 1) {
      some.last = some.first - run_length(x, some.first, part.last) + 1;
      run_behind(x, &some, w->stage->steps);
    }
    return;
  }
  tor_strips_begin(&x->strips, rows, w->stage->steps);
  x->worker.calls->run(x->worker.self, &part);
  tor_strips_end(&x->strips);
}

/* Before sums are made of them, monitors' samples go to the ranks that have their columns. */
static void hear(struct tor_exchange *x) {
  const double begin = tor_message_clock();
  if (!x->worker.behind) return;
  for (int e = 0; e < TOR_NEDGE; e++) tor_border_hear(&x->border[e]);
  for (int through = 0; !through;) {
    tor_overlap_move_on(&x->overlap[TOR_RIGHT], x->ahead);
    tor_overlap_move_on(&x->overlap[TOR_LEFT], 1);
    through = tor_border_heard(&x->border[TOR_BELOW]);
    through &= tor_border_heard(&x->border[TOR_ABOVE]);
  }
  add_blocked(x, tor_message_clock() - begin);
}

/* --- Overlaps go and come --- */

/* Returns when an overlap is here. Nothing to do where there is no neighbour. */
static void await(struct tor_exchange *x, enum tor_side side) {
  struct tor_overlap *const o = &x->overlap[side];
  if (!x->worker.behind && o->token == TOR_TOKEN_AWAY) tor_channel_wait(&o->in[0]);
  double begin = tor_message_clock();
  while (o->token != TOR_TOKEN_HERE) {
    if (x->worker.behind) x->worker.calls->ran(x->worker.self); /* its window goes on */
    tor_overlap_move_on(o, 1);
    if (x->worker.behind && side == TOR_RIGHT) tor_overlap_move_on(&x->overlap[TOR_LEFT], 1);
    if (x->worker.behind && side == TOR_LEFT) tor_overlap_move_on(&x->overlap[TOR_RIGHT], 0);
  }
  o->in[0].blocked += tor_message_clock() - begin;
}

/* Overlaps that leave have been sent: this rank may go and wait for others. */
static void flush(struct tor_exchange *x) {
  for (int side = 0; side < TOR_NSIDE; side++)
    while (x->overlap[side].token == TOR_TOKEN_LEAVES) tor_overlap_move_on(&x->overlap[side], 0);
}

/* --- The seven steps. On the domain's edges those of the missing neighbour do nothing. --- */

/* The right overlap as rank x + 1 left it after its calcL of this stage. */
static void waitR(const struct work *w) {
  struct tor_exchange *x = w->x;
  await(x, TOR_RIGHT);
  struct tor_overlap *right = &x->overlap[TOR_RIGHT];
  if (x->stages || !right->worker) return;
  x->fill = tor_message_clock() - x->begin;
  right->in[0].blocked = right->in[0].flight = 0; /* of messages that could be hidden */
}

/* With the energy of the right overlap, which comes back later than this stage's end or, ahead, newer. */
static void calcR(const struct work *w) {
  struct tor_exchange *x = w->x;
  run_rows(w, w->right);
  if (w->stage->energy) x->worker.calls->sum_energy(x->worker.self, x->share.right.from, x->share.right.to);
}

/* The right overlap, finished, back to rank x + 1 for its calcL of the next stage. */
static void sendR(const struct work *w) {
  struct tor_exchange *x = w->x;
  if (x->overlap[TOR_RIGHT].worker) hear(x);
  tor_overlap_give(&x->overlap[TOR_RIGHT]);
}

static void calcM(const struct work *w) { run_rows(w, w->middle); }

/* The left overlap as rank x - 1 left it after its calcR of the stage before. */
static void waitL(const struct work *w) { await(w->x, TOR_LEFT); }

static void calcL(const struct work *w) {
  struct tor_exchange *x = w->x;
  run_rows(w, w->left);
  hear(x);
  x->worker.calls->end(x->worker.self);
  if (w->stage->energy)
    x->worker.calls->sum_energy(x->worker.self, x->share.own.x0,
                                x->overlap[TOR_RIGHT].worker ? x->share.right.from : x->share.own.x1);
}

static void sendL(const struct work *w) { tor_overlap_give(&w->x->overlap[TOR_LEFT]); }

static void phase(const struct work *w, enum tor_phase number, void (*step)(const struct work *)) {
  struct tor_exchange *x = w->x;
  double start = tor_message_clock();
  step(w);
  double end = tor_message_clock();
  x->seconds[number] += end - start;
  if (!x->keep_times) return;
  x->times = tor_grow(x->times, x->ntimes + 1, &x->times_room, sizeof *x->times);
  x->times[x->ntimes++] =
      (struct tor_phase_time){tor_message_rank(), x->stages, number, start - x->begin, end - x->begin};
}

void tor_exchange_stage(struct tor_exchange *x, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  struct work w = {.x = x, .stage = stage};
  if (stage->steps > x->layout->th) TOR_DIE("a stage of %d steps on a layout for %d", stage->steps, x->layout->th);
  tor_layout_rows(x->layout, &x->share, stage->steps, &w.right, &w.middle, &w.left);
  x->worker.calls->begin(x->worker.self, stage, setup);
  /* A device that takes memory may wait for other devices of its process, whose towers may wait for it. */
  if (!x->stages && tor_message_in_process() > 1) tor_message_barrier();
  phase(&w, TOR_WAIT_R, waitR);
  phase(&w, TOR_CALC_R, calcR);
  phase(&w, TOR_SEND_R, sendR);
  phase(&w, TOR_CALC_M, calcM);
  phase(&w, TOR_WAIT_L, waitL);
  phase(&w, TOR_CALC_L, calcL);
  phase(&w, TOR_SEND_L, sendL);
  x->stages++;
}

void tor_exchange_fetch_energy(struct tor_exchange *x) {
  flush(x); /* what follows are sums over all ranks */
  x->worker.calls->fetch_energy(x->worker.self);
}

void tor_exchange_settle(struct tor_exchange *x) {
  flush(x);
  await(x, TOR_LEFT);
  for (int side = 0; side < TOR_NSIDE; side++) tor_overlap_settle(&x->overlap[side]);
}

static void open_overlap(struct tor_exchange *x, enum tor_side side, struct tor_span span, enum tor_token token) {
  const struct tor_column_block block = {span.from, span.to, x->share.held.y0, x->share.held.y1};
  const int peer = tor_layout_number(x->layout, x->share.x + (side == TOR_RIGHT ? 1 : -1), x->share.y);
  tor_overlap_open(&x->overlap[side], &x->worker, side, &block, peer, token);
}

static void open_overlaps(struct tor_exchange *x) {
  for (int side = 0; side < TOR_NSIDE; side++) x->overlap[side] = (struct tor_overlap){.token = TOR_TOKEN_HERE};
  if (x->share.x > 0) open_overlap(x, TOR_LEFT, x->share.left, TOR_TOKEN_HERE);
  if (x->share.x + 1 < x->layout->ranks[0]) open_overlap(x, TOR_RIGHT, x->share.right, TOR_TOKEN_AWAY);
}

static void close_overlaps(struct tor_exchange *x) {
  for (int side = 0; side < TOR_NSIDE; side++) tor_overlap_close(&x->overlap[side]);
  x->worker.calls->close(x->worker.self);
}

static void open_borders(struct tor_exchange *x) {
  struct tor_strips *s = &x->strips;
  const int y = x->share.y;
  if (y > 0)
    tor_border_open(&x->border[TOR_BELOW], x->layout, &x->worker, x->share.x, y - 1, TOR_BELOW, &s->to_below,
                    &s->from_below);
  if (y + 1 < x->layout->ranks[1])
    tor_border_open(&x->border[TOR_ABOVE], x->layout, &x->worker, x->share.x, y, TOR_ABOVE, &s->to_above,
                    &s->from_above);
}

enum tor_lane_way tor_exchange_way(const struct tor_exchange *x, int axis) {
  enum tor_lane_way way = TOR_LANE_FETCHED;
  for (int side = 0; axis == 0 && side < TOR_NSIDE; side++)
    if (x->overlap[side].worker && x->overlap[side].way != TOR_LANE_FETCHED) way = x->overlap[side].way;
  for (int e = 0; axis == 1 && e < TOR_NEDGE; e++)
    if (x->border[e].worker && !x->border[e].is_near) way = TOR_LANE_PACKED;
  return way;
}

/* Marks the rows that are plain to all ranks, whose runs along y are to be the same. Collective. */
static void find_plain_rows(struct tor_exchange *x) {
  const struct tor_tiling tiling = tor_layout_tiling(x->layout, x->layout->th);
  tor_tiling_rows(&tiling, &x->rows.first, &x->rows.last);
  const int rows = x->rows.first - x->rows.last + 1;
  const size_t words = ((size_t)rows + 63) / 64;
  uint64_t *others = tor_alloc(words, sizeof *others, "rows");
  const int *row = &x->layout->row[x->share.x];
  for (int i = 0; i < rows; i++) {
    const int r = x->rows.first - i, is_own = r < row[1] && r >= row[0];
    if (is_own && !x->worker.calls->is_plain(x->worker.self, r, x->layout->th)) others[i / 64] |= (uint64_t)1 << i % 64;
  }
  tor_message_or_all(others, words);
  x->rows.is_plain = tor_alloc((size_t)rows, 1, "rows");
  for (int i = 0; i < rows; i++) x->rows.is_plain[i] = !(others[i / 64] >> i % 64 & 1);
  free(others);
}

/* The fewest rows that any rank's worker runs at one time. Collective. */
static int fewest_rows(const struct tor_exchange *x) {
  const int ranks = tor_message_ranks();
  uint64_t *rows = tor_alloc((size_t)ranks, sizeof *rows, "ranks"), fewest;
  rows[tor_message_rank()] = (uint64_t)x->worker.calls->border->most_rows(x->worker.self, x->layout->th);
  tor_message_or_all(rows, (size_t)ranks);
  fewest = rows[0];
  for (int i = 1; i < ranks; i++)
    if (rows[i] < fewest) fewest = rows[i];
  free(rows);
  return (int)fewest;
}

void tor_exchange_use(struct tor_exchange *x, struct tor_worker worker) {
  if (x->stages) TOR_DIE("another worker after %d stages", x->stages);
  close_overlaps(x);
  tor_message_barrier(); /* no neighbour waits for overlaps of before any more */
  x->worker = worker;
  x->ahead = worker.behind;
  open_overlaps(x);
  if (worker.behind) open_borders(x);
  x->most_rows = worker.behind && x->layout->ranks[1] > 1 ? fewest_rows(x) : INT_MAX / 2;
  if (worker.calls->is_plain) find_plain_rows(x);
  tor_message_barrier();
  x->begin = tor_message_clock();
}

void tor_exchange_open(struct tor_exchange *x, const struct tor_layout *layout, struct tor_slab *slab, int rx, int ry) {
  memset(x, 0, sizeof *x);
  x->layout = layout;
  x->slab = slab;
  x->worker = tor_worker_cpu(slab);
  x->share = tor_layout_share(layout, rx, ry);
  open_overlaps(x);
  tor_strips_open(&x->strips, layout, slab, rx, ry);
  tor_message_barrier();
  x->begin = tor_message_clock();
}

void tor_exchange_close(struct tor_exchange *x) {
  tor_exchange_settle(x);
  for (int e = 0; e < TOR_NEDGE; e++) tor_border_close(&x->border[e]);
  for (int side = 0; side < TOR_NSIDE; side++) tor_overlap_part(&x->overlap[side]);
  tor_message_barrier(); /* until then neighbours may still see this rank's memory */
  close_overlaps(x);
  tor_strips_close(&x->strips);
  free(x->rows.is_plain);
  free(x->times);
}
