/* The plan of a job on disk: see disk_plan.h. */
#include "src/schedule/disk_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "comm/transport/message.h"
#include "io/files/direct_file.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/host_memory.h"
#include "src/base/types.h"
#include "src/disk/disk.h"
#include "src/disk/disk_rate.h"
#include "src/disk/paged.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/model.h"
#include "src/schedule/plan.h"
#include "src/simulation/simulation.h"

/* TH is chosen so far above the knee, and no lower than USUAL_STEPS, which spares the disk, as far as the memory
 * allows.
 */
static const double above_knee = 1.6;
enum { FEWEST_STEPS = 8, USUAL_STEPS = 64, CHECKPOINT_BLOCK = 16 << 20 };

int tor_disk_plan_is_asked(const struct tor_job *job) { return job->schedule.disk && *job->schedule.disk; }

/* Bytes of all columns that lie on disk, and of those that do not change. */
static double file_bytes(const struct tor_model_size *size) {
  const struct tor_model_memory *m = &size->memory;
  return m->fields + m->cpml_z + m->coefficients + m->poles;
}
static double constant_bytes(const struct tor_job *job, const struct tor_model_size *size) {
  const double weights = size->memory.poles - (double)job->precision * size->values_dispersive;
  return size->memory.coefficients + fmax(weights, 0);
}

/* Bytes of the job that stay in memory, with buffers of checkpoints. */
static double staying_bytes(const struct tor_plan *plan) {
  const struct tor_model_memory *m = &plan->size.memory;
  const double slice = plan->disk.file / (plan->size.grid.n[0] + 1);
  return m->total - plan->disk.file + m->copies + plan->setup.threads * fmin(slice, CHECKPOINT_BLOCK);
}

static int check_settings(const struct tor_job *job, const struct tor_plan *plan, struct tor_faults *faults) {
  const struct tor_place *place;
  if (job->schedule.device == TOR_DEVICE_GPU) {
    place = tor_job_place(job, "schedule.device");
    tor_fault_at(faults, place, "got " TOR_FOUND("\"gpu\" with schedule.disk") ", need " TOR_NEEDED("\"cpu\" there"));
  }
  if (plan->setup.engine == TOR_ENGINE_STEPWISE) {
    place = tor_job_place(job, "schedule.engine");
    tor_fault_at(faults, place,
                 "got " TOR_FOUND("\"stepwise\" with schedule.disk") ", need " TOR_NEEDED("\"diamond\" there"));
  }
  for (int a = 0; a < 3; a++)
    if (job->boundary[2 * a].wall == TOR_PERIODIC)
      tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
                   "got " TOR_FOUND("periodic walls along %c with schedule.disk") ", need " TOR_NEEDED(
                       "other walls, or memory for the whole job"),
                   tor_axis_name(job, a));
  if (job->plane)
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
                 "got " TOR_FOUND("a 2-D job with schedule.disk") ", need " TOR_NEEDED("memory for the whole job"));
  if (tor_message_ranks() > 1) {
    place = tor_job_place(job, "schedule.disk");
    tor_fault_at(faults, place, "got " TOR_FOUND("%d ranks") ", need " TOR_NEEDED("one process with columns on disk"),
                 tor_message_ranks());
  }
  return faults->count ? -1 : 0;
}

static int check_folder(const struct tor_job *job, const struct tor_plan *plan, struct tor_faults *faults) {
  const char *folder = job->schedule.disk;
  struct tor_direct_file file;
  struct statvfs disk;
  if (tor_direct_file_open(&file, folder) || fstatvfs(file.fd, &disk)) {
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"), "no file can be made in " TOR_FOUND("\"%s\"") ": %s",
                 folder, strerror(errno));
    return -1;
  }
  tor_direct_file_close(&file);
  const double room = (double)disk.f_bavail * (double)disk.f_frsize;
  if (room >= plan->disk.file || !disk.f_blocks) return 0; /* some file systems do not say */
  tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
               "the columns need " TOR_NEEDED("%.3f GB") ", \"%s\" has " TOR_FOUND("%.3f GB") " of free disk",
               plan->disk.file * 1e-9, folder, room * 1e-9);
  return -1;
}

/* The longest stage that the memory allows: besides the columns of one row, a tenth for those that come and leave. */
static int longest_stage(const struct tor_job *job, const struct tor_plan *plan) {
  const int s = job->order == 4 ? 3 : 1, radius = s * plan->setup.dts;
  const double column = plan->disk.file / (plan->size.grid.n[0] + 1), columns = 0.9 * plan->disk.memory / column;
  return (int)fmin((columns - radius - tor_disk_columns(job->order, radius, 0)) / s, 1e6);
}

int tor_disk_plan_find(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  struct tor_plan_disk *disk = &plan->disk;
  const char *limit = "(schedule.host_memory)";
  const double given = job->schedule.host_memory, available = given > 0 ? given : tor_host_memory(NULL, 1, &limit);
  const double here = (double)tor_message_neighbours() / tor_message_ranks(); /* share of the ranks of this machine */
  memset(disk, 0, sizeof *disk);
  if (available <= 0 || here * plan->size.memory.total + plan->size.memory.copies <= available) return 0;
  if (check_settings(job, plan, faults)) return -1;
  disk->file = file_bytes(&plan->size);
  disk->moved = 2 * disk->file - constant_bytes(job, &plan->size);
  disk->stays = staying_bytes(plan);
  disk->memory = 0.95 * available - disk->stays;
  disk->rate = job->schedule.disk_rate;
  if (check_folder(job, plan, faults)) return -1;
  const int longest = longest_stage(job, plan), least = job->schedule.th > 0 ? job->schedule.th : FEWEST_STEPS;
  plan->th = job->schedule.th > 0 ? job->schedule.th : longest;
  disk->used = 1;
  if (longest >= least) return 0;
  const int s = job->order == 4 ? 3 : 1;
  const double column = disk->file / (plan->size.grid.n[0] + 1);
  tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
               "%.3f GB of the job stay in memory, and stages of %d steps need %.3f GB of columns there; " TOR_FOUND(
                   "%.3f GB") " are %s; allow more memory or lower schedule.th",
               disk->stays * 1e-9, least,
               (s * least + 2 * s * plan->setup.dts + tor_disk_columns(job->order, 0, 0)) * column / 0.9 * 1e-9,
               available * 1e-9, limit);
  return -1;
}

