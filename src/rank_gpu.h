/* Which rank of several runs on which GPU, and whether its part of the domain fits there. */
#ifndef TOR_RANK_GPU_H
#define TOR_RANK_GPU_H

#include "../comm/layout.h"
#include "plan.h"

/* Gives each rank the GPU whose number is the rank's among those of its machine, and sets plan->gpu and the towers'
 * half-width; -1: all ranks run on the CPU. schedule.device: "cpu": no GPU; "auto": GPUs where each rank has one of its
 * own; "gpu": more ranks than GPUs share them, which tor_rank_gpu_warn tells. The same decision on all ranks. Faults
 * where GPUs are asked for and cannot be had. Collective. */
void tor_rank_gpu_choose(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults);
/* A fault, or with "auto" and -1 the CPU, where the layout's part is too large for the GPU. Returns 0 when the GPUs are
 * used. Collective. */
int tor_rank_gpu_fits(const struct tor_job *job, const struct tor_plan *plan, const struct tor_layout *layout,
                      struct tor_faults *faults);
/* Logs which GPUs are used by how many ranks. Collective. */
void tor_rank_gpu_log(const struct tor_plan *plan);

#endif
