/* Runs of a batch: see batch.h. */
#include "src/study/batch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/gpu/device.h"
#include "io/files/folder.h"
#include "io/files/log.h"
#include "io/files/safe_open.h"
#include "src/base/concurrent.h"
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

static enum tor_batch_state state_of(int status) {
  return status == TOR_EXIT_OK            ? TOR_BATCH_DONE
         : status == TOR_EXIT_UNCONVERGED ? TOR_BATCH_UNCONVERGED
         : status == TOR_EXIT_AGAIN       ? TOR_BATCH_STOPPED
                                          : TOR_BATCH_FAILED;
}

/* The exit status of runs with these two. */
static int worse(int a, int b) {
  static const int order[] = {TOR_EXIT_AGAIN, TOR_EXIT_FAILURE, TOR_EXIT_UNCONVERGED, TOR_EXIT_OK};
  for (int i = 0; i < 4; i++)
    if (a == order[i] || b == order[i]) return order[i];
  return TOR_EXIT_FAILURE;
}

/* One run; the exit status. A fault that it meets is a failure: those that could be foreseen were looked for before.
 * Collective. */
static int run_one(struct tor_batch *batch, int i) {
  struct tor_batch_run *run = &batch->run[i];
  struct tor_run_options options = batch->options->run;
  struct tor_faults faults = {0};
  options.restart = !options.overwrite;
  options.packing = run->packing;
  options.member = run->member;
  if (tor_concurrent_number()) {
    options.quiet = 1;
    tor_log_label(run->label);
  }
  if (!tor_message_rank()) {
    tor_text_print(stdout, "%s (%d of %d): %s\n", run->label, i + 1, batch->nruns, run->job.output);
    fflush(stdout);
  }
  const int status = tor_run(&run->job, &options, &faults);
  tor_batch_leave(batch, i, i + 1);
  tor_safe_root(NULL);
  tor_log_label(NULL);
  if (faults.count) tor_faults_print(&faults, stderr);
  tor_faults_free(&faults);
  run->state = state_of(status);
  if (run->state == TOR_BATCH_FAILED && !tor_message_rank())
    tor_text_print(stderr, "torre: the run of %s failed; the others follow\n", run->label);
  return run->state == TOR_BATCH_FAILED ? TOR_EXIT_FAILURE : status;
}

/* Threads that run a batch, each the next run that none has begun. */
struct crew {
  struct tor_batch *batch;
  atomic_int begun; /* threads */
  int next, status; /* of who has the turn: the next run, the status of all so far */
};

static void *work(void *self) {
  struct crew *crew = self;
  tor_concurrent_begin(1 + crew->begun++);
  while (crew->next < crew->batch->nruns && crew->status != TOR_EXIT_AGAIN) {
    const int i = crew->next++;
    const int status = run_one(crew->batch, i);
    crew->status = worse(crew->status, status);
  }
  tor_batch_leave(crew->batch, crew->next, crew->batch->nruns);
  tor_concurrent_end();
  return NULL;
}

/* The exit status of all. */
static int run_side_by_side(struct tor_batch *batch, int at_once) {
  struct crew crew = {.batch = batch, .status = TOR_EXIT_OK};
  pthread_t thread[TOR_CONCURRENT_MOST];
  int members = 0;
  while (members < at_once && !pthread_create(&thread[members], NULL, work, &crew)) members++;
  if (members < at_once) TOR_DIE("no thread could be started for run %d of a batch of %d", members + 1, at_once);
  for (int i = 0; i < members; i++) pthread_join(thread[i], NULL);
  return crew.status;
}

/* Collective; the exit status of all. */
static int run_all(struct tor_batch *batch, int at_once) {
  int all = TOR_EXIT_OK;
  if (at_once > 1) return run_side_by_side(batch, at_once);
  for (int i = 0; i < batch->nruns && all != TOR_EXIT_AGAIN; i++) all = worse(all, run_one(batch, i));
  return all;
}

int tor_batch_go(struct tor_batch *batch, struct tor_faults *faults) {
  const int at_once = tor_batch_at_once(batch, faults);
  if (tor_reduce_faults(faults)) return TOR_EXIT_USER;
  if (at_once > 1) tor_batch_pack(batch, at_once);
  return run_all(batch, at_once);
}

int tor_batch(const struct tor_batch_options *options, struct tor_faults *faults) {
  struct tor_batch batch = {.options = options};
  int status = TOR_EXIT_USER;
  if (options->at_once != 1) tor_device_side_by_side();
  tor_batch_make(&batch, faults);
  if (!tor_reduce_faults(faults)) agree_on_number(&batch, faults);
  if (!tor_reduce_faults(faults)) check_all(&batch, faults);
  if (!tor_reduce_faults(faults)) status = tor_batch_go(&batch, faults);
  if (status != TOR_EXIT_USER && !tor_message_rank() && tor_batch_report(&batch) && status != TOR_EXIT_AGAIN)
    status = TOR_EXIT_FAILURE;
  tor_batch_free(&batch);
  return status;
}
