/* Prisms, paths and arcs in the plane across their axis: see outline.h. */
#include "src/job/outline.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/faces.h"
#include "src/job/geometry.h"

/* A segment of a path: what the test of a point needs. */
struct segment {
  double a[2], b[2], t[2]; /* its ends, its direction */
  double at_a[2], at_b[2]; /* sums of t and the direction of the neighbour at that end; t where there is none */
};

/* The edges of a polygon, or the segments of a path, by intervals of v of equal length. */
struct tor_outline_index {
  double lo, per; /* of the intervals: begin, number per metre */
  int count;
  int *first; /* [count + 1] places in edge */
  int *edge;
  struct segment *segment; /* of a path; else NULL */
  double mitre;            /* of a path: no corner reaches more half widths beyond its point */
};

static const double MITRE = 2; /* a path's corner reaches so many half widths beyond its point at most */

/* Edges of a polygon end at the first vertex, segments of a path at the last. */
static int edge_count(const struct tor_object *o) { return o->shape == TOR_PATH ? o->nvertex - 1 : o->nvertex; }
static const double *edge_end(const struct tor_object *o, int edge) {
  return o->vertex[edge + 1 < o->nvertex ? edge + 1 : 0];
}

static int clamp(double x, int most) { return x > 0 ? x < most ? (int)x : most : 0; }

static int interval_of(const struct tor_outline_index *x, double v) {
  return clamp((v - x->lo) * x->per, x->count - 1);
}

void tor_outline_index_free(struct tor_object *o) {
  if (!o->index) return;
  free(o->index->first);
  free(o->index->edge);
  free(o->index->segment);
  free(o->index);
  o->index = NULL;
}

static void add_segments(struct tor_object *o);

void tor_outline_index_make(struct tor_object *o) {
  enum { FEW = 12, MOST = 1 << 14 };
  const int edges = edge_count(o);
  double lo = INFINITY, hi = -INFINITY;
  tor_outline_index_free(o);
  if ((o->shape != TOR_PRISM && o->shape != TOR_PATH) || edges < FEW) return;
  for (int i = 0; i < o->nvertex; i++) {
    lo = fmin(lo, o->vertex[i][1]);
    hi = fmax(hi, o->vertex[i][1]);
  }
  if (!(hi > lo)) return;
  struct tor_outline_index *x = o->index = tor_alloc(1, sizeof *x, "outline");
  x->count = edges < MOST ? edges : MOST;
  x->lo = lo;
  x->per = x->count / (hi - lo);
  x->first = tor_alloc((size_t)x->count + 2, sizeof *x->first, "outline");
  for (int pass = 0; pass < 2; pass++) { /* numbers, then places */
    for (int i = 0; i < edges; i++) {
      const double a = o->vertex[i][1], b = edge_end(o, i)[1];
      for (int s = interval_of(x, fmin(a, b)); s <= interval_of(x, fmax(a, b)); s++)
        if (pass)
          x->edge[x->first[s + 1]++] = i;
        else
          x->first[s + 2]++;
    }
    for (int s = 0; s < x->count && !pass; s++) x->first[s + 2] += x->first[s + 1];
    if (!pass) x->edge = tor_alloc((size_t)x->first[x->count + 1] + 1, sizeof *x->edge, "outline");
  }
  if (o->shape == TOR_PATH) add_segments(o);
}

/* Edges that may lie between v0 and v1: list[0..n-1], or, with list NULL, numbers 0 .. n-1. Some come more than once.
 */
struct edges {
  const int *list;
  int n;
};
static struct edges edges_between(const struct tor_object *o, double v0, double v1) {
  const struct tor_outline_index *x = o->index;
  if (!x) return (struct edges){NULL, edge_count(o)};
  const int first = x->first[interval_of(x, v0)], end = x->first[interval_of(x, v1) + 1];
  return (struct edges){x->edge + first, end - first};
}

