/* Bloch walls and their wave vector. */
#include <libconfig.h>
#include <math.h>
#include <stddef.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* Whether both ends of an axis are Bloch walls; a fault where one is, and the other periodic. */
static int is_bloch(struct tor_job_reader *reader, const struct tor_view *view, const int bloch[TOR_NFACE], int axis) {
  const int lo = bloch[2 * axis], hi = bloch[2 * axis + 1], other = 2 * axis + (lo ? 1 : 0);
  if (lo == hi) return lo;
  if (reader->job->boundary[other].wall == TOR_PERIODIC)
    tor_config_fault(&reader->config, view->group, tor_face_name(other),
                     "is \"periodic\" and %s is \"bloch\", need " TOR_NEEDED("\"bloch\" at both ends of an axis, or "
                                                                             "\"periodic\""),
                     tor_face_name(other ^ 1));
  return 0;
}

/* Sets the phases from one key, in `unit` of it times `length` of each axis. */
static void read_vector(struct tor_job_reader *reader, const struct tor_view *view, const char *name,
                        const int joined[3], const double factor[3]) {
  double value[3];
  const config_setting_t *at = tor_get(view, name);
  if (!tor_get_vector(view, name, value)) return;
  for (int a = 0; a < 3; a++) {
    if (!joined[a] && (value[a] == 0 || !config_setting_is_list(at))) continue;
    if (!joined[a]) {
      tor_config_fault(&reader->config, at, NULL,
                       "got " TOR_FOUND("%g") " along %c, where the walls are not \"bloch\", need " TOR_NEEDED(
                           "0 there, or %c_lo and %c_hi = \"bloch\""),
                       value[a], "xyz"[a], "xyz"[a], "xyz"[a]);
      continue;
    }
    const double phase = value[a] * factor[a], most = TOR_PI * reader->cells[a];
    reader->job->phase[a] = phase;
    if (reader->grid_known && fabs(phase) > most * (1 + 1e-9))
      tor_config_fault(&reader->config, at, NULL,
                       "got " TOR_FOUND("%g") " along %c, need " TOR_NEEDED("at most %g, pi over the edge of a cell"),
                       value[a], "xyz"[a], most / factor[a]);
  }
}

void tor_job_read_bloch(struct tor_job_reader *reader, const struct tor_view *view, const int bloch[TOR_NFACE]) {
  const struct tor_job *job = reader->job;
  const config_setting_t *k = tor_get(view, "k"), *degrees = tor_get(view, "phase_deg");
  const double degree = TOR_PI / 180, of_degrees[3] = {degree, degree, degree};
  double lengths[3];
  int joined[3], any = 0;
  for (int a = 0; a < 3; a++) {
    joined[a] = is_bloch(reader, view, bloch, a);
    any |= joined[a];
    lengths[a] = job->size[a] / job->length_unit; /* k is per length unit */
  }
  if (k && degrees)
    tor_config_fault(&reader->config, degrees, NULL, "boundaries has k, too, need " TOR_NEEDED("one of the two"));
  else if (any && !k && !degrees)
    reader->k_of_wave = 1;
  if (k) read_vector(reader, view, "k", joined, lengths);
  if (degrees && !k) read_vector(reader, view, "phase_deg", joined, of_degrees);
}
