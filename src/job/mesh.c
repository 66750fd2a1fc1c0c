/* Points and boxes in closed surfaces: see mesh.h.
 *
 * A grid of labels answers where no face is near. Near the surface the crossings of a line with all faces are found by
 * bins across it, or by the tree; lines of each thread are kept, since points are sampled along the same lines in many
 * cells of a column. Over the faces of a closed
 * surface the crossings of a line sum to 0 exactly, whatever is rounded: both faces of an edge cross it with opposite
 * signs, by one expression that has the edge's lower end first. */
#include "src/job/mesh.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/mesh_parts.h"

enum { DEPTH = 64, HITS = 16, LINE_BITS = 9, LINES = 1 << LINE_BITS };

/* Crossings of a line, from above. */
struct line {
  uint64_t serial; /* of the mesh; 0: none */
  int along, count;
  double u, v, at[HITS];
  int sign[HITS];
};
static _Thread_local struct line lines[LINES];

/* --- Lines --- */

/* Where the edge from a to b, seen along `w`, is at v: +1 where it runs up, -1 down, 0 where it is not there. */
static int edge_at(const float a[3], const float b[3], int w, double v, double *at_u, double *at_w) {
  const int cu = (w + 1) % 3, cv = (w + 2) % 3, up = (double)b[cv] > v;
  if (((double)a[cv] > v) == up) return 0;
  const float *lo = up ? a : b, *hi = up ? b : a;
  const double t = (v - (double)lo[cv]) / ((double)hi[cv] - (double)lo[cv]);
  const double u = (double)lo[cu] + t * ((double)hi[cu] - (double)lo[cu]);
  *at_u = fmin(fmax(u, fmin((double)lo[cu], (double)hi[cu])), fmax((double)lo[cu], (double)hi[cu]));
  *at_w = (double)lo[w] + t * ((double)hi[w] - (double)lo[w]);
  return up ? 1 : -1;
}

/* Whether a face crosses the line (u, v) along w: the sign, with the place. */
static int face_at(const struct tor_mesh *m, int f, int w, double u, double v, double *at) {
  double cu[3], cw[3];
  int sign[3], n = 0;
  for (int i = 0; i < 3; i++) {
    const int s = edge_at(m->vertex[m->face[f][i]], m->vertex[m->face[f][(i + 1) % 3]], w, v, &cu[n], &cw[n]);
    if (s) sign[n++] = s;
  }
  if (n != 2 || (u < cu[0]) == (u < cu[1])) return 0;
  *at = cw[0] + (u - cu[0]) / (cu[1] - cu[0]) * (cw[1] - cw[0]);
  return u < cu[0] ? sign[0] : sign[1];
}

/* A line's crossings, or those above a height. */
struct walk {
  double above;
  struct line *to; /* lists them all, count -1 where there are too many; NULL: none is listed */
  int sum;         /* of those above */
};

static void cross(const struct tor_mesh *m, int f, int w, double u, double v, struct walk *walk) {
  struct line *const to = walk->to;
  double at;
  const int sign = face_at(m, f, w, u, v, &at);
  if (!sign) return;
  if (!to && at > walk->above) walk->sum += sign;
  if (!to || to->count < 0) return;
  if (to->count == HITS) {
    to->count = -1;
    return;
  }
  int i = to->count++;
  for (; i > 0 && to->at[i - 1] < at; i--) to->at[i] = to->at[i - 1], to->sign[i] = to->sign[i - 1];
  to->at[i] = at;
  to->sign[i] = sign;
}

static void walk_tree(const struct tor_mesh *m, int w, double u, double v, struct walk *walk) {
  const int cu = (w + 1) % 3, cv = (w + 2) % 3;
  int stack[DEPTH], n = 0;
  stack[n++] = 0;
  while (n) {
    const int here = stack[--n];
    const struct mesh_node *node = &m->node[here];
    if ((double)node->lo[cu] > u || (double)node->hi[cu] < u || (double)node->lo[cv] > v || (double)node->hi[cv] < v)
      continue;
    for (int f = node->second; f < node->second + node->count; f++) cross(m, f, w, u, v, walk);
    if (node->count) continue;
    stack[n++] = node->second;
    stack[n++] = here + 1;
  }
}

