/* Shapes: containment of points, bounds, and the volume fraction of each medium in a small box. */
#include "src/job/geometry.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

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

static int bounds_miss(const struct tor_object *o, const double lo[3], const double hi[3]) {
  double olo[3], ohi[3];
  tor_object_bounds(o, olo, ohi);
  for (int a = 0; a < 3; a++)
    if (ohi[a] < lo[a] || olo[a] > hi[a]) return 1;
  return 0;
}

static int mix_slot(struct tor_mix *mix, int medium) {
  for (int m = 0; m < mix->count; m++)
    if (mix->medium[m] == medium) return m;
  if (mix->count == TOR_MIX_MAX) return TOR_MIX_MAX - 1;
  mix->medium[mix->count] = medium;
  return mix->count++;
}

/* The objects that affect the box, in painting order, without those that miss it or lie below one that fills it.
 * Returns their number, or -1 when they are more than `most`. *filled: near[0] contains the whole box. */
static int near_objects(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                        const double hi[3], int most, int *near, int *filled) {
  int n = 0, holds;
  *filled = 0;
  for (int i = nlist; !*filled && (i = tor_objects_top(objects, list, i, lo, hi, &holds)) >= 0;) {
    if (bounds_miss(&objects[list[i]], lo, hi)) continue;
    if (n == most) return -1;
    near[n++] = list[i];
    *filled = holds > 0;
  }
  for (int i = 0; i < n / 2; i++) {
    int swap = near[i];
    near[i] = near[n - 1 - i];
    near[n - 1 - i] = swap;
  }
  return n;
}

static int medium_at(const struct tor_object *objects, const int *list, int nlist, const double x[3]) {
  const int top = tor_objects_at(objects, list, nlist, x);
  return top < 0 ? -1 : objects[list[top]].medium;
}

/* The unit normal from the moments of the n^3 samples, `hits` of them in a medium, about the box's centre.
 * `first` is in metres; in a cube it points along the normal, in a box with edges edge[] [of the longest] each part is
 * larger by its edge squared. A sheet in the middle has none, so the axis whose `second` moment (in box units) differs
 * most from that of an even spread is used instead, if one differs. */
static void mix_normal(const double first[3], const double second[3], double hits, double n, double scale,
                       const double edge[3], double normal[3]) {
  double total = n * n * n, norm = 0, part[3];
  for (int a = 0; a < 3; a++) {
    part[a] = fabs(first[a]) > 1e-9 * scale * total ? first[a] / (edge[a] * edge[a])
                                                    : 0; /* rounding leaves 1e-16 where symmetry requires 0 */
    norm = hypot(norm, part[a]);
  }
  if (norm > 0) {
    for (int a = 0; a < 3; a++) normal[a] = part[a] / norm;
    return;
  }
  double even = hits * (1 - 1 / (n * n)) / 12;
  for (int a = 0; a < 3; a++) part[a] = fabs(second[a] - even);
  for (int a = 0; a < 3; a++)
    if (part[a] > 1e-9 * total && part[a] > 1.5 * fmax(part[(a + 1) % 3], part[(a + 2) % 3])) normal[a] = 1;
}

/* The normals of a mix with shares, from the sums of n^3 samples. */
static void find_normals(double first[][3], double second[][3], double n, const double lo[3], const double hi[3],
                         struct tor_mix *mix) {
  const double scale = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2])), all = n * n * n;
  double edge[3];
  if (mix->count == 1) return;
  for (int a = 0; a < 3; a++) {
    edge[a] = (hi[a] - lo[a]) / scale;
    if (fabs(edge[a] - 1) < 1e-9) edge[a] = 1; /* a cube but for rounding */
  }
  mix_normal(first[0], second[0], mix->share[0] * all, n, scale, edge, mix->normal);
  for (int m = 0; m < mix->count && mix->count > 2; m++)
    mix_normal(first[m], second[m], mix->share[m] * all, n, scale, edge, mix->of_medium[m]);
}

