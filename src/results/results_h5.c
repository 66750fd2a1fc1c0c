/* results.h5: every monitor's data with coordinates and units. Arrays are [z][y][x], x fastest, as in snapshots, those
 * of 2-D jobs [y][x]; each one's attribute `axes` has it. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/monitor.h"
#include "src/model/oblique_line.h"
#include "src/model/source.h"
#include "src/model/spectrum.h"
#include "src/results/results.h"
#include "src/results/results_far.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

/* Coordinates of a patch along an axis [m]: [count], the caller's to free. */
static double *places(const struct tor_results *r, const struct tor_patch *p, int axis) {
  double *x = tor_alloc((size_t)p->count[axis], sizeof *x, "coordinates");
  for (int i = 0; i < p->count[axis]; i++)
    x[i] = tor_grid_place(&r->sim->model->grid, p->comp, axis, p->first[axis] + i);
  return x;
}

/* A vector along the user's axes as an attribute. */
static void user_vector(struct tor_h5 *h5, const struct tor_job *job, const char *path, const char *name,
                        const double v[3]) {
  double own[3];
  for (int u = 0; u < 3; u++) own[u] = v[tor_axis_of_user(job, u)];
  tor_h5_attribute_doubles(h5, path, name, tor_user_axes(job), own);
}

/* /monitors/NAME/WHAT in memory of the thread. */
static const char *object(const struct tor_recorder *l, const char *comp, const char *what) {
  static _Thread_local char path[256];
  snprintf(path, sizeof path, "/monitors/%s%s%s%s%s", l->spec->name, *comp ? "/" : "", comp, *what ? "/" : "", what);
  return path;
}

static void write_coordinates(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                              const struct tor_patch *p) {
  static const char *const axis_name[] = {"x", "y", "z"};
  for (int u = 0; u < tor_user_axes(r->job); u++) {
    const int a = tor_axis_of_user(r->job, u);
    double *x = places(r, p, a);
    tor_gidx n = p->count[a];
    tor_h5_write(h5, object(l, tor_job_comp_name(r->job, p->comp), axis_name[u]), TOR_H5_DOUBLE, 1, &n, x, "m",
                 "position of the component's points");
    free(x);
  }
}

static void write_wavelengths(struct tor_h5 *h5, const struct tor_recorder *l) {
  tor_gidx n = l->nfreq;
  tor_h5_write(h5, object(l, "", "wavelength"), TOR_H5_DOUBLE, 1, &n, l->spec->wavelength, "m", "wavelength in vacuum");
}

/* Source of a dataset's rows. */
struct patch_values {
  const struct tor_results *results;
  const struct tor_recorder *recorder;
  const struct tor_patch *patch;
};

static tor_gidx points_of(const struct tor_patch *p) { return (tor_gidx)p->count[0] * p->count[1] * p->count[2]; }

/* The order of an array's axes, slowest first, with blanks between. */
static void write_axes(struct tor_h5 *h5, const char *path, const char *axes) {
  tor_h5_attribute_string(h5, path, "axes", axes);
}

/* Rows [wavelength][z][y][x] of real and imaginary part. Threads have parts of a plane [y][x] each and go through the
 * rows' planes for a point, since its values of rising z lie together. */
static int fill_spectrum(void *context, tor_gidx first, tor_gidx count, void *rows) {
  const struct patch_values *from = context;
  const struct tor_patch *p = from->patch;
  const int *n = p->count;
  const tor_gidx points = points_of(p), plane = points / n[tor_axis_of_user(from->results->job, TOR_Z)];
  double(*to)[2] = rows;
#pragma omp parallel for schedule(static) if (count > 4096)
  for (tor_gidx k = 0; k < (plane < count ? plane : count); k++)
    for (tor_gidx i = k; i < count; i += plane) {
      int at[3];
      tor_user_place(from->results->job, n, (first + i) % points, at);
      const double complex v = tor_recorder_spectrum(from->results->sim->model->monitors, from->recorder, p, at[0],
                                                     at[1], at[2], (int)((first + i) / points));
      to[i][0] = creal(v);
      to[i][1] = cimag(v);
    }
  return 0;
}

