/* Which rank gets which part of the domain: the run's layout, from the job, the plan and the number of processes. */
#ifndef TOR_PLACEMENT_H
#define TOR_PLACEMENT_H

#include "../comm/slab.h"
#include "plan.h"

/* Settles what ranks must have in common (DTS, TH, ranks along x and y, no GPU) in the plan, and makes the layout. What the job leaves open is
 * chosen: all ranks along x where that fits, TH halved until something does. Faults: ranks that do not fit, with what would. Collective. */
int tor_placement_make(const struct tor_job *job, struct tor_plan *plan, struct tor_layout *layout, struct tor_faults *faults);

#endif
