/* Requirements of a plane wave on the scene: see wave_check.h. */
#include "src/model/wave_check.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/flat_walls.h"
#include "src/model/layers.h"
#include "src/model/orders.h"
#include "src/model/source.h"

/* The source's line in the job file, and its name, as the beginning of a fault. */

struct wave {
  const struct tor_job *job;
  const struct tor_grid *grid;
  const struct tor_source *source;
  const struct tor_box *box;
  const double *cb, *ca1;
  int nzp;
  int front, back;     /* faces */
  int sides;           /* any closed face but these */
  double lo[3], hi[3]; /* the box; beyond the domain where it is open */
};

void tor_wave_box(const struct tor_source *s, const struct tor_grid *g, struct tor_box *box) {
  for (int a = 0; a < 3; a++) {
    box->open[2 * a] = s->lo[a] <= tor_grid_low(g, a) + 0.5 * tor_grid_end(g, 2 * a);
    box->open[2 * a + 1] = s->hi[a] >= tor_grid_at(g, a, g->n[a] - 0.5);
    box->lo[a] = box->open[2 * a] ? tor_grid_first(g, a) : tor_grid_node(g, a, s->lo[a]);
    box->hi[a] = box->open[2 * a + 1] ? g->n[a] : tor_grid_node(g, a, s->hi[a]);
  }
}

/* --- Layers --- */

/* The medium of the layers across an axis at x; -1: there is none. */
static int layer_at(const struct tor_job *job, int axis, double x) {
  int medium = -1;
  for (int i = 0; i < job->nobjects; i++) {
    const struct tor_object *o = &job->objects[i];
    if (tor_object_is_layer(o, axis) && o->lo <= x && o->hi >= x) medium = o->medium;
  }
  return medium;
}

/* The same with the background. */
static int with_layers(const struct tor_job *job, int axis, double x) {
  const int medium = layer_at(job, axis, x);
  return medium < 0 ? job->background : medium;
}

/* Whether layers across an axis end beside a node with another medium beyond: within half a cell, or as far as walls
 * change the coefficients (flat_walls.h). */
static int layers_end_at_node(const struct tor_job *job, const struct tor_grid *g, int axis, int node) {
  const double reach = tor_flat_cells(job, g), from = tor_grid_at(g, axis, node - reach),
               to = tor_grid_at(g, axis, node + reach), little = 1e-6 * g->d[axis];
  int differ = layer_at(job, axis, from) != layer_at(job, axis, to);
  for (int i = 0; i < job->nobjects && reach > 0.5; i++)
    for (int side = 0; side < 2 && tor_object_is_layer(&job->objects[i], axis); side++) {
      const double end = side ? job->objects[i].hi : job->objects[i].lo;
      if (end > from && end < to) differ |= layer_at(job, axis, end - little) != layer_at(job, axis, end + little);
    }
  return differ;
}

/* The medium of the layers just below a node; if others are beside it, *differ. */
static int layer_at_node(const struct tor_job *job, const struct tor_grid *g, int axis, int node, int *differ) {
  *differ |= layers_end_at_node(job, g, axis, node);
  return layer_at(job, axis, tor_grid_at(g, axis, node - 0.499));
}

/* A wave along x or y whose box has no sides; *differ: a layer across its axis ends at a face of it, or its two faces
 * are in different ones. */
static int front_of(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                    const struct tor_box *box, int *differ) {
  const int a = s->axis, back = s->direction < 0;
  *differ = 0;
  if (s->oblique || a == TOR_Z) return -1;
  for (int f = 0; f < TOR_NFACE; f++)
    if (f / 2 != a && !box->open[f] && !(g->plane && f / 2 == TOR_X)) return -1;
  const int medium = layer_at_node(job, g, a, back ? box->hi[a] : box->lo[a], differ);
  if (!box->open[2 * a + !back]) *differ |= layer_at_node(job, g, a, back ? box->lo[a] : box->hi[a], differ) != medium;
  return medium;
}

int tor_wave_front(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                   const struct tor_box *box) {
  int differ;
  return front_of(job, g, s, box, &differ);
}

/* Is the background at index k along z that of index `as`, for all components? */
static int is_alike(const struct wave *w, int k, int as) {
  for (int c = 0; c < TOR_NCOMP; c++) {
    const int at = c * w->nzp + k, like = c * w->nzp + as;
    if (w->cb[at] != w->cb[like] || w->ca1[at] != w->ca1[like]) return 0;
  }
  return 1;
}

/* Does the background change between the box's first node and its last? Half cells just outside the faces count: H
 * there is corrected. Node 0 lies on a wall. */
