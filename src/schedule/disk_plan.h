/* The plan of a job whose columns lie on disk (schedule.disk): how many are in memory at one time, and the steps of a
 * stage that hide the disk behind the computation. */
#ifndef TOR_SRC_SCHEDULE_DISK_PLAN_H
#define TOR_SRC_SCHEDULE_DISK_PLAN_H

#include <stdio.h>

#include "src/disk/disk.h"
#include "src/schedule/plan.h"
#include "src/simulation/simulation.h"

/* Whether the job names a disk. */
int tor_disk_plan_is_asked(const struct tor_job *job);
/* Sets plan->disk; plan->disk.used stays 0 where the memory holds the whole job, or the parts of this machine's ranks.
 * Faults, -1: the job's engine, device or ranks cannot run so, the folder takes no file or has too little room. */
int tor_disk_plan_find(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults);
/* Then, where CPUs run the job (for a GPU's window: tor_plan_window_alone): plan->th as the memory allows. Faults, -1:
 * it is too small. */
int tor_disk_plan_fit(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults);
/* Then: measures the disk where the job gives no rate, about `seconds`, and sets the knee, TH and the rate of the run.
 * plan->rate: what the processor or the GPU alone does; 0: not known, TH is the longest that the memory allows. */
int tor_disk_plan_choose(const struct tor_job *job, double seconds, struct tor_plan *plan, struct tor_faults *faults);

/* For a run: measures what is needed to choose TH, where the job leaves it open; all ranks use the disk where one does,
 * and the shortest stage. Collective; faults are those of one rank. */
int tor_disk_plan_complete(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults);
/* The disk of the plan, owned by the caller; NULL: none is used, or a fault. */
struct tor_disk *tor_disk_plan_open(const struct tor_job *job, const struct tor_plan *plan, struct tor_faults *faults);

/* Share of the processor's rate that the disk leaves at the plan's TH: 1 above the knee. */
double tor_disk_plan_share(const struct tor_plan *plan);
void tor_disk_plan_print(const struct tor_job *job, const struct tor_plan *plan, FILE *out);
void tor_disk_plan_log(const struct tor_job *job, const struct tor_plan *plan);
/* Puts a simulation on the plan's disk, where it has one. Returns 0, or -1 with a fault of one rank. Collective. */
int tor_disk_plan_use(const struct tor_job *job, const struct tor_plan *plan, struct tor_simulation *sim,
                      struct tor_faults *faults);
/* What all ranks have moved, and how long they waited on average. Collective. */
struct tor_paged_traffic tor_disk_plan_traffic(const struct tor_disk *disk);
/* Threads that wait for the disk at one time. */
int tor_disk_plan_waiters(const struct tor_plan *plan);
/* What a run of so many seconds moved, and how long its threads waited for it; disk NULL: nothing. Collective. */
void tor_disk_plan_log_end(const struct tor_plan *plan, const struct tor_disk *disk, double seconds);

#endif
