/* The results folder: tables and run.json here, results.h5 in results_h5.c, pictures in results_image.c. */
#include "src/results/results.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/exchange/exchange.h"
#include "comm/exchange/reduce.h"
#include "diamond/core/slab.h"
#include "io/files/folder.h"
#include "io/files/log.h"
#include "io/files/table.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/monitor.h"
#include "src/model/spectrum.h"
#include "src/results/results_far.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"
#include "src/schedule/disk_plan.h"
#include "src/schedule/plan.h"
#include "src/simulation/stability.h"
#include "tor_version.h"

static int write_table(const struct tor_results *r, const char *path, const struct tor_table_column *columns,
                       int ncolumns, tor_gidx nrows) {
  return tor_results_log_file(r, path, tor_table_write(path, columns, ncolumns, nrows), NULL);
}

static int same_wavelengths(const struct tor_recorder *a, const struct tor_recorder *b) {
  return a->nfreq == b->nfreq && !memcmp(a->spec->wavelength, b->spec->wavelength, (size_t)a->nfreq * sizeof(double));
}

/* Spectra with the wavelengths of recorder `first` in one table; names get the monitor's in front when there are
 * several monitors. */
static int write_spectra_like(const struct tor_results *r, int first, int several, const char *path) {
  const struct tor_monitors *ms = r->sim->model->monitors;
  const struct tor_recorder *like = &ms->recorder[first];
  struct tor_table_column *columns =
      tor_alloc(1 + (size_t)ms->count * TOR_SPECTRUM_COLUMNS, sizeof *columns, "spectra");
  char(*names)[128] = tor_alloc(1 + (size_t)ms->count * TOR_SPECTRUM_COLUMNS, sizeof *names, "spectra");
  double *nm = tor_alloc((size_t)like->nfreq, sizeof *nm, "spectra");
  for (int q = 0; q < like->nfreq; q++) nm[q] = like->spec->wavelength[q] / TOR_NM;
  int n = 0;
  columns[n++] = (struct tor_table_column){"wavelength_nm", NULL, nm};
  for (int i = first; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (!tor_spectrum_has(l) || !same_wavelengths(l, like)) continue;
    for (int c = 0; c < r->spectra[i].ncolumns; c++, n++) {
      snprintf(names[n], sizeof *names, "%s%s%s", several ? l->spec->name : "", several ? "." : "",
               r->spectra[i].name[c]);
      columns[n] = (struct tor_table_column){names[n], NULL, r->spectra[i].value[c]};
    }
  }
  int failed = write_table(r, path, columns, n, like->nfreq);
  free(columns);
  free(names);
  free(nm);
  return failed;
}

/* spectra.csv for the first list of wavelengths, spectra_NAME.csv for each further one. */
static int write_spectra(const struct tor_results *r) {
  const struct tor_monitors *ms = r->sim->model->monitors;
  int several = 0, failed = 0, written = 0;
  for (int i = 0; i < ms->count; i++) several += tor_spectrum_has(&ms->recorder[i]);
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (!tor_spectrum_has(l)) continue;
    int seen = 0;
    for (int j = 0; j < i; j++) seen |= tor_spectrum_has(&ms->recorder[j]) && same_wavelengths(l, &ms->recorder[j]);
    if (seen) continue;
    failed += write_spectra_like(r, i, several > 1,
                                 written++ ? tor_results_path(r->job, "spectra_%s.csv", l->spec->name)
                                           : tor_results_path(r->job, "spectra.csv"));
  }
  return failed;
}

/* A probe's patches, one for each component, in the order of the user's components. */
static void order_patches(const struct tor_job *job, const struct tor_recorder *l,
                          const struct tor_patch *in[TOR_NCOMP]) {
  int n = 0;
  for (int user = 0; user < TOR_NCOMP; user++)
    for (int i = 0; i < l->npatch; i++)
      if (tor_user_comp(job, l->patch[i].comp) == user) in[n++] = &l->patch[i];
}

