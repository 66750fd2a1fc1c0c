/* Ranks and their parts of the domain: see placement.h. */
#include "src/schedule/placement.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column_work.h"
#include "src/schedule/plan.h"
#include "src/schedule/rank_gpu.h"
#include "src/schedule/rank_layout.h"
#include "src/schedule/tuned.h"

/* Borders that divide the work evenly. */
static int try_layout(const struct tor_slab *slab, const struct tor_plan *plan, int th, int px, int py,
                      struct tor_decomposition *layout) {
  return tor_rank_layout_make(slab, plan,
                              &(struct tor_rank_choice){.ranks = {px, py}, .dts = plan->setup.dts, .th = th}, layout);
}

/* Whether the last rank along y owns the rows that its neighbour needs: the others own more than a radius. */
static int has_halo_rows(const struct tor_decomposition *layout) {
  const int radius = layout->dts * (layout->order == 4 ? 3 : 1), last = layout->ranks[1] - 1;
  return last < 1 || layout->n[1] + 1 - radius * layout->place[last] / 2 >= radius;
}

/* The same; without `narrow` slabs must hold two overlaps. */
static int try_width(const struct tor_slab *slab, const struct tor_plan *plan, int th, int px, int py, int narrow,
                     struct tor_decomposition *layout) {
  if (try_layout(slab, plan, th, px, py, layout)) return -1;
  if ((narrow || !layout->narrow) && (!slab->plane || has_halo_rows(layout))) return 0;
  tor_decomposition_free(layout);
  return -1;
}

/* How a layout is searched for. */
struct wish {
  int by_process; /* first with the ranks of a process along y */
  int narrow;     /* slabs may be narrower than two overlaps */
};

/* Why ranks on GPUs may not share y; NULL: they may. */
static const char *no_sharing(const struct tor_plan *plan) {
  const struct tor_grid *g = &plan->size.grid;
  if (plan->gpu < 0) return NULL;
  if (tor_grid_complex(g)) return "fields between Bloch walls";
  return g->plane && tor_grid_periodic(g, TOR_Y) ? "a 2-D domain with a period that ranks would share" : NULL;
}
static int shares_y(const struct tor_plan *plan) { return !no_sharing(plan); }

/* The grids of ranks that the job allows, most ranks along x first; 0 when one fits. */
static int first_fit(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan, int th,
                     const struct wish *wish, struct tor_decomposition *layout) {
  const int *asked = job->schedule.ranks, ranks = tor_message_ranks(), in_process = tor_message_in_process();
  if (wish->by_process && !asked[0] && !asked[1] && shares_y(plan) &&
      !try_width(slab, plan, th, ranks / in_process, in_process, wish->narrow, layout))
    return 0;
  for (int px = ranks; px >= 1; px--) {
    int py = ranks / px;
    if (px * py != ranks || (asked[0] && asked[0] != px) || (asked[1] && asked[1] != py)) continue;
    if (py > 1 && !shares_y(plan)) continue;
    if (!try_width(slab, plan, th, px, py, wish->narrow, layout)) return 0;
  }
  return -1;
}

const char *tor_placement_least(const struct tor_job *job, const struct tor_plan *plan) {
  static _Thread_local char text[200];
  const struct tor_grid *g = &plan->size.grid;
  const int dts = job->schedule.dts > 0 ? job->schedule.dts : 1, reach = job->order == 4 ? 3 : 1;
  const int most = g->n[TOR_Y] / (TOR_RING_TOWERS * reach * dts);
  size_t n =
      (size_t)snprintf(text, sizeof text, "a rank between two others along x must be as wide as an overlap, along ");
  if (tor_grid_periodic(g, TOR_Y))
    snprintf(text + n, sizeof text - n,
             "the periodic y each must have %d towers in a row, so at most %d rank%s with DTS %d", TOR_RING_TOWERS,
             most > 1 ? most : 1, most > 1 ? "s" : "", dts);
  else
    snprintf(text + n, sizeof text - n, "y four places");
  return text;
}

