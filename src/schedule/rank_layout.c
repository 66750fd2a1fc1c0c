/* The choice of grid, tile and stage for ranks on CPUs: see rank_layout.h. */
#include "src/schedule/rank_layout.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm/exchange/decomposition.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column_work.h"
#include "src/predict/cluster.h"
#include "src/predict/machine.h"
#include "src/predict/pipeline.h"
#include "src/schedule/plan.h"

/* --- Seconds by the model --- */

/* Time of a cell with tiles of DTS, in units of that with the largest: processor times of one Zen 4 thread, vacuum of
 * 128 x 128 x 200 cells, TH 64 (docs/measurements/performance.md, "Tiles between ranks"). */
static double tile_time(int order, int dts) { return 1 + (order == 4 ? 1.7 : 8.0) / ((double)dts * dts); }

/* Mean time of a cell in units of a vacuum cell's. */
static double mean_time(const struct tor_plan *plan) {
  const struct tor_grid *g = &plan->size.grid;
  const int slices = tor_grid_slices(g, 0);
  double all = 0;
  if (!plan->work[0]) return 1;
  for (int i = 0; i < slices; i++) all += (double)plan->work[0][i];
  return all / (TOR_COLUMN_WORK_UNIT * (double)slices * tor_grid_slices(g, 1) * g->n[2]);
}

/* Ranks along y wait for each other at every row: 5 to 12 % longer than by the model on idle cores
 * (docs/design/cluster-model.md), more on busy ones. */
static const double ALONG_Y = 1.25;

/* In 2-D, where the rows of a stage follow each other in time: a message a row and border. */
static double plane_seconds(const struct tor_plan *plan, double mean, const struct tor_rank_choice *c, double rate,
                            int reach) {
  static const double LATENCY = 100e-6;
  const double steps = (double)plan->size.steps, stages = ceil(steps / c->th),
               rows = stages * (2.0 * c->th / c->dts + 2);
  if (c->ranks[0] > 1 || plan->size.grid.n[1] < 2 * reach * c->dts * c->ranks[1]) return HUGE_VAL;
  const double seconds = plan->size.cells * steps * mean / (rate * c->ranks[1]);
  return c->ranks[1] > 1 ? ALONG_Y * seconds + rows * LATENCY : seconds;
}

/* Of even ranks, one a node, whose threads have usual rates; messages as between processes of a machine. The tile's
 * ends are not in the rate: tor_cluster_cost adds them. */
static double model_seconds(const struct tor_job *job, const struct tor_plan *plan, double mean,
                            const struct tor_rank_choice *c, int threads) {
  enum { ALL_STEPS = 1 << 20 };
  const struct tor_grid *g = &plan->size.grid;
  const double towers = floor(g->n[1] / ((job->order == 4 ? 3.0 : 1.0) * c->dts * c->ranks[1]));
  const int busy = (int)fmax(1, fmin(threads, towers));
  const double rate = (job->order == 4 ? 0.25e9 : 1e9) * (job->precision == TOR_F32 ? 1 : 0.5);
  if (g->plane)
    return plane_seconds(plan, mean, c, busy * rate / tile_time(job->order, c->dts), job->order == 4 ? 3 : 1);
  struct tor_machine_rate rates = {.order = job->order,
                                   .precision = job->precision,
                                   .dts = c->dts,
                                   .rate = busy * rate / tile_time(job->order, c->dts),
                                   .th = ALL_STEPS,
                                   .towers = busy};
  const struct tor_machine machine = {.nodes = c->ranks[0] * c->ranks[1],
                                      .cores = threads,
                                      .host_memory = HUGE_VAL,
                                      .host_rate = 20e9,
                                      .rows = TOR_ROWS_FLOW,
                                      .network_rate = 5e9,
                                      .network_latency = 50e-6,
                                      .nrates = 1,
                                      .rates = &rates};
  const struct tor_cluster_domain domain = {{g->n[0], g->n[1], g->n[2]},
                                            job->order,
                                            job->precision,
                                            fmax(6.0 * job->precision, plan->size.memory.total / plan->size.cells),
                                            mean - 1};
  struct tor_cluster_cost cost;
  double period, fill;
  if (tor_cluster_cost(&machine, &domain, &(struct tor_cluster_layout){c->ranks[0], c->ranks[1], 1, c->th}, &cost))
    return HUGE_VAL;
  tor_pipeline_estimate(&cost.pipeline, &period, &fill);
  return (c->ranks[1] > 1 ? ALONG_Y : 1) * tor_cluster_seconds((double)plan->size.steps, c->th, period, fill);
}

