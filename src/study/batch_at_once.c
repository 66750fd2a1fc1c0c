/* How many runs of a batch go side by side: see batch_parts.h. */
#include <omp.h>

#include "comm/transport/message.h"
#include "diamond/gpu/device.h"
#include "src/base/error.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/simulation/packing.h"
#include "src/study/batch_parts.h"

enum {
  SMALL = 2000000,  /* cells of a run that leaves most of a GPU idle */
  PACKED = 8000000, /* of one that shares the GPU's blocks with others (batch_packing.c) */
  USUAL = 16        /* more runs at a time gain little: their set-up and results come one after another */
};

/* Why a run cannot share the process; NULL: it can. */
static const char *hinders(const struct tor_job *job) {
  if (job->schedule.devices > 1) return "it uses several devices";
  if (job->schedule.disk && *job->schedule.disk) return "its columns lie on disk";
  return NULL;
}

static double cells(const struct tor_job *job) {
  struct tor_grid grid;
  tor_grid_make(job, &grid);
  return (double)grid.n[0] * grid.n[1] * grid.n[2];
}

/* One by one where anything speaks against more. */
static int usual(const struct tor_batch *batch) {
  if (tor_message_ranks() > 1 || batch->options->run.progress_json) return 1;
  for (int i = 0; i < batch->nruns; i++) {
    const struct tor_job *job = &batch->run[i].job;
    if (hinders(job) || job->schedule.device == TOR_DEVICE_CPU) return 1;
    if (cells(job) > (tor_batch_packs(job) ? PACKED : SMALL)) return 1;
  }
  if (!tor_device_count()) return 1;
  return omp_get_max_threads() < USUAL ? omp_get_max_threads() : USUAL;
}

static void check(const struct tor_batch *batch, int at_once, struct tor_faults *faults) {
  if (tor_message_ranks() > 1)
    tor_fault(faults, "--jobs %d: runs go side by side in one process; need --jobs 1 with several ranks", at_once);
  if (batch->options->run.progress_json)
    tor_fault(faults, "--jobs %d: the lines of --progress=json do not name their run; need --jobs 1", at_once);
  for (int i = 0; i < batch->nruns; i++) {
    const char *why = hinders(&batch->run[i].job);
    if (why) tor_fault(faults, "--jobs %d: %s: %s; need --jobs 1", at_once, batch->run[i].label, why);
  }
}

/* What the job leaves open, for one of so many runs at a time. */
static void share_machine(struct tor_job *job, int at_once) {
  struct tor_schedule *schedule = &job->schedule;
  const int threads = omp_get_max_threads() / at_once;
  if (!schedule->threads) schedule->threads = threads > 1 ? threads : 1;
  const int gpu = schedule->device != TOR_DEVICE_CPU && tor_device_count();
  if (gpu && !job->plane && schedule->engine == TOR_ENGINE_AUTO && cells(job) <= TOR_STEPWISE_CELLS)
    schedule->engine = TOR_ENGINE_STEPWISE;
}

int tor_batch_at_once(struct tor_batch *batch, struct tor_faults *faults) {
  int at_once = batch->options->at_once;
  if (at_once > 1) check(batch, at_once, faults);
  if (!at_once) at_once = usual(batch);
  if (at_once > batch->nruns) at_once = batch->nruns;
  if (at_once > 1)
    for (int i = 0; i < batch->nruns; i++) share_machine(&batch->run[i].job, at_once);
  return at_once;
}
