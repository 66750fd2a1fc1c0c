/* Points of the field on a regular grid, gathered from the ranks that own them on one rank, a few planes at a time to
 * limit its memory. */
#ifndef TOR_SRC_SIMULATION_POINTS_H
#define TOR_SRC_SIMULATION_POINTS_H

#include "src/simulation/simulation.h"

/* Points first, first + stride, ... along x, y, z; `count` of them. */
struct tor_points {
  int first[3], count[3], stride[3];
};

/* Planes z = [from, from + planes) of a component on rank `root`: values [planes][y][x] of the slab's precision, as the
 * fields are stored (tor_component_scale gives V/m or A/m). values: not used on other ranks. Collective, at a stage's
 * end, after tor_simulation_fetch. */
void tor_points_gather(const struct tor_simulation *sim, const struct tor_points *points, int root, int comp,
                       tor_gidx from, tor_gidx planes, void *values);

/* The same as the user has it, where the job's axes are turned, too (src/job/turn.h): planes along the user's z, in 2-D
 * y, and values [planes][y][x] along the user's axes. points: along the job's. */
void tor_points_gather_user(const struct tor_simulation *sim, const struct tor_points *points, int root, int comp,
                            tor_gidx from, tor_gidx planes, void *values);

#endif
