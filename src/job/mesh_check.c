/* Whether a surface is closed, and turned the same way everywhere: see mesh.h. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/job/mesh_parts.h"

/* An edge between two vertices, a < b, with the faces at it. */
struct edge {
  int a, b, count, net; /* faces; those that run from a to b less the others */
};

static struct edge *find(struct edge *table, size_t places, int from, int to) {
  const int a = from < to ? from : to, b = from < to ? to : from;
  uint64_t hash = ((uint64_t)a << 32 | (uint64_t)b) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 29;
  size_t at = (size_t)hash & (places - 1);
  while (table[at].count && (table[at].a != a || table[at].b != b)) at = (at + 1) & (places - 1);
  table[at].a = a;
  table[at].b = b;
  return &table[at];
}

/* The edges that are wrong: open ones, of an odd number of faces, or those of faces that are turned differently. */
struct wrong {
  int count;
  const float *from, *to; /* of the first one in the order of the faces */
};

static struct wrong count_wrong(const struct tor_mesh *m, struct edge *table, size_t places, int open) {
  struct wrong w = {0};
  for (int f = 0; f < m->nface; f++)
    for (int i = 0; i < 3; i++) {
      const int from = m->face[f][i], to = m->face[f][(i + 1) % 3];
      struct edge *e = find(table, places, from, to);
      if (!e->net || e->count % 2 != open) continue;
      if (!w.count++) w.from = m->vertex[from], w.to = m->vertex[to];
      e->net = 0; /* counted */
    }
  return w;
}

static double volume_of(const struct tor_mesh *m) {
  double sum = 0;
  for (int f = 0; f < m->nface; f++) {
    double p[3][3];
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < 3; a++) p[i][a] = (double)m->vertex[m->face[f][i]][a] - (double)m->vertex[0][a];
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      sum += p[0][a] * (p[1][b] * p[2][c] - p[1][c] * p[2][b]) / 6;
    }
  }
  return sum;
}

int tor_mesh_check(const struct tor_mesh *m, char *why, size_t size) {
  size_t places = 16;
  double reach = 0;
  while (places < 4 * (size_t)m->nface) places *= 2;
  struct edge *table = tor_alloc(places, sizeof *table, "mesh");
  for (int f = 0; f < m->nface; f++)
    for (int i = 0; i < 3; i++) {
      const int from = m->face[f][i], to = m->face[f][(i + 1) % 3];
      struct edge *e = find(table, places, from, to);
      e->count++;
      e->net += from < to ? 1 : -1;
    }
  const struct wrong open = count_wrong(m, table, places, 1), turned = count_wrong(m, table, places, 0);
  free(table);
  if (open.count || turned.count) {
    const struct wrong *w = open.count ? &open : &turned;
    snprintf(why, size, "%s: %d edge%s, the first from (%g, %g, %g) to (%g, %g, %g)",
             open.count ? "it is not closed, with faces on one side alone"
                        : "faces side by side are turned differently",
             w->count, w->count == 1 ? "" : "s", (double)w->from[0], (double)w->from[1], (double)w->from[2],
             (double)w->to[0], (double)w->to[1], (double)w->to[2]);
    return -1;
  }
  for (int i = 0; i < m->nvertex; i++)
    for (int a = 0; a < 3; a++) reach = fmax(reach, fabs((double)m->vertex[i][a] - (double)m->vertex[0][a]));
  if (fabs(volume_of(m)) > 1e-12 * reach * reach * reach) return 0;
  snprintf(why, size, "it encloses no volume");
  return -1;
}
