/* Spectral monitors as columns: see spectrum.h. */
#include "src/model/spectrum.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/absorption.h"
#include "src/model/band.h"
#include "src/model/beam_overlap.h"
#include "src/model/energy_density.h"
#include "src/model/mode_volume.h"
#include "src/model/monitor.h"
#include "src/model/multipoles.h"
#include "src/model/source.h"
#include "src/model/stress.h"

int tor_spectrum_has(const struct tor_recorder *l) {
  return l->group >= 0 &&
         (tor_monitor_is_plane(l->spec) || l->spec->kind == TOR_FLUX_BOX || l->spec->kind == TOR_CROSS_SECTION ||
          l->spec->kind == TOR_FAR_FIELD || l->spec->kind == TOR_DECAY_RATE || l->spec->kind == TOR_ABSORPTION ||
          l->spec->kind == TOR_FORCE || l->spec->kind == TOR_MULTIPOLE || l->spec->kind == TOR_MODE_VOLUME ||
          l->spec->kind == TOR_ENERGY_DENSITY);
}

static double *column(struct tor_spectrum *s, const char *name, const char *unit, const char *meaning) {
  s->name[s->ncolumns] = name;
  s->unit[s->ncolumns] = unit;
  s->meaning[s->ncolumns] = meaning;
  return s->value[s->ncolumns++] = tor_alloc((size_t)s->nfreq, sizeof(double), "spectrum");
}

/* What a cross-section is where the domain is one cell thick along so many axes, between walls that make the objects
 * endless there: an area; a width, of the length 1 of an object; a part of the wave. */
static const struct quantity {
  const char *name[3], *unit, *meaning[3], *over[3];
} quantities[3] = {
    {{"C_ext_nm2", "C_sca_nm2", "C_abs_nm2"},
     "nm^2",
     {"extinction cross-section", "scattering cross-section", "absorption cross-section"},
     {"extinction over pi radius^2", "scattering over pi radius^2", "absorption over pi radius^2"}},
    {{"C_ext_nm", "C_sca_nm", "C_abs_nm"},
     "nm",
     {"extinction cross-section per length", "scattering cross-section per length",
      "absorption cross-section per length"},
     {"extinction per length over 2 radius", "scattering per length over 2 radius",
      "absorption per length over 2 radius"}},
    {{"C_ext", "C_sca", "C_abs"},
     "1",
     {"extinction over the wave's power", "scattering over the wave's power", "absorption over the wave's power"},
     {"extinction over the wave's power", "scattering over the wave's power", "absorption over the wave's power"}},
};

static void cross_section(const struct tor_monitors *ms, const struct tor_sources *sources,
                          const struct tor_recorder *l, struct tor_spectrum *s) {
  static const char *const names[] = {"Q_ext", "Q_sca", "Q_abs"};
  const double radius = l->spec->radius;
  double thickness = 1, *value[3];
  int thin = 0;
  for (int a = 0; a < 3; a++) {
    if (ms->grid->n[a] > 1 || (ms->grid->angular && a == TOR_PHI)) continue;
    thin++;
    thickness *= ms->grid->d[a];
  }
  const struct quantity *q = &quantities[thin < 2 ? thin : 2];
  for (int i = 0; i < 3; i++)
    value[i] = column(s, radius > 0 ? names[i] : q->name[i], radius > 0 ? "1" : q->unit,
                      radius > 0 ? q->over[i] : q->meaning[i]);
  const double geometric[3] = {TOR_PI * radius * radius, 2 * radius, 1}, nm[3] = {TOR_NM * TOR_NM, TOR_NM, 1};
  const double unit = thickness * (radius > 0 ? geometric : nm)[q - quantities];
#pragma omp parallel for schedule(dynamic) /* a wavelength's sums have one order */
  for (int i = 0; i < s->nfreq; i++) {
    double incident = tor_incident_flux(sources, 0, l->omega[i]);
    value[1][i] = tor_recorder_flux(ms, l, 0, l->nouter, i) / incident / unit;
    value[2][i] = -tor_recorder_flux(ms, l, l->nouter, l->nplane, i) / incident / unit;
    value[0][i] = value[1][i] + value[2][i];
  }
}

