/* The group `modes` of a job, and sources of a mode. */
#include <libconfig.h>
#include <math.h>
#include <stddef.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

int tor_job_check_plane(const struct tor_view *view, const struct tor_view *box, const double lo[3], const double hi[3],
                        const char *subject) {
  const struct tor_job_reader *reader = tor_job_reader_of(view);
  int flat = 0, axis = 0;
  for (int a = 0; a < 3; a++) {
    if (lo[a] == hi[a]) {
      axis = a;
      flat++;
    }
    if (lo[a] > hi[a]) tor_config_fault(view->config, tor_get(box, "hi"), NULL, "hi is below lo along %c", "xyz"[a]);
  }
  if (flat != 1) {
    tor_config_fault(view->config, tor_get(view, "box"), NULL,
                     "lo and hi agree along %d axes, need " TOR_NEEDED("exactly one: a %s"), flat,
                     reader->plane ? "line" : "plane");
    return -1;
  }
  if (!reader->grid_known) return axis;
  for (int a = 0; a < 3; a++)
    if (reader->job->symmetry[a]) {
      tor_config_fault(
          view->config, view->group, NULL,
          "%s of the whole plane, and the job has a symmetry along %c, need " TOR_NEEDED("symmetry \"none\""), subject,
          "xyz"[a]);
      return -1;
    }
  struct tor_grid grid;
  double place[3] = {0, 0, 0};
  tor_grid_make(reader->job, &grid);
  place[axis] = lo[axis];
  tor_job_check_inside(box, "lo", place);
  const int node = tor_grid_node(&grid, axis, lo[axis]);
  for (int side = 0; side < 2; side++)
    if (tor_grid_in_layer(&grid, 2 * axis + side, node))
      tor_config_fault(view->config, tor_get(box, "lo"), NULL,
                       "the plane lies in the absorbing layer %s, need " TOR_NEEDED("one between the layers"),
                       tor_face_name(2 * axis + side));
  for (int a = 0; a < 3; a++)
    if (a != axis && (a < TOR_Z || !reader->plane) && hi[a] > lo[a] &&
        tor_grid_node(&grid, a, lo[a]) == tor_grid_node(&grid, a, hi[a]))
      tor_config_fault(view->config, tor_get(view, "box"), NULL, "the plane has no cell of the domain along %c",
                       "xyz"[a]);
  return axis;
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
  tor_job_check_plane(&view, &box, m->lo, m->hi, "modes of a guide are");
}

void tor_job_check_plane_reach(const struct tor_view *box, const struct tor_source *s) {
  const struct tor_job_reader *reader = tor_job_reader_of(box);
  if (!reader->grid_known) return;
  struct tor_grid grid;
  tor_grid_make(reader->job, &grid);
  const int reach = (grid.order == 4 ? 4 : 2) / (s->as_is ? 2 : 1),
            node = tor_grid_node(&grid, s->axis, s->lo[s->axis]);
  for (int side = 0; side < 2; side++) {
    const int layer = tor_boundary_layer(&grid.face[2 * s->axis + side]), end = side ? grid.n[s->axis] : 0;
    const int room = (side ? end - node : node) - layer;
    if (room < 0 || room >= reach) continue; /* in a layer: tor_job_check_plane */
    const double place = tor_grid_at(&grid, s->axis, end + (side ? -1 : 1) * (layer + reach));
    tor_config_fault(box->config, tor_get(box, "lo"), NULL,
                     "the plane lies %d cells before %s, need " TOR_NEEDED("at least %d: %c %s %.6g %s"), room,
                     tor_face_name(2 * s->axis + side), reach, "xyz"[s->axis],
                     side ? "<=" : ">=", place / box->config->unit, box->config->unit_name);
  }
}

int tor_job_read_sheet(const struct tor_view *view, struct tor_source *s, const char *one, const char *many) {
  struct tor_view box = tor_view_child(view, "box", "sources[].box.");
  const int direction = tor_get_word(view, "direction");
  if (!config_setting_get_member(view->group, "direction"))
    tor_config_fault(view->config, view->group, "direction",
                     "missing, need " TOR_NEEDED("the direction across the plane, \"-x\", \"+x\" ... \"+z\""));
  if (s->profile.kind == TOR_TABLE)
    tor_config_fault(view->config, tor_get(view, "time"), NULL,
                     "got " TOR_FOUND("\"table\"") ", but %s has its profile at the frequencies of its pulse, "
                                                   "need " TOR_NEEDED("\"pulse\" or \"continuous\""),
                     one);
  if (!tor_get_vector(&box, "lo", s->lo) || !tor_get_vector(&box, "hi", s->hi) || direction < 0) return -1;
  tor_job_whole_length(tor_job_reader_of(view), s->lo, s->hi);
  const int axis = tor_job_check_plane(view, &box, s->lo, s->hi, many);
  if (axis < 0) return -1;
  s->axis = s->polarisation = axis;
  s->direction = direction % 2 ? 1 : -1;
  if (axis != direction / 2)
    tor_config_fault(
        view->config, tor_get(view, "direction"), NULL,
        "got " TOR_FOUND("\"%c%c\"") ", but the plane lies across %c, need " TOR_NEEDED("\"-%c\" or \"+%c\""),
        direction % 2 ? '+' : '-', "xyz"[direction / 2], "xyz"[axis], "xyz"[axis], "xyz"[axis]);
  else
    tor_job_check_plane_reach(&box, s);
  return axis;
}

void tor_job_read_mode_source(const struct tor_view *view, struct tor_source *s) {
  s->mode = tor_get_int(view, "mode");
  if (tor_get(view, "target_index")) s->target = tor_get_double(view, "target_index");
  tor_job_read_sheet(view, s, "a mode", "modes of a guide are");
}
