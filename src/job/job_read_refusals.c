/* What neither graded grids nor cylindrical coordinates have. */
#include <libconfig.h>
#include <stddef.h>

#include "io/config/config.h"
#include "src/base/error.h"
#include "src/job/job.h"
#include "src/job/job_read_parts.h"

void tor_refuse(const struct tor_refusals *r, const config_setting_t *at, const char *key, const char *what) {
  tor_config_fault(&r->reader->config, at, key, "%s not available in %s, need " TOR_NEEDED("%s"), what, r->where,
                   r->need);
}

static void check_source(const struct tor_refusals *r, const struct tor_source *s, const config_setting_t *at) {
  switch (s->kind) {
  case TOR_MODE_SOURCE: tor_refuse(r, at, "type", "modes of guides are"); break;
  case TOR_BEAM: tor_refuse(r, at, "type", "beams are"); break;
  case TOR_FIELD_SOURCE: tor_refuse(r, at, "type", "sources of fields are"); break;
  case TOR_PLANE_WAVE:
  case TOR_ELECTRIC_DIPOLE:
  case TOR_MAGNETIC_DIPOLE: break;
  }
}

static void check_monitor(const struct tor_refusals *r, const struct tor_monitor *m, const config_setting_t *at) {
  switch (m->kind) {
  case TOR_SLICE: tor_refuse(r, at, "type", "pictures of time steps are"); break;
  case TOR_SNAPSHOT: tor_refuse(r, at, "type", "snapshots are"); break;
  case TOR_ORDERS: tor_refuse(r, at, "type", "diffraction orders are"); break;
  case TOR_MODE: tor_refuse(r, at, "type", "modes of guides are"); break;
  case TOR_ABSORPTION: tor_refuse(r, at, "type", "maps of absorption are"); break;
  case TOR_FORCE: tor_refuse(r, at, "type", "forces are"); break;
  case TOR_MULTIPOLE: tor_refuse(r, at, "type", "multipoles are"); break;
  case TOR_ENERGY_DENSITY: tor_refuse(r, at, "type", "maps of energy are"); break;
  case TOR_MODE_VOLUME: tor_refuse(r, at, "type", "volumes of modes are"); break;
  case TOR_FLUX:
    if (m->beam) tor_refuse(r, at, NULL, "beams are");
    break;
  case TOR_PROBE:
  case TOR_FIELD_DFT:
  case TOR_FLUX_BOX:
  case TOR_CROSS_SECTION:
  case TOR_DECAY_RATE:
  case TOR_RESONANCES:
  case TOR_FAR_FIELD:
  case TOR_PERMITTIVITY:
  case TOR_ENERGY: break;
  }
}

void tor_refuse_common(const struct tor_refusals *r, const struct tor_view *root) {
  const struct tor_job *job = r->reader->job;
  const config_setting_t *sources = tor_get(root, "sources"), *monitors = tor_get(root, "monitors");
  if (job->ndesigns) tor_refuse(r, tor_get(root, "designs"), NULL, "design regions are");
  if (job->modes.nwavelength) tor_refuse(r, tor_get(root, "modes"), NULL, "modes of guides are");
  if (job->bands.ncorners) tor_refuse(r, tor_get(root, "bands"), NULL, "band structures are");
  for (int i = 0; i < job->nsources; i++)
    check_source(r, &job->sources[i], config_setting_get_elem(sources, (unsigned)i));
  for (int i = 0; i < job->nmonitors; i++)
    check_monitor(r, &job->monitors[i], config_setting_get_elem(monitors, (unsigned)i));
}
