/* Warnings about valid jobs whose results may be unreliable. */
#ifndef TOR_SRC_MODEL_JOB_WARNINGS_H
#define TOR_SRC_MODEL_JOB_WARNINGS_H

#include "src/job/grid.h"
#include "src/job/job.h"

void tor_job_warnings_log(const struct tor_job *job, const struct tor_grid *grid);
/* The same after a run that ended after `steps` steps: times of slices and snapshots that were not reached. */
void tor_job_warnings_end(const struct tor_job *job, const struct tor_grid *grid, tor_gidx steps);

#endif
