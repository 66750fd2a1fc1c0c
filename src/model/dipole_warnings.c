/* Warnings about dipoles: see dipole_warnings.h. Like ones are one line with their number. */
#include "src/model/dipole_warnings.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/job/grid.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/known_errors.h"
#include "src/model/metal.h"

/* Whether the cells around a dipole's grid points have two media, one of them with poles. */
static int is_on_surface(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s) {
  const int comp = (s->kind == TOR_MAGNETIC_DIPOLE ? TOR_HX : TOR_EX) + s->polarisation;
  int first = -1, others = 0, poles = 0;
  for (int corner = 0; corner < 27; corner++) {
    const int place[3] = {corner % 3, corner / 3 % 3, corner / 9};
    double x[3], weight[2];
    for (int a = 0; a < 3; a++) {
      int at[2], n = tor_grid_between(g, comp, a, s->position[a], at, weight);
      const double lo = tor_grid_place(g, comp, a, at[0]) - 0.499 * tor_grid_edge(g, comp, a, at[0]),
                   hi = tor_grid_place(g, comp, a, at[n - 1]) + 0.499 * tor_grid_edge(g, comp, a, at[n - 1]);
      x[a] = lo + 0.5 * place[a] * (hi - lo);
    }
    const int m = tor_job_medium_at(job, x);
    if (first < 0) first = m;
    others |= m != first;
    poles |= job->media[m].npoles > 0;
  }
  return others && poles;
}

/* Whether a PEC shorts the whole current: an electric one along the wall, a magnetic one across it. */
static int is_shorted(const struct tor_grid *g, const struct tor_source *s, int face) {
  const int h = s->kind == TOR_MAGNETIC_DIPOLE, axis = face / 2, comp = (h ? TOR_HX : TOR_EX) + s->polarisation;
  int at[2];
  double weight[2];
  if (tor_comp_half(comp, axis) || g->face[face].wall == TOR_PMC) return 0;
  return tor_grid_between(g, comp, axis, s->position[axis], at, weight) == 1 && at[0] == (face % 2 ? g->n[axis] : 0);
}

/* Media that a dipole should not be near: those with poles; metals that have surface nodes. */
typedef int near_medium(const struct tor_job *job, const struct tor_medium *medium);
static int has_poles(const struct tor_job *job, const struct tor_medium *medium) {
  (void)job;
  return medium->npoles > 0;
}

/* Whether an object of such a medium has bounds less than `most` cells from a dipole, or the background is one. */
static int may_be_near(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s, int most,
                       near_medium *is) {
  int near = is(job, &job->media[job->background]);
  for (int i = 0; i < job->nobjects && !near; i++) {
    double lo[3], hi[3];
    if (!is(job, &job->media[job->objects[i].medium])) continue;
    tor_object_bounds(&job->objects[i], lo, hi);
    near = 1;
    for (int a = 0; a < 3; a++) {
      const double reach = most * tor_grid_cell_at(g, a, s->position[a]);
      near &= lo[a] < s->position[a] + reach && hi[a] > s->position[a] - reach;
    }
  }
  return near;
}

/* Distance of a dipole from the nearest such medium, to about half a cell; up to `most` [cells]. */
static double cells_to(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s, int most,
                       near_medium *is) {
  double nearest = most, d[3];
  for (int a = 0; a < 3; a++) d[a] = tor_grid_cell_at(g, a, s->position[a]);
  if (!may_be_near(job, g, s, most, is) || is(job, &job->media[tor_job_medium_at(job, s->position)])) return nearest;
  const int along_x = g->plane ? 0 : 2 * most;
  for (int i = -along_x; i <= along_x; i++)
    for (int j = -2 * most; j <= 2 * most; j++)
      for (int k = -2 * most; k <= 2 * most; k++) {
        const double cells = 0.5 * sqrt((double)i * i + (double)j * j + (double)k * k);
        const double x[3] = {s->position[0] + 0.5 * i * d[0], s->position[1] + 0.5 * j * d[1],
                             s->position[2] + 0.5 * k * d[2]};
        if (cells < nearest && is(job, &job->media[tor_job_medium_at(job, x)])) nearest = cells;
      }
  return nearest;
}

