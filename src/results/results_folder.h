/* The results folder before the run: who may write there, and what it holds already. */
#ifndef TOR_SRC_RESULTS_RESULTS_FOLDER_H
#define TOR_SRC_RESULTS_RESULTS_FOLDER_H

#include "src/simulation/checkpoint.h"

enum tor_results_folder {
  TOR_FOLDER_REFUSED,  /* faults tell why */
  TOR_FOLDER_BEGIN,    /* nothing there that is wanted */
  TOR_FOLDER_CONTINUE, /* a checkpoint of this job, asked for by --restart */
  TOR_FOLDER_FINISHED  /* the results of this very job, asked for by --restart */
};

/* Makes the folder, locks it (*lock for tor_folder_unlock, also when it is refused), and looks for earlier results,
 * checkpoints and `needed` bytes of room. Takes nothing away yet, but checkpoints that the kill of a run left behind
 * its results. */
enum tor_results_folder tor_results_folder_take(const struct tor_job *job, int overwrite, int restart, double needed,
                                                struct tor_checkpoints *checkpoints, int *lock,
                                                struct tor_faults *faults);

/* --overwrite: snapshots and checkpoints of the earlier run go away, its run.json becomes earlier.json; its other files
 * stay until this run has ended. */
void tor_results_folder_clear(const struct tor_job *job, struct tor_checkpoints *checkpoints);

/* --restart, with the checkpoint loaded if there is one: a run.json that is there speaks of an end that this run leaves
 * behind; it becomes earlier.json. */
void tor_results_folder_go_on(const struct tor_job *job);

/* With this run's files written: those of the earlier one that it has not replaced go away, and earlier.json. */
void tor_results_folder_sweep(const struct tor_job *job);

#endif
