/* Sources of a guided mode: profiles at some frequencies of the pulse's band, each with its part of the pulse
 * (docs/design/plane-sources.md). */
#ifndef TOR_SRC_MODES_MODE_SOURCE_H
#define TOR_SRC_MODES_MODE_SOURCE_H

#include "src/base/error.h"
#include "src/job/job.h"

/* Finds the fields of all mode sources of a job that have none yet: source->sheet. Returns 0, or -1 with faults: no
 * solver in this build, a guide that is not uniform, no such mode, a band that profiles cannot follow. Ends the run
 * when memory is short. */
int tor_mode_sources_make(struct tor_job *job, struct tor_faults *faults);

/* What was found, a line of text for each mode source, number i from 0 on. Returns 0 behind the last one. */
int tor_mode_source_text(const struct tor_job *job, int i, char *text, size_t size);

#endif
