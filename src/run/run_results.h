/* The results of a run that has ended, or that became unstable: gathered from all ranks, written by rank 0. */
#ifndef TOR_SRC_RUN_RUN_RESULTS_H
#define TOR_SRC_RUN_RUN_RESULTS_H

#include "comm/exchange/exchange.h"
#include "src/results/snapshot.h"
#include "src/run/run_control.h"
#include "src/schedule/plan.h"
#include "src/simulation/checkpoint.h"
#include "src/simulation/simulation.h"

struct tor_run_end {
  const struct tor_plan *plan;
  const struct tor_simulation *sim;
  const struct tor_run_control *control;
  const struct tor_snapshots *snapshots;
  struct tor_checkpoints *checkpoints; /* removed once the results are written, unless the job keeps them */
  int timeline;                        /* timeline.csv is wanted */
  int stopped;    /* unstable: run.json alone says where and why, and the last good checkpoint stays */
  tor_gidx first; /* step at which this process began */
  double seconds; /* of the steps alone */
};

/* Returns the run's exit status, on all ranks: TOR_EXIT_OK, TOR_EXIT_UNCONVERGED, or TOR_EXIT_FAILURE where a file
 * could not be written, which has been logged, or the run was unstable. Collective. */
int tor_run_write_results(const struct tor_run_end *end, struct tor_exchange *exchange);

#endif
