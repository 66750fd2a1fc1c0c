/* Warnings about dipoles whose results may be unreliable: inside a metal, on its surface or near it, on a wall that
 * shorts them, in an absorbing layer. */
#ifndef TOR_SRC_MODEL_DIPOLE_WARNINGS_H
#define TOR_SRC_MODEL_DIPOLE_WARNINGS_H

#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/known_errors.h"

void tor_dipole_warnings_log(const struct tor_job *job, const struct tor_grid *grid);

/* Error of powers over the largest, by the near field that a CPML so many wavelengths from a dipole returns: an upper
 * estimate by what was measured beside metals, 1 to 8 % at 1/324, 0.4 to 0.7 % at 1/170
 * (docs/measurements/hard-jobs.md).
 */
double tor_dipole_error_of(double wavelengths);
/* The same of a dipole so many cells from a metal with surface nodes: through the largest errors of the model of a flat
 * face 10 and 13 cells away (tests/stress/surfaces/lattice.py, permittivity -14) with the nodes until 2026-11-29, which
 * were worse: those in use have 20 and 9 %, but no run beside a sphere has shown it; nearer all is wrong. */
double tor_dipole_error_at_nodes(double cells);
/* Dipoles less than 1/200 of a wavelength from CPML, or less than 15 cells from a metal with surface nodes. */
void tor_dipole_error(const struct tor_job *job, const struct tor_grid *grid, struct tor_known_errors *errors);

#endif
