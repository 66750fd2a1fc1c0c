/* A run from job to results folder: see run.h. */
#include "run.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../comm/reduce.h"
#include "../io/folder.h"
#include "../io/log.h"
#include "../io/progress.h"
#include "placement.h"
#include "results.h"
#include "simulation.h"
#include "tor_version.h"
#include "units.h"

/* The folder can be written, holds no results that would be lost, and the file system has room for the samples. */
static int prepare_folder(const struct tor_job *job, const struct tor_run_options *options, const struct tor_plan *plan,
                          struct tor_faults *faults) {
  char why[1024];
  if (!options->overwrite && access(tor_results_path(job, "run.json"), F_OK) == 0) {
    tor_fault(faults, "%s: holds the results of an earlier run; name another folder by --out DIR, or replace them by --overwrite", job->output);
    return -1;
  }
  if (tor_folder_make(job->output, why, sizeof why)) {
    tor_fault(faults, "%s", why);
    return -1;
  }
  double needed = 1.2 * plan->size.memory.monitors + 1e6;
  int64_t room = tor_folder_free_bytes(job->output);
  if (room >= 0 && (double)room < needed) {
    tor_fault(faults, "%s: %.3f MB free on its file system, the results need about %.3f MB", job->output, (double)room * 1e-6, needed * 1e-6);
    return -1;
  }
  return 0;
}

/* A job larger than the machine is refused before anything is taken. */
static void check_memory(const struct tor_job *job, const struct tor_plan *plan, const struct tor_share *share, struct tor_faults *faults) {
  const struct tor_column_block *held = &share->held;
  const double columns = (double)(held->x1 - held->x0) * (held->y1 - held->y0), all = (plan->size.grid.n[0] + 1.0) * (plan->size.grid.n[1] + 1.0);
  double available = tor_plan_free_memory(), monitors = plan->size.memory.monitors;
  double needed = tor_message_neighbours() * (monitors + (plan->size.memory.total - monitors) * columns / all);
  if (available > 0 && needed > available)
    tor_fault(faults, "%s: the job needs %.3f GB of memory, this machine has %.3f GB free; larger cells, a smaller domain, fp32 or fewer monitors would fit",
              job->path, needed * 1e-9, available * 1e-9);
}

static void log_sources(const struct tor_model *model) {
  for (int i = 0; i < model->sources->nincident; i++) {
    const struct tor_box *b = tor_incident_box(model->sources, i);
    const struct tor_grid *g = &model->grid;
    double lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
      lo[a] = (g->lo[a] + b->lo[a] * g->d[a]) / TOR_NM;
      hi[a] = (g->lo[a] + b->hi[a] * g->d[a]) / TOR_NM;
    }
    tor_log("plane wave %s: total field in [%g, %g] x [%g, %g] x [%g, %g] nm", tor_incident_source(model->sources, i)->name, lo[0], hi[0],
            lo[1], hi[1], lo[2], hi[2]);
  }
}

/* Wavelengths at which a built-in medium's data do not hold. */
static void warn_ranges(const struct tor_job *job) {
  for (int m = 0; m < job->nmedia; m++) {
    const struct tor_medium *medium = &job->media[m];
    if (medium->range[1] <= 0) continue;
    for (int i = 0; i < job->nmonitors; i++)
      for (int q = 0; q < job->monitors[i].nwavelength; q++) {
        double w = job->monitors[i].wavelength[q];
        if (w >= medium->range[0] && w <= medium->range[1]) continue;
        tor_log_warning("monitor %s asks for %g nm; the data of \"%s\" hold from %g to %g nm", job->monitors[i].name, w / TOR_NM, medium->name,
                        medium->range[0] / TOR_NM, medium->range[1] / TOR_NM);
        return;
      }
  }
}

static void advance(struct tor_simulation *sim, int quiet) {
  const struct tor_model *model = sim->model;
  tor_progress_begin(model->steps, (double)model->grid.n[0] * model->grid.n[1] * model->grid.n[2], quiet);
  tor_progress_update(0, NULL);
  while (!tor_simulation_done(sim)) {
    char suffix[64] = "";
    tor_simulation_stage(sim, model->steps);
    if (sim->nenergy && sim->energy_max > 0)
      snprintf(suffix, sizeof suffix, "energy %.1e of max", sim->energy[sim->nenergy - 1] / sim->energy_max);
    tor_progress_update(sim->step, suffix);
  }
  tor_progress_end();
}

/* What all ranks' monitors have heard, on rank 0. */
static void collect(struct tor_exchange *exchange, const struct tor_monitors *monitors, tor_gidx steps) {
  int *samples = tor_alloc((size_t)monitors->ngroup + 1, sizeof *samples, "monitors");
  for (int i = 0; i < monitors->count; i++)
    if (monitors->listener[i].group >= 0) samples[monitors->listener[i].group] = tor_listener_samples(&monitors->listener[i], steps);
  tor_exchange_settle(exchange);
  tor_reduce_monitors(exchange, samples);
  free(samples);
}

