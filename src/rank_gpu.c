/* Ranks and their GPUs: see rank_gpu.h. */
#include "rank_gpu.h"

#include "../comm/message.h"
#include "../diamond/device.h"
#include "../io/log.h"

static void refuse(const struct tor_job *job, struct tor_faults *faults) {
  tor_fault(faults, "%s: schedule.device: got \"gpu\", but %s", job->path,
            tor_device_built()
                ? "a rank's machine has no GPU that it may use (look at nvidia-smi and CUDA_VISIBLE_DEVICES)"
                : "this build has no CUDA (configure with -DTORRE_CUDA=ON)");
}

void tor_rank_gpu_choose(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  const int asked = job->schedule.device == TOR_DEVICE_GPU;
  const int count = job->schedule.device == TOR_DEVICE_CPU ? 0 : tor_device_count();
  const int none = tor_message_lowest(count == 0) >= 0,
            shared = tor_message_lowest(count < tor_message_neighbours()) >= 0;
  plan->gpu = -1;
  if (asked && none) refuse(job, faults);
  if (none || (shared && !asked) || plan->setup.engine == TOR_ENGINE_STEPWISE) return;
  tor_plan_use_gpu(job, tor_message_neighbour() % count, plan);
  tor_message_share(&plan->th, sizeof plan->th);
  const int layer_z = job->boundary[TOR_ZLO].wall == TOR_CPML || job->boundary[TOR_ZHI].wall == TOR_CPML;
  plan->setup.dts = tor_device_dts(job->order, job->precision, layer_z);
}

/* A share of the columns on this rank's GPU. */
static struct tor_plan_part part_of(const struct tor_job *job, const struct tor_plan *plan, double columns) {
  const int count = tor_device_count(), ranks = tor_message_neighbours(), sharers = (ranks + count - 1) / count;
  struct tor_plan_part part = {columns, 0.95 * tor_device_memory(plan->gpu) / sharers, ranks < count ? ranks : count,
                               0};
  if (job->schedule.device_memory > 0 && job->schedule.device_memory < part.bytes)
    part.bytes = job->schedule.device_memory;
  return part;
}

static struct tor_plan_part part_of_layout(const struct tor_job *job, const struct tor_plan *plan,
                                           const struct tor_layout *layout) {
  const int rank = tor_message_rank(), py = layout->ranks[1];
  const struct tor_column_block held = tor_layout_share(layout, rank / py, rank % py).held;
  return part_of(job, plan, (double)(held.x1 - held.x0) / (plan->size.grid.n[0] + 1.0) * (held.y1 - held.y0) /
                             (plan->size.grid.n[1] + 1.0));
}

int tor_rank_gpu_fits(const struct tor_job *job, struct tor_plan *plan, const struct tor_layout *layout) {
  const struct tor_plan_part part = part_of_layout(job, plan, layout);
  plan->window = 0;
  return tor_message_lowest(tor_plan_part_bytes(plan, &part) > part.bytes) < 0 ? 0 : -1;
}

void tor_rank_gpu_choose_th(const struct tor_job *job, struct tor_plan *plan) {
  struct tor_plan_part part = part_of(job, plan, 1.0 / tor_message_ranks());
  double needed;
  part.th = job->schedule.th;
  tor_plan_window(job, plan, &part, &needed);
  tor_message_share(&plan->th, sizeof plan->th);
}

int tor_rank_gpu_window(const struct tor_job *job, struct tor_plan *plan, const struct tor_layout *layout,
                        struct tor_faults *faults) {
  struct tor_plan_part part = part_of_layout(job, plan, layout);
  double needed;
  part.th = plan->th;
  const char *why = tor_plan_window(job, plan, &part, &needed);
  if (layout->ranks[1] > 1) why = "windows need all ranks along x: schedule.ranks";
  if (tor_message_lowest(why != NULL) < 0) return 0;
  if (why && job->schedule.device == TOR_DEVICE_GPU)
    tor_fault(
        faults,
        "%s: schedule.device_memory: rank %d's part of the domain needs %.3f GB, of GPU %d it may use %.3f GB; %s "
        "(TH %d needs about %.3f GB)",
        job->path, tor_message_rank(), tor_plan_part_bytes(plan, &part) * 1e-9, plan->gpu, part.bytes * 1e-9, why,
        plan->th, needed * 1e-9);
  return -1;
}

void tor_rank_gpu_log(const struct tor_plan *plan) {
  const int ranks = tor_message_neighbours(), count = plan->gpu >= 0 ? tor_device_count() : 0;
  const int crowded = tor_message_lowest(count > 0 && ranks > count);
  if (plan->gpu < 0) return;
  tor_log("a GPU for each rank, by its number among the ranks of its machine");
  if (crowded >= 0)
    tor_log_warning(
        "a machine has more ranks than GPUs: they share them, which is slower than a rank on each; start %d there",
        count);
}
