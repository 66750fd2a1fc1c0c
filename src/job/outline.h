/* Shapes of one outline along an axis: prisms, paths and arcs. u and v are the coordinates in the plane across it, in
 * cyclic order; `inset` is the distance by which the outline is drawn in (below 0: out). Lengths in metres. */
#ifndef TOR_SRC_JOB_OUTLINE_H
#define TOR_SRC_JOB_OUTLINE_H

#include "src/job/faces.h"
#include "src/job/geometry.h"

static inline int tor_object_has_outline(const struct tor_object *o) {
  return o->shape == TOR_PRISM || o->shape == TOR_PATH || o->shape == TOR_ARC;
}

/* What the other members follow from: to be called when vertices, width or slope have changed. Of few vertices there is
 * no index. */
void tor_outline_index_make(struct tor_object *object);
void tor_outline_index_free(struct tor_object *object);

int tor_outline_contains(const struct tor_object *object, double u, double v, double inset);
/* 1: all points of the rectangle lie in the outline, whatever the inset from inset[0] up to inset[1]; -1: none does;
 * 0: undecided. lo, hi: (u, v). */
int tor_outline_holds(const struct tor_object *object, const double lo[2], const double hi[2], const double inset[2]);
/* Of a prism or path without slope: adds the places of all sides in the rectangle, which lie along u or v
 * (tor_object_faces). Returns 0 where one does not, or where there are too many. */
int tor_outline_faces(const struct tor_object *object, const double lo[2], const double hi[2], struct tor_faces *faces);
/* The largest value of du u + dv v in the outline, or more. */
double tor_outline_support(const struct tor_object *object, double du, double dv, double inset);

/* The points of a path whose corners are bends. */
struct tor_bends {
  double (*point)[2]; /* [count], owned by the caller; NULL where a bend does not fit between its neighbours: */
  int count, corner;
  double needed; /* of that corner: length of the straight parts on either side [m] */
};
/* Of each bend the part `euler` (0 to 1) turns with a curvature that rises and falls linearly with length (clothoids),
 * so that `radius` is the least radius; the rest is an arc. */
struct tor_bends tor_outline_bends(const double (*point)[2], int npoint, double radius, double euler);

#endif
