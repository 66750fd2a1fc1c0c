/* The job: freeing it, and writing it as JSON in SI units with the unit in each key. See job.h. */
#include "src/job/job.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/cylindrical.h"
#include "src/job/design.h"
#include "src/job/geometry.h"
#include "src/job/job_json.h"
#include "src/job/material.h"
#include "src/job/object_bins.h"
#include "src/job/field_file.h"
#include "src/job/sheet.h"
#include "src/job/thin_sheet.h"
#include "src/job/turn.h"

void tor_job_free(struct tor_job *job) {
  for (int i = 0; i < job->nmedia; i++) tor_medium_free(&job->media[i]);
  for (int i = 0; i < job->nsources; i++) {
    free(job->sources[i].name);
    free(job->sources[i].profile.file);
    free(job->sources[i].profile.time);
    free(job->sources[i].profile.value);
    tor_field_file_free(job->sources[i].fields);
    tor_sheet_free(job->sources[i].sheet);
  }
  for (int i = 0; i < job->nmonitors; i++) {
    free(job->monitors[i].name);
    free(job->monitors[i].wavelength);
    free(job->monitors[i].time);
    free(job->monitors[i].source);
    free(job->monitors[i].beam);
    free(job->monitors[i].theta);
    free(job->monitors[i].phi);
  }
  free(job->modes.wavelength);
  free(job->bands.corner);
  free(job->bands.name);
  for (int i = 0; i < job->nplaces; i++) {
    free(job->places[i].key);
    free(job->places[i].set);
  }
  free(job->places);
  free(job->path);
  free(job->title);
  free(job->output);
  free(job->schedule.disk);
  free(job->media);
  tor_objects_free(job->objects, job->nobjects);
  tor_object_bins_free(job->bins);
  for (int i = 0; i < job->nrepeats; i++) {
    free(job->repeats[i].file);
    tor_objects_free(job->repeats[i].shape, job->repeats[i].nshapes);
  }
  free(job->repeats);
  for (int i = 0; i < job->ndesigns; i++) tor_design_free(&job->designs[i]);
  free(job->designs);
  for (int i = 0; i < job->nsheets; i++) tor_thin_sheet_free(&job->sheets[i]);
  free(job->sheets);
  free(job->sources);
  free(job->monitors);
  for (int a = 0; a < 3; a++) free(job->nodes[a]);
  memset(job, 0, sizeof *job);
}

static const struct tor_job_key *find_key(const struct tor_job *job, const char *key, size_t length) {
  for (int i = 0; i < job->nplaces; i++)
    if (strlen(job->places[i].key) == length && !memcmp(job->places[i].key, key, length)) return &job->places[i];
  return NULL;
}

static const struct tor_place *place_of(const struct tor_job *job, const char *name, const char *format, va_list args) {
  static _Thread_local struct tor_place place;
  static _Thread_local char key[256];
  vsnprintf(key, sizeof key, format, args);
  const struct tor_job_key *found = find_key(job, key, strlen(key)), *group = find_key(job, key, strcspn(key, ".["));
  if (!found && group && !group->set) found = group;
  const char *set = found ? found->set : NULL;
  place = (struct tor_place){
      .file = set ? NULL : job->path, .line = found && !set ? found->line : 0, .key = key, .set = set, .name = name};
  return &place;
}

const struct tor_place *tor_job_place(const struct tor_job *job, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const struct tor_place *place = place_of(job, NULL, format, args);
  va_end(args);
  return place;
}

