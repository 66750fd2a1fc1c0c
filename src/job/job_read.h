/* The job file reader: libconfig text to struct tor_job, with every default filled in. The keys: jobs/reference.cfg. */
#ifndef TOR_SRC_JOB_JOB_READ_H
#define TOR_SRC_JOB_JOB_READ_H

#include "src/base/error.h"
#include "src/job/job.h"

/* Reads the job file, applies the overrides, fills the job. Local.
 *
 * overrides: [noverrides], each `path=value` as --set takes it: `objects[0].radius=40`, `objects.[0].radius=40`,
 * `grid.cell=[1,1,2]`, `schedule.engine=diamond` (a plain word needs no quotes). They may add keys that the file leaves
 * out, not list elements. Returns true and gives the job to the caller (tor_job_free); or adds all faults, in the order
 * of the file's lines and after them those of the overrides (`--set objects[0].radius: ...`), returns false and leaves
 * the job empty. */
int tor_job_read(const char *path, const char *const *overrides, int noverrides, struct tor_job *job,
                 struct tor_faults *faults);

/* The built-in medium, or vacuum, whose name is nearest. */
const char *tor_job_nearest_medium(const char *name);

#endif
