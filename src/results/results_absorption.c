/* Absorbed power: NAME_absorption.csv, datasets of results.h5, pictures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/table.h"
#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/absorption.h"
#include "src/model/monitor.h"
#include "src/model/spectrum.h"
#include "src/results/picture.h"
#include "src/results/results.h"
#include "src/results/results_file.h"
#include "src/results/results_parts.h"

/* --- The table --- */

struct columns {
  int count;
  struct tor_table_column *column;
  char (*name)[96];
};

static void add_column(struct columns *c, const char *what, const char *unit, double *value) {
  snprintf(c->name[c->count], sizeof *c->name, "%s%s", what, unit);
  c->column[c->count] = (struct tor_table_column){c->name[c->count], NULL, value};
  c->count++;
}

/* The power of one part, and its fraction where the whole has one. */
static void add_part(struct columns *c, const struct tor_results *r, const struct tor_spectrum *s, const char *what,
                     const double *power) {
  double *copy[2];
  int any = 0;
  for (int q = 0; q < s->nfreq; q++) any |= power[q] != 0;
  if (!any) return;
  for (int i = 0; i < (s->ncolumns > 1 ? 2 : 1); i++) {
    copy[i] = tor_alloc((size_t)s->nfreq, sizeof(double), "absorption");
    for (int q = 0; q < s->nfreq; q++)
      copy[i][q] = !i ? power[q] : s->value[0][q] != 0 ? power[q] / s->value[0][q] * s->value[1][q] : 0;
    add_column(c, what, i ? "_fraction" : r->job->plane ? "_J_per_Hz_m" : "_J_per_Hz", copy[i]);
  }
}

int tor_results_write_absorption(const struct tor_results *r, const struct tor_recorder *l,
                                 const struct tor_spectrum *s) {
  const struct tor_absorption *a = &s->absorption;
  const size_t most = 1 + 2 * ((size_t)a->nmedia + (size_t)a->nobjects + 1);
  struct columns c = {.column = tor_alloc(most, sizeof *c.column, "absorption"),
                      .name = tor_alloc(most, sizeof *c.name, "absorption")};
  double *nm = tor_alloc((size_t)a->nfreq, sizeof *nm, "absorption");
  for (int q = 0; q < a->nfreq; q++) nm[q] = l->spec->wavelength[q] / TOR_NM;
  add_column(&c, "wavelength", "_nm", nm);
  for (int m = 0; m < a->nmedia; m++) add_part(&c, r, s, r->job->media[m].name, a->medium + (size_t)m * a->nfreq);
  for (int o = 0; o <= a->nobjects; o++) {
    char what[32];
    snprintf(what, sizeof what, o < a->nobjects ? "object%d" : "background", o);
    add_part(&c, r, s, what, a->object + (size_t)o * a->nfreq);
  }
  const char *path = tor_results_path(r->job, "%s_absorption.csv", l->spec->name);
  const int failed = tor_results_log_file(r, path, tor_table_write(path, c.column, c.count, a->nfreq), NULL);
  for (int i = 0; i < c.count; i++) free((double *)c.column[i].values);
  free(c.column);
  free(c.name);
  return failed;
}

/* --- results.h5 --- */

/* /monitors/NAME/WHAT in memory of the thread. */
static const char *object(const struct tor_recorder *l, const char *what) {
  static _Thread_local char path[256];
  snprintf(path, sizeof path, "/monitors/%s/%s", l->spec->name, what);
  return path;
}

struct map {
  const struct tor_job *job;
  const int *count;
  const double *density;
};

static int fill_map(void *context, tor_gidx first, tor_gidx count, void *rows) {
  const struct map *map = context;
  const int *n = map->count;
  const tor_gidx cells = (tor_gidx)n[0] * n[1] * n[2];
  double *to = rows;
  int at[3];
  for (tor_gidx i = first; i < first + count; i++) {
    tor_user_place(map->job, n, i % cells, at);
    const tor_gidx cell = ((tor_gidx)at[0] * n[1] + at[1]) * n[2] + at[2];
    *to++ = map->density[(size_t)(i / cells * cells + cell)];
  }
  return 0;
}

void tor_results_map_centres(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                             const int first[3], const int count[3]) {
  static const char *const name[] = {"x", "y", "z"};
  const struct tor_grid *g = &r->sim->model->grid;
  for (int u = 0; u < tor_user_axes(r->job); u++) {
    const int axis = tor_axis_of_user(r->job, u);
    const tor_gidx n = count[axis];
    double *x = tor_alloc((size_t)n, sizeof *x, "coordinates");
    for (int i = 0; i < n; i++) x[i] = tor_grid_at(g, axis, first[axis] + i + 0.5);
    tor_h5_write(h5, object(l, name[u]), TOR_H5_DOUBLE, 1, &n, x, "m", "centres of the map's cells");
    free(x);
  }
}

void tor_results_map_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                        const int count[3], const double *density, const char *what, const char *unit,
                        const char *meaning) {
  const int axes = tor_user_axes(r->job);
  tor_gidx dims[4] = {l->nfreq};
  struct map map = {r->job, count, density};
  for (int u = 0; u < axes; u++) dims[axes - u] = count[tor_axis_of_user(r->job, u)];
  tor_h5_write_rows(h5, object(l, what), TOR_H5_DOUBLE, 1 + axes, dims, 1 + axes, fill_map, &map, unit, meaning);
  tor_h5_attribute_string(h5, object(l, what), "axes", axes == 2 ? "wavelength y x" : "wavelength z y x");
}

