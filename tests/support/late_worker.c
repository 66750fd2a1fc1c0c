/* The CPU's engine with delays: see late_worker.h. */
#include "tests/support/late_worker.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm/transport/message.h"
#include "diamond/core/tile.h"
#include "src/base/error.h"

enum job { NONE, RUN, PACK, UNPACK, PACK_PART, UNPACK_PART, PACK_DFT_SAMPLES };

/* Work that was started: it is done when its state is queried at time `due` or later. */
struct pending {
  enum job job;
  double due;
  void *to;
  const void *from;
  struct tor_engine_part part;
  struct tor_halo_y_part part_y;
  int row, steps; /* of the tower that arrives with part_y */
};

struct late {
  struct tor_worker cpu;
  struct tor_slab *slab;
  struct pending run, side[TOR_NHALO_X];
  const struct tor_stage *stage;
  struct tor_tiling tiling;
  int row, place;           /* tower to run next */
  int is_open[TOR_NHALO_Y]; /* a rank is beyond this side */
  struct tor_column_block lent[TOR_NHALO_Y];
  unsigned dft_samples[TOR_NHALO_Y]; /* how often they were moved */
  struct pending in[TOR_NHALO_Y], out[TOR_NHALO_Y];
  int *arrived[TOR_NHALO_Y]; /* [rows + 1] from the row right of the run's first: steps of the tower beyond */
  double *energy;            /* sums as of their step */
  double *moving;            /* sums that columns travel with, while the slab shows those */
  int shown;
  double most; /* [s] */
  unsigned seed;
};

static size_t sums(const struct tor_slab *slab, int columns) {
  return (size_t)columns * (size_t)slab->held[1] * TOR_NCOMP;
}

static void sum_energy(void *self, int x0, int x1) {
  struct late *w = self;
  if (x0 >= x1) return;
  const size_t first = sums(w->slab, x0 - w->slab->lo[0]);
  memcpy(w->energy + first, w->slab->energy + first, sums(w->slab, x1 - x0) * sizeof *w->energy);
}

/* The slab shows the sums taken, for the reduction alone: a right overlap may be back already, with newer sums. */
static void fetch_energy(void *self) {
  struct late *w = self;
  const size_t bytes = sums(w->slab, w->slab->held[0]) * sizeof *w->energy;
  if (!w->shown) memcpy(w->moving, w->slab->energy, bytes);
  memcpy(w->slab->energy, w->energy, bytes);
  w->shown = 1;
}

/* Before towers run or columns move. */
static void hide_energy(struct late *w) {
  if (w->shown) memcpy(w->slab->energy, w->moving, sums(w->slab, w->slab->held[0]) * sizeof *w->energy);
  w->shown = 0;
}

static double later(struct late *w) {
  w->seed = w->seed * 1664525u + 1013904223u;
  return tor_message_clock() + w->most * (double)(w->seed >> 8) / (1 << 24);
}

/* Whether the work is due; if not, yields the core to other ranks for a while. */
static int is_due(const struct pending *p) {
  if (tor_message_clock() >= p->due) return 1;
  nanosleep(&(struct timespec){0, 20000}, NULL);
  return 0;
}

/* A y halo has many parts: one of sixteen is late. */
static void start(struct late *w, struct pending *p, struct pending what) {
  if (p->job != NONE) TOR_DIE("two pieces of work at one time");
  *p = what;
  p->due = later(w);
  if ((what.job == PACK_PART || what.job == UNPACK_PART) && (w->seed >> 16) % 16) p->due = 0;
}

static size_t open_halo_x(void *self, enum tor_halo_x_side side, const struct tor_column_block *block) {
  struct late *w = self;
  return w->cpu.calls->open(w->cpu.self, side, block);
}
static void pin(void *self, void *buffer, size_t bytes) { (void)self, (void)buffer, (void)bytes; }
static void unpin(void *self, void *buffer) { (void)self, (void)buffer; }