/* The even-odd rule: counts the edges that a ray towards +u crosses. */
static int in_polygon(const struct tor_object *o, double u, double v) {
  const struct edges e = edges_between(o, v, v);
  int inside = 0;
  for (int k = 0; k < e.n; k++) {
    const int i = e.list ? e.list[k] : k;
    const double *a = edge_end(o, i), *b = o->vertex[i];
    if ((a[1] > v) != (b[1] > v) && u < a[0] + (v - a[1]) * (b[0] - a[0]) / (b[1] - a[1])) inside = !inside;
  }
  return inside;
}

/* Square of the distance from the edges, where it is below `most`; else a number that is no smaller than most^2. */
static double square_distance(const struct tor_object *o, double u, double v, double most) {
  const struct edges e = edges_between(o, v - most, v + most);
  double least = most * most;
  for (int k = 0; k < e.n; k++) {
    const int i = e.list ? e.list[k] : k;
    const double *a = o->vertex[i], *b = edge_end(o, i);
    const double du = b[0] - a[0], dv = b[1] - a[1], pu = u - a[0], pv = v - a[1], square = du * du + dv * dv;
    double t = square > 0 ? (pu * du + pv * dv) / square : 0;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    const double qu = pu - t * du, qv = pv - t * dv;
    least = fmin(least, qu * qu + qv * qv);
  }
  return least;
}

/* --- Paths --- */

static int is_closed(const struct tor_object *o) {
  const double *a = o->vertex[0], *b = o->vertex[o->nvertex - 1];
  return o->nvertex > 3 && a[0] == b[0] && a[1] == b[1];
}

static void direction(const struct tor_object *o, int segment, double t[2]) {
  const double *a = o->vertex[segment], *b = o->vertex[segment + 1];
  const double du = b[0] - a[0], dv = b[1] - a[1], length = sqrt(du * du + dv * dv);
  for (int c = 0; c < 2; c++) t[c] = length > 0 ? (b[c] - a[c]) / length : 0;
}

static struct segment segment_of(const struct tor_object *o, int i) {
  const int last = o->nvertex - 2, closed = is_closed(o),
            before = i > 0    ? i - 1
                     : closed ? last
                              : -1,
            after = i < last ? i + 1
                    : closed ? 0
                             : -1;
  struct segment s;
  double t[2] = {0};
  direction(o, i, s.t);
  if (before >= 0) direction(o, before, t);
  for (int c = 0; c < 2; c++) {
    s.a[c] = o->vertex[i][c];
    s.b[c] = o->vertex[i + 1][c];
    s.at_a[c] = before >= 0 ? s.t[c] + t[c] : s.t[c];
  }
  if (after >= 0) direction(o, after, t);
  for (int c = 0; c < 2; c++) s.at_b[c] = after >= 0 ? s.t[c] + t[c] : s.t[c];
  return s;
}

/* How many half widths the corner at a segment's end reaches beyond it: 1 / cos(half the turn), as the sum of two
 * directions is 2 cos(half the turn) long. */
static double mitre_at(const struct segment *s) {
  const double turned = s->t[0] * s->at_b[0] + s->t[1] * s->at_b[1]; /* 2 cos(half the turn)^2; 1 at an open end */
  return fmin(MITRE, 1.000001 * sqrt(fmax(1, 2 / fmax(turned, 1e-3))));
}

static void add_segments(struct tor_object *o) {
  struct tor_outline_index *x = o->index;
  const int n = edge_count(o);
  x->segment = tor_alloc((size_t)n, sizeof *x->segment, "outline");
  x->mitre = 1;
  for (int i = 0; i < n; i++) {
    x->segment[i] = segment_of(o, i);
    x->mitre = fmax(x->mitre, i + 1 < n || is_closed(o) ? mitre_at(&x->segment[i]) : 1);
  }
}

static double mitre_of(const struct tor_object *o) { return o->index ? o->index->mitre : MITRE; }

/* Whether a point lies in a segment of half that width, which ends at the bisectors of its corners, or at its own end
 * where the path ends; a corner that turns far is cut at its reach. */
