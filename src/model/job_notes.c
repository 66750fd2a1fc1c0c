/* Notes on a valid job: see job_notes.h. */
#include "src/model/job_notes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/files/log.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/flat_walls.h"
#include "src/model/oblique_line.h"
#include "src/model/wave_check.h"

static void note_domain(const struct tor_job *job, const struct tor_grid *g) {
  int resized = 0, odd = 0;
  double size[3], user[3];
  for (int a = 0; a < 3; a++) {
    const int across = g->angular && a != TOR_AXIAL; /* along the cylinder's diameter */
    size[a] = tor_grid_whole(g, a);
    resized |= fabs(size[a] - job->size[a]) > 1e-6 * job->cell[a];
    odd |= (g->n[a] > 1 && !g->node[a] && !across && tor_grid_cells(g, a) % 2) << a;
  }
  for (int u = 0; u < 3; u++) user[u] = size[tor_axis_of_user(job, u)] / TOR_NM;
  if (resized && job->plane)
    tor_log_note_at(tor_job_place(job, "grid.size"), "the domain is %.6g x %.6g nm: grid.size rounded to whole cells",
                    user[0], user[1]);
  else if (resized)
    tor_log_note_at(tor_job_place(job, "grid.size"),
                    "the domain is %.6g x %.6g x %.6g nm: grid.size rounded to whole cells", user[0], user[1], user[2]);
  for (int a = 0; a < 3; a++)
    if (fabs(g->d[a] - job->cell_given[a]) > 1e-6 * g->d[a] && !(g->angular && a == TOR_PHI))
      tor_log_note_at(tor_job_place(job, "grid.cell"),
                      "cells along %c are %.6g nm in place of %.6g: the period of %.6g nm is %d cells%s",
                      tor_axis_name(job, a), g->d[a] / TOR_NM, job->cell_given[a] / TOR_NM, size[a] / TOR_NM, g->n[a],
                      a == TOR_Y ? " (a multiple of 6)" : "");
  if (odd)
    tor_log_note("the origin lies in the middle of a cell along%s%s%s, where the number of cells is odd",
                 odd >> tor_axis_of_user(job, 0) & 1 ? " x" : "", odd >> tor_axis_of_user(job, 1) & 1 ? " y" : "",
                 odd >> tor_axis_of_user(job, 2) & 1 ? " z" : "");
}

/* What a box or plane has become: text of the sides that moved by more than a tenth of a cell, to whole cells. */
static void note_box(const struct tor_job *job, const struct tor_grid *g, const char *kind,
                     const struct tor_place *place, const double lo[3], const double hi[3]) {
  char moved[256] = "";
  size_t used = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2, side = f % 2;
    const double x = side ? hi[a] : lo[a], first = tor_grid_low(g, a), last = tor_grid_at(g, a, g->n[a]);
    const double there = tor_grid_at(g, a, tor_grid_node(g, a, x));
    if (x <= first || x >= last || fabs(there - x) <= 0.1 * tor_grid_cell_at(g, a, x) || g->n[a] < 2) continue;
    if (side && lo[a] == hi[a]) continue;
    if (used < sizeof moved - 48)
      used += (size_t)snprintf(moved + used, sizeof moved - used, "%s %c = %.6g nm to %.6g nm", used ? "," : "",
                               tor_axis_name(job, a), x / TOR_NM, there / TOR_NM);
  }
  if (used) tor_log_note_at(place, "%s %s: moved to the grid's nodes:%s", kind, place->name, moved);
}

/* Whether the sides of a monitor are nodes of the grid; others record points, whose places are in their files. */
static int is_at_nodes(const struct tor_monitor *m) {
  return tor_monitor_is_plane(m) || m->kind == TOR_FLUX_BOX || m->kind == TOR_ORDERS || m->kind == TOR_FAR_FIELD ||
         m->kind == TOR_ABSORPTION || m->kind == TOR_FORCE || m->kind == TOR_MULTIPOLE || m->kind == TOR_MODE_VOLUME ||
         m->kind == TOR_ENERGY_DENSITY;
}

