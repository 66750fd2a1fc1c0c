/* Perfect conductors: see pec.h. */
#include "src/model/pec.h"

#include <math.h>
#include <stdlib.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column_media.h"
#include "src/model/nearby.h"

static const double ROUNDING = 1e-6; /* of a cell: so near to a conductor a point lies in it */
static const double LEAST = 1e-3;    /* a smaller free part of an edge is none */

int tor_pec_any(const struct tor_job *job) {
  for (int o = 0; o < job->nobjects; o++)
    if (job->media[job->objects[o].medium].conducts) return 1;
  return 0;
}

/* The normal between two media beside a conductor, towards which the moments of both point. */
static void set_normal(struct tor_mix *mix) {
  double square = 0;
  for (int a = 0; a < 3; a++) {
    mix->normal[a] = mix->count > 1 ? mix->of_medium[0][a] - mix->of_medium[1][a] : 0;
    square += mix->normal[a] * mix->normal[a];
  }
  for (int a = 0; a < 3 && square > 0; a++) mix->normal[a] /= sqrt(square);
}

void tor_pec_leave(const struct tor_job *job, struct tor_mix *mix) {
  struct tor_mix rest = *mix;
  double others = 0;
  rest.count = 0;
  for (int i = 0; i < mix->count; i++) {
    if (mix->medium[i] >= 0 && job->media[mix->medium[i]].conducts) continue;
    for (int a = 0; a < 3; a++) rest.of_medium[rest.count][a] = mix->of_medium[i][a];
    rest.medium[rest.count] = mix->medium[i];
    rest.share[rest.count++] = mix->share[i];
    others += mix->share[i];
  }
  if (rest.count == mix->count || rest.count == 0) return;
  for (int i = 0; i < rest.count; i++) rest.share[i] /= others;
  set_normal(&rest);
  *mix = rest;
}

/* --- Points, edges and faces --- */

/* The objects that a place is looked up in. */
struct scene {
  const struct tor_columns *c;
  const struct tor_nearby *near;
};

static int conducts(const struct scene *s, int place) {
  return place >= 0 && s->c->job->media[s->c->job->objects[s->near->seen[place]].medium].conducts;
}
static int conducts_at(const struct scene *s, const double x[3]) {
  return conducts(s, tor_objects_at(s->c->job->objects, s->near->seen, s->near->nseen, x));
}
/* Of the box of half edges `half` [cells] around x: 1 where all of it conducts, 0 where nothing does, -1: undecided. */
static int box_conducts(const struct scene *s, const double x[3], const double half[3]) {
  double lo[3], hi[3];
  int holds;
  for (int a = 0; a < 3; a++) {
    lo[a] = x[a] - half[a] * s->c->grid->d[a];
    hi[a] = x[a] + half[a] * s->c->grid->d[a];
  }
  const int top = tor_objects_top(s->c->job->objects, s->near->seen, s->near->nseen, lo, hi, &holds);
  return top < 0 || holds ? conducts(s, top) : -1;
}

/* The corner number i of eight that are `half` [cells] from x. */
static void corner_of(const struct scene *s, const double x[3], int i, double half, double corner[3]) {
  for (int a = 0; a < 3; a++) corner[a] = x[a] + (i >> a & 1 ? half : -half) * s->c->grid->d[a];
}

static int point_conducts(const struct scene *s, const double x[3]) {
  int found = box_conducts(s, x, (const double[3]){ROUNDING, ROUNDING, ROUNDING});
  if (found >= 0) return found;
  found = conducts_at(s, x);
  for (int i = 0; i < 8 && !found; i++) {
    double corner[3];
    corner_of(s, x, i, ROUNDING, corner);
    found = conducts_at(s, corner);
  }
  return found;
}

/* Where on a line through x, from `from` to `to` [cells] along an axis, it begins or ceases to conduct. */
static double change_on(const struct scene *s, const double x[3], int axis, double from, double to, int conducting) {
  for (int step = 0; step < 20; step++) {
    const double middle = 0.5 * (from + to);
    double at[3] = {x[0], x[1], x[2]};
    at[axis] += middle * s->c->grid->d[axis];
    *(conducts_at(s, at) == conducting ? &from : &to) = middle;
  }
  return 0.5 * (from + to);
}

