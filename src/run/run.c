/* A run from job to results folder: see run.h. */
#include "src/run/run.h"

#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/exchange/exchange.h"
#include "comm/exchange/reduce.h"
#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "diamond/core/worker.h"
#include "diamond/gpu/device.h"
#include "io/files/folder.h"
#include "io/files/log.h"
#include "io/files/progress.h"
#include "io/files/safe_open.h"
#include "src/base/concurrent.h"
#include "src/base/error.h"
#include "src/base/host_memory.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/disk/disk.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/job_warnings.h"
#include "src/model/averaging.h"
#include "src/model/model.h"
#include "src/model/source.h"
#include "src/results/results_file.h"
#include "src/results/results_folder.h"
#include "src/results/snapshot.h"
#include "src/run/interrupt.h"
#include "src/run/run_control.h"
#include "src/run/run_results.h"
#include "src/run/run_sources.h"
#include "src/run/settling.h"
#include "src/schedule/disk_plan.h"
#include "src/schedule/placement.h"
#include "src/schedule/plan.h"
#include "src/schedule/rank_cpus.h"
#include "src/schedule/rank_gpu.h"
#include "src/simulation/checkpoint.h"
#include "src/simulation/simulation.h"
#include "tor_version.h"

/* Refuses a job larger than the machine's memory before anything is allocated; all its ranks are taken to need as much
 * as this one. Each rank gets all time series at a checkpoint; it touches its part of the Fourier sums, rank 0 all at
 * the end, one on a GPU all. Energy sums are copied to be sent to rank 0, which copies the monitor data it writes. */
static void check_memory(const struct tor_job *job, const struct tor_plan *plan, const struct tor_part *share,
                         struct tor_faults *faults) {
  const struct tor_column_block *held = &share->held;
  /* An overlap has two buffers, one for each direction. */
  const double overlaps = (share->left.to - share->left.from) + (share->right.to - share->right.from);
  const double columns = (held->x1 - held->x0 + 2 * overlaps) * (held->y1 - held->y0),
               all = (double)tor_grid_slices(&plan->size.grid, 0) * tor_grid_slices(&plan->size.grid, 1);
  const struct tor_model_memory *m = &plan->size.memory;
  const int ranks = tor_message_neighbours();
  const char *limit = "for it (schedule.host_memory)";
  double available = job->schedule.host_memory;
  if (available <= 0) available = tor_host_memory(NULL, ranks / tor_message_in_process(), &limit);
  const double energy = ranks > 1 && plan->size.energy_every ? 2.0 * TOR_NCOMP * sizeof(double) * all : 0;
  const int sums = plan->gpu >= 0 ? ranks : ranks > 1 ? 2 : 1;
  if (plan->disk.used) return; /* the plan has seen to it */
  double needed = ranks * (m->series + (m->total - m->monitors) * columns / all) + sums * (m->monitors - m->series) +
                  energy + m->copies + ranks * m->designs;
  if (available > 0 && needed > available)
    tor_fault(faults,
              "%s: the job needs %.3f GB of memory, this machine has %.3f GB %s; larger cells, a smaller domain, fp32 "
              "or fewer monitors would fit",
              job->path, needed * 1e-9, available * 1e-9, limit);
}

static enum tor_progress_form progress_form(const struct tor_run_options *options) {
  if (tor_message_rank() > 0) return TOR_PROGRESS_NONE;
  if (options->progress_json) return TOR_PROGRESS_JSON;
  return options->quiet ? TOR_PROGRESS_NONE : TOR_PROGRESS_TEXT;
}

static void log_trial(const struct tor_simulation *sim) {
  const struct tor_engine_trial *trial = &sim->trial;
  const struct tor_grid *g = &sim->model->grid;
  const double updates = 1e-9 * g->n[0] * g->n[1] * g->n[2];
  tor_log("%s engine from here on: in the first stages towers ran at %.3g G cells/s, stepwise at %.3g",
          sim->setup.engine == TOR_ENGINE_STEPWISE ? "stepwise" : "diamond",
          updates * trial->steps[0] / trial->seconds[0], updates * trial->steps[1] / trial->seconds[1]);
}

