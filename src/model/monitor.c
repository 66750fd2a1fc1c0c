/* Monitors: see monitor.h. */
#include "src/model/monitor.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/absorption.h"
#include "src/model/energy_density.h"
#include "src/model/exponentials.h"
#include "src/model/far_surface.h"
#include "src/model/flat_walls.h"
#include "src/model/mode_volume.h"
#include "src/model/orders.h"
#include "src/model/profile.h"
#include "src/model/source.h"

static int min(int a, int b) { return a < b ? a : b; }

static void add_patch(struct tor_recorder *l, tor_gidx *points, int comp, const int first[3], const int last[3]) {
  struct tor_patch *p = realloc(l->patch, ((size_t)l->npatch + 1) * sizeof *p);
  if (!p) TOR_DIE("no memory for monitor %s", l->spec->name);
  l->patch = p;
  p += l->npatch++;
  p->comp = comp;
  p->offset = *points;
  tor_gidx count = 1;
  for (int a = 0; a < 3; a++) {
    p->first[a] = first[a];
    p->count[a] = last[a] - first[a] + 1 > 0 ? last[a] - first[a] + 1 : 0;
    count *= p->count[a];
  }
  *points += count;
}

/* A component's points from the one nearest to the box's low corner to the one nearest to its high corner. */
static void add_box(struct tor_recorder *l, const struct tor_grid *g, tor_gidx *points, int comp) {
  int first[3], last[3];
  for (int a = 0; a < 3; a++) {
    first[a] = tor_grid_nearest(g, comp, a, l->spec->lo[a]);
    last[a] = tor_grid_nearest(g, comp, a, l->spec->hi[a]);
  }
  add_patch(l, points, comp, first, last);
}

/* Whether order 4 has all that crosses the plane at a node: no wall, and no face of a total-field box, where other
 * fields begin, within a cell. */
static int is_wide(const struct tor_grid *g, const struct tor_sources *s, int axis, int node) {
  if (g->order != 4 || node < tor_grid_first(g, axis) + 2 || node > g->n[axis] - 2) return 0;
  for (int i = 0; i < s->nincident; i++) {
    const struct tor_box *box = tor_incident_box(s, i);
    if (!box->open[2 * axis] && abs(node - box->lo[axis]) < 2) return 0;
    if (!box->open[2 * axis + 1] && abs(node - box->hi[axis]) < 2) return 0;
  }
  return 1;
}

/* The four patches of a flux plane. */
static void add_plane(struct tor_recorder *l, const struct tor_grid *g, const struct tor_sources *s, tor_gidx *points,
                      int axis, int node, int sign, const int lo[3], const int hi[3]) {
  struct tor_flux_plane *p = realloc(l->plane, ((size_t)l->nplane + 1) * sizeof *p);
  if (!p) TOR_DIE("no memory for monitor %s", l->spec->name);
  l->plane = p;
  p += l->nplane++;
  const int wide = is_wide(g, s, axis, node);
  *p = (struct tor_flux_plane){axis, sign, node, {lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}, wide, l->npatch};
  for (int i = 0; i < 4; i++) {
    const int h = i >= 2, comp = (h ? TOR_HX : TOR_EX) + (axis + 1 + i % 2) % 3;
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
      first[a] = lo[a];
      last[a] = min(hi[a] - tor_comp_half(comp, a), tor_grid_last(g, comp, a));
    }
    first[axis] = node - h - wide;
    last[axis] = node + wide;
    if (!tor_comp_exists(g->plane, comp)) last[0] = first[0] - 1; /* no points */
    add_patch(l, points, comp, first, last);
  }
}

/* What a mode monitor's plane has more where surface nodes may lie in it, which couple E along the axis before the
 * plane to that beyond it (src/modes/mode_crossing.h). */