/* The free part of a line of one cell along an axis, x its middle. */
static double free_on_line(const struct scene *s, const double x[3], int axis) {
  enum { PARTS = 8 };
  double at[3] = {x[0], x[1], x[2]}, sum = 0;
  at[axis] = x[axis] - (0.5 - ROUNDING) * s->c->grid->d[axis];
  int here = conducts_at(s, at);
  for (int i = 0; i < PARTS; i++) {
    const double from = i / (double)PARTS - 0.5, to = (i + 1) / (double)PARTS - 0.5;
    at[axis] = x[axis] + (i + 1 < PARTS ? to : to - ROUNDING) * s->c->grid->d[axis];
    const int next = conducts_at(s, at);
    const double change = next == here ? to : change_on(s, x, axis, from, to, here);
    sum += here ? 0 : change - from;
    sum += next ? 0 : to - change;
    here = next;
  }
  return sum;
}

/* The free part of an edge along an axis, x its middle; none on a conductor's surface. */
static double free_edge(const struct scene *s, const double x[3], int axis) {
  double half[3] = {ROUNDING, ROUNDING, ROUNDING}, least = 1;
  half[axis] += 0.5;
  const int all = box_conducts(s, x, half);
  if (all >= 0) return !all;
  for (int i = 0; i < 4 && least > 0; i++) {
    double beside[3];
    corner_of(s, x, i & 1 ? (i & 2 ? 7 : 1 << (axis + 1) % 3) : (i & 2 ? 1 << (axis + 2) % 3 : 0), ROUNDING, beside);
    beside[axis] = x[axis];
    least = fmin(least, free_on_line(s, beside, axis));
  }
  return least < LEAST ? 0 : least > 1 - LEAST ? 1 : least;
}

/* The free part of a face across an axis, x its middle. */
static double free_face(const struct scene *s, const double x[3], int axis) {
  enum { LINES = 16 };
  const int uniform = s->c->grid->plane && (axis + 1) % 3 == TOR_X; /* nothing varies along x */
  const int along = (axis + 1 + uniform) % 3, across = 3 - axis - along;
  double sum = 0;
  for (int i = 0; i < LINES; i++) {
    double at[3] = {x[0], x[1], x[2]};
    at[across] += ((i + 0.5) / LINES - 0.5) * s->c->grid->d[across];
    sum += free_on_line(s, at, along) / LINES;
  }
  return sum > 1 - LEAST ? 1 : sum;
}

/* A face of H. Its largest frequency is bounded by the sum of the free parts of its edges, each over the square of the
 * cell across it, over the free part of its area. In a whole cell the time step leaves the factor 1 / courant^2. */
static struct tor_pec_face face_of(const struct scene *s, int comp, const double x[3]) {
  const struct tor_grid *g = s->c->grid;
  const int axis = tor_comp_axis(comp);
  const double courant = s->c->job->courant;
  double half[3] = {0.5 + 2 * ROUNDING, 0.5 + 2 * ROUNDING, 0.5 + 2 * ROUNDING}, sum = 0, whole = 0;
  half[axis] = 2 * ROUNDING;
  const int all = box_conducts(s, x, half);
  if (all >= 0) return (struct tor_pec_face){all ? 0 : 1, all ? 0 : fmin(courant * courant, 1)};
  for (int i = 0; i < 4; i++) {
    const int along = (axis + 1 + i % 2) % 3, across = (axis + 2 - i % 2) % 3;
    const double weight = tor_comp_exists(g->plane, TOR_EX + along) / (g->d[across] * g->d[across]);
    double middle[3] = {x[0], x[1], x[2]};
    middle[across] += (i < 2 ? -0.5 : 0.5) * g->d[across];
    whole += weight;
    if (weight > 0) sum += weight * free_edge(s, middle, along);
  }
  return (struct tor_pec_face){sum > 0 ? free_face(s, x, axis) : 0, whole > 0 ? courant * courant * sum / whole : 0};
}

/* --- Faces around a column --- */

/* An index of half cells beyond a mirror is that of its image; of a period, the same one inside. */
static int inside(const struct tor_grid *g, int axis, int i) {
  const int n = g->n[axis];
  if (g->plane && axis == TOR_X) return 0;
  if (tor_grid_periodic(g, axis)) return ((i % n) + n) % n;
  return i < 0 ? -1 - i : i >= n ? (2 * n - 1 - i > 0 ? 2 * n - 1 - i : 0) : i;
}

