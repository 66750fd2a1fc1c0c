/* Ranks and their parts of the domain: see placement.h. */
#include "placement.h"

#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "rank_gpu.h"

/* Threads of a rank that shares its machine, unless the job or the launcher's binding says fewer. */
static int share_of_threads(int threads) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN) / tor_message_neighbours();
  return cores < 1 ? 1 : threads < cores ? threads : (int)cores;
}

static int try_layout(const struct tor_slab *slab, const struct tor_plan *plan, int th, int px, int py, struct tor_layout *layout) {
  return tor_layout_make(layout, slab, plan->setup.dts, th, (const int[2]){px, py}, NULL);
}

/* The grids of ranks that the job allows, most ranks along x first; 0 when one fits. */
static int first_fit(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan, int th, struct tor_layout *layout) {
  const int *asked = job->schedule.ranks, ranks = tor_message_ranks();
  for (int px = ranks; px >= 1; px--) {
    int py = ranks / px;
    if (px * py != ranks || (asked[0] && asked[0] != px) || (asked[1] && asked[1] != py)) continue;
    if (!try_layout(slab, plan, th, px, py, layout)) return 0;
  }
  return -1;
}

static void refuse(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan, struct tor_faults *faults) {
  const int *asked = job->schedule.ranks, ranks = tor_message_ranks();
  struct tor_layout layout;
  int th = plan->th, fewer = ranks;
  while (th > 1 && first_fit(job, slab, plan, th, &layout)) th /= 2;
  int th_fits = !first_fit(job, slab, plan, th, &layout);
  if (th_fits) tor_layout_free(&layout);
  while (fewer > 1 && try_layout(slab, plan, plan->th, fewer, 1, &layout)) fewer--;
  tor_layout_free(&layout);
  char would[128] = "";
  if (th_fits) snprintf(would, sizeof would, "TH %d would fit; ", th);
  tor_fault(faults, "%s: schedule.ranks: %d ranks as [%d, %d] do not fit %d x %d cells with DTS %d, TH %d: a rank between two others along x must be "
            "wider than two overlaps, along y four places; %swith this TH %d rank%s along x would",
            job->path, ranks, asked[0], asked[1], slab->n[0], slab->n[1], plan->setup.dts, plan->th, would, fewer, fewer == 1 ? "" : "s");
}

/* A layout with the longest stage that fits, up to plan->th; plan->th is then that. Returns 0. */
static int shorten(const struct tor_job *job, const struct tor_slab *slab, struct tor_plan *plan, struct tor_layout *layout) {
  for (int th = plan->th; th >= 1; th /= 2) {
    if (!first_fit(job, slab, plan, th, layout)) {
      plan->th = th;
      return 0;
    }
    if (job->schedule.th > 0 || th <= 8) break;
  }
  return -1;
}

/* Ranks on GPUs. Returns 0 when they run there. */
static int place_on_gpus(const struct tor_job *job, const struct tor_slab *slab, struct tor_plan *plan, struct tor_layout *layout,
                         struct tor_faults *faults) {
  if (shorten(job, slab, plan, layout)) {
    if (job->schedule.device == TOR_DEVICE_GPU) refuse(job, slab, plan, faults);
    return -1;
  }
  layout->margin = plan->setup.dts * (job->order == 4 ? 3 : 1);
  if (!tor_rank_gpu_fits(job, plan, layout, faults)) return 0;
  tor_layout_free(layout);
  return -1;
}

int tor_placement_make(const struct tor_job *job, struct tor_plan *plan, struct tor_layout *layout, struct tor_faults *faults) {
  const int *asked = job->schedule.ranks, ranks = tor_message_ranks();
  const struct tor_grid *g = &plan->size.grid;
  struct tor_slab slab = {.order = job->order, .n = {g->n[0], g->n[1], g->n[2]}};
  for (int f = 0; f < TOR_NFACE; f++) slab.wall[f] = g->face[f].wall == TOR_PMC ? TOR_PMC : TOR_PEC;
  if (job->schedule.threads == 0) plan->setup.threads = share_of_threads(plan->setup.threads);
  int common[2] = {plan->setup.dts, plan->th};
  tor_message_share(common, sizeof common);
  plan->setup.dts = common[0];
  plan->th = common[1];
  if (ranks == 1 && asked[0] <= 1 && asked[1] <= 1) return try_layout(&slab, plan, plan->th, 1, 1, layout);
  for (int a = 0; a < 2; a++)
    if (asked[a] && ranks % asked[a]) asked = NULL, a = 2;
  if (!asked || (asked[0] && asked[1] && asked[0] * asked[1] != ranks))
    tor_fault(faults, "%s: schedule.ranks: [%d, %d] does not suit the %d process%s of this run; start it by mpirun -n N with N = product", job->path,
              job->schedule.ranks[0], job->schedule.ranks[1], ranks, ranks == 1 ? "" : "es");
  const struct tor_plan on_cpu = *plan;
  tor_rank_gpu_choose(job, plan, faults);
  if (plan->setup.engine == TOR_ENGINE_STEPWISE)
    tor_fault(faults, "%s: schedule.engine: got \"stepwise\", several ranks need the diamond engine", job->path);
  if (faults->count) return -1;
  if (plan->gpu >= 0) {
    if (!place_on_gpus(job, &slab, plan, layout, faults)) return 0;
    if (job->schedule.device == TOR_DEVICE_GPU) return -1;
    *plan = on_cpu;
  }
  if (!shorten(job, &slab, plan, layout)) return 0;
  refuse(job, &slab, plan, faults);
  return -1;
}
