/* The results of a run from all ranks: see run_results.h. */
#include "src/run/run_results.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/exchange.h"
#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/core/slab.h"
#include "io/files/folder.h"
#include "io/files/log.h"
#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/disk/paged.h"
#include "src/job/job.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/results/leftover.h"
#include "src/results/results.h"
#include "src/results/results_file.h"
#include "src/results/results_folder.h"
#include "src/results/snapshot.h"
#include "src/run/run_control.h"
#include "src/schedule/disk_plan.h"
#include "src/simulation/checkpoint.h"
#include "src/simulation/simulation.h"

/* Collects the samples of all ranks' monitors on rank 0. */
static void collect(struct tor_exchange *exchange, const struct tor_monitors *monitors, tor_gidx steps) {
  int *samples = tor_alloc((size_t)monitors->ngroup + 1, sizeof *samples, "monitors");
  tor_monitors_samples(monitors, steps, samples);
  tor_exchange_settle(exchange);
  tor_reduce_monitors(exchange, samples);
  free(samples);
}

/* Writes the results of a finished run, and removes what is no longer needed. */
static void write_results(struct tor_results *results, struct tor_checkpoints *checkpoints) {
  const struct tor_job *job = results->job;
  const struct tor_snapshots *snapshots = results->snapshots;
  char why[1024];
  if (!tor_results_folder_is_ours(job)) {
    results->failed++;
    return;
  }
  if (tor_folder_make(job->output, why, sizeof why)) tor_log_warning("%s", why);
  double start = omp_get_wtime();
  results->failed += tor_results_write(results);
  results->output_seconds += omp_get_wtime() - start;
  results->failed += tor_results_write_run(results);
  if (!results->failed) tor_results_folder_sweep(job);
  /* Lost snapshots would not be written again by a restart from a checkpoint after them. */
  const int there = checkpoints->good >= 0,
            can_continue =
                results->failed && there && (!snapshots->failed || tor_checkpoint_before(checkpoints, snapshots->lost));
  if (results->failed)
    tor_log_warning(
        "%d file%s of the results could not be written; %s", results->failed, results->failed == 1 ? "" : "s",
        can_continue                    ? "the last checkpoint is kept: --restart continues from there"
        : job->checkpoint.keep && there ? "the last checkpoint is too late for them: --overwrite runs the job again"
                                        : "--restart runs the job again");
  if (!can_continue && !job->checkpoint.keep && tor_checkpoint_remove(checkpoints))
    tor_log_warning("%s could not be removed: %s", checkpoints->dir, strerror(errno));
}

int tor_run_write_results(const struct tor_run_end *end, struct tor_exchange *exchange) {
  const struct tor_run_control *control = end->control;
  const struct tor_simulation *sim = end->sim;
  if (!end->stopped) collect(exchange, sim->model->monitors, sim->step);
  struct tor_rank_times *times = tor_reduce_times(exchange);
  const struct tor_disk *disk = sim->model->slab.disk;
  size_t ntimeline = 0;
  struct tor_phase_time *timeline = end->timeline && !end->stopped ? tor_reduce_timeline(exchange, &ntimeline) : NULL;
  struct tor_results results = {.job = control->job,
                                .plan = end->plan,
                                .sim = sim,
                                .checkpoints = end->checkpoints,
                                .snapshots = end->snapshots,
                                .first = end->first,
                                .seconds = end->seconds,
                                .ranks = times,
                                .disk = disk ? tor_disk_plan_traffic(disk) : (struct tor_paged_traffic){0},
                                .timeline = timeline,
                                .ntimeline = ntimeline,
                                .instability = control->instability,
                                .unstable_at = control->cell,
                                .left = {.error = -1, .factor = 1},
                                .failed = end->snapshots->failed};
  if (!tor_message_rank() && !control->instability) {
    results.left = tor_leftover_find(sim, control->energy);
    tor_leftover_warn(&results.left, sim, control->rate);
  }
  results.files = open_memstream(&results.names, &results.size);
  if (!results.files) TOR_DIE("no memory for the names of the results");
  if (tor_message_rank())
    tor_h5_follow(NULL, NULL);
  else if (end->stopped)
    results.failed += tor_results_write_run(&results);
  else
    write_results(&results, end->checkpoints);
  if (!tor_message_rank()) tor_h5_dismiss();
  int status = results.failed || end->stopped || control->instability ? TOR_EXIT_FAILURE
               : results.left.unconverged                             ? TOR_EXIT_UNCONVERGED
                                                                      : TOR_EXIT_OK;
  fclose(results.files);
  free(results.names);
  tor_message_bcast(&status, sizeof status);
  free(times);
  free(timeline);
  return status;
}