static int is_in(const struct segment *s, double u, double v, double half) {
  const double from[2] = {u - s->a[0], v - s->a[1]}, to[2] = {u - s->b[0], v - s->b[1]}, *t = s->t;
  if (fabs(from[0] * t[1] - from[1] * t[0]) > half) return 0;
  if (from[0] * s->at_a[0] + from[1] * s->at_a[1] < 0 || to[0] * s->at_b[0] + to[1] * s->at_b[1] > 0) return 0;
  const double most = MITRE * MITRE * half * half;
  return !(from[0] * t[0] + from[1] * t[1] < 0 && from[0] * from[0] + from[1] * from[1] > most) &&
         !(to[0] * t[0] + to[1] * t[1] > 0 && to[0] * to[0] + to[1] * to[1] > most);
}

static int in_segment(const struct tor_object *o, int i, double u, double v, double half) {
  if (o->index) return is_in(&o->index->segment[i], u, v, half);
  const struct segment s = segment_of(o, i);
  return is_in(&s, u, v, half);
}

static int in_path(const struct tor_object *o, double u, double v, double half) {
  const double reach = mitre_of(o) * half;
  if (!(half > 0)) return 0;
  const struct edges e = edges_between(o, v - reach, v + reach);
  for (int k = 0; k < e.n; k++)
    if (in_segment(o, e.list ? e.list[k] : k, u, v, half)) return 1;
  return 0;
}

/* All points nearer to the middle than the half width are in the path, but for those at its ends; all points of the
 * path are nearer than its mitre allows. `around`: of the rectangle's corners from its centre. */
static int path_holds(const struct tor_object *o, const double lo[2], const double hi[2], double u, double v,
                      double around, const double half[2]) {
  const double reach = mitre_of(o) * half[0] + around, distance = sqrt(square_distance(o, u, v, 1.001 * reach));
  if (half[0] <= 0 || distance > reach) return -1;
  if (half[1] <= 0) return 0;
  const double *a = o->vertex[0], *b = o->vertex[o->nvertex - 1];
  const int far_from_ends =
      is_closed(o) || fmin(hypot(u - a[0], v - a[1]), hypot(u - b[0], v - b[1])) > half[0] + around;
  if (far_from_ends && distance < half[1] - around) return 1;
  const struct edges e = edges_between(o, v - half[1], v + half[1]);
  for (int k = 0; k < e.n; k++) { /* a segment is convex, but for a corner that is cut at its reach */
    const int i = e.list ? e.list[k] : k;
    const double inner = half[1] * (1 - 1e-9);
    if (in_segment(o, i, lo[0], lo[1], inner) && in_segment(o, i, hi[0], lo[1], inner) &&
        in_segment(o, i, lo[0], hi[1], inner) && in_segment(o, i, hi[0], hi[1], inner))
      return 1;
  }
  return 0;
}

/* --- Arcs --- */

/* Angle from the arc's begin, from 0 to below 2 pi. */
static double turn_from(const struct tor_object *o, double angle) {
  const double turn = fmod(angle - o->angle[0], 2 * TOR_PI);
  return turn < 0 ? turn + 2 * TOR_PI : turn;
}
static double sweep_of(const struct tor_object *o) { return o->angle[1] - o->angle[0]; }
static int is_ring(const struct tor_object *o) { return sweep_of(o) > 2 * TOR_PI * (1 - 1e-12); }

/* Distance of a point from the plane through an arc's end, positive on the arc's side of it. */
static double from_end(const struct tor_object *o, int end, double du, double dv) {
  const double c = cos(o->angle[end]), s = sin(o->angle[end]);
  return (end ? -1 : 1) * (dv * c - du * s);
}

static int in_sector(const struct tor_object *o, double du, double dv) {
  const double first = from_end(o, 0, du, dv), second = from_end(o, 1, du, dv);
  if (is_ring(o)) return 1;
  return sweep_of(o) > TOR_PI ? first >= 0 || second >= 0 : first >= 0 && second >= 0;
}

