/* The plan of a job on disk: see disk_plan.h. */
#include "src/schedule/disk_plan.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/core/tile.h"
#include "io/files/direct_file.h"
#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/host_memory.h"
#include "src/base/types.h"
#include "src/disk/disk.h"
#include "src/disk/disk_rate.h"
#include "src/disk/paged.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/model.h"
#include "src/schedule/plan.h"
#include "src/simulation/simulation.h"

/* TH is chosen so far above the knee, and no lower than USUAL_STEPS, which spares the disk, as far as the memory
 * allows.
 */
static const double above_knee = 1.6;
enum { FEWEST_STEPS = 8, USUAL_STEPS = 64, MOST_STEPS = 1000000, CHECKPOINT_BLOCK = 16 << 20 };
/* Overlaps of several ranks are narrower with smaller tiles, down to this one. */
enum { FEWEST_TILE = 4 };

static int most(int a, int b) { return a > b ? a : b; }

int tor_disk_plan_is_asked(const struct tor_job *job) { return job->schedule.disk && *job->schedule.disk; }

/* Bytes of all columns that lie on disk, and of those that do not change. */
static double file_bytes(const struct tor_model_size *size) {
  const struct tor_model_memory *m = &size->memory;
  return m->fields + m->cpml_z + m->coefficients + m->poles;
}
/* Those of a rank, which holds as much as the others, and of the slices of columns along x. */
static double part(const struct tor_plan *plan, double bytes) { return bytes / plan->disk.ranks; }
static double slice_bytes(const struct tor_plan *plan) {
  return file_bytes(&plan->size) / tor_grid_slices(&plan->size.grid, 0);
}
static double constant_bytes(const struct tor_job *job, const struct tor_model_size *size) {
  const double weights = size->memory.poles - (double)job->precision * size->values_dispersive;
  return size->memory.coefficients + fmax(weights, 0);
}

/* Bytes of the job that stay in memory, with buffers of checkpoints. Each rank has all time series; the first one joins
 * the Fourier sums of all. */
static double staying_bytes(const struct tor_plan *plan) {
  const struct tor_model_memory *m = &plan->size.memory;
  const double sums = m->monitors - m->series, joined = plan->disk.ranks > 1 ? sums : 0;
  return m->monitors + joined + part(plan, m->total - m->monitors - file_bytes(&plan->size)) + m->copies + m->designs +
         plan->setup.threads * fmin(slice_bytes(plan), CHECKPOINT_BLOCK);
}

/* Columns of an overlap, of which a rank has two; both stay in memory, and have a message each way. */
static int overlap(const struct tor_job *job, const struct tor_plan *plan, int steps) {
  const int s = job->order == 4 ? 3 : 1;
  return plan->disk.ranks > 1 ? s * (steps + plan->setup.dts) : 0;
}
enum { OVERLAPS = 2, MESSAGES = 4 };

