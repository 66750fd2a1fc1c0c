/* Thin films and the layers around them: see film_warnings.h. */
#include "src/model/film_warnings.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/known_errors.h"

/* What a CPML returns of a field exp(-k x) at its entry, and the part of the amplitude below which powers are right to
 * about 1 %. */
static const double RETURNED = 1.4, WANTED = 0.1, WARNED = 0.2;

static int guides(double complex eps, double t, double below, double above) {
  return creal(eps) < -fmax(below, above) && t > 0;
}

double tor_film_wave_number(double complex eps, double t, double below, double above, double omega) {
  if (!guides(eps, t, below, above)) return 0;
  const double complex ratio = (eps - below) * (eps - above) / ((eps + below) * (eps + above));
  const double k = 0.5 * creal(clog(ratio)) / t, light = sqrt(fmax(below, above)) * omega / TOR_C0;
  return k > 2 * light ? k : 0;
}

/* A film across an axis through the whole domain, the longest wave on it, and how far the layers are. */
struct film {
  int object, axis;
  double lo, hi;
  double k, wavelength; /* the least wave number of a slow wave, and where [m] */
  int is_fast;          /* at some wavelength the wave is not slow */
  double returned;      /* by the CPML nearest to it */
  double extent[3];     /* of the domain, as it should be [m] */
  char faces[64];
};

/* Whether an object is a film: beyond both walls along two axes, thinner than the domain along the third. */
static int is_film(const struct tor_job *job, const struct tor_grid *g, struct film *f) {
  double lo[3], hi[3];
  int across = 0;
  tor_object_bounds(&job->objects[f->object], lo, hi);
  for (int a = 0; a < 3; a++) {
    const double first = g->lo[a], last = tor_grid_at(g, a, g->n[a]);
    if (lo[a] <= first && hi[a] >= last) continue;
    across++;
    f->axis = a;
    f->lo = lo[a];
    f->hi = hi[a];
    if (lo[a] <= first || hi[a] >= last) return 0;
  }
  return across == 1;
}

static double eps_at(const struct tor_job *job, const struct film *f, const double x[3], double at, double omega) {
  const double y[3] = {f->axis == 0 ? at : x[0], f->axis == 1 ? at : x[1], f->axis == 2 ? at : x[2]};
  const int axis = (f->axis + 1) % 3;
  return creal(tor_medium_permittivity(&job->media[tor_job_medium_at(job, y)], axis, omega));
}

/* The least wave number at the wavelengths of the monitors, above and below x. */
static void find_wave(const struct tor_job *job, const struct tor_grid *g, const double x[3], struct film *f) {
  const struct tor_medium *m = &job->media[job->objects[f->object].medium];
  const double half = 0.5 * tor_grid_cell_at(g, f->axis, f->lo);
  f->k = 0;
  for (int i = 0; i < job->nmonitors; i++)
    for (int q = 0; q < job->monitors[i].nwavelength; q++) {
      const double wavelength = job->monitors[i].wavelength[q], omega = 2 * TOR_PI * TOR_C0 / wavelength;
      const double complex eps = tor_medium_permittivity(m, (f->axis + 1) % 3, omega);
      const double t = f->hi - f->lo, below = eps_at(job, f, x, f->lo - half, omega);
      const double above = eps_at(job, f, x, f->hi + half, omega);
      const double k = tor_film_wave_number(eps, t, below, above, omega);
      f->is_fast |= guides(eps, t, below, above) && !(k > 0);
      if (!(k > 0) || (f->k > 0 && k >= f->k)) continue;
      f->k = k;
      f->wavelength = wavelength;
    }
}

