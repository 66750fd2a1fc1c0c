/* Sections of the scene: see section.h. */
#include "src/results/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/image/image.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/periodic_objects.h"
#include "src/job/turn.h"

enum { BINS = 48, PIXELS = 900 };

/* --- Media --- */

static int bin_of(const struct tor_section *s, int a, double x) {
  const double bin = floor((x - s->lo[a]) / (s->hi[a] - s->lo[a]) * BINS);
  return bin > 0 ? bin < BINS - 1 ? (int)bin : BINS - 1 : 0;
}

/* Bins along h and v that an object meets: [a][first, last]; 0 where it misses the plane. */
static int bins_of(const struct tor_section *s, const struct tor_object *o, int range[2][2]) {
  const int axis[2] = {s->h, s->v};
  double lo[3], hi[3];
  tor_object_bounds(o, lo, hi);
  if (s->at < lo[s->across] || s->at > hi[s->across]) return 0;
  for (int a = 0; a < 2; a++) {
    range[a][0] = bin_of(s, a, lo[axis[a]]);
    range[a][1] = bin_of(s, a, hi[axis[a]]);
  }
  return 1;
}

void tor_section_open(struct tor_section *s, const struct tor_job *job, int across, double at, const double lo[2],
                      const double hi[2]) {
  int range[2][2], count = 0;
  struct tor_grid grid;
  tor_grid_make(job, &grid);
  *s = (struct tor_section){.across = across, .at = at};
  s->job = job = tor_job_with_copies(job, &grid, 0, &s->periodic);
  tor_turn_plane(job->turn, across, &s->h, &s->v);
  memcpy(s->lo, lo, sizeof s->lo);
  memcpy(s->hi, hi, sizeof s->hi);
  s->pixel = fmax(hi[0] - lo[0], hi[1] - lo[1]) / PIXELS;
  s->first = tor_alloc(BINS * BINS + 1, sizeof *s->first, "picture");
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < job->nobjects; i++) {
      if (!bins_of(s, &job->objects[i], range)) continue;
      for (int v = range[1][0]; v <= range[1][1]; v++)
        for (int h = range[0][0]; h <= range[0][1]; h++)
          if (pass)
            s->list[s->first[v * BINS + h]++] = i;
          else
            s->first[v * BINS + h]++;
    }
    for (int b = 0; b < BINS * BINS && !pass; b++) { /* numbers become places */
      const int here = s->first[b];
      s->first[b] = count;
      count += here;
    }
    if (!pass) s->list = tor_alloc((size_t)count + 1, sizeof *s->list, "picture");
  }
  memmove(s->first + 1, s->first, BINS * BINS * sizeof *s->first);
  s->first[0] = 0;
}

void tor_section_close(struct tor_section *s) {
  tor_job_copies_free(s->job, &s->periodic);
  free(s->first);
  free(s->list);
}

int tor_section_medium(const struct tor_section *s, double h, double v) {
  const int bin = bin_of(s, 1, v) * BINS + bin_of(s, 0, h);
  double x[3];
  x[s->across] = s->at, x[s->h] = h, x[s->v] = v;
  const int of_design = tor_job_design_medium(s->job, x);
  if (of_design >= 0) return of_design;
  for (int i = s->first[bin + 1] - 1; i >= s->first[bin]; i--)
    if (tor_object_contains(&s->job->objects[s->list[i]], x)) return s->job->objects[s->list[i]].medium;
  return s->job->background;
}

/* --- Lines --- */

void tor_lines_begin(struct tor_lines *l, enum tor_image_line_kind kind) {
  l->path = tor_grow(l->path, (size_t)l->npath + 1, &l->paths, sizeof *l->path);
  l->path[l->npath++] = (struct tor_image_path){.kind = kind};
}

void tor_lines_add(struct tor_lines *l, double h, double v) {
  l->point = tor_grow(l->point, l->npoint + 1, &l->points, sizeof *l->point);
  l->point[l->npoint][0] = h;
  l->point[l->npoint++][1] = v;
  l->path[l->npath - 1].n++;
}

void tor_lines_end(struct tor_lines *l, double unit) {
  const double(*at)[2] = (const double(*)[2])l->point;
  for (size_t i = 0; i < l->npoint; i++)
    for (int a = 0; a < 2; a++) l->point[i][a] /= unit;
  for (int i = 0; i < l->npath; i++) {
    l->path[i].at = at;
    at += l->path[i].n;
  }
}

void tor_lines_free(struct tor_lines *l) {
  free(l->path);
  free(l->point);
  *l = (struct tor_lines){0};
}

/* --- Surfaces --- */