static int write_probe(const struct tor_results *r, const struct tor_recorder *l) {
  const struct tor_grid *g = &r->sim->model->grid;
  int n = tor_recorder_samples(l, r->sim->step);
  struct tor_table_column columns[1 + TOR_NCOMP];
  static const char *const names[] = {"Ex_V_per_m", "Ey_V_per_m", "Ez_V_per_m",
                                      "Hx_A_per_m", "Hy_A_per_m", "Hz_A_per_m"};
  const struct tor_patch *patch[TOR_NCOMP];
  double *value[1 + TOR_NCOMP] = {NULL};
  order_patches(r->job, l, patch);
  value[0] = tor_alloc((size_t)n, sizeof(double), l->spec->name);
  for (int c = 1; c <= l->npatch; c++) value[c] = tor_alloc((size_t)n, sizeof(double), l->spec->name);
  for (int k = 0; k < n; k++) {
    value[0][k] = (double)(k + 1) * l->every * g->dt / TOR_FS;
    for (int c = 0; c < l->npatch; c++)
      value[c + 1][k] = tor_recorder_sample(r->sim->model->monitors, l, patch[c], 0, 0, 0, k) + 0.0; /* no -0 */
  }
  columns[0] = (struct tor_table_column){"time_fs", NULL, value[0]};
  for (int c = 0; c < l->npatch; c++)
    columns[c + 1] = (struct tor_table_column){names[tor_user_comp(r->job, patch[c]->comp)], NULL, value[c + 1]};
  int failed = write_table(r, tor_results_path(r->job, "%s.csv", l->spec->name), columns, 1 + l->npatch, n);
  for (int c = 0; c <= l->npatch; c++) free(value[c]);
  return failed;
}

/* Amplitude and phase of a probe's components at the monitor's wavelengths: NAME_spectrum.csv. */
static int write_probe_spectrum(const struct tor_results *r, const struct tor_recorder *l) {
  static const char *const amplitude[] = {"Ex_V_per_m_per_Hz", "Ey_V_per_m_per_Hz", "Ez_V_per_m_per_Hz",
                                          "Hx_A_per_m_per_Hz", "Hy_A_per_m_per_Hz", "Hz_A_per_m_per_Hz"};
  static const char *const phase[] = {"Ex_phase_rad", "Ey_phase_rad", "Ez_phase_rad",
                                      "Hx_phase_rad", "Hy_phase_rad", "Hz_phase_rad"};
  struct tor_table_column columns[1 + 2 * TOR_NCOMP];
  const struct tor_patch *patch[TOR_NCOMP];
  double *value[1 + 2 * TOR_NCOMP] = {NULL};
  order_patches(r->job, l, patch);
  int n = 1 + 2 * l->npatch;
  value[0] = tor_alloc((size_t)l->nfreq, sizeof(double), l->spec->name);
  for (int c = 1; c < n; c++) value[c] = tor_alloc((size_t)l->nfreq, sizeof(double), l->spec->name);
  columns[0] = (struct tor_table_column){"wavelength_nm", NULL, value[0]};
  for (int c = 0; c < l->npatch; c++) {
    columns[1 + 2 * c] =
        (struct tor_table_column){amplitude[tor_user_comp(r->job, patch[c]->comp)], NULL, value[1 + 2 * c]};
    columns[2 + 2 * c] =
        (struct tor_table_column){phase[tor_user_comp(r->job, patch[c]->comp)], NULL, value[2 + 2 * c]};
  }
  for (int q = 0; q < l->nfreq; q++) {
    value[0][q] = l->spec->wavelength[q] / TOR_NM;
    for (int c = 0; c < l->npatch; c++) {
      double complex f = tor_probe_spectrum(r->sim->model->monitors, l, patch[c], r->sim->step, q);
      value[1 + 2 * c][q] = cabs(f);
      value[2 + 2 * c][q] = carg(f);
    }
  }
  int failed = write_table(r, tor_results_path(r->job, "%s_spectrum.csv", l->spec->name), columns, n, l->nfreq);
  for (int c = 0; c < n; c++) free(value[c]);
  return failed;
}

