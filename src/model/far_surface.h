/* Where the surface of a far field may lie. */
#ifndef TOR_SRC_MODEL_FAR_SURFACE_H
#define TOR_SRC_MODEL_FAR_SURFACE_H

#include "src/model/monitor.h"

/* Faults of a surface between lo and hi [nodes]: in an absorbing layer, through a total-field box or several media,
 * between mirrors. Writes the medium's index. */
void tor_far_surface_check(const struct tor_job *job, const struct tor_grid *grid, const struct tor_sources *sources,
                           const struct tor_monitor *monitor, const int lo[3], const int hi[3], int *medium,
                           struct tor_faults *faults);

/* Whether a closed surface, one that passes the check, lies within the total field of a plane wave. */
int tor_far_surface_within(const struct tor_grid *grid, const struct tor_sources *sources, const int lo[3],
                           const int hi[3]);

/* The domain's walls, not absorbing layers, that a surface ends on, the axis of a single plane left out (-1: a closed
 * surface): faces as bits 1 << face. */
unsigned tor_far_surface_mirrors(const struct tor_grid *grid, int plane_axis, const int lo[3], const int hi[3]);

#endif