static void add_axial(struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g, tor_gidx *points,
                      struct tor_faults *faults) {
  const struct tor_flux_plane *p = &l->plane[0];
  const int comp = TOR_EX + p->axis;
  int first[3], last[3];
  if (!tor_job_has_surface_nodes(job) || !tor_comp_exists(g->plane, comp)) return;
  for (int a = 0; a < 3; a++) {
    first[a] = p->lo[a];
    last[a] = min(p->hi[a], tor_grid_last(g, comp, a));
  }
  first[p->axis] = p->node - 1;
  last[p->axis] = p->node;
  add_patch(l, points, comp, first, last);
  if (g->order == 4 && !p->wide)
    tor_fault_at(faults, tor_job_monitor_place(job, l->spec),
                 "the plane lies within a cell of a wall or of a plane wave's box, need " TOR_NEEDED(
                     "two cells between them in order 4 with averaging \"tensor\""));
}

/* A closed box in nodes; a side on a wall has no flux and no plane, nor have two sides a period apart. */
static void add_closed_box(struct tor_recorder *l, const struct tor_grid *g, const struct tor_sources *s,
                           tor_gidx *points, const int lo[3], const int hi[3]) {
  for (int face = 0; face < TOR_NFACE; face++) {
    int axis = face / 2, node = face % 2 ? hi[axis] : lo[axis];
    const int inside = tor_grid_periodic(g, axis) ? hi[axis] - lo[axis] < g->n[axis]
                                                  : node > tor_grid_first(g, axis) && node < g->n[axis];
    if (inside) add_plane(l, g, s, points, axis, node, face % 2 ? 1 : -1, lo, hi);
  }
}

static void nodes_of(const struct tor_grid *g, const struct tor_monitor *m, int lo[3], int hi[3]) {
  for (int a = 0; a < 3; a++) {
    lo[a] = tor_grid_node(g, a, m->lo[a]);
    hi[a] = tor_grid_node(g, a, m->hi[a]);
  }
}

int tor_monitor_margin(const struct tor_monitor *m, const struct tor_grid *g, int axis) {
  if (m->distance > 0) return (int)fmax(1, fmin(round(m->distance / g->d[axis]), 1 << 20));
  return m->margin > 0 ? (int)lround(m->margin) : 2;
}

/* Absorbing objects must lie inside the inner box, else part of their absorption is missing. */
static void check_inside(const struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g,
                         const struct tor_box *box, const int lo[3], const int hi[3], struct tor_faults *faults) {
  for (int o = 0; o < job->nobjects; o++) {
    const struct tor_medium *m = &job->media[job->objects[o].medium];
    double blo[3], bhi[3];
    tor_object_bounds(&job->objects[o], blo, bhi);
    char where[128] = "";
    for (int a = 0; a < 3; a++) {
      double slack = 1e-6 * g->d[a], low = tor_grid_at(g, a, lo[a]), high = tor_grid_at(g, a, hi[a]);
      if (!tor_medium_has_loss(m)) continue;
      if ((box->open[2 * a] || blo[a] >= low - slack) && (box->open[2 * a + 1] || bhi[a] <= high + slack)) continue;
      snprintf(where + strlen(where), sizeof where - strlen(where), "%s%c [%g, %g]", *where ? ", " : "",
               tor_axis_name(job, a), low / TOR_NM, high / TOR_NM);
    }
    if (*where)
      tor_fault_at(faults, tor_job_monitor_place(job, l->spec),
                   "objects[%d] of \"%s\" reaches beyond the inner flux box (%s nm); use a larger "
                   "total-field box",
                   tor_job_object_number(job, o), m->name, where);
  }
}

/* The outer flux box needs a cell between itself and the layers or walls, so far from the total-field box as margin_of
 * says. */
static void check_outside(const struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g,
                          const struct tor_box *box, const int lo[3], const int hi[3], struct tor_faults *faults) {
  char faces[64] = "";
  int least = 0, needed = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2, layer = tor_grid_layer(g, f);
    const int capacity = f % 2 ? g->n[a] - layer - hi[a] : lo[a] - tor_grid_first(g, a) - layer;
    if (box->open[f] || capacity >= 1) continue;
    const int margin = tor_monitor_margin(l->spec, g, a);
    if (!*faces || capacity + margin < least) {
      least = capacity + margin;
      needed = margin + 1;
    }
    snprintf(faces + strlen(faces), sizeof faces - strlen(faces), " %s", tor_job_face_name(job, f));
  }
  if (*faces)
    tor_fault_at(faults, tor_job_monitor_place(job, l->spec),
                 "the scattered-field flux planes do not fit between the total-field box and the boundaries%s: %d "
                 "cells, need " TOR_NEEDED("%d; use a smaller total-field box or a larger domain"),
                 faces, least, needed);
}