static int has_layers(const struct wave *w) {
  const int n = w->grid->n[2], z0 = w->box->lo[2] < 0 ? 0 : w->box->lo[2], z1 = w->box->hi[2];
  const int as = z0 + 1 < n ? z0 + 1 : n - 1;
  int layers = 0;
  for (int c = 0; c < TOR_NCOMP; c++) {
    const int half = tor_comp_half(c, TOR_Z);
    for (int k = z0 - half; k <= z1; k++) {
      if (k < 1 || k >= n) continue;
      layers |= w->cb[c * w->nzp + k] != w->cb[c * w->nzp + as] || w->ca1[c * w->nzp + k] != w->ca1[c * w->nzp + as];
    }
  }
  return layers;
}

static void check_walls(const struct wave *w, struct tor_faults *faults) {
  const struct tor_source *s = w->source;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2;
    if (a == s->axis || !w->box->open[f] || w->grid->angular) continue;
    if (w->grid->phase[a] != 0)
      tor_fault_at(faults, tor_job_source_place(w->job, s),
                   "the total-field box is open at %s, a Bloch wall, where fields have a phase from cell to cell and a "
                   "wave along an axis has none; need " TOR_NEEDED("angles in place of direction, or k = 0 along %c"),
                   tor_job_face_name(w->job, f), tor_axis_name(w->job, a));
    const enum tor_wall wall = w->grid->face[f].wall, need = a == s->polarisation ? TOR_PEC : TOR_PMC;
    if (wall != need && wall != TOR_PERIODIC)
      tor_fault_at(faults, tor_job_source_place(w->job, s),
                   "the total-field box is open at %s, where the wave needs a %s wall (PEC across E, PMC "
                   "across H), periodic ones, or the box a face",
                   tor_job_face_name(w->job, f), need == TOR_PEC ? "\"pec\"" : "\"pmc\"");
  }
}

/* A face on each side. */
static void check_sides(const struct wave *w, struct tor_faults *faults) {
  int open = 0;
  for (int f = 0; f < TOR_NFACE; f++)
    open |= w->box->open[f] && tor_grid_last(w->grid, TOR_EX, f / 2) > 0 && !(w->grid->plane && f / 2 == TOR_X);
  if (open)
    tor_fault_at(
        faults, tor_job_source_place(w->job, w->source),
        "a wave whose direction is given by angles needs a total-field box with a face on each side; need " TOR_NEEDED(
            "sides inside the domain, before absorbing layers"));
}

/* A wave whose direction is given by angles: all faces, and one medium without losses that is alike in all directions.
 */
static void check_oblique(const struct wave *w, struct tor_faults *faults) {
  const struct tor_source *s = w->source;
  const struct tor_medium *m = &w->job->media[w->job->background];
  const int k = (w->box->lo[2] < 0 ? w->box->hi[2] : w->box->lo[2] + w->box->hi[2]) / 2;
  int lossy = 0, unlike = !tor_medium_is_isotropic(m);
  check_sides(w, faults);
  for (int c = 0; c < TOR_NCOMP; c++) lossy |= tor_comp_exists(w->grid->plane, c) && w->ca1[c * w->nzp + k] != 0;
  for (int a = 1; a < 3; a++) unlike |= m->mu[a] != m->mu[0];
  if (lossy || unlike)
    tor_fault_at(faults, tor_job_source_place(w->job, s),
                 "a wave whose direction is given by angles cannot travel in \"%s\", which %s; need " TOR_NEEDED(
                     "a background of one index without losses"),
                 m->name, lossy ? "has losses" : "is anisotropic");
}

/* Suggests a replacement for a transparent medium with poles: a constant index at the source's wavelength. */
static void report_constant(const struct tor_source *s, const struct tor_medium *m, char *text, size_t size) {
  const double wavelength = s->profile.kind == TOR_TABLE ? 0 : s->profile.wavelength,
               omega = 2 * TOR_PI * TOR_C0 / wavelength;
  const int a = s->polarisation;
  const double complex n =
      wavelength > 0 ? csqrt(tor_medium_permittivity(m, a, omega) * tor_medium_permeability(m, a, omega)) : 0;
  text[0] = 0;
  if (creal(n) > 0 && cimag(n) < 0.1 * creal(n))
    snprintf(text, size, ", such as { name = \"%s_%.0fnm\"; index = %.4g; }", m->name, wavelength / TOR_NM, creal(n));
}

