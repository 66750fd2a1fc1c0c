/* Lines through objects: see object_line.h. */
#include "src/job/object_line.h"

#include <math.h>
#include <stdint.h>

#include "src/job/geometry.h"
#include "src/job/outline.h"

/* Of lengths and coordinates: above the rounding errors of an end where `square` (below) is above SURE. */
static const double ROUNDING = 1e-11, SURE = 1e-6;

static struct tor_line_part nothing(void) { return (struct tor_line_part){{1, 0}, 0}; }
static struct tor_line_part unknown(void) { return (struct tor_line_part){{-INFINITY, INFINITY}, INFINITY}; }
static struct tor_line_part between(double from, double to) { return (struct tor_line_part){{from, to}, 0}; }

/* About a centre, `square` = (half the part's length / radius)^2: near a tangent the ends are not sure. */
static struct tor_line_part about(double center, double radius, double square) {
  if (square < -SURE) return nothing();
  if (square < SURE) return unknown();
  const double half = radius * sqrt(square);
  return (struct tor_line_part){{center - half, center + half}, ROUNDING * radius};
}

static struct tor_line_part in_ellipsoid(const struct tor_object *o, int axis, const double x[3]) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3, is_sphere = o->shape == TOR_SPHERE;
  const double du = (x[u] - o->center[u]) / (is_sphere ? o->radius[0] : o->size[u]),
               dv = (x[v] - o->center[v]) / (is_sphere ? o->radius[0] : o->size[v]);
  return about(o->center[axis], is_sphere ? o->radius[0] : o->size[axis], 1 - du * du - dv * dv);
}

static struct tor_line_part in_box(const struct tor_object *o, int axis, const double x[3]) {
  for (int a = 0; a < 3; a++)
    if (a != axis && fabs(x[a] - o->center[a]) > 0.5 * o->size[a]) return nothing();
  return between(o->center[axis] - 0.5 * o->size[axis], o->center[axis] + 0.5 * o->size[axis]);
}

/* A cylinder, and a cone across its axis. */
static struct tor_line_part in_round(const struct tor_object *o, int axis, const double x[3]) {
  const int w = o->axis, u = (w + 1) % 3, v = (w + 2) % 3;
  if (axis == w) {
    const double du = x[u] - o->center[u], dv = x[v] - o->center[v];
    if (o->shape == TOR_CONE) return unknown();
    if (du * du + dv * dv > o->radius[0] * o->radius[0]) return nothing();
    return between(o->center[w] - 0.5 * o->height, o->center[w] + 0.5 * o->height);
  }
  const double along = x[w] - o->center[w];
  if (fabs(along) > 0.5 * o->height) return nothing();
  double radius = o->radius[0];
  if (o->shape == TOR_CONE && o->height > 0) radius += (o->radius[1] - o->radius[0]) * (along / o->height + 0.5);
  const int across = 3 - axis - w;
  const double most = fmax(o->radius[0], o->shape == TOR_CONE ? o->radius[1] : 0), d = x[across] - o->center[across];
  return most > 0 ? about(o->center[axis], most, (radius * radius - d * d) / (most * most)) : unknown();
}

static struct tor_line_part in_outline(const struct tor_object *o, int axis, const double x[3]) {
  if (axis != o->axis || o->slope != 0) return unknown();
  if (!tor_outline_contains(o, x[(axis + 1) % 3], x[(axis + 2) % 3], 0)) return nothing();
  return between(o->lo, o->hi);
}

static struct tor_line_part part_of(const struct tor_object *o, int axis, const double x[3]) {
  if (o->pose.is_turned) return unknown();
  switch (o->shape) {
  case TOR_SPHERE:
  case TOR_ELLIPSOID: return in_ellipsoid(o, axis, x);
  case TOR_BOX: return in_box(o, axis, x);
  case TOR_CYLINDER:
  case TOR_CONE: return in_round(o, axis, x);
  case TOR_PRISM:
  case TOR_PATH:
  case TOR_ARC: return in_outline(o, axis, x);
  case TOR_LAYER:
    if (axis == o->axis) return between(o->lo, o->hi);
    return x[o->axis] >= o->lo && x[o->axis] <= o->hi ? between(-INFINITY, INFINITY) : nothing();
  default: return unknown();
  }
}

struct tor_line_part tor_object_on_line(const struct tor_object *o, int axis, const double x[3]) {
  struct tor_line_part part = part_of(o, axis, x);
  double size = fabs(x[(axis + 1) % 3]) + fabs(x[(axis + 2) % 3]);
  for (int e = 0; e < 2; e++)
    if (isfinite(part.end[e])) size += fabs(part.end[e]);
  part.unsure += ROUNDING * size;
  return part;
}

/* -1: it contains nothing of the piece, 1: all, 0: it ends there, or may. */
static int holds_piece(const struct tor_line *line, const struct tor_object *o, const struct tor_line_part *part) {
  if (part->end[0] > part->end[1]) return -1;
  const double above = line->lo + line->size;
  if (!isfinite(part->unsure)) {
    static const double MARGIN = 1e-9; /* a line in a face is undecided */
    double lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
      const double from = a == line->axis ? line->lo : line->x[a], to = a == line->axis ? above : line->x[a];
      lo[a] = from - MARGIN * line->size;
      hi[a] = to + MARGIN * line->size;
    }
    return tor_object_holds_box(o, lo, hi);
  }
  if (part->end[1] + part->unsure < line->lo || part->end[0] - part->unsure > above) return -1;
  return part->end[0] + part->unsure < line->lo && part->end[1] - part->unsure > above;
}