static void walk(const struct tor_mesh *m, int w, double u, double v, struct walk *walk) {
  size_t count;
  if (!m->columns[w].first) {
    walk_tree(m, w, u, v, walk);
    return;
  }
  const int *const list = tor_mesh_column(&m->columns[w], u, v, &count);
  for (size_t i = 0; i < count; i++) cross(m, list[i], w, u, v, walk);
}

static struct line *line_of(const struct tor_mesh *m, int w, double u, double v) {
  double at[2] = {u, v};
  uint64_t bits[2], hash;
  memcpy(bits, at, sizeof bits);
  hash = (bits[0] * 0x9E3779B97F4A7C15u ^ bits[1] ^ m->serial) * 0x9E3779B97F4A7C15u;
  struct line *l = &lines[hash >> (64 - LINE_BITS)];
  if (l->serial == m->serial && l->along == w && l->u == u && l->v == v) return l;
  l->serial = m->serial;
  l->along = w;
  l->count = 0;
  l->u = u;
  l->v = v;
  walk(m, w, u, v, &(struct walk){.to = l});
  return l;
}

static int winds_around(const struct tor_mesh *m, const double x[3], int w) {
  const double u = x[(w + 1) % 3], v = x[(w + 2) % 3];
  const struct line *l = line_of(m, w, u, v);
  int sum = 0;
  if (l->count < 0) {
    struct walk above = {.above = x[w]};
    walk(m, w, u, v, &above);
    return above.sum != 0;
  }
  for (int i = 0; i < l->count && l->at[i] > x[w]; i++) sum += l->sign[i];
  return sum != 0;
}

/* --- Labels --- */

static size_t label_at(const struct tor_mesh *m, int i, int j, int k) {
  return ((size_t)k * (size_t)m->n[1] + (size_t)j) * (size_t)m->n[0] + (size_t)i;
}

static int cell_of(const struct tor_mesh *m, int a, double x) {
  const double at = (x - m->lo[a]) * m->per[a];
  return at > 0 ? at < m->n[a] ? (int)at : m->n[a] - 1 : 0;
}

/* Labels the cells from `from` to before `to`: all at once where no face meets their box. */
static void label(struct tor_mesh *m, const int from[3], const int to[3]) {
  static const double MARGIN = 1e-6; /* of a cell, for rounding errors of points */
  double lo[3], hi[3], middle[3];
  int axis = 0, one = 1;
  for (int a = 0; a < 3; a++) {
    lo[a] = m->lo[a] + (from[a] - MARGIN) / m->per[a];
    hi[a] = m->lo[a] + (to[a] + MARGIN) / m->per[a];
    middle[a] = 0.5 * (lo[a] + hi[a]);
    if (to[a] - from[a] > to[axis] - from[axis]) axis = a;
    one &= to[a] - from[a] == 1;
  }
  const int met = tor_mesh_touches(m, lo, hi);
  if (met && !one) {
    int cut[3] = {to[0], to[1], to[2]}, begin[3] = {from[0], from[1], from[2]};
    cut[axis] = begin[axis] = (from[axis] + to[axis]) / 2;
    label(m, from, cut);
    label(m, begin, to);
    return;
  }
  const enum mesh_label value = met ? MESH_SURFACE : winds_around(m, middle, 2) ? MESH_INSIDE : MESH_OUTSIDE;
  for (int k = from[2]; k < to[2]; k++)
    for (int j = from[1]; j < to[1]; j++)
      memset(&m->label[label_at(m, from[0], j, k)], (int)value, (size_t)(to[0] - from[0]));
}

static void make_labels(struct tor_mesh *m) {
  enum { LEAST = 32, MOST = 128 };
  const double wanted = fmin(fmax(cbrt(4.0 * m->nface), LEAST), MOST);
  const struct mesh_node *all = m->node;
  double longest = 0;
  for (int a = 0; a < 3; a++) longest = fmax(longest, (double)all->hi[a] - (double)all->lo[a]);
  for (int a = 0; a < 3; a++) {
    const double size = fmax((double)all->hi[a] - (double)all->lo[a], 1e-6 * longest);
    m->lo[a] = all->lo[a];
    m->n[a] = (int)fmax(1, ceil(wanted * size / longest));
    m->per[a] = m->n[a] / size;
  }
  m->label = tor_alloc((size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2], 1, "mesh");
  label(m, (const int[]){0, 0, 0}, m->n);
}

/* --- The mesh --- */

