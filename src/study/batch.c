/* Runs of a batch: see batch.h. */
#include "src/study/batch.h"

#include <stdio.h>
#include <stdlib.h>

#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/types.h"
#include "src/run/run.h"
#include "src/study/batch_parts.h"
#include "src/study/study_parts.h"

/* Everything that would be refused, before anything is run. Rank 0. */
static void check_all(const struct tor_batch *batch, struct tor_faults *faults) {
  char why[4096];
  if (tor_message_rank()) return;
  for (int i = 0; i < batch->nruns; i++)
    tor_study_check_run(&batch->run[i].job, batch->run[i].label, batch->options->run.overwrite, 0, faults);
  if (batch->folder && !faults->count && tor_folder_make(batch->folder, why, sizeof why)) tor_fault(faults, "%s", why);
}

/* Ranks with other numbers of runs would wait for each other forever. Collective. */
static void agree_on_number(const struct tor_batch *batch, struct tor_faults *faults) {
  int first = batch->nruns;
  tor_message_bcast(&first, sizeof first);
  if (first != batch->nruns)
    tor_fault(faults, "rank %d has %d runs, rank 0 %d: need the same job files and options on all nodes",
              tor_message_rank(), batch->nruns, first);
}

/* One run; the exit status. A fault that it meets is a failure: those that could be foreseen were looked for before.
 * Collective. */
static int run_one(struct tor_batch *batch, int i) {
  struct tor_batch_run *run = &batch->run[i];
  struct tor_run_options options = batch->options->run;
  struct tor_faults faults = {0};
  options.restart = !options.overwrite;
  if (!tor_message_rank()) {
    tor_text_print(stdout, "%s (%d of %d): %s\n", run->label, i + 1, batch->nruns, run->job.output);
    fflush(stdout);
  }
  const int status = tor_run(&run->job, &options, &faults);
  tor_safe_root(NULL);
  if (faults.count) tor_faults_print(&faults, stderr);
  tor_faults_free(&faults);
  run->state = status == TOR_EXIT_OK            ? TOR_BATCH_DONE
               : status == TOR_EXIT_UNCONVERGED ? TOR_BATCH_UNCONVERGED
               : status == TOR_EXIT_AGAIN       ? TOR_BATCH_STOPPED
                                                : TOR_BATCH_FAILED;
  if (run->state == TOR_BATCH_FAILED && !tor_message_rank())
    tor_text_print(stderr, "torre: the run of %s failed; the others follow\n", run->label);
  return status;
}

/* Collective; the exit status of all. */
static int run_all(struct tor_batch *batch) {
  int all = TOR_EXIT_OK;
  for (int i = 0; i < batch->nruns && all != TOR_EXIT_AGAIN; i++) {
    const int status = run_one(batch, i);
    if (status == TOR_EXIT_AGAIN)
      all = status;
    else if (status != TOR_EXIT_OK && all != TOR_EXIT_FAILURE)
      all = status == TOR_EXIT_UNCONVERGED ? status : TOR_EXIT_FAILURE;
  }
  return all;
}

int tor_batch(const struct tor_batch_options *options, struct tor_faults *faults) {
  struct tor_batch batch = {.options = options};
  int status = TOR_EXIT_USER;
  tor_batch_make(&batch, faults);
  if (!tor_reduce_faults(faults)) agree_on_number(&batch, faults);
  if (!tor_reduce_faults(faults)) check_all(&batch, faults);
  if (!tor_reduce_faults(faults)) {
    status = run_all(&batch);
    if (!tor_message_rank() && tor_batch_report(&batch) && status != TOR_EXIT_AGAIN) status = TOR_EXIT_FAILURE;
  }
  tor_batch_free(&batch);
  return status;
}