/* The faces [3][nzp] of a column, looked at where they are not known. */
static const struct tor_pec_face *faces_of(const struct scene *s, struct tor_column *col, int ix, int iy) {
  struct tor_pec_faces *f = &col->faces;
  const struct tor_grid *g = s->c->grid;
  const size_t nzp = (size_t)s->c->slab->nzp;
  const int slot = (ix + TOR_PEC_WIDTH) % TOR_PEC_WIDTH * TOR_PEC_WIDTH + (iy + TOR_PEC_WIDTH) % TOR_PEC_WIDTH;
  if (!f->face) {
    f->face = tor_alloc(TOR_PEC_WIDTH * TOR_PEC_WIDTH * 3 * nzp, sizeof *f->face, "columns");
    for (int i = 0; i < TOR_PEC_WIDTH * TOR_PEC_WIDTH; i++) f->at[i][0] = f->at[i][1] = -TOR_PEC_WIDTH;
  }
  struct tor_pec_face *face = f->face + (size_t)slot * 3 * nzp;
  if (f->at[slot][0] == ix && f->at[slot][1] == iy) return face;
  f->at[slot][0] = ix;
  f->at[slot][1] = iy;
  for (int a = 0; a < 3; a++) {
    struct tor_pec_face *to = face + (size_t)a * nzp;
    if (!tor_comp_exists(g->plane, TOR_HX + a)) continue;
    for (int z = 0; z <= g->n[TOR_Z]; z++) {
      const int at[3] = {ix, iy, z};
      double x[3];
      for (int b = 0; b < 3; b++) x[b] = tor_grid_place(g, TOR_HX + a, b, at[b]);
      to[z] = col->alike[z] ? to[z - 1] : face_of(s, TOR_HX + a, x);
    }
  }
  return face;
}

/* The face of H across `axis`, `step` away from at[] in its plane. */
static struct tor_pec_face face_at(const struct scene *s, struct tor_column *col, int axis, const int at[3],
                                   const int step[2]) {
  int place[3] = {at[0], at[1], at[2]};
  for (int i = 0; i < 2; i++) {
    const int a = (axis + 1 + i) % 3;
    place[a] = inside(s->c->grid, a, at[a] + step[i]);
  }
  return faces_of(s, col, place[0], place[1])[axis * s->c->slab->nzp + place[2]];
}

/* What a face has beyond its least area; what conducts has nothing. */
static double surplus(struct tor_pec_face f) { return f.least > 0 ? fmax(f.free - f.least, 0) : 0; }

/* The eight faces around one in its plane. */
static const int around[8][2] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};

/* The part of the surplus around a face that it takes, and what that is. */
static double taken(const struct scene *s, struct tor_column *col, int axis, const int at[3], const int step[2],
                    double *area) {
  const struct tor_pec_face f = face_at(s, col, axis, at, step);
  double sum = 0;
  *area = 0;
  if (f.free >= f.least) return 0;
  for (int i = 0; i < 8; i++)
    sum += surplus(face_at(s, col, axis, at, (const int[2]){step[0] + around[i][0], step[1] + around[i][1]}));
  const double part = sum > 0 ? fmin((f.least - f.free) / sum, 1) : 0;
  *area = part * sum;
  return part;
}

/* The part of a face that H has: a face that is too small for the time step takes from those around it, whose H is
 * nearly the same, so that the sum of the areas stays; what they cannot give is added. */
static double area_of(const struct scene *s, struct tor_column *col, int axis, const int at[3]) {
  const struct tor_pec_face f = face_at(s, col, axis, at, (const int[2]){0, 0});
  const double rest = surplus(f);
  double more, given = 0, unused;
  if (!(f.least > 0)) return 1;
  taken(s, col, axis, at, (const int[2]){0, 0}, &more);
  for (int i = 0; i < 8 && rest > 0; i++) given += rest * taken(s, col, axis, at, around[i], &unused);
  return fmax(f.free + more - given, f.least);
}

/* --- Columns --- */

/* In 2-D E along x is along all surfaces and 0 on them: where a face beside such an edge is small, more capacitance of
 * the edge does what a larger face would, with an error of third order. */
