/* The rule for cells that surfaces cut, where a job leaves it to the program: grid.averaging = "auto". */
#ifndef TOR_SRC_MODEL_AVERAGING_H
#define TOR_SRC_MODEL_AVERAGING_H

#include "src/base/error.h"
#include "src/job/job.h"

/* tor_job_read (src/job/job_read.h), and then the choice: averaging, where it is open, is "tensor", or where the job
 * cannot have that, or a known error would follow, "subpixel", with averaging_reason. */
int tor_averaging_read(const char *path, const char *const *overrides, int noverrides, struct tor_job *job,
                       struct tor_faults *faults);

/* The rule, and why where the program has chosen it: `averaging "subpixel" (auto: cells are graded)`, into text[size].
 * Returns text. */
const char *tor_averaging_text(const struct tor_job *job, char *text, size_t size);

#endif
