/* Design regions of a job: their boxes and media, and their values from HDF5 files. */
#include <libconfig.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "io/hdf5/h5_grid.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/design.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/material.h"

enum { DENSITY, PERMITTIVITY }; /* the words of `values` */

static void read_box(const struct tor_view *view, struct tor_design *d) {
  const struct tor_view box = tor_view_child(view, "box", "designs[].box.");
  if (!tor_get_vector(&box, "lo", d->lo) || !tor_get_vector(&box, "hi", d->hi)) return;
  tor_job_whole_length(tor_job_reader_of(view), d->lo, d->hi);
  tor_job_check_inside(&box, "lo", d->lo);
  tor_job_check_inside(&box, "hi", d->hi);
  for (int a = 0; a < 3; a++)
    if (!(d->lo[a] < d->hi[a]))
      tor_config_fault(view->config, tor_get(&box, "hi"), NULL,
                       "hi is not above lo along %c, need " TOR_NEEDED("above"), "xyz"[a]);
}

/* The medium at an end of the densities; 0 with a fault where it is no dielectric or metal of finite conductivity. */
static int read_medium(const struct tor_view *view, const char *name) {
  if (!config_setting_get_member(view->group, name)) {
    tor_config_fault(view->config, view->group, name,
                     "missing, need " TOR_NEEDED("the name of a medium, or values = \"permittivity\""));
    return 0;
  }
  const int number = tor_job_read_medium(view, name);
  if (!tor_job_reader_of(view)->job->nmedia) return 0; /* neither this one nor the background is known */
  const struct tor_medium *m = &tor_job_reader_of(view)->job->media[number];
  int electric = !m->conducts && !tor_medium_needs_nodes(m);
  for (int a = 0; a < 3; a++) electric &= m->mu[a] == 1 && m->sigma_m[a] == 0;
  if (!electric && tor_get(view, name))
    tor_config_fault(view->config, tor_get(view, name), NULL,
                     "\"%s\" %s, need " TOR_NEEDED("a medium of a permittivity, with or without poles and losses"),
                     m->name,
                     m->conducts                 ? "conducts perfectly"
                     : m->has_tensor             ? "has a full permittivity tensor"
                     : tor_medium_needs_nodes(m) ? "is magnetised or nonlinear"
                                                 : "has a permeability or a magnetic conductivity");
  return number;
}

static void read_media(const struct tor_view *view, int values, struct tor_design *d) {
  static const char *const names[2] = {"medium_0", "medium_1"};
  for (int i = 0; i < 2; i++) {
    d->medium[i] = -1;
    if (values == DENSITY)
      d->medium[i] = read_medium(view, names[i]);
    else if (tor_get(view, names[i]))
      tor_config_fault(view->config, tor_get(view, names[i]), NULL,
                       "the values are permittivities, need " TOR_NEEDED("none here"));
  }
}

/* A fault at the first value that is out of range. */
static void check_values(const struct tor_view *view, int values, const struct tor_design *d) {
  const double least = values == DENSITY ? 0 : 1, most = values == DENSITY ? 1 : INFINITY;
  for (int64_t i = 0; i < tor_design_count(d); i++) {
    if (d->value[i] >= least && d->value[i] <= most) continue;
    const int nx = d->n[0], ny = d->n[1];
    tor_config_fault(view->config, tor_get(view, "file"), NULL,
                     "\"%s\": %s, [z][y][x] = [%d][%d][%d]: got " TOR_FOUND("%g") ", need " TOR_NEEDED("%s"), d->file,
                     d->dataset, (int)(i / ((int64_t)nx * ny)), (int)(i / nx % ny), (int)(i % nx), d->value[i],
                     values == DENSITY ? "a density from 0 to 1" : "a permittivity of 1 or more");
    return;
  }
}

static void read_values(const struct tor_view *view, int values, struct tor_design *d) {
  enum { MOST = 1000000000 };
  const int axes = tor_job_reader_of(view)->plane ? 2 : 3;
  const config_setting_t *file = tor_get(view, "file");
  struct tor_h5_grid grid;
  char why[256];
  if (!file) return;
  char *path = tor_job_path_of(view->config, tor_get_text(view, "file"));
  const int bad = tor_h5_grid_read(path, d->dataset, 2, axes, MOST, &grid, why, sizeof why);
  free(path);
  if (bad) {
    tor_config_fault(view->config, file, NULL, "\"%s\": %s", tor_get_text(view, "file"), why);
    return;
  }
  d->value = grid.value;
  for (int a = 0; a < 3; a++) d->n[a] = grid.n[a];
  d->stride[0] = 1;
  d->stride[1] = d->n[0];
  d->stride[2] = (int64_t)d->n[0] * d->n[1];
  d->contents = tor_job_hash_values(d->value, (size_t)tor_design_count(d));
  check_values(view, values, d);
}

static void read_design(struct tor_job_reader *reader, const config_setting_t *group, int i, struct tor_design *d) {
  const struct tor_view view = tor_view_of(&reader->config, group, "designs[].");
  char name[32];
  snprintf(name, sizeof name, "design%d", i);
  *d = (struct tor_design){.medium = {-1, -1}};
  if (tor_mark_bad(group)) return;
  d->name = tor_strdup(tor_get(&view, "name") ? tor_get_text(&view, "name") : name);
  for (int k = 0; k < i; k++)
    if (reader->job->designs[k].name && !strcmp(reader->job->designs[k].name, d->name))
      tor_config_fault(&reader->config, group, "name",
                       "\"%s\" is the name of designs[%d], need " TOR_NEEDED("another one"), d->name, k);
  const int values = tor_get_word(&view, "values");
  read_box(&view, d);
  read_media(&view, values, d);
  const char *file = tor_get_text(&view, "file");
  d->file = tor_strdup(file ? file : ""); /* it is needed: a fault already */
  d->dataset = tor_strdup(tor_get(&view, "dataset") ? tor_get_text(&view, "dataset")
                          : values == DENSITY       ? "density"
                                                    : "permittivity");
  read_values(&view, values, d);
}

void tor_job_read_designs(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  const config_setting_t *list = tor_get(&root, "designs");
  struct tor_job *job = reader->job;
  const int count = list ? config_setting_length(list) : 0;
  if (!count) return;
  job->designs = tor_alloc((size_t)count, sizeof *job->designs, "designs");
  for (int i = 0; i < count; i++) {
    read_design(reader, config_setting_get_elem(list, (unsigned)i), i, &job->designs[i]);
    job->ndesigns++;
  }
  if (job->averaging == TOR_AVERAGE_TENSOR)
    tor_config_fault(
        &reader->config, list, NULL,
        "a job with design regions has grid.averaging = \"tensor\", need " TOR_NEEDED("\"subpixel\" or \"staircase\""));
}
