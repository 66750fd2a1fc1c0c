/* Sources that send the fields of a file: a sum of plane waves of the grid, as beams are (docs/design/plane-sources.md,
 * Fields from files). */
#ifndef TOR_SRC_MODEL_FIELDS_SOURCE_H
#define TOR_SRC_MODEL_FIELDS_SOURCE_H

#include <stddef.h>

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/job/sheet.h"

/* The sheet of a source of that kind, owned by the caller; NULL with a fault: wavelengths that do not cover the band or
 * lie too far apart, points too far apart, a plane that is not in one medium without losses, fields that do not travel
 * through it, a band that 12 terms cannot follow. The file's numbers are given up (tor_field_file_forget). Ends the
 * run when memory is short. */
struct tor_sheet *tor_fields_source_make(const struct tor_job *job, const struct tor_source *source,
                                         struct tor_faults *faults);

/* What was made, a line of text. */
void tor_fields_source_text(const struct tor_source *source, char *text, size_t size);

#endif
