/* Monitors of resonances: NAME_resonances.csv, and their part of results.h5. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/files/log.h"
#include "io/files/table.h"
#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/harmonic.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/results/results.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

/* Factor from a component's field to V/m, so that all channels count alike. */
static double as_electric(int comp) { return tor_comp_is_h(comp) ? TOR_ETA0 : 1; }

/* The samples of all components after the begin of the record: [npatch][count], to be freed; imaginary parts after
 * them, [npatch][count], of complex fields. *start: time of the first one [s]. */
static double *record_of(const struct tor_results *r, const struct tor_recorder *l, double from, int *count,
                         double *start) {
  const struct tor_grid *g = &r->sim->model->grid;
  const struct tor_monitors *ms = r->sim->model->monitors;
  const int all = tor_recorder_samples(l, r->sim->step);
  const double step = l->every * g->dt;
  const int first = (int)fmin(fmax(ceil(from / step) - 1, 0), all);
  *count = all - first;
  *start = (first + 1) * step;
  const int values = *count * l->npatch;
  double *value = tor_alloc((ms->imaginary ? 2 : 1) * (size_t)values + 1, sizeof *value, l->spec->name);
  for (int c = 0; c < l->npatch; c++) {
    const struct tor_patch *p = &l->patch[c];
    const double scale = as_electric(p->comp);
    for (int k = 0; k < *count; k++) {
      const double complex sample = tor_recorder_value(ms, l, p, 0, 0, 0, first + k);
      value[c * *count + k] = scale * creal(sample);
      if (ms->imaginary) value[values + c * *count + k] = scale * cimag(sample);
    }
  }
  return value;
}

/* Moves amplitudes from the first sample to the begin of the record, in each component's own unit. H is sampled half a
 * time step earlier. */
static void move_amplitudes(const struct tor_recorder *l, double dt, double back, struct tor_harmonic *h) {
  for (int c = 0; c < l->npatch; c++) {
    const int magnetic = tor_comp_is_h(l->patch[c].comp);
    const double time = back - (magnetic ? 0.5 * dt : 0);
    const double complex factor = cexp(CMPLX(h->decay, h->omega) * time) / as_electric(l->patch[c].comp);
    h->amplitude[c] *= factor;
    h->amplitude_error[c] *= cabs(factor);
  }
}

static double quality(const struct tor_harmonic *h) {
  return h->decay > 0 ? h->omega / (2 * h->decay) : (double)INFINITY;
}

static double quality_error(const struct tor_harmonic *h) {
  return h->decay > 0 ? quality(h) * hypot(h->error / h->omega, h->error / h->decay) : (double)INFINITY;
}

struct tor_resonances *tor_results_make_resonances(const struct tor_results *r) {
  const struct tor_model *model = r->sim->model;
  struct tor_resonances *all = tor_alloc((size_t)model->monitors->count + 1, sizeof *all, "resonances");
  for (int i = 0; i < model->monitors->count; i++) {
    const struct tor_recorder *l = &model->monitors->recorder[i];
    const struct tor_monitor *m = l->spec;
    if (m->kind != TOR_RESONANCES) continue;
    struct tor_resonances *of = &all[i];
    struct tor_harmonic_record record = {.channels = l->npatch, .step = l->every * model->grid.dt};
    double start;
    of->from = tor_monitor_from(m, r->job);
    double *value = record_of(r, l, of->from, &record.count, &start);
    record.value = value;
    if (model->monitors->imaginary) record.imaginary = value + record.count * record.channels;
    of->found = tor_alloc((size_t)m->count, sizeof *of->found, "resonances");
    of->count = tor_harmonic_find(&record, 2 * TOR_PI * TOR_C0 / m->band[1], 2 * TOR_PI * TOR_C0 / m->band[0],
                                  of->found, m->count);
    for (int k = 0; k < of->count; k++) move_amplitudes(l, model->grid.dt, start - of->from, &of->found[k]);
    free(value);
    if (!of->count)
      tor_log_warning_at(
          tor_job_monitor_place(r->job, m),
          "monitor %s: no resonance from %.6g to %.6g nm in the %d samples after %.6g fs; need " TOR_NEEDED(
              "a later run.time_fs, a place where the field is strong, or another band"),
          m->name, m->band[0] / TOR_NM, m->band[1] / TOR_NM, record.count, of->from / TOR_FS);
    for (int k = 0; k < of->count; k++) {
      const struct tor_harmonic *h = &of->found[of->count - 1 - k];
      tor_log("%s: resonance at %.7g nm, Q = %.4g +- %.1g", m->name, 2 * TOR_PI * TOR_C0 / h->omega / TOR_NM,
              quality(h), quality_error(h));
    }
  }
  return all;
}

void tor_results_free_resonances(const struct tor_results *r, struct tor_resonances *all) {
  for (int i = 0; i < r->sim->model->monitors->count; i++) free(all[i].found);
  free(all);
}

/* --- Columns --- */

enum { WAVELENGTH, WAVELENGTH_ERROR, FREQUENCY, FREQUENCY_ERROR, QUALITY, QUALITY_ERROR, WEIGHT, SHARED };
enum { PARTS = 4 }; /* of a component: amplitude, its error, phase, its error */

/* In SI units. */
static double shared_value(const struct tor_harmonic *h, int column) {
  const double wavelength = 2 * TOR_PI * TOR_C0 / h->omega;
  switch (column) {
  case WAVELENGTH: return wavelength;
  case WAVELENGTH_ERROR: return wavelength * h->error / h->omega;
  case FREQUENCY: return h->omega / (2 * TOR_PI);
  case FREQUENCY_ERROR: return h->error / (2 * TOR_PI);
  case QUALITY: return quality(h);
  case QUALITY_ERROR: return quality_error(h);
  default: return h->weight;
  }
}