static int check_settings(const struct tor_job *job, const struct tor_plan *plan, struct tor_faults *faults) {
  const struct tor_place *place;
  if (job->schedule.device == TOR_DEVICE_GPU && (tor_message_ranks() > 1 || job->schedule.devices > 1)) {
    place = tor_job_place(job, "schedule.device");
    tor_fault_at(faults, place,
                 "got " TOR_FOUND("\"gpu\" with schedule.disk and several ranks or devices") ", need " TOR_NEEDED(
                     "one rank with one device, or \"cpu\""));
  }
  if (plan->setup.engine == TOR_ENGINE_STEPWISE) {
    place = tor_job_place(job, "schedule.engine");
    tor_fault_at(faults, place,
                 "got " TOR_FOUND("\"stepwise\" with schedule.disk") ", need " TOR_NEEDED("\"diamond\" there"));
  }
  if (job->boundary[TOR_XLO].wall == TOR_PERIODIC)
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
                 "got " TOR_FOUND("periodic walls along %c with schedule.disk") ", need " TOR_NEEDED(
                     "other walls there, or memory for the whole job"),
                 tor_axis_name(job, TOR_X));
  if (job->plane)
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
                 "got " TOR_FOUND("a 2-D job with schedule.disk") ", need " TOR_NEEDED("memory for the whole job"));
  const int *asked = job->schedule.ranks, ranks = tor_message_ranks();
  if (ranks > 1 && (asked[1] > 1 || (asked[0] && asked[0] != ranks))) {
    place = tor_job_place(job, "schedule.ranks");
    tor_fault_at(faults, place, "got " TOR_FOUND("[%d, %d] with schedule.disk") ", need " TOR_NEEDED("[%d, 1]"),
                 asked[0], asked[1], ranks);
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
  const double room = (double)disk.f_bavail * (double)disk.f_frsize,
               needed = plan->disk.file * tor_message_neighbours();
  if (room >= needed || !disk.f_blocks) return 0; /* some file systems do not say */
  tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
               "the columns need " TOR_NEEDED("%.3f GB") ", \"%s\" has " TOR_FOUND("%.3f GB") " of free disk",
               needed * 1e-9, folder, room * 1e-9);
  return -1;
}

/* Columns in memory, and in messages, for stages of so many steps: besides those of one row, a tenth for those that
 * come and leave. */
static double columns_of_stage(const struct tor_job *job, const struct tor_plan *plan, int steps) {
  const int radius = (job->order == 4 ? 3 : 1) * plan->setup.dts;
  const double row = radius + tor_disk_columns(job->order, radius, steps);
  return row / 0.9 + (OVERLAPS + MESSAGES) * overlap(job, plan, steps);
}
/* The longest stage that the memory allows. */
static int longest_stage(const struct tor_job *job, const struct tor_plan *plan) {
  const double columns = plan->disk.memory / slice_bytes(plan), none = columns_of_stage(job, plan, 0),
               each = columns_of_stage(job, plan, 1) - none;
  return (int)fmin(fmax((columns - none) / each, 0), 1e6);
}

/* Of all ranks of this machine together. */
static double available_memory(const struct tor_job *job, const char **limit) {
  *limit = "(schedule.host_memory)";
  if (job->schedule.host_memory > 0) return job->schedule.host_memory;
  return tor_host_memory(NULL, tor_message_neighbours(), limit);
}

static int size_up(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  struct tor_plan_disk *disk = &plan->disk;
  const char *limit;
  const int near = tor_message_neighbours();
  const double available = available_memory(job, &limit) / near;
  disk->ranks = tor_message_ranks();
  if (check_settings(job, plan, faults)) return -1;
  disk->file = part(plan, file_bytes(&plan->size));
  disk->moved = 2 * disk->file - part(plan, constant_bytes(job, &plan->size));
  disk->stays = staying_bytes(plan);
  disk->memory = 0.95 * available - disk->stays;
  disk->rate = job->schedule.disk_rate / near;
  if (check_folder(job, plan, faults)) return -1;
  disk->used = 1;
  return 0;
}

/* The next smaller tile, of those that close a ring of towers. */
static int smaller_tile(const struct tor_job *job, const struct tor_plan *plan) {
  const int s = job->order == 4 ? 3 : 1, ring = job->boundary[TOR_YLO].wall == TOR_PERIODIC;
  int dts = most(plan->setup.dts * 3 / 4, FEWEST_TILE);
  while (ring && dts > 1 && !tor_tiling_closes(s * dts, 2 * plan->size.grid.n[1])) dts--;
  return dts;
}

