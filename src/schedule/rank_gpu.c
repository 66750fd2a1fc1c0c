/* Ranks and their GPUs: see rank_gpu.h. */
#include "src/schedule/rank_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/gpu/device.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/schedule/plan.h"

static void refuse(const struct tor_job *job, struct tor_faults *faults) {
  tor_fault_at(faults, tor_job_place(job, "schedule.device"), "got \"gpu\", but %s",
               tor_device_built()
                   ? "a rank's machine has no GPU that it may use (check nvidia-smi and CUDA_VISIBLE_DEVICES)"
                   : "this build has no CUDA (configure with -DTORRE_CUDA=ON)");
}

/* --- Assignment --- */

struct gpu {
  const char *pci;
  int users;
};

/* The GPU of that identifier in a list that ends with an empty entry; appended where it is missing. */
static struct gpu *find_gpu(struct gpu *gpus, const char *pci) {
  while (gpus->pci && strcmp(gpus->pci, pci)) gpus++;
  gpus->pci = pci;
  return gpus;
}

static int pick_next(struct gpu *gpus, const struct tor_gpus_seen *seen) {
  int best = -1, fewest = 0;
  for (int i = 0; i < seen->count; i++) {
    const int users = find_gpu(gpus, seen->pci[i])->users;
    if (best >= 0 && users >= fewest) continue;
    best = i;
    fewest = users;
  }
  if (best >= 0) find_gpu(gpus, seen->pci[best])->users++;
  return best;
}

struct tor_gpu_pick tor_rank_gpu_pick(const struct tor_gpus_seen *seen, int ranks, int rank) {
  struct tor_gpu_pick pick = {-1, 0, 0};
  struct gpu *gpus = tor_alloc((size_t)ranks * TOR_GPUS_MOST + 1, sizeof *gpus, "GPUs");
  for (int r = 0; r < ranks; r++) {
    const int number = pick_next(gpus, &seen[r]);
    if (r == rank) pick.number = number;
  }
  for (int i = 0; gpus[i].pci; i++) pick.used += gpus[i].users > 0;
  if (pick.number >= 0) pick.ranks = find_gpu(gpus, seen[rank].pci[pick.number])->users;
  free(gpus);
  return pick;
}

static struct tor_gpu_pick pick_mine(void) {
  const int ranks = tor_message_neighbours(), count = tor_device_count();
  struct tor_gpus_seen mine = {.count = count < TOR_GPUS_MOST ? count : TOR_GPUS_MOST};
  struct tor_gpus_seen *all = tor_alloc((size_t)ranks, sizeof *all, "GPUs");
  for (int i = 0; i < mine.count; i++) tor_device_pci(i, mine.pci[i], sizeof mine.pci[i]);
  tor_message_gather_near(&mine, all, sizeof mine);
  const struct tor_gpu_pick pick = tor_rank_gpu_pick(all, ranks, tor_message_neighbour());
  free(all);
  return pick;
}

int tor_rank_gpu_devices(const struct tor_job *job) {
  const int wanted = job->schedule.devices;
  if (wanted > 1) tor_device_several();
  if (job->schedule.device != TOR_DEVICE_AUTO || wanted == 1) return wanted;
  return tor_message_lowest(tor_device_count() < wanted) < 0 ? wanted : 1;
}

/* --- Fit --- */

void tor_rank_gpu_choose(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  const int asked = job->schedule.device == TOR_DEVICE_GPU;
  plan->gpu = -1;
  if (job->schedule.device == TOR_DEVICE_CPU) return;
  const struct tor_gpu_pick pick = pick_mine();
  const int none = tor_message_lowest(pick.number < 0) >= 0, shared = tor_message_lowest(pick.ranks > 1) >= 0;
  if (asked && none) refuse(job, faults);
  /* Towers of one process on one GPU would not yield to each other. */
  if (asked && !none && shared && tor_message_in_process() > 1)
    tor_fault_at(
        faults, tor_job_place(job, "schedule.devices"),
        "got %d, but the processes of this machine together see %d GPU%s, and each device must be a separate GPU",
        job->schedule.devices, pick.used, pick.used == 1 ? "" : "s");
  const char *no_towers = none || pick.number < 0 ? NULL : tor_plan_no_towers(job, plan, pick.number);
  const int without = tor_message_lowest(no_towers != NULL) >= 0;
  if (asked && without)
    tor_fault_at(faults, tor_job_place(job, "schedule.device"),
                 "several ranks on GPUs need %s, but %s: use one process, or \"cpu\"", job->plane ? "panels" : "towers",
                 no_towers ? no_towers : "the GPU of another rank has none in this build (TORRE_TOWER_ARCHITECTURES)");
  if (none || without || (shared && !asked) || plan->setup.engine == TOR_ENGINE_STEPWISE) return;
  tor_plan_use_gpu(job, pick.number, plan);
  plan->gpu_ranks = pick.ranks;
  plan->gpus = pick.used;
  tor_message_bcast(&plan->th, sizeof plan->th);
  const int layer_z = job->boundary[TOR_ZLO].wall == TOR_CPML || job->boundary[TOR_ZHI].wall == TOR_CPML;
  /* 2-D: a radius is the halo rows of a border. */
  plan->setup.dts = job->plane ? TOR_GPU_PLANE_HALO(job->order) : tor_device_dts(job->order, job->precision, layer_z);
}

