/* The fields of a job's mode sources, made once for all ranks; what the log says of sources. */
#ifndef TOR_SRC_RUN_RUN_SOURCES_H
#define TOR_SRC_RUN_RUN_SOURCES_H

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/model/model.h"

/* Process 0 makes the sheets (src/modes/plane_sources.h), which all others copy, so that ranks have the same bits.
 * Returns 0, or -1: process 0 has faults, the others none. Collective over processes. */
int tor_run_sources_make(struct tor_job *job, struct tor_faults *faults);

/* Logs the modes that were found. */
void tor_run_sources_log(const struct tor_job *job);
/* Logs the total-field box of each plane wave. */
void tor_run_sources_log_waves(const struct tor_model *model);

#endif
