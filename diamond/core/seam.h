/* Seams: where the two ends of a periodic axis meet. */
#ifndef TOR_DIAMOND_CORE_SEAM_H
#define TOR_DIAMOND_CORE_SEAM_H

#include "diamond/core/slab.h"

/* Copies the values at 0 of each periodic axis to its other end, which engines do not advance, in the columns that are
 * held: what reads the fields then needs to know of no seam. Between Bloch walls with the phase of a period, of both
 * parts. Local. */
void tor_seams_close(struct tor_slab *slab);

#endif