/* An edge of a monitor's box on the grid [m]. */
static double side_of(const struct tor_grid *g, const struct tor_recorder *l, int axis) {
  const int lo = tor_grid_node(g, axis, l->spec->lo[axis]), hi = tor_grid_node(g, axis, l->spec->hi[axis]);
  return g->node[axis] ? tor_grid_at(g, axis, hi) - tor_grid_at(g, axis, lo) : (hi - lo) * g->d[axis];
}

/* Power of the only wave through a monitor [J/Hz], below 0 where a plane's flux against the wave is positive; of a box
 * what enters it. 0: planes along the wave. */
static double wave_power(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                         double omega) {
  double area[3] = {0, 0, 0}, power = 0;
  for (int a = 0; a < 3 && l->spec->kind == TOR_ABSORPTION; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    area[a] = side_of(ms->grid, l, b) * side_of(ms->grid, l, c);
  }
  for (int i = 0; i < l->nplane; i++) {
    const struct tor_flux_plane *p = &l->plane[i];
    area[p->axis] = fmax(area[p->axis], tor_plane_area(ms->grid, p));
  }
  for (int a = 0; a < 3; a++) {
    if (!area[a]) continue;
    const double across = tor_incident_flux_across(sources, 0, omega, a);
    power += (tor_monitor_is_plane(l->spec) ? across : fabs(across)) * area[a];
  }
  return power;
}

/* Power of a sheet's source whose pulse has amplitude 1 [W; 2-D W/m]; of fields NaN beyond the band, and of those as
 * they are. */
static double sheet_power(const struct tor_source *s, double omega) {
  const struct tor_band band = tor_band_make(&s->profile);
  double power = 0;
  if (s->kind != TOR_FIELD_SOURCE) return 1;
  if (s->as_is) return (double)NAN;
  if (!(band.half > 0)) return s->sheet->power[0];
  if (fabs(omega - band.omega) > 1.01 * band.half) return (double)NAN;
  for (int k = 0; k < TOR_BAND_POINTS; k++)
    power += s->sheet->power[k] * tor_band_lagrange(&band, TOR_BAND_LEVELS - 1, k, omega);
  return power;
}

/* Parts of the only source, a dipole, of which the domain has one, by mirrors on which it lies. */
static double parts_of_dipole(const struct tor_sources *sources) {
  double parts = 1;
  for (int a = 0; a < 3; a++)
    if (!sources->grid->mirror[a]) parts *= tor_source_mirror(&sources->job->sources[0], sources->grid, a) < 0 ? 1 : 2;
  return parts;
}

double tor_spectrum_source_power(const struct tor_sources *sources, double omega) {
  const struct tor_job *job = sources->job;
  const struct tor_source *only = &job->sources[0];
  if (job->nsources != 1) return (double)NAN;
  if (sources->nincident) return tor_incident_flux(sources, 0, omega);
  if (tor_source_is_dipole(only)) return tor_dipole_power(sources, 0, omega) / parts_of_dipole(sources);
  return 2 * pow(cabs(tor_source_spectrum(sources, 0, omega)), 2) * sheet_power(only, omega);
}