/* The ends of the part of p-q that the picture shows, as fractions of its length; 0: none. */
static int clip(const struct tor_section *s, const double p[2], const double q[2], double part[2]) {
  part[0] = 0, part[1] = 1;
  for (int a = 0; a < 2; a++) {
    const double d = q[a] - p[a], lo = s->lo[a] - s->pixel - p[a], hi = s->hi[a] + s->pixel - p[a];
    if (d == 0) {
      if (lo > 0 || hi < 0) return 0;
      continue;
    }
    part[0] = fmax(part[0], fmin(lo / d, hi / d));
    part[1] = fmin(part[1], fmax(lo / d, hi / d));
  }
  return part[0] < part[1];
}

/* The pieces of the edge p-q, of about a pixel each, at a distance from which (`beside`) the media differ. *drawn: the
 * last path ends at p. */
static void add_edge(const struct tor_section *s, const double p[2], const double q[2], double beside, int *drawn,
                     struct tor_lines *to) {
  const double length = hypot(q[0] - p[0], q[1] - p[1]);
  double part[2];
  if (!(length > 0)) return;
  if (!clip(s, p, q, part)) {
    *drawn = 0;
    return;
  }
  if (part[0] > 0) *drawn = 0;
  const double n[2] = {(q[1] - p[1]) / length * beside, (p[0] - q[0]) / length * beside};
  const int pieces = (int)ceil((part[1] - part[0]) * length / s->pixel + 1e-9);
  for (int i = 0; i < pieces; i++) {
    const double from = part[0] + (part[1] - part[0]) * i / pieces,
                 to_end = part[0] + (part[1] - part[0]) * (i + 1) / pieces;
    const double t = 0.5 * (from + to_end), h = p[0] + t * (q[0] - p[0]), v = p[1] + t * (q[1] - p[1]);
    const int seen = tor_section_medium(s, h + n[0], v + n[1]) != tor_section_medium(s, h - n[0], v - n[1]);
    if (seen && !*drawn) {
      tor_lines_begin(to, TOR_IMAGE_SURFACES);
      tor_lines_add(to, p[0] + from * (q[0] - p[0]), p[1] + from * (q[1] - p[1]));
    }
    if (seen) tor_lines_add(to, p[0] + to_end * (q[0] - p[0]), p[1] + to_end * (q[1] - p[1]));
    *drawn = seen;
  }
  if (part[1] < 1) *drawn = 0;
}

static void add_loop(const struct tor_section *s, const double (*p)[2], int n, int closed, struct tor_lines *to) {
  int drawn = 0;
  for (int i = 0; i + !closed < n; i++) add_edge(s, p[i], p[(i + 1) % n], 0.05 * s->pixel, &drawn, to);
}

static void add_rectangle(const struct tor_section *s, double h0, double h1, double v0, double v1,
                          struct tor_lines *to) {
  const double p[4][2] = {{h0, v0}, {h1, v0}, {h1, v1}, {h0, v1}};
  add_loop(s, p, 4, 1, to);
}

/* Points enough that a chord is closer to its arc than the distance at which the media are compared. */
static void add_ellipse(const struct tor_section *s, double h, double v, double rh, double rv, struct tor_lines *to) {
  const double wanted = 2 * TOR_PI * fmax(rh, rv) / s->pixel;
  const int n = (int)fmin(fmax(wanted, 64), 20000);
  double(*p)[2] = tor_alloc((size_t)n, sizeof *p, "picture");
  for (int i = 0; i < n; i++) {
    p[i][0] = h + rh * cos(2 * TOR_PI * i / n);
    p[i][1] = v + rv * sin(2 * TOR_PI * i / n);
  }
  add_loop(s, (const double(*)[2])p, n, 1, to);
  free(p);
}

static void add_ellipsoid(const struct tor_section *s, const struct tor_object *o, const double axes[3],
                          struct tor_lines *to) {
  const double d = (s->at - o->center[s->across]) / axes[s->across];
  const double r = d * d < 1 ? sqrt(1 - d * d) : 0;
  if (r > 0) add_ellipse(s, o->center[s->h], o->center[s->v], r * axes[s->h], r * axes[s->v], to);
}

/* A cylinder or cone, r[0] and r[1] at its ends, along an axis in the plane: half as wide as sqrt(r^2 - d^2) at
 * distance d of the plane from its axis. */