static void make_cross_section(struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g,
                               const struct tor_sources *s, tor_gidx *points, struct tor_faults *faults) {
  if (s->nincident != 1) {
    tor_fault_at(faults, tor_job_monitor_place(job, l->spec),
                 "a cross-section needs exactly one plane wave, the job has %d", s->nincident);
    return;
  }
  const struct tor_box *box = tor_incident_box(s, 0);
  for (int f = 0; f < TOR_NFACE; f++)
    if (box->open[f] && tor_grid_layer(g, f))
      tor_fault_at(
          faults, tor_job_monitor_place(job, l->spec),
          "the total-field box is open at %s, an absorbing boundary, so power leaves unmeasured; need " TOR_NEEDED(
              "a face inside the domain"),
          tor_job_face_name(job, f));
  for (int side = 0; side < 2; side++) {
    int lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
      const int margin = tor_monitor_margin(l->spec, g, a), out = side ? -margin : margin;
      lo[a] = box->open[2 * a] ? tor_grid_first(g, a) : box->lo[a] - out;
      hi[a] = box->open[2 * a + 1] ? g->n[a] : box->hi[a] + out;
      if (lo[a] >= hi[a])
        tor_fault_at(faults, tor_job_monitor_place(job, l->spec),
                     "the total-field box is thinner than twice the margin of %d cells along %c", margin,
                     tor_axis_name(job, a));
    }
    if (!side) check_outside(l, job, g, box, lo, hi, faults);
    if (side) check_inside(l, job, g, box, lo, hi, faults);
    if (faults->count) return;
    add_closed_box(l, g, s, points, lo, hi);
    if (!side) l->nouter = l->nplane;
  }
}

/* The medium of a plane; below 0 with a fault: it is not one, or not transparent. */
static int find_medium(const struct tor_job *job, const struct tor_grid *g, const struct tor_monitor *m, int axis,
                       const int lo[3], const int hi[3], struct tor_faults *faults) {
  const int medium = tor_plane_medium(job, g, axis, lo[axis], lo, hi);
  if (medium < 0)
    tor_fault_at(faults, tor_job_monitor_place(job, m),
                 "the plane crosses %s, need " TOR_NEEDED("a place in one isotropic medium without losses"),
                 medium != TOR_MEDIUM_MIXED ? "a medium that absorbs, is anisotropic or has a Kerr effect"
                                            : tor_flat_phrase(TOR_FLAT_SEVERAL, job, g));
  return medium;
}

/* The plane of diffraction orders: it crosses the cell in one medium, which is transparent. */
static void make_orders(struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g,
                        const struct tor_sources *sources, tor_gidx *points, struct tor_faults *faults) {
  const struct tor_monitor *m = l->spec;
  int lo[3], hi[3];
  nodes_of(g, m, lo, hi);
  if (lo[m->axis] < 1 || lo[m->axis] >= g->n[m->axis]) {
    tor_fault_at(faults, tor_job_monitor_place(job, m), "the plane lies on the domain's wall");
    return;
  }
  l->medium = find_medium(job, g, m, m->axis, lo, hi, faults);
  if (l->medium >= 0) add_plane(l, g, sources, points, m->axis, lo[m->axis], 1, lo, hi);
}

/* The points on which a dipole's current is (source.c). */
static void add_dipole(struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g, tor_gidx *points,
                       struct tor_faults *faults) {
  const struct tor_source *s = &job->sources[l->spec->dipole];
  if (tor_profile_mean(&s->profile) > 1e-5)
    tor_fault_at(
        faults, tor_job_monitor_place(job, l->spec),
        "the current of %s has a mean (%.1e of its spectrum's peak) and leaves static charges, whose field is a "
        "part of that at its place, need " TOR_NEEDED("time.zero_mean = true, or a table without mean"),
        s->name, tor_profile_mean(&s->profile));
  const int comp = (s->kind == TOR_MAGNETIC_DIPOLE ? TOR_HX : TOR_EX) + s->polarisation;
  int first[3], last[3];
  for (int a = 0; a < 3; a++) {
    int at[2];
    double weight[2];
    const int n = tor_grid_between(g, comp, a, s->position[a], at, weight);
    first[a] = at[0];
    last[a] = at[0] + n - 1;
  }
  add_patch(l, points, comp, first, last);
}