static void flux(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                 struct tor_spectrum *s) {
  const struct tor_job *job = sources->job;
  const int wave = sources->nincident == 1, dipole = job->nsources == 1 && tor_source_is_dipole(&job->sources[0]);
  const int sheet = job->nsources == 1 && tor_source_has_sheet(&job->sources[0]);
  const int plane = ms->grid->plane != TOR_SPACE; /* all is per metre */
  const int absorbed = l->spec->kind == TOR_ABSORPTION;
  double *power = column(s, plane ? "power_J_per_Hz_m" : "power_J_per_Hz", plane ? "J/Hz/m" : "J/Hz",
                         absorbed         ? "what media in the box absorb"
                         : l->nplane == 1 ? "Re(E x H*) over the plane, positive along its axis"
                                          : "Re(E x H*) over the box, positive outwards");
  double *fraction =
      wave     ? column(s, "fraction", "1",
                        "power over that of the wave through the same area; planes: positive along the wave")
      : dipole ? column(s, "fraction", "1", "power over that of the dipole alone in the medium at its position")
      : sheet  ? column(s, "fraction", "1", "power over that of the source; planes: positive along their axis")
               : NULL;
  double *const angle = wave && tor_incident_angle(sources, 0, l->omega[0]) != 0
                            ? column(s, "theta_deg", "deg", "between the plane wave and the axis, at this wavelength")
                            : NULL;
#pragma omp parallel for schedule(dynamic)
  for (int q = 0; q < s->nfreq; q++) {
    power[q] = absorbed ? s->absorption.total[q] : tor_recorder_flux(ms, l, 0, l->nplane, q);
    if (angle) angle[q] = tor_incident_angle(sources, 0, l->omega[q]) * 180 / TOR_PI;
    const double whole = wave ? wave_power(ms, sources, l, l->omega[q]) : 0;
    if (wave) fraction[q] = whole != 0 ? power[q] / whole : (double)NAN;
    if (sheet || dipole) fraction[q] = power[q] / tor_spectrum_source_power(sources, l->omega[q]);
  }
}

/* Of a flux monitor with a beam: what part the beam has. fraction: of the flux, over power; NULL: none. */
static void beam_part(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                      struct tor_spectrum *s) {
  const int plane = ms->grid->plane != TOR_SPACE;
  const double *power = s->value[0], *fraction = s->ncolumns > 1 ? s->value[1] : NULL;
  double complex *a = tor_alloc((size_t)s->nfreq, sizeof *a, "beam");
  double *part = column(s, plane ? "beam_J_per_Hz_m" : "beam_J_per_Hz", plane ? "J/Hz/m" : "J/Hz",
                        "power of the monitor's beam in the plane's fields");
  double *over = fraction ? column(s, "beam_fraction", "1", "that power over what the fraction is over") : NULL;
  double *phase = column(s, "beam_phase_rad", "rad", "of the beam's E where its middle crosses the plane");
  s->beside = tor_beam_overlap(sources->job, ms, l, a);
  for (int q = 0; q < s->nfreq; q++) {
    part[q] = pow(cabs(a[q]), 2);
    phase[q] = carg(a[q]);
    if (over) over[q] = fabs(fraction[q] / power[q]) * part[q];
  }
  free(a);
}

/* From the field at a dipole's place: of the part in the domain, as a flux has it, and of the whole over the dipole
 * alone. */
static void decay_rate(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                       struct tor_spectrum *s) {
  const int plane = ms->grid->plane != TOR_SPACE, i = l->spec->dipole;
  const struct tor_source *source = &sources->job->sources[i];
  double *power = column(s, plane ? "power_J_per_Hz_m" : "power_J_per_Hz", plane ? "J/Hz/m" : "J/Hz",
                         "what the dipole gives off, from the field at its place");
  double *fraction = column(s, "fraction", "1", "power over that of the dipole alone in the medium at its position");
  double parts = 1;
  for (int a = 0; a < 3; a++)
    if (!ms->grid->mirror[a]) parts *= tor_source_mirror(source, ms->grid, a) < 0 ? 1 : 2;
#pragma omp parallel for schedule(dynamic)
  for (int q = 0; q < s->nfreq; q++) {
    const double whole = tor_recorder_work(ms, l, source, tor_source_spectrum(sources, i, l->omega[q]), q);
    power[q] = whole / parts;
    fraction[q] = whole / tor_dipole_power(sources, i, l->omega[q]);
  }
}