int tor_wave_check(const struct tor_job *job, const struct tor_grid *grid, const struct tor_source *source,
                   const struct tor_box *box, const struct tor_layers *background, int front,
                   struct tor_faults *faults) {
  const int backward = source->direction < 0;
  const struct tor_medium *medium = &job->media[front < 0 ? job->background : front];
  struct wave w = {.job = job,
                   .grid = grid,
                   .source = source,
                   .box = box,
                   .cb = background->cb,
                   .ca1 = background->ca1,
                   .nzp = background->nzp,
                   .front = 2 * source->axis + backward,
                   .back = 2 * source->axis + !backward};
  for (int f = 0; f < TOR_NFACE; f++) w.sides |= f / 2 != source->axis && !box->open[f];
  for (int a = 0; a < 3; a++) {
    w.lo[a] = box->open[2 * a] ? -HUGE_VAL : tor_grid_at(grid, a, box->lo[a]);
    w.hi[a] = box->open[2 * a + 1] ? HUGE_VAL : tor_grid_at(grid, a, box->hi[a]);
  }
  if (box->open[w.front] && (!source->oblique || source->periodic))
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "the total-field box has no face where the wave enters; move that side into the domain");
  if (front < 0 ? background->poles : medium->npoles > 0) {
    char constant[160];
    report_constant(source, medium, constant, sizeof constant);
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "a plane wave cannot travel in a dispersive background (\"%s\"); need " TOR_NEEDED(
                     "a medium of constant index at the source's wavelength%s"),
                 medium->name, constant);
  }
  const int layers = has_layers(&w);
  if (source->oblique) {
    check_oblique(&w, faults);
    return 0;
  }
  if (layers && source->axis != TOR_Z)
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "a plane wave along %c cannot travel in media layered along %c", tor_axis_name(job, source->axis),
                 tor_axis_name(job, TOR_Z));
  if (layers && !w.sides && source->axis == TOR_Z && !box->open[w.back] && !box->open[w.front] &&
      !is_alike(&w, box->lo[2], box->hi[2]))
    tor_fault_at(
        faults, tor_job_source_place(job, source),
        "the media at the two ends of the total-field box differ, and it has no sides: its far face would subtract the "
        "wave of the first medium; need " TOR_NEEDED("a box that is open at that end (beyond the wall)"));
  int differ;
  front_of(job, grid, source, box, &differ);
  if (differ)
    tor_fault_at(faults, tor_job_source_place(job, source),
                 "a layer across %c ends at a face of the total-field box%s, or the media at its two ends differ; "
                 "need " TOR_NEEDED("faces in one medium, or a box that is open at the far end (beyond the wall)"),
                 tor_axis_name(job, source->axis), tor_flat_phrase(TOR_FLAT_BESIDE, job, grid));
  check_walls(&w, faults);
  return layers && source->axis == TOR_Z && w.sides;
}

int tor_wave_medium(const struct tor_job *job, const struct tor_grid *grid, const struct tor_source *source,
                    const struct tor_box *box, struct tor_faults *faults) {
  const struct tor_place *place = tor_job_source_place(job, source);
  const int a = source->axis, front = source->direction < 0 ? box->hi[a] : box->lo[a];
  int medium = tor_plane_medium(job, grid, a, front, box->lo, box->hi);
  for (int f = 0; f < TOR_NFACE; f++)
    if (f / 2 != a && !box->open[f] && !(grid->plane && f / 2 == TOR_X))
      tor_fault_at(faults, place,
                   "the total-field box ends at %s before the wall, but the cell is periodic there and the wave has "
                   "angles; need " TOR_NEEDED("a box from wall to wall along %c"),
                   tor_job_face_name(job, f), tor_axis_name(job, f / 2));
  for (int side = 0; side < 2; side++) {
    const int node = side ? box->hi[a] : box->lo[a];
    if (box->open[2 * a + side] || node == front) continue;
    if (tor_plane_medium(job, grid, a, node, box->lo, box->hi) != medium)
      tor_fault_at(
          faults, place,
          "the media at the two ends of the total-field box differ: its far face would subtract the wave of the "
          "first one; need " TOR_NEEDED("a box that is open at that end (beyond the wall)"));
  }
  if (medium == TOR_MEDIUM_MIXED)
    tor_fault_at(faults, place,
                 "the media in the plane where the wave enters differ, or change within %s of it; "
                 "need " TOR_NEEDED("a front face in one homogeneous medium"),
                 tor_flat_phrase(TOR_FLAT_DISTANCE, job, grid));
  else if (medium == TOR_MEDIUM_UNFIT || job->media[medium].npoles) {
    const char *what = medium < 0 ? "absorbs, is a perfect conductor or is anisotropic" : "has poles";
    tor_fault_at(faults, place,
                 "the medium where the wave enters %s; need " TOR_NEEDED(
                     "one of constant index without losses, such as that at the source's wavelength"),
                 what);
  }
  return medium < 0 ? 0 : medium;
}

