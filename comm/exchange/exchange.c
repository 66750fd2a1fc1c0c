/* The seven steps: see exchange.h. */
#include "comm/exchange/exchange.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/exchange/halo_rows.h"
#include "comm/exchange/halo_x.h"
#include "comm/exchange/halo_y_cpu.h"
#include "comm/exchange/halo_y_gpu.h"
#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/core/engine.h"
#include "diamond/core/rounds.h"
#include "diamond/core/row_group.h"
#include "diamond/core/slab.h"
#include "diamond/core/tile.h"
#include "diamond/core/worker.h"
#include "src/base/error.h"

const char *const tor_phase_name[TOR_NPHASE] = {"waitR", "calcR", "sendR", "calcM", "waitL", "calcL", "sendL"};

/* Arguments of one stage. */
struct work {
  struct tor_exchange *x;
  const struct tor_stage *stage;
  struct tor_rows right, middle, left;
  int both; /* the rows of `middle` touch both overlaps: calcM is calcB */
};

/* --- Rows of towers --- */

static void before_tower(void *self, int row, int place) {
  struct tor_exchange *x = self;
  tor_halo_y_cpu_before(&x->halo_y_cpu, row, place);
}

/* The library progresses messages only while it is called, so it is called after each tower. */
static void after_tower(void *self, int row, int place) {
  struct tor_exchange *x = self;
  struct tor_halo_y_cpu *s = &x->halo_y_cpu;
  struct tor_halo_x *const right = &x->halo_x[TOR_RIGHT], *const left = &x->halo_x[TOR_LEFT];
  struct tor_channel *const channels[] = {&right->in[0],  &right->out[0], &left->in[0],   &left->out[0],
                                          &s->from_above, &s->to_above,   &s->from_below, &s->to_below};
  tor_halo_y_cpu_after(s, row, place);
  tor_halo_y_cpu_poll(channels, 8);
}

/* Counts time in which the rank waited for halos along y alone. */
static void add_blocked(struct tor_exchange *x, double seconds) {
  for (int e = 0; e < TOR_NHALO_Y; e++)
    if (x->halo_y[e].worker) x->halo_y[e].in.channel->blocked += seconds;
}

/* Progresses the halos along x and y while an asynchronous worker runs. */
static void run_async(struct tor_exchange *x, const struct tor_engine_part *part, int steps) {
  const struct tor_rows rows = {part->first, part->last};
  double ended = 0;
  for (int e = 0; e < TOR_NHALO_Y; e++) tor_halo_y_gpu_begin(&x->halo_y[e], rows, steps);
  x->worker.calls->run(x->worker.self, part);
  for (int ran = 0, through = 0; !ran || !through;) {
    tor_halo_x_move_on(&x->halo_x[TOR_RIGHT], x->ahead);
    tor_halo_x_move_on(&x->halo_x[TOR_LEFT], 1);
    through = tor_halo_y_gpu_poll(&x->halo_y[TOR_BELOW]);
    through &= tor_halo_y_gpu_poll(&x->halo_y[TOR_ABOVE]);
    if (!ran) ran = x->worker.calls->ran(x->worker.self);
    if (ran && ended == 0) ended = tor_message_clock();
  }
  add_blocked(x, tor_message_clock() - ended); /* waits of the worker itself while it runs cannot be measured */
}

/* Number of rows of a run that begins with `first` and may extend to `last`. */
static int run_length(const struct tor_exchange *x, int first, int last) {
  int rows = first - last + 1;
  if (x->rows.is_plain && first <= x->rows.first && last >= x->rows.last)
    rows = tor_row_group(x->rows.is_plain + (x->rows.first - first), rows);
  return rows < x->most_rows ? rows : x->most_rows;
}

static void run_rows(const struct work *w, struct tor_rows rows) {
  struct tor_exchange *x = w->x;
  const struct tor_decomposition *l = x->layout;
  const int y = x->share.y, several = l->ranks[0] * l->ranks[1] > 1;
  const struct tor_engine_hooks hooks = {before_tower, after_tower, x};
  const struct tor_engine_part part = {rows.first, rows.last, l->place[y] + 1, l->place[y + 1],
                                       several ? &hooks : NULL};
  if (rows.first < rows.last) return;
  if (x->worker.is_async) {
    for (struct tor_engine_part some = part; some.first >= part.last; some.first = some.last - 1) {
      some.last = some.first - run_length(x, some.first, part.last) + 1;
      run_async(x, &some, w->stage->steps);
    }
    return;
  }
  tor_halo_y_cpu_begin(&x->halo_y_cpu, rows, w->stage->steps);
  x->worker.calls->run(x->worker.self, &part);
  tor_halo_y_cpu_end(&x->halo_y_cpu);
}

