/* Reads the direction and the polarisation of a plane wave from angles. */
#include <libconfig.h>
#include <math.h>
#include <stddef.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

/* Faults of keys that the wave of a 2-D job, or one of circular light, does not have. */
static int has_faults(const struct tor_view *view, int word) {
  static const char *const three[] = {"theta_deg", "psi_deg", "polarisation"};
  const int plane = tor_job_reader_of(view)->plane != TOR_SPACE;
  int faults = 0;
  for (int i = 0; i < 3 && plane; i++) {
    const config_setting_t *at = tor_get(view, three[i]);
    if (!at) continue;
    tor_config_fault(
        view->config, at, NULL,
        "is for 3-D jobs: in 2-D phi_deg is the direction and grid.polarisation the polarisation, need " TOR_NEEDED(
            "none here"));
    faults++;
  }
  if (faults) return 1;
  if (tor_get(view, "direction")) {
    tor_config_fault(view->config, tor_get(view, "direction"), NULL,
                     "the wave has angles, too, need " TOR_NEEDED("one of the two"));
    return 1;
  }
  if (word >= 0 && word <= TOR_Z) {
    tor_config_fault(view->config, tor_get(view, "polarisation"), NULL,
                     "got " TOR_FOUND("\"%c\"") " with angles, need " TOR_NEEDED("\"left\" or \"right\", or psi_deg"),
                     "xyz"[word]);
    return 1;
  }
  if (word > TOR_Z && tor_get(view, "psi_deg")) {
    tor_config_fault(view->config, tor_get(view, "psi_deg"), NULL,
                     "the wave is circular, need " TOR_NEEDED("phase_deg in time, or no polarisation"));
    return 1;
  }
  return 0;
}

/* The axis of a vector's largest part, not `but`. */
static int largest(const double v[3], int but) {
  int axis = but == TOR_X ? TOR_Y : TOR_X;
  for (int a = 0; a < 3; a++)
    if (a != but && fabs(v[a]) > fabs(v[axis]) + 1e-9) axis = a;
  return axis;
}

/* Angles that stand in the key tables as optional: `value` where none is given. */
static double angle(const struct tor_view *view, const char *name, double value) {
  return tor_get(view, name) ? tor_get_double(view, name) : value;
}

int tor_job_read_angles(const struct tor_view *view, struct tor_source *s) {
  const enum tor_plane plane = tor_job_reader_of(view)->plane;
  const int word = tor_get(view, "polarisation") ? tor_get_word(view, "polarisation") : -1;
  if (has_faults(view, word)) return 0;
  s->angle[0] = angle(view, "theta_deg", 90);
  s->angle[1] = angle(view, "phi_deg", 0);
  s->angle[2] = angle(view, "psi_deg", plane ? 90 : 0);
  s->circular = word > TOR_Z ? (word == TOR_Z + 1 ? 1 : -1) : 0;
  const double rad = TOR_PI / 180, theta = s->angle[0] * rad, phi = s->angle[1] * rad, psi = s->angle[2] * rad;
  const double travel[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)},
               rise[3] = {cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)},
               turn[3] = {-sin(phi), cos(phi), 0};
  for (int a = 0; a < 3; a++) {
    s->travel[a] = fabs(travel[a]) > 1e-12 ? travel[a] : 0;
    s->across[a] = cos(psi) * rise[a] + sin(psi) * turn[a];
    if (fabs(s->across[a]) < 1e-12) s->across[a] = 0;
  }
  /* In 2-D E is along +z, or across the direction. */
  for (int a = 0; a < 3 && plane == TOR_PLANE_TM; a++) s->across[a] = a == TOR_Z;
  s->axis = largest(s->travel, -1);
  s->direction = s->travel[s->axis] < 0 ? -1 : 1;
  s->polarisation = largest(s->across, s->axis);
  return 1;
}