/* --- Layouts --- */

int tor_rank_layout_make(const struct tor_slab *slab, const struct tor_plan *plan, const struct tor_rank_choice *choice,
                         struct tor_decomposition *layout) {
  const int64_t *const work[2] = {plan->work[0], plan->work[1]};
  return tor_decomposition_make(layout, slab, choice->dts, choice->th, choice->ranks, plan->work[0] ? work : NULL);
}

double tor_rank_layout_share(const struct tor_plan *plan, const struct tor_decomposition *layout, int axis) {
  const int ranks = layout->ranks[axis];
  if (!plan->work[0]) return 1;
  double *part = tor_alloc((size_t)ranks, sizeof *part, "work of columns"), most = 0;
  tor_decomposition_work(layout, axis, plan->work[axis], part);
  for (int i = 0; i < ranks; i++) most = fmax(most, part[i] * ranks);
  free(part);
  return most;
}

double tor_rank_layout_slowest(const struct tor_plan *plan, const struct tor_decomposition *layout) {
  return tor_rank_layout_share(plan, layout, 0) * tor_rank_layout_share(plan, layout, 1);
}

/* --- The search --- */

struct search {
  const struct tor_job *job;
  const struct tor_slab *slab;
  const struct tor_plan *plan;
  double mean; /* time of a cell in units of a vacuum cell's */
  int threads, free_grid;
  double even; /* above 0: only layouts whose slowest rank has at most this share of the mean */
  struct tor_rank_choice best;
};

/* Stages below the disk's knee take longer (src/schedule/disk_plan.h). */
static double disk_factor(const struct tor_plan *plan, int th) { return fmax(1, plan->disk.knee / th); }

/* Keeps the faster one; a later one must be faster by a hundredth. */
static void offer(struct search *s, struct tor_rank_choice *c) {
  struct tor_decomposition layout;
  const double least = model_seconds(s->job, s->plan, s->mean, c, s->threads);
  if (s->best.seconds <= 1.01 * least || tor_rank_layout_make(s->slab, s->plan, c, &layout)) return;
  c->slowest = tor_rank_layout_slowest(s->plan, &layout);
  c->seconds = least * c->slowest * disk_factor(s->plan, c->th);
  tor_decomposition_free(&layout);
  if (s->even > 0 && c->slowest > s->even) return;
  if (s->best.seconds > 1.01 * c->seconds) s->best = *c;
}

/* Tiles and stages from the plan's down. */
static void offer_grid(struct search *s, int px, int py) {
  const int tile = s->plan->setup.dts, open_tile = s->job->schedule.dts <= 0, open_stage = s->job->schedule.th <= 0;
  for (int dts = tile; dts >= 1; dts = dts > 8 ? dts * 3 / 4 : dts - 1) {
    for (int th = s->plan->th; th >= 1; th /= 2) {
      struct tor_rank_choice c = {.ranks = {px, py}, .dts = dts, .th = th};
      offer(s, &c);
      if (!open_stage) break;
    }
    if (!open_tile) break;
  }
}

/* All grids of so many ranks, or that of the job. Returns 0 when one fits. */
static int search(struct search *s, int ranks, int in_process) {
  const int *asked = s->free_grid ? (const int[2]){0, 0} : s->job->schedule.ranks;
  s->best = (struct tor_rank_choice){.seconds = HUGE_VAL};
  if (in_process > 1 && !asked[0] && !asked[1]) {
    offer_grid(s, ranks / in_process, in_process);
    if (s->best.seconds < HUGE_VAL) return 0;
  }
  for (int px = ranks; px >= 1; px--) {
    const int py = ranks / px;
    if (px * py != ranks || (asked[0] && asked[0] != px) || (asked[1] && asked[1] != py)) continue;
    offer_grid(s, px, py);
  }
  return s->best.seconds < HUGE_VAL ? 0 : -1;
}

