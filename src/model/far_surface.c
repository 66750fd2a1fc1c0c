/* Where the surface of a far field may lie: see far_surface.h. */
#include "src/model/far_surface.h"

#include <stdio.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/cylindrical.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/far_layers.h"
#include "src/model/far_near.h"
#include "src/model/flat_walls.h"
#include "src/model/orders.h"
#include "src/model/source.h"

/* Whether nothing depends on the axis. */
static int is_flat(const struct tor_grid *g, int axis) { return (g->plane || g->angular) && axis == TOR_X; }

unsigned tor_far_surface_mirrors(const struct tor_grid *g, int plane_axis, const int lo[3], const int hi[3]) {
  unsigned mirrors = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2, node = f % 2 ? hi[a] : lo[a];
    if (g->angular && f == 2 * TOR_RADIAL) continue; /* the axis */
    if (a == plane_axis || is_flat(g, a) || tor_grid_periodic(g, a) || tor_grid_layer(g, f)) continue;
    if (node == (f % 2 ? g->n[a] : tor_grid_first(g, a))) mirrors |= 1u << f;
  }
  return mirrors;
}

static void check_layers(const struct tor_job *job, const struct tor_grid *g, const struct tor_place *place,
                         const int lo[3], const int hi[3], struct tor_faults *faults) {
  char faces[64] = "";
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2, layer = tor_grid_layer(g, f), first = tor_grid_first(g, a);
    if (is_flat(g, a) || !layer || (f % 2 ? hi[a] <= g->n[a] - layer : lo[a] >= first + layer)) continue;
    snprintf(faces + strlen(faces), sizeof faces - strlen(faces), " %s", tor_job_face_name(job, f));
  }
  if (*faces)
    tor_fault_at(faults, place,
                 "the surface reaches into the absorbing layers at%s, need " TOR_NEEDED("one that ends before them"),
                 faces);
}

/* How a surface lies to a total-field box: CUT where it has a point on a face. */
enum relation { CUT, AROUND, WITHIN, BESIDE };

static enum relation relation(const struct tor_grid *g, const struct tor_box *box, const int lo[3], const int hi[3]) {
  int around = 1, within = 1, beside = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2, face = f % 2 ? -box->hi[a] : box->lo[a], side = f % 2 ? -hi[a] : lo[a],
              other = f % 2 ? -lo[a] : hi[a];
    if (is_flat(g, a) || box->open[f]) continue;
    around &= side < face && lo[a] < hi[a];
    within &= side > face;
    beside |= other < face;
  }
  return around ? AROUND : within ? WITHIN : beside ? BESIDE : CUT;
}

int tor_far_surface_within(const struct tor_grid *g, const struct tor_sources *sources, const int lo[3],
                           const int hi[3]) {
  for (int i = 0; i < sources->nincident; i++)
    if (relation(g, tor_incident_box(sources, i), lo, hi) == WITHIN) return 1;
  return 0;
}

static void check_waves(const struct tor_job *job, const struct tor_grid *g, const struct tor_sources *sources,
                        const struct tor_place *place, const int lo[3], const int hi[3], struct tor_faults *faults) {
  for (int i = 0; i < sources->nincident; i++)
    if (relation(g, tor_incident_box(sources, i), lo, hi) == CUT)
      tor_fault_at(faults, place,
                   "the surface crosses or touches the total-field box of %s, need " TOR_NEEDED(
                       "one around it, within it or beside it"),
                   tor_incident_source(sources, i)->name);
  for (int a = 0; a < 3; a++)
    if (tor_grid_periodic(g, a) && !is_flat(g, a))
      tor_fault_at(faults, place,
                   "the domain is periodic along %c, so that objects repeat without end, need " TOR_NEEDED(
                       "a monitor \"orders\""),
                   tor_axis_name(job, a));
}

