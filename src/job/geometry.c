/* Shapes: containment of points, bounds. What a small box holds of them: geometry_mix.c. */
#include "src/job/geometry.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/outline.h"
#include "src/job/solid.h"
#include "src/job/turned.h"

static int in_round(const struct tor_object *o, const double x[3]) {
  int w = o->axis, u = (w + 1) % 3, v = (w + 2) % 3;
  double along = x[w] - o->center[w];
  if (fabs(along) > 0.5 * o->height) return 0;
  double radius = o->radius[0];
  if (o->shape == TOR_CONE && o->height > 0) radius += (o->radius[1] - o->radius[0]) * (along / o->height + 0.5);
  double du = x[u] - o->center[u], dv = x[v] - o->center[v];
  return du * du + dv * dv <= radius * radius;
}

/* A capsule and a torus: all points nearer than a radius to a straight line, to a circle. Returns that distance. */
static double from_middle(const struct tor_object *o, const double x[3]) {
  const int w = o->axis, u = (w + 1) % 3, v = (w + 2) % 3;
  const double along = fabs(x[w] - o->center[w]), across = hypot(x[u] - o->center[u], x[v] - o->center[v]);
  if (o->shape == TOR_TORUS) return hypot(across - o->radius[0], along);
  return hypot(across, fmax(along - (0.5 * o->height - o->radius[0]), 0));
}
static double thick_radius(const struct tor_object *o) { return o->radius[o->shape == TOR_TORUS]; }

static double inset_at(const struct tor_object *o, double along) { return o->slope * (along - o->level); }

/* Of a union, difference or intersection the first part that decides it. */
static int in_parts(const struct tor_object *o, const double x[3]) {
  for (int i = 0; i < o->nparts; i++) {
    const int deciding = o->shape == TOR_UNION || (o->shape == TOR_DIFFERENCE && i > 0);
    if (tor_object_contains(&o->part[i], x) == deciding) return o->shape == TOR_UNION;
  }
  return o->shape != TOR_UNION;
}

static int contains_own(const struct tor_object *o, const double x[3]) {
  double sum = 0;
  switch (o->shape) {
  case TOR_SPHERE:
    for (int a = 0; a < 3; a++) sum += (x[a] - o->center[a]) * (x[a] - o->center[a]);
    return sum <= o->radius[0] * o->radius[0];
  case TOR_ELLIPSOID:
    for (int a = 0; a < 3; a++) {
      double d = (x[a] - o->center[a]) / o->size[a];
      sum += d * d;
    }
    return sum <= 1.0;
  case TOR_BOX:
    for (int a = 0; a < 3; a++)
      if (fabs(x[a] - o->center[a]) > 0.5 * o->size[a]) return 0;
    return 1;
  case TOR_CYLINDER:
  case TOR_CONE: return in_round(o, x);
  case TOR_CAPSULE:
  case TOR_TORUS: return from_middle(o, x) <= thick_radius(o);
  case TOR_PRISM:
  case TOR_PATH:
  case TOR_ARC:
    if (x[o->axis] < o->lo || x[o->axis] > o->hi) return 0;
    return tor_outline_contains(o, x[(o->axis + 1) % 3], x[(o->axis + 2) % 3], inset_at(o, x[o->axis]));
  case TOR_LAYER: return x[o->axis] >= o->lo && x[o->axis] <= o->hi;
  case TOR_SOLID: return tor_solid_contains(o, x);
  case TOR_UNION:
  case TOR_DIFFERENCE:
  case TOR_INTERSECTION: return in_parts(o, x);
  }
  return 0;
}

int tor_object_contains(const struct tor_object *o, const double x[3]) {
  double own[3];
  if (!o->pose.is_turned) return contains_own(o, x);
  tor_pose_own(&o->pose, x, own);
  return contains_own(o, own);
}

/* tor_object_holds_box for a range along one axis. */
static int holds_range(double from, double to, double lo, double hi) {
  return lo >= from && hi <= to ? 1 : hi <= from || lo >= to ? -1 : 0;
}

