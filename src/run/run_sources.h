/* The fields of a job's mode sources, made once for all ranks. */
#ifndef TOR_SRC_RUN_RUN_SOURCES_H
#define TOR_SRC_RUN_RUN_SOURCES_H

#include "src/base/error.h"
#include "src/job/job.h"

/* Process 0 makes the sheets (src/modes/mode_source.h), which all others copy, so that ranks have the same bits.
 * Returns 0, or -1: process 0 has faults, the others none. Collective over processes. */
int tor_run_sources_make(struct tor_job *job, struct tor_faults *faults);

/* Logs what was found. */
void tor_run_sources_log(const struct tor_job *job);

#endif