/* A part of the columns on this rank's GPU. */
static struct tor_plan_part part_of(const struct tor_job *job, const struct tor_plan *plan, double columns,
                                    double along_y) {
  struct tor_plan_part part = {.columns = columns,
                               .bytes = 0.95 * tor_device_memory(plan->gpu) / plan->gpu_ranks,
                               .users = plan->gpus,
                               .along_y = along_y};
  if (job->schedule.device_memory > 0 && job->schedule.device_memory < part.bytes)
    part.bytes = job->schedule.device_memory;
  return part;
}

static struct tor_plan_part part_of_layout(const struct tor_job *job, const struct tor_plan *plan,
                                           const struct tor_decomposition *layout) {
  const int rank = tor_message_rank(), py = layout->ranks[1];
  const struct tor_column_block held = tor_decomposition_part(layout, rank / py, rank % py).held;
  const double along_x = (held.x1 - held.x0) / (double)tor_grid_slices(&plan->size.grid, 0);
  const double along_y = (held.y1 - held.y0) / (plan->size.grid.n[1] + 1.0);
  return part_of(job, plan, along_x * along_y, along_y);
}

int tor_rank_gpu_fits(const struct tor_job *job, struct tor_plan *plan, const struct tor_decomposition *layout) {
  const struct tor_plan_part part = part_of_layout(job, plan, layout);
  plan->window = 0;
  return tor_message_lowest(tor_plan_part_bytes(plan, &part) > part.bytes) < 0 ? 0 : -1;
}

void tor_rank_gpu_choose_th(const struct tor_job *job, struct tor_plan *plan) {
  struct tor_plan_part part =
      part_of(job, plan, 1.0 / tor_message_ranks(), job->schedule.ranks[1] > 0 ? 1.0 / job->schedule.ranks[1] : 1);
  double needed;
  part.th = job->schedule.th;
  tor_plan_window(job, plan, &part, &needed);
  tor_message_bcast(&plan->th, sizeof plan->th);
}

int tor_rank_gpu_window(const struct tor_job *job, struct tor_plan *plan, const struct tor_decomposition *layout,
                        struct tor_faults *faults) {
  struct tor_plan_part part = part_of_layout(job, plan, layout);
  double needed;
  part.th = plan->th;
  const char *why = tor_plan_window(job, plan, &part, &needed);
  if (tor_message_lowest(why != NULL) < 0) return 0;
  if (why && job->schedule.device == TOR_DEVICE_GPU)
    tor_fault_at(faults, tor_job_place(job, "schedule.device_memory"),
                 "rank %d's part of the domain needs %.3f GB, of GPU %d it may use %.3f GB; %s "
                 "(TH %d needs about %.3f GB)",
                 tor_message_rank(), tor_plan_part_bytes(plan, &part) * 1e-9, plan->gpu, part.bytes * 1e-9, why,
                 plan->th, needed * 1e-9);
  return -1;
}

void tor_rank_gpu_log(const struct tor_plan *plan) {
  const int crowded = tor_message_lowest(plan->gpu >= 0 && plan->gpu_ranks > 1), in_process = tor_message_in_process();
  if (in_process > 1)
    tor_log("%d ranks in each process, a thread%s each", in_process, plan->gpu >= 0 ? " and a GPU" : "");
  else if (plan->gpu >= 0)
    tor_log("a GPU for each rank");
  if (crowded >= 0)
    tor_log_warning(
        "a machine has more ranks than GPUs: they share them, which is slower than a rank on each; start %d there",
        plan->gpus);
}
