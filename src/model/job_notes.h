/* Notes on a valid job: what the grid makes of its lengths, and what mirror walls leave out. */
#ifndef TOR_SRC_MODEL_JOB_NOTES_H
#define TOR_SRC_MODEL_JOB_NOTES_H

#include "src/job/grid.h"
#include "src/job/job.h"

/* Logs the size that the domain has, where the origin lies in its cell, each face of a wave's box and of a monitor that
 * lies more than a tenth of a cell from where the job has it; and the quantities that are a part of the whole, where an
 * axis has one mirror wall. */
void tor_job_notes_log(const struct tor_job *job, const struct tor_grid *grid);

#endif
