/* Sections of the scene as pictures: see scene_picture.h. */
#include "src/results/scene_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/monitor.h"
#include "src/results/picture.h"
#include "src/results/section.h"

enum { PIXELS = 900, MOST_AREAS = 24 };

/* Numbers of the areas: 0 for vacuum, then in the order of the job's media. */
static int area_of(const struct tor_job *job, int medium) {
  return strcmp(job->media[medium].name, "vacuum") ? medium + 1 : 0;
}

/* The medium under each pixel [nv][nh], and the legend of those that occur; returns their number. */
static int fill_areas(const struct tor_section *s, int nh, int nv, double *values, struct tor_image_area *area) {
  const struct tor_job *job = s->job;
  char *seen = tor_alloc((size_t)job->nmedia + 1, 1, "picture");
  int count = 0;
  for (int v = 0; v < nv; v++)
    for (int h = 0; h < nh; h++) {
      const int m = tor_section_medium(s, s->lo[0] + (h + 0.5) / nh * (s->hi[0] - s->lo[0]),
                                       s->lo[1] + (v + 0.5) / nv * (s->hi[1] - s->lo[1]));
      values[(size_t)v * (size_t)nh + (size_t)h] = area_of(job, m);
      seen[m] = 1;
    }
  for (int m = 0; m < job->nmedia && count < MOST_AREAS; m++)
    if (seen[m]) area[count++] = (struct tor_image_area){area_of(job, m), job->media[m].name};
  free(seen);
  return count;
}

/* A flux box of a cross-section: the plane wave's box, larger on all sides (sign 1) or smaller (-1). */
static void add_around(const struct tor_section *s, const struct tor_grid *g, const struct tor_monitor *m, int sign,
                       struct tor_lines *to) {
  for (int i = 0; i < s->job->nsources; i++) {
    const struct tor_source *wave = &s->job->sources[i];
    double lo[3], hi[3];
    if (wave->kind != TOR_PLANE_WAVE) continue;
    for (int a = 0; a < 3; a++) {
      const double out = sign * tor_monitor_margin(m, g, a) * g->d[a];
      lo[a] = wave->lo[a] - out;
      hi[a] = wave->hi[a] + out;
    }
    tor_section_box(s, g, lo, hi, TOR_IMAGE_RECORDED, to);
  }
}

static void add_monitors(const struct tor_section *s, const struct tor_grid *g, struct tor_lines *to) {
  for (int i = 0; i < s->job->nmonitors; i++) {
    const struct tor_monitor *m = &s->job->monitors[i];
    if (m->kind == TOR_ENERGY) continue;
    if (m->kind != TOR_CROSS_SECTION) {
      tor_section_box(s, g, m->lo, m->hi, TOR_IMAGE_RECORDED, to);
      continue;
    }
    add_around(s, g, m, 1, to);
    add_around(s, g, m, -1, to);
  }
}

/* An arrow of so much of the picture's longer side along a unit vector, from or around a place; a circle where that is
 * across the picture. */
static void add_arrow(const struct tor_section *s, const double place[3], const double along[3], double length,
                      int centred, struct tor_lines *to) {
  const double h = place[s->h], v = place[s->v], d = length * fmax(s->hi[0] - s->lo[0], s->hi[1] - s->lo[1]);
  const double dh = d * along[s->h], dv = d * along[s->v], back = centred ? 0.5 : 0;
  tor_lines_begin(to, TOR_IMAGE_SOURCE);
  tor_lines_add(to, h - back * dh, v - back * dv);
  if (dh != 0 || dv != 0) tor_lines_add(to, h + (1 - back) * dh, v + (1 - back) * dv);
}

