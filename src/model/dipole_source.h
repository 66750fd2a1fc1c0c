/* Currents of dipoles on the grid. */
#ifndef TOR_SRC_MODEL_DIPOLE_SOURCE_H
#define TOR_SRC_MODEL_DIPOLE_SOURCE_H

#include "diamond/core/column_state.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/sheet_source.h"

/* Calls add(context, ix, iy, component, entry) for each point around the dipole's place that carries current, in the
 * columns of a block, NULL: all; with add NULL it only counts. index: the dipole's column of the table of currents.
 * Returns the number of points. */
double tor_dipole_inject(const struct tor_source *source, const struct tor_grid *g, int index,
                         const struct tor_column_block *block, tor_inject_add *add, void *context);

#endif