/* The numbers that would fit, in would[size]: a shorter stage than the one asked for, fewer ranks. */
static void what_would_fit_cpus(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan,
                                char *would, size_t size) {
  struct tor_rank_choice choice;
  struct tor_job any = *job;
  int fewer = tor_message_ranks();
  size_t n = 0;
  any.schedule.th = 0;
  if (job->schedule.th > 0 && !tor_rank_layout_choose(&any, slab, plan, fewer, 1, &choice))
    n += (size_t)snprintf(would, size, "TH %d would fit; ", choice.th);
  any.schedule.th = job->schedule.th;
  any.schedule.ranks[0] = any.schedule.ranks[1] = 0;
  while (fewer > 1 && tor_rank_layout_choose(&any, slab, plan, fewer, 1, &choice)) fewer--;
  snprintf(would + n, size - n, "%d rank%s would", fewer, fewer == 1 ? "" : "s");
}

/* The same on GPUs: TH for these ranks, fewer ranks along x. */
static void what_would_fit_gpus(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan,
                                char *would, size_t size) {
  struct tor_decomposition layout;
  const struct wish any = {.narrow = 1};
  int th = plan->th, fewer = tor_message_ranks();
  size_t n = 0;
  while (th > 1 && first_fit(job, slab, plan, th, &any, &layout)) th /= 2;
  if (!first_fit(job, slab, plan, th, &any, &layout)) {
    tor_decomposition_free(&layout);
    n += (size_t)snprintf(would, size, "TH %d would fit; ", th);
  }
  while (fewer > 1 && try_layout(slab, plan, plan->th, fewer, 1, &layout)) fewer--;
  tor_decomposition_free(&layout);
  snprintf(would + n, size - n, "with this TH %d rank%s along x would", fewer, fewer == 1 ? "" : "s");
}

/* A 2-D job on GPUs, whose ranks share the user's x. */
static void refuse_plane(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan,
                         struct tor_faults *faults) {
  struct tor_decomposition layout;
  int fewer = tor_message_ranks();
  while (fewer > 1 && try_width(slab, plan, plan->th, 1, fewer, 1, &layout)) fewer--;
  tor_decomposition_free(&layout);
  tor_fault_at(
      faults, tor_job_place(job, "schedule.ranks"),
      "got %d ranks for %d cells along x, of which each between two others needs %d on GPUs; %d rank%s would fit",
      tor_message_ranks(), slab->n[1], 2 * plan->setup.dts * (job->order == 4 ? 3 : 1), fewer, fewer == 1 ? "" : "s");
}

static void refuse(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan,
                   struct tor_faults *faults) {
  const struct tor_schedule *s = &job->schedule;
  if (job->plane && no_sharing(plan)) {
    tor_fault_at(faults, tor_job_place(job, "schedule.ranks"),
                 "got " TOR_FOUND("%d ranks for %s on GPUs") ", need " TOR_NEEDED("1 rank"), tor_message_ranks(),
                 no_sharing(plan));
    return;
  }
  if (job->plane && plan->gpu >= 0) return refuse_plane(job, slab, plan, faults);
  if (s->ranks[1] > 1 && !shares_y(plan)) {
    tor_fault_at(faults, tor_job_place(job, "schedule.ranks"),
                 "got " TOR_FOUND("[%d, %d] for %s on GPUs") ", need " TOR_NEEDED("[%d, 1]"), s->ranks[0], s->ranks[1],
                 no_sharing(plan), tor_message_ranks());
    return;
  }
  char would[128] = "", grid[64] = "in every grid of ranks", dts[32] = "any DTS", th[32] = "any TH";
  if (s->ranks[0] > 0) snprintf(grid, sizeof grid, "as [%d, %d]", s->ranks[0], s->ranks[1]);
  if (s->dts > 0 || plan->gpu >= 0) snprintf(dts, sizeof dts, "DTS %d", plan->setup.dts);
  if (s->th > 0 || plan->gpu >= 0) snprintf(th, sizeof th, "TH %d", plan->th);
  (plan->gpu < 0 ? what_would_fit_cpus : what_would_fit_gpus)(job, slab, plan, would, sizeof would);
  tor_fault_at(faults, tor_job_place(job, "schedule.ranks"),
               "got %d ranks, which %s do not fit %d x %d cells with %s, %s: %s; %s", tor_message_ranks(), grid,
               slab->n[0], slab->n[1], dts, th, tor_placement_least(job, plan), would);
}

