/* Assignment of ranks to GPUs, and whether a rank's part of the domain fits on its GPU. */
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
  int ranks;  /* ranks of this machine on the same GPU */
  int used;   /* GPUs in use by ranks of this machine */
};
/* The choice of rank number `rank` of a machine's ranks. In their order, each rank takes the first GPU that it sees
 * among those with the fewest ranks so far. */
struct tor_gpu_pick tor_rank_gpu_pick(const struct tor_gpus_seen *seen, int ranks, int rank);

/* Ranks that each process should be: schedule.devices; with "auto" only where each process sees as many GPUs.
 * Collective over processes. */
int tor_rank_gpu_devices(const struct tor_job *job);
/* Assigns a GPU to each rank, a separate one where there are enough, and sets plan->gpu and the towers' half-width; -1:
 * all ranks run on the CPU. schedule.device: "cpu": no GPU; "auto": GPUs only where each rank has a separate one;
 * "gpu": more ranks than GPUs share them, with a warning by tor_rank_gpu_log. The same decision on all ranks. Faults
 * where "gpu" cannot be satisfied. Collective. */
void tor_rank_gpu_choose(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults);
/* Returns 0 where every rank's part of the layout fits its GPU, with plan->window = 0. Collective. */
int tor_rank_gpu_fits(const struct tor_job *job, struct tor_plan *plan, const struct tor_decomposition *layout);
/* Chooses TH for parts that are processed through windows: the same on all ranks. Collective. */
void tor_rank_gpu_choose_th(const struct tor_job *job, struct tor_plan *plan);
/* Sets plan->window, this rank's window on its part of the layout. Returns 0; or, on all ranks, -1 where the window of
 * any rank is too small for a stage: a fault with schedule.device = "gpu". Collective. */
int tor_rank_gpu_window(const struct tor_job *job, struct tor_plan *plan, const struct tor_decomposition *layout,
                        struct tor_faults *faults);
/* Logs which GPUs are used by how many ranks. Collective. */
void tor_rank_gpu_log(const struct tor_plan *plan);

#endif
