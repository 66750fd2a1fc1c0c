/* What is looked after between the stages of a run: see run_control.h. */
#include "src/run/run_control.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

#include "comm/exchange/exchange.h"
#include "comm/transport/message.h"
#include "diamond/core/slab.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/results/snapshot.h"
#include "src/run/interrupt.h"
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
  for (int i = 1; i <= w->lag + 1; i++) tor_gather_free(&w->gather[(w->looks + i) % (w->lag + 1)].gather);
  free(w->gather);
}

tor_gidx tor_run_control_until(const struct tor_run_control *w, const struct tor_simulation *sim) {
  tor_gidx steps = w->job->checkpoint.steps, until = sim->model->steps;
  if (steps && (sim->step / steps + 1) * steps < until) until = (sim->step / steps + 1) * steps;
  if (w->due || w->interrupted) until = sim->step + 1;
  return tor_snapshots_until(w->snapshots, sim->step, until);
}

/* Seconds that a checkpoint will take; the first one is guessed from its size at 200 MB/s, which the machine's ranks
 * share. */
static double cost(const struct tor_run_control *w, const struct tor_simulation *sim) {
  if (w->checkpoints->written) return 2 * w->checkpoints->longest;
  const struct tor_slab *slab = &sim->model->slab;
  double values = (double)tor_slab_columns(slab) * TOR_NCOMP * slab->nzp + (double)slab->nstate;
  return 1 + values * slab->precision * tor_message_neighbours() / 200e6;
}

static int is_stable(struct tor_simulation *sim) {
  tor_simulation_fetch(sim);
  struct tor_stability_cell cell = tor_stability_search(sim);
  if (!cell.bad) return 1;
  tor_stability_report(&cell, sim);
  return 0;
}

enum saved { SAVED, NOT_WRITTEN, UNSTABLE };