/* Dipoles with the same fault: the first one, and how many there are. */
enum dipole_fault { IN_CONDUCTOR, IN_METAL, ON_SURFACE, NEAR_METAL, ON_WALL, IN_LAYER, NDIPOLE_FAULT };
struct dipole_faults {
  int count[NDIPOLE_FAULT];
  const struct tor_source *first[NDIPOLE_FAULT];
  int face[NDIPOLE_FAULT];
  double cells;                  /* of the first near a metal, from it */
  const char *metal, *conductor; /* around the first inside one */
  double end;                    /* where the layer around the first in one ends [m] */
};

static void add_dipole(struct dipole_faults *f, enum dipole_fault fault, const struct tor_source *s, int face) {
  if (f->count[fault]++) return;
  f->first[fault] = s;
  f->face[fault] = face;
}

enum { FEWEST_TO_METAL = 8 };

static void look_at_dipole(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                           struct dipole_faults *found) {
  const struct tor_medium *around = &job->media[tor_job_medium_at(job, s->position)];
  if (around->conducts) {
    if (!found->count[IN_CONDUCTOR]) found->conductor = around->name;
    add_dipole(found, IN_CONDUCTOR, s, 0);
  } else if (s->kind == TOR_ELECTRIC_DIPOLE && is_on_surface(job, g, s))
    add_dipole(found, ON_SURFACE, s, 0);
  else if (creal(tor_medium_permittivity(around, 0, 2 * TOR_PI * TOR_C0 / tor_job_wavelength(job))) < 0) {
    if (!found->count[IN_METAL]) found->metal = around->name;
    add_dipole(found, IN_METAL, s, 0);
  } else if (s->kind == TOR_ELECTRIC_DIPOLE) {
    const double cells = cells_to(job, g, s, FEWEST_TO_METAL, has_poles);
    if (cells < FEWEST_TO_METAL && !found->count[NEAR_METAL]) found->cells = cells;
    if (cells < FEWEST_TO_METAL) add_dipole(found, NEAR_METAL, s, 0);
  }
  for (int f = 0; f < TOR_NFACE; f++)
    if (is_shorted(g, s, f))
      add_dipole(found, ON_WALL, s, f);
    else if (tor_grid_layer_depth(g, f, s->position[f / 2]) > 0) {
      const int axis = f / 2, cells = tor_boundary_layer(&g->face[f]);
      if (!found->count[IN_LAYER]) found->end = tor_grid_at(g, axis, f % 2 ? g->n[axis] - cells : cells);
      add_dipole(found, IN_LAYER, s, f);
    }
}

double tor_dipole_error_of(double wavelengths) { return 0.08 * pow(wavelengths * 324, -3); }

static void look_near_layer(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                            struct tor_known_errors *errors) {
  static const double NEAR = 1 / 200.0, WANTED = 1 / 100.0;
  const double wavelength = tor_job_wavelength(job);
  double extent[3], least = NEAR * wavelength;
  char faces[64] = "", needed[160], off[64];
  for (int a = 0; a < 3; a++) extent[a] = tor_grid_whole(g, a);
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2, cells = tor_boundary_layer(&g->face[f]);
    const double entry = tor_grid_at(g, a, f % 2 ? g->n[a] - cells : cells),
                 distance = f % 2 ? entry - s->position[a] : s->position[a] - entry;
    if (g->face[f].wall != TOR_CPML || cells < 1 || g->n[a] == 1 || !(distance > 0)) continue;
    const double more = 2 * g->d[a] * ceil((WANTED * wavelength - distance) / g->d[a]);
    extent[a] = fmax(extent[a], tor_grid_whole(g, a) + more);
    if (distance >= NEAR * wavelength) continue;
    least = fmin(least, distance);
    snprintf(faces + strlen(faces), sizeof faces - strlen(faces), " %s", tor_job_face_name(job, f));
  }
  const double error = tor_dipole_error_of(least / wavelength), amplitude = tor_amplitude_of_error(error);
  if (!*faces || amplitude <= errors->of[TOR_DIPOLE_AT_LAYERS].amplitude) return;
  tor_known_errors_size(job, extent, needed, sizeof needed);
  tor_known_errors_set(
      errors, TOR_DIPOLE_AT_LAYERS, fmin(amplitude, TOR_ALL_WRONG), tor_job_source_place(job, s), needed,
      "source %s: %.3g nm, 1/%.0f of a wavelength, from the CPML at%s, which returns its near field: "
      "%s",
      s->name, least / TOR_NM, wavelength / least, faces, tor_known_errors_off(error, off, sizeof off));
}

double tor_dipole_error_at_nodes(double cells) { return 0.35 * pow(10 / fmax(cells, 0.5), 3.5); }