/* Of the only plane wave, which is oblique: vectors in the user's axes. */
static void write_oblique(struct tor_h5 *h5, const char *path, const struct tor_results *r) {
  const struct tor_oblique *line = tor_incident_oblique(r->sim->model->sources, 0);
  const struct tor_box *box = tor_incident_box(r->sim->model->sources, 0);
  const struct tor_grid *g = &r->sim->model->grid;
  double travel[3], e[3], corner[3];
  for (int a = 0; a < 3; a++) {
    const int u = tor_user_axis(r->job, a);
    travel[u] = line->direction[a];
    e[u] = line->polarisation[0][a];
    corner[u] = tor_grid_at(g, a, line->m[a] < 0 ? box->hi[a] : box->lo[a]);
  }
  const int axes = tor_user_axes(r->job);
  tor_h5_attribute_doubles(h5, path, "direction", axes, travel);
  tor_h5_attribute_doubles(h5, path, "polarisation", 3, e);
  tor_h5_attribute_doubles(h5, path, "corner_m", axes, corner);
}

/* Of a wave of a fixed k, in a periodic cell or through layers: its direction where its angles are given, its wave
 * vector along the walls, where its phase is that of E, and its angle at each wavelength of the monitor. */
static void write_fixed(struct tor_h5 *h5, const char *path, const struct tor_results *r, const struct tor_recorder *l,
                        double front) {
  const struct tor_sources *sources = r->sim->model->sources;
  const struct tor_source *wave = tor_incident_source(sources, 0);
  double travel[3], e[3], k[3], own[3], *theta = tor_alloc((size_t)l->nfreq, sizeof *theta, l->spec->name);
  tor_incident_along(sources, 0, own);
  for (int a = 0; a < 3; a++) {
    const int u = tor_user_axis(r->job, a);
    travel[u] = wave->travel[a];
    e[u] = wave->across[a];
    k[u] = own[a];
  }
  for (int q = 0; q < l->nfreq; q++) theta[q] = tor_incident_angle(sources, 0, l->omega[q]);
  const int axes = tor_user_axes(r->job);
  tor_h5_attribute_doubles(h5, path, "direction", axes, travel);
  tor_h5_attribute_doubles(h5, path, "polarisation", 3, e);
  tor_h5_attribute_doubles(h5, path, "k_rad_per_m", axes, k);
  tor_h5_attribute_doubles(h5, path, "theta_rad", l->nfreq, theta);
  tor_h5_attribute_double(h5, path, "front_m", front);
  free(theta);
}

/* Reference of amplitudes and phases: E of the only plane wave where it enters. */
static void write_incident(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l) {
  static const char *const axis_name[] = {"x", "y", "z"};
  const struct tor_sources *sources = r->sim->model->sources;
  if (sources->nincident != 1) return;
  const struct tor_source *wave = tor_incident_source(sources, 0);
  const struct tor_box *box = tor_incident_box(sources, 0);
  const int axis = wave->oblique && !wave->periodic ? TOR_Z : wave->axis; /* of a wave through layers */
  const int forward = wave->oblique ? wave->travel[axis] > 0 : wave->direction > 0;
  const int front = forward ? box->lo[axis] : box->hi[axis];
  const tor_gidx dims[2] = {l->nfreq, 2};
  double complex *e = tor_alloc((size_t)l->nfreq, sizeof *e, l->spec->name), field[2];
  for (int q = 0; q < l->nfreq; q++) {
    tor_incident_spectrum(sources, 0, l->omega[q], field);
    e[q] = field[0];
  }
  const char *path = object(l, "", "incident");
  tor_h5_write(h5, path, TOR_H5_DOUBLE, 2, dims, e, "V/m/Hz",
               wave->oblique && !wave->periodic
                   ? "the plane wave's E at the corner that it meets first; [wavelength][real, imaginary]"
                   : "the plane wave's E at its front face; [wavelength][real, imaginary]");
  write_axes(h5, path, "wavelength part");
  free(e);
  const double front_m = tor_grid_place(&r->sim->model->grid, TOR_EX + (axis + 1) % 3, axis, front);
  if (wave->oblique && !tor_incident_oblique(sources, 0)) {
    write_fixed(h5, path, r, l, front_m);
    return;
  }
  if (wave->oblique) {
    write_oblique(h5, path, r);
    return;
  }
  tor_h5_attribute_string(h5, path, "polarisation", axis_name[tor_user_axis(r->job, wave->polarisation)]);
  tor_h5_attribute_string(h5, path, "axis", axis_name[tor_user_axis(r->job, wave->axis)]);
  tor_h5_attribute_int(h5, path, "direction", wave->direction);
  tor_h5_attribute_double(h5, path, "front_m", front_m);
}

