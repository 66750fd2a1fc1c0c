/* torre modes: solves for the modes of a job and writes them: a table on stdout or an answer as JSON; modes.csv,
 * modes.h5 and pictures in a folder. Local. */
#ifndef TOR_SRC_RESULTS_MODE_RESULTS_H
#define TOR_SRC_RESULTS_MODE_RESULTS_H

#include <stdio.h>

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/modes/mode_sweep.h"

struct tor_modes_options {
  int has_folder; /* the folder is the job's output; 0: beside that, `<output>-modes` */
  int json;       /* the answer as JSON in place of the table */
};

/* Returns an exit status; with TOR_EXIT_USER there are faults and nothing was written. Fewer modes than asked are a
 * failure; those that were found are written. */
int tor_modes_command(const struct tor_job *job, const struct tor_modes_options *options, struct tor_faults *faults);

/* --- mode_files.c; job: with the folder of the files as its output. Each returns the number of files that could not be
 * written, with warnings. --- */
int tor_modes_write_h5(const struct tor_job *job, const struct tor_mode_sweep *sweep);
int tor_modes_write_pictures(const struct tor_job *job, const struct tor_mode_sweep *sweep);

#endif
