/* Objects of a job that a file describes: see solid.h. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "io/hdf5/h5_grid.h"
#include "io/stl/stl.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/mesh.h"
#include "src/job/raster.h"
#include "src/job/solid.h"

/* The part of a 2-D job's body along z, in which it ends nowhere: beyond its one metre [m]. */
static const double BEYOND = 8;

static struct tor_mesh *read_mesh(const char *path, uint64_t *contents, char *why, size_t size) {
  struct tor_stl stl;
  if (tor_stl_read(path, &stl, why, size)) return NULL;
  *contents = tor_job_hash((const char *)stl.vertex, (size_t)stl.nvertex * sizeof *stl.vertex) * 31 +
              tor_job_hash((const char *)stl.face, (size_t)stl.nface * sizeof *stl.face);
  return tor_mesh_new(stl.vertex, stl.nvertex, stl.face, stl.nface, why, size);
}

struct tor_solid_file {
  char *path, *dataset;
  int most_dims;
  struct tor_h5_grid grid;
};

void tor_job_leave_labels(struct tor_job_reader *reader) {
  struct tor_solid_file *file = reader->labels;
  if (!file) return;
  free(file->path);
  free(file->dataset);
  free(file->grid.value);
  free(file);
  reader->labels = NULL;
}

/* A dataset of two dimensions, or of up to `most_dims`: the one that was read last, or from the file. It is the
 * reader's until tor_job_leave_labels. Returns NULL with the reason. */
static struct tor_h5_grid *read_grid(struct tor_job_reader *reader, const char *path, const char *dataset,
                                     int most_dims, char *why, size_t size) {
  enum { MOST = 1 << 28 };
  struct tor_solid_file *file = reader->labels;
  if (file && !strcmp(file->path, path) && !strcmp(file->dataset, dataset) && file->most_dims == most_dims)
    return &file->grid;
  struct tor_h5_grid grid;
  tor_job_leave_labels(reader); /* before there are two */
  if (tor_h5_grid_read(path, dataset, 2, most_dims, MOST, &grid, why, size)) return NULL;
  file = reader->labels = tor_alloc(1, sizeof *file, "grid of values");
  *file = (struct tor_solid_file){tor_strdup(path), tor_strdup(dataset), most_dims, grid};
  return &file->grid;
}

/* 1 where a value is the label, else 0. */
static void set_labelled(double *to, const double *value, size_t count, double label) {
  for (size_t i = 0; i < count; i++) to[i] = value[i] == label;
}

static void scale_values(double *value, size_t count, double scale) {
  for (size_t i = 0; i < count; i++) value[i] *= scale;
}

/* Sets the bounds. Returns 0 with the reason where nothing is inside. */
static int set_bounds(struct tor_solid *s, char *why, size_t size) {
  const double *edges = tor_raster_size(s->raster),
               endless[2][3] = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  const int heights = s->kind == TOR_SOLID_HEIGHTS;
  double range[2];
  if (!tor_raster_bounds(s->raster, heights ? DBL_MIN : s->level, s->lo, s->hi)) { /* heights: above 0 */
    snprintf(why, size, heights ? "no height is above 0" : "no value is inside");
    return 0;
  }
  tor_raster_range(s->raster, endless[0], endless[1], range);
  if (heights) s->hi[2] = fmin(s->hi[2], range[1] - 0.5 * edges[2]);
  return 1;
}

/* Returns 0 with the reason. */
static int read_raster(const struct tor_view *view, const char *path, struct tor_solid *s, char *why, size_t size) {
  struct tor_job_reader *reader = tor_job_reader_of(view);
  const int heights = s->kind == TOR_SOLID_HEIGHTS, labelled = !heights && tor_get(view, "label");
  double edges[3] = {0, 0, BEYOND};
  tor_get_vector(view, "size", edges);
  struct tor_h5_grid *grid = read_grid(reader, path, s->dataset, reader->plane || heights ? 2 : 3, why, size);
  if (!grid) return 0;
  const size_t count = (size_t)grid->n[0] * (size_t)grid->n[1] * (size_t)grid->n[2];
  double *value = labelled ? tor_alloc(count, sizeof *value, "grid of values") : grid->value;
  if (labelled)
    set_labelled(value, grid->value, count, tor_get_int(view, "label"));
  else if (heights)
    scale_values(value, count, tor_get_double(view, "scale") / view->config->per_metre);
  memcpy(s->n, grid->n, sizeof s->n);
  s->linear = tor_get_word(view, "interpolation") == 0;
  s->level = heights ? 0 : tor_get_double(view, "level");
  s->contents = tor_job_hash((const char *)value, count * sizeof *value);
  s->raster = tor_raster_new(value, s->n, edges, s->linear);
  if (labelled)
    free(value);
  else
    tor_job_leave_labels(reader);
  return set_bounds(s, why, size);
}

static enum tor_solid_kind kind_of(const struct tor_view *view) {
  return !strcmp(view->type, "stl")      ? TOR_SOLID_STL
         : !strcmp(view->type, "voxels") ? TOR_SOLID_VOXELS
                                         : TOR_SOLID_HEIGHTS;
}

void tor_job_read_solid(const struct tor_view *view, struct tor_object *o) {
  struct tor_solid *s = tor_alloc(1, sizeof *s, "objects");
  char why[256];
  o->axis = TOR_Z;
  o->zoom = 1;
  *s = (struct tor_solid){.users = 1, .kind = kind_of(view)};
  const config_setting_t *file = tor_get(view, "file");
  int good = file && (s->kind == TOR_SOLID_STL || tor_get(view, "size"));
  if (good) {
    char *path = tor_job_path_of(view->config, tor_get_text(view, "file"));
    s->file = tor_strdup(tor_get_text(view, "file"));
    if (s->kind == TOR_SOLID_STL) {
      o->zoom = tor_get_double(view, "scale") / view->config->per_metre;
      s->mesh = read_mesh(path, &s->contents, why, sizeof why);
      good = s->mesh != NULL;
    } else {
      s->dataset = tor_strdup(tor_get(view, "dataset")      ? tor_get_text(view, "dataset")
                              : s->kind == TOR_SOLID_VOXELS ? "voxels"
                                                            : "heights");
      good = read_raster(view, path, s, why, sizeof why);
    }
    free(path);
    if (!good) tor_config_fault(view->config, file, NULL, "\"%s\": %s", s->file, why);
  }
  if (good) {
    o->solid = s;
    tor_solid_place(o);
  } else {
    tor_solid_leave(s);
  }
}