/* Whether the box has a side across x or y, or its end at `side` of z is a face. */
static int has_sides(const struct tor_grid *g, const struct tor_source *s) {
  int sides = 0;
  for (int a = g->plane ? TOR_Y : TOR_X; a <= TOR_Y; a++)
    sides |=
        s->lo[a] > tor_grid_low(g, a) + 0.5 * tor_grid_end(g, 2 * a) || s->hi[a] < tor_grid_at(g, a, g->n[a] - 0.5);
  return sides;
}

int tor_wave_meets_layers(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s) {
  const double lo = s->lo[TOR_Z], hi = s->hi[TOR_Z], slack = 1e-6 * g->d[TOR_Z];
  const double cells = fmax(2, tor_flat_rule(job, g).reach + 1);
  const double reach = cells * fmax(tor_grid_cell_at(g, TOR_Z, lo), tor_grid_cell_at(g, TOR_Z, hi));
  const double wall[2] = {tor_grid_at(g, TOR_Z, 0.5), tor_grid_at(g, TOR_Z, g->n[TOR_Z] - 0.5)};
  if (!s->oblique && s->axis != TOR_Z) return 0;
  for (int i = 0; i < job->nobjects; i++) {
    const struct tor_object *o = &job->objects[i];
    if (!tor_object_is_layer(o, TOR_Z)) continue;
    const int inside = o->hi > lo && o->lo < hi, poles = job->media[o->medium].npoles > 0;
    const int ends = (o->lo > lo - reach && o->lo < hi + reach) || (o->hi > lo - reach && o->hi < hi + reach);
    const int cut = (lo > wall[0] && o->lo < lo + slack && o->hi > lo - slack) ||
                    (hi < wall[1] && o->lo < hi + slack && o->hi > hi - slack);
    if (s->oblique ? ends || (inside && poles) : poles && (cut || (inside && has_sides(g, s)))) return 1;
  }
  return 0;
}

static int is_plain(const struct tor_medium *m) {
  int plain = !m->npoles && !tor_medium_absorbs(m) && !m->conducts && tor_medium_is_isotropic(m);
  for (int a = 1; a < 3; a++) plain &= m->mu[a] == m->mu[0];
  return plain;
}

int tor_wave_layer(const struct tor_job *job, const struct tor_grid *g, const struct tor_source *s,
                   const struct tor_box *box, const struct tor_layers *layers, struct tor_faults *faults) {
  const struct wave w = {.job = job, .grid = g, .source = s, .box = box};
  const struct tor_place *place = tor_job_source_place(job, s);
  const int forward = s->oblique ? s->travel[TOR_Z] > 0 : s->direction > 0;
  const double front = tor_grid_at(g, TOR_Z, forward ? box->lo[TOR_Z] : box->hi[TOR_Z]);
  const int medium = with_layers(job, TOR_Z, front - 0.499 * g->d[TOR_Z]);
  if (s->oblique)
    check_sides(&w, faults);
  else
    check_walls(&w, faults);
  if (box->open[forward ? TOR_ZLO : TOR_ZHI])
    tor_fault_at(faults, place,
                 "the total-field box has no face where the wave enters; move that side into the domain");
  if (s->oblique && fabs(s->travel[TOR_Z]) < 1e-3)
    tor_fault_at(faults, place, "the wave travels along the layers, need " TOR_NEEDED("a direction across %c"),
                 tor_axis_name(job, TOR_Z));
  if (s->oblique && s->profile.kind == TOR_TABLE)
    tor_fault_at(faults, place,
                 "a wave with angles travels through layers, and its profile is a table; need " TOR_NEEDED(
                     "\"pulse\" or \"continuous\""));
  if (layers->nodes)
    tor_fault_at(faults, place,
                 "surfaces between layers at its box lie between nodes; need " TOR_NEEDED(
                     "averaging = \"subpixel\", or surfaces on nodes, whole cells from the domain's middle or end"));
  if (layers_end_at_node(job, g, TOR_Z, forward ? box->lo[TOR_Z] : box->hi[TOR_Z]) || !is_plain(&job->media[medium])) {
    char constant[160];
    report_constant(s, &job->media[medium], constant, sizeof constant);
    tor_fault_at(
        faults, place,
        "the wave enters through layers in \"%s\", which changes there%s, absorbs, has poles or is anisotropic; "
        "need " TOR_NEEDED("a front face in a medium of constant index%s"),
        job->media[medium].name, tor_flat_phrase(TOR_FLAT_BESIDE, job, g), constant);
  }
  return medium;
}
