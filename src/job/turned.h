/* Objects turned out of the axes. What a turn by right angles, or about its own axis, makes of an object is described
 * without a pose, as if it had been written so: the same bits. Lengths in metres. */
#ifndef TOR_SRC_JOB_TURNED_H
#define TOR_SRC_JOB_TURNED_H

#include "src/job/geometry.h"

/* The turn about x by angle[0], then about y and z [degrees], counter-clockwise as seen from the axis' end: columns are
 * the images of the axes. Of multiples of 90 degrees the elements are 0, 1 and -1. */
void tor_turn_matrix(const double angle[3], double matrix[3][3]);

/* Turns an object about a point; of composites each part. */
void tor_object_turn(struct tor_object *object, const double matrix[3][3], const double about[3]);

/* A point that an object is turned about where none is given: its centre, that of its bounds, or of a layer without two
 * ends the end that it has. Zero where there is none. */
void tor_object_middle(const struct tor_object *object, double middle[3]);

/* A point of the scene in the coordinates in which a turned object is described. */
void tor_pose_own(const struct tor_pose *pose, const double x[3], double own[3]);
/* The box around a box in those coordinates. */
void tor_pose_own_box(const struct tor_pose *pose, const double lo[3], const double hi[3], double own_lo[3],
                      double own_hi[3]);
/* Bounds of a turned object. */
void tor_turned_bounds(const struct tor_object *object, double lo[3], double hi[3]);

#endif
