/* Plane waves with angles in periodic cells, and the wave vector of Bloch walls that follows from them. */
#include <complex.h>
#include <libconfig.h>
#include <math.h>
#include <stddef.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"
#include "src/job/material.h"

/* The axis without periodic walls where all others have some; -1: there are others, or none. */
static int open_axis(const struct tor_job_reader *reader) {
  int open = -1, count = 0;
  for (int a = 0; a < (reader->plane ? 2 : 3); a++) {
    if (reader->job->boundary[2 * a].wall == TOR_PERIODIC) continue;
    open = a;
    count++;
  }
  return count == 1 ? open : -1;
}

int tor_job_read_tilt(const struct tor_view *view, struct tor_source *s) {
  const int open = open_axis(tor_job_reader_of(view));
  s->periodic = s->oblique && open >= 0;
  const config_setting_t *at = tor_get(view, "angle_wavelength");
  if (at && !s->oblique)
    tor_config_fault(view->config, at, NULL, "is for waves with angles, need " TOR_NEEDED("none here"));
  if (at) s->angle_at = tor_get_double(view, "angle_wavelength");
  if (!s->periodic) return 1;
  if (fabs(s->travel[open]) < 1e-3) {
    tor_config_fault(view->config, view->group, tor_get(view, "theta_deg") ? "theta_deg" : "phi_deg",
                     "the wave travels along the periodic walls, need " TOR_NEEDED("a direction across %c"),
                     "xyz"[open]);
    return 0;
  }
  s->axis = open;
  s->direction = s->travel[open] < 0 ? -1 : 1;
  s->polarisation = open == TOR_X ? TOR_Y : TOR_X;
  for (int a = 0; a < 3; a++)
    if (a != open && fabs(s->across[a]) > fabs(s->across[s->polarisation])) s->polarisation = a;
  return 1;
}

/* Index of the medium where a wave enters, at its angles' wavelength; 0: it has none. */
static double index_before(const struct tor_job *job, const struct tor_source *s, double omega) {
  double x[3] = {0, 0, 0};
  x[s->axis] = s->direction > 0 ? s->lo[s->axis] : s->hi[s->axis];
  const struct tor_medium *m = &job->media[tor_job_medium_at(job, x)];
  const double square = creal(tor_medium_permittivity(m, s->axis, omega) * tor_medium_permeability(m, s->axis, omega));
  return square > 0 ? sqrt(square) : 0;
}

/* A wave's phase over a period of an axis against that of the walls. */
static void match(struct tor_job_reader *reader, const struct tor_source *s, const config_setting_t *group, int axis,
                  double wave_number) {
  struct tor_job *job = reader->job;
  const double phase = wave_number * s->travel[axis] * job->size[axis], slack = 1e-6 * wave_number * job->size[axis],
               degree = TOR_PI / 180;
  if (fabs(phase - job->phase[axis]) <= slack) return;
  tor_config_fault(&reader->config, group, "theta_deg",
                   "its angles are a phase of %.6g degrees over the period along %c, where the walls have %.6g; "
                   "need " TOR_NEEDED("\"bloch\" walls without k, so that the wave gives it, and waves of one k"),
                   phase / degree, "xyz"[axis], job -> phase[axis] / degree);
}

static int is_known(const struct tor_job_reader *reader, const config_setting_t *group, const struct tor_source *s) {
  return s->kind == TOR_PLANE_WAVE && s->periodic && !tor_mark_bad(group) && reader->grid_known &&
         (s->angle_at > 0 || (s->profile.kind != TOR_TABLE && s->profile.wavelength > 0));
}

void tor_job_read_tilts(struct tor_job_reader *reader) {
  struct tor_view root = tor_view_of(&reader->config, config_root_setting(&reader->config.tree), "");
  const config_setting_t *list = tor_get(&root, "sources");
  struct tor_job *job = reader->job;
  int wanted = reader->k_of_wave, waves = 0;
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    const config_setting_t *group = config_setting_get_elem(list, (unsigned)i);
    waves += s->kind == TOR_PLANE_WAVE && s->periodic;
    if (s->kind == TOR_PLANE_WAVE && s->periodic && s->profile.kind == TOR_TABLE && !(s->angle_at > 0))
      tor_config_fault(&reader->config, group, "angle_wavelength",
                       "missing, and a table has no wavelength of its own, need " TOR_NEEDED("it"));
    if (!is_known(reader, group, s)) continue;
    const double omega = 2 * TOR_PI * TOR_C0 / (s->angle_at > 0 ? s->angle_at : s->profile.wavelength),
                 wave_number = index_before(job, s, omega) * omega / TOR_C0;
    for (int a = 0; a < 3; a++) {
      if (job->boundary[2 * a].wall != TOR_PERIODIC) continue;
      if (wanted) job->phase[a] = wave_number * s->travel[a] * job->size[a];
      match(reader, s, group, a, wave_number);
    }
    wanted = 0;
  }
  if (!reader->k_of_wave || waves || tor_get(&root, "bands")) return; /* torre bands sets k; else it is 0 */
  const struct tor_view view = tor_view_child(&root, "boundaries", "boundaries.");
  tor_config_fault(&reader->config, view.group, "k",
                   "missing, and walls are \"bloch\": need " TOR_NEEDED(
                       "the wave vector k = [x, y, z] in radians per length_unit, phase_deg over a period, or a plane "
                       "wave with angles"));
}