int tor_disk_plan_fit(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  struct tor_plan_disk *disk = &plan->disk;
  const int least = job->schedule.th > 0 ? job->schedule.th : FEWEST_STEPS, open_tile = job->schedule.dts <= 0;
  int *tile = &plan->setup.dts;
  while (disk->ranks > 1 && open_tile && *tile > FEWEST_TILE && longest_stage(job, plan) < most(least, USUAL_STEPS))
    *tile = smaller_tile(job, plan);
  const int longest = longest_stage(job, plan);
  plan->th = job->schedule.th > 0 ? job->schedule.th : longest;
  if (longest >= least) return 0;
  const char *limit;
  const double available = available_memory(job, &limit) / tor_message_neighbours();
  tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
               "%.3f GB of the job stay in memory, and stages of %d steps need %.3f GB of columns there; " TOR_FOUND(
                   "%.3f GB") " are %s%s; allow more memory or lower schedule.th",
               disk->stays * 1e-9, least, columns_of_stage(job, plan, least) * slice_bytes(plan) * 1e-9,
               available * 1e-9, limit, disk->ranks > 1 ? " for a rank" : "");
  return -1;
}

int tor_disk_plan_find(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  const char *limit;
  const struct tor_model_memory *m = &plan->size.memory;
  const double available = available_memory(job, &limit),
               here = (double)tor_message_neighbours() / tor_message_ranks(); /* share of the ranks of this machine */
  memset(&plan->disk, 0, sizeof plan->disk);
  if (available <= 0 || here * m->total + m->copies + m->designs <= available) return 0;
  return size_up(job, plan, faults);
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
  disk->hide = MOST_STEPS;
  if (plan->rate > 0) {
    disk->knee = plan->rate * disk->moved / (part(plan, plan->size.cells) * disk->rate);
    disk->hide = (int)fmin(fmax(ceil(above_knee * disk->knee), USUAL_STEPS), MOST_STEPS);
  }
  double needed;
  if (plan->gpu >= 0)
    tor_plan_window_alone(job, plan, &needed);
  else if (job->schedule.th <= 0 && plan->th > disk->hide)
    plan->th = disk->hide;
  if (plan->rate <= 0) return 0;
  plan->rate *= tor_disk_plan_share(plan);
  plan->seconds = plan->size.cells * (double)plan->size.steps / plan->rate;
  return 0;
}

int tor_disk_plan_complete(const struct tor_job *job, struct tor_plan *plan, struct tor_faults *faults) {
  const double seconds = 0.5;
  if (tor_message_lowest(plan->disk.used) < 0) return 0;
  if (!plan->disk.used && !size_up(job, plan, faults)) /* another rank's machine is smaller */
    tor_disk_plan_fit(job, plan, faults);
  if (tor_reduce_faults(faults)) return -1;
  if (job->schedule.th > 0) return 0;
  tor_plan_measure(job, seconds, plan);
  const int failed = tor_disk_plan_choose(job, seconds, plan, faults);
  plan->th = tor_reduce_least(plan->th);
  return failed;
}

/* Columns in memory at one time, without those in messages. */
static double column_memory(const struct tor_job *job, const struct tor_plan *plan) {
  return plan->disk.memory - MESSAGES * overlap(job, plan, plan->th) * slice_bytes(plan);
}

