/* Sources that send E and H of a file as they are, at the grid's own points (key as_is): docs/design/plane-sources.md,
 * Fields as they are. */
#ifndef TOR_SRC_MODEL_GRID_FIELDS_H
#define TOR_SRC_MODEL_GRID_FIELDS_H

#include <stddef.h>

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/job/sheet.h"

/* The sheet of such a source, owned by the caller; NULL with a fault: a point of the plane that the file lacks, fields
 * that are 0 or that 12 terms cannot follow, a plane that ends at one of two periodic walls. E is taken at the plane's
 * node, H half a cell before it along the direction; in order 4 also a cell to both sides of each. Ends that are no
 * walls count half, as in flux monitors. The file's numbers are given up (tor_field_file_forget). Ends the run when
 * memory is short. */
struct tor_sheet *tor_grid_fields_make(const struct tor_job *job, const struct tor_source *source,
                                       struct tor_faults *faults);

/* What was made, a line of text. */
void tor_grid_fields_text(const struct tor_source *source, char *text, size_t size);

#endif