/* A state that is not stable replaces none that is. */
static enum saved save(struct tor_run_control *w, struct tor_simulation *sim) {
  struct tor_checkpoints *cp = w->checkpoints;
  char why[1024];
  tor_snapshots_settle(w->snapshots, sim, 1); /* a restart will not write them again */
  double start = omp_get_wtime();
  w->tried = w->looks - 1;
  if (!is_stable(sim)) return UNSTABLE;
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

/* This state is the last that will be saved: an older generation goes rather than it. */
static enum saved save_last(struct tor_run_control *w, struct tor_simulation *sim) {
  enum saved saved = save(w, sim);
  if (saved == NOT_WRITTEN && tor_checkpoint_free_space(w->checkpoints)) saved = save(w, sim);
  return saved;
}

static enum tor_run_verdict leave(struct tor_run_control *w, struct tor_simulation *sim, const char *reason) {
  tor_gidx good = w->checkpoints->good;
  if (sim->step != good && sim->step > 0 && save_last(w, sim) != SAVED) {
    tor_log_warning("stopped by %s without saving step %lld; --restart would go on from step %lld", reason,
                    (long long)sim->step, good >= 0 ? (long long)good : 0LL);
    return TOR_RUN_FAILED;
  }
  tor_log("stopped by %s at step %lld; the same command with --restart goes on", reason, (long long)sim->step);
  return TOR_RUN_AGAIN;
}

/* A run to a later time may go on from the end of this one. */
static enum tor_run_verdict keep_end(struct tor_run_control *w, struct tor_simulation *sim) {
  if (!w->job->checkpoint.keep || sim->step == w->checkpoints->good) return TOR_RUN_CONTINUES;
  return save_last(w, sim) == UNSTABLE ? TOR_RUN_FAILED : TOR_RUN_CONTINUES;
}

/* --- What all ranks have said ------------------------------------------------------------------ */

struct heard {
  int unstable, due;
  enum tor_interrupt interrupted;
};

static void say(struct tor_run_control *w, const struct tor_simulation *sim, double now) {
  struct tor_run_control_gather *gather = &w->gather[w->looks % (w->lag + 1)];
  const double minutes = w->job->checkpoint.minutes;
  /* However short the limit, each process does a stage: a chain of them comes to the end. */
  const double reserve = sim->step > w->first ? (1.5 + w->lag) * w->stage + cost(w, sim) : -HUGE_VAL;
  const struct tor_run_status word = {.energy = sim->watch_energy,
                                      .interrupted = (int32_t)tor_interrupt_wanted(reserve),
                                      .due = minutes > 0 && now - w->last >= 60 * minutes};
  tor_gather_start(&gather->gather, &word, sizeof word);
  gather->number = w->looks;
  gather->step = sim->watch_step;
}

/* Adds the words of look `number`; nothing when there was none. */
static void hear(struct tor_run_control *w, const struct tor_simulation *sim, int number, struct heard *heard) {
  if (number < 0) return;
  struct tor_run_control_gather *gather = &w->gather[number % (w->lag + 1)];
  if (gather->number != number) return;
  const struct tor_run_status *all = tor_gather_wait(&gather->gather);
  double energy = 0;
  for (int r = 0; r < tor_message_ranks(); r++) {
    energy += all[r].energy;
    if (all[r].interrupted > (int)heard->interrupted) heard->interrupted = (enum tor_interrupt)all[r].interrupted;
  }
  gather->number = -1;
  heard->due |= all[0].due && number > w->tried;
  heard->unstable |= tor_stability_energy_is_bad(&w->stability, gather->step, energy, sim->model->grid.dt);
}

static struct heard look(struct tor_run_control *w, const struct tor_simulation *sim, double now) {
  struct heard heard = {0, 0, TOR_INTERRUPT_NONE};
  say(w, sim, now);
  /* At the end all that is on its way: once this rank's last columns are, without which others do not come to their
   * end. */
  const int done = tor_simulation_done(sim), last = done ? w->looks : w->looks - w->lag;
  if (done && sim->exchange) tor_exchange_settle(sim->exchange);
  for (int number = w->looks - w->lag; number <= last; number++) hear(w, sim, number, &heard);
  w->looks++;
  return heard;
}

/* With GPUs some own columns may be newer than the end of a stage: what was heard waits for one that
 * tor_run_control_until ends for all. */
static void postpone(struct tor_run_control *w, const struct tor_simulation *sim, struct heard *heard) {
  w->due |= heard->due;
  if ((int)heard->interrupted > w->interrupted) w->interrupted = (int)heard->interrupted;
  heard->due = 0;
  heard->interrupted = TOR_INTERRUPT_NONE;
  if (sim->exchange && sim->exchange->ahead) return;
  heard->due = w->due;
  heard->interrupted = (enum tor_interrupt)w->interrupted;
  w->due = w->interrupted = 0;
}

static int is_due(const struct tor_run_control *w, const struct tor_simulation *sim, const struct heard *heard) {
  const struct tor_saving *saving = &w->job->checkpoint;
  if (sim->step == w->first || sim->step == w->checkpoints->good) return 0;
  return heard->due || (saving->steps && sim->step % saving->steps == 0);
}

enum tor_run_verdict tor_run_control_stage(struct tor_run_control *w, struct tor_simulation *sim) {
  double now = omp_get_wtime();
  if (sim->step > w->first) w->stage = fmax(w->stage, now - w->before);
  struct heard heard = look(w, sim, now);
  postpone(w, sim, &heard);
  if (heard.unstable) {
    tor_simulation_fetch(sim);
    struct tor_stability_cell cell = tor_stability_search(sim);
    tor_stability_report(&cell, sim);
    return TOR_RUN_FAILED;
  }
  tor_snapshots_settle(w->snapshots, sim, 0);
  /* What was due where this process began was written by the one before. */
  if (sim->step > w->first) tor_snapshots_take(w->snapshots, sim);
  w->before = omp_get_wtime();
  if (tor_simulation_done(sim)) return keep_end(w, sim);
  if (heard.interrupted) return leave(w, sim, tor_interrupt_words(heard.interrupted));
  /* A disk that is full now may not be next time: only an unstable state ends the run here. */
  return is_due(w, sim, &heard) && save(w, sim) == UNSTABLE ? TOR_RUN_FAILED : TOR_RUN_CONTINUES;
}