/* With the model built: steps and results. */
static int run_model(const struct tor_job *job, const struct tor_run_options *options, const struct tor_plan *plan, const struct tor_layout *layout,
                     struct tor_model *model) {
  int rank = tor_message_rank(), failed = 0;
  tor_log("%lld columns of their own class of %lld, %lld points with poles", (long long)model->special,
          (long long)(model->grid.n[0] + 1) * (model->grid.n[1] + 1), (long long)model->dispersive);
  log_sources(model);
  struct tor_simulation sim;
  struct tor_exchange exchange;
  tor_exchange_open(&exchange, layout, &model->slab, rank / layout->ranks[1], rank % layout->ranks[1]);
  exchange.keep_times = options->timeline;
  tor_simulation_init(&sim, model, &plan->setup, plan->th);
  tor_simulation_use_ranks(&sim, &exchange);
  if (plan->gpu >= 0) tor_simulation_use_gpu(&sim, plan->gpu);
  double start = omp_get_wtime();
  advance(&sim, options->quiet || rank > 0);
  double seconds = omp_get_wtime() - start;
  tor_log("%lld steps in %.2f s: %.4f G cell updates/s; ended by %s", (long long)sim.step, seconds,
          plan->size.cells * (double)sim.step / seconds * 1e-9, sim.decayed ? "decay of the energy" : "time");
  tor_simulation_fetch(&sim);
  if (job->run_decay > 0 && !sim.decayed)
    tor_log_warning("the energy stands at %.1e of its largest value after run.time_fs, not at run.decay = %.1e: spectra may be cut off",
                    sim.nenergy && sim.energy_max > 0 ? sim.energy[sim.nenergy - 1] / sim.energy_max : 1.0, job->run_decay);
  collect(&exchange, model->monitors, sim.step);
  struct tor_rank_times *times = tor_reduce_times(&exchange);
  if (options->timeline) failed += tor_reduce_timeline(&exchange, tor_results_path(job, "timeline.csv")) != 0;
  struct tor_results results = {job, plan, &sim, seconds, times};
  if (!rank) {
    failed += tor_results_write(&results);
    failed += tor_results_write_run(&results) != 0;
  }
  free(times);
  tor_exchange_close(&exchange);
  if (failed) tor_log_warning("%d file%s of the results could not be written", failed, failed == 1 ? "" : "s");
  tor_simulation_free(&sim);
  return failed ? TOR_EXIT_FAILURE : TOR_EXIT_OK;
}

int tor_run(const struct tor_job *job, const struct tor_run_options *options, struct tor_faults *faults) {
  struct tor_plan plan;
  struct tor_layout layout;
  const int rank = tor_message_rank();
  tor_plan_make(job, 0, &plan, faults);
  if (tor_reduce_faults(faults)) return TOR_EXIT_USER;
  tor_placement_make(job, &plan, &layout, faults);
  if (tor_reduce_faults(faults)) return TOR_EXIT_USER;
  const struct tor_share share = tor_layout_share(&layout, rank / layout.ranks[1], rank % layout.ranks[1]);
  check_memory(job, &plan, &share, faults);
  if (!rank && !faults->count) prepare_folder(job, options, &plan, faults);
  if (tor_reduce_faults(faults)) {
    tor_layout_free(&layout);
    return TOR_EXIT_USER;
  }
  tor_log_quiet(options->quiet);
  tor_log_mute(rank > 0);
  if (!rank && tor_log_open(tor_results_path(job, "run.log"), 0)) {
    tor_fault(faults, "%s: %s", tor_results_path(job, "run.log"), strerror(errno));
  }
  if (tor_reduce_faults(faults)) {
    tor_layout_free(&layout);
    return TOR_EXIT_USER;
  }
  const struct tor_grid *g = &plan.size.grid;
  tor_log("torre %s (%s)%s%s", TOR_VERSION, TOR_GIT_HASH, job->title && *job->title ? ": " : "", job->title ? job->title : "");
  tor_log("%s: %d x %d x %d cells, order %d, fp%d, time step %.5g fs, at most %lld steps", job->path, g->n[0], g->n[1], g->n[2], job->order,
          8 * job->precision, g->dt / TOR_FS, (long long)plan.size.steps);
  if (plan.gpu >= 0)
    tor_log("%s engine on GPU %d, TH %d; %.3f GB", plan.setup.engine == TOR_ENGINE_STEPWISE ? "stepwise" : "diamond", plan.gpu, plan.th,
            plan.size.memory.total * 1e-9);
  else
    tor_log("%s engine, DTS %d, TH %d, %d threads; %.3f GB", plan.setup.engine == TOR_ENGINE_STEPWISE ? "stepwise" : "diamond", plan.setup.dts,
            plan.th, plan.setup.threads, plan.size.memory.total * 1e-9);
  if (tor_message_ranks() > 1) tor_log("%d x %d ranks along x and y", layout.ranks[0], layout.ranks[1]);
  warn_ranges(job);
  struct tor_model model;
  int status = TOR_EXIT_USER;
  int bad = tor_model_make_part(job, &share.held, plan.setup.threads, &model, faults);
  if (!tor_reduce_faults(faults)) status = run_model(job, options, &plan, &layout, &model);
  if (!bad) tor_model_free(&model);
  tor_layout_free(&layout);
  if (tor_log_close() && status == TOR_EXIT_OK) {
    fprintf(stderr, "torre: run.log could not be written: %s\n", strerror(errno));
    status = TOR_EXIT_FAILURE;
  }
  return status;
}
