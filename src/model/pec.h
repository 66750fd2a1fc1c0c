/* Perfect conductors (media that tor_medium.conducts) in cells: E is 0 on edges inside them. */
#ifndef TOR_SRC_MODEL_PEC_H
#define TOR_SRC_MODEL_PEC_H

#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/model/nearby.h"

struct tor_columns;

/* Whether a job's objects have a perfect conductor. */
int tor_pec_any(const struct tor_job *job);
/* Whether x [m] lies in a perfect conductor or within a millionth of a cell of one. */
int tor_pec_at(const struct tor_columns *c, const struct tor_nearby *near, const double x[3]);
/* Takes perfect conductors out of a mixture, whose other media then fill the box; as it is where there are no others.
 */
void tor_pec_leave(const struct tor_job *job, struct tor_mix *mix);

#endif