static const struct tor_place *named_place(const struct tor_job *job, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static const struct tor_place *named_place(const struct tor_job *job, const char *name, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const struct tor_place *place = place_of(job, name, format, args);
  va_end(args);
  return place;
}

const struct tor_place *tor_job_source_place(const struct tor_job *job, const struct tor_source *source) {
  return named_place(job, source->name, "sources[%d]", (int)(source - job->sources));
}

const struct tor_place *tor_job_monitor_place(const struct tor_job *job, const struct tor_monitor *monitor) {
  return named_place(job, monitor->name, "monitors[%d]", (int)(monitor - job->monitors));
}

/* --- The parts of a job --- */

static void write_boundaries(struct json *j, const struct tor_job *job) {
  static const char *const wall[] = {"pec", "pmc", "cpml", "absorber", "periodic"};
  start(j, "boundaries", '{');
  for (int f = 0; f < 2 * tor_user_axes(job); f++) {
    const struct tor_boundary *b = &job->boundary[2 * tor_axis_of_user(job, f / 2) + f % 2];
    start(j, tor_face_name(f), '{');
    string(j, "type", job->phase[tor_axis_of_user(job, f / 2)] != 0 ? "bloch" : wall[b->wall]);
    if (tor_boundary_layer(b)) {
      number(j, "cells", b->cells);
      number(j, "grade", b->grade);
      number(j, "sigma", b->sigma);
    }
    if (b->wall == TOR_CPML) {
      number(j, "kappa", b->kappa);
      number(j, "alpha", b->alpha);
    }
    end(j, '}');
  }
  if (job->phase[0] != 0 || job->phase[1] != 0 || job->phase[2] != 0) vector(j, "phase_rad", job->phase);
  end(j, '}');
}

static void write_pole(struct json *j, const char *name, const struct tor_pole *p) {
  static const char *const kind[] = {"drude", "lorentz", "debye", "critical_point"};
  start(j, name, '{');
  string(j, "type", kind[p->kind]);
  const int critical = p->kind == TOR_CRITICAL_POINT;
  tor_job_write_strength(j, p->kind == TOR_DRUDE ? "plasma_rad_per_s" : critical ? "amplitude" : "delta_eps", p);
  if (critical) number(j, "phase_rad", p->phase);
  if (p->kind == TOR_LORENTZ || critical) number(j, "omega_rad_per_s", p->omega);
  if (p->kind == TOR_DEBYE)
    number(j, "tau_s", p->tau);
  else
    number(j, "gamma_rad_per_s", p->gamma);
  end(j, '}');
}

static void write_medium(struct json *j, const struct tor_medium *m) {
  start(j, NULL, '{');
  string(j, "name", m->name);
  if (m->conducts) boolean(j, "perfect_conductor", 1);
  triple(j, "permittivity", m->eps);
  if (m->has_tensor) triple(j, "permittivity_yz_zx_xy", m->off);
  triple(j, "permeability", m->mu);
  triple(j, "conductivity_S_per_m", m->sigma);
  triple(j, "magnetic_conductivity_Ohm_per_m", m->sigma_m);
  start(j, "poles", '[');
  for (int i = 0; i < m->npoles; i++) write_pole(j, NULL, &m->poles[i]);
  end(j, ']');
  if (m->has_node_pole) write_pole(j, m->saturation > 0 ? "saturable_pole" : "magnetised_pole", &m->node_pole);
  if (m->has_node_pole) tor_job_write_node_pole(j, m);
  if (m->chi3 != 0) number(j, "chi3_m2_per_V2", m->chi3);
  if (m->has_chi2) numbers(j, "chi2_m_per_V", m->chi2, TOR_CHI2_SIZE);
  if (m->at > 0) {
    number(j, "n", m->n);
    number(j, "k", m->k);
    number(j, "at_m", m->at);
  }
  if (m->range[1] > 0) numbers(j, "range_m", m->range, 2);
  if (m->source) string(j, "source", m->source);
  if (m->table) { /* not in tor_job_text */
    string(j, "file", m->table);
    number(j, "fit_rms_error", m->fit.rms);
    number(j, "fit_largest_error", m->fit.largest);
    number(j, "fit_points", m->fit.points);
  }
  end(j, '}');
}

static void write_profile(struct json *j, const struct tor_profile *p) {
  static const char *const kind[] = {"pulse", "continuous", "table"};
  start(j, "time", '{');
  string(j, "type", kind[p->kind]);
  if (p->kind != TOR_TABLE) number(j, "wavelength_m", p->wavelength);
  if (p->kind == TOR_PULSE) number(j, "band_m", p->band);
  number(j, "delay_s", p->delay);
  if (p->kind == TOR_CONTINUOUS) number(j, "rise_s", p->rise);
  if (p->kind != TOR_TABLE) number(j, "phase_rad", p->phase);
  if (p->kind == TOR_PULSE && p->zero_mean) boolean(j, "zero_mean", 1);
  if (p->kind == TOR_TABLE) {
    string(j, "file", p->file);
    numbers(j, "time_s", p->time, p->count);
    numbers(j, "value", p->value, p->count);
  }
  end(j, '}');
}

static void write_direction(struct json *j, const struct tor_source *s) {
  const char direction[3] = {s->direction < 0 ? '-' : '+', tor_axis_name(j->job, s->axis), 0};
  if (!s->oblique) {
    string(j, "direction", direction);
    if (s->kind != TOR_MODE_SOURCE) axis(j, "polarisation", s->polarisation);
    return;
  }
  if (!j->job->plane) number(j, "theta_deg", s->angle[0]);
  number(j, "phi_deg", s->angle[1]);
  if (s->circular)
    string(j, "polarisation", s->circular > 0 ? "left" : "right");
  else if (!j->job->plane)
    number(j, "psi_deg", s->angle[2]);
  if (s->angle_at > 0) number(j, "angle_wavelength_m", s->angle_at);
}

static void write_box(struct json *j, const double lo[3], const double hi[3]) {
  start(j, "box", '{');
  vector(j, "lo_m", lo);
  vector(j, "hi_m", hi);
  end(j, '}');
}

static void write_design(struct json *j, const struct tor_design *d) {
  double values[3];
  char contents[32];
  for (int a = 0; a < 3; a++) values[a] = d->n[a];
  snprintf(contents, sizeof contents, "%016llx", (unsigned long long)d->contents);
  start(j, NULL, '{');
  string(j, "name", d->name);
  write_box(j, d->lo, d->hi);
  string(j, "values", d->medium[0] < 0 ? "permittivity" : "density");
  if (d->medium[0] >= 0) string(j, "medium_0", j->job->media[d->medium[0]].name);
  if (d->medium[0] >= 0) string(j, "medium_1", j->job->media[d->medium[1]].name);
  string(j, "file", d->file);
  string(j, "dataset", d->dataset);
  vector(j, "count", values);
  string(j, "contents", contents);
  end(j, '}');
}

static void write_beam(struct json *j, const struct tor_source *s) {
  vector(j, "focus_m", s->focus);
  number(j, "waist_m", s->waist[0]);
  if (j->job->plane) return;
  number(j, "waist_across_m", s->waist[1]);
  number(j, "waist_deg", s->waist_angle);
  number(j, "astigmatism_m", s->astigmatism);
}

static void write_fields(struct json *j, const struct tor_source *s) {
  const struct tor_field_file *f = s->fields;
  char contents[20];
  snprintf(contents, sizeof contents, "%016llx", (unsigned long long)f->contents);
  string(j, "file", f->file);
  string(j, "group", f->group);
  string(j, "contents", contents);
  if (s->as_is) boolean(j, "as_is", 1);
}

/* Of a monitor. */
static void write_beam_of(struct json *j, const struct tor_source *s) {
  start(j, "beam", '{');
  write_direction(j, s);
  write_beam(j, s);
  end(j, '}');
}

static void write_source(struct json *j, const struct tor_source *s) {
  static const char *const kind[] = {"plane_wave", "electric_dipole", "magnetic_dipole",
                                     "mode",       "gaussian_beam",   "fields"};
  static const char *const amplitude[2][6] = {
      {"amplitude_V_per_m", "amplitude_A_m", "amplitude_V_m", "amplitude_sqrt_W", "amplitude_sqrt_W", "amplitude"},
      {"amplitude_V_per_m", "amplitude_A", "amplitude_V", "amplitude_sqrt_W_per_m", "amplitude_sqrt_W_per_m",
       "amplitude"}};
  const int line = j->job->plane && tor_source_is_dipole(s);
  start(j, NULL, '{');
  string(j, "type", !line ? kind[s->kind] : s->polarisation == TOR_X ? "line_current" : "line_dipole");
  string(j, "name", s->name);
  if (!tor_source_is_dipole(s)) {
    write_direction(j, s);
    write_box(j, s->lo, s->hi);
  } else {
    vector(j, "position_m", s->position);
    axis(j, "axis", s->polarisation);
  }
  if (s->kind == TOR_MODE_SOURCE) {
    number(j, "mode", s->mode);
    number(j, "target_index", s->target);
  }
  if (s->kind == TOR_BEAM) write_beam(j, s);
  if (s->kind == TOR_FIELD_SOURCE && s->fields) write_fields(j, s);
  number(j, amplitude[j->job->plane != TOR_SPACE][s->kind], s->profile.amplitude);
  write_profile(j, &s->profile);
  end(j, '}');
}

/* Each member in a line that begins with "image": see next_line. */
static void write_image(struct json *j, const struct tor_monitor *m) {
  static const char *const of[] = {"value", "amplitude", "real", "phase", "E", "H", "intensity"};
  char words[64] = "";
  for (int i = 0; i <= TOR_PICTURE_INTENSITY; i++)
    if (m->image_of >> i & 1)
      snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", *words ? " " : "", of[i]);
  boolean(j, "image", m->image);
  string(j, "image_of", words);
  if (m->image_limit < 0)
    string(j, "image_limit", "percentile");
  else
    number(j, "image_limit", m->image_limit);
  string(j, "image_scale", m->image_log ? "log" : "linear");
}

static void write_monitor(struct json *j, const struct tor_monitor *m) {
  static const char *const kind[] = {"probe",      "field",       "flux",         "flux_box",      "cross_section",
                                     "energy",     "slice",       "snapshot",     "orders",        "far_field",
                                     "mode",       "decay_rate",  "resonances",   "absorption",    "force",
                                     "multipoles", "mode_volume", "permittivity", "energy_density"};
  start(j, NULL, '{');
  string(j, "type", kind[m->kind]);
  string(j, "name", m->name);
  if (tor_monitor_is_series(m) || m->kind == TOR_DECAY_RATE) {
    vector(j, "position_m", m->lo);
  } else if (m->kind != TOR_CROSS_SECTION && m->kind != TOR_ENERGY) {
    write_box(j, m->lo, m->hi);
  }
  if (m->components) {
    start(j, "components", '[');
    for (int c = 0; c < TOR_NCOMP; c++)
      if (m->components & 1u << c) string(j, NULL, tor_job_comp_name(j->job, c));
    end(j, ']');
  }
  if (m->kind == TOR_RESONANCES) {
    numbers(j, "band_m", m->band, 2);
    number(j, "count", m->count);
    if (!isnan(m->from)) number(j, "from_s", m->from);
  } else if (m->kind != TOR_ENERGY && m->kind != TOR_SLICE && m->kind != TOR_SNAPSHOT)
    numbers(j, "wavelengths_m", m->wavelength, m->nwavelength);
  if (m->period > 0)
    number(j, "every_s", m->period);
  else if (m->kind == TOR_SLICE || m->kind == TOR_SNAPSHOT)
    numbers(j, "times_s", m->time, m->ntime);
  if (m->kind == TOR_SNAPSHOT) {
    vector(j, "stride", (const double[]){m->stride[0], m->stride[1], m->stride[2]});
    number(j, "compression", m->compression);
  }
  if (m->kind == TOR_PROBE || m->kind == TOR_ENERGY) number(j, "every", m->every);
  if (m->kind == TOR_CROSS_SECTION) {
    number(j, "radius_m", m->radius);
    number(j, m->distance > 0 ? "distance_m" : "margin_cells", m->distance > 0 ? m->distance : m->margin);
  }
  if (m->windowed) numbers(j, "window_s", m->window, 3);
  if (m->kind == TOR_ORDERS) axis(j, "axis", m->axis);
  if (m->kind == TOR_DECAY_RATE) string(j, "source", j->job->sources[m->dipole].name);
  if (m->kind == TOR_MULTIPOLE) vector(j, "position_m", m->position);
  if (m->kind == TOR_FORCE || m->kind == TOR_MULTIPOLE) number(j, "radius_m", m->radius);
  if (m->kind == TOR_ABSORPTION) boolean(j, "image", m->image);
  if (m->kind == TOR_FAR_FIELD) {
    tor_job_write_far_field(j, m);
    boolean(j, "image", m->image);
  }
  if (m->beam) write_beam_of(j, m->beam);
  if (m->kind == TOR_MODE) {
    number(j, "count", m->count);
    if (m->target > 0) number(j, "target_index", m->target);
    if (!isnan(m->reference)) number(j, "reference_m", m->reference);
    if (m->port) numbers(j, "port", (const double[]){m->port, m->port_mode, m->into}, 3);
  }
  if (m->kind == TOR_SLICE || m->kind == TOR_FIELD_DFT || m->kind == TOR_SNAPSHOT) write_image(j, m);
  end(j, '}');
}

static void write_grid(struct json *j, const struct tor_job *job) {
  start(j, "grid", '{');
  if (job->plane) string(j, "polarisation", tor_plane_name(job->plane));
  if (job->angular) string(j, "coordinates", "cylindrical");
  if (job->angular) number(j, "m", tor_cylindrical_number(job->angular));
  if (job->angular < 0) string(j, "polarisation", job->angular == TOR_M0_TM ? "TM" : "TE");
  vector(j, "size_m", job->size);
  vector(j, "cell_m", job->cell);
  for (int a = 0; a < 3; a++)
    if (job->nodes[a]) {
      const char name[] = {'n', 'o', 'd', 'e', 's', '_', tor_axis_name(job, a), '_', 'm', 0};
      numbers(j, name, job->nodes[a], job->nnode[a]);
    }
  for (int a = 0; a < 3; a++)
    if (job->symmetry[a]) {
      const char name[] = {'s', 'y', 'm', 'm', 'e', 't', 'r', 'y', '_', tor_axis_name(job, a), 0};
      string(j, name, job->symmetry[a] > 0 ? "even" : "odd");
    }
  number(j, "order", job->order);
  string(j, "precision", job->precision == TOR_F64 ? "fp64" : "fp32");
  number(j, "courant", job->courant);
  string(j, "averaging", tor_job_averaging(job));
  number(j, "samples", job->samples);
  end(j, '}');
}

static void write_run(struct json *j, const struct tor_job *job) {
  static const char *const engine[] = {"auto", "stepwise", "diamond"};
  static const char *const device[] = {"auto", "cpu", "gpu"};
  start(j, "run", '{');
  if (job->run_time > 0) number(j, "time_s", job->run_time);
  number(j, "decay", job->run_decay);
  if (job->run_until > 0) number(j, "until", job->run_until);
  if (job->tolerance > 0) number(j, "tolerance", job->tolerance);
  end(j, '}');
  start(j, "schedule", '{');
  string(j, "engine", engine[job->schedule.engine]);
  string(j, "device", device[job->schedule.device]);
  number(j, "devices", job->schedule.devices);
  number(j, "dts", job->schedule.dts);
  number(j, "th", job->schedule.th);
  number(j, "device_memory_bytes", job->schedule.device_memory);
  number(j, "host_memory_bytes", job->schedule.host_memory);
  string(j, "disk", job->schedule.disk ? job->schedule.disk : "");
  number(j, "disk_bytes_per_second", job->schedule.disk_rate);
  number(j, "threads", job->schedule.threads);
  number(j, "ranks_x", job->schedule.ranks[job->plane ? 1 : 0]);
  number(j, "ranks_y", job->schedule.ranks[job->plane ? 0 : 1]);
  end(j, '}');
  start(j, "checkpoint", '{');
  number(j, "minutes", job->checkpoint.minutes);
  number(j, "steps", (double)job->checkpoint.steps);
  boolean(j, "keep", job->checkpoint.keep);
  end(j, '}');
}

/* After the schedule: no result of a run depends on them. */
static void write_modes(struct json *j, const struct tor_job *job) {
  const struct tor_mode_job *m = &job->modes;
  if (!m->nwavelength) return;
  start(j, "modes", '{');
  start(j, "box", '{');
  numbers(j, "lo_m", m->lo, 3);
  numbers(j, "hi_m", m->hi, 3);
  end(j, '}');
  numbers(j, "wavelengths_m", m->wavelength, m->nwavelength);
  number(j, "count", m->count);
  if (m->target > 0) number(j, "target_index", m->target);
  if (m->core >= 0) string(j, "core", job->media[m->core].name);
  boolean(j, "image", m->image);
  end(j, '}');
}

static void write_bands(struct json *j, const struct tor_job *job) {
  const struct tor_band_job *b = &job->bands;
  if (!b->ncorners) return;
  start(j, "bands", '{');
  numbers(j, "path_2pi_per_period", &b->corner[0][0], 3 * b->ncorners);
  number(j, "points", b->points);
  numbers(j, "frequencies_c_per_period", b->band, 2);
  number(j, "period_m", b->period);
  number(j, "count", b->count);
  number(j, "runs", b->runs);
  number(j, "tolerance", b->tolerance);
  number(j, "least_q", b->least_q);
  end(j, '}');
}

void tor_job_write_json(const struct tor_job *job, FILE *out, int indent) {
  struct json j = {job, out, indent, 1, 1};
  fputc('{', out);
  string(&j, "job_file", job->path);
  string(&j, "title", job->title);
  string(&j, "output", job->output);
  number(&j, "length_unit_m", job->length_unit);
  write_grid(&j, job);
  write_boundaries(&j, job);
  string(&j, "background", job->nmedia ? job->media[job->background].name : NULL);
  start(&j, "media", '[');
  for (int i = 0; i < job->nmedia; i++) write_medium(&j, &job->media[i]);
  end(&j, ']');
  start(&j, "objects", '[');
  for (int i = 0, r = 0; i < job->nobjects; i++) { /* of copies the first */
    const struct tor_repeat *repeat = r < job->nrepeats && job->repeats[r].first == i ? &job->repeats[r++] : NULL;
    tor_job_write_object(&j, &job->objects[i], repeat);
    if (repeat) i += tor_repeat_copies(repeat) - 1;
  }
  end(&j, ']');
  if (job->ndesigns) start(&j, "designs", '[');
  for (int i = 0; i < job->ndesigns; i++) write_design(&j, &job->designs[i]);
  if (job->ndesigns) end(&j, ']');
  tor_job_write_sheets(&j);
  start(&j, "sources", '[');
  for (int i = 0; i < job->nsources; i++) write_source(&j, &job->sources[i]);
  end(&j, ']');
  start(&j, "monitors", '[');
  for (int i = 0; i < job->nmonitors; i++) write_monitor(&j, &job->monitors[i]);
  end(&j, ']');
  write_run(&j, job);
  write_modes(&j, job);
  write_bands(&j, job);
  end(&j, '}');
}
