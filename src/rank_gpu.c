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
  plan->gpu = tor_message_neighbour() % count;
  plan->setup.dts = tor_device_dts(job->order, job->precision);
}

int tor_rank_gpu_fits(const struct tor_job *job, const struct tor_plan *plan, const struct tor_layout *layout,
                      struct tor_faults *faults) {
  const struct tor_column_block held =
      tor_layout_share(layout, tor_message_rank() / layout->ranks[1], tor_message_rank() % layout->ranks[1]).held;
  const int count = tor_device_count(), sharers = (tor_message_neighbours() + count - 1) / count;
  const double part = (double)(held.x1 - held.x0) / (plan->size.grid.n[0] + 1.0) * (held.y1 - held.y0) / (plan->size.grid.n[1] + 1.0);
  const double monitors = plan->size.memory.monitors;
  const double needed = monitors + (plan->size.memory.total - monitors) * part;
  double bytes = 0.95 * tor_device_memory(plan->gpu) / sharers;
  if (job->schedule.device_memory > 0 && job->schedule.device_memory < bytes) bytes = job->schedule.device_memory;
  if (tor_message_lowest(needed > bytes) < 0) return 0;
  if (needed > bytes && job->schedule.device == TOR_DEVICE_GPU)
    tor_fault(faults,
              "%s: schedule.device_memory: rank %d's part of the domain needs %.3f GB, of GPU %d it may use %.3f GB: "
              "start more ranks, on more GPUs",
              job->path, tor_message_rank(), needed * 1e-9, plan->gpu, bytes * 1e-9);
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