/* Whether all sources are fields as they are, of one pulse. */
static int are_parts_of_one(const struct tor_job *job) {
  const struct tor_profile *first = &job->sources[0].profile;
  int are = job->nsources > 1 && job->sources[0].as_is;
  for (int i = 1; i < job->nsources && are; i++) {
    const struct tor_profile *p = &job->sources[i].profile;
    are = job->sources[i].as_is && p->kind == first->kind && p->wavelength == first->wavelength &&
          p->band == first->band && p->delay == first->delay && p->rise == first->rise && p->phase == first->phase &&
          p->amplitude == first->amplitude;
  }
  return are;
}

/* The same for the only source that is a mode, a beam or fields, or for several parts of one: its amplitude. */
static void write_sheet_amplitude(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l) {
  static const char *const axis_name[] = {"x", "y", "z"};
  const struct tor_sources *sources = r->sim->model->sources;
  const struct tor_source *source = &r->job->sources[0];
  const int parts = are_parts_of_one(r->job);
  if ((r->job->nsources != 1 && !parts) || !tor_source_has_sheet(source)) return;
  const tor_gidx dims[2] = {l->nfreq, 2};
  double complex *a = tor_alloc((size_t)l->nfreq, sizeof *a, l->spec->name);
#pragma omp parallel for schedule(dynamic)
  for (int q = 0; q < l->nfreq; q++) a[q] = tor_source_spectrum(sources, 0, l->omega[q]);
  const char *path = object(l, "", "amplitude");
  tor_h5_write(h5, path, TOR_H5_DOUBLE, 2, dims, a,
               source->kind == TOR_FIELD_SOURCE ? "1/Hz"
               : r->job->plane                  ? "W^0.5/m^0.5/Hz"
                                                : "W^0.5/Hz",
               "the source's amplitude at its plane; [wavelength][real, imaginary]");
  write_axes(h5, path, "wavelength part");
  free(a);
  if (parts) return;
  tor_h5_attribute_string(h5, path, "axis", axis_name[tor_user_axis(r->job, source->axis)]);
  tor_h5_attribute_int(h5, path, "direction", source->direction);
  tor_h5_attribute_double(
      h5, path, "plane_m",
      tor_grid_place(&r->sim->model->grid, TOR_EX + (source->axis + 1) % 3, source->axis, source->sheet->node));
}

/* The same for the only dipole: the moment that causes the fields. */
static void write_moment(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l) {
  static const char *const axis_name[] = {"x", "y", "z"};
  const struct tor_sources *sources = r->sim->model->sources;
  if (r->job->nsources != 1 || !tor_source_is_dipole(&r->job->sources[0])) return;
  const struct tor_source *dipole = &r->job->sources[0];
  const int magnetic = dipole->kind == TOR_MAGNETIC_DIPOLE;
  const tor_gidx dims[2] = {l->nfreq, 2};
  double complex *m = tor_alloc((size_t)l->nfreq, sizeof *m, l->spec->name);
#pragma omp parallel for schedule(dynamic)
  for (int q = 0; q < l->nfreq; q++) m[q] = tor_source_spectrum(sources, 0, l->omega[q]);
  const char *path = object(l, "", "moment");
  tor_h5_write(h5, path, TOR_H5_DOUBLE, 2, dims, m,
               r->job->plane ? (magnetic ? "V/Hz" : "A/Hz")
               : magnetic    ? "V m/Hz"
                             : "A m/Hz",
               r->job->plane ? "current, or moment over length; [wavelength][real, imaginary]"
                             : "the dipole's current moment; [wavelength][real, imaginary]");
  write_axes(h5, path, "wavelength part");
  tor_h5_attribute_string(h5, path, "polarisation", axis_name[tor_user_axis(r->job, dipole->polarisation)]);
  user_vector(h5, r->job, path, "position_m", dipole->position);
  free(m);
}

/* The power that fractions are over. */
static void write_source_power(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l) {
  const tor_gidx n = l->nfreq;
  const struct tor_sources *sources = r->sim->model->sources;
  double *power = tor_alloc((size_t)n, sizeof *power, l->spec->name);
  int known = r->job->nsources == 1;
  for (int q = 0; q < n && known; q++) {
    power[q] = tor_spectrum_source_power(sources, l->omega[q]);
    known = isfinite(power[q]);
  }
  if (known)
    tor_h5_write(h5, object(l, "", "source_power"), TOR_H5_DOUBLE, 1, &n, power,
                 sources->nincident ? "J/Hz/m^2"
                 : r->job->plane    ? "J/Hz/m"
                                    : "J/Hz",
                 "the only source's power, of a plane wave per area across it");
  free(power);
}

