/* Sources that send the fields of a file. */
#include <libconfig.h>
#include <stdlib.h>
#include <string.h>

#include "io/config/config.h"
#include "io/hdf5/h5_values.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/field_file.h"

/* Components of E along the plane, and of H where `both`, in the user's axes: bits of tor_field_file_read. */
static unsigned components_of(const struct tor_job_reader *reader, int axis, int both) {
  const unsigned z = 1u << TOR_Z, along = (1u << TOR_X | 1u << TOR_Y | z) & ~(1u << axis);
  const unsigned e = reader->plane == TOR_PLANE_TM ? z : reader->plane ? along & ~z : along;
  const unsigned h = reader->plane == TOR_PLANE_TM ? along & ~z : reader->plane ? z : along;
  return both ? e | h << 3 : e;
}

/* A fault where a component has points beside one plane, or too few along it. */
static void check_shape(const struct tor_view *view, int axis, const struct tor_field_file *f) {
  const int axes = tor_job_reader_of(view)->plane ? 2 : 3;
  for (int c = 0; c < 3; c++)
    for (int a = 0; a < axes && f->e[c].value; a++) {
      const int n = f->e[c].n[a];
      const char *const needed = a == axis ? "one: a plane across it" : "two or more", *const group = f->group;
      if (a == axis ? n == 1 : n > 1) continue;
      tor_config_fault(view->config, tor_get(view, "file"), NULL,
                       "\"%s\": E%c in %s has " TOR_FOUND("%d place%s") " along %c, need " TOR_NEEDED("%s"), f->file,
                       "xyz"[c], group, n, n > 1 ? "s" : "", "xyz"[a], needed);
      return;
    }
}

/* Why the file cannot be read, at the key that is wrong. */
static void fault(const struct tor_view *view, const char *path, const struct tor_field_file *f, const char *why) {
  const int has_no_group = tor_get(view, "group") && tor_h5_has(path, "/") && !tor_h5_has(path, f->group);
  if (has_no_group)
    tor_config_fault(view->config, tor_get(view, "group"), NULL,
                     "got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("a group of \"%s\""), f->group, f->file);
  else
    tor_config_fault(view->config, tor_get(view, "file"), NULL, "\"%s\": %s", f->file, why);
}

void tor_job_read_field_file(const struct tor_view *view, struct tor_source *s) {
  const struct tor_job_reader *reader = tor_job_reader_of(view);
  const config_setting_t *file = tor_get(view, "file");
  const char *group = tor_get(view, "group") ? tor_get_text(view, "group") : "/";
  char why[320];
  s->as_is = tor_get_bool(view, "as_is");
  const int axis = tor_job_read_sheet(view, s, "a plane of fields", "fields are");
  if (axis < 0 || !file) return;
  struct tor_field_file *f = s->fields = tor_alloc(1, sizeof *f, "fields of a file");
  char *path = tor_job_path_of(view->config, tor_get_text(view, "file"));
  const int bad = tor_field_file_read(path, group, reader->plane ? 2 : 3, components_of(reader, axis, s->as_is), f, why,
                                      sizeof why);
  f->file = tor_strdup(tor_get_text(view, "file"));
  f->group = tor_strdup(group);
  if (bad)
    fault(view, path, f, why);
  else if (!s->as_is)
    check_shape(view, axis, f);
  free(path);
}
