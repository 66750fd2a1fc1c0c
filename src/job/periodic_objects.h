/* Objects across the seams of periodic axes. */
#ifndef TOR_SRC_JOB_PERIODIC_OBJECTS_H
#define TOR_SRC_JOB_PERIODIC_OBJECTS_H

#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* The job's objects in painting order, each that comes within `reach` cells of a periodic face, or crosses it, with its
 * copies a period away that come so near to the domain. NULL where no object needs copies; else to be freed, with
 * *count of them. Their vertices belong to the list. */
struct tor_object *tor_periodic_objects(const struct tor_job *job, const struct tor_grid *grid, double reach,
                                        int *count);
void tor_periodic_objects_free(struct tor_object *objects, int count);

#endif