/* The same of an ellipsoid, or across the axis of a cylinder (`across`; else -1), by the box's nearest and farthest
 * point. */
static int holds_round(const struct tor_object *o, const double size[3], int across, const double lo[3],
                       const double hi[3]) {
  static const double MARGIN = 1e-9; /* for rounding errors of points in the box */
  double nearest = 0, farthest = 0;
  for (int a = 0; a < 3; a++) {
    if (a == across) continue;
    const double below = (lo[a] - o->center[a]) / size[a], above = (hi[a] - o->center[a]) / size[a];
    const double least = below > 0 ? below : above < 0 ? -above : 0, most = below + above < 0 ? -below : above;
    nearest += least * least;
    farthest += most * most;
  }
  return nearest > 1 + MARGIN ? -1 : farthest < 1 - MARGIN ? 1 : 0;
}

/* The same for a convex object, by the box's corners: 1 or undecided. */
static int holds_corners(const struct tor_object *o, const double lo[3], const double hi[3]) {
  for (int corner = 0; corner < 8; corner++) {
    double x[3] = {corner & 1 ? hi[0] : lo[0], corner & 2 ? hi[1] : lo[1], corner & 4 ? hi[2] : lo[2]};
    if (!contains_own(o, x)) return 0;
  }
  return 1;
}

/* The same for a cone: by its corners, or by the box's distance from the surface of the endless cone. */
static int holds_cone(const struct tor_object *o, const double lo[3], const double hi[3]) {
  const int w = o->axis, u = (w + 1) % 3, v = (w + 2) % 3;
  const int along = holds_range(o->center[w] - 0.5 * o->height, o->center[w] + 0.5 * o->height, lo[w], hi[w]);
  if (along < 0) return -1;
  if (holds_corners(o, lo, hi)) return 1;
  const double half[3] = {0.5 * (hi[u] - lo[u]), 0.5 * (hi[v] - lo[v]), 0.5 * (hi[w] - lo[w])};
  const double steep = (o->radius[1] - o->radius[0]) / o->height, at = 0.5 * (lo[w] + hi[w]) - o->center[w];
  const double radius = 0.5 * (o->radius[0] + o->radius[1]) + steep * at + fabs(steep) * half[2];
  const double across = hypot(0.5 * (lo[u] + hi[u]) - o->center[u], 0.5 * (lo[v] + hi[v]) - o->center[v]);
  return across - hypot(half[0], half[1]) > fmax(radius, 0) * (1 + 1e-9) ? -1 : 0;
}

/* The same by the distance of the box's middle from that of a capsule or torus. */
static int holds_thick(const struct tor_object *o, const double lo[3], const double hi[3]) {
  const double middle[3] = {0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.5 * (lo[2] + hi[2])};
  const double around = 0.5 * (1 + 1e-9) * hypot(hypot(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]);
  const double distance = from_middle(o, middle), radius = thick_radius(o);
  return distance > radius + around ? -1 : distance < radius - around ? 1 : 0;
}

static int holds_outline(const struct tor_object *o, const double lo[3], const double hi[3]) {
  const int w = o->axis, u = (w + 1) % 3, v = (w + 2) % 3, along = holds_range(o->lo, o->hi, lo[w], hi[w]);
  if (along < 0) return -1;
  const double from = inset_at(o, fmax(lo[w], o->lo)), to = inset_at(o, fmin(hi[w], o->hi));
  const double inset[2] = {fmin(from, to), fmax(from, to)}, low[2] = {lo[u], lo[v]}, high[2] = {hi[u], hi[v]};
  const int across = tor_outline_holds(o, low, high, inset);
  return along < across ? along : across;
}

