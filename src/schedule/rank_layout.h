/* The choice of grid, tile and stage for ranks on CPUs: which division of a job is fastest by the cluster model
 * (src/predict/cluster.h) with the work of its slowest rank, and whether fewer ranks would be faster. Local: the same
 * arguments give the same choice. */
#ifndef TOR_SRC_SCHEDULE_RANK_LAYOUT_H
#define TOR_SRC_SCHEDULE_RANK_LAYOUT_H

#include "comm/exchange/decomposition.h"
#include "diamond/core/slab.h"
#include "src/schedule/plan.h"

/* Above this share of the mean work of a rank the slowest one is reported. */
#define TOR_RANK_UNEVEN 1.15

struct tor_rank_choice {
  int ranks[2], dts, th;
  double slowest; /* work of the slowest rank, in units of the mean; 1 where plan->work is not known */
  double seconds; /* of the whole run, by the model; for comparison alone */
};

/* The fastest division of `slab`, the domain's outline, among `ranks` ranks with plan->setup.threads threads each. The
 * job's schedule.ranks, dts and th are kept; else dts and th go down from the plan's, and all grids are tried, those of
 * `in_process` ranks along y first. Returns 0, or -1 when none fits. */
int tor_rank_layout_choose(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan,
                           int ranks, int in_process, struct tor_rank_choice *choice);
/* Makes the layout of a choice; borders divide plan->work. Returns 0, or -1 when it does not fit. */
int tor_rank_layout_make(const struct tor_slab *slab, const struct tor_plan *plan, const struct tor_rank_choice *choice,
                         struct tor_decomposition *layout);
/* Work of the slowest rank of a layout in units of the mean, 1 where plan->work is not known: along an axis; of both
 * axes, as far as work is the product of what it is along each. */
double tor_rank_layout_share(const struct tor_plan *plan, const struct tor_decomposition *layout, int axis);
double tor_rank_layout_slowest(const struct tor_plan *plan, const struct tor_decomposition *layout);

/* Ranks of this machine, which share its cores; 0: not known. */
struct tor_rank_machine {
  int ranks, cores;
};
/* A sentence in text[size] where the slowest rank has more than TOR_RANK_UNEVEN of the mean work, with the number of
 * ranks that would be even; and one where fewer ranks, or the threads of one process, would be faster: with as many
 * threads each, or where `machine` has all ranks with the same cores. Returns 0, or -1 when there is nothing to be
 * said.
 */
int tor_rank_layout_advice(const struct tor_job *job, const struct tor_slab *slab, const struct tor_plan *plan,
                           const struct tor_rank_choice *choice, const struct tor_rank_machine *machine, char *text,
                           size_t size);

#endif
