/* Sources of a guided mode: profiles at some frequencies of the pulse's band, each with its part of the pulse
 * (docs/design/plane-sources.md). */
#ifndef TOR_SRC_MODES_MODE_SOURCE_H
#define TOR_SRC_MODES_MODE_SOURCE_H

#include <stddef.h>

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/job/sheet.h"

/* The sheet of a source that is a mode, owned by the caller; NULL with a fault: no solver in this build, a guide that
 * is not uniform, no such mode, a band that profiles cannot follow. Ends the run when memory is short. */
struct tor_sheet *tor_mode_source_make(const struct tor_job *job, const struct tor_source *source,
                                       struct tor_faults *faults);

/* What was found, a line of text. */
void tor_mode_source_text(const struct tor_source *source, char *text, size_t size);

#endif