/* Harmonic inversion needs LAPACK, and an end of the sources. */
static void check_record(const struct tor_monitor *m, const struct tor_job *job, struct tor_faults *faults) {
  const struct tor_place *place = tor_job_monitor_place(job, m);
  if (!tor_exponentials_built())
    tor_fault_at(faults, place,
                 "this torre was built without LAPACK, which finds resonances, need " TOR_NEEDED(
                     "one that is built with it (liblapack-dev), or a \"probe\""));
  else if (isinf(tor_monitor_from(m, job)))
    tor_fault_at(
        faults, place,
        "resonances are those of the fields after the sources' end, and a source does not end, need " TOR_NEEDED(
            "from_fs, or time.type = \"pulse\""));
}

/* All points of the components in a closed box, those on its sides, too; for surface nodes also the edges that end on
 * the sides from outside. */
static void add_volume(struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g, tor_gidx *points,
                       const int lo[3], const int hi[3], struct tor_faults *faults) {
  const int absorbs = l->spec->kind == TOR_ABSORPTION, energy = l->spec->kind == TOR_ENERGY_DENSITY;
  const unsigned components = absorbs  ? tor_absorption_components(job)
                              : energy ? (1u << TOR_NCOMP) - 1
                                       : 1u << TOR_EX | 1u << TOR_EY | 1u << TOR_EZ;
  const int more = absorbs  ? tor_absorption_has_nodes(job)
                   : energy ? tor_energy_density_has_nodes(job)
                            : tor_mode_volume_has_nodes(job);
  if (energy) tor_energy_density_check(job, l->spec, faults);
  for (int a = 0; a < 3; a++)
    if (lo[a] >= hi[a])
      tor_fault_at(faults, tor_job_monitor_place(job, l->spec), "the box is thinner than a cell along %c",
                   tor_axis_name(job, a));
  for (int c = 0; c < TOR_NCOMP && components >> c; c++) {
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
      first[a] = lo[a];
      last[a] = min(hi[a] - tor_comp_half(c, a), tor_grid_last(g, c, a));
      if (!more || !tor_comp_half(c, a) || tor_comp_is_h(c)) continue;
      first[a] -= first[a] > tor_grid_first(g, a) || tor_grid_periodic(g, a);
      last[a] += last[a] < tor_grid_last(g, c, a) || tor_grid_periodic(g, a);
    }
    if (!tor_comp_exists(g->plane, c)) last[0] = first[0] - 1; /* no points */
    add_patch(l, points, c, first, last);
  }
}

/* Sides on walls have no plane, so the box would not be closed; two sides a period apart cancel. */
static void check_force(const struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g,
                        const struct tor_sources *s, const int lo[3], const int hi[3], struct tor_faults *faults) {
  const struct tor_place *place = tor_job_monitor_place(job, l->spec);
  for (int a = 0; a < 3; a++) {
    const int open = lo[a] <= tor_grid_first(g, a) || hi[a] >= g->n[a], flat = g->plane && a == TOR_X;
    if (lo[a] >= hi[a]) tor_fault_at(faults, place, "the box is thinner than a cell along %c", tor_axis_name(job, a));
    if (open && !flat && !(tor_grid_periodic(g, a) && hi[a] - lo[a] == g->n[a]))
      tor_fault_at(faults, place,
                   "the box reaches a wall along %c, where its fields are not known, need " TOR_NEEDED(
                       "a box that ends inside the domain; of a mirrored scene grid.symmetry"),
                   tor_axis_name(job, a));
  }
  if (l->spec->kind == TOR_FORCE && s->nincident && !faults->count && !tor_far_surface_within(g, s, lo, hi))
    tor_fault_at(faults, place,
                 "the box does not lie in the plane wave's total field, so it sees the recoil of what is scattered "
                 "alone, need " TOR_NEEDED("a box inside the wave's"));
}

