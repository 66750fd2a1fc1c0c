/* Objects that are the same all along an axis: see even.h. */
#include "src/job/even.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "src/job/geometry.h"

static int is_even(const struct tor_object *o, int axis) {
  if (o->pose.is_turned && fabs(o->pose.matrix[axis][axis]) != 1) return 0;
  switch (o->shape) {
  case TOR_BOX:
  case TOR_LAYER: return 1;
  case TOR_CYLINDER: return o->axis == axis;
  case TOR_PRISM:
  case TOR_PATH:
  case TOR_ARC: return o->axis == axis && o->slope == 0;
  default: return 0;
  }
}

int tor_object_ends(const struct tor_object *o, int axis, int most, double *ends) {
  double end[2][3];
  int n = 0;
  for (int i = 0; i < o->nparts; i++) {
    const int more = tor_object_ends(&o->part[i], axis, most - n, ends + n);
    if (more < 0) return -1;
    n += more;
  }
  if (o->nparts) return n;
  if (!is_even(o, axis)) return -1;
  tor_object_bounds(o, end[0], end[1]);
  for (int side = 0; side < 2; side++) {
    if (!isfinite(end[side][axis])) continue;
    if (n == most) return -1;
    ends[n++] = end[side][axis];
  }
  return n;
}

/* Whether a pillar's sides all lie outside the box, so that there it varies along its own axis alone. */
static int is_cut_across(const struct tor_object *o, const double lo[3], const double hi[3]) {
  const int w = o->axis;
  if (o->pose.is_turned || !is_even(o, w) || o->shape == TOR_BOX || o->shape == TOR_LAYER) return 0;
  double end[2][3], slice[2][3];
  tor_object_bounds(o, end[0], end[1]);
  if (!isfinite(end[0][w]) || !isfinite(end[1][w])) return 0;
  memcpy(slice[0], lo, sizeof slice[0]);
  memcpy(slice[1], hi, sizeof slice[1]);
  slice[0][w] = slice[1][w] = 0.5 * (end[0][w] + end[1][w]);
  return tor_object_holds_box(o, slice[0], slice[1]) != 0;
}

uint64_t tor_even_begins(const struct tor_object *objects, const int *list, int nlist, int axis, const double box_lo[3],
                         const double box_hi[3], int n) {
  const double lo = box_lo[axis], size = box_hi[axis] - lo;
  enum { MOST = 32 };
  double ends[MOST];
  uint64_t begins = 1;
  for (int o = 0; o < nlist; o++) {
    const struct tor_object *object = &objects[list[o]];
    const int nends = tor_object_ends(object, axis, MOST, ends);
    if (nends < 0 && axis != object->axis && is_cut_across(object, box_lo, box_hi)) continue;
    if (nends < 0) return ~(uint64_t)0 >> (64 - n);
    for (int e = 0; e < nends; e++) {
      const double at = (ends[e] - lo) / size * n + 0.5; /* of sample i: i + 1 */
      if (!(at > 0.5 && at < n + 0.5)) continue;
      const int last = (int)floor(at), next = at - last < 1e-6 ? -1 : at - last > 1 - 1e-6 ? 1 : 0;
      if (last < n) begins |= (uint64_t)1 << last; /* the end lies between the samples last - 1 and last, or at one */
      if (next && last + next > 0 && last + next < n) begins |= (uint64_t)1 << (last + next); /* by rounding */
    }
  }
  return begins;
}
