/* DiamondTorre on the CPU: rows of towers from right to left, in place, each tower through all steps of the stage.
 *
 * Towers are taken from one queue in row order; a tower starts when its right-hand neighbours (a+1, b), (a, b+1), (a+1,
 * b+1) are done, so rows overlap and no thread waits for the end of a row. The queue's order makes every wait end. */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "diamond/core/engine.h"
#include "diamond/core/pace.h"
#include "diamond/core/slab.h"
#include "diamond/core/tile.h"
#include "diamond/core/update.h"
#include "diamond/cpu/site.h"
#include "src/base/error.h"
#include "src/base/types.h"

struct row {
  int number, first, last; /* places */
  tor_gidx start;          /* place in the queue */
};

struct queue {
  struct tor_tiling tiling;
  int nrows;
  struct row *row; /* [nrows], from right to left */
  tor_gidx ntowers;
  atomic_uchar *done; /* [ntowers] */
  _Atomic tor_gidx next;
  _Atomic int64_t busy; /* [ns] of all threads, without waits */
};

static void queue_make(struct queue *q, const struct tor_tiling *tiling, const struct tor_engine_part *part) {
  int first, last;
  tor_tiling_rows(tiling, &first, &last);
  if (part && first > part->first) first = part->first;
  if (part && last < part->last) last = part->last;
  q->tiling = *tiling;
  q->nrows = first < last ? 0 : first - last + 1;
  q->row = tor_alloc((size_t)q->nrows, sizeof *q->row, "tower queue");
  q->ntowers = 0;
  for (int i = 0; i < q->nrows; i++) {
    struct row *row = &q->row[i];
    row->number = first - i;
    row->start = q->ntowers;
    q->ntowers += tor_engine_places(tiling, part, row->number, &row->first, &row->last);
  }
  q->done = tor_alloc((size_t)q->ntowers, sizeof *q->done, "tower queue");
  atomic_init(&q->next, 0);
  atomic_init(&q->busy, 0);
}

static void queue_free(struct queue *q) {
  free(q->row);
  free((void *)q->done);
}

/* Returns once the tower at `place` of row index `i` is done; at once when the slab has no such tower. Returns the
 * seconds of long waits. */
static double wait_for(struct queue *q, int i, int place) {
  place = tor_tiling_place(&q->tiling, place);
  if (i < 0 || place < q->row[i].first || place > q->row[i].last) return 0;
  atomic_uchar *done = &q->done[q->row[i].start + (place - q->row[i].first) / 2];
  for (int spin = 0; spin <= 200; spin++)
    if (atomic_load_explicit(done, memory_order_acquire)) return 0;
  const double begin = omp_get_wtime();
  while (!atomic_load_explicit(done, memory_order_acquire)) sched_yield();
  return omp_get_wtime() - begin;
}

/* Prefetches the sites of line u that the tile of half-step h does not hold but that of h + 2, 2s further right, does.
 */
static void prefetch_entering(const struct tor_site_work *work, const struct tor_tiling *tiling, int row, int place,
                              int h, int u) {
  int v0, v1, held0, held1, half = !(h & 1);
  if (u > tiling->u1 || h + 2 > 2 * tiling->steps) return;
  tor_tile_line(tiling, row, place, h + 2, u, &v0, &v1);
  tor_tile_line(tiling, row, place, h, u, &held0, &held1);
  if (held0 > held1) held0 = v1 + 1;
  const int entering[2][2] = {{v0, held0 - 1}, {held1 + 1 > held0 ? held1 + 1 : held0, v1}};
  for (int i = 0; i < 2; i++) {
    int part[2][2];
    const int parts = tor_tile_split(tiling, entering[i][0], entering[i][1], part);
    for (int k = 0; k < parts; k++) TOR_NAME(tor_site_prefetch)(work, half, u, part[k][0], part[k][1]);
  }
}

static void tower(const struct tor_site_work *work, const struct tor_tiling *tiling, int row, int place) {
  for (int h = 1; h <= 2 * tiling->steps; h++) {
    int u0, u1;
    tor_tile_columns(tiling, row, h, &u0, &u1);
    for (int u = u0; u <= u1; u++) {
      int v0, v1, part[2][2];
      tor_tile_line(tiling, row, place, h, u, &v0, &v1);
      const int parts = tor_tile_split(tiling, v0, v1, part);
      for (int k = 0; k < parts; k++) TOR_NAME(tor_site_line)(work, (h - 1) / 2, !(h & 1), u, part[k][0], part[k][1]);
      /* 2-D: the only line, in which the tile first grows. */
      prefetch_entering(work, tiling, row, place, h, tiling->u0 == tiling->u1 ? u : u + 2 * tiling->s);
    }
  }
}

/* Towers of the queue until none is left. */
static void run_queue(struct queue *q, const struct tor_site_work *work, const struct tor_engine_hooks *hooks) {
  double waited = 0;
  const double begin = omp_get_wtime();
  for (int i = 0;;) {
    tor_gidx t = atomic_fetch_add_explicit(&q->next, 1, memory_order_relaxed);
    if (t >= q->ntowers) break;
    while (i + 1 < q->nrows && t >= q->row[i + 1].start) i++;
    int place = q->row[i].first + 2 * (int)(t - q->row[i].start);
    waited += wait_for(q, i - 1, place - 1);
    waited += wait_for(q, i - 1, place + 1);
    waited += wait_for(q, i - 2, place);
    if (hooks) hooks->before(hooks->self, q->row[i].number, place);
    tower(work, &q->tiling, q->row[i].number, place);
    if (hooks) hooks->after(hooks->self, q->row[i].number, place);
    atomic_store_explicit(&q->done[t], 1, memory_order_release);
  }
  const double busy = omp_get_wtime() - begin - waited;
  atomic_fetch_add_explicit(&q->busy, (int64_t)(busy * 1e9), memory_order_relaxed);
}

void TOR_NAME(tor_diamond_run)(const struct tor_slab *slab, const struct tor_stage *stage, int dts, int threads,
                               struct tor_pace *pace, const struct tor_engine_part *part) {
  const struct tor_tiling tiling = tor_engine_tiling(slab, dts, stage->steps);
  const struct tor_engine_hooks *hooks = part ? part->hooks : NULL;
  const int used = hooks ? threads : tor_pace_begin(pace, threads); /* hooks also wait for other ranks */
  struct queue queue;
  queue_make(&queue, &tiling, part);
  const double begin = omp_get_wtime();
#pragma omp parallel num_threads(used)
  {
    struct tor_site_work *work = TOR_NAME(tor_site_work_new)(slab, stage);
    unsigned saved = TOR_NAME(tor_site_enter)();
    run_queue(&queue, work, hooks);
    TOR_NAME(tor_site_leave)(saved);
    TOR_NAME(tor_site_work_free)(work);
  }
  const double seconds = omp_get_wtime() - begin, lost = seconds * used - (double)atomic_load(&queue.busy) * 1e-9;
  if (!hooks && queue.ntowers) tor_pace_add(pace, threads, (double)(queue.ntowers * stage->steps), seconds, lost, 0);
  queue_free(&queue);
}