/* A layout with the longest stage that fits, up to plan->th; plan->th is then that. Slabs narrower than two overlaps,
 * whose ranks wait for each other, only where no stage fits otherwise. Returns 0. */
static int shorten(const struct tor_job *job, const struct tor_slab *slab, struct tor_plan *plan, int by_process,
                   struct tor_decomposition *layout) {
  for (int narrow = 0; narrow < 2; narrow++)
    for (int th = plan->th; th >= 1; th /= 2) {
      if (!first_fit(job, slab, plan, th, &(struct wish){by_process, narrow}, layout)) {
        plan->th = th;
        return 0;
      }
      if (job->schedule.th > 0 || th <= 8) break;
    }
  return -1;
}

/* Layout of ranks on GPUs, resident or through windows. Returns 0 when they run there. */
static int place_on_gpus(const struct tor_job *job, const struct tor_slab *slab, struct tor_plan *plan,
                         struct tor_decomposition *layout, struct tor_faults *faults) {
  for (int windowed = 0; windowed < 2; windowed++) {
    if (windowed) tor_rank_gpu_choose_th(job, plan);
    if (shorten(job, slab, plan, !windowed, layout)) {
      if (job->schedule.device == TOR_DEVICE_GPU) refuse(job, slab, plan, faults);
      return -1;
    }
    layout->margin = plan->setup.dts * (job->order == 4 ? 3 : 1);
    if (!(windowed ? tor_rank_gpu_window(job, plan, layout, faults) : tor_rank_gpu_fits(job, plan, layout))) return 0;
    tor_decomposition_free(layout);
  }
  return -1;
}

/* Sets the plan's DTS and TH by the choice, and makes its layout. */
static int take_choice(const struct tor_slab *slab, struct tor_plan *plan, const struct tor_rank_choice *choice,
                       struct tor_decomposition *layout) {
  plan->setup.dts = choice->dts;
  plan->th = choice->th;
  return tor_rank_layout_make(slab, plan, choice, layout);
}

/* Rank 0 chooses grid, DTS and TH for all. Collective. */
static int place_on_cpus(const struct tor_job *job, const struct tor_slab *slab, struct tor_plan *plan,
                         struct tor_decomposition *layout) {
  struct tor_rank_choice choice;
  int failed = 0;
  if (!tor_message_rank())
    failed = tor_rank_layout_choose(job, slab, plan, tor_message_ranks(), tor_message_in_process(), &choice);
  tor_message_bcast(&failed, sizeof failed);
  if (failed) return -1;
  tor_message_bcast(&choice, sizeof choice);
  return take_choice(slab, plan, &choice, layout);
}

/* The slab's sizes, as far as a layout needs them. */
static struct tor_slab outline(const struct tor_job *job, const struct tor_grid *g) {
  struct tor_slab slab = {.order = job->order, .plane = g->plane, .n = {tor_grid_slices(g, 0) - 1, g->n[1], g->n[2]}};
  for (int f = 0; f < TOR_NFACE; f++) slab.wall[f] = tor_grid_wall(g, f);
  return slab;
}

/* --- The work of columns --- */

static void take_work(struct tor_plan *plan) {
  const size_t slices[2] = {(size_t)tor_grid_slices(&plan->size.grid, 0), (size_t)tor_grid_slices(&plan->size.grid, 1)};
  free(plan->work[0]);
  plan->work[0] = tor_alloc(slices[0] + slices[1], sizeof *plan->work[0], "work of columns");
  plan->work[1] = plan->work[0] + slices[0];
}