/* The CPMLs in its near field: across the film from its surfaces, along it from the dipole. */
static void look_at_layers(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                           struct film *f) {
  f->returned = 0;
  *f->faces = 0;
  for (int a = 0; a < 3; a++) f->extent[a] = tor_grid_whole(g, a);
  for (int face = 0; face < TOR_NFACE; face++) {
    const int a = face / 2, cells = tor_boundary_layer(&g->face[face]);
    if (g->face[face].wall != TOR_CPML || cells < 1) continue;
    const double entry = tor_grid_at(g, a, face % 2 ? g->n[a] - cells : cells);
    const double from = a != f->axis ? s->position[a] : face % 2 ? f->hi : f->lo;
    const double distance = fmax(face % 2 ? entry - from : from - entry, 0);
    const double returned = RETURNED * exp(-2 * f->k * distance), needed = log(RETURNED / WANTED) / (2 * f->k);
    if (returned < WARNED) continue;
    f->returned = fmax(f->returned, returned);
    f->extent[a] = fmax(f->extent[a], tor_grid_whole(g, a) + 2 * g->d[a] * ceil((needed - distance) / g->d[a]));
    snprintf(f->faces + strlen(f->faces), sizeof f->faces - strlen(f->faces), " %s", tor_job_face_name(job, face));
  }
}

/* Whether object i is a film with poles; then *f has where it lies. */
static int film_at(const struct tor_job *job, const struct tor_grid *g, int i, struct film *f) {
  *f = (struct film){.object = i};
  return job->media[job->objects[i].medium].npoles && is_film(job, g, f);
}

/* Whether layers are in the near field of the film's wave that a dipole drives; then *f has what they return. */
static int at_layers(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s, struct film *f) {
  const double position = s->position[f->axis];
  if (!tor_source_is_dipole(s)) return 0;
  find_wave(job, g, s->position, f);
  if (!(f->k > 0) || fmax(f->lo - position, position - f->hi) > 1 / f->k) return 0;
  look_at_layers(job, g, s, f);
  return *f->faces != 0;
}

static void add_error(const struct tor_job *job, const struct film *f, const struct tor_source *s,
                      struct tor_known_errors *errors) {
  char needed[160], off[64];
  const double error = tor_film_error_of(f->returned), amplitude = tor_amplitude_of_error(error);
  if (amplitude <= errors->of[TOR_FILM_AT_LAYERS].amplitude) return;
  tor_known_errors_size(job, f->extent, needed, sizeof needed);
  tor_known_errors_set(
      errors, TOR_FILM_AT_LAYERS, amplitude, tor_job_source_place(job, s), needed,
      "source %s: at %.4g nm the film of \"%s\" beside it guides a wave of %.3g nm, of whose near field the "
      "CPML at%s returns up to %.0f %% of the amplitude: %s",
      s->name, f->wavelength / TOR_NM, job->media[job->objects[f->object].medium].name, 2 * TOR_PI / f->k / TOR_NM,
      f->faces, 100 * f->returned, tor_known_errors_off(error, off, sizeof off));
}

double tor_film_error_of(double returned) { return pow(returned, 3) / 7; }

double tor_film_longest_wave(const struct tor_job *job, const struct tor_grid *g) {
  double longest = 0, middle[3];
  for (int a = 0; a < 3; a++) middle[a] = g->lo[a] + 0.5 * tor_grid_length(g, a);
  for (int i = 0; i < job->nobjects; i++) {
    struct film f;
    if (!film_at(job, g, i, &f)) continue;
    find_wave(job, g, middle, &f);
    if (f.is_fast) return 0;
    if (f.k > 0) longest = fmax(longest, 2 * TOR_PI / f.k);
  }
  return longest;
}

void tor_film_error(const struct tor_job *job, const struct tor_grid *g, struct tor_known_errors *errors) {
  struct film f;
  for (int i = 0; i < job->nobjects; i++)
    for (int k = 0, is = film_at(job, g, i, &f); is && k < job->nsources; k++)
      if (at_layers(job, g, &job->sources[k], &f)) add_error(job, &f, &job->sources[k], errors);
}

void tor_film_extent(const struct tor_job *job, const struct tor_grid *g, double extent[3]) {
  struct film f;
  for (int a = 0; a < 3; a++) extent[a] = tor_grid_whole(g, a);
  for (int i = 0; i < job->nobjects; i++)
    for (int k = 0, is = film_at(job, g, i, &f); is && k < job->nsources; k++)
      for (int a = 0, near = at_layers(job, g, &job->sources[k], &f); near && a < 3; a++)
        extent[a] = fmax(extent[a], f.extent[a]);
}
