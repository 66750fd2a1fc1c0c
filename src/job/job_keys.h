/* The table of all keys of a job file. The reader, its checks, the documentation and `torre keys` come from it. */
#ifndef TOR_SRC_JOB_JOB_KEYS_H
#define TOR_SRC_JOB_JOB_KEYS_H

#include "io/config/config.h"

/* The keys of boundaries.x_lo also describe the other five faces. Keys with different meanings for different types
 * appear more than once. */
extern const struct tor_key_table tor_job_keys;

#endif