static int write_energy(const struct tor_results *r) {
  const struct tor_simulation *sim = r->sim;
  if (!sim->nenergy) return 0;
  double *time = tor_alloc((size_t)sim->nenergy, sizeof *time, "energy");
  for (int i = 0; i < sim->nenergy; i++) time[i] = (double)sim->energy_step[i] * sim->model->grid.dt / TOR_FS;
  const struct tor_table_column columns[] = {{"time_fs", NULL, time},
                                             {r->job->plane ? "energy_J_per_m" : "energy_J", NULL, sim->energy}};
  int failed = write_table(r, tor_results_path(r->job, "energy.csv"), columns, 2, sim->nenergy);
  free(time);
  return failed;
}

/* timeline.csv: when each rank did which phase of which stage. */
static int write_timeline(const struct tor_results *r) {
  if (!r->ntimeline) return 0;
  const int along_y = r->sim->exchange->layout->ranks[1];
  const char *path = tor_results_path(r->job, "timeline.csv");
  FILE *f = tor_folder_create(path);
  if (!f) return tor_results_not_written(path, NULL);
  fprintf(f, "rank,x,y,stage,phase,start_s,end_s\n");
  for (size_t i = 0; i < r->ntimeline; i++) {
    const struct tor_phase_time *t = &r->timeline[i];
    fprintf(f, "%d,%d,%d,%d,%s,%.6f,%.6f\n", t->rank, t->rank / along_y, t->rank % along_y, t->stage,
            tor_phase_name[t->phase], t->start, t->end);
  }
  return tor_results_log_file(r, path, tor_folder_commit(f, path), NULL);
}

static int write_all(const struct tor_results *r) {
  const struct tor_monitors *ms = r->sim->model->monitors;
  int failed = write_timeline(r) + write_spectra(r) + write_energy(r);
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->spec->kind == TOR_PROBE) failed += write_probe(r, l) + (l->nfreq ? write_probe_spectrum(r, l) : 0);
    if (l->spec->kind == TOR_MODE) failed += tor_results_write_modes(r, l, &r->modes[i]);
    if (l->spec->kind == TOR_RESONANCES) failed += tor_results_write_resonances(r, l, &r->resonances[i]);
    if (l->spec->kind == TOR_ABSORPTION) failed += tor_results_write_absorption(r, l, &r->spectra[i]);
    if (l->spec->kind == TOR_ORDERS) failed += tor_results_write_orders(r, l);
    if (l->spec->kind == TOR_FAR_FIELD) failed += tor_results_write_far(r, l, &r->far[i]);
  }
  failed += tor_results_write_h5(r);
  failed += tor_results_write_images(r);
  return failed;
}

int tor_results_write(const struct tor_results *results) {
  const struct tor_model *model = results->sim->model;
  const int count = model->monitors->count;
  struct tor_spectrum *spectra = tor_alloc((size_t)count + 1, sizeof *spectra, "spectra");
  struct tor_far_table *far = tor_alloc((size_t)count + 1, sizeof *far, "far fields");
  for (int i = 0; i < count; i++) {
    const struct tor_recorder *l = &model->monitors->recorder[i];
    if (tor_spectrum_has(l)) tor_spectrum_make(model->monitors, model->sources, l, &spectra[i]);
    if (spectra[i].beside > 1e-3)
      tor_log_warning_at(tor_job_monitor_place(results->job, l->spec),
                         "monitor %s: %.2g of its beam's power passes beside the plane, and its part is taken over the "
                         "rest; need " TOR_NEEDED("a plane that reaches two radii to each side of the beam"),
                         l->spec->name, spectra[i].beside);
    if (l->spec->kind == TOR_FAR_FIELD) tor_far_table_make(results, l, &far[i]);
  }
  struct tor_results all = *results;
  struct tor_mode_amplitudes *const modes = tor_results_make_modes(results);
  struct tor_resonances *const resonances = tor_results_make_resonances(results);
  all.resonances = resonances;
  all.spectra = spectra;
  all.far = far;
  all.modes = modes;
  const int failed = write_all(&all);
  tor_results_free_modes(results, modes);
  tor_results_free_resonances(results, resonances);
  for (int i = 0; i < count; i++) {
    tor_spectrum_free(&spectra[i]);
    tor_far_table_free(&far[i]);
  }
  free(spectra);
  free(far);
  return failed;
}

