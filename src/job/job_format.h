/* Versions of the format of job files. */
#ifndef TOR_SRC_JOB_JOB_FORMAT_H
#define TOR_SRC_JOB_JOB_FORMAT_H

#include "src/job/job.h"

/* The version that this program reads. 1: torre 0.1, whose job files have no format_version. Raised when a default or
 * the meaning of a key changes; then job_format.c gets what differs. */
enum { TOR_JOB_FORMAT = 3 };

/* Logs a note for each thing that had another meaning in the version that the job was written for; a job without
 * format_version counts as of version 1. Returns their number. */
int tor_job_format_log(const struct tor_job *job);

#endif
