/* torre run of several jobs, or of one job at several values of its keys (--sweep): one start of the program, the runs
 * one after another or several at a time, each in a results folder of its own as by `torre run`. A run whose folder has
 * its results already is not repeated, and one that was interrupted continues: by the same command. */
#ifndef TOR_SRC_STUDY_BATCH_H
#define TOR_SRC_STUDY_BATCH_H

#include "src/base/error.h"
#include "src/run/run.h"

struct tor_batch_options {
  int njobs, nsweeps, noverrides;
  const char *const *jobs;      /* [njobs] paths of job files; one with sweeps */
  const char *const *sweeps;    /* [nsweeps] PATH=FROM:TO:COUNT, numbers in equal steps, or PATH=VALUE,VALUE,... */
  const char *const *overrides; /* [noverrides], as tor_job_read takes them, for all jobs */
  int has_folder;               /* the folders are in the jobs' output; 0: of a sweep in `<output>-sweep`, else each
                                 * job's own output */
  int at_once;                  /* runs at a time, to TOR_CONCURRENT_MOST; 0: chosen */
  struct tor_run_options run;   /* of each run; restart is not asked: it is so without overwrite */
};

/* Runs all; then a table on stdout and, with a folder for all, runs.csv and the runs' spectra in one spectra.csv there.
 * Runs that fail do not stop those after them. Returns an exit status: TOR_EXIT_USER with faults of any job, nothing
 * was run then; TOR_EXIT_AGAIN: stopped with the state saved; TOR_EXIT_FAILURE: a run failed. Collective. */
int tor_batch(const struct tor_batch_options *options, struct tor_faults *faults);

#endif