static int in_arc(const struct tor_object *o, double u, double v, double inset) {
  const int w = o->axis;
  const double du = u - o->center[(w + 1) % 3], dv = v - o->center[(w + 2) % 3];
  return fabs(hypot(du, dv) - o->radius[0]) <= 0.5 * o->width - inset && in_sector(o, du, dv);
}

static int arc_holds(const struct tor_object *o, double u, double v, double around, const double inset[2]) {
  const int w = o->axis;
  const double du = u - o->center[(w + 1) % 3], dv = v - o->center[(w + 2) % 3];
  const double off = fabs(hypot(du, dv) - o->radius[0]),
               half[2] = {0.5 * o->width - inset[0], 0.5 * o->width - inset[1]};
  if (off > half[0] + around) return -1;
  const double first = from_end(o, 0, du, dv), second = from_end(o, 1, du, dv);
  const double in = sweep_of(o) > TOR_PI ? fmax(first, second) : fmin(first, second); /* as in_sector */
  if (!is_ring(o) && in < -around) return -1;
  return off < half[1] - around && (is_ring(o) || in > around) ? 1 : 0;
}

static double arc_support(const struct tor_object *o, double du, double dv, double inset) {
  const int w = o->axis;
  const double outer = o->radius[0] + 0.5 * o->width - inset, inner = o->radius[0] - 0.5 * o->width + inset;
  const double length = hypot(du, dv), middle = du * o->center[(w + 1) % 3] + dv * o->center[(w + 2) % 3];
  double most = -INFINITY;
  if (is_ring(o) || turn_from(o, atan2(dv, du)) <= sweep_of(o)) return middle + length * outer;
  for (int end = 0; end < 2; end++) {
    const double along = du * cos(o->angle[end]) + dv * sin(o->angle[end]);
    most = fmax(most, along * (along > 0 ? outer : fmax(inner, 0)));
  }
  return middle + most;
}

/* --- All --- */

int tor_outline_contains(const struct tor_object *o, double u, double v, double inset) {
  if (o->shape == TOR_ARC) return in_arc(o, u, v, inset);
  if (o->shape == TOR_PATH) return in_path(o, u, v, 0.5 * o->width - inset);
  if (inset == 0) return in_polygon(o, u, v);
  const int near_edge = square_distance(o, u, v, 1.001 * fabs(inset)) < inset * inset;
  return inset > 0 ? in_polygon(o, u, v) && !near_edge : near_edge || in_polygon(o, u, v);
}

int tor_outline_holds(const struct tor_object *o, const double lo[2], const double hi[2], const double inset[2]) {
  static const double MARGIN = 1 + 1e-9; /* for rounding errors of points in the rectangle */
  const double u = 0.5 * (lo[0] + hi[0]), v = 0.5 * (lo[1] + hi[1]);
  const double around = 0.5 * MARGIN * hypot(hi[0] - lo[0], hi[1] - lo[1]);
  if (o->shape == TOR_ARC) return arc_holds(o, u, v, around, inset);
  const double half[2] = {0.5 * o->width - inset[0], 0.5 * o->width - inset[1]};
  if (o->shape == TOR_PATH) return path_holds(o, lo, hi, u, v, around, half);
  const int inside = in_polygon(o, u, v);
  /* Of a point outside, how far the outline may be drawn out towards it. */
  const double needed = around + fmax(inside ? inset[1] : -inset[0], 0);
  if (square_distance(o, u, v, 1.001 * needed) <= needed * needed) return 0;
  return inside ? 1 : -1;
}

/* --- Sides along the axes --- */

/* Adds a side at `at` along one of u, v. */
static int add_side(const struct tor_object *o, int across, double at, const double lo[2], const double hi[2],
                    struct tor_faces *f) {
  return tor_faces_add(f, (o->axis + 1 + across) % 3, at, lo[across], hi[across]);
}

