/* Sources that are Gaussian beams, and the beams of monitors. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* The least part along the plane's axis of a beam's direction: 80 degrees. */
static const double LEAST_ALONG = 0.17;

/* Faults of keys that a beam of a 2-D job does not have. */
static void check_plane_keys(const struct tor_view *view) {
  static const char *const name[] = {"waist_across", "waist_deg", "astigmatism"};
  if (!tor_job_reader_of(view)->plane) return;
  for (int i = 0; i < 3; i++)
    if (tor_get(view, name[i]))
      tor_config_fault(view->config, tor_get(view, name[i]), NULL,
                       "is for 3-D jobs: a beam of a 2-D job has one waist, need " TOR_NEEDED("none here"));
}

static void read_waists(const struct tor_view *view, struct tor_source *s) {
  const struct tor_job_reader *reader = tor_job_reader_of(view);
  s->waist[0] = s->waist[1] = tor_get_double(view, "waist");
  if (reader->plane) return;
  if (tor_get(view, "waist_across")) s->waist[1] = tor_get_double(view, "waist_across");
  s->waist_angle = tor_get_double(view, "waist_deg");
  s->astigmatism = tor_get_double(view, "astigmatism");
}

/* Direction and E, in angles or along axes, as unit vectors. Returns 0 with faults. */
static int read_vectors(const struct tor_view *view, struct tor_source *s) {
  s->oblique = tor_get(view, "theta_deg") || tor_get(view, "phi_deg");
  if (s->oblique) return tor_job_read_angles(view, s);
  if (!tor_job_read_direction(view, s) || s->polarisation > TOR_Z) return 0;
  s->travel[s->axis] = s->direction;
  s->across[s->polarisation] = 1;
  return 1;
}

/* The plane's axis, which the beam must cross. box: a child of view. Returns 0 with faults. */
static int read_plane(const struct tor_view *view, const struct tor_view *box, struct tor_source *s) {
  const int axis = tor_job_check_plane(view, box, s->lo, s->hi, "a beam is");
  if (axis < 0) return 0;
  if (fabs(s->travel[axis]) < LEAST_ALONG) {
    tor_config_fault(view->config, tor_get(view, "box"), NULL,
                     "the plane across %c lies along the beam or at less than 10 degrees to it, need " TOR_NEEDED(
                         "a plane that the beam crosses"),
                     "xyz"[axis]);
    return 0;
  }
  s->axis = axis;
  s->direction = s->travel[axis] < 0 ? -1 : 1;
  return 1;
}

/* The middle of the plane's part in the domain, or as given. view: the beam's. */
static void read_focus(const struct tor_view *view, struct tor_source *s) {
  const struct tor_job_reader *reader = tor_job_reader_of(view);
  for (int a = 0; a < 3; a++) {
    const double wall = reader->wall[a];
    s->focus[a] = reader->grid_known ? 0.5 * (fmax(s->lo[a], -wall) + fmin(s->hi[a], wall)) : 0;
  }
  if (tor_get(view, "focus")) tor_get_vector(view, "focus", s->focus);
  if (reader->plane) s->focus[TOR_Z] = 0;
}

void tor_job_read_beam(const struct tor_view *view, struct tor_source *s) {
  struct tor_view box = tor_view_child(view, "box", "sources[].box.");
  check_plane_keys(view);
  read_waists(view, s);
  if (s->profile.kind == TOR_TABLE)
    tor_config_fault(view->config, tor_get(view, "time"), NULL,
                     "got " TOR_FOUND("\"table\"") ", but a beam has its profile at the frequencies of its pulse, "
                                                   "need " TOR_NEEDED("\"pulse\" or \"continuous\""));
  const int known = read_vectors(view, s);
  if (!tor_get_vector(&box, "lo", s->lo) || !tor_get_vector(&box, "hi", s->hi)) return;
  read_focus(view, s);
  tor_job_whole_length(tor_job_reader_of(view), s->lo, s->hi);
  if (known && read_plane(view, &box, s)) tor_job_check_plane_reach(&box, s);
}

void tor_job_read_beam_of(const struct tor_view *view, struct tor_monitor *m) {
  struct tor_view box = tor_view_child(view, "box", "monitors[].box."),
                  own = tor_view_child(view, "beam", "monitors[].beam.");
  if (!tor_get(view, "beam")) return;
  struct tor_source *s = m->beam = tor_alloc(1, sizeof *s, "beam");
  s->kind = TOR_BEAM;
  memcpy(s->lo, m->lo, sizeof s->lo);
  memcpy(s->hi, m->hi, sizeof s->hi);
  check_plane_keys(&own);
  read_waists(&own, s);
  const int known = read_vectors(&own, s);
  read_focus(&own, s);
  int flat = 0;
  for (int a = 0; a < 3; a++) flat += m->lo[a] == m->hi[a]; /* other planes are faults already */
  if (known && flat == 1) read_plane(view, &box, s);
}