static void look_near_nodes(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                            struct tor_known_errors *errors) {
  enum { FEWEST = 15 };
  char needed[96], off[64];
  if (job->averaging != TOR_AVERAGE_TENSOR || g->plane == TOR_PLANE_TM) return;
  const double cells = cells_to(job, g, s, FEWEST, tor_is_metal), error = tor_dipole_error_at_nodes(cells),
               amplitude = fmin(tor_amplitude_of_error(error), TOR_ALL_WRONG);
  if (cells >= FEWEST || amplitude <= errors->of[TOR_DIPOLE_AT_NODES].amplitude) return;
  snprintf(needed, sizeof needed, "%d cells or more between them, or averaging = \"subpixel\"", FEWEST);
  tor_known_errors_set(
      errors, TOR_DIPOLE_AT_NODES, amplitude, tor_job_source_place(job, s), needed,
      "source %s: %.1f cells from a metal whose surface nodes (averaging = \"tensor\") absorb its near "
      "field: %s",
      s->name, cells, tor_known_errors_off(error, off, sizeof off));
}

void tor_dipole_error(const struct tor_job *job, const struct tor_grid *g, struct tor_known_errors *errors) {
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (!tor_source_is_dipole(s)) continue;
    look_near_layer(job, g, s, errors);
    look_near_nodes(job, g, s, errors);
  }
}

void tor_dipole_warnings_log(const struct tor_job *job, const struct tor_grid *g) {
  struct dipole_faults found = {0};
  char more[NDIPOLE_FAULT][48] = {{0}};
  for (int i = 0; i < job->nsources; i++)
    if (tor_source_is_dipole(&job->sources[i])) look_at_dipole(job, g, &job->sources[i], &found);
  for (int k = 0; k < NDIPOLE_FAULT; k++)
    if (found.count[k] > 1) snprintf(more[k], sizeof more[k], "; %d more like it", found.count[k] - 1);
  if (found.count[IN_CONDUCTOR])
    tor_log_warning_at(tor_job_source_place(job, found.first[IN_CONDUCTOR]),
                       "source %s: the dipole lies in \"%s\", a perfect conductor, which shorts it; need " TOR_NEEDED(
                           "a position outside of it%s"),
                       found.first[IN_CONDUCTOR]->name, found.conductor, more[IN_CONDUCTOR]);
  if (found.count[IN_METAL])
    tor_log_warning_at(tor_job_source_place(job, found.first[IN_METAL]),
                       "source %s: the dipole lies in \"%s\", which absorbs its near field at once; need " TOR_NEEDED(
                           "a position outside of it%s"),
                       found.first[IN_METAL]->name, found.metal, more[IN_METAL]);
  if (found.count[ON_SURFACE])
    tor_log_warning_at(
        tor_job_source_place(job, found.first[ON_SURFACE]),
        "source %s: the dipole lies in a cell on the surface of a dispersive medium, where its effective strength "
        "differs from the given one; need " TOR_NEEDED("a position one cell away, or smaller cells%s"),
        found.first[ON_SURFACE]->name, more[ON_SURFACE]);
  if (found.count[NEAR_METAL])
    tor_log_warning_at(
        tor_job_source_place(job, found.first[NEAR_METAL]),
        "source %s: %.1f cells from a dispersive medium: rates of emission are too large there; need " TOR_NEEDED(
            "%d cells or more between them%s"),
        found.first[NEAR_METAL]->name, found.cells, FEWEST_TO_METAL, more[NEAR_METAL]);
  if (found.count[ON_WALL])
    tor_log_warning_at(tor_job_source_place(job, found.first[ON_WALL]),
                       "source %s: the dipole lies on the conducting wall %s, which shorts it: it has no field%s",
                       found.first[ON_WALL]->name, tor_job_face_name(job, found.face[ON_WALL]), more[ON_WALL]);
  if (found.count[IN_LAYER])
    tor_log_warning_at(
        tor_job_source_place(job, found.first[IN_LAYER]),
        "source %s: the dipole lies in the absorbing layer at %s, which absorbs its near field; need " TOR_NEEDED(
            "a place before it, which begins at %c = %g nm, better half a wavelength before%s"),
        found.first[IN_LAYER]->name, tor_job_face_name(job, found.face[IN_LAYER]),
        tor_axis_name(job, found.face[IN_LAYER] / 2), found.end / TOR_NM, more[IN_LAYER]);
}