/* Samples the box, of which those of the list are all that can matter. */
static void sample_box(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                       const double hi[3], int samples, struct tor_mix *mix) {
  double n = samples, first[TOR_MIX_MAX][3] = {{0}}, second[TOR_MIX_MAX][3] = {{0}};
  int64_t hits[TOR_MIX_MAX] = {0};
  for (int i = 0; i < samples; i++)
    for (int j = 0; j < samples; j++)
      for (int k = 0; k < samples; k++) {
        double f[3] = {(i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n}, x[3];
        for (int a = 0; a < 3; a++) x[a] = lo[a] + f[a] * (hi[a] - lo[a]);
        int slot = mix_slot(mix, medium_at(objects, list, nlist, x));
        hits[slot]++;
        for (int a = 0; a < 3; a++) {
          first[slot][a] += (f[a] - 0.5) * (hi[a] - lo[a]);
          second[slot][a] += (f[a] - 0.5) * (f[a] - 0.5);
        }
      }

  for (int m = 0; m < mix->count; m++) mix->share[m] = (double)hits[m] / (n * n * n);
  find_normals(first, second, n, lo, hi, mix);
}

/* Sums over a box: each medium's share, first moments [m] and second moments about the centre, in box units. */
struct moments {
  double share[TOR_MIX_MAX], first[TOR_MIX_MAX][3], second[TOR_MIX_MAX][3];
};

/* Adds the part from `from` to `to` of a line along `axis`, at f[] across it, that stands for `weight` of the box. */
static void add_part(struct moments *sum, int slot, int axis, const double f[3], double from, double to, double weight,
                     const double size[3]) {
  const double length = weight * (to - from), end = to - 0.5, begin = from - 0.5;
  sum->share[slot] += length;
  for (int a = 0; a < 3; a++) {
    const double first = a == axis ? 0.5 * (begin + end) : f[a] - 0.5;
    const double second = a == axis ? (begin * begin + begin * end + end * end) / 3 : first * first;
    sum->first[slot][a] += length * first * size[a];
    sum->second[slot][a] += length * second;
  }
}

/* Where the medium changes between `from` and `to` on a line through x. */
static double find_change(const struct tor_object *objects, const int *list, int nlist, const double x[3], int axis,
                          double lo, double size, double from, double to, int medium) {
  double at[3] = {x[0], x[1], x[2]};
  for (int step = 0; step < 16; step++) {
    const double middle = 0.5 * (from + to);
    at[axis] = lo + middle * size;
    *(medium_at(objects, list, nlist, at) == medium ? &from : &to) = middle;
  }
  return 0.5 * (from + to);
}

/* The same contents as sample_box with lines along an axis in place of points: the ends of each line's parts are found
 * by bisection, so shares and moments are smooth functions of the shapes' places. */
static void sample_lines(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                         const double hi[3], int samples, int axis, struct tor_mix *mix) {
  static const double NONE = 1e-5; /* a part that rounding makes where a face coincides with a side */
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  const double n = samples, size[3] = {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]};
  struct moments sum = {{0}, {{0}}, {{0}}};
  *mix = (struct tor_mix){0};
  for (int line = 0; line < samples * samples; line++) {
    const int row = line / samples;
    double f[3], x[3];
    f[j] = (row + 0.5) / n;
    f[k] = (line % samples + 0.5) / n;
    f[axis] = 0;
    for (int a = 0; a < 3; a++) x[a] = lo[a] + f[a] * size[a];
    int medium = medium_at(objects, list, nlist, x);
    for (int i = 0; i < samples; i++) {
      const double from = i / n, to = (i + 1) / n;
      x[axis] = lo[axis] + to * size[axis];
      const int next = medium_at(objects, list, nlist, x);
      const double change =
          next == medium ? to : find_change(objects, list, nlist, x, axis, lo[axis], size[axis], from, to, medium);
      if (change - from > NONE) add_part(&sum, mix_slot(mix, medium), axis, f, from, change, 1 / (n * n), size);
      if (to - change > NONE) add_part(&sum, mix_slot(mix, next), axis, f, change, to, 1 / (n * n), size);
      medium = next;
    }
  }
  for (int m = 0; m < mix->count; m++) {
    mix->share[m] = sum.share[m];
    sum.second[m][axis] *= 1 - 1 / (n * n); /* of points, as find_normals expects it */
    for (int a = 0; a < 3; a++) {
      sum.first[m][a] *= n * n * n;
      sum.second[m][a] *= n * n * n;
    }
  }
  find_normals(sum.first, sum.second, n, lo, hi, mix);
}

