/* A run from job to results folder. */
#ifndef TOR_SRC_RUN_RUN_H
#define TOR_SRC_RUN_RUN_H

#include "src/job/job.h"

struct tor_packing;

struct tor_run_options {
  int quiet;
  int overwrite;               /* results and checkpoints of an earlier run may be removed */
  int restart;                 /* continue from a checkpoint, if there is one */
  double max_seconds;          /* wall-clock limit, 0: none */
  int timeline;                /* write timeline.csv */
  int progress_json;           /* progress for programs, on stderr, also when quiet */
  struct tor_packing *packing; /* with whose members it may share a GPU's blocks (src/simulation/packing.h), as this */
  int member;                  /* one of them; NULL: with none */
};

/* Runs the job, whose mode sources get their fields, and writes its results; returns an exit status, TOR_EXIT_AGAIN
 * when it was stopped with its state saved. If the job has faults, they are added to faults and nothing is run or
 * written. */
int tor_run(struct tor_job *job, const struct tor_run_options *options, struct tor_faults *faults);

#endif
