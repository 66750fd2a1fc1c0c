/* Run control between stages: see run_control.h. */
#include "src/run/run_control.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

#include "comm/exchange/exchange.h"
#include "comm/transport/message.h"
#include "diamond/core/slab.h"
#include "io/files/log.h"
#include "src/results/results_folder.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/results/snapshot.h"
#include "src/run/interrupt.h"
#include "src/run/settling.h"
#include "src/simulation/checkpoint.h"
#include "src/simulation/simulation.h"
#include "src/simulation/stability.h"

void tor_run_control_begin(struct tor_run_control *w, const struct tor_job *job, struct tor_checkpoints *checkpoints,
                           struct tor_snapshots *snapshots, struct tor_simulation *sim) {
  *w = (struct tor_run_control){.job = job, .checkpoints = checkpoints, .snapshots = snapshots, .first = sim->step};
  w->last = w->before = omp_get_wtime();
  w->tried = -1;
  /* Along x a rank runs up to one stage ahead of its left neighbour. */
  if (sim->exchange && sim->exchange->layout->ranks[0] > 1) w->lag = sim->exchange->layout->ranks[0];
  w->gather = tor_alloc((size_t)w->lag + 1, sizeof *w->gather, "watch");
  for (int i = 0; i <= w->lag; i++) w->gather[i].number = -1;
  tor_stability_init(&w->stability, sim);
}

void tor_run_control_end(struct tor_run_control *w) {
  for (int i = 1; i <= w->lag + 1; i++) tor_gather_free(&w->gather[(w->rounds + i) % (w->lag + 1)].gather);
  free(w->gather);
  tor_stability_free(&w->stability);
}

tor_gidx tor_run_control_until(const struct tor_run_control *w, const struct tor_simulation *sim) {
  tor_gidx steps = w->job->checkpoint.steps, until = sim->model->steps;
  if (steps && (sim->step / steps + 1) * steps < until) until = (sim->step / steps + 1) * steps;
  if (w->due || w->interrupted) until = sim->step + 1;
  return tor_snapshots_until(w->snapshots, sim->step, tor_settling_until(sim, until));
}

/* Estimated seconds of a checkpoint; for the first one from its size at 200 MB/s, which the machine's ranks share. */
static double cost(const struct tor_run_control *w, const struct tor_simulation *sim) {
  if (w->checkpoints->written) return 2 * w->checkpoints->longest;
  const struct tor_slab *slab = &sim->model->slab;
  double values = (double)tor_slab_columns(slab) * tor_plane_comps(slab->plane) * slab->nzp + (double)slab->nstate;
  return 1 + values * slab->precision * tor_message_neighbours() / 200e6;
}

/* Finds the cell, and logs it. */
static void report(struct tor_run_control *w, struct tor_simulation *sim, enum tor_instability instability) {
  tor_simulation_fetch(sim);
  w->cell = tor_stability_search(sim);
  w->instability = instability;
  tor_stability_report(instability, &w->cell, sim);
}

static int is_stable(struct tor_run_control *w, struct tor_simulation *sim) {
  tor_simulation_fetch(sim);
  if (!tor_stability_search(sim).bad) return 1;
  report(w, sim, TOR_UNSTABLE_ENERGY);
  return 0;
}

enum saved { SAVED, NOT_WRITTEN, UNSTABLE };

/* An unstable state is not written, so that it cannot replace a stable one. */
static enum saved save(struct tor_run_control *w, struct tor_simulation *sim) {
  struct tor_checkpoints *cp = w->checkpoints;
  char why[1024];
  if (!tor_message_rank()) tor_results_folder_is_ours(w->job); /* where it is not, the checkpoint cannot be begun */
  tor_snapshots_settle(w->snapshots, sim, 1);                  /* a restart will not write them again */
  double start = omp_get_wtime();
  w->tried = w->rounds - 1;
  if (!is_stable(w, sim)) return UNSTABLE;
  cp->lost = w->snapshots->failed;
  cp->lost_step = w->snapshots->lost;
  int failed = tor_checkpoint_write(cp, sim, why, sizeof why);
  double seconds = omp_get_wtime() - start;
  w->last = w->before = start + seconds;
  cp->seconds += seconds;
  cp->longest = fmax(cp->longest, seconds);
  if (failed) {
    cp->failed++;
    tor_log_warning("the checkpoint of step %lld could not be written: %s", (long long)sim->step, why);
    return NOT_WRITTEN;
  }
  cp->written++;
  tor_log("checkpoint of step %lld: %.3f MB in %.2f s", (long long)sim->step, cp->bytes * 1e-6, seconds);
  return SAVED;
}

