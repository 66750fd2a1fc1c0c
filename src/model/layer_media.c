/* Media in CPML that it may amplify: see layer_media.h. */
#include "src/model/layer_media.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/film_warnings.h"

/* Half-spaces and films of 50 nm of gold, silver, aluminium stay bounded, aluminium of 20 nm does not. */
static const double THIN = 25e-9;

static int is_metal(const struct tor_medium *m) {
  int drude = 0;
  for (int p = 0; p < m->npoles; p++) drude |= m->poles[p].kind == TOR_DRUDE;
  return drude;
}

/* Whether waves of a metal live so long that a film of it grew beside absorbers, in the CPML of other faces: after
 * 26,000 steps with a Drude pole of 0.01 eV; the built-in metals have more, and did not
 * (docs/measurements/hard-jobs.md). */
static int is_nearly_lossless(const struct tor_medium *m) {
  static const double LITTLE = 0.015; /* eV */
  for (int p = 0; p < m->npoles; p++)
    if (m->poles[p].gamma > LITTLE * TOR_EV) return 0;
  return is_metal(m) && m->sigma[0] + m->sigma[1] + m->sigma[2] == 0;
}

static int differ(double a, double b) { return fabs(a - b) > 1e-6 * fabs(a + b); }

/* Why an unbounded medium may grow in CPML; NULL: it does not. */
static const char *why_anisotropic(const struct tor_medium *m) {
  const int xy = differ(m->eps[0], m->eps[1]), yz = differ(m->eps[1], m->eps[2]), zx = differ(m->eps[2], m->eps[0]);
  if (m->has_node_pole && m->saturation == 0) return "a magnetised pole";
  if (m->has_tensor) return "a permittivity whose principal axes are not the grid's";
  if (xy && yz && zx) return "three different permittivities";
  return (xy || yz || zx) && m->npoles ? "anisotropic permittivity with poles" : NULL;
}

/* The part of an object's bounds in a face's layer. Returns whether there is one. */
static int part_in_layer(const struct tor_object *o, const struct tor_grid *g, int face, double lo[3], double hi[3]) {
  const int axis = face / 2;
  const double inner = tor_boundary_layer(&g->face[face]) * g->d[axis];
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 3; a++) {
    const double first = g->lo[a], last = tor_grid_at(g, a, g->n[a]);
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

/* Thickness of an object [m]: the least extent of its bounds along an axis on which it does not reach both walls, where
 * layers continue it outwards, other walls end it; INFINITY: it fills the domain. */
static double thickness_of(const struct tor_object *o, const struct tor_grid *g) {
  double lo[3], hi[3], least = INFINITY;
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 3; a++) {
    const double first = g->lo[a], last = tor_grid_at(g, a, g->n[a]);
    if (g->n[a] == 1 || (lo[a] <= first && hi[a] >= last)) continue;
    if (!tor_boundary_layer(&g->face[2 * a])) lo[a] = fmax(lo[a], first);
    if (!tor_boundary_layer(&g->face[2 * a + 1])) hi[a] = fmin(hi[a], last);
    least = fmin(least, hi[a] - lo[a]);
  }
  return least;
}

/* Curved or slanting. */
static int is_curved(const struct tor_object *o) {
  return tor_object_hides_parts(o) || o->shape == TOR_SPHERE || o->shape == TOR_ELLIPSOID || o->shape == TOR_CONE;
}

/* As tor_layer_medium, in layers of a type, of metals no thicker than `thin` [m]. */
static int medium_in_layer(const struct tor_job *job, const struct tor_grid *grid, int face, enum tor_wall type,
                           double thin, char *why, size_t size) {
  if (grid->face[face].wall != type || grid->face[face].cells < 1) return -1;
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
      snprintf(why, size, "a metal whose curved or slanting surface ends in the layer");
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
  return medium_in_layer(job, grid, face, TOR_CPML, THIN, why, size);
}

