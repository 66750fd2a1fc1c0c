/* Absorbing layers that return a part of the waves which they ought to absorb. */
#ifndef TOR_SRC_MODEL_LAYER_ERRORS_H
#define TOR_SRC_MODEL_LAYER_ERRORS_H

#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/known_errors.h"

/* Share of the amplitude, 0 .. 1, that comes back from the wall behind the absorber of a face, of a wave that meets it
 * at a right angle in a medium of that index: 1e-3 of one as thick as `needed` (tor_layer_thickness) [m]. */
double tor_absorber_returned(const struct tor_grid *grid, int face, double index, double needed);

/* CPML and absorbers that return 2 % or more, at the longest of the monitors' wavelengths, and absorbers thinner than
 * the default. */
void tor_layer_error(const struct tor_job *job, const struct tor_grid *grid, struct tor_known_errors *errors);

#endif