static void write_field(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l) {
  write_wavelengths(h5, l);
  write_source_power(h5, r, l);
  write_incident(h5, r, l);
  write_moment(h5, r, l);
  write_sheet_amplitude(h5, r, l);
  for (int i = 0; i < l->npatch; i++) {
    const struct tor_patch *p = &l->patch[i];
    const int axes = tor_user_axes(r->job);
    if (!points_of(p)) continue; /* 2-D jobs have half of the components */
    tor_gidx dims[5] = {l->nfreq};
    for (int u = 0; u < axes; u++) dims[axes - u] = p->count[tor_axis_of_user(r->job, u)];
    dims[1 + axes] = 2;
    const char *path = object(l, tor_job_comp_name(r->job, p->comp), "spectrum");
    struct patch_values from = {r, l, p};
    tor_h5_write_rows(h5, path, TOR_H5_DOUBLE, axes + 2, dims, axes + 1, fill_spectrum, &from,
                      tor_comp_is_h(p->comp) ? "A/m/Hz" : "V/m/Hz",
                      axes == 3 ? "sum of f(t) exp(+i omega t) dt; [wavelength][z][y][x][real, imaginary]"
                                : "sum of f(t) exp(+i omega t) dt; [wavelength][y][x][real, imaginary]");
    write_axes(h5, path, axes == 3 ? "wavelength z y x part" : "wavelength y x part");
    write_coordinates(h5, r, l, p);
  }
}

/* Rows [sample][z][y][x] of one value. */
static int fill_series(void *context, tor_gidx first, tor_gidx count, void *rows) {
  const struct patch_values *from = context;
  const struct tor_model *model = from->results->sim->model;
  const tor_gidx points = points_of(from->patch);
  double *to = rows;
  int at[3];
  for (tor_gidx i = first; i < first + count; i++) {
    tor_user_place(from->results->job, from->patch->count, i % points, at);
    *to++ = tor_recorder_sample(model->monitors, from->recorder, from->patch, at[0], at[1], at[2], (int)(i / points));
  }
  return 0;
}

/* Probes and slices: [sample][z][y][x] of each component, without the axes of one point. */
static void write_series(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l) {
  const struct tor_grid *g = &r->sim->model->grid;
  tor_gidx n = tor_recorder_samples(l, r->sim->step);
  double *time = tor_alloc((size_t)n, sizeof *time, l->spec->name);
  for (tor_gidx k = 0; k < n; k++) time[k] = (double)(l->every ? (k + 1) * l->every : l->sample_step[k]) * g->dt;
  tor_h5_write(h5, object(l, "", "time"), TOR_H5_DOUBLE, 1, &n, time, "s", "time of E; H is half a time step earlier");
  free(time);
  for (int i = 0; i < l->npatch; i++) {
    const struct tor_patch *p = &l->patch[i];
    tor_gidx dims[4] = {n, 0, 0, 0};
    char axes[16] = "time";
    int rank = 1;
    for (int u = 2; u >= 0; u--) {
      const int a = tor_axis_of_user(r->job, u);
      if (p->count[a] == 1) continue;
      dims[rank++] = p->count[a];
      snprintf(axes + strlen(axes), sizeof axes - strlen(axes), " %c", "xyz"[u]);
    }
    const char *path = object(l, tor_job_comp_name(r->job, p->comp), "values");
    struct patch_values from = {r, l, p};
    tor_h5_write_rows(h5, path, TOR_H5_DOUBLE, rank, dims, rank, fill_series, &from,
                      tor_comp_is_h(p->comp) ? "A/m" : "V/m",
                      "[time] and the axes with more than one point, in the order z, y, x");
    write_axes(h5, path, axes);
    write_coordinates(h5, r, l, p);
  }
}

/* Where a spectrum is measured: its planes on the grid. */
static void write_planes(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l) {
  const struct tor_grid *g = &r->sim->model->grid;
  const int axes = tor_user_axes(r->job);
  const tor_gidx dims[3] = {l->nplane, 2, axes};
  double *corner = tor_alloc((size_t)l->nplane * 6, sizeof *corner, l->spec->name);
  for (int i = 0; i < l->nplane; i++)
    for (int u = 0; u < axes; u++) {
      const struct tor_flux_plane *p = &l->plane[i];
      const int a = tor_axis_of_user(r->job, u);
      corner[2 * axes * i + u] = tor_grid_at(g, a, a == p->axis ? p->node : p->lo[a]);
      corner[2 * axes * i + axes + u] = tor_grid_at(g, a, a == p->axis ? p->node : p->hi[a]);
    }
  tor_h5_write(h5, object(l, "", "planes"), TOR_H5_DOUBLE, 3, dims, corner, "m",
               axes == 3 ? "planes of the flux as measured; [plane][low, high corner][x, y, z]"
                         : "lines of the flux as measured; [line][low, high end][x, y]");
  write_axes(h5, object(l, "", "planes"), "plane corner coordinate");
  free(corner);
}