/* The costs of columns on the plan's device. Returns 0, or -1 when they are unknown. */
static int find_costs(const struct tor_job *job, struct tor_plan *plan) {
  struct tor_tuned tuned;
  char why[512];
  const int found = tor_tuned_find(plan->gpu, plan->setup.threads, &tuned, why, sizeof why) == TOR_TUNED_FOUND;
  plan->costs =
      tor_tuned_costs(found ? tor_tuned_kind(&tuned, job->order, job->precision) : NULL, job->order, job->precision);
  return found || plan->gpu < 0 ? 0 : -1;
}

/* Each rank estimates a part of the columns; all get the sums, and rank 0's costs. Collective. */
static void find_work(const struct tor_job *job, struct tor_plan *plan) {
  int known = !find_costs(job, plan);
  tor_message_bcast(&known, sizeof known);
  tor_message_bcast(&plan->costs, sizeof plan->costs);
  if (!known) return;
  const int slices = tor_grid_slices(&plan->size.grid, 0) + tor_grid_slices(&plan->size.grid, 1);
  take_work(plan);
  tor_column_work(job, &plan->size.grid, &plan->costs, tor_message_rank(), tor_message_ranks(), plan->work);
  tor_message_sum(plan->work[0], slices);
  tor_message_bcast(plan->work[0], (size_t)slices * sizeof *plan->work[0]);
}

static int place(const struct tor_job *job, struct tor_plan *plan, struct tor_decomposition *layout,
                 struct tor_faults *faults) {
  const int *asked = job->schedule.ranks, ranks = tor_message_ranks();
  const struct tor_grid *g = &plan->size.grid;
  struct tor_slab slab = outline(job, g);
  int common[2] = {plan->setup.dts, plan->th};
  tor_message_bcast(common, sizeof common);
  plan->setup.dts = common[0];
  plan->th = common[1];
  if (ranks == 1 && asked[0] <= 1 && asked[1] <= 1) { /* without towers, too, which might not close */
    for (int end = 0; end < 2; end++) slab.wall[2 * TOR_Y + end] = TOR_PEC;
    return try_layout(&slab, plan, plan->th, 1, 1, layout);
  }
  for (int a = 0; a < 2; a++)
    if (asked[a] && ranks % asked[a]) asked = NULL, a = 2;
  if (!asked || (asked[0] && asked[1] && (tor_gidx)asked[0] * asked[1] != ranks))
    tor_fault_at(faults, tor_job_place(job, "schedule.ranks"),
                 "[%d, %d] does not match the %d rank%s of this run; start it by mpirun -n N with N x schedule.devices "
                 "= product",
                 job->schedule.ranks[0], job->schedule.ranks[1], ranks, ranks == 1 ? "" : "s");
  const struct tor_plan on_cpu = *plan;
  if (!plan->disk.used) tor_rank_gpu_choose(job, plan, faults);
  if (plan->setup.engine == TOR_ENGINE_STEPWISE)
    tor_fault_at(faults, tor_job_place(job, "schedule.engine"),
                 "got \"stepwise\", several ranks need the diamond engine");
  if (faults->count) return -1;
  if (plan->gpu >= 0) {
    find_work(job, plan);
    if (!place_on_gpus(job, &slab, plan, layout, faults)) return 0;
    free(plan->work[0]);
    if (job->schedule.device == TOR_DEVICE_GPU) return -1;
    *plan = on_cpu;
  }
  find_work(job, plan);
  if (!place_on_cpus(job, &slab, plan, layout)) return 0;
  refuse(job, &slab, plan, faults);
  free(plan->work[0]);
  return -1;
}