static void add_sources(const struct tor_section *s, const struct tor_grid *g, struct tor_lines *to) {
  const double near = 0.5 * g->d[s->across] * (1 + 1e-9);
  for (int i = 0; i < s->job->nsources; i++) {
    const struct tor_source *source = &s->job->sources[i];
    double place[3], along[3] = {0, 0, 0};
    if (tor_source_is_dipole(source)) {
      if (fabs(source->position[s->across] - s->at) <= near)
        along[source->polarisation] = 1, add_arrow(s, source->position, along, 0.08, 1, to);
      continue;
    }
    if (s->at < source->lo[s->across] - near || s->at > source->hi[s->across] + near) continue;
    for (int a = 0; a < 3; a++) { /* the middle of the part in the domain */
      const double wall = tor_grid_at(g, a, g->n[a]);
      place[a] = 0.5 * (fmax(source->lo[a], tor_grid_low(g, a)) + fmin(source->hi[a], wall));
      if (a == source->axis && !source->oblique) place[a] = source->direction > 0 ? source->lo[a] : source->hi[a];
    }
    along[source->axis] = source->direction;
    add_arrow(s, place, source->oblique ? source->travel : along, 0.12, source->oblique, to);
  }
}

static void write_subtitle(const struct tor_section *s, const struct tor_grid *g, char *text, size_t size) {
  const double unit = s->job->length_unit;
  const char *name = tor_picture_unit(s->job);
  const double d[3] = {g->d[tor_axis_of_user(s->job, 0)] / unit, g->d[tor_axis_of_user(s->job, 1)] / unit,
                       g->d[tor_axis_of_user(s->job, 2)] / unit};
  const char *cells = tor_job_cells(s->job, g);
  if (s->job->plane) {
    snprintf(text, size, "2-D, %s cells of %.6g x %.6g %s", cells, d[0], d[1], name);
    return;
  }
  const int used = snprintf(text, size, "%c = %.6g %s; %s cells of %.6g", tor_axis_name(s->job, s->across),
                            s->at / unit, name, cells, d[0]);
  if (d[0] == d[1] && d[0] == d[2])
    snprintf(text + used, size - (size_t)used, " %s", name);
  else
    snprintf(text + used, size - (size_t)used, " x %.6g x %.6g %s", d[1], d[2], name);
}

int tor_scene_picture_write(const char *path, const struct tor_job *job, const struct tor_grid *g, int across,
                            double at) {
  struct tor_section s;
  struct tor_lines lines = {0};
  struct tor_image_area area[MOST_AREAS];
  double lo[2], hi[2];
  char xlabel[16], ylabel[16], text[192];
  int n[2];
  int axis[2];
  tor_turn_plane(job->turn, across, &axis[0], &axis[1]);
  for (int k = 0; k < 2; k++) {
    const int a = axis[k];
    lo[k] = tor_grid_low(g, a);
    hi[k] = tor_grid_at(g, a, g->n[a]);
  }
  const double longest = fmax(hi[0] - lo[0], hi[1] - lo[1]);
  for (int k = 0; k < 2; k++) n[k] = (int)fmax(1, round(PIXELS * (hi[k] - lo[k]) / longest));
  tor_section_open(&s, job, across, at, lo, hi);
  double *values = tor_alloc((size_t)n[0] * (size_t)n[1], sizeof *values, "picture");
  const int areas = fill_areas(&s, n[0], n[1], values, area);
  tor_section_surfaces(&s, &lines);
  tor_section_sheets(&s, g, &lines);
  tor_section_layers(&s, g, &lines);
  tor_section_wave_boxes(&s, g, &lines);
  add_monitors(&s, g, &lines);
  add_sources(&s, g, &lines);
  tor_lines_end(&lines, job->length_unit);
  snprintf(xlabel, sizeof xlabel, "%c [%s]", tor_axis_name(job, s.h), tor_picture_unit(job));
  snprintf(ylabel, sizeof ylabel, "%c [%s]", tor_axis_name(job, s.v), tor_picture_unit(job));
  write_subtitle(&s, g, text, sizeof text);
  struct tor_image image = {.nx = n[0],
                            .ny = n[1],
                            .values = values,
                            .xlabel = xlabel,
                            .ylabel = ylabel,
                            .title = job->title && *job->title ? job->title : NULL,
                            .subtitle = text,
                            .mode = TOR_IMAGE_AREAS,
                            .npath = lines.npath,
                            .path = lines.path,
                            .narea = areas,
                            .area = area};
  for (int k = 0; k < 2; k++) {
    image.x[k] = (k ? hi : lo)[0] / job->length_unit;
    image.y[k] = (k ? hi : lo)[1] / job->length_unit;
  }
  const int status = tor_image_write(path, &image);
  free(values);
  tor_lines_free(&lines);
  tor_section_close(&s);
  return status;
}