/* Saves the final state: if the disk is full, an older generation is removed for it. */
static enum saved save_last(struct tor_run_control *w, struct tor_simulation *sim) {
  enum saved saved = save(w, sim);
  if (saved == NOT_WRITTEN && tor_checkpoint_free_space(w->checkpoints)) saved = save(w, sim);
  return saved;
}

static enum tor_run_verdict leave(struct tor_run_control *w, struct tor_simulation *sim, enum tor_interrupt cause) {
  const char *reason = tor_interrupt_text(cause);
  tor_gidx good = w->checkpoints->good;
  if (cause == TOR_INTERRUPT_LOST) {
    tor_log_warning("stopped by %s at step %lld; its last checkpoint is that of step %lld", reason,
                    (long long)sim->step, good >= 0 ? (long long)good : 0LL);
    return TOR_RUN_FAILED;
  }
  if (sim->step != good && sim->step > 0 && save_last(w, sim) != SAVED) {
    tor_log_warning("stopped by %s without saving step %lld; --restart would continue from step %lld", reason,
                    (long long)sim->step, good >= 0 ? (long long)good : 0LL);
    return TOR_RUN_FAILED;
  }
  if (sim->step > 0)
    tor_log("stopped by %s at step %lld; the same command with --restart continues", reason, (long long)sim->step);
  else
    tor_log("stopped by %s before the first step; the same command with --restart begins", reason);
  return TOR_RUN_AGAIN;
}

/* Saves the end of the run, from which a run to a later time may continue. */
static enum tor_run_verdict keep_end(struct tor_run_control *w, struct tor_simulation *sim) {
  if (!w->job->checkpoint.keep || sim->step == w->checkpoints->good) return TOR_RUN_CONTINUES;
  return save_last(w, sim) == UNSTABLE ? TOR_RUN_FAILED : TOR_RUN_CONTINUES;
}

/* --- Status records of all ranks ---------------------------------------------------------------- */

struct decision {
  enum tor_instability instability;
  int due;
  enum tor_interrupt interrupted;
};

static void send_status(struct tor_run_control *w, const struct tor_simulation *sim, double now) {
  struct tor_run_control_gather *gather = &w->gather[w->rounds % (w->lag + 1)];
  const double minutes = w->job->checkpoint.minutes;
  /* However short the limit, each process does one stage, so that a chain of restarts always reaches the end. */
  const double reserve = sim->step > w->first ? (1.5 + w->lag) * w->stage + cost(w, sim) : -HUGE_VAL;
  const struct tor_run_status status = {
      .energy = sim->watch_energy,
      .interrupted = tor_results_folder_is_lost() ? TOR_INTERRUPT_LOST : (int32_t)tor_interrupt_wanted(reserve),
      .due = minutes > 0 && now - w->last >= 60 * minutes};
  tor_gather_start(&gather->gather, &status, sizeof status);
  gather->number = w->rounds;
  gather->step = sim->watch_step;
}

/* Waits for the status records of round `number` and adds them to the decision; does nothing when there was no such
 * round. */
static void receive_status(struct tor_run_control *w, const struct tor_simulation *sim, int number,
                           struct decision *decision) {
  if (number < 0) return;
  struct tor_run_control_gather *gather = &w->gather[number % (w->lag + 1)];
  if (gather->number != number) return;
  const struct tor_run_status *all = tor_gather_wait(&gather->gather);
  double energy = 0;
  for (int r = 0; r < tor_message_ranks(); r++) {
    energy += all[r].energy;
    if (all[r].interrupted > (int)decision->interrupted) decision->interrupted = (enum tor_interrupt)all[r].interrupted;
  }
  gather->number = -1;
  decision->due |= all[0].due && number > w->tried;
  const enum tor_instability found = tor_stability_check(&w->stability, gather->step, energy, sim->model->grid.dt);
  w->energy = energy;
  if (!decision->instability) decision->instability = found;
}