int tor_placement_make(const struct tor_job *job, struct tor_plan *plan, struct tor_decomposition *layout,
                       struct tor_faults *faults) {
  struct tor_job along_x = *job;
  along_x.schedule.ranks[0] = tor_message_ranks();
  along_x.schedule.ranks[1] = 1;
  return place(plan->disk.used ? &along_x : job, plan, layout, faults);
}

int tor_placement_foresee(const struct tor_job *job, struct tor_plan *plan, struct tor_decomposition *layout) {
  const struct tor_grid *g = &plan->size.grid;
  const int *ranks = job->schedule.ranks;
  const struct tor_slab slab = outline(job, g);
  plan->gpu = -1;
  find_costs(job, plan);
  take_work(plan);
  tor_column_work(job, g, &plan->costs, 0, 1, plan->work);
  struct tor_rank_choice choice;
  if (!tor_rank_layout_choose(job, &slab, plan, ranks[0] * ranks[1], 1, &choice) &&
      !take_choice(&slab, plan, &choice, layout))
    return 0;
  free(plan->work[0]);
  plan->work[0] = NULL;
  return -1;
}

void tor_placement_free(struct tor_plan *plan, struct tor_decomposition *layout) {
  free(plan->work[0]);
  plan->work[0] = plan->work[1] = NULL;
  tor_decomposition_free(layout);
}

int tor_placement_advice(const struct tor_job *job, const struct tor_plan *plan, const struct tor_decomposition *layout,
                         int near, char *text, size_t size) {
  const struct tor_slab slab = outline(job, &plan->size.grid);
  const struct tor_rank_choice choice = {.ranks = {layout->ranks[0], layout->ranks[1]},
                                         .dts = layout->dts,
                                         .th = layout->th,
                                         .slowest = tor_rank_layout_slowest(plan, layout)};
  const struct tor_rank_machine machine = {near, (int)sysconf(_SC_NPROCESSORS_ONLN)};
  return plan->gpu >= 0 ? -1 : tor_rank_layout_advice(job, &slab, plan, &choice, &machine, text, size);
}

int tor_placement_log(const struct tor_plan *plan, const struct tor_decomposition *layout, int axis, char *text,
                      size_t size) {
  enum { FEW = 12 };
  const int ranks = layout->ranks[axis], *border = axis ? layout->place : layout->row;
  const int radius = layout->dts * (layout->order == 4 ? 3 : 1);
  struct tor_slab slab = {.order = layout->order, .n = {layout->n[0], layout->n[1], 1}};
  if (layout->ring) slab.wall[TOR_YLO] = slab.wall[TOR_YHI] = TOR_PERIODIC;
  struct tor_decomposition even;
  if (ranks < 2 || !plan->work[0]) return -1;
  size_t n = (size_t)snprintf(text, size, "along %c", axis ? 'y' : 'x');
  for (int i = 1; i < ranks && i <= FEW; i++)
    n += (size_t)snprintf(text + n, size - n, "%s %d", i == 1 ? " at columns" : ",", radius * border[i] / 2);
  n += (size_t)snprintf(text + n, size - n, "%s; the slowest rank has %.2f of the mean work",
                        ranks > FEW + 1 ? " ..." : "", tor_rank_layout_share(plan, layout, axis));
  if (tor_decomposition_make(&even, &slab, layout->dts, layout->th, layout->ranks, NULL)) return 0;
  snprintf(text + n, size - n, ", with equal widths %.2f", tor_rank_layout_share(plan, &even, axis));
  tor_decomposition_free(&even);
  return 0;
}

int tor_placement_narrow(const struct tor_decomposition *layout, char *text, size_t size) {
  if (!layout->narrow) return -1;
  const struct tor_span overlap = tor_decomposition_part(layout, 1, 0).left;
  snprintf(
      text, size,
      "ranks along x hold less than two overlaps (%d columns each), so that neighbours compute in turn for a part of "
      "each stage; a lower schedule.th or fewer ranks along x would let them compute at the same time",
      overlap.to - overlap.from);
  return 0;
}