static void begin(void *self, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  struct late *w = self;
  hide_energy(w);
  w->cpu.calls->begin(w->cpu.self, stage, setup);
  w->stage = stage;
  w->tiling = tor_engine_tiling(w->slab, setup->dts, stage->steps);
}

/* --- Towers: row after row, those at the ends along y by themselves --- */

/* Places of a row that belong to the run. */
static int places(const struct late *w, int row, int *first, int *last) {
  return tor_engine_places(&w->tiling, &w->run.part, row, first, last) > 0;
}

static void find_place(struct late *w) {
  int last;
  while (w->row >= w->run.part.last && !places(w, w->row, &w->place, &last)) w->row--;
}

static void run(void *self, const struct tor_engine_part *part) {
  struct late *w = self;
  const size_t rows = (size_t)(part->first - part->last) + 2;
  start(w, &w->run, (struct pending){.job = RUN, .part = *part});
  w->row = part->first;
  find_place(w);
  for (int e = 0; e < TOR_NHALO_Y; e++) {
    free(w->arrived[e]);
    w->arrived[e] = tor_alloc(rows, sizeof(int), "late worker");
    memset(w->arrived[e], 0, rows * sizeof(int));
  }
  w->arrived[TOR_BELOW][0] = INT_MAX; /* arrived in the run before */
}

/* Whether the towers beyond the ends that the next tower needs have arrived. */
static int may_run(const struct late *w) {
  const struct tor_engine_part *part = &w->run.part;
  const int i = part->first - w->row; /* of the row right of it */
  if (w->is_open[TOR_BELOW] && w->place == part->place0 && w->arrived[TOR_BELOW][i] < w->stage->steps) return 0;
  return !w->is_open[TOR_ABOVE] || w->place != part->place1 || w->arrived[TOR_ABOVE][i] >= w->stage->steps;
}

static int ran(void *self) {
  struct late *w = self;
  if (w->run.job == NONE) return 1;
  if (!is_due(&w->run)) return 0;
  hide_energy(w);
  while (w->row >= w->run.part.last && may_run(w)) {
    int first, last;
    places(w, w->row, &first, &last);
    const int is_end = w->place == first || w->place == last, to = is_end ? w->place : last - 2;
    const struct tor_engine_part some = {w->row, w->row, w->place, to, NULL};
    w->cpu.calls->run(w->cpu.self, &some);
    w->place = to + 2;
    if (w->place > last) {
      w->row--;
      find_place(w);
    }
    if (is_end) return 0; /* a part of the y halo may be sent before others run */
  }
  if (w->row >= w->run.part.last) return 0;
  w->run.job = NONE;
  return 1;
}

/* Different on each rank: the ranks use the smallest. */
static int most_rows(void *self, int steps) {
  const struct late *w = self;
  return 8 + (int)((w->seed + (unsigned)steps) % 9);
}

static int started(void *self) {
  struct late *w = self;
  return w->run.job == NONE || is_due(&w->run);
}

static void end(void *self) {
  struct late *w = self;
  if (w->run.job != NONE) TOR_DIE("a stage ends while towers run");
}

/* --- The y halos --- */

static size_t dft_sample_bytes(void *self, enum tor_halo_y_side side) {
  const struct late *w = self;
  return (size_t)(w->lent[side].x1 - w->lent[side].x0) * sizeof(unsigned);
}

static size_t open_halo_y(void *self, enum tor_halo_y_side side, const struct tor_column_block *lent, int steps) {
  struct late *w = self;
  (void)steps;
  w->is_open[side] = 1;
  w->lent[side] = *lent;
  return dft_sample_bytes(self, side);
}