/* What an advice is about. */
struct reach {
  int medium;                                  /* -1: none */
  int cpml, all;                               /* it reaches CPML, not only absorbers; all CPML is to be replaced */
  int reaches[TOR_NFACE], replaced[TOR_NFACE]; /* faces; those whose CPML is to be replaced */
  char why[128];
};

static struct reach find_reach(const struct tor_job *job, const struct tor_grid *grid, double thin) {
  struct reach r = {.medium = -1};
  char why[128];
  int cpml = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int found = medium_in_layer(job, grid, f, TOR_CPML, thin, why, sizeof why);
    cpml |= grid->face[f].wall == TOR_CPML && grid->face[f].cells > 0;
    if (found < 0) continue;
    if (r.medium < 0) snprintf(r.why, sizeof r.why, "%s", why);
    if (r.medium < 0) r.medium = found;
    r.cpml = r.reaches[f] = r.replaced[f] = 1;
    r.all |= is_nearly_lossless(&job->media[found]);
  }
  for (int f = 0; f < TOR_NFACE && !r.cpml && cpml; f++) {
    const int found = medium_in_layer(job, grid, f, TOR_ABSORBER, thin, why, sizeof why);
    if (found < 0 || !is_nearly_lossless(&job->media[found])) continue;
    if (r.medium < 0) snprintf(r.why, sizeof r.why, "%s", why);
    if (r.medium < 0) r.medium = found;
    r.all = r.reaches[f] = 1;
  }
  for (int f = 0; f < TOR_NFACE && r.all; f++)
    r.replaced[f] = grid->face[f].wall == TOR_CPML && grid->face[f].cells > 0;
  for (int f = 0; f < TOR_NFACE; f += 2) /* the mirrored half has the same */
    if (grid->mirror[f / 2]) {
      r.reaches[f] = r.reaches[f + 1];
      r.replaced[f] = r.replaced[f + 1];
    }
  return r;
}

/* The first metal of an object; NULL: there is none. */
static const struct tor_medium *first_metal(const struct tor_job *job) {
  for (int i = 0; i < job->nobjects; i++)
    if (is_metal(&job->media[job->objects[i].medium])) return &job->media[job->objects[i].medium];
  return NULL;
}

int tor_layer_beside_is_guide(const struct tor_job *job, const struct tor_grid *grid) {
  const double most = 0.5 * tor_job_longest_wavelength(job);
  for (int a = 0; a < 3; a++)
    if (grid->n[a] > 1 && !tor_grid_periodic(grid, a) && !grid->mirror[a] && grid->face[2 * a].wall == TOR_PEC &&
        grid->face[2 * a + 1].wall == TOR_PEC && tor_grid_whole(grid, a) < most)
      return first_metal(job) != NULL;
  return 0;
}

double tor_layer_thickness(const struct tor_job *job, const struct tor_grid *g) {
  static const double SMALL = 0.125;
  const double wavelength = tor_job_longest_wavelength(job);
  if (tor_layer_beside_is_guide(job, g))
    return wavelength; /* at its cut-off waves are long, whatever the film guides */
  double extent[3];
  tor_film_extent(job, g, extent);
  for (int a = 0; a < 3; a++) {
    const int layers = tor_grid_layer(g, 2 * a) + tor_grid_layer(g, 2 * a + 1);
    if (g->n[a] > 1 && extent[a] - layers * g->d[a] > SMALL * wavelength) return wavelength;
  }
  const double guided = tor_film_longest_wave(job, g);
  return guided > 0 ? fmin(ceil(guided / g->d[0]) * g->d[0], wavelength) : wavelength;
}

/* Absorbers in place of CPML, and the grid.size with them. */
struct cure {
  char keys[192], size[64], layer[64], moved[256];
  int is_guided; /* they are as thick as a film's slow wave */
};