int tor_object_has_solid(const struct tor_object *o) {
  int has = o->shape == TOR_SOLID;
  for (int i = 0; i < o->nparts && !has; i++) has = tor_object_has_solid(&o->part[i]);
  return has;
}

void tor_line_of_points(struct tor_line *line, const struct tor_object *objects, const int *list, int nlist, int axis,
                        const double x[3], double lo, double size) {
  line->objects = objects;
  line->list = list;
  line->nlist = nlist;
  line->axis = axis;
  for (int a = 0; a < 3; a++) line->x[a] = x[a];
  line->lo = lo;
  line->size = size;
  line->nparts = -1;
  line->base = -1;
}

void tor_line_make(struct tor_line *line, const struct tor_object *objects, const int *list, int nlist, int axis,
                   const double x[3], double lo, double size) {
  tor_line_of_points(line, objects, list, nlist, axis, x, lo, size);
  if (nlist > TOR_LINE_MOST) return;
  line->nparts = 0;
  for (int i = nlist - 1; i >= 0; i--) {
    const struct tor_object *o = &objects[list[i]];
    const struct tor_line_part part = tor_object_on_line(o, axis, x);
    const int holds = holds_piece(line, o, &part);
    if (holds > 0) {
      line->base = o->medium;
      break;
    }
    if (holds < 0) continue;
    line->object[line->nparts] = list[i];
    line->part[line->nparts++] = part;
  }
}

/* Of n intervals of equal length, the first one from `shift` of them before the piece's begin on: bit i is set where an
 * object may end in number i. */
static uint64_t ends_in(const struct tor_line *line, int n, double shift) {
  const uint64_t all = ~(uint64_t)0 >> (64 - n);
  uint64_t changes = line->nparts < 0 ? all : 0;
  for (int i = 0; i < line->nparts; i++) {
    const struct tor_line_part *part = &line->part[i];
    if (!isfinite(part->unsure)) return all;
    for (int e = 0; e < 2; e++) {
      static const double MORE = 1e-6; /* of an interval: for rounding errors of places */
      const double at = (part->end[e] - line->lo) / line->size * n + shift,
                   unsure = part->unsure / line->size * n + MORE;
      if (!(at > -unsure && at < n + unsure)) continue;
      const int first = (int)(at - unsure > 0 ? at - unsure : 0), last = (int)(at + unsure < n ? at + unsure : n - 1);
      for (int k = first; k <= last && k < n; k++) changes |= (uint64_t)1 << k;
    }
  }
  return changes;
}

uint64_t tor_line_changes(const struct tor_line *line, int n) { return ends_in(line, n, 0); }
uint64_t tor_line_sample_changes(const struct tor_line *line, int n) { return ends_in(line, n, 0.5); }

static int part_contains(const struct tor_line *line, int i, double at) {
  const struct tor_line_part *part = &line->part[i];
  if (isfinite(part->unsure)) {
    if (at < part->end[0] - part->unsure || at > part->end[1] + part->unsure) return 0;
    if (at > part->end[0] + part->unsure && at < part->end[1] - part->unsure) return 1;
  }
  double x[3] = {line->x[0], line->x[1], line->x[2]};
  x[line->axis] = at;
  return tor_object_contains(&line->objects[line->object[i]], x);
}

int tor_line_medium_there(const struct tor_line *line, double there) {
  if (line->nparts < 0) {
    double x[3] = {line->x[0], line->x[1], line->x[2]};
    x[line->axis] = there;
    const int top = tor_objects_at(line->objects, line->list, line->nlist, x);
    return top < 0 ? -1 : line->objects[line->list[top]].medium;
  }
  for (int i = 0; i < line->nparts; i++)
    if (part_contains(line, i, there)) return line->objects[line->object[i]].medium;
  return line->base;
}

int tor_line_medium(const struct tor_line *line, double at) {
  return tor_line_medium_there(line, line->lo + at * line->size);
}

enum { STEPS = 16 };

/* The result of the bisection where one sure end alone lies between; below 0: by steps. */
static double by_end(const struct tor_line *line, double from, double to) {
  const double lo = line->lo + from * line->size, hi = line->lo + to * line->size, step = (hi - lo) / (1 << STEPS);
  double place = 0, unsure = 0;
  int ends = 0;
  for (int i = 0; i < line->nparts; i++) {
    const struct tor_line_part *part = &line->part[i];
    if (!isfinite(part->unsure)) return -1;
    for (int e = 0; e < 2; e++) {
      if (part->end[e] < lo - part->unsure || part->end[e] > hi + part->unsure) continue;
      if (ends++) return -1;
      place = (part->end[e] - lo) / step;
      unsure = part->unsure / step;
    }
  }
  const double nearest = floor(place + 0.5), most = (1 << STEPS) - 1;
  if (!ends || (nearest > 0 && nearest <= most && fabs(place - nearest) < unsure + 1e-6)) return -1;
  const double below = place > 0 ? floor(place) : 0;
  return from + ((below < most ? below : most) + 0.5) * ((to - from) / (1 << STEPS));
}

double tor_line_change(const struct tor_line *line, double from, double to, int medium) {
  const double at = line->nparts < 0 ? -1 : by_end(line, from, to);
  const int steps = line->nparts < 0 && line->nlist > TOR_LINE_MANY ? 0 : STEPS;
  if (at >= 0) return at;
  for (int step = 0; step < steps; step++) {
    const double middle = 0.5 * (from + to);
    *(tor_line_medium(line, middle) == medium ? &from : &to) = middle;
  }
  return 0.5 * (from + to);
}