static int holds_parts(const struct tor_object *o, const double lo[3], const double hi[3]) {
  int least = 1, most = -1;
  for (int i = 0; i < o->nparts; i++) {
    const int part = tor_object_holds_box(&o->part[i], lo, hi);
    const int here = o->shape == TOR_DIFFERENCE && i > 0 ? -part : part;
    if (here < least) least = here;
    if (here > most) most = here;
  }
  return o->shape == TOR_UNION ? most : least;
}

static int holds_own(const struct tor_object *o, const double lo[3], const double hi[3]) {
  const double radius[3] = {o->radius[0], o->radius[0], o->radius[0]};
  int least = 1; /* of the axes */
  switch (o->shape) {
  case TOR_SPHERE: return holds_round(o, radius, -1, lo, hi);
  case TOR_ELLIPSOID: return holds_round(o, o->size, -1, lo, hi);
  case TOR_BOX:
    for (int a = 0; a < 3; a++) {
      const int here = holds_range(o->center[a] - 0.5 * o->size[a], o->center[a] + 0.5 * o->size[a], lo[a], hi[a]);
      if (here < least) least = here;
    }
    return least;
  case TOR_CYLINDER: {
    const int w = o->axis,
              along = holds_range(o->center[w] - 0.5 * o->height, o->center[w] + 0.5 * o->height, lo[w], hi[w]);
    const int across = holds_round(o, radius, w, lo, hi);
    return along < across ? along : across;
  }
  case TOR_LAYER: return holds_range(o->lo, o->hi, lo[o->axis], hi[o->axis]);
  case TOR_CONE: return holds_cone(o, lo, hi);
  case TOR_CAPSULE:
  case TOR_TORUS: return holds_thick(o, lo, hi);
  case TOR_PRISM:
  case TOR_PATH:
  case TOR_ARC: return holds_outline(o, lo, hi);
  case TOR_SOLID: return tor_solid_holds_box(o, lo, hi);
  case TOR_UNION:
  case TOR_DIFFERENCE:
  case TOR_INTERSECTION: return holds_parts(o, lo, hi);
  }
  return 0;
}

int tor_object_holds_box(const struct tor_object *o, const double lo[3], const double hi[3]) {
  double own_lo[3], own_hi[3];
  if (!o->pose.is_turned) return holds_own(o, lo, hi);
  tor_pose_own_box(&o->pose, lo, hi, own_lo, own_hi);
  return holds_own(o, own_lo, own_hi);
}

static int is_identical(const struct tor_object *a, const struct tor_object *b) {
  return a->shape == b->shape && a->shape != TOR_PRISM && a->shape <= TOR_LAYER && a->axis == b->axis &&
         a->height == b->height && a->lo == b->lo && a->hi == b->hi &&
         !memcmp(a->center, b->center, sizeof a->center) && !memcmp(a->size, b->size, sizeof a->size) &&
         !memcmp(a->radius, b->radius, sizeof a->radius) && !a->pose.is_turned && !b->pose.is_turned;
}

int tor_object_covers(const struct tor_object *outer, const struct tor_object *inner) {
  static const double MARGIN = 1e-9; /* for rounding */
  double apart = 0;
  if (is_identical(outer, inner)) return 1;
  if (outer->shape != inner->shape || outer->pose.is_turned || inner->pose.is_turned) return 0;
  for (int a = 0; a < 3; a++) apart = hypot(apart, outer->center[a] - inner->center[a]);
  switch (outer->shape) {
  case TOR_SPHERE: return apart + inner->radius[0] < (1 - MARGIN) * outer->radius[0];
  case TOR_BOX:
    for (int a = 0; a < 3; a++)
      if (2 * fabs(outer->center[a] - inner->center[a]) + inner->size[a] >= (1 - MARGIN) * outer->size[a]) return 0;
    return 1;
  case TOR_CYLINDER:
    return outer->axis == inner->axis && apart + inner->radius[0] < (1 - MARGIN) * outer->radius[0] &&
           2 * apart + inner->height < (1 - MARGIN) * outer->height;
  default: return 0;
  }
}

