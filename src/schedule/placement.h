/* Assignment of parts of the domain to ranks: the run's layout, from the job, the plan and the number of processes. */
#ifndef TOR_SRC_SCHEDULE_PLACEMENT_H
#define TOR_SRC_SCHEDULE_PLACEMENT_H

#include "comm/exchange/exchange.h"
#include "src/schedule/plan.h"

/* Sets the plan's values that all ranks must share (DTS, TH, ranks along x and y, no GPU), and makes the layout. Values
 * that the job leaves open are chosen: on CPUs those that are fastest by the cluster model (rank_layout.h); on GPUs the
 * ranks of a process along y, else all ranks along x, where that fits, and TH is halved until a layout fits; ranks
 * narrower than two overlaps come last. Borders
 * divide the work of columns, stored in plan->work, by the costs that torre tune measured on rank 0's device; without
 * measurements by default costs on CPUs, evenly on GPUs. With columns on disk all ranks lie along x. Faults: ranks that
 * do not fit, with numbers that would. Collective. */
int tor_placement_make(const struct tor_job *job, struct tor_plan *plan, struct tor_decomposition *layout,
                       struct tor_faults *faults);
/* The same for the numbers of ranks given by the job along both axes, on CPUs. Returns 0, or -1 when they do not fit.
 * Local. */
int tor_placement_foresee(const struct tor_job *job, struct tor_plan *plan, struct tor_decomposition *layout);
/* What ranks need at the least, as a text that is valid until the next call. */
const char *tor_placement_least(const struct tor_job *job, const struct tor_plan *plan);
/* Frees the layout, and plan->work. */
void tor_placement_free(struct tor_plan *plan, struct tor_decomposition *layout);

/* Describes in text[size] the borders between ranks along an axis, how evenly they divide the work, and how evenly
 * equal widths would. Returns 0, or -1 where the axis has no borders or the work is not known. */
int tor_placement_log(const struct tor_plan *plan, const struct tor_decomposition *layout, int axis, char *text,
                      size_t size);

/* Describes in text[size] that ranks along x are narrower than two overlaps. Returns 0, or -1 when they are not. */
int tor_placement_narrow(const struct tor_decomposition *layout, char *text, size_t size);

/* What may be said against the division on CPUs, in text[size]: an uneven one, and fewer ranks that would be faster.
 * near: ranks of this machine; 0: not known. Returns 0, or -1 when there is nothing. */
int tor_placement_advice(const struct tor_job *job, const struct tor_plan *plan, const struct tor_decomposition *layout,
                         int near, char *text, size_t size);

#endif
