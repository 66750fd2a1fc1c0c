/* Layers of GDSII layouts: polygons become prisms, paths paths. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "io/gds/gds.h"
#include "src/base/error.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/outline.h"

/* An outline as an object, moved to `by`; it takes the outline's points. */
static struct tor_object made(const struct tor_object *like, struct tor_gds_outline *outline, const double by[3]) {
  struct tor_object o = *like;
  o.shape = outline->width > 0 ? TOR_PATH : TOR_PRISM;
  o.width = outline->width;
  o.nvertex = outline->count;
  o.vertex = outline->point;
  outline->point = NULL;
  for (int i = 0; i < o.nvertex; i++)
    for (int c = 0; c < 2; c++) o.vertex[i][c] += by[c];
  o.lo += by[2];
  o.hi += by[2];
  o.level += by[2];
  tor_outline_index_make(&o);
  return o;
}

void tor_job_read_layout(const struct tor_view *view, const struct tor_object *like, struct tor_object_list *to) {
  const char *file = tor_get_text(view, "file"), *cell = tor_get(view, "cell") ? tor_get_text(view, "cell") : NULL;
  struct tor_gds gds;
  char why[256];
  double by[3] = {0};
  tor_get_vector(view, "center", by);
  char *path = tor_job_path_of(view->config, file);
  const int bad =
      tor_gds_read(path, cell, tor_get_int(view, "layer"), tor_get_int(view, "datatype"), &gds, why, sizeof why);
  free(path);
  if (bad) {
    tor_config_fault(view->config, tor_get(view, "file"), NULL, "\"%s\": %s", file, why);
    return;
  }
  struct tor_repeat r = {.first = to->count, .count = {gds.count, 1, 1}, .from = "gds", .file = tor_strdup(file)};
  r.contents = tor_job_hash((const char *)by, sizeof by) + (uint64_t)like->medium;
  for (int i = 0; i < gds.count; i++) {
    struct tor_gds_outline *o = &gds.outline[i];
    r.contents = r.contents * 31 + tor_job_hash((const char *)o->point, (size_t)o->count * sizeof *o->point) +
                 tor_job_hash((const char *)&o->width, sizeof o->width);
    tor_object_list_add(to, made(like, o, by));
  }
  r.shape = tor_alloc(1, sizeof *r.shape, "layout"); /* what they have in common */
  r.shape[0] = *like;
  r.nshapes = 1;
  tor_job_add_repeat(tor_job_reader_of(view), r);
  tor_gds_free(&gds);
}