static int largest_axis(const double normal[3]) {
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (fabs(normal[a]) > (1 + 1e-6) * fabs(normal[axis])) axis = a; /* by more than rounding: images choose alike */
  return axis;
}

static void mix_of(const struct tor_object *objects, const int *list, int nlist, const double lo[3], const double hi[3],
                   int samples, int by_lines, struct tor_mix *mix) {
  enum { FEW = 32 };
  int few[FEW], *near = few, filled, nnear = near_objects(objects, list, nlist, lo, hi, FEW, few, &filled);
  *mix = (struct tor_mix){0};
  if (nnear < 0) {
    near = tor_alloc((size_t)nlist, sizeof *near, "objects");
    nnear = near_objects(objects, list, nlist, lo, hi, nlist, near, &filled);
  }
  int same = nnear == 0 || filled; /* one medium fills the box, whatever is painted over what */
  for (int i = 1; i < nnear; i++) same &= objects[near[i]].medium == objects[near[0]].medium;
  if (same) {
    mix->count = 1;
    mix->medium[0] = nnear ? objects[near[0]].medium : -1;
    mix->share[0] = 1.0;
  } else {
    enum { FEW_SAMPLES = 4 }; /* to find the axis of lines */
    sample_box(objects, near, nnear, lo, hi, by_lines && samples > FEW_SAMPLES ? FEW_SAMPLES : samples, mix);
    if (by_lines) sample_lines(objects, near, nnear, lo, hi, samples, largest_axis(mix->normal), mix);
  }
  if (near != few) free(near);
}

void tor_geometry_mix(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                      const double hi[3], int samples, struct tor_mix *mix) {
  mix_of(objects, list, nlist, lo, hi, samples, 0, mix);
}

void tor_geometry_mix_lines(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                            const double hi[3], int samples, struct tor_mix *mix) {
  mix_of(objects, list, nlist, lo, hi, samples, 1, mix);
}

/* Adds to `sum` the first moment of a medium on a chord through `center`, at across[] from it. */
static void add_chord(const struct tor_object *objects, const int *list, int nlist, const double center[3], int axis,
                      const double across[2], double half, int medium, double sum[3]) {
  enum { POINTS = 8 };
  double x[3] = {center[0], center[1], center[2]};
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  const double lo = center[axis] - half, size = 2 * half;
  x[j] += across[0];
  x[k] += across[1];
  x[axis] = lo;
  int here = medium_at(objects, list, nlist, x);
  for (int i = 0; i < POINTS; i++) {
    const double from = i / (double)POINTS, to = (i + 1) / (double)POINTS;
    x[axis] = lo + to * size;
    const int next = medium_at(objects, list, nlist, x);
    double begin = from, end = to;
    if (next != here) {
      const double change = find_change(objects, list, nlist, x, axis, lo, size, from, to, here);
      *(here == medium ? &end : &begin) = change;
    }
    if (here == medium || next == medium) {
      const double length = (end - begin) * size;
      sum[axis] += length * (0.5 * (begin + end) - 0.5) * size;
      sum[j] += length * across[0];
      sum[k] += length * across[1];
    }
    here = next;
  }
}

int tor_geometry_normal(const struct tor_object *objects, const int *list, int nlist, const double center[3],
                        double radius, int samples, int axis, int medium, double normal[3]) {
  double sum[3] = {0}, norm = 0;
  for (int line = 0; line < samples * samples; line++) {
    const int row = line / samples;
    const double across[2] = {radius * (2 * (row + 0.5) / samples - 1),
                              radius * (2 * (line % samples + 0.5) / samples - 1)};
    const double square = radius * radius - across[0] * across[0] - across[1] * across[1];
    if (square > 0) add_chord(objects, list, nlist, center, axis, across, sqrt(square), medium, sum);
  }
  for (int a = 0; a < 3; a++) {
    if (fabs(sum[a]) < 1e-6 * radius * radius * radius * samples * samples)
      sum[a] = 0; /* rounding, where symmetry has 0 */
    norm = hypot(norm, sum[a]);
  }
  for (int a = 0; a < 3; a++) normal[a] = norm > 0 ? sum[a] / norm : 0;
  return norm > 0;
}