int tor_rank_layout_choose(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan,
                           int ranks, int in_process, struct tor_rank_choice *choice) {
  struct search s = {.job = job, .slab = slab, .plan = plan, .mean = mean_time(plan), .threads = plan->setup.threads};
  const int failed = search(&s, ranks, in_process);
  *choice = s.best;
  return failed;
}

/* --- Advice --- */

/* The most ranks below those of the choice that are even; 0: none of those tried. */
static int even_ranks(const struct search *of, int ranks, double *slowest) {
  enum { TRIED = 16 };
  struct search s = *of;
  s.free_grid = 1;
  s.even = TOR_RANK_UNEVEN;
  for (int fewer = ranks - 1; fewer >= 2 && fewer >= ranks - TRIED; fewer--) {
    if (search(&s, fewer, 1)) continue;
    *slowest = s.best.slowest;
    return fewer;
  }
  return 0;
}

/* The fastest with fewer ranks: with as many threads each, or on one machine with `cores` above 0. */
static struct tor_rank_choice fewer_ranks(const struct search *of, int ranks, int cores, int *threads) {
  enum { TRIED = 16 };
  struct search s = *of;
  struct tor_rank_choice best = {.seconds = HUGE_VAL};
  s.free_grid = 1;
  for (int fewer = 1; fewer < ranks; fewer += fewer < TRIED ? 1 : fewer) {
    s.threads = cores ? cores / fewer : of->threads;
    if (!s.threads) break;
    if (search(&s, fewer, 1) || s.best.seconds >= best.seconds) continue;
    best = s.best;
    *threads = s.threads;
  }
  return best;
}

int tor_rank_layout_advice(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan,
                           const struct tor_rank_choice *choice, const struct tor_rank_machine *machine, char *text,
                           size_t size) {
  const double CLEARLY = 0.9;
  const int ranks = choice->ranks[0] * choice->ranks[1];
  struct search s = {.job = job, .slab = slab, .plan = plan, .mean = mean_time(plan), .threads = plan->setup.threads};
  size_t n = 0;
  *text = 0;
  if (ranks < 2) return -1;
  if (choice->slowest > TOR_RANK_UNEVEN) {
    double slowest = 0;
    const int even = even_ranks(&s, ranks, &slowest);
    n += (size_t)snprintf(text, size, "the slowest of %d ranks has %.2f of the mean work", ranks, choice->slowest);
    if (even) n += (size_t)snprintf(text + n, size - n, "; %d ranks would have %.2f", even, slowest);
  }
  const int alone = machine->ranks == ranks, used = ranks * s.threads;
  const double crowded = alone && used > machine->cores ? (double)used / machine->cores : 1;
  int threads = 0;
  const double seconds = crowded * choice->slowest * model_seconds(job, plan, s.mean, choice, s.threads);
  const struct tor_rank_choice fewer = fewer_ranks(&s, ranks,
                                                   !alone                  ? 0
                                                   : used > machine->cores ? machine->cores
                                                                           : used,
                                                   &threads);
  if (fewer.seconds < CLEARLY * seconds && n < size) {
    const int count = fewer.ranks[0] * fewer.ranks[1];
    n += (size_t)snprintf(text + n, size - n, "%sby the cluster model ", n ? "; " : "");
    if (count == 1)
      n += (size_t)snprintf(text + n, size - n, "one process with %d thread%s", threads, threads > 1 ? "s" : "");
    else
      n += (size_t)snprintf(text + n, size - n, "%d x %d ranks with %d thread%s each", fewer.ranks[0], fewer.ranks[1],
                            threads, threads > 1 ? "s" : "");
    snprintf(text + n, size - n, " would take %.2g of the time", fewer.seconds / seconds);
  }
  return n ? 0 : -1;
}
