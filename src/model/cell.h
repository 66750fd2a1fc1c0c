/* What a box, or the cell around a point, holds of a job's media. */
#ifndef TOR_SRC_MODEL_CELL_H
#define TOR_SRC_MODEL_CELL_H

#include "src/job/geometry.h"
#include "src/model/column_media.h"
#include "src/model/nearby.h"

/* Whether the whole box lo ... hi [m] lies in one medium (-1: the background): by tor_object_holds_box, or where that
 * is undecided by 27 points of the box and the objects' faces. A face of an object's bounds inside the box may hide a
 * thin part; a curved surface reaches between two points by less than a hundredth of a cell. */
int tor_cell_is_uniform(const struct tor_columns *c, const struct tor_nearby *near, const double lo[3],
                        const double hi[3], int *medium);
/* A wall that is not periodic is a mirror: a box across it holds twice what its inner half does. Where objects continue
 * beyond the wall that is what the whole box holds; where one ends there, or up to `reach` cells beyond, the box is cut
 * at the wall. At the plane of a job's symmetry the objects of both sides are there. Returns a bit mask of the axes. */
int tor_cell_cut_at_walls(const struct tor_columns *c, const struct tor_nearby *near, double reach, double lo[3],
                          double hi[3]);
/* Puts a normal into the mirrors of the bit mask, unless it stands on them. */
void tor_cell_mirror_normal(int cut, double normal[3]);
/* The point x of a component and the cell around it [m]; with averaging = "staircase" the part with the point in the
 * middle. */
void tor_cell_bounds(const struct tor_columns *c, int comp, const int at[3], double x[3], double lo[3], double hi[3]);
/* The place x of a node and the cell around it, as long as a cell of equal ones [m]; in 2-D a cube. */
void tor_cell_around_node(const struct tor_grid *grid, const int at[3], double x[3], double lo[3], double hi[3]);
/* Whether all objects near a column are the same along an axis from wall to wall, as in guides; along x in 2-D. */
int tor_cell_goes_through(const struct tor_columns *c, const struct tor_nearby *near, int axis);
/* The contents of the cell lo ... hi [m] around x, cut at mirror walls where objects end there, without perfect
 * conductors but where it is full of them. Changes lo and hi. */
struct tor_mix tor_cell_mix(const struct tor_columns *c, const struct tor_nearby *near, const double x[3], double lo[3],
                            double hi[3]);

#endif