static void note_boxes(const struct tor_job *job, const struct tor_grid *g) {
  static const char *const sources[] = {
      [TOR_PLANE_WAVE] = "plane wave", [TOR_MODE_SOURCE] = "mode", [TOR_BEAM] = "beam", [TOR_FIELD_SOURCE] = "fields"};
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    if (s->kind == TOR_PLANE_WAVE || tor_source_has_sheet(s))
      note_box(job, g, sources[s->kind], tor_job_source_place(job, s), s->lo, s->hi);
  }
  for (int i = 0; i < job->nmonitors; i++) {
    const struct tor_monitor *m = &job->monitors[i];
    if (is_at_nodes(m)) note_box(job, g, "monitor", tor_job_monitor_place(job, m), m->lo, m->hi);
  }
}

/* Layers whose thickness is given as a length have more of it: whole cells. */
static void note_layers(const struct tor_job *job, const struct tor_grid *g) {
  char text[320] = "";
  size_t used = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const struct tor_boundary *b = &job->boundary[f];
    const double thickness = tor_boundary_layer(b) * g->d[f / 2];
    if (g->angular && (f / 2 == TOR_PHI || f == 2 * TOR_RADIAL)) continue;
    if (!tor_boundary_layer(b) || b->given <= 0 || fabs(thickness - b->given) <= 0.1 * g->d[f / 2]) continue;
    if (used < sizeof text - 48)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %.6g nm in place of %.6g", used ? "," : "",
                               tor_job_face_name(job, f), thickness / TOR_NM, b->given / TOR_NM);
  }
  if (used) tor_log_note_at(tor_job_place(job, "boundaries"), "absorbing layers have whole cells:%s", text);
}

/* Without averaging each component of E takes the medium at its own place. */
static void note_staircase(const struct tor_job *job) {
  if (job->averaging != TOR_AVERAGE_STAIRCASE || !job->nobjects) return;
  tor_log_note_at(tor_job_place(job, "grid.averaging"),
                  "surfaces of objects are moved to the grid's nodes and half cells, by up to half a cell");
}

static int has_flat_walls(const struct tor_object *o) {
  return o->shape != TOR_SPHERE && o->shape != TOR_ELLIPSOID && o->shape != TOR_CAPSULE && o->shape != TOR_TORUS &&
         o->shape != TOR_SOLID;
}

/* Beside flat walls order 4 needs permittivities below the smallest medium's (flat_walls.h), of which the time step and
 * large contrasts leave a part alone. */
static void note_walls(const struct tor_job *job, const struct tor_grid *g) {
  static const double NEARLY_ALL = 0.99;
  const struct tor_flat_rule rule = tor_flat_rule(job, g);
  int low = -1, high = -1, flat = 0;
  for (int i = -1; i < job->nobjects; i++) {
    const int of = i < 0 ? job->background : job->objects[i].medium;
    const struct tor_medium *m = &job->media[of];
    if (m->npoles || m->conducts) continue;
    if (i >= 0) flat |= has_flat_walls(&job->objects[i]);
    if (low < 0 || m->eps[0] < job->media[low].eps[0]) low = of;
    if (high < 0 || m->eps[0] > job->media[high].eps[0]) high = of;
  }
  if (g->order != 4 || !rule.used || !flat || low < 0) return;
  const double from = job->media[low].eps[0], to = job->media[high].eps[0],
               part = to > from ? tor_flat_part(from, to, rule.least[0]) : 1, courant = tor_flat_courant(from, to);
  char cure[96] = "their contrast is too large for all of them";
  if (part > NEARLY_ALL) return;
  if (courant > 0)
    snprintf(cure, sizeof cure, "grid.courant = %.2g or less has all of them", floor(100 * courant) / 100);
  tor_log_note_at(
      tor_job_place(job, "grid.order"),
      "flat walls between \"%s\" and \"%s\" have %.0f %% of the means that take errors of second order from "
      "order 4: %s",
      job->media[low].name, job->media[high].name, 100 * part, cure);
}

