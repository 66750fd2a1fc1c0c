/* The results folder before the run: whether this run may write there, and what it already contains. */
#ifndef TOR_SRC_RESULTS_RESULTS_FOLDER_H
#define TOR_SRC_RESULTS_RESULTS_FOLDER_H

#include "src/simulation/checkpoint.h"

enum tor_results_folder {
  TOR_FOLDER_REFUSED,    /* reasons in faults */
  TOR_FOLDER_BEGIN,      /* the run starts at step 0: no checkpoint to continue from, or --overwrite */
  TOR_FOLDER_CONTINUE,   /* --restart, and a checkpoint of this job */
  TOR_FOLDER_FINISHED,   /* --restart, and the complete results of this job */
  TOR_FOLDER_UNCONVERGED /* the same, with a larger error than the job's tolerance */
};

/* Makes the folder, locks it (tor_folder_unlock, also when it is refused), and looks for earlier results, checkpoints
 * and `needed` bytes of free space. Removes nothing yet but the checkpoints of a run that was killed after it had
 * written its results. */
enum tor_results_folder tor_results_folder_take(const struct tor_job *job, int overwrite, int restart, double needed,
                                                struct tor_checkpoints *checkpoints, struct tor_faults *faults);

/* Before anything is written: whether the folder still is this run's. One that was moved away or removed is made and
 * locked again, with a warning, unless something else has its name by then: then it is lost, with a warning, and the
 * run should stop; io/files writes nothing there. Local, on rank 0. */
int tor_results_folder_is_ours(const struct tor_job *job);
int tor_results_folder_is_lost(void);

/* --overwrite: removes snapshots and checkpoints of the earlier run and renames its run.json to earlier.json; its other
 * files stay until this run has ended. */
void tor_results_folder_clear(const struct tor_job *job, struct tor_checkpoints *checkpoints);

/* --restart, with the checkpoint loaded if there is one: an existing run.json describes an end that this run goes
 * beyond; it is renamed to earlier.json. */
void tor_results_folder_resume(const struct tor_job *job);

/* After this run's files are written: removes those of the earlier run that it has not replaced, and earlier.json. */
void tor_results_folder_sweep(const struct tor_job *job);

#endif