static double part_value(const struct tor_harmonic *h, int channel, int part) {
  const double modulus = cabs(h->amplitude[channel]), error = h->amplitude_error[channel];
  switch (part) {
  case 0: return modulus;
  case 1: return error;
  case 2: return carg(h->amplitude[channel]);
  default: return modulus > error ? asin(error / modulus) : TOR_PI;
  }
}

int tor_results_write_resonances(const struct tor_results *r, const struct tor_recorder *l,
                                 const struct tor_resonances *of) {
  static const char *const shared[SHARED] = {
      "wavelength_nm", "wavelength_error_nm", "frequency_THz", "frequency_error_THz", "Q", "Q_error", "weight"};
  static const double unit[SHARED] = {TOR_NM, TOR_NM, 1e12, 1e12, 1, 1, 1};
  static const char *const part[2][PARTS] = {{"V_per_m", "error_V_per_m", "phase_rad", "phase_error_rad"},
                                             {"A_per_m", "error_A_per_m", "phase_rad", "phase_error_rad"}};
  enum { COLUMNS = SHARED + PARTS * TOR_NCOMP };
  struct tor_table_column columns[COLUMNS];
  char name[COLUMNS][32];
  const int n = SHARED + PARTS * l->npatch;
  double *value = tor_alloc((size_t)n * (size_t)of->count + 1, sizeof *value, "resonances");
  for (int i = 0; i < n; i++) {
    const int channel = (i - SHARED) / PARTS, kind = (i - SHARED) % PARTS;
    double *at = value + i * of->count;
    if (i < SHARED)
      snprintf(name[i], sizeof name[i], "%s", shared[i]);
    else
      snprintf(name[i], sizeof name[i], "%s_%s", tor_job_comp_name(r->job, l->patch[channel].comp),
               part[tor_comp_is_h(l->patch[channel].comp)][kind]);
    for (int k = 0; k < of->count; k++)
      at[k] = i < SHARED ? shared_value(&of->found[k], i) / unit[i] : part_value(&of->found[k], channel, kind);
    columns[i] = (struct tor_table_column){name[i], NULL, at};
  }
  const char *path = tor_results_path(r->job, "%s_resonances.csv", l->spec->name);
  const int failed = tor_results_log_file(r, path, tor_table_write(path, columns, n, of->count), NULL);
  free(value);
  return failed;
}

/* --- results.h5 --- */

static const char *object(const struct tor_recorder *l, const char *comp, const char *what) {
  static _Thread_local char path[256];
  snprintf(path, sizeof path, "/monitors/%s/%s%s%s", l->spec->name, comp, *comp ? "/" : "", what);
  return path;
}

static void write_axes(struct tor_h5 *h5, const char *path, const char *axes) {
  tor_h5_attribute_string(h5, path, "axes", axes);
}

void tor_results_write_resonances_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                                     const struct tor_resonances *of) {
  static const char *const name[SHARED] = {"wavelength", "wavelength_error", "frequency", "frequency_error",
                                           "Q",          "Q_error",          "weight"};
  static const char *const unit[SHARED] = {"m", "m", "Hz", "Hz", "1", "1", "1"};
  static const char *const meaning[SHARED] = {
      "wavelength in vacuum of the resonance", "its error", "frequency of the resonance",         "its error",
      "omega / (2 decay rate of the field)",   "its error", "part of the record's sum of squares"};
  const tor_gidx n = of->count, dims[2] = {n, 2};
  if (!n) return;
  double *value = tor_alloc((size_t)n, sizeof *value, "resonances");
  double complex *amplitude = tor_alloc((size_t)n, sizeof *amplitude, "resonances");
  for (int i = 0; i < SHARED; i++) {
    for (int k = 0; k < n; k++) value[k] = shared_value(&of->found[k], i);
    tor_h5_write(h5, object(l, "", name[i]), TOR_H5_DOUBLE, 1, &n, value, unit[i], meaning[i]);
    write_axes(h5, object(l, "", name[i]), "wavelength");
  }
  for (int c = 0; c < l->npatch; c++) {
    const char *comp = tor_job_comp_name(r->job, l->patch[c].comp),
               *units = tor_comp_is_h(l->patch[c].comp) ? "A/m" : "V/m";
    for (int k = 0; k < n; k++) amplitude[k] = of->found[k].amplitude[c];
    tor_h5_write(h5, object(l, comp, "amplitude"), TOR_H5_DOUBLE, 2, dims, amplitude, units,
                 r->sim->model->monitors->imaginary
                     ? "A of A exp(-i omega t - decay t), t from the begin of the record; [resonance][real, imaginary]"
                     : "A of Re(A exp(-i omega t - decay t)), t from the begin of the record; [resonance][real, "
                       "imaginary]");
    write_axes(h5, object(l, comp, "amplitude"), "wavelength part");
    tor_h5_attribute_double(h5, object(l, comp, "amplitude"), "from_s", of->from);
    for (int k = 0; k < n; k++) value[k] = of->found[k].amplitude_error[c];
    tor_h5_write(h5, object(l, comp, "amplitude_error"), TOR_H5_DOUBLE, 1, &n, value, units, "error of the amplitude");
    write_axes(h5, object(l, comp, "amplitude_error"), "wavelength");
  }
  free(value);
  free(amplitude);
}
