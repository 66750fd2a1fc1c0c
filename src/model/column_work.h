/* Cost of columns, estimated from the job alone, to place the borders between ranks before any rank makes a column.
 *
 * A column's work is that of vacuum, plus that of its cells in absorbing layers, plus that of the state of its poles.
 * Media are sampled in some of the columns, at one point a cell: coarser than in the model, and sufficient for borders.
 */
#ifndef TOR_SRC_MODEL_COLUMN_WORK_H
#define TOR_SRC_MODEL_COLUMN_WORK_H

#include <stdint.h>

#include "src/job/grid.h"

enum { TOR_COLUMN_WORK_UNIT = 256 }; /* of a vacuum cell */

/* Times in units of a vacuum cell's. */
struct tor_column_costs {
  double layers; /* additional, of a cell in an absorbing layer */
  double poles;  /* additional, of a cell in a medium of one Drude pole; n values of pole state cost (1 + n)/2 as much,
                  * in order 4  (3 + n)/4, since the medium's own coefficients cost as much as one or three
                  * (docs/user/cluster.md) */
};

/* Work of the slices with one ix, work[0][n[0] + 1], and with one iy, work[1][n[1] + 1], in those units, as
 * far as part `part` of `parts` samples them: the sums over all parts are the domain's. Local. */
void tor_column_work(const struct tor_job *job, const struct tor_grid *grid, const struct tor_column_costs *costs,
                     int part, int parts, int64_t *const work[2]);

#endif