/* Seconds of the seven phases of each rank, and how much of its transfers the computation hid. */
static void write_ranks(FILE *f, const struct tor_results *r) {
  const struct tor_decomposition *l = r->sim->exchange->layout;
  fprintf(f, "  \"ranks\": {\"grid\": [%d, %d], \"times\": [", l->ranks[0], l->ranks[1]);
  for (int i = 0; i < l->ranks[0] * l->ranks[1]; i++) {
    const struct tor_rank_times *t = &r->ranks[i];
    fprintf(f, "%s\n    {\"rank\": %d", i ? "," : "", i);
    for (int p = 0; p < TOR_NPHASE; p++) fprintf(f, ", \"%s_s\": %.6g", tor_phase_name[p], t->seconds[p]);
    fprintf(f, ", \"fill_s\": %.6g", t->fill);
    for (int w = 0; w < TOR_NWAY; w++) {
      if (!(t->bytes[w] > 0)) continue;
      fprintf(f, ", \"%s\": {\"bytes\": %.0f", tor_way_name[w], t->bytes[w]);
      if (t->flight[w] > 0) fprintf(f, ", \"hidden\": %.4f", 1 - t->blocked[w] / t->flight[w]);
      fprintf(f, "}");
    }
    fprintf(f, "}");
  }
  fprintf(f, "]},\n");
}

static void write_instability(FILE *f, const struct tor_results *r) {
  const struct tor_stability_cell *cell = &r->unstable_at;
  fprintf(f, "  \"unstable\": {\"step\": %lld, \"found\": \"%s\", \"component\": \"%s\", \"cell\": [%d, %d, %d]},\n",
          (long long)r->sim->step, r->instability == TOR_UNSTABLE_RISING ? "rising energy" : "fields without bound",
          tor_job_comp_name(r->job, cell->comp), cell->at[0], cell->at[1], cell->at[2]);
}

static void write_grid(FILE *f, const struct tor_job *job, const struct tor_grid *g) {
  fprintf(f, "  \"grid\": {\"cells\": [");
  for (int u = 0; u < tor_user_axes(job); u++)
    fprintf(f, "%s%d", u ? ", " : "", tor_grid_cells(g, tor_axis_of_user(job, u)));
  fprintf(f, "], \"time_step_fs\": %.15g},\n", g->dt / TOR_FS);
}

/* What a run whose columns lie on disk moved. */
static void write_disk(FILE *f, const struct tor_results *r) {
  const struct tor_plan_disk *disk = &r->plan->disk;
  if (!r->sim->model->slab.disk) return;
  fprintf(f, "  \"disk\": {\"file_bytes\": %.0f, \"memory_bytes\": %.0f, \"read_bytes\": %.0f, ",
          disk->ranks * disk->file, disk->ranks * disk->memory, r->disk.read);
  fprintf(f, "\"written_bytes\": %.0f, \"th\": %d, \"waited_s\": %.6g},\n", r->disk.written, r->sim->th,
          r->disk.waited / tor_disk_plan_waiters(r->plan));
}

