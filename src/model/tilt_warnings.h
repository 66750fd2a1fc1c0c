/* Notes and warnings about plane waves of a fixed k, in cells of Bloch walls and through layers: what angle each
 * wavelength has. */
#ifndef TOR_SRC_MODEL_TILT_WARNINGS_H
#define TOR_SRC_MODEL_TILT_WARNINGS_H

#include "src/job/grid.h"
#include "src/job/job.h"

/* Notes the angles over the pulse's band. Warns of a band that reaches the wavelength at which the wave travels along
 * the walls, of monitors beyond it, and of CPML that returns more than 1 % of the amplitude at a monitor's wavelength.
 */
void tor_tilt_warnings_log(const struct tor_job *job, const struct tor_grid *grid);

#endif