static enum tor_run_verdict advance(struct tor_simulation *sim, struct tor_exchange *exchange,
                                    struct tor_run_control *control, enum tor_progress_form form) {
  const struct tor_model *model = sim->model;
  enum tor_run_verdict verdict;
  tor_progress_begin(model->steps, (double)model->grid.n[0] * model->grid.n[1] * model->grid.n[2], form);
  tor_progress_update(sim->step, NULL);
  while (!(verdict = tor_run_control_stage(control, sim)) && !tor_simulation_done(sim)) {
    char suffix[64] = "";
    const int due = sim->settling.due, sums = sim->nenergy, tries = sim->trial.left;
    const tor_gidx until = tor_run_control_until(control, sim);
    tor_concurrent_give(1);
    tor_simulation_stage(sim, until);
    tor_concurrent_take(1);
    if (tries && !sim->trial.left) log_trial(sim);
    tor_settling_look(sim, exchange, due, sums);
    if (sim->nenergy) tor_progress_energy(sim->energy[sim->nenergy - 1], sim->energy_max);
    if (sim->nenergy && sim->energy_max > 0)
      snprintf(suffix, sizeof suffix, "energy %.1e of max", sim->energy[sim->nenergy - 1] / sim->energy_max);
    tor_progress_update(sim->step, suffix);
  }
  tor_progress_end();
  return verdict;
}

/* The inputs of a run beside its job. */
struct parts {
  const struct tor_run_options *options;
  const struct tor_plan *plan;
  const struct tor_decomposition *layout;
  const struct tor_rank_cpus *cpus;
  struct tor_checkpoints *checkpoints;
};

/* Logs how the columns of GPUs travel between ranks. Collective. */
static void log_halo_ways(const struct tor_exchange *exchange, const struct tor_decomposition *layout) {
  for (int a = 0; a < 2; a++) {
    if (layout->ranks[a] == 1) continue;
    const enum tor_halo_x_way way = tor_exchange_way(exchange, a);
    const int packed = tor_message_lowest(way == TOR_HALO_X_PACKED) >= 0,
              direct = tor_message_lowest(way == TOR_HALO_X_DIRECT) >= 0;
    tor_log("columns are sent across borders along %c %s", exchange->slab->plane ? 'x' : 'x' + a,
            packed   ? "through the host's memory and messages"
            : direct ? "by messages between the GPUs' memories"
                     : "from GPU to GPU");
  }
}

/* As a member of a packing: all that runs by towers and stays on the GPU as a whole. */
static void use_gpu(const struct parts *parts, const struct tor_exchange *exchange, struct tor_simulation *sim) {
  const struct tor_plan *plan = parts->plan;
  const struct tor_run_options *options = parts->options;
  int together = 1;
  if (options->packing && plan->window <= 0 && plan->setup.engine == TOR_ENGINE_DIAMOND) {
    const char *why;
    together = tor_simulation_use_packing(sim, options->packing, options->member, plan->gpu, &why);
    if (together > 1)
      tor_log("%d runs share the GPU's blocks, %d values along %c each, by the diamond engine", together,
              sim->model->slab.n[TOR_Z], tor_axis_name(sim->model->job, TOR_Z));
    else if (why)
      tor_log_note("this run shares its GPU's blocks with no other: %s", why);
  } else {
    tor_simulation_use_gpu(sim, plan->gpu, plan->window);
  }
  if (plan->tries_engines && together == 1) tor_simulation_try_engines(sim);
  log_halo_ways(exchange, parts->layout);
}

/* Checks and logs the snapshots of a run that has ended. */
static void end_snapshots(const struct tor_job *job, struct tor_snapshots *snapshots, tor_gidx first, tor_gidx last) {
  tor_snapshots_check_written(snapshots, first, last);
  if (snapshots->written)
    tor_log("wrote %d snapshots of %.3f MB in all to %s; the run waited %.2f s for them", snapshots->written,
            snapshots->bytes * 1e-6, tor_results_path(job, "snapshots"), snapshots->seconds);
  if (snapshots->failed)
    tor_log_warning("%d file%s of snapshots could not be written", snapshots->failed,
                    snapshots->failed == 1 ? "" : "s");
}