struct tor_mesh *tor_mesh_new(float (*vertex)[3], int nvertex, int (*face)[3], int nface, char *why, size_t size) {
  static _Atomic uint64_t serials;
  struct tor_mesh *m = tor_alloc(1, sizeof *m, "mesh");
  *m = (struct tor_mesh){.nvertex = nvertex, .nface = nface, .vertex = vertex, .face = face, .serial = ++serials};
  if (tor_mesh_check(m, why, size)) {
    tor_mesh_free(m);
    return NULL;
  }
  tor_mesh_make_tree(m);
  tor_mesh_make_columns(m, 2);
  make_labels(m);
  return m;
}

void tor_mesh_prepare(struct tor_mesh *m, int along) { tor_mesh_make_columns(m, along); }

void tor_mesh_free(struct tor_mesh *m) {
  if (!m) return;
  tor_mesh_free_columns(m);
  free(m->vertex);
  free(m->face);
  free(m->node);
  free(m->label);
  free(m);
}

int tor_mesh_faces(const struct tor_mesh *m) { return m->nface; }

void tor_mesh_bounds(const struct tor_mesh *m, double lo[3], double hi[3]) {
  for (int a = 0; a < 3; a++) {
    lo[a] = m->node->lo[a];
    hi[a] = m->node->hi[a];
  }
}

double tor_mesh_support(const struct tor_mesh *m, const double d[3]) {
  double most = -INFINITY;
  for (int i = 0; i < m->nvertex; i++) {
    const float *p = m->vertex[i];
    most = fmax(most, d[0] * (double)p[0] + d[1] * (double)p[1] + d[2] * (double)p[2]);
  }
  return most;
}

int tor_mesh_contains(const struct tor_mesh *m, const double x[3], int along) {
  for (int a = 0; a < 3; a++)
    if (!(x[a] >= (double)m->node->lo[a] && x[a] <= (double)m->node->hi[a])) return 0;
  const int here = m->label[label_at(m, cell_of(m, 0, x[0]), cell_of(m, 1, x[1]), cell_of(m, 2, x[2]))];
  return here == MESH_SURFACE ? winds_around(m, x, along) : here == MESH_INSIDE;
}

/* The label that all cells of a box have; MESH_SURFACE: they differ, or are many. */
static int label_of(const struct tor_mesh *m, const double lo[3], const double hi[3]) {
  enum { MANY = 64 };
  int from[3], to[3], all = 1;
  for (int a = 0; a < 3; a++) {
    from[a] = cell_of(m, a, lo[a]);
    to[a] = cell_of(m, a, hi[a]);
    if (to[a] - from[a] >= MANY) return MESH_SURFACE;
    all *= to[a] - from[a] + 1;
  }
  const int first = m->label[label_at(m, from[0], from[1], from[2])];
  for (int k = from[2]; k <= to[2] && all <= MANY; k++)
    for (int j = from[1]; j <= to[1]; j++)
      for (int i = from[0]; i <= to[0]; i++)
        if (m->label[label_at(m, i, j, k)] != first) return MESH_SURFACE;
  return all <= MANY ? first : MESH_SURFACE;
}

int tor_mesh_holds_box(const struct tor_mesh *m, const double lo[3], const double hi[3]) {
  static const double WITHIN = 1e-7; /* of an edge: a face along a side does not cut the box */
  double from[3], to[3], middle[3];
  int whole = 1; /* it lies in the bounds */
  for (int a = 0; a < 3; a++) {
    const double low = m->node->lo[a], high = m->node->hi[a], slack = 1e-3 * (high - low) / m->n[a];
    const double edge = hi[a] - lo[a], within = isfinite(edge) ? WITHIN * edge : 0; /* the box may be endless */
    from[a] = lo[a] + within;
    to[a] = hi[a] - within;
    whole &= from[a] >= low && to[a] <= high;
    if (from[a] >= high || to[a] <= low) return -1;
    from[a] = fmax(from[a], low - slack);
    to[a] = fmin(to[a], high + slack);
    middle[a] = 0.5 * (from[a] + to[a]);
  }
  const int labelled = whole ? label_of(m, from, to) : MESH_SURFACE;
  if (labelled != MESH_SURFACE) return labelled == MESH_INSIDE ? 1 : -1;
  if (tor_mesh_touches(m, from, to)) return 0;
  return tor_mesh_contains(m, middle, 2) ? 1 : -1;
}