static double capacitance_of(const struct scene *s, struct tor_column *col, const int at[3]) {
  const double room = 1 / (s->c->job->courant * s->c->job->courant);
  double part = 1;
  for (int i = 0; i < 4; i++) {
    const int axis = i % 2 ? TOR_Y : TOR_Z, along = i % 2 ? TOR_Z : TOR_Y; /* of the face's line */
    int place[3] = {0, at[1], at[2]};
    place[along] -= i < 2;
    const struct tor_pec_face f = face_at(s, col, axis, place, (const int[2]){0, 0});
    if (f.least > 0 && f.free < 1) part = fmin(part, room * fmax(f.free, LEAST) * (f.least < 0.75 / room ? 2 : 1));
  }
  return part;
}

/* Edges of one component of E. */
static void set_edges(const struct scene *s, struct tor_column *col, int axis, int ix, int iy) {
  const struct tor_columns *c = s->c;
  const size_t nzp = (size_t)c->slab->nzp;
  const int staircase = c->job->averaging == TOR_AVERAGE_STAIRCASE, ndispersion = c->slab->ndispersion;
  double part = 1, size = 1;
  for (int z = 0; z <= c->grid->n[TOR_Z]; z++) {
    const int at[3] = {ix, iy, z};
    const size_t i = (size_t)axis * nzp + (size_t)z;
    if (!col->alike[z]) {
      double x[3];
      for (int a = 0; a < 3; a++) x[a] = tor_grid_place(c->grid, TOR_EX + axis, a, at[a]);
      part = staircase ? !point_conducts(s, x) : free_edge(s, x, axis);
      size = part > 0 && !staircase && c->grid->plane && axis == TOR_X ? capacitance_of(s, col, at) : 1;
    }
    col->cb[i] *= part * size;
    if (part == 0) col->ca1[i] = 0;
    if (part == 1) continue;
    for (int d = 0; d < ndispersion; d++)
      for (int kind = 0; kind < TOR_COLUMN_KINDS; kind++) {
        /* What drives the poles is the field: e over the part. */
        const int value = part > 0 && kind == 1; /* of a branch, its factor of e */
        double *share = col->share +
                        (((size_t)(axis * ndispersion + d) * TOR_COLUMN_KINDS + (size_t)kind) * TOR_BRANCH_WEIGHTS +
                         (size_t)value) *
                            nzp +
                        (size_t)z;
        *share = part > 0 ? *share / part : 0;
      }
  }
}

static void set_faces(const struct scene *s, struct tor_column *col, int axis, int ix, int iy) {
  const size_t nzp = (size_t)s->c->slab->nzp;
  double area = 1;
  for (int z = 0; z <= s->c->grid->n[TOR_Z]; z++) {
    if (!col->alike[z]) area = area_of(s, col, axis, (const int[3]){ix, iy, z});
    col->cb[(size_t)(TOR_HX + axis) * nzp + (size_t)z] /= area;
  }
}

/* TM: edges have what faces need. */
static void set_lines(const struct scene *s, struct tor_column *col, int axis, int ix, int iy) {
  const size_t nzp = (size_t)s->c->slab->nzp;
  double area = 1;
  for (int z = 0; z <= s->c->grid->n[TOR_Z]; z++) {
    const struct tor_pec_face f = face_at(s, col, axis, (const int[3]){ix, iy, z}, (const int[2]){0, 0});
    area = f.least > 0 ? fmax(f.free, LEAST) : 1;
    col->cb[(size_t)(TOR_HX + axis) * nzp + (size_t)z] /= area;
  }
}

void tor_pec_apply(const struct tor_columns *c, struct tor_column *col, int ix, int iy, const struct tor_nearby *near) {
  const struct scene s = {c, near};
  int any = 0;
  for (int i = 0; i < near->nseen && !any; i++) any = c->job->media[c->job->objects[near->seen[i]].medium].conducts;
  for (int a = 0; a < 3 && any; a++) {
    if (tor_comp_exists(c->grid->plane, TOR_EX + a)) set_edges(&s, col, a, ix, iy);
    if (!tor_comp_exists(c->grid->plane, TOR_HX + a) || c->job->averaging == TOR_AVERAGE_STAIRCASE) continue;
    (tor_comp_exists(c->grid->plane, TOR_EX) && c->grid->plane ? set_lines : set_faces)(&s, col, a, ix, iy);
  }
}