void tor_objects_hidden(const struct tor_object *objects, int count, char *hidden) {
  int above = -1; /* the lowest one that is seen so far */
  for (int o = count - 1; o >= 0; o--) {
    hidden[o] = (char)(above >= 0 && tor_object_covers(&objects[above], &objects[o]));
    if (hidden[o]) continue;
    if (above >= 0 && objects[above].medium == objects[o].medium && tor_object_covers(&objects[o], &objects[above]))
      hidden[above] = 1;
    above = o;
  }
}

void tor_objects_nest(struct tor_object *objects, int count) {
  for (int o = 0; o < count; o++)
    objects[o].nested = o > 0 && tor_object_covers(&objects[o - 1], &objects[o]) ? objects[o - 1].nested + 1 : 0;
}

/* The first place of those up to list[last] that each cover the next. */
static int nest_first(const struct tor_object *objects, const int *list, int last) {
  const int first = list[last] - objects[list[last]].nested;
  int from = first == list[last] ? last : 0, to = last;
  while (from < to) {
    const int middle = (from + to) / 2;
    if (list[middle] >= first)
      to = middle;
    else
      from = middle + 1;
  }
  return to;
}

int tor_objects_at(const struct tor_object *objects, const int *list, int nlist, const double x[3]) {
  for (int last = nlist - 1; last >= 0;) {
    const int first = nest_first(objects, list, last);
    if (tor_object_contains(&objects[list[first]], x)) {
      int in = first, out = last + 1; /* those of a nest that contain the point come first */
      while (out - in > 1) {
        const int middle = (in + out) / 2;
        if (tor_object_contains(&objects[list[middle]], x))
          in = middle;
        else
          out = middle;
      }
      return in;
    }
    last = first - 1;
  }
  return -1;
}

int tor_objects_top(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                    const double hi[3], int *holds) {
  for (int last = nlist - 1; last >= 0;) {
    *holds = tor_object_holds_box(&objects[list[last]], lo, hi);
    if (*holds >= 0) return last;
    const int first = nest_first(objects, list, last);
    if (first < last) *holds = tor_object_holds_box(&objects[list[first]], lo, hi);
    if (*holds >= 0) {
      int in = first, out = last; /* those of a nest that miss the box come last */
      while (out - in > 1) {
        const int middle = (in + out) / 2, here = tor_object_holds_box(&objects[list[middle]], lo, hi);
        if (here >= 0) {
          in = middle;
          *holds = here;
        } else
          out = middle;
      }
      return in;
    }
    last = first - 1;
  }
  return -1;
}

static void outline_bounds(const struct tor_object *o, double lo[3], double hi[3]) {
  lo[o->axis] = o->lo;
  hi[o->axis] = o->hi;
  for (int c = 0; c < 2; c++) {
    const int a = (o->axis + 1 + c) % 3;
    const double widest = fmin(inset_at(o, o->lo), inset_at(o, o->hi));
    lo[a] = -tor_outline_support(o, c ? 0 : -1, c ? -1 : 0, widest);
    hi[a] = tor_outline_support(o, !c, c, widest);
  }
}

static void parts_bounds(const struct tor_object *o, double lo[3], double hi[3]) {
  for (int i = 0; i < (o->shape == TOR_DIFFERENCE ? 1 : o->nparts); i++) {
    double part[2][3] = {{0}};
    tor_object_bounds(&o->part[i], part[0], part[1]);
    for (int a = 0; a < 3; a++) {
      const int wider = o->shape == TOR_UNION;
      lo[a] = i == 0 ? part[0][a] : wider ? fmin(lo[a], part[0][a]) : fmax(lo[a], part[0][a]);
      hi[a] = i == 0 ? part[1][a] : wider ? fmax(hi[a], part[1][a]) : fmin(hi[a], part[1][a]);
    }
  }
}

