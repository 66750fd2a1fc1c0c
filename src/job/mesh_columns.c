/* The faces that lines along an axis may cross, by bins across it: see mesh_parts.h. */
#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/job/mesh_parts.h"

enum { MOST_BINS = 1 << 14, MANY = 8 }; /* along an axis; places of a face in the list, on average */

/* Monotone in x, so that a point between two others has a bin between theirs, whatever is rounded. */
static int bin_of(const struct mesh_columns *c, int a, double x) {
  const double at = floor((x - c->lo[a]) * c->per[a]);
  return at > 0 ? at < c->n[a] ? (int)at : c->n[a] - 1 : 0;
}

/* The bins [from, to] that a face's bounds meet. */
static void bins_of(const struct tor_mesh *m, const struct mesh_columns *c, int w, int f, int from[2], int to[2]) {
  for (int a = 0; a < 2; a++) {
    const int axis = (w + 1 + a) % 3;
    float low = m->vertex[m->face[f][0]][axis], high = low;
    for (int k = 1; k < 3; k++) {
      const float x = m->vertex[m->face[f][k]][axis];
      if (x < low) low = x;
      if (x > high) high = x;
    }
    from[a] = bin_of(c, a, (double)low);
    to[a] = bin_of(c, a, (double)high);
  }
}

static double places(const struct tor_mesh *m, const struct mesh_columns *c, int w) {
  double sum = 0;
  for (int f = 0; f < m->nface; f++) {
    int from[2], to[2];
    bins_of(m, c, w, f, from, to);
    sum += (to[0] - from[0] + 1.0) * (to[1] - from[1] + 1.0);
  }
  return sum;
}

/* As many bins as faces, fewer where faces are long. Returns 0 where bins are of no use. */
static int choose_bins(const struct tor_mesh *m, struct mesh_columns *c, int w) {
  double size[2];
  for (int a = 0; a < 2; a++) {
    const int axis = (w + 1 + a) % 3;
    c->lo[a] = m->node->lo[axis];
    size[a] = (double)m->node->hi[axis] - c->lo[a];
    if (!(size[a] > 0)) return 0;
  }
  for (double bins = m->nface; bins >= 16; bins /= 4) {
    for (int a = 0; a < 2; a++) {
      c->n[a] = (int)fmin(fmax(sqrt(bins * size[a] / size[1 - a]), 1), MOST_BINS);
      c->per[a] = c->n[a] / size[a];
    }
    if (places(m, c, w) <= (double)MANY * m->nface) return 1;
  }
  return 0;
}

void tor_mesh_make_columns(struct tor_mesh *m, int w) {
  struct mesh_columns *c = &m->columns[w];
  if (c->first || !choose_bins(m, c, w)) return;
  const size_t bins = (size_t)c->n[0] * (size_t)c->n[1];
  size_t *next = tor_alloc(bins + 1, sizeof *next, "mesh");
  c->first = tor_alloc(bins + 1, sizeof *c->first, "mesh");
  for (int pass = 0; pass < 2; pass++) {
    for (int f = 0; f < m->nface; f++) {
      int from[2], to[2];
      bins_of(m, c, w, f, from, to);
      for (int i = from[0]; i <= to[0]; i++)
        for (int j = from[1]; j <= to[1]; j++) {
          const size_t bin = (size_t)i * (size_t)c->n[1] + (size_t)j;
          if (pass)
            c->list[next[bin]++] = f;
          else
            c->first[bin + 1]++;
        }
    }
    if (pass) break;
    for (size_t i = 0; i < bins; i++) c->first[i + 1] += c->first[i];
    for (size_t i = 0; i < bins; i++) next[i] = c->first[i];
    c->list = tor_alloc(c->first[bins], sizeof *c->list, "mesh");
  }
  free(next);
}

void tor_mesh_free_columns(struct tor_mesh *m) {
  for (int w = 0; w < 3; w++) {
    free(m->columns[w].first);
    free(m->columns[w].list);
  }
}

const int *tor_mesh_column(const struct mesh_columns *c, double u, double v, size_t *count) {
  const size_t bin = (size_t)bin_of(c, 0, u) * (size_t)c->n[1] + (size_t)bin_of(c, 1, v);
  *count = c->first[bin + 1] - c->first[bin];
  return c->list + c->first[bin];
}
