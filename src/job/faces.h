/* Where the surface of an object lies in a box: on planes across the axes. Lengths in metres. */
#ifndef TOR_SRC_JOB_FACES_H
#define TOR_SRC_JOB_FACES_H

struct tor_object;

/* Planes across each axis, in any order, each once. */
enum { TOR_FACES_MOST = 24 };
struct tor_faces {
  int n[3];
  double at[3][TOR_FACES_MOST];
};

/* Notes a plane, unless it lies outside lo ... hi or at an end of it. Returns 0 where there are too many. */
int tor_faces_add(struct tor_faces *faces, int axis, double at, double lo, double hi);

/* Adds the planes that cut the box [lo, hi] into blocks, each of which the object contains as a whole or not at all:
 * those of layers, boxes, the flat ends of shapes with an axis, and sides along an axis of prisms and paths. Returns 0
 * where the object's surface in the box is, or may be, another one. */
int tor_object_faces(const struct tor_object *object, const double lo[3], const double hi[3], struct tor_faces *faces);

#endif
