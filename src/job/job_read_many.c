/* Tables of objects: copies of a few shapes at the places that an HDF5 file has. */
#include <libconfig.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/config/config.h"
#include "io/hdf5/h5_columns.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/turned.h"

enum { X, Y, Z, ANGLE, SCALE, SHAPE, COLUMNS };
static const char *const names[COLUMNS] = {"x", "y", "z", "angle_deg", "scale", "shape"};

struct columns {
  double *of[COLUMNS];
  tor_gidx rows;
};

static void columns_free(struct columns *c) {
  for (int i = 0; i < COLUMNS; i++) free(c->of[i]);
}

/* A fault of a row where its value is not good; returns whether it is. */
static int check_rows(const struct tor_view *view, const struct columns *c, int nshapes) {
  const config_setting_t *file = tor_get(view, "file");
  for (tor_gidx i = 0; i < c->rows; i++) {
    const double scale = c->of[SCALE] ? c->of[SCALE][i] : 1, shape = c->of[SHAPE] ? c->of[SHAPE][i] : 0;
    if (!(scale > 0)) {
      tor_config_fault(view->config, file, NULL, "scale[%lld]: got " TOR_FOUND("%g") ", need " TOR_NEEDED("above 0"),
                       (long long)i, scale);
      return 0;
    }
    if (shape != floor(shape) || shape < 0 || shape >= nshapes) {
      tor_config_fault(view->config, file, NULL,
                       "shape[%lld]: got " TOR_FOUND("%g") ", need " TOR_NEEDED("a place in shapes, 0 to %d"),
                       (long long)i, shape, nshapes - 1);
      return 0;
    }
  }
  return 1;
}

static int read_columns(const struct tor_view *view, int nshapes, struct columns *c) {
  enum { MOST = 10000000 };
  const config_setting_t *file = tor_get(view, "file");
  char why[256];
  if (!file) return 0;
  char *path = tor_job_path_of(view->config, tor_get_text(view, "file"));
  const int bad =
      tor_h5_read_columns(path, tor_get_text(view, "group"), COLUMNS, names, MOST, c->of, &c->rows, why, sizeof why);
  free(path);
  if (bad) {
    tor_config_fault(view->config, file, NULL, "\"%s\": %s", tor_get_text(view, "file"), why);
    return 0;
  }
  for (int i = X; i <= Y; i++)
    if (!c->of[i]) {
      tor_config_fault(view->config, file, NULL, "\"%s\": it has no column \"%s\", need " TOR_NEEDED("x and y"),
                       tor_get_text(view, "file"), names[i]);
      return 0;
    }
  if (c->of[Z] && view->config->axes == 2) {
    tor_config_fault(view->config, file, NULL,
                     "\"%s\": it has a column \"z\", but the job is 2-D, need " TOR_NEEDED("none"),
                     tor_get_text(view, "file"));
    return 0;
  }
  return check_rows(view, c, nshapes);
}

/* The object of a row. */
static struct tor_object made(const struct tor_view *view, const struct columns *c, const struct tor_object *shapes,
                              tor_gidx row) {
  static const double here[3] = {0};
  const struct tor_object *shape = &shapes[c->of[SHAPE] ? (int)c->of[SHAPE][row] : 0];
  struct tor_object o = tor_object_moved(shape, here);
  double by[3] = {0};
  if (c->of[SCALE]) tor_object_scale(&o, c->of[SCALE][row], view->config->axes);
  if (c->of[ANGLE] && c->of[ANGLE][row] != 0) {
    double matrix[3][3];
    tor_turn_matrix((const double[]){0, 0, c->of[ANGLE][row]}, matrix);
    tor_object_turn(&o, (const double(*)[3])matrix, here);
  }
  for (int a = X; a <= Z; a++)
    if (c->of[a]) by[a] = c->of[a][row] / view->config->per_metre;
  struct tor_object there = tor_object_moved(&o, by);
  tor_object_free(&o);
  return there;
}

static uint64_t hash_of(const struct columns *c) {
  uint64_t hash = 0;
  for (int i = 0; i < COLUMNS; i++)
    if (c->of[i])
      hash = hash * 31 + (uint64_t)i + tor_job_hash((const char *)c->of[i], (size_t)c->rows * sizeof *c->of[i]);
  return hash;
}

void tor_job_read_object_table(const struct tor_view *view, struct tor_object_list *to) {
  const config_setting_t *list = tor_get(view, "shapes");
  struct tor_object_list shapes = {0};
  struct columns c = {0};
  if (list && !config_setting_length(list))
    tor_config_fault(view->config, list, NULL, "got " TOR_FOUND("none") ", need " TOR_NEEDED("one shape or more"));
  tor_job_read_shapes(tor_job_reader_of(view), list, &shapes);
  const int before = view->config->nfault;
  if (shapes.count && read_columns(view, shapes.count, &c) && view->config->nfault == before) {
    struct tor_repeat r = {.first = to->count, .count = {(int)c.rows, 1, 1}, .from = "table", .contents = hash_of(&c)};
    for (tor_gidx i = 0; i < c.rows; i++) tor_object_list_add(to, made(view, &c, shapes.list, i));
    r.file = tor_strdup(tor_get_text(view, "file"));
    r.nshapes = shapes.count;
    r.shape = shapes.list;
    tor_job_add_repeat(tor_job_reader_of(view), r);
  } else {
    tor_objects_free(shapes.list, shapes.count);
  }
  columns_free(&c);
}