/* Forwards monitors' samples to the ranks that own the columns, before they are added to the DFT. */
static void forward_dft_samples(struct tor_exchange *x) {
  const double begin = tor_message_clock();
  if (!x->worker.is_async) return;
  for (int e = 0; e < TOR_NHALO_Y; e++) tor_halo_y_gpu_send_dft(&x->halo_y[e]);
  for (int through = 0; !through;) {
    tor_halo_x_move_on(&x->halo_x[TOR_RIGHT], x->ahead);
    tor_halo_x_move_on(&x->halo_x[TOR_LEFT], 1);
    through = tor_halo_y_gpu_dft_sent(&x->halo_y[TOR_BELOW]);
    through &= tor_halo_y_gpu_dft_sent(&x->halo_y[TOR_ABOVE]);
  }
  add_blocked(x, tor_message_clock() - begin);
}

/* --- Sending and receiving overlaps --- */

/* Returns when an overlap is here. Nothing to do where there is no neighbour. */
static void await(struct tor_exchange *x, enum tor_halo_x_side side) {
  struct tor_halo_x *const o = &x->halo_x[side];
  if (!x->worker.is_async && o->token == TOR_TOKEN_AWAY) tor_channel_wait(&o->in[0]);
  double begin = tor_message_clock();
  while (o->token != TOR_TOKEN_HERE) {
    if (x->worker.is_async) x->worker.calls->ran(x->worker.self); /* progresses its window */
    tor_halo_x_move_on(o, 1);
    if (x->worker.is_async && side == TOR_RIGHT) tor_halo_x_move_on(&x->halo_x[TOR_LEFT], 1);
    if (x->worker.is_async && side == TOR_LEFT) tor_halo_x_move_on(&x->halo_x[TOR_RIGHT], 0);
  }
  o->in[0].blocked += tor_message_clock() - begin;
}

/* Returns when overlaps that are being packed have been sent, so that this rank may wait for others. */
static void flush(struct tor_exchange *x) {
  for (int side = 0; side < TOR_NHALO_X; side++)
    while (x->halo_x[side].token == TOR_TOKEN_LEAVES) tor_halo_x_move_on(&x->halo_x[side], 0);
}

/* --- The seven steps. On the domain's edges those of the missing neighbour do nothing. In slabs narrower than two
 * overlaps calcM is calcB, between waitL and sendR. --- */

/* The right overlap as rank x + 1 left it after its calcL of this stage. */
static void waitR(const struct work *w) {
  struct tor_exchange *x = w->x;
  await(x, TOR_RIGHT);
  struct tor_halo_x *right = &x->halo_x[TOR_RIGHT];
  if (x->stages || !right->worker) return;
  x->fill = tor_message_clock() - x->begin;
  right->in[0].blocked = right->in[0].flight = 0; /* of messages that could be hidden */
}

/* The energy of the right overlap, before it is sent: it returns after this stage's end, or (ahead) in a newer state.
 */
static void sum_right(const struct work *w) {
  struct tor_exchange *x = w->x;
  if (w->stage->energy) x->worker.calls->sum_energy(x->worker.self, x->share.right.from, x->share.right.to);
}

static void calcR(const struct work *w) {
  run_rows(w, w->right);
  if (!w->both) sum_right(w);
}

/* The right overlap, finished, back to rank x + 1 for its calcL of the next stage. */
static void sendR(const struct work *w) {
  struct tor_exchange *x = w->x;
  if (x->halo_x[TOR_RIGHT].worker) forward_dft_samples(x);
  tor_halo_x_give(&x->halo_x[TOR_RIGHT]);
}

static void calcM(const struct work *w) {
  run_rows(w, w->middle);
  if (w->both) sum_right(w);
}

/* The left overlap as rank x - 1 left it after its calcR of the stage before. */
static void waitL(const struct work *w) { await(w->x, TOR_LEFT); }

static void calcL(const struct work *w) {
  struct tor_exchange *x = w->x;
  run_rows(w, w->left);
  forward_dft_samples(x);
  x->worker.calls->end(x->worker.self);
  if (w->stage->energy)
    x->worker.calls->sum_energy(x->worker.self, x->share.own.x0,
                                x->halo_x[TOR_RIGHT].worker ? x->share.right.from : x->share.own.x1);
}

static void sendL(const struct work *w) { tor_halo_x_give(&w->x->halo_x[TOR_LEFT]); }