static void check_media(const struct tor_job *job, const struct tor_grid *g, const struct tor_place *place,
                        const int lo[3], const int hi[3], int *medium, struct tor_faults *faults) {
  int seen = 0;
  for (int f = 0; f < TOR_NFACE; f++) {
    const int a = f / 2, node = f % 2 ? hi[a] : lo[a];
    if (is_flat(g, a) || node <= tor_grid_first(g, a) || node >= g->n[a]) continue;
    if (!((lo[a] == hi[a]) || (lo[(a + 1) % 3] < hi[(a + 1) % 3] && lo[(a + 2) % 3] < hi[(a + 2) % 3]))) continue;
    const int here = tor_plane_medium(job, g, a, node, lo, hi);
    *medium = seen && here != *medium && here >= 0 ? TOR_MEDIUM_MIXED : seen && *medium < 0 ? *medium : here;
    seen = 1;
  }
  if (!seen)
    tor_fault_at(faults, place,
                 "no side of the surface lies inside the domain, need " TOR_NEEDED("a smaller box or a plane"));
  else if (*medium < 0)
    tor_fault_at(faults, place,
                 "the surface crosses %s, need " TOR_NEEDED("one in a single isotropic medium without losses"),
                 *medium != TOR_MEDIUM_MIXED ? "a medium that absorbs, is anisotropic or has a Kerr effect"
                                             : tor_flat_phrase(TOR_FLAT_SEVERAL, job, g));
}

/* Whether a face of the surface may cut an object, by its bounds. */
static int cuts(const struct tor_grid *g, const struct tor_object *o, const int lo[3], const int hi[3]) {
  double from[3], to[3];
  int meets = 1, outside = 0;
  tor_object_bounds(o, from, to);
  for (int a = 0; a < 3; a++) {
    const double low = tor_grid_at(g, a, lo[a]) - g->d[a], high = tor_grid_at(g, a, hi[a]) + g->d[a];
    if (is_flat(g, a)) continue;
    meets &= from[a] < high && to[a] > low;
    outside |= from[a] < low + 2 * g->d[a] || to[a] > high - 2 * g->d[a] || lo[a] == hi[a];
  }
  return meets && outside;
}

/* Of a surface over layers, or through them. */
static void check_stack(const struct tor_job *job, const struct tor_grid *g, const struct tor_place *place,
                        const struct tor_far_stack *s, const int lo[3], const int hi[3], unsigned mirrors,
                        struct tor_faults *faults) {
  for (int i = 0; i <= s->count; i++) {
    const struct tor_medium *m = &job->media[s->medium[i]];
    if (m->conducts || tor_medium_needs_nodes(m) || !tor_medium_is_isotropic(m))
      tor_fault_at(faults, place, "\"%s\", a layer, is no isotropic medium, need " TOR_NEEDED("layers of such media"),
                   m->name);
  }
  for (int o = 0; o < job->nobjects; o++)
    if (!tor_object_is_layer(&job->objects[o], s->axis) && cuts(g, &job->objects[o], lo, hi)) {
      tor_fault_at(faults, place,
                   "the surface cuts an object of \"%s\", need " TOR_NEEDED("one that whole layers alone pass through"),
                   job->media[job->objects[o].medium].name);
      break;
    }
  if (mirrors >> 2 * s->axis & 3)
    tor_fault_at(
        faults, place,
        "the surface ends at a mirror across the layers, need " TOR_NEEDED("absorbing layers at both ends of %c"),
        tor_axis_name(job, s->axis));
}

void tor_far_surface_check(const struct tor_job *job, const struct tor_grid *g, const struct tor_sources *sources,
                           const struct tor_monitor *m, const int lo[3], const int hi[3], int *medium,
                           struct tor_faults *faults) {
  const struct tor_place *place = tor_job_monitor_place(job, m);
  int thin = 0, across = -1;
  for (int a = 0; a < 3; a++)
    if (lo[a] == hi[a]) across = a, thin++;
  const int wanted = (m->lo[0] == m->hi[0]) + (m->lo[1] == m->hi[1]) + (m->lo[2] == m->hi[2]);
  if (thin != wanted) {
    tor_fault_at(faults, place, "the surface is narrower than a cell");
    return;
  }
  const unsigned mirrors = tor_far_surface_mirrors(g, across, lo, hi);
  for (int a = 0; a < 3; a++)
    if ((mirrors >> 2 * a & 3) == 3)
      tor_fault_at(faults, place,
                   "the surface ends at mirrors on both sides along %c, whose images have no end, need " TOR_NEEDED(
                       "an absorbing layer at one of them"),
                   tor_axis_name(job, a));
  check_layers(job, g, place, lo, hi, faults);
  check_waves(job, g, sources, place, lo, hi, faults);
  const struct tor_far_stack stack = tor_far_stack_of(job, g);
  if (!faults->count && m->kind == TOR_FAR_FIELD && !g->angular && stack.count)
    check_stack(job, g, place, &stack, lo, hi, mirrors, faults);
  else if (!faults->count)
    check_media(job, g, place, lo, hi, medium, faults);
  if (!faults->count && m->seen_step > 0) tor_far_near_check(job, g, m, &stack, lo, hi, faults);
}
