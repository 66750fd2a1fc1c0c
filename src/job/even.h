/* Objects that are the same all along an axis between their ends, such as a pillar along its own: what one place of
 * them holds, its neighbours along the axis hold, too. */
#ifndef TOR_SRC_JOB_EVEN_H
#define TOR_SRC_JOB_EVEN_H

struct tor_object;

/* The finite ends of an object [m] between which, and beyond which, it is the same all along the axis; of a composite
 * those of all its parts. Returns their number, or -1 where the object is not of this kind or has more than `most`. */
int tor_object_ends(const struct tor_object *object, int axis, int most, double *ends);

/* n samples along an axis of a box, in the middles of its n-ths, of the objects list[nlist]: begins[i] becomes 1 where
 * a place of the box at sample i may differ from the one before it along the axis, else 0; begins[0] is 1. Returns the
 * number of those that are 1. */
int tor_even_begins(const struct tor_object *objects, const int *list, int nlist, int axis, const double lo[3],
                    const double hi[3], int n, char *begins);

#endif
