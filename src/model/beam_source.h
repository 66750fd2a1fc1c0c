/* Sources of Gaussian beams: the fields on the plane as terms of a sheet (docs/design/plane-sources.md). */
#ifndef TOR_SRC_MODEL_BEAM_SOURCE_H
#define TOR_SRC_MODEL_BEAM_SOURCE_H

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/job/sheet.h"

/* The sheet of a source that is a beam, owned by the caller; NULL with a fault: media that differ in the plane, absorb
 * or are anisotropic, a waist too small for the angle, a plane that the beam does not fit, a band that 12 terms cannot
 * follow. Ends the run when memory is short. */
struct tor_sheet *tor_beam_source_make(const struct tor_job *job, const struct tor_source *source,
                                       struct tor_faults *faults);

/* What was made, a line of text. */
void tor_beam_source_text(const struct tor_source *source, char *text, size_t size);

#endif