/* All of a 2-D slab's stage, whose rows of cells ranks share (halo_rows.h). */
static void calc_rounds(const struct work *w) {
  struct tor_exchange *x = w->x;
  tor_halo_rows_run(&x->halo_rows, w->stage->steps);
  x->worker.calls->end(x->worker.self);
  if (w->stage->energy) x->worker.calls->sum_energy(x->worker.self, x->share.own.x0, x->share.own.x1);
}

static void phase(const struct work *w, enum tor_phase number, void (*step)(const struct work *)) {
  struct tor_exchange *x = w->x;
  double start = tor_message_clock();
  step(w);
  double end = tor_message_clock();
  x->seconds[number] += end - start;
  if (!x->keep_times) return;
  x->times = tor_grow(x->times, x->ntimes + 1, &x->times_capacity, sizeof *x->times);
  x->times[x->ntimes++] =
      (struct tor_phase_time){tor_message_rank(), x->stages, number, start - x->begin, end - x->begin};
}

static void seven_steps(const struct work *w) {
  phase(w, TOR_WAIT_R, waitR);
  phase(w, TOR_CALC_R, calcR);
  if (w->both) { /* rows that touch the left overlap, too, finish the right one */
    phase(w, TOR_WAIT_L, waitL);
    phase(w, TOR_CALC_M, calcM);
    phase(w, TOR_SEND_R, sendR);
  } else {
    phase(w, TOR_SEND_R, sendR);
    phase(w, TOR_CALC_M, calcM);
    phase(w, TOR_WAIT_L, waitL);
  }
  phase(w, TOR_CALC_L, calcL);
  phase(w, TOR_SEND_L, sendL);
}

void tor_exchange_stage(struct tor_exchange *x, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  struct work w = {.x = x, .stage = stage};
  if (stage->steps > x->layout->th) TOR_DIE("a stage of %d steps on a layout for %d", stage->steps, x->layout->th);
  w.both = tor_decomposition_rows(x->layout, &x->share, stage->steps, &w.right, &w.middle, &w.left);
  x->worker.calls->begin(x->worker.self, stage, setup);
  /* Allocation on a device may wait for the other devices of its process, whose towers may wait for this one. */
  if (!x->stages && tor_message_in_process() > 1) tor_message_barrier();
  if (x->halo_rows.worker)
    phase(&w, TOR_CALC_M, calc_rounds);
  else
    seven_steps(&w);
  x->stages++;
}

void tor_exchange_fetch_energy(struct tor_exchange *x) {
  flush(x); /* sums over all ranks follow */
  x->worker.calls->fetch_energy(x->worker.self);
}

void tor_exchange_settle(struct tor_exchange *x) {
  flush(x);
  await(x, TOR_LEFT);
  for (int side = 0; side < TOR_NHALO_X; side++) tor_halo_x_settle(&x->halo_x[side]);
}

static void open_halo_x(struct tor_exchange *x, enum tor_halo_x_side side, struct tor_span span, enum tor_token token) {
  const struct tor_column_block block = {span.from, span.to, x->share.held.y0, x->share.held.y1};
  const int peer = tor_decomposition_number(x->layout, x->share.x + (side == TOR_RIGHT ? 1 : -1), x->share.y);
  tor_halo_x_open(&x->halo_x[side], &x->worker, side, &block, peer, token);
}

static void open_halos_x(struct tor_exchange *x) {
  for (int side = 0; side < TOR_NHALO_X; side++) x->halo_x[side] = (struct tor_halo_x){.token = TOR_TOKEN_HERE};
  if (x->share.x > 0) open_halo_x(x, TOR_LEFT, x->share.left, TOR_TOKEN_HERE);
  if (x->share.x + 1 < x->layout->ranks[0]) open_halo_x(x, TOR_RIGHT, x->share.right, TOR_TOKEN_AWAY);
}

static void close_halos_x(struct tor_exchange *x) {
  for (int side = 0; side < TOR_NHALO_X; side++) tor_halo_x_close(&x->halo_x[side]);
  x->worker.calls->close(x->worker.self);
}

