/* What a closed box radiates, by multipoles about a point: far fields (far_field.h) projected on vector spherical
 * harmonics (Jackson, Classical Electrodynamics, 3rd ed., 9.7 to 9.10). 3-D. */
#ifndef TOR_SRC_MODEL_MULTIPOLES_H
#define TOR_SRC_MODEL_MULTIPOLES_H

#include "src/model/monitor.h"

enum { TOR_MULTIPOLES = 3 }; /* dipoles, quadrupoles, octupoles */

/* The parts [electric, magnetic][l - 1] of the radiated power [J/Hz], in the convention of the flux, about l->spec's
 * position. NAN where the cells are too large for a wave to travel. */
void tor_multipoles_power(const struct tor_monitors *monitors, const struct tor_job *job,
                          const struct tor_recorder *recorder, int freq, double power[2][TOR_MULTIPOLES]);

#endif
