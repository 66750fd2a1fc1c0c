/* Spectral monitors as columns: see spectrum.h. */
#include "spectrum.h"

#include <math.h>
#include <stdlib.h>

#include "units.h"

int tor_spectrum_has(const struct tor_listener *l) {
  return l->group >= 0 && (l->spec->kind == TOR_FLUX || l->spec->kind == TOR_FLUX_BOX || l->spec->kind == TOR_CROSS_SECTION);
}

static double *column(struct tor_spectrum *s, const char *name) {
  s->name[s->ncolumns] = name;
  return s->value[s->ncolumns++] = tor_alloc((size_t)s->nfreq, sizeof(double), "spectrum");
}

static void cross_section(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_listener *l,
                          struct tor_spectrum *s) {
  double radius = l->spec->radius;
  double *ext = column(s, radius > 0 ? "Q_ext" : "C_ext_nm2"), *sca = column(s, radius > 0 ? "Q_sca" : "C_sca_nm2"),
         *abs = column(s, radius > 0 ? "Q_abs" : "C_abs_nm2");
  double unit = radius > 0 ? TOR_PI * radius * radius : TOR_NM * TOR_NM;
#pragma omp parallel for schedule(dynamic) /* a wavelength's sums have one order */
  for (int q = 0; q < s->nfreq; q++) {
    double incident = tor_incident_flux(sources, 0, l->omega[q]);
    sca[q] = tor_listener_flux(ms, l, 0, l->nouter, q) / incident / unit;
    abs[q] = -tor_listener_flux(ms, l, l->nouter, l->nplane, q) / incident / unit;
    ext[q] = sca[q] + abs[q];
  }
}

static void flux(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_listener *l, struct tor_spectrum *s) {
  double *power = column(s, "power_J_per_Hz"), *fraction = sources->nincident == 1 ? column(s, "fraction") : NULL, area = 0;
  for (int i = 0; fraction && i < l->nplane; i++) {
    const struct tor_flux_plane *p = &l->plane[i];
    int b = (p->axis + 1) % 3, c = (p->axis + 2) % 3;
    if (p->axis == tor_incident_source(sources, 0)->axis)
      area = fmax(area, (p->hi[b] - p->lo[b]) * ms->grid->d[b] * (p->hi[c] - p->lo[c]) * ms->grid->d[c]);
  }
#pragma omp parallel for schedule(dynamic)
  for (int q = 0; q < s->nfreq; q++) {
    power[q] = tor_listener_flux(ms, l, 0, l->nplane, q);
    if (fraction) fraction[q] = area > 0 ? power[q] / (tor_incident_flux(sources, 0, l->omega[q]) * area) : (double)NAN;
  }
}

void tor_spectrum_make(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_listener *l,
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
