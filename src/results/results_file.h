/* Files of the results folder: their paths, and the warning that one was not written. */
#ifndef TOR_SRC_RESULTS_RESULTS_FILE_H
#define TOR_SRC_RESULTS_RESULTS_FILE_H

#include "src/job/job.h"

/* Path of a file in the results folder, from a printf format; static memory, overwritten by the next call. */
const char *tor_results_path(const struct tor_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A warning with the reason (strerror(errno) when why is NULL). Returns 1. */
int tor_results_not_written(const char *path, const char *why);

#endif