static const char *ended_by(const struct tor_simulation *sim) {
  return sim->settling.settled ? "settled powers" : sim->decayed ? "decay of the energy" : "time";
}

/* Warns where the energy has not fallen to run.decay, or powers have not settled. */
static void log_energy(const struct tor_job *job, const struct tor_simulation *sim,
                       const struct tor_checkpoints *checkpoints) {
  if (job->run_decay > 0 && sim->nenergy && sim->energy_max <= 0)
    tor_log_warning("all %d energy samples are zero: no source was active", sim->nenergy);
  else if (job->run_decay > 0 && !sim->decayed && tor_sources_end(sim->model->sources) <= job->run_time)
    tor_log_warning("the energy is %.1e of its largest value after run.time_fs, above run.decay = %.1e: "
                    "spectra may be cut off; %s",
                    sim->nenergy && sim->energy_max > 0 ? sim->energy[sim->nenergy - 1] / sim->energy_max : 1.0,
                    job->run_decay,
                    !job->checkpoint.keep            ? "with checkpoint.keep = true a run can be continued later"
                    : checkpoints->good == sim->step ? "--restart with a longer run.time_fs continues from here"
                                                     : "the final state could not be saved");
  tor_settling_log(sim);
}

/* Runs the steps and writes the results, once the model of this rank's part of the domain is made. */
static int run_simulation(const struct tor_job *job, const struct parts *parts, struct tor_exchange *exchange,
                          struct tor_simulation *sim, struct tor_faults *faults) {
  const struct tor_plan *plan = parts->plan;
  const struct tor_run_options *options = parts->options;
  struct tor_checkpoints *checkpoints = parts->checkpoints;
  char why[1024];
  if (tor_disk_plan_use(job, plan, sim, faults)) return TOR_EXIT_USER;
  tor_gidx first = options->restart ? tor_checkpoint_load(checkpoints, sim, why, sizeof why) : 0;
  if (first < 0) {
    if (!tor_message_rank()) tor_fault(faults, "%s", why);
    return TOR_EXIT_USER;
  }
  if (options->restart)
    tor_log(first ? "continues from the checkpoint of step %lld" : "no checkpoint: from step %lld", (long long)first);
  if (!tor_message_rank()) {
    if (options->overwrite) tor_results_folder_clear(job, checkpoints);
    if (options->restart) tor_results_folder_resume(job);
  }
  if (plan->gpu >= 0) use_gpu(parts, exchange, sim);
  struct tor_snapshots snapshots;
  tor_snapshots_init(&snapshots, job, &sim->model->grid, sim->model->steps);
  snapshots.failed = tor_message_rank() ? 0 : checkpoints->lost;
  snapshots.lost = checkpoints->lost_step;
  if (!tor_message_rank()) tor_snapshots_check_files(&snapshots, first);
  struct tor_run_control control;
  tor_run_control_begin(&control, job, checkpoints, &snapshots, sim);
  double start = omp_get_wtime();
  enum tor_run_verdict verdict = advance(sim, exchange, &control, progress_form(options));
  tor_snapshots_settle(&snapshots, sim, 1);
  double seconds = omp_get_wtime() - start - checkpoints->seconds - snapshots.seconds;
  tor_run_control_end(&control);
  struct tor_run_end end = {.plan = plan,
                            .sim = sim,
                            .control = &control,
                            .snapshots = &snapshots,
                            .checkpoints = checkpoints,
                            .timeline = options->timeline,
                            .first = first,
                            .seconds = seconds};
  if (verdict) {
    if (control.instability) {
      end.stopped = 1;
      tor_run_write_results(&end, exchange);
    }
    tor_snapshots_free(&snapshots);
    return verdict == TOR_RUN_AGAIN ? TOR_EXIT_AGAIN : TOR_EXIT_FAILURE;
  }
  tor_log("%lld steps in %.2f s: %.4f G cell updates/s; ended by %s", (long long)(sim->step - first), seconds,
          plan->size.cells * (double)(sim->step - first) / seconds * 1e-9, ended_by(sim));
  tor_simulation_fetch_monitors(sim);
  tor_disk_plan_log_end(plan, sim->model->slab.disk, seconds);
  if (!control.instability) log_energy(job, sim, checkpoints);
  tor_job_warnings_end(job, &sim->model->grid, sim->step);
  end_snapshots(job, &snapshots, first, sim->step);
  const int status = tor_run_write_results(&end, exchange);
  tor_snapshots_free(&snapshots);
  return status;
}

