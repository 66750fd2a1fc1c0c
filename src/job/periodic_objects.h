/* Objects across the seams of periodic axes. */
#ifndef TOR_SRC_JOB_PERIODIC_OBJECTS_H
#define TOR_SRC_JOB_PERIODIC_OBJECTS_H

#include "src/job/grid.h"
#include "src/job/job.h"

/* The job with, in painting order, its objects that come within `reach` cells of a periodic face, or cross it, and
 * their copies a period away that come so near to the domain: *with_copies, to be freed by tor_job_copies_free alone;
 * or the job itself where no object needs copies. All but the objects belongs to the job. */
const struct tor_job *tor_job_with_copies(const struct tor_job *job, const struct tor_grid *grid, double reach,
                                          struct tor_job *with_copies);
/* Of each object of with_copies, what tor_job_with_copies returned for the same arguments, the object of the job that
 * it is a copy of: [with_copies' objects], to be freed. */
int *tor_job_copies_of(const struct tor_job *job, const struct tor_grid *grid, double reach,
                       const struct tor_job *with_copies);
/* job: what tor_job_with_copies returned for this with_copies. */
void tor_job_copies_free(const struct tor_job *job, struct tor_job *with_copies);

#endif