static int write_run(const struct tor_results *r) {
  if (fflush(r->files)) return -1;
  const char *path = tor_results_path(r->job, "run.json");
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  const struct tor_plan *p = r->plan;
  const struct tor_simulation *sim = r->sim;
  char host[256] = "unknown", date[64] = "";
  gethostname(host, sizeof host - 1);
  time_t now = time(NULL);
  struct tm tm;
  if (gmtime_r(&now, &tm)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
  double updates = p->size.cells * (double)(sim->step - r->first);
  fprintf(f,
          "{\n  \"format_version\": %d,\n  \"program\": {\"name\": \"torre\", \"version\": \"%s\", \"source\": \"%s\", "
          "\"compiler\": \"%s\"},\n",
          TOR_RESULTS_FORMAT, TOR_VERSION, TOR_GIT_HASH, TOR_COMPILER);
  fprintf(f, "  \"job_hash\": \"%016" PRIx64 "\",\n", r->checkpoints->hash);
  fprintf(f, "  \"results_hash\": \"%016" PRIx64 "\",\n", r->checkpoints->results_hash);
  if (r->failed || r->instability) fprintf(f, "  \"incomplete\": true,\n"); /* --restart runs the job again */
  if (r->instability) write_instability(f, r);
  fprintf(f, "  \"host\": \"%s\",\n  \"finished\": \"%s\",\n", host, date);
  fprintf(f, "  \"schedule\": {\"engine\": \"%s\", \"dts\": %d, \"th\": %d, \"threads\": %d, \"gpu\": %d},\n",
          p->setup.engine == TOR_ENGINE_STEPWISE ? "stepwise" : "diamond", p->setup.dts, p->th, p->setup.threads,
          p->gpu);
  write_grid(f, r->job, &p->size.grid);
  fprintf(f, "  \"steps\": %lld,\n  \"simulated_fs\": %.15g,\n  \"ended_by\": \"%s\",\n", (long long)sim->step,
          (double)sim->step * p->size.grid.dt / TOR_FS,
          sim->settling.settled ? "settled"
          : sim->decayed        ? "decay"
                                : "time");
  if (sim->settling.error >= 0)
    fprintf(f, "  \"until\": {\"wanted\": %.6g, \"by_energy\": %.3g, \"by_change\": %.3g},\n", r->job->run_until,
            sim->settling.error, fmax(sim->settling.change, 0));
  if (r->left.error >= 0)
    fprintf(f, "  \"left\": {\"energy_J\": %.6g, \"error\": %.3g},\n", r->left.energy, r->left.error);
  if (r->left.unconverged) fprintf(f, "  \"unconverged\": \"%s\",\n", r->left.unconverged);
  fprintf(f, "  \"seconds\": %.6g,\n  \"cell_updates_per_second\": %.6g,\n  \"memory_bytes\": %.0f,\n", r->seconds,
          r->seconds > 0 ? updates / r->seconds : 0.0, p->size.memory.total);
  fprintf(f, "  \"first_step\": %lld,\n  \"output\": {\"seconds\": %.6g},\n", (long long)r->first, r->output_seconds);
  fprintf(f, "  \"snapshots\": {\"written\": %d, \"failed\": %d, \"seconds\": %.6g, \"bytes\": %.0f},\n",
          r->snapshots->written, r->snapshots->failed, r->snapshots->seconds, r->snapshots->bytes);
  fprintf(f,
          "  \"checkpoints\": {\"written\": %d, \"failed\": %d, \"seconds\": %.6g, \"bytes\": %.0f, \"kept\": %s},\n",
          r->checkpoints->written, r->checkpoints->failed, r->checkpoints->seconds, r->checkpoints->bytes,
          r->failed || r->instability || r->job->checkpoint.keep ? "true" : "false");
  write_disk(f, r);
  write_ranks(f, r);
  fprintf(f, "  \"warnings\": %d,\n  \"files\": [%s\n  ],\n  \"job\": ", tor_log_warnings(), r->names);
  tor_job_write_json(r->job, f, 2);
  fprintf(f, "\n}\n");
  if (ferror(f)) {
    tor_folder_discard(f, path);
    return -1;
  }
  return tor_folder_commit(f, path);
}

int tor_results_write_run(const struct tor_results *r) {
  return write_run(r) ? tor_results_not_written(tor_results_path(r->job, "run.json"), NULL) : 0;
}
