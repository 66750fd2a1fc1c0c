/* Absorbers: the slab's factors (tor_slab.damping), and coefficients with them. */
#ifndef TOR_SRC_MODEL_DAMPING_H
#define TOR_SRC_MODEL_DAMPING_H

#include "diamond/core/slab.h"
#include "src/job/grid.h"

/* Sets slab->damping where a face has an absorber. Returns whether one across z acts. */
int tor_damping_make(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab);

/* The factor p_x p_y of a component of column (ix, iy): 1 where no absorber across x or y acts. */
double tor_damping_across(const struct tor_slab *slab, int comp, int ix, int iy);

/* Multiplies a component's coefficients [nzp] by the absorbers' factors (diamond/core/update.h), in the slab's
 * precision; across: tor_damping_across. */
void tor_damping_apply(const struct tor_slab *slab, int comp, double across, double *cb, double *ca1);

#endif
