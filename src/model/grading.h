/* Graded grids: columns are made for cells of length tor_grid.d, then their coefficients take the cells' own lengths.
 *
 * Fields are integrals along edges (diamond/core/update.h), so that lengths are in the factor 1 / A alone, a product of
 * one factor for each axis (tor_grid_grading): cb is multiplied by it. Poles' currents are in units of the curl, so the
 * shares that drive them are divided by it; a charge's g (tor_branch_charge) is multiplied. ca1, the coefficients of
 * poles, a and r are without lengths. So engines need not know of graded cells. */
#ifndef TOR_SRC_MODEL_GRADING_H
#define TOR_SRC_MODEL_GRADING_H

#include "src/model/column_media.h"

/* Whether a column's cells have other lengths along x or y than tor_grid.d. */
int tor_grading_across(const struct tor_columns *c, int ix, int iy);
/* Makes `column` a copy of the background. */
void tor_grading_copy(const struct tor_columns *c, struct tor_column *column);
/* Multiplies a column's coefficients by the factors of x and y (across: for column ix, iy) and of z (along). */
void tor_grading_apply(const struct tor_columns *c, struct tor_column *column, int across, int ix, int iy, int along);

#endif