/* A ring's border across the seam last: two ranks, which have both borders in common, open each at the same time. */
static void open_halo_ys(struct tor_exchange *x) {
  struct tor_halo_y_cpu *s = &x->halo_y_cpu;
  const int y = x->share.y, last_below = x->layout->ring && y == 0;
  for (int i = 0; i < 2; i++) {
    const int above = i != last_below;
    if (tor_decomposition_beside(x->layout, x->share.x, y, above) < 0) continue;
    if (above)
      tor_halo_y_gpu_open(&x->halo_y[TOR_ABOVE], x->layout, &x->worker, x->share.x, y, TOR_ABOVE, &s->to_above,
                          &s->from_above);
    else
      tor_halo_y_gpu_open(&x->halo_y[TOR_BELOW], x->layout, &x->worker, x->share.x, y - 1, TOR_BELOW, &s->to_below,
                          &s->from_below);
  }
}

static void open_halo_rows(struct tor_exchange *x, const struct tor_halo_rows_calls *rounds) {
  struct tor_halo_y_cpu *s = &x->halo_y_cpu;
  const int below = tor_decomposition_beside(x->layout, x->share.x, x->share.y, 0) >= 0,
            above = tor_decomposition_beside(x->layout, x->share.x, x->share.y, 1) >= 0;
  struct tor_channel *const out[TOR_NHALO_Y] = {below ? &s->to_below : NULL, above ? &s->to_above : NULL},
                            *const in[TOR_NHALO_Y] = {below ? &s->from_below : NULL, above ? &s->from_above : NULL};
  tor_halo_rows_open(&x->halo_rows, &x->worker, rounds, &x->share.own, out, in);
}

enum tor_halo_x_way tor_exchange_way(const struct tor_exchange *x, int axis) {
  enum tor_halo_x_way way = TOR_HALO_X_FETCHED;
  for (int side = 0; axis == 0 && side < TOR_NHALO_X; side++)
    if (x->halo_x[side].worker && x->halo_x[side].way != TOR_HALO_X_FETCHED) way = x->halo_x[side].way;
  for (int e = 0; axis == 1 && e < TOR_NHALO_Y; e++)
    if (x->halo_rows.worker || (x->halo_y[e].worker && !x->halo_y[e].is_near)) way = TOR_HALO_X_PACKED;
  return way;
}

/* Finds the rows that are plain on all ranks, since runs must have the same rows on all ranks along y. Collective. */
static void find_plain_rows(struct tor_exchange *x) {
  const struct tor_tiling tiling = tor_decomposition_tiling(x->layout, x->layout->th);
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
  return tor_reduce_least(x->worker.calls->halo_y->most_rows(x->worker.self, x->layout->th));
}

static void use(struct tor_exchange *x, struct tor_worker worker, const struct tor_halo_rows_calls *rounds) {
  if (x->stages) TOR_DIE("another worker after %d stages", x->stages);
  close_halos_x(x);
  tor_message_barrier(); /* from here on no neighbour waits for overlaps of the previous worker */
  x->worker = worker;
  x->ahead = worker.is_async;
  open_halos_x(x);
  if (rounds)
    open_halo_rows(x, rounds);
  else if (worker.is_async)
    open_halo_ys(x);
  x->most_rows = worker.calls->halo_y && x->layout->ranks[1] > 1 ? fewest_rows(x) : INT_MAX / 2;
  if (worker.calls->is_plain) find_plain_rows(x);
  tor_message_barrier();
  x->begin = tor_message_clock();
}

void tor_exchange_use(struct tor_exchange *x, struct tor_worker worker) { use(x, worker, NULL); }
void tor_exchange_use_rounds(struct tor_exchange *x, struct tor_worker worker,
                             const struct tor_halo_rows_calls *calls) {
  use(x, worker, calls);
}

void tor_exchange_open(struct tor_exchange *x, const struct tor_decomposition *layout, struct tor_slab *slab, int rx,
                       int ry) {
  memset(x, 0, sizeof *x);
  x->layout = layout;
  x->slab = slab;
  x->worker = tor_worker_cpu(slab);
  x->share = tor_decomposition_part(layout, rx, ry);
  open_halos_x(x);
  tor_halo_y_cpu_open(&x->halo_y_cpu, layout, slab, rx, ry);
  tor_message_barrier();
  x->begin = tor_message_clock();
}

void tor_exchange_close(struct tor_exchange *x) {
  tor_exchange_settle(x);
  for (int e = 0; e < TOR_NHALO_Y; e++) tor_halo_y_gpu_close(&x->halo_y[e]);
  tor_halo_rows_close(&x->halo_rows);
  for (int side = 0; side < TOR_NHALO_X; side++) tor_halo_x_detach(&x->halo_x[side]);
  tor_message_barrier(); /* until then neighbours may still see this rank's memory */
  close_halos_x(x);
  tor_halo_y_cpu_close(&x->halo_y_cpu);
  free(x->rows.is_plain);
  free(x->times);
}
