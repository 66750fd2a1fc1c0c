/* What is looked after between the stages of a run: stability, snapshots, checkpoints, signals and the wall-clock
 * limit.
 *
 * Ranks decide alike and at the same step without waiting for each other: each says a few words at a stage's end and
 * hears those of all `lag` stages later, when the pipeline along x has brought them anyway. They wait for each other
 * only where a checkpoint or a snapshot is written. Collective, all of it. */
#ifndef TOR_SRC_RUN_RUN_CONTROL_H
#define TOR_SRC_RUN_RUN_CONTROL_H

#include "src/simulation/checkpoint.h"
#include "src/simulation/stability.h"
#include "src/results/snapshot.h"

/* What each rank says to all at a stage's end. */
struct tor_watch_word {
  double energy;       /* [J] of its own columns at the last energy step */
  int32_t interrupted; /* enum tor_interrupt */
  int32_t due;         /* rank 0: the minutes between checkpoints have gone by */
};

/* Words on their way. */
struct tor_watch_round {
  struct tor_round round;
  int number;    /* of the look, -1: none on its way */
  tor_gidx step; /* of the energy */
};

struct tor_watch {
  const struct tor_job *job;
  struct tor_checkpoints *checkpoints;
  struct tor_snapshots *snapshots;
  struct tor_guard guard;
  double last;                   /* when the last checkpoint was written or tried [s] */
  double stage;                  /* the longest stage [s] */
  double before;                 /* end of the stage before [s] */
  tor_gidx first;                /* where this process began */
  int lag;                       /* looks between a rank's word and what all do about it: 0 without ranks along x */
  int looks;                     /* so far */
  int tried;                     /* number of the look that last tried a checkpoint */
  int due, interrupted;          /* heard, to be done after a stage that leaves all own columns at one step */
  struct tor_watch_round *round; /* [lag + 1], look number i in place i % (lag + 1) */
};

enum tor_watch_verdict {
  TOR_WATCH_GO_ON,
  TOR_WATCH_AGAIN, /* saved; the process should end with TOR_EXIT_AGAIN */
  TOR_WATCH_FAILED /* unstable, or the state could not be saved; told in the log */
};

void tor_watch_begin(struct tor_watch *watch, const struct tor_job *job, struct tor_checkpoints *checkpoints,
                     struct tor_snapshots *snapshots, struct tor_simulation *sim);
void tor_watch_end(struct tor_watch *watch);

/* The step at which the next stage must end at the latest. Results do not depend on it. */
tor_gidx tor_watch_until(const struct tor_watch *watch, const struct tor_simulation *sim);

/* After each stage, and once before the first. */
enum tor_watch_verdict tor_watch_stage(struct tor_watch *watch, struct tor_simulation *sim);

#endif