/* Neighbours' columns arrive by messages alone. */
static void peer_info_halo_y(void *self, enum tor_halo_y_side side, void *info) {
  (void)self, (void)side, memset(info, 0, TOR_WORKER_PEER_INFO);
}
static int probe_halo_y(void *self, enum tor_halo_y_side side, const void *info) {
  (void)self, (void)side, (void)info;
  return 0;
}
static void negotiate_halo_y(void *self, enum tor_halo_y_side side, int both) {
  (void)self, (void)side;
  if (both) TOR_DIE("fetches columns that are out of reach");
}
static size_t part_fetched(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part) {
  (void)self, (void)side, (void)part;
  return 0;
}

/* The columns of a part with this iy. */
static struct tor_column_block line(const struct tor_halo_y_part *part, int iy) {
  struct tor_column_block block = {0, 0, iy, iy + 1};
  tor_halo_y_columns(part, iy, &block.x0, &block.x1);
  return block;
}

static size_t part_bytes(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part) {
  const struct late *w = self;
  size_t bytes = 0;
  (void)side;
  for (int iy = part->block.y0; iy < part->block.y1; iy++) {
    const struct tor_column_block block = line(part, iy);
    bytes += tor_column_state_bytes(w->slab, &block, NULL);
  }
  return bytes;
}

static int has_done(void *self, enum tor_halo_y_side side, int row, int steps) {
  const struct late *w = self;
  (void)steps;
  return w->row < row || (w->row == row && side == TOR_BELOW && w->place > w->run.part.place0);
}

static void pack_part(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, void *to) {
  struct late *w = self;
  start(w, &w->out[side], (struct pending){.job = PACK_PART, .part_y = *part, .to = to});
}

static int packed(void *self, enum tor_halo_y_side side) {
  struct late *w = self;
  struct pending *p = &w->out[side];
  if (!is_due(p)) return 0;
  if (p->job != NONE) hide_energy(w);
  char *to = p->to;
  for (int iy = p->part_y.block.y0; p->job == PACK_PART && iy < p->part_y.block.y1; iy++) {
    const struct tor_column_block block = line(&p->part_y, iy);
    tor_column_state_pack(w->slab, &block, NULL, to);
    to += tor_column_state_bytes(w->slab, &block, NULL);
  }
  p->job = NONE;
  return 1;
}

static void unpack_part(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, const void *from,
                        int row, int steps) {
  struct late *w = self;
  start(w, &w->in[side],
        (struct pending){.job = UNPACK_PART, .part_y = *part, .from = from, .row = row, .steps = steps});
}

static int unpacked(void *self, enum tor_halo_y_side side) {
  struct late *w = self;
  struct pending *p = &w->in[side];
  if (!is_due(p)) return 0;
  if (p->job != NONE) hide_energy(w);
  if (p->job == NONE) return 1;
  const char *from = p->from;
  for (int iy = p->part_y.block.y0; iy < p->part_y.block.y1; iy++) {
    const struct tor_column_block block = line(&p->part_y, iy);
    tor_column_state_unpack(w->slab, &block, NULL, from);
    from += tor_column_state_bytes(w->slab, &block, NULL);
  }
  w->arrived[side][w->run.part.first + 1 - p->row] = p->steps;
  p->job = NONE;
  return 1;
}

/* The DFT samples of this worker encode the borrowed columns and the number of transfers so far. */
static unsigned dft_sample_word(struct late *w, enum tor_halo_y_side side, int i) {
  const struct tor_column_block *lent = &w->lent[side];
  return (w->dft_samples[side] * 64 + (unsigned)(lent->y1 - lent->y0)) * 8192 + (unsigned)(lent->x0 + i) % 8192;
}

static void count_dft_samples(struct late *w, enum tor_halo_y_side side) {
  if (w->run.job != NONE) TOR_DIE("DFT samples are moved while towers run");
  w->dft_samples[side]++;
}

static void pack_dft_samples(void *self, enum tor_halo_y_side side, void *to) {
  struct late *w = self;
  unsigned *word = to;
  if (side != TOR_ABOVE) TOR_DIE("DFT samples move downwards");
  count_dft_samples(w, side);
  for (int i = 0; i < w->lent[side].x1 - w->lent[side].x0; i++) word[i] = dft_sample_word(w, side, i);
  start(w, &w->out[side], (struct pending){.job = PACK_DFT_SAMPLES});
}