static struct cure cure_of(const struct tor_job *job, const struct tor_grid *grid, const int replaced[TOR_NFACE]) {
  const double thickness = tor_layer_thickness(job, grid), unit = job->length_unit;
  struct cure c = {.is_guided = thickness < tor_job_longest_wavelength(job)};
  double extent[3], shift[3] = {0};
  for (int a = 0; a < 3; a++) extent[a] = tor_grid_whole(grid, a);
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2;
    if (!replaced[f]) continue;
    const double more = (ceil(thickness / grid->d[a] - 1e-6) - tor_grid_layer(grid, f)) * grid->d[a];
    extent[a] += more;
    if (grid->angular && a == TOR_RADIAL) { /* all around */
      extent[TOR_PHI] = extent[a] += more;
      add(c.keys, sizeof c.keys, "%sx_lo = \"absorber\"; x_hi = \"absorber\"; y_lo = \"absorber\"; y_hi = \"absorber\"",
          *c.keys ? "; " : "");
      continue;
    }
    shift[a] += f % 2 ? -0.5 * more : 0.5 * more;
    add(c.keys, sizeof c.keys, "%s%s = \"absorber\"", *c.keys ? "; " : "", tor_job_face_name(job, f));
  }
  for (int a = 0; a < 3; a++)
    if (fabs(shift[a]) > 1e-6 * grid->d[a])
      add(c.moved, sizeof c.moved, "; there all positions along %c change by %.9g", tor_axis_name(job, a),
          shift[a] / unit);
  for (int u = 0; u < tor_user_axes(job); u++)
    add(c.size, sizeof c.size, "%s%.9g", u ? ", " : "", extent[tor_axis_of_user(job, u)] / unit);
  if (c.is_guided) snprintf(c.layer, sizeof c.layer, "absorber = { thickness = %.9g; }; ", thickness / unit);
  return c;
}

static void add_cure(char *text, size_t size, const struct cure *c) {
  add(text, size, "use boundaries = { %s%s; } with grid.size = [%s], which has absorbers %s thick%s", c->layer, c->keys,
      c->size, c->is_guided ? "a wavelength of the film's own slow wave" : "a wavelength", c->moved);
}

int tor_layer_advice(const struct tor_job *job, const struct tor_grid *grid, int is_unstable, char *text, size_t size) {
  const struct reach r = find_reach(job, grid, is_unstable ? DBL_MAX : THIN);
  char faces[64] = "";
  if (r.medium < 0) return 0;
  const struct cure cure = cure_of(job, grid, r.replaced);
  for (int f = 0; f < TOR_NFACE; f++)
    if (r.reaches[f]) add(faces, sizeof faces, " %s", tor_job_face_name(job, f));
  snprintf(text, size,
           "\"%s\" (%s) reaches into the %s at%s%s, which may amplify its waves without end%s: let it end before the "
           "layers, or ",
           job->media[r.medium].name, r.why, r.cpml ? "CPML" : "absorbers", faces, r.cpml ? "" : " beside CPML",
           r.all ? ", at faces that it does not reach, too, since it has little loss" : "");
  add_cure(text, size, &cure);
  return 1;
}

int tor_layer_beside_advice(const struct tor_job *job, const struct tor_grid *grid, char *text, size_t size) {
  const struct tor_medium *metal = first_metal(job);
  int replaced[TOR_NFACE], any = 0;
  for (int f = 0; f < TOR_NFACE; f++) any |= replaced[f] = grid->face[f].wall == TOR_CPML && grid->face[f].cells > 0;
  for (int f = 0; f < TOR_NFACE; f += 2)
    if (grid->mirror[f / 2]) replaced[f] = replaced[f + 1];
  if (!metal || !any) return 0;
  const struct cure cure = cure_of(job, grid, replaced);
  snprintf(text, size,
           "CPML may amplify fields that do not travel towards it, such as those of \"%s\" between walls closer than "
           "half a wavelength: ",
           metal->name);
  add_cure(text, size, &cure);
  return 1;
}