/* Pulses that reach beyond a table: spectra within it are not concerned. */
static void note_bands(const struct tor_job *job, const struct tor_medium *m) {
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_profile *p = &job->sources[i].profile;
    const double from = p->wavelength - 0.5 * p->band, to = tor_pulse_longest(p->wavelength, p->band);
    if (p->kind != TOR_PULSE || (from >= m->range[0] && to <= m->range[1])) continue;
    tor_log_note_at(
        tor_job_source_place(job, &job->sources[i]),
        "source %s: its band, %g to %g nm, reaches beyond the table of \"%s\", %g to %g nm, where the medium "
        "is an extrapolation; spectra within are not concerned, fields in time are",
        job->sources[i].name, from / TOR_NM, to / TOR_NM, m->name, m->range[0] / TOR_NM, m->range[1] / TOR_NM);
    return;
  }
}

/* What media fitted to tables have become. */
static void note_fits(const struct tor_job *job) {
  for (int i = 0; i < job->nmedia; i++) {
    const struct tor_medium *m = &job->media[i];
    if (!m->table) continue;
    tor_log_note_at(tor_job_place(job, "media[%d]", i),
                    "medium \"%s\": %d pole%s fitted to %d points of %s, %g to %g nm: rms error of the permittivity "
                    "%.2g %%, largest %.2g %% at %g nm",
                    m->name, m->npoles, m->npoles == 1 ? "" : "s", m->fit.points, m->table, m->range[0] / TOR_NM,
                    m->range[1] / TOR_NM, 100 * m->fit.rms, 100 * m->fit.largest, m->fit.at / TOR_NM);
    note_bands(job, m);
  }
}

/* The direction that a wave of given angles has on the grid. */
static void note_directions(const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < job->nsources; i++) {
    const struct tor_source *s = &job->sources[i];
    int m[3];
    double v[3], length = 0, along = 0, across = 0;
    if (!s->oblique || s->periodic || s->kind != TOR_PLANE_WAVE || tor_wave_meets_layers(job, g, s)) continue;
    tor_oblique_numbers(s->travel, g->d, m);
    for (int a = 0; a < 3; a++) {
      v[tor_user_axis(job, a)] = m[a] / g->d[a];
      along += m[a] / g->d[a] * s->travel[a];
      length += m[a] / g->d[a] * (m[a] / g->d[a]);
    }
    for (int a = 0; a < 3; a++) across += pow(m[a] / g->d[a] - along * s->travel[a], 2);
    char theta[48] = "", third[16] = "";
    if (!job->plane) snprintf(third, sizeof third, " : %d", m[2]);
    if (!job->plane) snprintf(theta, sizeof theta, "theta %.4f, ", acos(v[2] / sqrt(length)) * 180 / TOR_PI);
    tor_log_note_at(tor_job_source_place(job, s),
                    "plane wave %s: its direction is %sphi %.4f degrees, %.2g degrees from that given; its phase "
                    "advances by %d : %d%s along the axes from cell to cell",
                    s->name, theta, atan2(v[1], v[0]) * 180 / TOR_PI, atan2(sqrt(across), along) * 180 / TOR_PI,
                    m[tor_axis_of_user(job, 0)], m[tor_axis_of_user(job, 1)], third);
  }
}

/* Whether a monitor gives a part of what the whole scene has: its box reaches the mirror, or it measures the domain. */
static int gives_part(const struct tor_monitor *m, const struct tor_grid *g, int face) {
  switch (m->kind) {
  case TOR_ENERGY:
  case TOR_CROSS_SECTION: return 1;
  case TOR_FLUX:
  case TOR_FLUX_BOX:
  case TOR_FAR_FIELD:
  case TOR_MODE: {
    const int node = tor_grid_node(g, face / 2, face % 2 ? m->hi[face / 2] : m->lo[face / 2]);
    return node == (face % 2 ? g->n[face / 2] : 0);
  }
  default: return 0;
  }
}