static void unpack_dft_samples(void *self, enum tor_halo_y_side side, const void *from) {
  struct late *w = self;
  const unsigned *word = from;
  if (side != TOR_BELOW) TOR_DIE("DFT samples move downwards");
  count_dft_samples(w, side);
  for (int i = 0; i < w->lent[side].x1 - w->lent[side].x0; i++)
    if (word[i] != dft_sample_word(w, side, i)) TOR_DIE("word %d of the DFT samples: %u", i, word[i]);
}

/* --- The x halos --- */

static void pack(void *self, enum tor_halo_x_side side, void *to) {
  struct late *w = self;
  if (w->run.job != NONE) TOR_DIE("columns packed while towers run");
  start(w, &w->side[side], (struct pending){.job = PACK, .to = to});
}

static void unpack(void *self, enum tor_halo_x_side side, const void *from) {
  struct late *w = self;
  start(w, &w->side[side], (struct pending){.job = UNPACK, .from = from});
}

static int moved(void *self, enum tor_halo_x_side side) {
  struct late *w = self;
  struct pending *p = &w->side[side];
  if (!is_due(p)) return 0;
  if (p->job != NONE) hide_energy(w);
  if (p->job == PACK) w->cpu.calls->pack(w->cpu.self, side, p->to);
  if (p->job == UNPACK) w->cpu.calls->unpack(w->cpu.self, side, p->from);
  p->job = NONE;
  return 1;
}

/* Groups of rows of both kinds, of different rows on each rank. */
static int is_plain(void *self, int row, int steps) {
  const struct late *w = self;
  return ((row + steps + w->slab->lo[1]) & 63) < 44;
}

static void close_late(void *self) {
  struct late *w = self;
  w->cpu.calls->close(w->cpu.self);
  for (int e = 0; e < TOR_NHALO_Y; e++) free(w->arrived[e]);
  free(w->energy);
  free(w->moving);
  free(w);
}

struct tor_worker late_worker(struct tor_slab *slab, double most, unsigned seed) {
  static const struct tor_worker_halo_y_calls halo_y = {.most_rows = most_rows,
                                                        .started = started,
                                                        .open = open_halo_y,
                                                        .peer_info = peer_info_halo_y,
                                                        .probe = probe_halo_y,
                                                        .negotiate = negotiate_halo_y,
                                                        .bytes = part_bytes,
                                                        .fetched = part_fetched,
                                                        .has_done = has_done,
                                                        .pack = pack_part,
                                                        .packed = packed,
                                                        .unpack = unpack_part,
                                                        .unpacked = unpacked,
                                                        .dft_bytes = dft_sample_bytes,
                                                        .pack_dft = pack_dft_samples,
                                                        .unpack_dft = unpack_dft_samples};
  static const struct tor_worker_calls calls = {.open = open_halo_x,
                                                .pin = pin,
                                                .unpin = unpin,
                                                .begin = begin,
                                                .run = run,
                                                .ran = ran,
                                                .end = end,
                                                .pack = pack,
                                                .unpack = unpack,
                                                .moved = moved,
                                                .sum_energy = sum_energy,
                                                .fetch_energy = fetch_energy,
                                                .close = close_late,
                                                .is_plain = is_plain,
                                                .halo_y = &halo_y};
  struct late *w = tor_alloc(1, sizeof *w, "late worker");
  w->cpu = tor_worker_cpu(slab);
  w->slab = slab;
  w->energy = tor_alloc(sums(slab, slab->held[0]), sizeof *w->energy, "late worker");
  w->moving = tor_alloc(sums(slab, slab->held[0]), sizeof *w->moving, "late worker");
  w->most = most;
  w->seed = seed;
  return (struct tor_worker){&calls, w, 1};
}
