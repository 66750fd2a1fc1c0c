/* Spectra of plane waves: see source.h. */
#include <complex.h>
#include <math.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/grid_wave.h"
#include "src/model/incident.h"
#include "src/model/oblique_line.h"
#include "src/model/source.h"
#include "src/model/tilted_line.h"

/* Spectrum of a kept component, scaled values times seconds. */
static double complex kept_spectrum(const struct tor_incident *in, int comp, double omega) {
  double complex sum = 0;
  for (tor_gidx n = 0; n < in->count; n++) {
    const double t = ((double)(n + 1) - 0.5 * tor_comp_is_h(comp)) * in->step;
    sum += in->kept[comp][n] * CMPLX(cos(omega * t), sin(omega * t)) * in->step;
  }
  return sum;
}

/* The fields of an oblique wave at the corner that it meets first [V/m/Hz, A/m/Hz]. */
static void corner_spectra(const struct tor_incident *in, double omega, double complex field[TOR_NCOMP]) {
  const struct tor_oblique *line = in->oblique;
  for (int c = 0; c < TOR_NCOMP; c++) {
    const double back = -tor_oblique_phase(line, omega) * tor_oblique_half(line, c);
    field[c] = kept_spectrum(in, c, omega) * CMPLX(cos(back), sin(back)) / line->grid->d[tor_comp_axis(c)] /
               (tor_comp_is_h(c) ? TOR_ETA0 : 1);
  }
}

/* Fields along the walls at the front face [V/m/Hz, A/m/Hz], H as the mean from both sides. */
static void tilted_spectra(const struct tor_incident *in, double omega, double complex field[TOR_NCOMP]) {
  const struct tor_tilted *line = in->alone;
  for (int c = 0; c < TOR_NCOMP; c++)
    field[c] = tor_comp_axis(c) == line->axis
                   ? 0
                   : kept_spectrum(in, c, omega) / line->grid->d[tor_comp_axis(c)] / (tor_comp_is_h(c) ? TOR_ETA0 : 1);
}

static double tilted_flux(const struct tor_incident *in, double omega) {
  const struct tor_tilted *line = in->alone;
  const int b = line->next, c = line->last;
  double complex f[TOR_NCOMP];
  if (tor_tilted_half_phase(line, omega) < 0) return 0;
  tilted_spectra(in, omega, f);
  return line->direction * creal(f[TOR_EX + b] * conj(f[TOR_HX + c]) - f[TOR_EX + c] * conj(f[TOR_HX + b]));
}

/* The flux across an axis over that across the line's: in monitors' sums, K_i dK_i/dk_i. */
static double flux_share(const struct tor_tilted *line, int axis, double omega) {
  const struct tor_grid *g = line->grid;
  const double half = tor_tilted_half_phase(line, omega);
  if (axis == line->axis || half < 0) return axis == line->axis;
  const double own = tor_wave_difference(g->order, half) / g->d[line->axis] * tor_wave_slope(g->order, half),
               x = 0.5 * line->k[axis] * g->d[axis];
  return line->direction * tor_wave_difference(g->order, x) / g->d[axis] * tor_wave_slope(g->order, x) / own;
}

/* The whole flux over that across the line's axis. */
static double length_of_flux(const struct tor_incident *in, double omega) {
  double sum = 0;
  for (int a = 0; a < 3; a++) sum += pow(flux_share(in->alone, a, omega), 2);
  return sqrt(sum);
}

/* E and H along the polarisation, which turns with the angle: E's part along s, and of p H's over the admittance. */
static void tilted_spectrum(const struct tor_incident *in, double omega, double complex field[2]) {
  const struct tor_tilted *line = in->alone;
  const double half = tor_tilted_half_phase(line, omega), mean = half < 0 ? 1 : tor_wave_slope(line->grid->order, half),
               admittance = sqrt(line->eps / line->mu) / TOR_ETA0;
  double complex f[TOR_NCOMP];
  tilted_spectra(in, omega, f);
  field[0] = 0;
  for (int i = 0; i < 3; i++)
    field[0] += line->s[i] * (line->e_s[0] * f[TOR_EX + i] + line->h_s[0] * f[TOR_HX + i] / (mean * admittance));
  if (in->source->circular) field[0] *= sqrt(2);
  field[1] = admittance * field[0];
}

double tor_incident_flux(const struct tor_sources *s, int i, double omega) {
  const struct tor_incident *in = s->incident[i];
  double sum = 0;
  if (in->tilted && !in->tilted->finite) return tilted_flux(in, omega);
  if (in->tilted) return tilted_flux(in, omega) * length_of_flux(in, omega);
  if (!in->oblique) return in->scale * creal(kept_spectrum(in, TOR_EX, omega) * conj(kept_spectrum(in, TOR_HX, omega)));
  for (int a = 0; a < 3; a++) sum += pow(tor_incident_flux_across(s, i, omega, a), 2);
  return sqrt(sum);
}

double tor_incident_flux_across(const struct tor_sources *s, int i, double omega, int axis) {
  const struct tor_incident *in = s->incident[i];
  double complex f[TOR_NCOMP];
  if (in->tilted && in->tilted->finite)
    return tilted_flux(in, omega) * in->alone->direction * flux_share(in->alone, axis, omega);
  if (!in->oblique)
    return axis == (in->tilted ? in->tilted->axis : in->axis) ? in->source->direction * tor_incident_flux(s, i, omega)
                                                              : 0;
  if (!in->oblique->m[axis]) return 0;
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  corner_spectra(in, omega, f);
  return tor_oblique_flux_factor(in->oblique, axis, omega) *
         creal(f[TOR_EX + b] * conj(f[TOR_HX + c]) - f[TOR_EX + c] * conj(f[TOR_HX + b]));
}

void tor_incident_spectrum(const struct tor_sources *s, int i, double omega, double complex field[2]) {
  const struct tor_incident *in = s->incident[i];
  if (in->oblique) {
    const double *n = in->oblique->direction, *p = in->oblique->polarisation[0];
    double complex f[TOR_NCOMP];
    corner_spectra(in, omega, f);
    field[0] = field[1] = 0;
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      field[0] += p[a] * f[TOR_EX + a];
      field[1] += (n[b] * p[c] - n[c] * p[b]) * f[TOR_HX + a];
    }
    for (int k = 0; k < 2 && in->source->circular; k++) field[k] *= sqrt(2);
    return;
  }
  if (in->tilted) {
    tilted_spectrum(in, omega, field);
    return;
  }
  field[0] = kept_spectrum(in, TOR_EX, omega) / s->grid->d[in->source->polarisation];
  field[1] = kept_spectrum(in, TOR_HX, omega) / (TOR_ETA0 * s->grid->d[tor_comp_axis(in->h_comp)]);
}

const struct tor_oblique *tor_incident_oblique(const struct tor_sources *s, int i) { return s->incident[i]->oblique; }

double tor_incident_angle(const struct tor_sources *s, int i, double omega) {
  const struct tor_tilted *line = s->incident[i]->tilted;
  return line && (line->k[0] != 0 || line->k[1] != 0 || line->k[2] != 0) ? tor_tilted_angle(line, omega) : 0;
}

void tor_incident_along(const struct tor_sources *s, int i, double k[3]) {
  const struct tor_tilted *line = s->incident[i]->tilted;
  for (int a = 0; a < 3; a++) k[a] = line ? line->k[a] : 0;
}
