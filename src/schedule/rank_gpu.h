/* Which rank of several runs on which GPU, and whether its part of the domain fits there. */
#ifndef TOR_SRC_SCHEDULE_RANK_GPU_H
#define TOR_SRC_SCHEDULE_RANK_GPU_H

#include "comm/exchange/decomposition.h"
#include "src/schedule/plan.h"

/* GPUs that a rank may use, in the order in which CUDA numbers them for its process, by their PCI bus identifiers. */
enum { TOR_GPUS_MOST = 16 };
struct tor_gpus_seen {
  int count;
  char pci[TOR_GPUS_MOST][32];
};
/* A rank's choice. */
struct tor_gpu_pick {
  int number; /* among those that it sees; -1: it sees none */
  int ranks;  /* of this machine that have the same one */
  int used;   /* GPUs that ranks of this machine have */
};
/* Rank number `rank` of a machine's ranks. One after the other takes the first GPU that it sees among those that the
 * fewest have taken. */
struct tor_gpu_pick tor_rank_gpu_pick(const struct tor_gpus_seen *seen, int ranks, int rank);

/* Ranks that each process should be: schedule.devices; with "auto" only where each process sees as many GPUs.
 * Collective over processes. */
int tor_rank_gpu_devices(const struct tor_job *job);
/* Gives each rank a GPU, its own one as far as they go, and sets plan->gpu and the towers' half-width; -1: all ranks
 * run on the CPU. schedule.device: "cpu": no GPU; "auto": GPUs where each rank has one of its own; "gpu": more ranks
 * than GPUs share them, which tor_rank_gpu_log tells. The same decision on all ranks. Faults where GPUs are asked for
 * and cannot be had. Collective. */
void tor_rank_gpu_choose(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults);
/* Returns 0 where every rank's part of the layout fits its GPU, with plan->window = 0. Collective. */
int tor_rank_gpu_fits(const struct tor_job *job, struct tor_plan *plan, const struct tor_decomposition *layout);
/* TH for parts over which windows pass: the same on all ranks. Collective. */
void tor_rank_gpu_choose_th(const struct tor_job *job, struct tor_plan *plan);
/* This rank's window on its part of the layout, in plan->window. Returns 0; or, on all ranks, -1 where one has not room
 * for a stage, a fault if GPUs were asked for. Collective. */
int tor_rank_gpu_window(const struct tor_job *job, struct tor_plan *plan, const struct tor_decomposition *layout,
                        struct tor_faults *faults);
/* Logs which GPUs are used by how many ranks. Collective. */
void tor_rank_gpu_log(const struct tor_plan *plan);

#endif
