/* The tree of boxes over the faces of a mesh, and the boxes that a face meets: see mesh.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/mesh_parts.h"

enum { LEAF = 4, DEPTH = 64 };

/* --- Making --- */

struct builder {
  struct tor_mesh *mesh;
  int *order;         /* [nface] */
  float (*middle)[3]; /* [nface] sums of the three vertices */
  int sorted_by;      /* axis */
};

static void bounds_of(const struct tor_mesh *m, const int *order, int count, struct mesh_node *node) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      const float *p = m->vertex[m->face[order[i]][k]];
      for (int a = 0; a < 3; a++) {
        if (i + k == 0) node->lo[a] = node->hi[a] = p[a];
        if (p[a] < node->lo[a]) node->lo[a] = p[a];
        if (p[a] > node->hi[a]) node->hi[a] = p[a];
      }
    }
}

/* Moves the faces with the smaller middles along an axis before list[at]. */
static void split(const struct builder *b, int *list, int count, int at, int axis) {
  int first = 0, last = count - 1;
  while (first < last) {
    const float pivot = b->middle[list[first + (last - first) / 2]][axis];
    int i = first, j = last;
    while (i <= j) {
      while (b->middle[list[i]][axis] < pivot) i++;
      while (b->middle[list[j]][axis] > pivot) j--;
      if (i > j) break;
      const int swap = list[i];
      list[i++] = list[j];
      list[j--] = swap;
    }
    if (at <= j)
      last = j;
    else if (at >= i)
      first = i;
    else
      return;
  }
}

/* Adds the node of order[first .. first + count - 1] and all below it. Returns its number. */
static int add_node(struct builder *b, int first, int count) {
  struct tor_mesh *m = b->mesh;
  const int here = m->nnode++;
  struct mesh_node node = {.count = count, .second = first};
  int axis = 0;
  bounds_of(m, b->order + first, count, &node);
  if (count > LEAF) {
    for (int a = 1; a < 3; a++)
      if (node.hi[a] - node.lo[a] > node.hi[axis] - node.lo[axis]) axis = a;
    split(b, b->order + first, count, count / 2, axis);
    node.count = 0;
    add_node(b, first, count / 2);
    node.second = add_node(b, first + count / 2, count - count / 2);
  }
  m->node[here] = node;
  return here;
}

void tor_mesh_make_tree(struct tor_mesh *m) {
  const size_t n = (size_t)m->nface;
  struct builder b = {.mesh = m};
  b.order = tor_alloc(n, sizeof *b.order, "mesh");
  b.middle = tor_alloc(n, sizeof *b.middle, "mesh");
  for (int f = 0; f < m->nface; f++) {
    b.order[f] = f;
    for (int k = 0; k < 3; k++)
      for (int a = 0; a < 3; a++) b.middle[f][a] += m->vertex[m->face[f][k]][a] / 3;
  }
  m->node = tor_alloc(n + 1, sizeof *m->node, "mesh"); /* a leaf has two faces or more, but for one alone */
  add_node(&b, 0, m->nface);
  int(*sorted)[3] = tor_alloc(n, sizeof *sorted, "mesh");
  for (int f = 0; f < m->nface; f++) memcpy(sorted[f], m->face[b.order[f]], sizeof *sorted);
  free(m->face);
  m->face = sorted;
  free(b.order);
  free(b.middle);
}

/* --- Boxes --- */

/* A triangle about the middle of a box with these half edges. */
struct in_box {
  double p[3][3], half[3];
};

/* Whether the axis d separates the two. */
static int separates(const struct in_box *b, const double d[3]) {
  double least = INFINITY, most = -INFINITY, reach = 0;
  for (int i = 0; i < 3; i++) {
    const double at = d[0] * b->p[i][0] + d[1] * b->p[i][1] + d[2] * b->p[i][2];
    least = fmin(least, at);
    most = fmax(most, at);
    reach += fabs(d[i]) * b->half[i];
  }
  return least > reach || most < -reach;
}

/* Of two convex bodies that do not meet, one of these 13 axes separates the two. */
static int meets(const struct tor_mesh *m, int f, const double lo[3], const double hi[3]) {
  struct in_box b;
  double edge[3][3], normal[3];
  for (int a = 0; a < 3; a++) {
    double least = INFINITY, most = -INFINITY;
    b.half[a] = 0.5 * (hi[a] - lo[a]);
    for (int i = 0; i < 3; i++) {
      b.p[i][a] = (double)m->vertex[m->face[f][i]][a] - 0.5 * (lo[a] + hi[a]);
      least = fmin(least, b.p[i][a]);
      most = fmax(most, b.p[i][a]);
    }
    if (least > b.half[a] || most < -b.half[a]) return 0;
  }
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 3; a++) edge[i][a] = b.p[(i + 1) % 3][a] - b.p[i][a];
  for (int a = 0; a < 3; a++) {
    const int u = (a + 1) % 3, v = (a + 2) % 3;
    normal[a] = edge[0][u] * edge[1][v] - edge[0][v] * edge[1][u];
  }
  if (separates(&b, normal)) return 0;
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 3; a++) { /* the cross product of an edge and an axis */
      const int u = (a + 1) % 3, v = (a + 2) % 3;
      double d[3] = {0};
      d[u] = edge[i][v];
      d[v] = -edge[i][u];
      if (separates(&b, d)) return 0;
    }
  return 1;
}

int tor_mesh_touches(const struct tor_mesh *m, const double lo[3], const double hi[3]) {
  int stack[DEPTH], n = 0;
  stack[n++] = 0;
  while (n) {
    const int here = stack[--n];
    const struct mesh_node *node = &m->node[here];
    int apart = 0;
    for (int a = 0; a < 3; a++) apart |= (double)node->hi[a] < lo[a] || (double)node->lo[a] > hi[a];
    if (apart) continue;
    for (int f = node->second; f < node->second + node->count; f++)
      if (meets(m, f, lo, hi)) return 1;
    if (node->count) continue;
    stack[n++] = node->second;
    stack[n++] = here + 1;
  }
  return 0;
}
