/* Objects of a job that a file describes: see solid.h. */
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

/* Values as they are compared with the level: 1 and 0 where labels are given, heights in metres. */
static void convert(const struct tor_view *view, const struct tor_solid *s, double *value, size_t count) {
  const int labelled = s->kind == TOR_SOLID_VOXELS && tor_get(view, "label") != NULL;
  const double label = labelled ? tor_get_int(view, "label") : 0;
  const double scale = s->kind == TOR_SOLID_HEIGHTS ? tor_get_double(view, "scale") / view->config->per_metre : 1;
  for (size_t i = 0; i < count; i++) value[i] = labelled ? value[i] == label : value[i] * scale;
}

/* Sets the bounds. Returns 0 with the reason where nothing is inside. */
static int set_bounds(struct tor_solid *s, char *why, size_t size) {
  const double *edges = tor_raster_size(s->raster),
               endless[2][3] = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  const int heights = s->kind == TOR_SOLID_HEIGHTS;
  double range[2];
  if (!tor_raster_bounds(s->raster, heights ? 1e-300 : s->level, s->lo, s->hi)) {
    snprintf(why, size, heights ? "no height is above 0" : "no value is inside");
    return 0;
  }
  tor_raster_range(s->raster, endless[0], endless[1], range);
  if (heights) s->hi[2] = fmin(s->hi[2], range[1] - 0.5 * edges[2]);
  return 1;
}

static int read_raster(const struct tor_view *view, const char *path, struct tor_solid *s, char *why, size_t size) {
  enum { MOST = 1 << 28 };
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE, heights = s->kind == TOR_SOLID_HEIGHTS;
  double edges[3] = {0, 0, BEYOND};
  struct tor_h5_grid grid;
  tor_get_vector(view, "size", edges);
  if (tor_h5_grid_read(path, s->dataset, 2, plane || heights ? 2 : 3, MOST, &grid, why, size)) return 0;
  const size_t count = (size_t)grid.n[0] * (size_t)grid.n[1] * (size_t)grid.n[2];
  convert(view, s, grid.value, count);
  memcpy(s->n, grid.n, sizeof s->n);
  s->linear = tor_get_word(view, "interpolation") == 0;
  s->level = heights ? 0 : tor_get_double(view, "level");
  s->contents = tor_job_hash((const char *)grid.value, count * sizeof *grid.value);
  s->raster = tor_raster_new(grid.value, grid.n, edges, s->linear);
  free(grid.value);
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
