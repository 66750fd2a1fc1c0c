/* Reads the group symmetry. */
#include <libconfig.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* Whether both ends of an axis are alike, as the symmetry makes them. */
static int is_alike(const struct tor_boundary *lo, const struct tor_boundary *hi) {
  return lo->wall == hi->wall &&
         (!tor_boundary_layer(lo) || (lo->cells == hi->cells && lo->grade == hi->grade && lo->sigma == hi->sigma &&
                                      lo->kappa == hi->kappa && lo->alpha == hi->alpha));
}

static void read_axis(struct tor_job_reader *reader, const struct tor_view *view, int axis) {
  const char name[2] = {"xyz"[axis], 0};
  const struct tor_boundary *wall = &reader->job->boundary[2 * axis];
  const int word = tor_get_word(view, name);
  if (word < 1) return;
  const config_setting_t *at = tor_get(view, name);
  if (reader->plane && axis == TOR_Z) {
    tor_config_fault(&reader->config, at, NULL,
                     "the job is 2-D, and nothing varies along z, need " TOR_NEEDED("\"none\", or none here"));
    return;
  }
  if (reader->grid_known && reader->cells[axis] % 2)
    tor_config_fault(
        &reader->config, at, NULL,
        "the plane of symmetry lies in the middle of %d cells along %s, need " TOR_NEEDED("an even number of them"),
        reader->cells[axis], name);
  if (wall[0].wall == TOR_PERIODIC)
    tor_config_fault(&reader->config, at, NULL,
                     "the domain is periodic along %s, need " TOR_NEEDED("\"none\", or other walls"), name);
  else if (!is_alike(&wall[0], &wall[1]))
    tor_config_fault(&reader->config, at, NULL, "the walls at %s_lo and %s_hi differ, need " TOR_NEEDED("the same"),
                     name, name);
  reader->job->symmetry[axis] = word == 1 ? 1 : -1;
}

void tor_job_read_symmetry(struct tor_job_reader *reader, const struct tor_view *root) {
  const struct tor_view view = tor_view_child(root, "symmetry", "symmetry.");
  if (!view.group) return;
  for (int a = 0; a < 3; a++) read_axis(reader, &view, a);
}