/* Whether an edge has a point in the rectangle, or may have one. */
static int crosses(const double a[2], const double b[2], const double lo[2], const double hi[2]) {
  double least = INFINITY, most = -INFINITY;
  for (int c = 0; c < 2; c++)
    if (fmax(a[c], b[c]) <= lo[c] || fmin(a[c], b[c]) >= hi[c]) return 0;
  for (int corner = 0; corner < 4; corner++) { /* on which side of the edge's line they lie */
    const double u = (corner & 1 ? hi : lo)[0] - a[0], v = (corner & 2 ? hi : lo)[1] - a[1];
    const double side = (b[0] - a[0]) * v - (b[1] - a[1]) * u;
    least = fmin(least, side);
    most = fmax(most, side);
  }
  return least <= 0 && most >= 0;
}

/* The axis (0: u, 1: v) along which an edge lies, to rounding; -1: neither. */
static int side_axis(const double a[2], const double b[2]) {
  static const double ROUNDING = 1e-9;
  for (int c = 0; c < 2; c++)
    if (fabs(b[1 - c] - a[1 - c]) <= ROUNDING * fabs(b[c] - a[c])) return c;
  return -1;
}

static int add_polygon(const struct tor_object *o, const double lo[2], const double hi[2], struct tor_faces *f) {
  const struct edges e = edges_between(o, lo[1], hi[1]);
  for (int k = 0; k < e.n; k++) {
    const int i = e.list ? e.list[k] : k;
    const double *a = o->vertex[i], *b = edge_end(o, i);
    const int axis = side_axis(a, b);
    if (!crosses(a, b, lo, hi)) continue;
    if (axis < 0 || !add_side(o, 1 - axis, a[1 - axis], lo, hi, f)) return 0;
  }
  return 1;
}

/* Both sides of each segment near the rectangle, and its ends: of corners the sides of the next segment are there. */
static int add_path(const struct tor_object *o, const double lo[2], const double hi[2], struct tor_faces *f) {
  const double half = 0.5 * o->width, reach = mitre_of(o) * half;
  const struct edges e = edges_between(o, lo[1] - reach, hi[1] + reach);
  for (int k = 0; k < e.n; k++) {
    const int i = e.list ? e.list[k] : k;
    const double *a = o->vertex[i], *b = edge_end(o, i);
    const int axis = side_axis(a, b);
    int far = 0;
    for (int c = 0; c < 2; c++) far |= fmax(a[c], b[c]) + reach <= lo[c] || fmin(a[c], b[c]) - reach >= hi[c];
    if (far) continue;
    const struct segment s = segment_of(o, i);
    const double back = fmin(s.t[0] * s.at_a[0] + s.t[1] * s.at_a[1], s.t[0] * s.at_b[0] + s.t[1] * s.at_b[1]);
    if (axis < 0 || back < 0.5) return 0; /* it slants, or turns back */
    for (int side = -1; side <= 1; side += 2)
      if (!add_side(o, 1 - axis, a[1 - axis] + side * half, lo, hi, f)) return 0;
    if (!add_side(o, axis, a[axis], lo, hi, f) || !add_side(o, axis, b[axis], lo, hi, f)) return 0;
  }
  return 1;
}

int tor_outline_faces(const struct tor_object *o, const double lo[2], const double hi[2], struct tor_faces *f) {
  if (o->slope != 0 || (o->shape != TOR_PRISM && o->shape != TOR_PATH)) return 0;
  return o->shape == TOR_PATH ? add_path(o, lo, hi, f) : add_polygon(o, lo, hi, f);
}

double tor_outline_support(const struct tor_object *o, double du, double dv, double inset) {
  if (o->shape == TOR_ARC) return arc_support(o, du, dv, inset);
  double most = -INFINITY;
  for (int i = 0; i < o->nvertex; i++) most = fmax(most, du * o->vertex[i][0] + dv * o->vertex[i][1]);
  const double out = o->shape == TOR_PATH ? MITRE * fmax(0.5 * o->width - inset, 0) : fmax(-inset, 0);
  return most + out * hypot(du, dv);
}

/* --- Bends --- */

/* Curvature of a bend of total length `length`, in units of 1/radius, at distance s: a clothoid's ramp at either end.
 */