struct tor_disk *tor_disk_plan_open(const struct tor_job *job, const struct tor_plan *plan, struct tor_faults *faults) {
  if (!plan->disk.used) return NULL;
  const struct tor_disk_setup setup = {job->schedule.disk, column_memory(job, plan),
                                       job->schedule.disk_rate / tor_message_neighbours(), plan->gpu >= 0};
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

static const char *rate_origin(const struct tor_plan_disk *disk) {
  return disk->measured ? "measured" : "schedule.disk_rate";
}

void tor_disk_plan_print(const struct tor_job *job, const struct tor_plan *plan, FILE *out) {
  const struct tor_plan_disk *disk = &plan->disk;
  fprintf(out, "disk       %.3f GB of columns in %s, %.3f GB of them in memory at one time, beside %.3f GB\n",
          disk->file * 1e-9, job->schedule.disk, disk->memory * 1e-9, disk->stays * 1e-9);
  if (disk->rate > 0 && disk->knee <= 0 && plan->gpu >= 0)
    fprintf(out,
            "           %.3g GB/s (%s); the GPU's rate is not known (torre tune measures it): TH %d is the longest\n"
            "           stage that the memory allows\n",
            disk->rate * 1e-9, rate_origin(disk), plan->th);
  if (disk->rate <= 0 || disk->knee <= 0) return;
  fprintf(out,
          "           %.3g GB/s (%s) are hidden from TH %.0f on; at TH %d the run has %.0f %% of the rate without\n",
          disk->rate * 1e-9, rate_origin(disk), ceil(disk->knee), plan->th, 100 * tor_disk_plan_share(plan));
}

void tor_disk_plan_log(const struct tor_job *job, const struct tor_plan *plan) {
  const struct tor_plan_disk *disk = &plan->disk;
  if (!disk->used) {
    if (tor_disk_plan_is_asked(job)) tor_log("schedule.disk: the memory holds the whole job, the disk is not used");
    return;
  }
  tor_log("%.3f GB of columns on disk in %s, %.3f GB of them in memory at one time, beside %.3f GB%s",
          disk->file * 1e-9, job->schedule.disk, column_memory(job, plan) * 1e-9, disk->stays * 1e-9,
          disk->ranks > 1 ? ", of each rank" : "");
  if (disk->knee <= 0 && disk->hide)
    tor_log(
        "the disk does %.3g GB/s (%s); the GPU's rate is not known (torre tune): TH is as long as the memory allows",
        disk->rate * 1e-9, rate_origin(disk));
  if (disk->knee <= 0) return;
  tor_log("the disk does %.3g GB/s (%s): hidden from TH %.0f on", disk->rate * 1e-9, rate_origin(disk),
          ceil(disk->knee));
  if (disk->knee > plan->th)
    tor_log_note("the disk limits the run to %.0f %% of the processor's rate: %s", 100 * tor_disk_plan_share(plan),
                 job->schedule.th > 0 ? "a larger schedule.th, or none, would hide more of it"
                                      : "more memory would allow longer stages");
}

int tor_disk_plan_use(const struct tor_job *job, const struct tor_plan *plan, struct tor_simulation *sim,
                      struct tor_faults *faults) {
  if (!plan->disk.used || plan->gpu >= 0) return 0;
  if (tor_simulation_use_disk(sim)) {
    tor_fault_at(faults, tor_job_place(job, "schedule.disk"),
                 "%.3f GB of memory for columns are too few for the widest of them; allow more (schedule.host_memory)",
                 plan->disk.memory * 1e-9);
    tor_reduce_faults(faults);
    return -1;
  }
  if (sim->th < plan->th)
    tor_log_note(
        "stages have %d steps in place of %d: some columns have more data than others, and the memory holds no "
        "more of them",
        sim->th, plan->th);
  return 0;
}

struct tor_paged_traffic tor_disk_plan_traffic(const struct tor_disk *disk) {
  const struct tor_paged_traffic t = tor_disk_traffic(disk);
  int64_t all[3] = {(int64_t)t.read, (int64_t)t.written, (int64_t)(1e6 * t.waited)};
  tor_message_sum(all, 3);
  tor_message_bcast(all, sizeof all);
  return (struct tor_paged_traffic){(double)all[0], (double)all[1], 1e-6 * (double)all[2] / tor_message_ranks()};
}

int tor_disk_plan_waiters(const struct tor_plan *plan) { return plan->gpu < 0 ? plan->setup.threads : 1; }

void tor_disk_plan_log_end(const struct tor_plan *plan, const struct tor_disk *disk, double seconds) {
  if (!disk) return;
  const struct tor_paged_traffic t = tor_disk_plan_traffic(disk);
  tor_log("disk: %.3f GB read, %.3f GB written; the %s waited %.0f %% of the time for it", t.read * 1e-9,
          t.written * 1e-9, plan->gpu < 0 ? "threads" : "GPU",
          100 * t.waited / (tor_disk_plan_waiters(plan) * seconds));
}