static void add_lengthwise(const struct tor_section *s, const struct tor_object *o, const double r[2],
                           struct tor_lines *to) {
  enum { STEPS = 512 };
  const double d = fabs(s->at - o->center[s->across]);
  double(*p)[2] = tor_alloc(2 * (STEPS + 1), sizeof *p, "picture"), end[2] = {0, 1};
  const int steps = r[0] == r[1] ? 1 : STEPS, upright = o->axis == s->v, other = upright ? s->h : s->v;
  if (fmax(r[0], r[1]) > d) {
    const double apex = (d - r[0]) / (r[1] - r[0]); /* where r = d */
    if (r[0] < d) end[0] = apex;
    if (r[1] < d) end[1] = apex;
    for (int i = 0; i <= steps; i++) {
      /* Closer steps at the ends, where a hyperbola is steep. */
      const double t = end[0] + (end[1] - end[0]) * 0.5 * (1 - cos(TOR_PI * i / steps)),
                   radius = r[0] + t * (r[1] - r[0]);
      const double half = sqrt(fmax(0, radius * radius - d * d)), w = o->center[o->axis] + (t - 0.5) * o->height;
      for (int side = 0; side < 2; side++) {
        double *at = p[side ? 2 * steps + 1 - i : i];
        at[upright ? 0 : 1] = o->center[other] + (side ? -half : half);
        at[upright ? 1 : 0] = w;
      }
    }
    add_loop(s, (const double(*)[2])p, 2 * (steps + 1), 1, to);
  }
  free(p);
}

static void add_round(const struct tor_section *s, const struct tor_object *o, struct tor_lines *to) {
  const double r[2] = {o->radius[0], o->shape == TOR_CONE ? o->radius[1] : o->radius[0]};
  if (o->axis != s->across) {
    add_lengthwise(s, o, r, to);
    return;
  }
  const double t = (s->at - o->center[o->axis]) / o->height + 0.5, radius = r[0] + t * (r[1] - r[0]);
  if (t >= 0 && t <= 1 && radius > 0) add_ellipse(s, o->center[s->h], o->center[s->v], radius, radius, to);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A prism along an axis in the plane: a rectangle between each two of its polygon's crossings. */
static void add_prism_lengthwise(const struct tor_section *s, const struct tor_object *o, struct tor_lines *to) {
  const int c = (o->axis + 1) % 3 == s->across ? 0 : 1, upright = o->axis == s->v;
  double *cross = tor_alloc((size_t)o->nvertex + 1, sizeof *cross, "picture");
  int n = 0;
  for (int i = 0; i < o->nvertex; i++) {
    const double *a = o->vertex[i], *b = o->vertex[(i + 1) % o->nvertex];
    if ((a[c] > s->at) != (b[c] > s->at)) cross[n++] = a[!c] + (s->at - a[c]) * (b[!c] - a[!c]) / (b[c] - a[c]);
  }
  qsort(cross, (size_t)n, sizeof *cross, by_value);
  for (int i = 0; i + 1 < n; i += 2)
    if (upright)
      add_rectangle(s, cross[i], cross[i + 1], o->lo, o->hi, to);
    else
      add_rectangle(s, o->lo, o->hi, cross[i], cross[i + 1], to);
  free(cross);
}

static void add_prism(const struct tor_section *s, const struct tor_object *o, struct tor_lines *to) {
  if (o->axis != s->across) {
    add_prism_lengthwise(s, o, to);
    return;
  }
  if (s->at < o->lo || s->at > o->hi) return;
  double(*p)[2] = tor_alloc((size_t)o->nvertex, sizeof *p, "picture");
  for (int i = 0; i < o->nvertex; i++) { /* vertices are (y, z), (z, x) or (x, y) */
    p[i][0] = o->vertex[i][(o->axis + 1) % 3 == s->h ? 0 : 1];
    p[i][1] = o->vertex[i][(o->axis + 1) % 3 == s->h ? 1 : 0];
  }
  add_loop(s, (const double(*)[2])p, o->nvertex, 1, to);
  free(p);
}

static void add_layer(const struct tor_section *s, const struct tor_object *o, struct tor_lines *to) {
  if (o->axis == s->across) return;
  const double end[2] = {o->lo, o->hi};
  const int upright = o->axis == s->v; /* its sides are level */
  for (int side = 0; side < 2; side++) {
    if (!isfinite(end[side])) continue;
    const double level[2][2] = {{s->lo[0], end[side]}, {s->hi[0], end[side]}};
    const double steep[2][2] = {{end[side], s->lo[1]}, {end[side], s->hi[1]}};
    add_loop(s, upright ? level : steep, 2, 0, to);
  }
}

/* --- Surfaces of objects whose sections have no formula here: followed through squares of a pixel --- */

static int is_in(const struct tor_section *s, const struct tor_object *o, const double p[2]) {
  double x[3];
  x[s->across] = s->at, x[s->h] = p[0], x[s->v] = p[1];
  return tor_object_contains(o, x);
}

/* Where the surface crosses p-q, of which one end lies in the object: p, if `in`. (A surface through p itself may be on
 * either side of it, by rounding.) */
static void find_crossing(const struct tor_section *s, const struct tor_object *o, const double p[2], int in,
                          const double q[2], double at[2]) {
  double from = 0, to = 1;
  for (int step = 0; step < 14; step++) {
    const double t = 0.5 * (from + to);
    for (int a = 0; a < 2; a++) at[a] = p[a] + t * (q[a] - p[a]);
    *(is_in(s, o, at) == in ? &from : &to) = t;
  }
}

/* The surface between two of its points, in up to 2^depth pieces, which bend with it. *drawn: as add_edge. */
static void add_chord(const struct tor_section *s, const struct tor_object *o, const double p[2], const double q[2],
                      int depth, int *drawn, struct tor_lines *to) {
  const double n[2] = {0.7 * (p[1] - q[1]), 0.7 * (q[0] - p[0])}, m[2] = {0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])};
  const double left[2] = {m[0] + n[0], m[1] + n[1]}, right[2] = {m[0] - n[0], m[1] - n[1]};
  const int in = is_in(s, o, left);
  double middle[2] = {m[0], m[1]};
  if (depth > 0 && in != is_in(s, o, right)) find_crossing(s, o, left, in, right, middle);
  if (hypot(middle[0] - m[0], middle[1] - m[1]) < 2e-3 * s->pixel) { /* straight enough */
    add_edge(s, p, q, 0.01 * s->pixel, drawn, to);
    return;
  }
  add_chord(s, o, p, middle, depth - 1, drawn, to);
  add_chord(s, o, middle, q, depth - 1, drawn, to);
}