int tor_disk_plan_choose(const struct tor_job *job, double seconds, struct tor_plan *plan, struct tor_faults *faults) {
  struct tor_plan_disk *disk = &plan->disk;
  if (disk->rate <= 0) {
    disk->rate = tor_disk_rate(job->schedule.disk, tor_paged_block_for(disk->memory), seconds);
    disk->measured = 1;
  }
  if (disk->rate <= 0) {
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"), "the disk of \"%s\" could not be measured: %s",
                 job->schedule.disk, strerror(errno));
    return -1;
  }
  if (plan->rate <= 0) return 0;
  disk->knee = plan->rate * disk->moved / (plan->size.cells * disk->rate);
  const int wanted = (int)fmin(fmax(ceil(above_knee * disk->knee), USUAL_STEPS), 1e6);
  if (job->schedule.th <= 0 && plan->th > wanted) plan->th = wanted;
  plan->rate *= tor_disk_plan_share(plan);
  plan->seconds = plan->size.cells * (double)plan->size.steps / plan->rate;
  return 0;
}

int tor_disk_plan_complete(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  const double seconds = 0.5;
  if (!plan->disk.used || job->schedule.th > 0) return 0;
  tor_plan_measure(job, seconds, plan);
  return tor_disk_plan_choose(job, seconds, plan, faults);
}

struct tor_disk *tor_disk_plan_open(const struct tor_job *job, const struct tor_plan *plan, struct tor_faults *faults) {
  if (!plan->disk.used) return NULL;
  const struct tor_disk_setup setup = {job->schedule.disk, plan->disk.memory, job->schedule.disk_rate};
  struct tor_disk *disk = tor_disk_open(&setup);
  if (!disk)
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"), "no file can be made in " TOR_FOUND("\"%s\"") ": %s",
                 job->schedule.disk, strerror(errno));
  else if (!tor_disk_is_direct(disk))
    tor_log_note("schedule.disk: the file system of %s has no O_DIRECT, columns pass through the page cache",
                 job->schedule.disk);
  return disk;
}

double tor_disk_plan_share(const struct tor_plan *plan) {
  return plan->disk.knee > plan->th ? plan->th / plan->disk.knee : 1;
}

void tor_disk_plan_print(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  const struct tor_plan_disk *disk = &plan->disk;
  fprintf(out, "disk       %.3f GB of columns in %s, %.3f GB of them in memory at one time, beside %.3f GB\n",
          disk->file * 1e-9, job->schedule.disk, disk->memory * 1e-9, disk->stays * 1e-9);
  if (disk->rate <= 0 || disk->knee <= 0) return;
  fprintf(out,
          "           %.3g GB/s (%s) are hidden from TH %.0f on; at TH %d the run has %.0f %% of the rate without\n",
          disk->rate * 1e-9, disk->measured ? "measured" : "schedule.disk_rate", ceil(disk->knee), plan->th,
          100 * tor_disk_plan_share(plan));
}

void tor_disk_plan_log(const struct tor_job *job, const struct tor_plan *plan) {
  const struct tor_plan_disk *disk = &plan->disk;
  if (!disk->used) {
    if (tor_disk_plan_is_asked(job)) tor_log("schedule.disk: the memory holds the whole job, the disk is not used");
    return;
  }
  tor_log("%.3f GB of columns on disk in %s, %.3f GB of them in memory at one time, beside %.3f GB", disk->file * 1e-9,
          job->schedule.disk, disk->memory * 1e-9, disk->stays * 1e-9);
  if (disk->knee <= 0) return;
  tor_log("the disk does %.3g GB/s (%s): hidden from TH %.0f on", disk->rate * 1e-9,
          disk->measured ? "measured" : "schedule.disk_rate", ceil(disk->knee));
  if (disk->knee > plan->th)
    tor_log_note("the disk limits the run to %.0f %% of the processor's rate: %s", 100 * tor_disk_plan_share(plan),
                 job->schedule.th > 0 ? "a larger schedule.th, or none, would hide more of it"
                                      : "more memory would allow longer stages");
}

int tor_disk_plan_use(const struct tor_job *job, const struct tor_plan *plan, struct tor_simulation *sim,
                      struct tor_faults *faults) {
  if (!plan->disk.used) return 0;
  if (tor_simulation_use_disk(sim)) {
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
                 "%.3f GB of memory for columns are too few for the widest of them; allow more (schedule.host_memory)",
                 plan->disk.memory * 1e-9);
    return -1;
  }
  if (sim->th < plan->th)
    tor_log_note(
        "stages have %d steps in place of %d: some columns have more data than others, and the memory holds no "
        "more of them",
        sim->th, plan->th);
  return 0;
}

void tor_disk_plan_log_end(const struct tor_plan *plan, const struct tor_disk *disk, double seconds) {
  if (!disk) return;
  const struct tor_paged_traffic t = tor_disk_traffic(disk);
  tor_log("disk: %.3f GB read, %.3f GB written; the threads waited %.0f %% of the time for it", t.read * 1e-9,
          t.written * 1e-9, 100 * t.waited / (plan->setup.threads * seconds));
}