static int is_done(int status) { return status == TOR_EXIT_OK || status == TOR_EXIT_UNCONVERGED; }

static int run_model(const struct tor_job *job, const struct parts *parts, struct tor_model *model,
                     struct tor_faults *faults) {
  const struct tor_decomposition *layout = parts->layout;
  const int rank = tor_message_rank();
  tor_log("%lld of %lld columns along z have per-column coefficients; %lld points with poles",
          (long long)model->special, (long long)tor_slab_columns(&model->slab), (long long)model->dispersive);
  tor_run_sources_log_waves(model);
  struct tor_simulation sim;
  struct tor_exchange exchange;
  tor_exchange_open(&exchange, layout, &model->slab, rank / layout->ranks[1], rank % layout->ranks[1]);
  exchange.keep_times = parts->options->timeline;
  tor_simulation_init(&sim, model, &parts->plan->setup, parts->plan->th);
  tor_simulation_use_ranks(&sim, &exchange);
  int status = run_simulation(job, parts, &exchange, &sim, faults);
  if (is_done(status) && tor_run_control_asked_late()) status = TOR_EXIT_AGAIN;
  tor_exchange_close(&exchange);
  tor_simulation_free(&sim);
  return status;
}

static void log_plan(const struct tor_job *job, const struct tor_plan *plan, const struct tor_decomposition *layout) {
  const struct tor_grid *g = &plan->size.grid;
  const char *engine = plan->setup.engine == TOR_ENGINE_STEPWISE ? "stepwise" : "diamond";
  char borders[512], averaging[160];
  tor_log("torre %s (%s)%s%s", TOR_VERSION, TOR_GIT_HASH, job->title && *job->title ? ": " : "",
          job->title ? job->title : "");
  tor_log("%s: %s cells, order %d, fp%d, time step %.5g fs, at most %lld steps", job->path, tor_job_cells(job, g),
          job->order, 8 * job->precision, g->dt / TOR_FS, (long long)plan->size.steps);
  if (job->nobjects) tor_log("surfaces: %s", tor_averaging_text(job, averaging, sizeof averaging));
  if (plan->window > 0)
    tor_log("%s engine on GPU %d, TH %d; %.3f GB%s, a window of %.3f GB on the GPU", engine, plan->gpu, plan->th,
            plan->size.memory.total * 1e-9, plan->disk.used ? "" : " in host memory", plan->window * 1e-9);
  else if (plan->gpu >= 0)
    tor_log("%s engine on GPU %d, TH %d; %.3f GB", engine, plan->gpu, plan->th, plan->size.memory.total * 1e-9);
  else
    tor_log("%s engine, DTS %d, TH %d, %d threads; %.3f GB", engine, plan->setup.dts, plan->th, plan->setup.threads,
            plan->size.memory.total * 1e-9);
  if (plan->tuned_bad)
    tor_log_warning("%s", plan->origin);
  else
    tor_log("schedule: %s%s", plan->tuned ? "" : "usual values: ", plan->origin);
  tor_disk_plan_log(job, plan);
  if (tor_message_ranks() > 1) {
    tor_log("%d x %d ranks along x and y%s", layout->ranks[0], layout->ranks[1],
            layout->ring ? ", which is a ring" : "");
    tor_rank_gpu_log(plan);
    for (int a = 0; a < 2; a++)
      if (!tor_placement_log(plan, layout, a, borders, sizeof borders)) tor_log("borders %s", borders);
    if (!tor_placement_narrow(layout, borders, sizeof borders)) tor_log_note("%s", borders);
    if (!tor_message_rank() &&
        !tor_placement_advice(job, plan, layout, tor_message_neighbours(), borders, sizeof borders))
      tor_log_note("%s", borders);
  }
  if (plan->gpu >= 0 && tor_message_ranks() == 1 && tor_device_count() > 1)
    tor_log_note("one of %d GPUs is used; --devices N uses several", tor_device_count());
  tor_run_sources_log(job);
  tor_job_warnings_log(job, &plan->size.grid);
}