/* The planes of a flux box, with the fields across them. */
static void add_stress_box(struct tor_recorder *l, const struct tor_grid *g, const struct tor_sources *s,
                           tor_gidx *points, const int lo[3], const int hi[3]) {
  for (int face = 0; face < TOR_NFACE; face++) {
    const int axis = face / 2, node = face % 2 ? hi[axis] : lo[axis];
    if ((g->plane && axis == TOR_X) || (tor_grid_periodic(g, axis) && hi[axis] - lo[axis] == g->n[axis])) continue;
    add_plane(l, g, s, points, axis, node, face % 2 ? 1 : -1, lo, hi);
    const int wide = l->plane[l->nplane - 1].wide;
    for (int h = 0; h < 2; h++) {
      const int comp = (h ? TOR_HX : TOR_EX) + axis;
      int first[3], last[3];
      for (int a = 0; a < 3; a++) {
        first[a] = lo[a];
        last[a] = min(hi[a] - tor_comp_half(comp, a), tor_grid_last(g, comp, a));
      }
      first[axis] = h ? node : node - 1 - wide;
      last[axis] = h ? node : node + wide;
      if (!tor_comp_exists(g->plane, comp)) last[(axis + 1) % 3] = first[(axis + 1) % 3] - 1; /* no points */
      add_patch(l, points, comp, first, last);
    }
  }
}

static void make_patches(struct tor_recorder *l, const struct tor_job *job, const struct tor_grid *g,
                         const struct tor_sources *sources, tor_gidx *points, struct tor_faults *faults) {
  const struct tor_monitor *m = l->spec;
  int lo[3], hi[3];
  nodes_of(g, m, lo, hi);
  switch (m->kind) {
  case TOR_RESONANCES: check_record(m, job, faults); /* fall through */
  case TOR_PROBE:
  case TOR_FIELD_DFT:
  case TOR_SLICE:
    for (int c = 0; c < TOR_NCOMP; c++)
      if (m->components & (1u << c)) add_box(l, g, points, c);
    break;
  case TOR_FLUX:
  case TOR_MODE: {
    int axis = 0;
    while (axis < 2 && m->lo[axis] < m->hi[axis]) axis++;
    for (int a = 0; a < 3; a++)
      if (a != axis && lo[a] >= hi[a])
        tor_fault_at(faults, tor_job_monitor_place(job, m), "the plane is narrower than a cell along %c",
                     tor_axis_name(job, a));
    if (m->beam && find_medium(job, g, m, axis, lo, hi, faults) < 0) break;
    if ((lo[axis] <= tor_grid_first(g, axis) || lo[axis] >= g->n[axis]) && !tor_grid_periodic(g, axis))
      tor_fault_at(faults, tor_job_monitor_place(job, m), "the plane lies on the domain's wall, where no power flows");
    else
      add_plane(l, g, sources, points, axis, lo[axis], 1, lo, hi);
    if (m->kind == TOR_MODE && l->nplane) add_axial(l, job, g, points, faults);
    break;
  }
  case TOR_FLUX_BOX:
    for (int a = 0; a < 3; a++)
      if (lo[a] >= hi[a])
        tor_fault_at(faults, tor_job_monitor_place(job, m), "the box is thinner than a cell along %c",
                     tor_axis_name(job, a));
    add_closed_box(l, g, sources, points, lo, hi);
    break;
  case TOR_CROSS_SECTION: make_cross_section(l, job, g, sources, points, faults); break;
  case TOR_ORDERS: make_orders(l, job, g, sources, points, faults); break;
  case TOR_FAR_FIELD:
    tor_far_surface_check(job, g, sources, m, lo, hi, &l->medium, faults);
    if (faults->count) break;
    for (int a = 0; a < 3 && !l->nplane; a++)
      if (lo[a] == hi[a]) add_plane(l, g, sources, points, a, lo[a], 1, lo, hi);
    if (!l->nplane) add_closed_box(l, g, sources, points, lo, hi);
    break;
  case TOR_DECAY_RATE: add_dipole(l, job, g, points, faults); break;
  case TOR_ENERGY_DENSITY:
  case TOR_MODE_VOLUME:
  case TOR_ABSORPTION: add_volume(l, job, g, points, lo, hi, faults); break;
  case TOR_MULTIPOLE:
  case TOR_FORCE:
    check_force(l, job, g, sources, lo, hi, faults);
    if (!faults->count) tor_far_surface_check(job, g, sources, m, lo, hi, &l->medium, faults);
    if (!faults->count && m->kind == TOR_FORCE) add_stress_box(l, g, sources, points, lo, hi);
    if (!faults->count && m->kind == TOR_MULTIPOLE) add_closed_box(l, g, sources, points, lo, hi);
    break;
  default: break; /* energy, permittivity, snapshot: no points */
  }
}

