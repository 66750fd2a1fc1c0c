/* Which rank gets which part of the domain: the run's layout, from the job, the plan and the number of processes. */
#ifndef TOR_SRC_SCHEDULE_PLACEMENT_H
#define TOR_SRC_SCHEDULE_PLACEMENT_H

#include "comm/exchange/exchange.h"
#include "src/schedule/plan.h"

/* Settles what ranks must have in common (DTS, TH, ranks along x and y, no GPU) in the plan, and makes the layout. What
 * the job leaves open is chosen: the ranks of a process along y, else all ranks along x, where that fits, TH halved
 * until something does. Borders share out the work of columns, which plan->work then has, by the costs that torre tune
 * measured on rank 0's device; on CPUs without them by the usual ones, on GPUs without them they are even. Faults:
 * ranks that do not fit, with what would. Collective. */
int tor_placement_make(const struct tor_job *job, struct tor_plan *plan, struct tor_decomposition *layout,
                       struct tor_faults *faults);
/* The same for the ranks that the job asks for, both numbers given, on CPUs. Returns 0, or -1 when they do not fit.
 * Local. */
int tor_placement_foresee(const struct tor_job *job, struct tor_plan *plan, struct tor_decomposition *layout);
/* Frees the layout, and plan->work. */
void tor_placement_free(struct tor_plan *plan, struct tor_decomposition *layout);

/* Where the borders between ranks along an axis are, how evenly they share the work out, and how equal widths would.
 * Returns 0, or -1 where the axis has none or the work is not known. */
int tor_placement_log(const struct tor_plan *plan, const struct tor_decomposition *layout, int axis, char *text,
                      size_t size);

#endif
