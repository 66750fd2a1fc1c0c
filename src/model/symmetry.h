/* Requirements of the symmetry of a domain (struct tor_grid, mirror) on the scene. */
#ifndef TOR_SRC_MODEL_SYMMETRY_H
#define TOR_SRC_MODEL_SYMMETRY_H

#include "src/base/error.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* Faults: sources without the symmetry, or dipoles that are not on its plane; media that differ between points and
 * their mirror images, of which many are looked at. */
void tor_symmetry_check(const struct tor_job *job, const struct tor_grid *grid, struct tor_faults *faults);

#endif