static struct decision exchange_status(struct tor_run_control *w, const struct tor_simulation *sim, double now) {
  struct decision decision = {TOR_STABLE, 0, TOR_INTERRUPT_NONE};
  send_status(w, sim, now);
  /* At the end of the run receive all pending rounds; before that, send this rank's last columns, without which other
   * ranks cannot finish. */
  const int done = tor_simulation_done(sim), last = done ? w->rounds : w->rounds - w->lag;
  if (done && sim->exchange) tor_exchange_settle(sim->exchange);
  for (int number = w->rounds - w->lag; number <= last; number++) receive_status(w, sim, number, &decision);
  w->rounds++;
  return decision;
}

/* With GPUs some own columns may be newer than the end of a stage: the decision waits for a stage after which all own
 * columns are at one step, which tor_run_control_until arranges. */
static void postpone(struct tor_run_control *w, const struct tor_simulation *sim, struct decision *decision) {
  w->due |= decision->due;
  if ((int)decision->interrupted > w->interrupted) w->interrupted = (int)decision->interrupted;
  decision->due = 0;
  decision->interrupted = TOR_INTERRUPT_NONE;
  if (sim->exchange && sim->exchange->ahead) return;
  decision->due = w->due;
  decision->interrupted = (enum tor_interrupt)w->interrupted;
  w->due = w->interrupted = 0;
}

static int is_due(const struct tor_run_control *w, const struct tor_simulation *sim, const struct decision *decision) {
  const struct tor_saving *saving = &w->job->checkpoint;
  if (sim->step == w->first || sim->step == w->checkpoints->good) return 0;
  return decision->due || (saving->steps && sim->step % saving->steps == 0);
}

enum tor_run_verdict tor_run_control_stage(struct tor_run_control *w, struct tor_simulation *sim) {
  double now = omp_get_wtime();
  if (sim->step > w->first) w->stage = fmax(w->stage, now - w->before);
  struct decision decision = exchange_status(w, sim, now);
  postpone(w, sim, &decision);
  if (decision.instability) {
    report(w, sim, decision.instability);
    return TOR_RUN_FAILED;
  }
  tor_snapshots_settle(w->snapshots, sim, 0);
  /* Snapshots due at the step where this process began were written by the previous process. */
  if (sim->step > w->first) tor_snapshots_take(w->snapshots, sim);
  w->before = omp_get_wtime();
  if (tor_simulation_done(sim)) {
    w->rate = tor_stability_rate(&w->stability, sim->model->grid.dt);
    if (tor_stability_end(&w->stability))
      report(w, sim, TOR_UNSTABLE_RISING);
    else
      tor_stability_warn(&w->stability, sim);
    return w->instability ? TOR_RUN_CONTINUES : keep_end(w, sim);
  }
  if (decision.interrupted) return leave(w, sim, decision.interrupted);
  /* A full disk may have space at the next checkpoint: only an unstable state ends the run here. */
  return is_due(w, sim, &decision) && save(w, sim) == UNSTABLE ? TOR_RUN_FAILED : TOR_RUN_CONTINUES;
}

int tor_run_control_asked_late(void) {
  const enum tor_interrupt own = tor_interrupt_wanted(-HUGE_VAL);
  if (tor_message_lowest(own != TOR_INTERRUPT_NONE) < 0) return 0;
  tor_log("%s came when all steps were done: the results are complete, --restart has nothing left to do",
          own ? tor_interrupt_text(own) : "a signal to another rank");
  return 1;
}

int tor_run_control_asked_early(int overwrite) {
  const enum tor_interrupt own = tor_interrupt_wanted(-HUGE_VAL);
  if (tor_message_lowest(own != TOR_INTERRUPT_NONE) < 0) return 0;
  tor_log("stopped by %s before the first step; the same command%s begins",
          own ? tor_interrupt_text(own) : "a signal to another rank", overwrite ? "" : " with --restart");
  return 1;
}