/* The surface in the square with corner p; in: of its corners in turn, in the object. */
static void add_square(const struct tor_section *s, const struct tor_object *o, const double p[2], const int in[4],
                       struct tor_lines *to) {
  enum { DEPTH = 5 };
  const double d = s->pixel, middle[2] = {p[0] + 0.5 * d, p[1] + 0.5 * d};
  const double corner[4][2] = {{p[0], p[1]}, {p[0] + d, p[1]}, {p[0] + d, p[1] + d}, {p[0], p[1] + d}};
  double at[4][2];
  int n = 0, drawn = 0;
  for (int i = 0; i < 4; i++)
    if (in[i] != in[(i + 1) % 4]) find_crossing(s, o, corner[i], in[i], corner[(i + 1) % 4], at[n++]);
  if (n == 2) add_chord(s, o, at[0], at[1], DEPTH, &drawn, to);
  if (n < 4) return;
  const int joined = is_in(s, o, middle) == in[0]; /* its two parts, along the other diagonal */
  add_chord(s, o, at[0], at[joined ? 1 : 3], DEPTH, &drawn, to);
  drawn = 0;
  add_chord(s, o, at[2], at[joined ? 3 : 1], DEPTH, &drawn, to);
}

static void add_contour(const struct tor_section *s, const struct tor_object *o, struct tor_lines *to) {
  const int axis[2] = {s->h, s->v};
  double lo[3], hi[3], from[2];
  int n[2];
  tor_object_bounds(o, lo, hi);
  for (int a = 0; a < 2; a++) {
    const double first = floor((fmax(lo[axis[a]], s->lo[a]) - s->lo[a]) / s->pixel) - 1;
    from[a] = s->lo[a] + first * s->pixel;
    n[a] = (int)fmax(0, ceil((fmin(hi[axis[a]], s->hi[a]) - from[a]) / s->pixel) + 1);
  }
  char *row[2] = {tor_alloc((size_t)n[0] + 1, 1, "picture"), tor_alloc((size_t)n[0] + 1, 1, "picture")};
  for (int v = 0; v <= n[1]; v++) {
    char *below = row[v % 2], *here = row[(v + 1) % 2];
    for (int h = 0; h <= n[0]; h++)
      here[h] = (char)is_in(s, o, (const double[]){from[0] + h * s->pixel, from[1] + v * s->pixel});
    for (int h = 0; v > 0 && h < n[0]; h++) {
      const int in[4] = {below[h], below[h + 1], here[h + 1], here[h]};
      if (in[0] + in[1] + in[2] + in[3] == 0 || in[0] + in[1] + in[2] + in[3] == 4) continue;
      add_square(s, o, (const double[]){from[0] + h * s->pixel, from[1] + (v - 1) * s->pixel}, in, to);
    }
  }
  free(row[0]);
  free(row[1]);
}