/* Two periods of the first source's centre between energy sums, or 100 steps. */
static int automatic_energy(const struct tor_job *job, const struct tor_grid *g) {
  for (int i = 0; i < job->nsources; i++)
    if (job->sources[i].profile.kind != TOR_TABLE)
      return (int)fmin(ceil(2 * job->sources[i].profile.wavelength / g->ct), 1e9);
  return 100;
}

int tor_monitors_energy_every(const struct tor_job *job, const struct tor_grid *grid) {
  int least = job->run_decay > 0 || job->run_until > 0 ? automatic_energy(job, grid) : 0;
  for (int i = 0; i < job->nmonitors; i++) {
    if (job->monitors[i].kind != TOR_ENERGY) continue;
    const int every = job->monitors[i].every > 0 ? job->monitors[i].every : automatic_energy(job, grid);
    if (!least || every < least) least = every;
  }
  return least;
}

struct tor_monitors *tor_monitors_new(const struct tor_job *job, const struct tor_grid *grid,
                                      const struct tor_sources *sources, tor_gidx steps, struct tor_faults *faults) {
  struct tor_monitors *ms = tor_alloc(1, sizeof *ms, "monitors");
  ms->grid = grid;
  ms->steps = steps;
  ms->count = job->nmonitors;
  ms->recorder = tor_alloc((size_t)job->nmonitors + 1, sizeof *ms->recorder, "monitors");
  ms->group = tor_alloc(2 * (size_t)job->nmonitors + 1, sizeof *ms->group, "monitors");
  ms->energy_every = tor_monitors_energy_every(job, grid);
  for (int i = 0; i < job->nmonitors; i++) {
    struct tor_recorder *l = &ms->recorder[i];
    l->spec = &job->monitors[i];
    l->group = -1;
    if (!tor_monitor_records(l->spec)) continue;
    l->nfreq = l->spec->nwavelength;
    l->omega = tor_alloc((size_t)l->nfreq, sizeof *l->omega, "monitors");
    for (int q = 0; q < l->nfreq; q++) l->omega[q] = 2 * TOR_PI * TOR_C0 / l->spec->wavelength[q];
    tor_gidx points = 0;
    make_patches(l, job, grid, sources, &points, faults);
    if (faults->count) continue;
    l->group = ms->ngroup++;
    ms->group[l->group].npoints = points;
    tor_recorder_set_samples(ms, l, job, &ms->group[l->group]);
  }
  if (tor_grid_complex(grid)) {
    ms->imaginary = ms->ngroup;
    for (int i = 0; i < ms->imaginary; i++) ms->group[ms->ngroup++] = ms->group[i];
  }
  ms->sample = tor_alloc((size_t)ms->ngroup + 1, sizeof *ms->sample, "monitors");
  ms->phase = tor_alloc((size_t)ms->ngroup + 1, sizeof *ms->phase, "monitors");
  return ms;
}

void tor_monitors_free(struct tor_monitors *ms) {
  if (!ms) return;
  for (int i = 0; i < ms->count; i++) {
    free(ms->recorder[i].patch);
    free(ms->recorder[i].plane);
    free(ms->recorder[i].omega);
    free(ms->recorder[i].sample_step);
  }
  for (int i = 0; i < ms->ngroup; i++) {
    free(ms->group[i].data);
    free(ms->sample[i]);
    free(ms->phase[i]);
  }
  free(ms->sample);
  free(ms->phase);
  free(ms->recorder);
  free(ms->group);
  free(ms);
}