/* Along the user's axes. */
static void force(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                  struct tor_spectrum *s) {
  static const char *const names[2][3] = {{"force_x_N_s_per_Hz", "force_y_N_s_per_Hz", "force_z_N_s_per_Hz"},
                                          {"force_x_N_s_per_Hz_m", "force_y_N_s_per_Hz_m", NULL}},
                           *const cross[3][3] = {{"C_pr_x_nm2", "C_pr_y_nm2", "C_pr_z_nm2"},
                                                 {"C_pr_x_nm", "C_pr_y_nm", NULL},
                                                 {"Q_pr_x", "Q_pr_y", "Q_pr_z"}},
                           *const meaning[3] = {"pressure along x", "pressure along y", "pressure along z"};
  const struct tor_job *job = sources->job;
  const int plane = ms->grid->plane != TOR_SPACE, axes = tor_user_axes(job), wave = sources->nincident == 1;
  const double radius = l->spec->radius, unit = radius > 0 ? (plane ? 2 * radius : TOR_PI * radius * radius)
                                                : plane    ? TOR_NM
                                                           : TOR_NM * TOR_NM;
  const struct tor_medium *m = &job->media[l->medium < 0 ? job->background : l->medium];
  double *value[6];
  for (int u = 0; u < axes; u++)
    value[u] = column(s, names[plane][u], plane ? "N s/Hz/m" : "N s/Hz", "force on what the box holds");
  for (int u = 0; u < axes && wave; u++)
    value[3 + u] = column(s, cross[radius > 0 ? 2 : plane][u], radius > 0 ? "1" : plane ? "nm" : "nm^2", meaning[u]);
#pragma omp parallel for schedule(dynamic)
  for (int q = 0; q < s->nfreq; q++) {
    double f[3];
    tor_stress_force(ms, job, l, q, f);
    const double index =
        creal(csqrt(tor_medium_permittivity(m, 0, l->omega[q]) * tor_medium_permeability(m, 0, l->omega[q])));
    for (int u = 0; u < axes; u++) {
      value[u][q] = f[tor_axis_of_user(job, u)];
      if (wave) value[3 + u][q] = value[u][q] * TOR_C0 / (index * tor_incident_flux(sources, 0, l->omega[q])) / unit;
    }
  }
}

/* Electric and magnetic dipoles, quadrupoles, octupoles: cross-sections of the only plane wave, else powers. */
static void multipoles(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                       struct tor_spectrum *s) {
  static const char *const
      names[3][6] = {{"electric_dipole_J_per_Hz", "magnetic_dipole_J_per_Hz", "electric_quadrupole_J_per_Hz",
                      "magnetic_quadrupole_J_per_Hz", "electric_octupole_J_per_Hz", "magnetic_octupole_J_per_Hz"},
                     {"C_electric_dipole_nm2", "C_magnetic_dipole_nm2", "C_electric_quadrupole_nm2",
                      "C_magnetic_quadrupole_nm2", "C_electric_octupole_nm2", "C_magnetic_octupole_nm2"},
                     {"Q_electric_dipole", "Q_magnetic_dipole", "Q_electric_quadrupole", "Q_magnetic_quadrupole",
                      "Q_electric_octupole", "Q_magnetic_octupole"}},
      *const units[3] = {"J/Hz", "nm^2", "1"}, *const meaning[6] = {"electric dipole",     "magnetic dipole",
                                                                    "electric quadrupole", "magnetic quadrupole",
                                                                    "electric octupole",   "magnetic octupole"};
  const double radius = l->spec->radius;
  const int kind = sources->nincident != 1 ? 0 : radius > 0 ? 2 : 1;
  double *value[6];
  for (int i = 0; i < 6; i++) value[i] = column(s, names[kind][i], units[kind], meaning[i]);
  for (int q = 0; q < s->nfreq; q++) {
    double power[2][TOR_MULTIPOLES];
    tor_multipoles_power(ms, sources->job, l, q, power);
    const double unit =
        !kind ? 1
              : tor_incident_flux(sources, 0, l->omega[q]) * (kind == 2 ? TOR_PI * radius * radius : TOR_NM * TOR_NM);
    for (int i = 0; i < 6; i++) value[i][q] = power[i % 2][i / 2] / unit;
  }
}

/* In nm^3 and in cubes of the wavelength in the medium at the field's maximum, in 2-D areas; and where that is, along
 * the user's axes. */
