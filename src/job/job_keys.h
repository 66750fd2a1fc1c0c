/* The table of all keys of a job file. The reader, its checks, the documentation and `torre keys` come from it. */
#ifndef TOR_SRC_JOB_JOB_KEYS_H
#define TOR_SRC_JOB_JOB_KEYS_H

#include "io/config/config.h"

/* The keys of boundaries.x_lo also describe the other five faces. Keys with different meanings for different types
 * appear more than once. */
extern const struct tor_key_table tor_job_keys;

/* What there is in place of a value of a key, or (key NULL) of an unknown key, that other programs have; NULL: not
 * known. See struct tor_key_table. */
const char *tor_job_hint(const struct tor_key *key, const char *word);

#endif
