/* Towers on columns that lie on disk: see disk.h.
 *
 * Row r touches the sites u from R r to R r + 2 s TH + 2 R, and reads a few beyond both. Before a tower starts, the
 * columns from the left end of its row on are waited for; when all towers of a row and of those to its right are done,
 * the columns beyond the right end of the next row leave. Towers are taken in the order of rows, so that one that waits
 * never has what another needs to get done. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "diamond/core/column_state.h"
#include "diamond/core/engine.h"
#include "diamond/core/slab.h"
#include "diamond/core/tile.h"
#include "diamond/core/worker.h"
#include "src/base/error.h"
#include "src/disk/disk.h"
#include "src/disk/disk_parts.h"
#include "src/disk/paged.h"

struct sweep {
  struct tor_slab *slab;
  struct tor_worker cpu; /* moves the overlaps */
  const struct tor_stage *stage;
  const struct tor_engine_setup *setup;
  struct tor_tiling tiling;
  /* Of the part that runs: */
  const struct tor_engine_hooks *inner;
  int first, rows;
  atomic_int *left;    /* [rows] towers of row first - i that are not done */
  atomic_int finished; /* the first rows, of which all are done */
};

static int floor_half(int u) { return u >= 0 ? u / 2 : -((1 - u) / 2); }

/* A column as an index of the lists of blocks. */
static int clip(const struct tor_slab *slab, int ix) {
  const int i = ix - slab->lo[0];
  return i < 0 ? 0 : i > slab->held[0] ? slab->held[0] : i;
}

/* The lowest column that a row needs, and the first beyond all that it and those to its left need. */
static int low_of(const struct sweep *w, int row) {
  return clip(w->slab, floor_half(w->tiling.radius * row - 4 * w->tiling.s));
}
static int high_of(const struct sweep *w, int row) {
  const struct tor_tiling *t = &w->tiling;
  return clip(w->slab, floor_half(t->radius * row + 2 * t->s * t->steps + 2 * t->radius + 4 * t->s) + 1);
}

int tor_disk_columns(int order, int radius, int steps) {
  const int s = order == 4 ? 3 : 1;
  return s * steps + radius + 4 * s + 3;
}

/* --- Hooks --- */

static void before(void *self, int row, int place) {
  struct sweep *w = self;
  const struct tor_disk *disk = w->slab->disk;
  tor_paged_wait(disk->paged, disk->in[low_of(w, row)]);
  if (w->inner) w->inner->before(w->inner->self, row, place);
}

static void after(void *self, int row, int place) {
  struct sweep *w = self;
  const struct tor_disk *disk = w->slab->disk;
  if (w->inner) w->inner->after(w->inner->self, row, place);
  if (atomic_fetch_sub(&w->left[w->first - row], 1) > 1) return;
  for (;;) {
    int done = atomic_load(&w->finished);
    if (done == w->rows || atomic_load(&w->left[done])) return;
    if (!atomic_compare_exchange_strong(&w->finished, &done, done + 1)) continue;
    tor_paged_leave(disk->paged, disk->out[high_of(w, w->first - done - 1)]);
  }
}

/* --- Worker: its overlaps stay in memory (tor_disk_keep), and move as the CPU's do --- */

/* The most blocks that a row needs at one time. */
static int64_t blocks_of_row(const struct sweep *w) {
  const struct tor_disk *disk = w->slab->disk;
  int64_t most = 0;
  int first, last;
  tor_tiling_rows(&w->tiling, &first, &last);
  for (int row = first; row >= last; row--) {
    const int64_t needed = disk->in[low_of(w, row)] - disk->out[high_of(w, row)];
    if (needed > most) most = needed;
  }
  return most;
}

