/* See layer_errors.h. */
#include "src/model/layer_errors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/known_errors.h"
#include "src/model/layer_media.h"
#include "src/model/pml.h"

/* Of the amplitude: the default CPML returns 3e-5, one of three cells 1e-2. */
static const double MOST = 0.02;

double tor_absorber_returned(const struct tor_grid *g, int face, double index, double needed) {
  static const double DEFAULT = 1e-3;
  const struct tor_boundary *layer = &g->face[face];
  const double path = index * layer->cells * g->d[face / 2];
  return pow(DEFAULT, layer->sigma * path / fmax(path, needed));
}

/* The longest wavelength of spectra; of the sources, if it is shorter or there are none. */
static double longest_wavelength(const struct tor_job *job) {
  const double sources = tor_job_longest_wavelength(job);
  double longest = 0;
  for (int i = 0; i < job->nmonitors; i++)
    for (int q = 0; q < job->monitors[i].nwavelength; q++) longest = fmax(longest, job->monitors[i].wavelength[q]);
  return longest > 0 ? fmin(longest, sources) : sources;
}

static void add_face(const struct tor_job *job, int face, char *faces, size_t size) {
  snprintf(faces + strlen(faces), size - strlen(faces), " %s", tor_job_face_name(job, face));
}

static void look_at_cpml(const struct tor_job *job, const struct tor_grid *g, struct tor_known_errors *errors) {
  const double wavelength = longest_wavelength(job), index = tor_background_index(job);
  const double wave_number = 2 * TOR_PI / tor_job_wavelength(job);
  char faces[64] = "", off[64];
  double most = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    if (g->face[f].wall != TOR_CPML || g->face[f].cells < 1) continue;
    const double returned = tor_pml_reflection(g, f, index, wave_number, wavelength);
    if (returned < MOST) continue;
    add_face(job, f, faces, sizeof faces);
    most = fmax(most, returned);
  }
  if (*faces)
    tor_known_errors_set(errors, TOR_CPML_RETURNS, most, tor_job_place(job, "boundaries"),
                         "10 cells with sigma = 1, the default, which return less than 0.1 %",
                         "the CPML at%s returns %.2g %% of the amplitude of a wave of %.4g nm that meets it at a right "
                         "angle, and more of others: %s",
                         faces, 100 * most, wavelength / TOR_NM,
                         tor_known_errors_off(tor_error_of_powers(most), off, sizeof off));
}

static void look_at_absorbers(const struct tor_job *job, const struct tor_grid *g, struct tor_known_errors *errors) {
  const double wavelength = tor_job_longest_wavelength(job), needed = tor_layer_thickness(job, g);
  const double index = needed < wavelength ? 1 : tor_background_index(job); /* else of a film's wave */
  char faces[64] = "", cure[64], off[64];
  double least = INFINITY, most = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    if (g->face[f].wall != TOR_ABSORBER || g->face[f].cells < 1) continue;
    const double thickness = g->face[f].cells * g->d[f / 2], returned = tor_absorber_returned(g, f, index, needed);
    if (thickness > 0.999 * needed && returned < MOST) continue;
    add_face(job, f, faces, sizeof faces);
    least = fmin(least, thickness);
    most = fmax(most, returned);
  }
  if (!*faces) return;
  snprintf(cure, sizeof cure, "%.4g nm with sigma = 1, the default", needed / TOR_NM);
  tor_known_errors_set(
      errors, TOR_ABSORBERS_RETURN, most, tor_job_place(job, "boundaries"), cure,
      "absorbers of %.3g wavelengths (%.4g of %.4g nm, the longest of the sources) at%s return %.2g %% of a wave's "
      "amplitude: %s",
      least / wavelength, least / TOR_NM, wavelength / TOR_NM, faces, 100 * most,
      tor_known_errors_off(tor_error_of_powers(most), off, sizeof off));
}

void tor_layer_error(const struct tor_job *job, const struct tor_grid *grid, struct tor_known_errors *errors) {
  look_at_cpml(job, grid, errors);
  look_at_absorbers(job, grid, errors);
}
