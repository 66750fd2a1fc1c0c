/* Media in CPML that it may amplify: see layer_media.h. */
#include "src/model/layer_media.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/turn.h"

/* Half-spaces and films of 50 nm of gold, silver, aluminium stay bounded, aluminium of 20 nm does not. */
static const double THIN = 25e-9;

static int is_metal(const struct tor_medium *m) {
  int drude = 0;
  for (int p = 0; p < m->npoles; p++) drude |= m->poles[p].kind == TOR_DRUDE;
  return drude;
}

static int differ(double a, double b) { return fabs(a - b) > 1e-6 * fabs(a + b); }

/* Why an unbounded medium may grow in CPML; NULL: it does not. */
static const char *why_anisotropic(const struct tor_medium *m) {
  const int xy = differ(m->eps[0], m->eps[1]), yz = differ(m->eps[1], m->eps[2]), zx = differ(m->eps[2], m->eps[0]);
  if (xy && yz && zx) return "three different permittivities";
  return (xy || yz || zx) && m->npoles ? "anisotropic permittivity with poles" : NULL;
}

/* The part of an object's bounds in a face's layer. Returns whether there is one. */
static int part_in_layer(const struct tor_object *o, const struct tor_grid *g, int face, double lo[3], double hi[3]) {
  const int axis = face / 2;
  const double inner = tor_boundary_layer(&g->face[face]) * g->d[axis];
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 3; a++) {
    const double first = g->lo[a], last = g->lo[a] + g->n[a] * g->d[a];
    lo[a] = fmax(lo[a], a == axis && face % 2 ? last - inner : first);
    hi[a] = fmin(hi[a], a == axis && !(face % 2) ? first + inner : last);
    if (!(hi[a] > lo[a])) return 0;
  }
  return 1;
}

/* Whether an object is what fills some of a box: 9^3 points of it. */
static int is_seen(const struct tor_job *job, const struct tor_object *o, const double lo[3], const double hi[3]) {
  enum { N = 9 };
  for (int i = 0; i < N * N * N; i++) {
    const int at[3] = {i % N, i / N % N, i / (N * N)};
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = lo[a] + (at[a] + 0.5) / N * (hi[a] - lo[a]);
    if (tor_object_contains(o, x) && tor_job_medium_at(job, x) == o->medium) return 1;
  }
  return 0;
}

/* Thickness of an object within the domain [m]: the least extent of its bounds along an axis on which it does not reach
 * both walls; INFINITY: it fills the domain. */
static double thickness_of(const struct tor_object *o, const struct tor_grid *g) {
  double lo[3], hi[3], least = INFINITY;
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 3; a++) {
    const double first = g->lo[a], last = g->lo[a] + g->n[a] * g->d[a];
    if (g->n[a] > 1 && (lo[a] > first || hi[a] < last)) least = fmin(least, fmin(hi[a], last) - fmax(lo[a], first));
  }
  return least;
}

static int is_curved(const struct tor_object *o) {
  return o->shape == TOR_SPHERE || o->shape == TOR_ELLIPSOID || o->shape == TOR_CONE;
}

/* As tor_layer_medium, of metals no thicker than `thin` [m]. */
static int medium_in_layer(const struct tor_job *job, const struct tor_grid *grid, int face, double thin, char *why,
                           size_t size) {
  if (grid->face[face].wall != TOR_CPML || grid->face[face].cells < 1) return -1;
  const char *reason = why_anisotropic(&job->media[job->background]);
  if (reason) {
    snprintf(why, size, "%s", reason);
    return job->background;
  }
  for (int i = 0; i < job->nobjects; i++) {
    const struct tor_object *o = &job->objects[i];
    const struct tor_medium *m = &job->media[o->medium];
    double lo[3], hi[3];
    reason = why_anisotropic(m);
    const double thickness = is_metal(m) ? thickness_of(o, grid) : (double)INFINITY;
    const int ends_there = is_metal(m) && is_curved(o);
    if (!reason && !(thickness <= thin) && !ends_there) continue;
    if (!part_in_layer(o, grid, face, lo, hi) || !is_seen(job, o, lo, hi)) continue;
    if (reason)
      snprintf(why, size, "%s", reason);
    else if (!(thickness <= thin))
      snprintf(why, size, "a metal whose curved surface ends in the layer");
    else
      snprintf(why, size, "a metal %.3g nm thick", thickness / TOR_NM);
    return o->medium;
  }
  return -1;
}

static void add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

int tor_layer_medium(const struct tor_job *job, const struct tor_grid *grid, int face, char *why, size_t size) {
  return medium_in_layer(job, grid, face, THIN, why, size);
}

int tor_layer_advice(const struct tor_job *job, const struct tor_grid *grid, int is_unstable, char *text, size_t size) {
  char why[128], first[128] = "", faces[64] = "", keys[192] = "", moved[128] = "";
  const double wavelength = tor_job_longest_wavelength(job), unit = job->length_unit;
  double extent[3], shift[3] = {0};
  int medium = -1;
  for (int a = 0; a < 3; a++) extent[a] = grid->n[a] * grid->d[a];
  for (int f = 0; f < TOR_NFACE; f++) {
    const int found = medium_in_layer(job, grid, f, is_unstable ? DBL_MAX : THIN, why, sizeof why), a = f / 2;
    if (found < 0) continue;
    if (medium < 0) snprintf(first, sizeof first, "%s", why);
    if (medium < 0) medium = found;
    const double more = (ceil(wavelength / grid->d[a] - 1e-6) - grid->face[f].cells) * grid->d[a];
    extent[a] += more;
    shift[a] += f % 2 ? -0.5 * more : 0.5 * more;
    add(faces, sizeof faces, " %s", tor_job_face_name(job, f));
    add(keys, sizeof keys, "%s%s = \"absorber\"", *keys ? "; " : "", tor_job_face_name(job, f));
  }
  if (medium < 0) return 0;
  for (int a = 0; a < 3; a++)
    if (fabs(shift[a]) > 1e-6 * grid->d[a])
      add(moved, sizeof moved, "; there all positions along %c change by %.9g", tor_axis_name(job, a), shift[a] / unit);
  snprintf(text, size,
           "\"%s\" (%s) reaches into the CPML at%s, which may amplify its waves without end: let it end before the "
           "layers, or use boundaries = { %s; } with grid.size = [%.9g, %.9g, %.9g], which has absorbers a "
           "wavelength thick%s",
           job->media[medium].name, first, faces, keys, extent[0] / unit, extent[1] / unit, extent[2] / unit, moved);
  return 1;
}
