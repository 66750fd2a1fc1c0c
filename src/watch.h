/* What is looked after between the stages of a run: stability, snapshots, checkpoints, signals and the wall-clock
 * limit. */
#ifndef TOR_WATCH_H
#define TOR_WATCH_H

#include "checkpoint.h"
#include "guard.h"
#include "snapshot.h"

struct tor_watch {
  const struct tor_job *job;
  struct tor_checkpoints *checkpoints;
  struct tor_snapshots *snapshots;
  struct tor_guard guard;
  double last;    /* when the last checkpoint was written or tried [s] */
  double stage;   /* the longest stage [s] */
  double before;  /* end of the stage before [s] */
  tor_gidx first; /* where this process began */
};

enum tor_watch_verdict {
  TOR_WATCH_GO_ON,
  TOR_WATCH_AGAIN, /* saved; the process should end with TOR_EXIT_AGAIN */
  TOR_WATCH_FAILED /* unstable, or the state could not be saved; told in the log */
};

void tor_watch_begin(struct tor_watch *watch, const struct tor_job *job, struct tor_checkpoints *checkpoints,
                     struct tor_snapshots *snapshots, struct tor_simulation *sim);

/* The step at which the next stage must end at the latest. Results do not depend on it. */
tor_gidx tor_watch_until(const struct tor_watch *watch, const struct tor_simulation *sim);

/* After each stage, and once before the first. */
enum tor_watch_verdict tor_watch_stage(struct tor_watch *watch, struct tor_simulation *sim);

#endif
