/* All sources whose fields are those of a sheet: modes, beams and fields of files (docs/design/plane-sources.md). */
#ifndef TOR_SRC_MODES_PLANE_SOURCES_H
#define TOR_SRC_MODES_PLANE_SOURCES_H

#include <stddef.h>

#include "src/base/error.h"
#include "src/job/job.h"

/* Finds the fields of all such sources of a job that have none yet: source->sheet. Returns 0, or -1 with all faults
 * (tor_mode_source_make, tor_beam_source_make, tor_fields_source_make). Ends the run when memory is short. */
int tor_plane_sources_make(struct tor_job *job, struct tor_faults *faults);

/* What was found, a line of text for each of these sources, number i from 0 on. Returns 0 behind the last one. */
int tor_plane_sources_text(const struct tor_job *job, int i, char *text, size_t size);

#endif