void tor_results_absorption_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                               const struct tor_absorption *a) {
  const int plane = r->job->plane != TOR_SPACE;
  const char *unit = plane ? "J/Hz/m" : "J/Hz";
  const tor_gidx media[2] = {a->nmedia, a->nfreq}, objects[2] = {a->nobjects + 1, a->nfreq};
  size_t length = 1;
  tor_results_map_h5(h5, r, l, a->count, a->density, "absorption_density", "J/Hz/m^3",
                     plane ? "absorbed power per volume; [wavelength][y][x]"
                           : "absorbed power per volume; [wavelength][z][y][x]");
  tor_results_map_centres(h5, r, l, a->first, a->count);
  tor_h5_write(h5, object(l, "absorbed_by_medium"), TOR_H5_DOUBLE, 2, media, a->medium, unit,
               "absorbed power; [medium][wavelength], media in the order of the attribute");
  tor_h5_attribute_string(h5, object(l, "absorbed_by_medium"), "axes", "medium wavelength");
  for (int m = 0; m < a->nmedia; m++) length += strlen(r->job->media[m].name) + 1;
  char *names = tor_alloc(length, 1, "absorption");
  for (int m = 0; m < a->nmedia; m++) {
    const size_t used = strlen(names);
    snprintf(names + used, length - used, "%s%s", m ? "\n" : "", r->job->media[m].name);
  }
  tor_h5_attribute_string(h5, object(l, "absorbed_by_medium"), "media", names);
  free(names);
  tor_h5_write(h5, object(l, "absorbed_by_object"), TOR_H5_DOUBLE, 2, objects, a->object, unit,
               "absorbed power; [object][wavelength] in the order of the job file, the last one is the background");
  tor_h5_attribute_string(h5, object(l, "absorbed_by_object"), "axes", "object wavelength");
}

/* --- Pictures --- */

/* The cells of a section across an axis. */
static struct tor_picture_plane section_of(const struct tor_grid *g, const struct tor_absorption *a, int across) {
  struct tor_picture_plane s = {.across = across};
  tor_turn_plane(g->turn, across, &s.h, &s.v);
  s.nh = a->count[s.h];
  s.nv = a->count[s.v];
  const int middle = a->first[across] + a->count[across] / 2;
  s.place = tor_grid_at(g, across, middle + 0.5);
  for (int end = 0; end < 2; end++) {
    s.x[end] = tor_grid_at(g, s.h, a->first[s.h] + end * s.nh);
    s.y[end] = tor_grid_at(g, s.v, a->first[s.v] + end * s.nv);
  }
  return s;
}

static int draw_section(const struct tor_results *r, const struct tor_recorder *l, const struct tor_absorption *a,
                        int across, int q, double *values) {
  const struct tor_grid *g = &r->sim->model->grid;
  const struct tor_picture_plane s = section_of(g, a, across);
  const size_t cells = (size_t)a->count[0] * (size_t)a->count[1] * (size_t)a->count[2];
  char when[64], axis[8] = "";
  for (int v = 0; v < s.nv; v++)
    for (int h = 0; h < s.nh; h++) {
      size_t at[3];
      at[across] = (size_t)a->count[across] / 2;
      at[s.h] = (size_t)h;
      at[s.v] = (size_t)v;
      values[(size_t)v * (size_t)s.nh + (size_t)h] =
          a->density[(size_t)q * cells + (at[0] * (size_t)a->count[1] + at[1]) * (size_t)a->count[2] + at[2]];
    }
  snprintf(when, sizeof when, "at %g %s", l->spec->wavelength[q] / r->job->length_unit, tor_picture_unit(r->job));
  if (!r->job->plane) snprintf(axis, sizeof axis, "_%c", tor_axis_name(r->job, across));
  struct tor_picture picture = {.job = r->job,
                                .grid = g,
                                .monitor = l->spec,
                                .plane = &s,
                                .of = TOR_PICTURE_ABSORPTION,
                                .when = when,
                                .unit = "J/Hz/m^3",
                                .values = values};
  const char *path =
      tor_results_path(r->job, "%s_absorption%s_%.10gnm.png", l->spec->name, axis, l->spec->wavelength[q] / TOR_NM);
  return tor_results_log_file(r, path, tor_picture_write(path, &picture), NULL);
}

int tor_results_absorption_images(const struct tor_results *r, const struct tor_recorder *l,
                                  const struct tor_absorption *a) {
  size_t most = 1;
  int failed = 0;
  for (int axis = 0; axis < 3; axis++) {
    const size_t points = (size_t)a->count[(axis + 1) % 3] * (size_t)a->count[(axis + 2) % 3];
    most = points > most ? points : most;
  }
  double *values = malloc(most * sizeof *values);
  if (!values) return tor_results_not_written(tor_results_path(r->job, "%s_absorption_*.png", l->spec->name), NULL);
  for (int q = 0; q < l->nfreq; q++)
    for (int axis = 0; axis < (r->job->plane ? 1 : 3); axis++) failed += draw_section(r, l, a, axis, q, values);
  free(values);
  return failed;
}