int tor_disk_steps(const struct tor_slab *slab, int dts, int steps) {
  struct sweep w = {.slab = (struct tor_slab *)slab};
  int lo = 0, hi = steps; /* lo fits */
  while (lo < hi) {
    const int middle = lo + (hi - lo + 1) / 2;
    w.tiling = tor_engine_tiling(slab, dts, middle);
    if (blocks_of_row(&w) <= tor_paged_capacity(slab->disk->paged))
      lo = middle;
    else
      hi = middle - 1;
  }
  return lo;
}

static void begin(void *self, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  struct sweep *w = self;
  const struct tor_slab *slab = w->slab;
  w->stage = stage;
  w->setup = setup;
  w->tiling = tor_engine_tiling(slab, setup->dts, stage->steps);
  if (blocks_of_row(w) > tor_paged_capacity(slab->disk->paged))
    TOR_DIE("%d steps a stage need more columns than there is memory for", stage->steps);
  tor_paged_begin(slab->disk->paged);
}

static void run(void *self, const struct tor_engine_part *part) {
  struct sweep *w = self;
  const struct tor_engine_hooks hooks = {before, after, w};
  struct tor_engine_part own = *part;
  int first, last;
  tor_tiling_rows(&w->tiling, &first, &last);
  if (own.first > first) own.first = first;
  if (own.last < last) own.last = last;
  if (own.first < own.last) return;
  w->inner = part->hooks;
  own.hooks = &hooks;
  w->first = own.first;
  w->rows = own.first - own.last + 1;
  w->left = tor_alloc((size_t)w->rows, sizeof *w->left, "rows");
  for (int i = 0; i < w->rows; i++)
    atomic_init(&w->left[i], tor_engine_places(&w->tiling, part, w->first - i, &first, &last));
  atomic_init(&w->finished, 0);
  tor_engine_run_part(w->slab, w->stage, w->setup, &own);
  free(w->left);
  w->left = NULL;
}

static size_t open_halo_x(void *self, enum tor_halo_x_side side, const struct tor_column_block *block) {
  const struct tor_worker *cpu = &((struct sweep *)self)->cpu;
  return cpu->calls->open(cpu->self, side, block);
}
static void pin(void *self, void *buffer, size_t bytes) { (void)self, (void)buffer, (void)bytes; }
static void unpin(void *self, void *buffer) { (void)self, (void)buffer; }
static void pack(void *self, enum tor_halo_x_side side, void *to) {
  const struct tor_worker *cpu = &((struct sweep *)self)->cpu;
  cpu->calls->pack(cpu->self, side, to);
}
static void unpack(void *self, enum tor_halo_x_side side, const void *from) {
  const struct tor_worker *cpu = &((struct sweep *)self)->cpu;
  cpu->calls->unpack(cpu->self, side, from);
}
static int moved(void *self, enum tor_halo_x_side side) {
  (void)self, (void)side;
  return 1;
}

static int ran(void *self) {
  (void)self;
  return 1;
}

static void end(void *self) {
  struct sweep *w = self;
  tor_paged_end(w->slab->disk->paged);
}

static void sum_energy(void *self, int x0, int x1) { (void)self, (void)x0, (void)x1; }
static void fetch_energy(void *self) { (void)self; }

static void close_worker(void *self) {
  struct sweep *w = self;
  w->cpu.calls->close(w->cpu.self);
  free(w);
}

struct tor_worker tor_disk_worker(struct tor_slab *slab) {
  static const struct tor_worker_calls calls = {.open = open_halo_x,
                                                .pin = pin,
                                                .unpin = unpin,
                                                .pack = pack,
                                                .unpack = unpack,
                                                .moved = moved,
                                                .begin = begin,
                                                .run = run,
                                                .ran = ran,
                                                .end = end,
                                                .sum_energy = sum_energy,
                                                .fetch_energy = fetch_energy,
                                                .close = close_worker};
  struct sweep *w = tor_alloc(1, sizeof *w, "engine");
  w->slab = slab;
  w->cpu = tor_worker_cpu(slab);
  return (struct tor_worker){&calls, w, 0};
}
