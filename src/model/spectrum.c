/* Spectral monitors as columns: see spectrum.h. */
#include "src/model/spectrum.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/model/monitor.h"
#include "src/model/source.h"

int tor_spectrum_has(const struct tor_recorder *l) {
  return l->group >= 0 &&
         (l->spec->kind == TOR_FLUX || l->spec->kind == TOR_FLUX_BOX || l->spec->kind == TOR_CROSS_SECTION);
}

static double *column(struct tor_spectrum *s, const char *name, const char *unit, const char *meaning) {
  s->name[s->ncolumns] = name;
  s->unit[s->ncolumns] = unit;
  s->meaning[s->ncolumns] = meaning;
  return s->value[s->ncolumns++] = tor_alloc((size_t)s->nfreq, sizeof(double), "spectrum");
}

static void cross_section(const struct tor_monitors *ms, const struct tor_sources *sources,
                          const struct tor_recorder *l, struct tor_spectrum *s) {
  double radius = l->spec->radius;
  const char *u = radius > 0 ? "1" : "nm^2";
  double *ext = column(s, radius > 0 ? "Q_ext" : "C_ext_nm2", u,
                       radius > 0 ? "extinction over pi radius^2" : "extinction cross-section"),
         *sca = column(s, radius > 0 ? "Q_sca" : "C_sca_nm2", u,
                       radius > 0 ? "scattering over pi radius^2" : "scattering cross-section"),
         *abs = column(s, radius > 0 ? "Q_abs" : "C_abs_nm2", u,
                       radius > 0 ? "absorption over pi radius^2" : "absorption cross-section");
  double unit = radius > 0 ? TOR_PI * radius * radius : TOR_NM * TOR_NM;
#pragma omp parallel for schedule(dynamic) /* a wavelength's sums have one order */
  for (int q = 0; q < s->nfreq; q++) {
    double incident = tor_incident_flux(sources, 0, l->omega[q]);
    sca[q] = tor_recorder_flux(ms, l, 0, l->nouter, q) / incident / unit;
    abs[q] = -tor_recorder_flux(ms, l, l->nouter, l->nplane, q) / incident / unit;
    ext[q] = sca[q] + abs[q];
  }
}

/* The area across the only wave [m^2], below 0 where a plane's flux against the wave is positive; 0: planes along the
 * wave. */
static double wave_area(const struct tor_monitors *ms, const struct tor_sources *sources,
                        const struct tor_recorder *l) {
  const struct tor_source *wave = tor_incident_source(sources, 0);
  double area = 0;
  for (int i = 0; i < l->nplane; i++) {
    const struct tor_flux_plane *p = &l->plane[i];
    const int b = (p->axis + 1) % 3, c = (p->axis + 2) % 3;
    if (p->axis == wave->axis)
      area = fmax(area, (p->hi[b] - p->lo[b]) * ms->grid->d[b] * (p->hi[c] - p->lo[c]) * ms->grid->d[c]);
  }
  return l->spec->kind == TOR_FLUX ? wave->direction * area : area;
}

static void flux(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                 struct tor_spectrum *s) {
  const int wave = sources->nincident == 1, dipole = sources->job->nsources == 1 && !sources->nincident;
  double *power = column(s, "power_J_per_Hz", "J/Hz",
                         l->spec->kind == TOR_FLUX ? "Re(E x H*) over the plane, positive along its axis"
                                                   : "Re(E x H*) over the box, positive outwards");
  double *fraction =
      wave     ? column(s, "fraction", "1",
                        "power over that of the wave through the same area; planes: positive along the wave")
      : dipole ? column(s, "fraction", "1", "power over that of the dipole alone in the medium at its position")
               : NULL;
  const double area = wave ? wave_area(ms, sources, l) : 0;
  double parts = 1; /* of which the domain has one, by mirrors on which the dipole lies */
  for (int a = 0; a < 3 && dipole; a++) parts *= tor_source_mirror(&sources->job->sources[0], ms->grid, a) < 0 ? 1 : 2;
#pragma omp parallel for schedule(dynamic)
  for (int q = 0; q < s->nfreq; q++) {
    power[q] = tor_recorder_flux(ms, l, 0, l->nplane, q);
    if (wave) fraction[q] = area ? power[q] / (tor_incident_flux(sources, 0, l->omega[q]) * area) : (double)NAN;
    if (dipole) fraction[q] = parts * power[q] / tor_dipole_power(sources, 0, l->omega[q]);
  }
}

void tor_spectrum_make(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                       struct tor_spectrum *s) {
  *s = (struct tor_spectrum){.nfreq = l->nfreq};
  if (l->spec->kind == TOR_CROSS_SECTION)
    cross_section(ms, sources, l, s);
  else
    flux(ms, sources, l, s);
}

void tor_spectrum_free(struct tor_spectrum *s) {
  for (int i = 0; i < s->ncolumns; i++) free(s->value[i]);
}
