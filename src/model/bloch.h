/* Bloch walls: the part of a slab's fields that is imaginary (docs/design/bloch.md). */
#ifndef TOR_SRC_MODEL_BLOCH_H
#define TOR_SRC_MODEL_BLOCH_H

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* Faults of what Bloch walls do not allow: guided modes and beams in a plane from one end of a period to the other. */
void tor_bloch_check(const struct tor_job *job, const struct tor_grid *grid, struct tor_faults *faults);

/* Makes slab->other: fields, memory of the CPML and poles of its own, zero at first, and lists whose records go to the
 * groups `groups` further; all else is the slab's. Returns the memory that holds its fields. Ends the run when memory
 * is short. */
void *tor_bloch_part(struct tor_slab *slab, int groups, int threads);
/* Frees that part, if there is one, and its fields. */
void tor_bloch_part_free(struct tor_slab *slab, void *fields);

#endif