static void write_spectrum(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                           const struct tor_spectrum *s) {
  write_wavelengths(h5, l);
  if (l->nplane) write_planes(h5, r, l);
  tor_gidx n = s->nfreq;
  for (int c = 0; c < s->ncolumns; c++)
    tor_h5_write(h5, object(l, "", s->name[c]), TOR_H5_DOUBLE, 1, &n, s->value[c], s->unit[c], s->meaning[c]);
}

static void write_energy(struct tor_h5 *h5, const struct tor_results *r) {
  const struct tor_simulation *sim = r->sim;
  if (!sim->nenergy) return;
  tor_gidx n = sim->nenergy;
  double *time = tor_alloc((size_t)n, sizeof *time, "energy");
  for (tor_gidx i = 0; i < n; i++) time[i] = (double)sim->energy_step[i] * sim->model->grid.dt;
  tor_h5_write(h5, "/energy/time", TOR_H5_DOUBLE, 1, &n, time, "s", "time of E");
  tor_h5_write(h5, "/energy/energy", TOR_H5_DOUBLE, 1, &n, sim->energy, r->job->plane ? "J/m" : "J",
               "field energy (eps E^2 + mu H^2) / 2 over the domain, eps without poles, H half a step earlier");
  free(time);
}

int tor_results_write_h5(const struct tor_results *r) {
  const char *path = tor_results_path(r->job, "results.h5");
  struct tor_h5 *h5 = tor_h5_can_share() ? tor_h5_create_shared(path) : NULL;
  if (!h5) h5 = tor_h5_create(path);
  if (!h5) return tor_results_not_written(path, tor_h5_error());
  const struct tor_grid *g = &r->sim->model->grid;
  tor_h5_attribute_int(h5, "/", "format_version", TOR_RESULTS_FORMAT);
  tor_h5_attribute_string(h5, "/", "title", r->job->title ? r->job->title : "");
  tor_h5_attribute_double(h5, "/", "time_step_s", g->dt);
  tor_h5_attribute_int(h5, "/", "steps", r->sim->step);
  user_vector(h5, r->job, "/", "cell_m", g->d);
  const double low[3] = {tor_grid_low(g, 0), tor_grid_low(g, 1), tor_grid_low(g, 2)};
  user_vector(h5, r->job, "/", "low_corner_m", low);
  const struct tor_monitors *ms = r->sim->model->monitors;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    if (l->spec->kind == TOR_PERMITTIVITY) tor_results_permittivity_h5(h5, r, l->spec);
    if (l->group < 0) continue;
    if (l->spec->kind == TOR_FAR_FIELD) {
      write_incident(h5, r, l);
      write_moment(h5, r, l);
      tor_results_far_h5(h5, r, l, &r->far[i]);
    }
    if (l->spec->kind == TOR_MODE) tor_results_write_modes_h5(h5, r, l, &r->modes[i]);
    if (l->spec->kind == TOR_RESONANCES) tor_results_write_resonances_h5(h5, r, l, &r->resonances[i]);
    if (l->spec->kind == TOR_ORDERS) tor_results_write_orders_h5(h5, r, l);
    if (l->spec->kind == TOR_ABSORPTION) tor_results_absorption_h5(h5, r, l, &r->spectra[i].absorption);
    if (l->spec->kind == TOR_ENERGY_DENSITY) tor_results_energy_h5(h5, r, l, &r->spectra[i].energy);
    if (tor_spectrum_has(l))
      write_spectrum(h5, r, l, &r->spectra[i]);
    else if (l->spec->kind == TOR_FIELD_DFT || l->spec->kind == TOR_ORDERS)
      write_field(h5, r, l);
    else
      write_series(h5, r, l);
  }
  write_energy(h5, r);
  int status = tor_h5_close(h5);
  return tor_results_log_file(r, path, status, status ? tor_h5_error() : NULL);
}