/* With the folder taken: log, model, run. Collective. */
static int run_in_folder(const struct tor_job *job, const struct parts *parts, const struct tor_part *share, int append,
                         struct tor_faults *faults) {
  const int rank = tor_message_rank();
  tor_log_quiet(parts->options->quiet);
  tor_log_mute(rank > 0);
  if (!rank && tor_log_open(tor_results_path(job, "run.log"), append))
    tor_fault(faults, "%s: %s", tor_results_path(job, "run.log"), strerror(errno));
  if (tor_reduce_faults(faults)) return TOR_EXIT_USER;
  log_plan(job, parts->plan, parts->layout);
  tor_interrupt_log(tor_message_ranks() == tor_message_in_process());
  tor_rank_cpus_log(parts->cpus, job, parts->plan->setup.threads);
  struct tor_model model = {0};
  struct tor_disk *disk = tor_disk_plan_open(job, parts->plan, faults);
  /* Of several ranks all would have to know whether there is a checkpoint. */
  const int begins = !parts->options->restart ||
                     (tor_message_ranks() == 1 && !tor_checkpoint_before(parts->checkpoints, INT64_MAX)),
            untouched = parts->plan->gpu >= 0 && parts->plan->window <= 0 && begins;
  int status = TOR_EXIT_USER, bad = faults->count || tor_model_make_part(job, &share->held, untouched, disk,
                                                                         parts->plan->setup.threads, &model, faults);
  if (!tor_reduce_faults(faults))
    status =
        tor_run_control_asked_early(parts->options->overwrite) ? TOR_EXIT_AGAIN : run_model(job, parts, &model, faults);
  if (!bad) tor_model_free(&model);
  tor_disk_close(disk);
  if (tor_log_close() && is_done(status)) {
    fprintf(stderr, "torre: run.log could not be written: %s\n", strerror(errno));
    status = TOR_EXIT_FAILURE;
  }
  if (!rank && !append && status == TOR_EXIT_USER) tor_safe_remove(tor_results_path(job, "run.log"));
  return status;
}

/* Rank 0 takes the folder for all. Collective. */
static int take_folder_and_run(const struct tor_job *job, const struct parts *parts, struct tor_faults *faults) {
  const int rank = tor_message_rank();
  const struct tor_part share =
      tor_decomposition_part(parts->layout, rank / parts->layout->ranks[1], rank % parts->layout->ranks[1]);
  check_memory(job, parts->plan, &share, faults);
  if (tor_reduce_faults(faults)) return TOR_EXIT_USER;
  int status = TOR_EXIT_USER;
  parts->checkpoints->last = parts->plan->size.steps;
  enum tor_results_folder folder = TOR_FOLDER_BEGIN;
  if (!rank)
    folder = tor_results_folder_take(job, parts->options->overwrite, parts->options->restart,
                                     1.2 * parts->plan->size.memory.monitors + 1e6, parts->checkpoints, faults);
  tor_message_bcast(&folder, sizeof folder);
  switch (folder) {
  case TOR_FOLDER_REFUSED: tor_reduce_faults(faults); break;
  case TOR_FOLDER_FINISHED:
    if (!rank) printf("%s: this job has ended already; nothing to do\n", job->output);
    status = TOR_EXIT_OK;
    break;
  case TOR_FOLDER_UNCONVERGED:
    if (!rank) printf("%s: this job has ended already, unconverged: see run.log; nothing to do\n", job->output);
    status = TOR_EXIT_UNCONVERGED;
    break;
  case TOR_FOLDER_CONTINUE: status = run_in_folder(job, parts, &share, 1, faults); break;
  case TOR_FOLDER_BEGIN: status = run_in_folder(job, parts, &share, 0, faults); break;
  }
  if (!rank) tor_folder_unlock();
  return status;
}

