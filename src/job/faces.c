/* Surfaces across the axes: see faces.h. */
#include "src/job/faces.h"

#include <math.h>
#include <string.h>

#include "src/job/even.h"
#include "src/job/geometry.h"
#include "src/job/outline.h"

int tor_faces_add(struct tor_faces *f, int axis, double at, double lo, double hi) {
  if (!(at > lo && at < hi)) return 1;
  for (int i = 0; i < f->n[axis]; i++)
    if (f->at[axis][i] == at) return 1;
  if (f->n[axis] == TOR_FACES_MOST) return 0;
  f->at[axis][f->n[axis]++] = at;
  return 1;
}

static int add_ends(struct tor_faces *f, int axis, const double end[2], const double lo[3], const double hi[3]) {
  return tor_faces_add(f, axis, end[0], lo[axis], hi[axis]) && tor_faces_add(f, axis, end[1], lo[axis], hi[axis]);
}

/* The ends of an object whose surface there lies across the axis. Returns 0 where it has none of this kind. */
static int flat_ends(const struct tor_object *o, int axis, double end[2]) {
  double bounds[2][3], ends[2];
  const int leans = !o->pose.is_turned && o->axis == axis && (o->shape == TOR_CONE || tor_object_has_outline(o));
  if (!leans && tor_object_ends(o, axis, 2, ends) < 0) return 0;
  tor_object_bounds(o, bounds[0], bounds[1]);
  for (int side = 0; side < 2; side++) end[side] = bounds[side][axis];
  return 1;
}

/* Whether the object's surface in the box lies across one axis alone, which is added. */
static int is_flat_end(const struct tor_object *o, int axis, const double end[2], const double lo[3],
                       const double hi[3]) {
  static const double INSIDE = 1e-9; /* for rounding */
  double from[3], to[3];
  memcpy(from, lo, sizeof from);
  memcpy(to, hi, sizeof to);
  const double margin = INSIDE * (hi[axis] - lo[axis]);
  from[axis] = fmax(lo[axis], end[0] + margin);
  to[axis] = fmin(hi[axis], end[1] - margin);
  return from[axis] < to[axis] && tor_object_holds_box(o, from, to) == 1;
}

static int add_parts(const struct tor_object *o, const double lo[3], const double hi[3], struct tor_faces *f) {
  for (int i = 0; i < o->nparts; i++)
    if (!tor_object_holds_box(&o->part[i], lo, hi) && !tor_object_faces(&o->part[i], lo, hi, f)) return 0;
  return 1;
}

static int add_outline(const struct tor_object *o, const double end[2], const double lo[3], const double hi[3],
                       struct tor_faces *f) {
  const int u = (o->axis + 1) % 3, v = (o->axis + 2) % 3;
  return tor_outline_faces(o, (const double[2]){lo[u], lo[v]}, (const double[2]){hi[u], hi[v]}, f) &&
         add_ends(f, o->axis, end, lo, hi);
}

int tor_object_faces(const struct tor_object *o, const double lo[3], const double hi[3], struct tor_faces *f) {
  double end[2];
  if (o->nparts) return add_parts(o, lo, hi, f);
  for (int axis = 0; axis < 3; axis++)
    if (flat_ends(o, axis, end) && is_flat_end(o, axis, end, lo, hi)) return add_ends(f, axis, end, lo, hi);
  if (o->pose.is_turned) return 0;
  if ((o->shape == TOR_PRISM || o->shape == TOR_PATH) && o->slope == 0)
    return flat_ends(o, o->axis, end) && add_outline(o, end, lo, hi, f);
  for (int axis = 0; axis < 3; axis++)
    if ((o->shape != TOR_BOX && o->shape != TOR_LAYER) || !flat_ends(o, axis, end) || !add_ends(f, axis, end, lo, hi))
      return 0;
  return 1;
}
