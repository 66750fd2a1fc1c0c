/* Objects that are the same all along an axis between their ends, such as a pillar along its own: what one place of
 * them holds, its neighbours along the axis hold, too. */
#ifndef TOR_SRC_JOB_EVEN_H
#define TOR_SRC_JOB_EVEN_H

#include <stdint.h>

struct tor_object;

/* The finite ends of an object [m] between which, and beyond which, it is the same all along the axis; of a composite
 * those of all its parts. Returns their number, or -1 where the object is not of this kind or has more than `most`. */
int tor_object_ends(const struct tor_object *object, int axis, int most, double *ends);

/* n samples, 1 to 64, along an axis of a box, in the middles of its n-ths, of the objects list[nlist]: bit i is set
 * where a place of the box at sample i may differ from the one before it along the axis; bit 0 is set. */
uint64_t tor_even_begins(const struct tor_object *objects, const int *list, int nlist, int axis, const double lo[3],
                         const double hi[3], int n);

#endif
