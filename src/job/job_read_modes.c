/* The group `modes` of a job. */
#include <libconfig.h>
#include <math.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* The axis along which the box is flat, and whether its plane can be one of modes. */
static void check_box(const struct tor_view *view, const struct tor_view *box, const struct tor_mode_job *m) {
  const struct tor_job_reader *reader = tor_job_reader_of(view);
  int flat = 0, axis = 0;
  for (int a = 0; a < 3; a++) {
    if (m->lo[a] == m->hi[a]) {
      axis = a;
      flat++;
    }
    if (m->lo[a] > m->hi[a])
      tor_config_fault(view->config, tor_get(box, "hi"), NULL, "hi is below lo along %c", "xyz"[a]);
  }
  if (flat != 1) {
    tor_config_fault(view->config, tor_get(view, "box"), NULL,
                     "lo and hi agree along %d axes, need " TOR_NEEDED("exactly one: a %s across the guide"), flat,
                     reader->plane ? "line" : "plane");
    return;
  }
  if (!reader->grid_known) return;
  struct tor_grid grid;
  double place[3] = {0, 0, 0};
  tor_grid_make(reader->job, &grid);
  place[axis] = m->lo[axis];
  tor_job_check_inside(box, "lo", place);
  const int node = tor_grid_node(&grid, axis, m->lo[axis]);
  for (int side = 0; side < 2; side++)
    if (tor_grid_in_layer(&grid, 2 * axis + side, node))
      tor_config_fault(view->config, tor_get(box, "lo"), NULL,
                       "the plane lies in the absorbing layer %s, need " TOR_NEEDED("one between the layers"),
                       tor_face_name(2 * axis + side));
  for (int a = 0; a < 3; a++)
    if (a != axis && (a < TOR_Z || !reader->plane) && m->hi[a] > m->lo[a] &&
        tor_grid_node(&grid, a, m->lo[a]) == tor_grid_node(&grid, a, m->hi[a]))
      tor_config_fault(view->config, tor_get(view, "box"), NULL, "the plane has no cell of the domain along %c",
                       "xyz"[a]);
}

void tor_job_read_modes(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  struct tor_mode_job *m = &reader->job->modes;
  m->core = -1;
  if (!tor_get(&root, "modes")) return;
  struct tor_view view = tor_view_child(&root, "modes", "modes."), box = tor_view_child(&view, "box", "modes.box.");
  m->count = tor_get_int(&view, "count");
  m->image = tor_get_bool(&view, "image");
  if (tor_get(&view, "target_index")) m->target = tor_get_double(&view, "target_index");
  if (tor_get(&view, "core")) m->core = tor_job_read_medium(&view, "core");
  m->wavelength = tor_get_list(&view, "wavelengths", &m->nwavelength);
  double least = INFINITY;
  for (int i = 0; i < m->nwavelength; i++) least = fmin(least, m->wavelength[i]);
  tor_job_check_wavelength(&view, "wavelengths", least);
  if (!tor_get_vector(&box, "lo", m->lo) || !tor_get_vector(&box, "hi", m->hi)) return;
  tor_job_whole_length(reader, m->lo, m->hi);
  check_box(&view, &box, m);
}