/* With the rank's CPUs found. Collective. */
static int run_on_cpus(const struct tor_job *job, const struct tor_run_options *options, struct tor_rank_cpus *cpus,
                       struct tor_faults *faults) {
  struct tor_plan plan;
  struct tor_decomposition layout;
  struct tor_checkpoints checkpoints;
  tor_checkpoints_init(&checkpoints, job, tor_message_rank(), tor_message_ranks());
  tor_plan_make(job, 0, &plan, faults);
  if (!tor_reduce_faults(faults)) tor_disk_plan_complete(job, &plan, faults);
  const int planned = !tor_reduce_faults(faults);
  if (planned) tor_placement_make(job, &plan, &layout, faults);
  if (!planned || tor_reduce_faults(faults)) {
    tor_checkpoints_free(&checkpoints);
    return TOR_EXIT_USER;
  }
  tor_rank_cpus_bind(cpus, job, plan.gpu, &plan.setup.threads);
  int status = take_folder_and_run(job, &(struct parts){options, &plan, &layout, cpus, &checkpoints}, faults);
  tor_checkpoints_free(&checkpoints);
  tor_placement_free(&plan, &layout);
  return status;
}

/* Data shared by the ranks of a process. */
struct process {
  const struct tor_job *job;
  const struct tor_run_options *options;
  struct tor_faults *faults; /* of the one rank that reports them, if it belongs to this process */
  int status;
};

static void run_rank(void *self) {
  struct process *process = self;
  struct tor_faults faults = {0};
  struct tor_rank_cpus cpus;
  tor_rank_cpus_open(&cpus);
  const int status = run_on_cpus(process->job, process->options, &cpus, &faults);
  tor_rank_cpus_close(&cpus);
  if (faults.count) *process->faults = faults;
  if (tor_message_rank() % tor_message_in_process() == 0) process->status = status;
}

/* Faults where ranks have different jobs or options, and so would wait for each other forever: where each node has its
 * own job file, where the file was changed while ranks started, or where mpirun gave ranks different options. Settings
 * of a rank's machine (threads, host memory) may differ. Collective over processes. */
static void check_same_job(const struct tor_job *job, const struct tor_run_options *options,
                           struct tor_faults *faults) {
  struct {
    uint64_t hash;
    double seconds;
    int64_t restart, overwrite, timeline;
  } first, mine;
  struct tor_job common = *job;
  size_t bytes;
  common.schedule.threads = 0;
  common.schedule.host_memory = 0;
  char *text = tor_job_text(&common, &bytes);
  memset(&mine, 0, sizeof mine);
  mine.hash = tor_job_hash(text, bytes);
  mine.seconds = options->max_seconds;
  mine.restart = options->restart;
  mine.overwrite = options->overwrite;
  mine.timeline = options->timeline;
  free(text);
  first = mine;
  tor_message_bcast(&first, sizeof first);
  if (first.hash != mine.hash)
    tor_fault(faults,
              "%s: rank %d has read another job than rank 0; need " TOR_NEEDED(
                  "the same file, and the same options, on all nodes"),
              job->path, tor_message_rank());
  else if (memcmp(&first, &mine, sizeof mine))
    tor_fault(faults, "%s: rank %d has other options than rank 0 (--restart, --overwrite, --max-time, --timeline)",
              job->path, tor_message_rank());
}

int tor_run(struct tor_job *job, const struct tor_run_options *options, struct tor_faults *faults) {
  check_same_job(job, options, faults);
  if (tor_reduce_faults(faults) || tor_run_sources_make(job, faults)) return TOR_EXIT_USER;
  struct process process = {job, options, faults, TOR_EXIT_OK};
  tor_safe_root(job->output);
  tor_message_split(tor_rank_gpu_devices(job), run_rank, &process);
  return process.status;
}