static double half_extent(const struct tor_object *o, int a) {
  const int along = a == o->axis;
  switch (o->shape) {
  case TOR_ELLIPSOID: return o->size[a];
  case TOR_BOX: return 0.5 * o->size[a];
  case TOR_CYLINDER:
  case TOR_CAPSULE: return along ? 0.5 * o->height : o->radius[0];
  case TOR_CONE: return along ? 0.5 * o->height : fmax(o->radius[0], o->radius[1]);
  case TOR_TORUS: return along ? o->radius[1] : o->radius[0] + o->radius[1];
  default: return o->radius[0];
  }
}

void tor_object_bounds(const struct tor_object *o, double lo[3], double hi[3]) {
  if (o->nparts) {
    parts_bounds(o, lo, hi);
  } else if (o->shape == TOR_SOLID) {
    tor_solid_bounds(o, lo, hi);
  } else if (o->pose.is_turned) {
    tor_turned_bounds(o, lo, hi);
  } else if (tor_object_has_outline(o)) {
    outline_bounds(o, lo, hi);
  } else if (o->shape == TOR_LAYER) {
    for (int a = 0; a < 3; a++) {
      lo[a] = a == o->axis ? o->lo : (double)-INFINITY;
      hi[a] = a == o->axis ? o->hi : (double)INFINITY;
    }
  } else {
    for (int a = 0; a < 3; a++) {
      lo[a] = o->center[a] - half_extent(o, a);
      hi[a] = o->center[a] + half_extent(o, a);
    }
  }
}

/* --- Ownership --- */

void tor_object_free(struct tor_object *o) {
  tor_outline_index_free(o);
  free(o->vertex);
  tor_solid_leave(o->solid);
  tor_objects_free(o->part, o->nparts);
  o->vertex = NULL;
  o->solid = NULL;
  o->part = NULL;
}

void tor_objects_free(struct tor_object *objects, int count) {
  for (int i = 0; i < count; i++) tor_object_free(&objects[i]);
  free(objects);
}

struct tor_object tor_object_moved(const struct tor_object *object, const double by[3]) {
  struct tor_object o = *object;
  o.index = NULL;
  tor_solid_share(o.solid);
  if (o.nvertex) {
    o.vertex = tor_alloc((size_t)o.nvertex, sizeof *o.vertex, "objects");
    memcpy(o.vertex, object->vertex, (size_t)o.nvertex * sizeof *o.vertex);
  }
  if (o.nparts) {
    o.part = tor_alloc((size_t)o.nparts, sizeof *o.part, "objects");
    for (int i = 0; i < o.nparts; i++) o.part[i] = tor_object_moved(&object->part[i], by);
  }
  for (int a = 0; a < 3; a++) *(o.pose.is_turned ? &o.pose.at[a] : &o.center[a]) += by[a];
  if (!o.pose.is_turned) {
    o.lo += by[o.axis];
    o.hi += by[o.axis];
    o.level += by[o.axis];
    for (int i = 0; i < o.nvertex; i++)
      for (int c = 0; c < 2; c++) o.vertex[i][c] += by[(o.axis + 1 + c) % 3];
  }
  tor_outline_index_make(&o);
  return o;
}

void tor_object_scale(struct tor_object *o, double by, int axes) {
  for (int i = 0; i < o->nparts; i++) tor_object_scale(&o->part[i], by, axes);
  for (int a = 0; a < axes; a++) {
    o->center[a] *= by;
    o->size[a] *= by;
    o->pose.own[a] *= by;
    o->pose.at[a] *= by;
  }
  for (int i = 0; i < 2; i++) o->radius[i] *= by;
  for (int a = 0; a < axes; a++) o->reach[0][a] *= by, o->reach[1][a] *= by;
  o->zoom *= by;
  o->width *= by;
  for (int i = 0; i < o->nvertex; i++)
    for (int c = 0; c < 2; c++) o->vertex[i][c] *= by;
  if (axes == 3 || o->shape == TOR_LAYER) {
    o->height *= by;
    o->lo *= by;
    o->hi *= by;
    o->level *= by;
  }
  tor_outline_index_make(o);
}