void tor_section_surfaces(const struct tor_section *s, struct tor_lines *to) {
  int range[2][2];
  for (int i = 0; i < s->job->nobjects; i++) {
    const struct tor_object *o = &s->job->objects[i];
    const double r[3] = {o->radius[0], o->radius[0], o->radius[0]};
    if (!bins_of(s, o, range)) continue;
    if (tor_object_hides_parts(o)) {
      add_contour(s, o, to);
      continue;
    }
    switch (o->shape) {
    case TOR_SPHERE: add_ellipsoid(s, o, r, to); break;
    case TOR_ELLIPSOID: add_ellipsoid(s, o, o->size, to); break;
    case TOR_BOX:
      add_rectangle(s, o->center[s->h] - 0.5 * o->size[s->h], o->center[s->h] + 0.5 * o->size[s->h],
                    o->center[s->v] - 0.5 * o->size[s->v], o->center[s->v] + 0.5 * o->size[s->v], to);
      break;
    case TOR_CYLINDER:
    case TOR_CONE: add_round(s, o, to); break;
    case TOR_PRISM: add_prism(s, o, to); break;
    case TOR_LAYER: add_layer(s, o, to); break;
    default: break;
    }
  }
}

/* --- Boxes --- */

/* Sides of a rectangle that are lines: bits 0 low h, 1 high h, 2 low v, 3 high v. */
static void add_sides(double lo[2], double hi[2], unsigned sides, enum tor_image_line_kind kind, struct tor_lines *to) {
  const double side[4][4] = {{lo[0], lo[1], lo[0], hi[1]},
                             {hi[0], lo[1], hi[0], hi[1]},
                             {lo[0], lo[1], hi[0], lo[1]},
                             {lo[0], hi[1], hi[0], hi[1]}};
  for (int i = 0; i < 4; i++) {
    if (!(sides >> i & 1)) continue;
    tor_lines_begin(to, kind);
    tor_lines_add(to, side[i][0], side[i][1]);
    tor_lines_add(to, side[i][2], side[i][3]);
  }
}

void tor_section_box(const struct tor_section *s, const struct tor_grid *g, const double from[3], const double end[3],
                     enum tor_image_line_kind kind, struct tor_lines *to) {
  const int axis[3] = {s->h, s->v, s->across};
  double lo[3], hi[3];
  unsigned sides = 0;
  int flat = 0;
  for (int k = 0; k < 3; k++) {
    const int a = axis[k], first = tor_grid_node(g, a, from[a]), last = tor_grid_node(g, a, end[a]);
    lo[k] = tor_grid_at(g, a, first);
    hi[k] = tor_grid_at(g, a, last);
    if (k == 2) break;
    flat += first == last;
    sides |= (unsigned)(first > tor_grid_first(g, a)) << (2 * k) | (unsigned)(last < g->n[a] && last > first)
                                                                       << (2 * k + 1);
  }
  const double near = lo[2] < hi[2] ? 0 : 0.5 * g->d[s->across];
  if (s->at < lo[2] - near * (1 + 1e-9) || s->at > hi[2] + near * (1 + 1e-9)) return;
  if (flat < 2) {
    if (flat && lo[0] == hi[0]) sides &= 3;
    if (flat && lo[1] == hi[1]) sides &= 12;
    add_sides(lo, hi, sides, kind, to);
    return;
  }
  tor_lines_begin(to, kind);
  tor_lines_add(to, lo[0], lo[1]);
}

void tor_section_wave_boxes(const struct tor_section *s, const struct tor_grid *g, struct tor_lines *to) {
  for (int i = 0; i < s->job->nsources; i++)
    if (s->job->sources[i].kind == TOR_PLANE_WAVE)
      tor_section_box(s, g, s->job->sources[i].lo, s->job->sources[i].hi, TOR_IMAGE_WAVE_BOX, to);
}

void tor_section_layers(const struct tor_section *s, const struct tor_grid *g, struct tor_lines *to) {
  const int axis[2] = {s->h, s->v};
  double lo[2], hi[2];
  unsigned sides = 0;
  for (int k = 0; k < 2; k++) {
    const int a = axis[k], below = tor_grid_layer(g, 2 * a), above = tor_grid_layer(g, 2 * a + 1);
    lo[k] = tor_grid_low(g, a) + below * g->d[a];
    hi[k] = tor_grid_at(g, a, g->n[a] - above);
    sides |= (unsigned)(below > 0) << (2 * k) | (unsigned)(above > 0) << (2 * k + 1);
  }
  add_sides(lo, hi, sides, TOR_IMAGE_LAYERS, to);
}
