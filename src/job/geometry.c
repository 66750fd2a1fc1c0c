/* Shapes: containment of points, bounds. What a small box holds of them: geometry_mix.c. */
#include "src/job/geometry.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static int in_polygon(const struct tor_object *o, double u, double v) {
  int inside = 0; /* even-odd rule: count the edges that a ray towards +u crosses */
  for (int i = 0, j = o->nvertex - 1; i < o->nvertex; j = i++) {
    const double *a = o->vertex[i], *b = o->vertex[j];
    if ((a[1] > v) != (b[1] > v) && u < a[0] + (v - a[1]) * (b[0] - a[0]) / (b[1] - a[1])) inside = !inside;
  }
  return inside;
}

static int in_round(const struct tor_object *o, const double x[3]) {
  int w = o->axis, u = (w + 1) % 3, v = (w + 2) % 3;
  double along = x[w] - o->center[w];
  if (fabs(along) > 0.5 * o->height) return 0;
  double radius = o->radius[0];
  if (o->shape == TOR_CONE && o->height > 0) radius += (o->radius[1] - o->radius[0]) * (along / o->height + 0.5);
  double du = x[u] - o->center[u], dv = x[v] - o->center[v];
  return du * du + dv * dv <= radius * radius;
}

int tor_object_contains(const struct tor_object *o, const double x[3]) {
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
  case TOR_PRISM:
    if (x[o->axis] < o->lo || x[o->axis] > o->hi) return 0;
    return in_polygon(o, x[(o->axis + 1) % 3], x[(o->axis + 2) % 3]);
  case TOR_LAYER: return x[o->axis] >= o->lo && x[o->axis] <= o->hi;
  }
  return 0;
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
    if (!tor_object_contains(o, x)) return 0;
  }
  return 1;
}

int tor_object_holds_box(const struct tor_object *o, const double lo[3], const double hi[3]) {
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
  case TOR_CONE: return holds_corners(o, lo, hi);
  case TOR_PRISM: break;
  }
  return 0;
}

static int is_identical(const struct tor_object *a, const struct tor_object *b) {
  return a->shape == b->shape && a->shape != TOR_PRISM && a->axis == b->axis && a->height == b->height &&
         a->lo == b->lo && a->hi == b->hi && !memcmp(a->center, b->center, sizeof a->center) &&
         !memcmp(a->size, b->size, sizeof a->size) && !memcmp(a->radius, b->radius, sizeof a->radius);
}

int tor_object_covers(const struct tor_object *outer, const struct tor_object *inner) {
  static const double MARGIN = 1e-9; /* for rounding */
  double apart = 0;
  if (is_identical(outer, inner)) return 1;
  if (outer->shape != inner->shape) return 0;
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

static void polygon_bounds(const struct tor_object *o, double lo[3], double hi[3]) {
  for (int c = 0; c < 2; c++) {
    int a = (o->axis + 1 + c) % 3;
    lo[a] = INFINITY;
    hi[a] = -INFINITY;
    for (int i = 0; i < o->nvertex; i++) {
      lo[a] = fmin(lo[a], o->vertex[i][c]);
      hi[a] = fmax(hi[a], o->vertex[i][c]);
    }
  }
}

void tor_object_bounds(const struct tor_object *o, double lo[3], double hi[3]) {
  for (int a = 0; a < 3; a++) {
    double half = 0;
    switch (o->shape) {
    case TOR_SPHERE: half = o->radius[0]; break;
    case TOR_ELLIPSOID: half = o->size[a]; break;
    case TOR_BOX: half = 0.5 * o->size[a]; break;
    case TOR_CYLINDER: half = a == o->axis ? 0.5 * o->height : o->radius[0]; break;
    case TOR_CONE: half = a == o->axis ? 0.5 * o->height : fmax(o->radius[0], o->radius[1]); break;
    case TOR_PRISM:
    case TOR_LAYER:
      lo[a] = a == o->axis ? o->lo : (double)-INFINITY;
      hi[a] = a == o->axis ? o->hi : (double)INFINITY;
      continue;
    }
    lo[a] = o->center[a] - half;
    hi[a] = o->center[a] + half;
  }
  if (o->shape == TOR_PRISM) polygon_bounds(o, lo, hi);
}