static void mode_volume(const struct tor_monitors *ms, const struct tor_job *job, const struct tor_recorder *l,
                        struct tor_spectrum *s) {
  static const char *const place[3] = {"maximum_x_nm", "maximum_y_nm", "maximum_z_nm"};
  const int plane = ms->grid->plane != TOR_SPACE, axes = tor_user_axes(job);
  struct tor_mode_volume *found = tor_alloc((size_t)s->nfreq, sizeof *found, "spectrum");
  double *value[6];
  value[0] = column(s, plane ? "mode_area_nm2" : "mode_volume_nm3", plane ? "nm^2" : "nm^3",
                    "integral of the energy of E over its largest density");
  value[1] = column(s, plane ? "mode_area" : "mode_volume", "1",
                    plane ? "that over (wavelength / maximum_index)^2" : "that over (wavelength / maximum_index)^3");
  value[2] = column(s, "maximum_index", "1", "index of refraction where the energy of E is densest");
  for (int u = 0; u < axes; u++) value[3 + u] = column(s, place[u], "nm", "place of the largest density");
  tor_mode_volume_make(ms, job, l, found);
  for (int q = 0; q < s->nfreq; q++) {
    const double length = l->spec->wavelength[q] / found[q].index;
    value[0][q] = found[q].volume / pow(TOR_NM, plane ? 2 : 3);
    value[1][q] = found[q].volume / pow(length, plane ? 2 : 3);
    value[2][q] = found[q].index;
    for (int u = 0; u < axes; u++) value[3 + u][q] = found[q].place[tor_axis_of_user(job, u)] / TOR_NM;
  }
  free(found);
}

/* Of E and H in a box. */
static void energies(const struct tor_monitors *ms, const struct tor_job *job, const struct tor_recorder *l,
                     struct tor_spectrum *s) {
  static const char *const name[2][TOR_ENERGIES] = {{"electric_energy_J_per_Hz2", "magnetic_energy_J_per_Hz2"},
                                                    {"electric_energy_J_per_Hz2_m", "magnetic_energy_J_per_Hz2_m"}};
  static const char *const meaning[TOR_ENERGIES] = {"energy of E in the box, that of media with it",
                                                    "energy of H in the box"};
  const int plane = ms->grid->plane != TOR_SPACE;
  tor_energy_density_make(ms, job, l, &s->energy);
  for (int kind = 0; kind < TOR_ENERGIES; kind++) {
    double *value = column(s, name[plane][kind], plane ? "J/Hz^2/m" : "J/Hz^2", meaning[kind]);
    for (int q = 0; q < s->nfreq; q++) value[q] = s->energy.total[kind][q];
  }
}

void tor_spectrum_make(const struct tor_monitors *ms, const struct tor_sources *sources, const struct tor_recorder *l,
                       struct tor_spectrum *s) {
  *s = (struct tor_spectrum){.nfreq = l->nfreq};
  if (l->spec->kind == TOR_ABSORPTION) tor_absorption_make(ms, sources->job, l, &s->absorption);
  if (l->spec->kind == TOR_CROSS_SECTION)
    cross_section(ms, sources, l, s);
  else if (l->spec->kind == TOR_DECAY_RATE)
    decay_rate(ms, sources, l, s);
  else if (l->spec->kind == TOR_MULTIPOLE)
    multipoles(ms, sources, l, s);
  else if (l->spec->kind == TOR_MODE_VOLUME)
    mode_volume(ms, sources->job, l, s);
  else if (l->spec->kind == TOR_ENERGY_DENSITY)
    energies(ms, sources->job, l, s);
  else if (l->spec->kind == TOR_FORCE)
    force(ms, sources, l, s);
  else
    flux(ms, sources, l, s);
  if (l->spec->beam) beam_part(ms, sources, l, s);
}

void tor_spectrum_free(struct tor_spectrum *s) {
  for (int i = 0; i < s->ncolumns; i++) free(s->value[i]);
  tor_absorption_free(&s->absorption);
  tor_energy_density_free(&s->energy);
}