static void note_mirrors(const struct tor_job *job, const struct tor_grid *g) {
  static const char *const part[] = {"", "a half", "a quarter", "an eighth"};
  char names[256] = "", walls[64] = "";
  int mirrors = 0, face[3];
  for (int a = 0; a < 3; a++) {
    if (tor_grid_periodic(g, a) || g->mirror[a] || g->angular) continue;
    const int lo = !tor_boundary_layer(&g->face[2 * a]), hi = !tor_boundary_layer(&g->face[2 * a + 1]);
    if (lo == hi) continue;
    face[mirrors++] = 2 * a + hi;
    snprintf(walls + strlen(walls), sizeof walls - strlen(walls), " %s", tor_job_face_name(job, 2 * a + hi));
  }
  for (int i = 0; i < job->nmonitors && mirrors; i++) {
    int gives = 0;
    for (int k = 0; k < mirrors; k++) gives |= gives_part(&job->monitors[i], g, face[k]);
    if (gives && strlen(names) + strlen(job->monitors[i].name) + 3 < sizeof names)
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", job->monitors[i].name);
  }
  if (*names)
    tor_log_note("one mirror an axis (%s): C, Q, power and energy of %s are those of %s, if these walls stand for "
                 "symmetry: times %d for the whole; a dipole's fraction is the whole's",
                 walls + 1, names, part[mirrors], 1 << mirrors);
}

/* Bloch walls: the wave vector, as it is in radians per micrometre and in units of 2 pi over a period. */
static void note_bloch(const struct tor_job *job, const struct tor_grid *g) {
  char text[160] = "";
  if (!tor_grid_complex(g)) return;
  for (int u = 0; u < tor_user_axes(job); u++) {
    const int a = tor_axis_of_user(job, u);
    if (g->phase[a] == 0) continue;
    snprintf(text + strlen(text), sizeof text - strlen(text), "%sk%c = %.6g rad/um (%.6g of 2 pi over the period)",
             *text ? ", " : "", "xyz"[u], tor_grid_bloch(g, a) * 1e-6, g -> phase[a] / (2 * TOR_PI));
  }
  tor_log_note("Bloch walls: %s; fields are complex, a real and an imaginary part in twice the time and memory of "
               "periodic walls",
               text);
}

/* Cross-sections of a domain of one cell, whose walls make it endless along that axis. */
static void note_length(const struct tor_job *job, const struct tor_grid *g) {
  int thin = 0, axis = 0;
  for (int a = 0; a < 3; a++)
    if (g->n[a] == 1 && !(g->angular && a == TOR_PHI)) axis = a, thin++;
  for (int i = 0; i < job->nmonitors && thin == 1; i++)
    if (job->monitors[i].kind == TOR_CROSS_SECTION)
      tor_log_note_at(tor_job_monitor_place(job, &job->monitors[i]),
                      "monitor %s: the %s along %c, so objects are endless there: its cross-sections are per length%s",
                      job->monitors[i].name, job->plane ? "job is 2-D: nothing varies" : "domain is one cell",
                      tor_axis_name(job, axis),
                      job->monitors[i].radius > 0 ? ", and Q is over twice the radius" : ", in nm");
}

/* The pole or conductivity of a medium given by its index at one wavelength. */
static void note_media(const struct tor_job *job) {
  for (int i = 0; i < job->nmedia; i++) {
    const struct tor_medium *m = &job->media[i];
    char text[160] = "";
    if (m->at <= 0) continue;
    if (m->npoles)
      snprintf(text, sizeof text, "permittivity %.6g and a Drude pole of plasma_eV = %.6g, gamma_eV = %.6g", m->eps[0],
               m->poles[0].strength / TOR_EV, m->poles[0].gamma / TOR_EV);
    else if (m->sigma[0] > 0)
      snprintf(text, sizeof text, "permittivity %.6g and conductivity_S_per_m = %.6g", m->eps[0], m->sigma[0]);
    else
      snprintf(text, sizeof text, "permittivity %.6g", m->eps[0]);
    tor_log_note("medium \"%s\": index %g + %g i at %g nm, by %s: right at this wavelength only", m->name, m->n, m->k,
                 m->at / TOR_NM, text);
  }
}

void tor_job_notes_log(const struct tor_job *job, const struct tor_grid *grid) {
  note_domain(job, grid);
  note_media(job);
  note_layers(job, grid);
  note_staircase(job);
  note_walls(job, grid);
  note_boxes(job, grid);
  note_directions(job, grid);
  note_bloch(job, grid);
  note_fits(job);
  note_mirrors(job, grid);
  note_length(job, grid);
}
