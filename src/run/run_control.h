/* Run control between stages: stability, snapshots, checkpoints, signals and the wall-clock limit.
 *
 * Ranks take the same decisions at the same step without waiting for each other: each rank contributes a small status
 * record to a non-blocking allgather at a stage's end and reads the result `lag` stages later, by when the pipeline
 * along x has synchronised the ranks anyway. They wait for each other only where a checkpoint or a snapshot is written.
 * All calls are collective. */
#ifndef TOR_SRC_RUN_RUN_CONTROL_H
#define TOR_SRC_RUN_RUN_CONTROL_H

#include "src/simulation/checkpoint.h"
#include "src/simulation/stability.h"
#include "src/results/snapshot.h"

/* Status record that each rank sends to all ranks at a stage's end. */
struct tor_run_status {
  double energy;       /* [J] of its own columns at the last energy step */
  int32_t interrupted; /* enum tor_interrupt */
  int32_t due;         /* rank 0: the minutes between checkpoints are over */
};

/* A pending gather of status records. */
struct tor_run_control_gather {
  struct tor_gather gather;
  int number;    /* of the round, -1: none is pending */
  tor_gidx step; /* of the energy */
};

struct tor_run_control {
  const struct tor_job *job;
  struct tor_checkpoints *checkpoints;
  struct tor_snapshots *snapshots;
  struct tor_stability stability;
  double last;    /* when the last checkpoint was written or tried [s] */
  double stage;   /* the longest stage [s] */
  double before;  /* end of the stage before [s] */
  tor_gidx first; /* where this process began */
  int lag;        /* rounds between a rank's status record and the decision on it: 0 without ranks along x */
  int rounds;     /* of status records so far */
  int tried;      /* number of the round that last tried a checkpoint */
  enum tor_instability instability; /* found, and where: */
  struct tor_stability_cell cell;
  double energy, rate;                   /* at the end: of the whole domain [J]; tor_stability_rate */
  int due, interrupted;                  /* decided, to be done after a stage that leaves all own columns at one step */
  struct tor_run_control_gather *gather; /* [lag + 1], round number i at index i % (lag + 1) */
};

enum tor_run_verdict {
  TOR_RUN_CONTINUES,
  TOR_RUN_AGAIN, /* saved; the process should end with TOR_EXIT_AGAIN */
  TOR_RUN_FAILED /* unstable (control->instability), or the state could not be saved; the reason has been logged */
};

void tor_run_control_begin(struct tor_run_control *control, const struct tor_job *job,
                           struct tor_checkpoints *checkpoints, struct tor_snapshots *snapshots,
                           struct tor_simulation *sim);
void tor_run_control_end(struct tor_run_control *control);

/* The last step at which the next stage may end. Results do not depend on it. */
tor_gidx tor_run_control_until(const struct tor_run_control *control, const struct tor_simulation *sim);

/* After each stage, and once before the first. */
enum tor_run_verdict tor_run_control_stage(struct tor_run_control *control, struct tor_simulation *sim);

/* Whether a signal came to any rank that found no stage to stop after; logs it. Collective. */
int tor_run_control_asked_late(void);
/* Whether one came to any rank while the model was made, of which parts are missing then; logs it. overwrite: of the
 * run's options. Collective. */
int tor_run_control_asked_early(int overwrite);

#endif
