/* Warnings about dipoles whose results may be unreliable: inside a metal, on its surface or near it, on a wall that
 * shorts them, in an absorbing layer. */
#ifndef TOR_SRC_MODEL_DIPOLE_WARNINGS_H
#define TOR_SRC_MODEL_DIPOLE_WARNINGS_H

#include "src/job/grid.h"
#include "src/job/job.h"

void tor_dipole_warnings_log(const struct tor_job *job, const struct tor_grid *grid);

#endif
