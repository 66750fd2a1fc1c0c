/* Seams: where the two ends of a periodic axis meet. */
#ifndef TOR_DIAMOND_CORE_SEAM_H
#define TOR_DIAMOND_CORE_SEAM_H

#include "diamond/core/slab.h"

/* Copies the values at 0 of each periodic axis to its other end, which engines do not advance, in columns that are
 * held: what reads the fields then needs to know of no seam. Between Bloch walls with the phase of a period, of both
 * parts. Where columns x0 <= ix < x1 alone are closed, a periodic x must be among them as a whole. Local. */
void tor_seams_close(struct tor_slab *slab, int x0, int x1);

/* Writes `count` values, from place `from` on and `step` apart, as they are a period above along an axis, to an array
 * of the slab's precision, from place `first` on and `pitch` apart. Local. */
void tor_seam_values(const struct tor_slab *slab, int axis, tor_gidx from, tor_gidx step, tor_gidx count, void *to,
                     tor_gidx first, tor_gidx pitch);

#endif