static double curvature(double s, double length, double ramp) {
  const double from_end = fmin(s, length - s);
  return from_end < ramp ? fmax(from_end, 0) / ramp : 1;
}

/* A bend in units of its radius, begun at the origin towards +u, turning left by `angle`: `steps` + 1 points. */
static void trace(double angle, double euler, int steps, double (*at)[2]) {
  enum { SUB = 8 };
  const double ramp = euler * angle, length = angle * (1 + euler), ds = length / (steps * SUB);
  double heading = 0;
  at[0][0] = at[0][1] = 0;
  for (int i = 0; i < steps; i++) {
    at[i + 1][0] = at[i][0];
    at[i + 1][1] = at[i][1];
    for (int k = 0; k < SUB; k++) { /* the middle of each part, to second order */
      const double s = (i * SUB + k + 0.5) * ds, bend = ramp > 0 ? curvature(s, length, ramp) : 1,
                   half = 0.5 * ds * bend;
      at[i + 1][0] += ds * cos(heading + half);
      at[i + 1][1] += ds * sin(heading + half);
      heading += 2 * half;
    }
  }
}

/* Adds the bend at a corner between two edges t[], by `turn`. Returns the length of the straight parts that it takes.
 */
static double add_bend(struct tor_bends *made, size_t *capacity, const double corner[2], const double t[2], double turn,
                       double radius, double euler) {
  enum { LEAST = 8 };
  static const double STEP = 0.01; /* of a bend, in radii: a chord is 1.25e-5 radii from its arc */
  const double angle = fabs(turn), length = hypot(t[0], t[1]);
  const int steps = (int)fmax(LEAST, ceil(angle * (1 + euler) / STEP));
  double(*at)[2] = tor_alloc((size_t)steps + 1, sizeof *at, "path");
  trace(angle, euler, steps, at);
  const double tangent = at[steps][0] - at[steps][1] * cos(angle) / sin(angle);
  made->point = tor_grow(made->point, (size_t)made->count + (size_t)steps + 1, capacity, sizeof *made->point);
  for (int k = 0; k <= steps; k++) {
    const double u = radius * (at[k][0] - tangent), v = (turn < 0 ? -radius : radius) * at[k][1];
    made->point[made->count][0] = corner[0] + (u * t[0] - v * t[1]) / length;
    made->point[made->count++][1] = corner[1] + (u * t[1] + v * t[0]) / length;
  }
  free(at);
  return radius * tangent;
}

struct tor_bends tor_outline_bends(const double (*point)[2], int npoint, double radius, double euler) {
  struct tor_bends made = {0};
  size_t capacity = 0;
  double used = 0; /* of the straight part before, by the last bend */
  for (int i = 0; i < npoint; i++) {
    double t[2][2] = {{0}}, length[2] = {0}, turn = 0;
    for (int side = 0; side < 2 && i > 0 && i + 1 < npoint; side++) {
      for (int c = 0; c < 2; c++) t[side][c] = point[i + side][c] - point[i + side - 1][c];
      length[side] = hypot(t[side][0], t[side][1]);
    }
    turn = atan2(t[0][0] * t[1][1] - t[0][1] * t[1][0], t[0][0] * t[1][0] + t[0][1] * t[1][1]);
    if (!(radius > 0) || fabs(turn) < 1e-9) { /* an end, or straight on */
      made.point = tor_grow(made.point, (size_t)made.count + 1, &capacity, sizeof *made.point);
      for (int c = 0; c < 2; c++) made.point[made.count][c] = point[i][c];
      made.count++;
      used = 0;
      continue;
    }
    made.corner = i;
    made.needed =
        fabs(turn) < 0.99 * TOR_PI ? add_bend(&made, &capacity, point[i], t[0], turn, radius, euler) : HUGE_VAL;
    if (used + made.needed > length[0] * (1 + 1e-9) || made.needed > length[1] * (1 + 1e-9)) {
      free(made.point);
      made.point = NULL;
      return made;
    }
    used = made.needed;
  }
  return made;
}
