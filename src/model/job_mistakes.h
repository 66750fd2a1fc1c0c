/* Warnings about what is easily got wrong in a first job: units of length, places, a part that is missing. */
#ifndef TOR_SRC_MODEL_JOB_MISTAKES_H
#define TOR_SRC_MODEL_JOB_MISTAKES_H

#include "src/job/grid.h"
#include "src/job/job.h"

void tor_job_mistakes_log(const struct tor_job *job, const struct tor_grid *grid);

#endif
