/* Objects of a job that a file describes: see solid.h. */
#include <stdint.h>
#include <stdlib.h>

#include "io/config/config.h"
#include "io/stl/stl.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/mesh.h"
#include "src/job/solid.h"

static struct tor_mesh *read_mesh(const char *path, uint64_t *contents, char *why, size_t size) {
  struct tor_stl stl;
  if (tor_stl_read(path, &stl, why, size)) return NULL;
  *contents = tor_job_hash((const char *)stl.vertex, (size_t)stl.nvertex * sizeof *stl.vertex) * 31 +
              tor_job_hash((const char *)stl.face, (size_t)stl.nface * sizeof *stl.face);
  return tor_mesh_new(stl.vertex, stl.nvertex, stl.face, stl.nface, why, size);
}

void tor_job_read_solid(const struct tor_view *view, struct tor_object *o) {
  const char *file = tor_get(view, "file") ? tor_get_text(view, "file") : NULL;
  uint64_t contents = 0;
  char why[256];
  o->axis = TOR_Z;
  o->zoom = tor_get_double(view, "scale") / view->config->per_metre;
  if (!file) return;
  char *path = tor_job_path_of(view->config, file);
  struct tor_mesh *mesh = read_mesh(path, &contents, why, sizeof why);
  free(path);
  if (!mesh) {
    tor_config_fault(view->config, tor_get(view, "file"), NULL, "\"%s\": %s", file, why);
    return;
  }
  o->solid = tor_alloc(1, sizeof *o->solid, "objects");
  *o->solid =
      (struct tor_solid){.users = 1, .type = "stl", .file = tor_strdup(file), .contents = contents, .mesh = mesh};
  tor_solid_place(o);
}
