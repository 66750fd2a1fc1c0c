/* Bins of objects: see object_bins.h.
 *
 * Each bin of a regular grid lists the objects whose bounds meet it. Its bins are about as large as the objects; the
 * few objects that would be in very many bins, such as layers, are in a list of their own. */
#include "src/job/object_bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/geometry.h"

enum { LARGE = 256, BINS_AN_OBJECT = 4 };

struct tor_object_bins {
  const struct tor_object *objects;
  int count, nlarge;
  double (*lo)[3], (*hi)[3]; /* [count] bounds */
  int *large;                /* [nlarge], in painting order */
  int n[3];
  double low[3], width[3]; /* of the first bin, of each bin [m] */
  size_t *first;           /* [n[0] n[1] n[2] + 1] places in list */
  int *list;               /* of each bin, in painting order */
};

static int is_finite(const struct tor_object_bins *b, int o) {
  double sum = 0;
  for (int a = 0; a < 3; a++) sum += fabs(b->lo[o][a]) + fabs(b->hi[o][a]);
  return sum < 1e30;
}

/* Along each axis as many bins as objects of the mean size fit beside each other. */
static void choose_bins(struct tor_object_bins *b) {
  double high[3], size[3] = {0}, all = 1, n[3];
  int finite = 0;
  for (int o = 0; o < b->count; o++) {
    if (!is_finite(b, o)) continue;
    for (int a = 0; a < 3; a++) {
      b->low[a] = finite ? fmin(b->low[a], b->lo[o][a]) : b->lo[o][a];
      high[a] = finite ? fmax(high[a], b->hi[o][a]) : b->hi[o][a];
      size[a] += b->hi[o][a] - b->lo[o][a];
    }
    finite++;
  }
  for (int a = 0; a < 3; a++) {
    b->n[a] = 1;
    b->width[a] = 1;
    n[a] = finite && size[a] > 0 ? fmax(1, fmin((high[a] - b->low[a]) / (size[a] / finite), 1e6)) : 1;
    all *= n[a];
  }
  while (finite && all > (double)BINS_AN_OBJECT * finite) { /* fewer where there are most */
    const int most = n[0] >= n[1] && n[0] >= n[2] ? 0 : n[1] >= n[2] ? 1 : 2;
    all /= n[most];
    n[most] = fmax(1, 0.8 * n[most]);
    all *= n[most];
  }
  for (int a = 0; a < 3 && finite; a++) {
    b->n[a] = (int)n[a];
    if (high[a] > b->low[a]) b->width[a] = (high[a] - b->low[a]) / b->n[a];
  }
}

static int bin_of(const struct tor_object_bins *b, int a, double x) {
  const double at = floor((x - b->low[a]) / b->width[a]);
  return at > 0 ? at < b->n[a] ? (int)at : b->n[a] - 1 : 0;
}

/* The bins that a box meets. Returns their number. */
static double bins_of(const struct tor_object_bins *b, const double lo[3], const double hi[3], int range[3][2]) {
  double all = 1;
  for (int a = 0; a < 3; a++) {
    range[a][0] = bin_of(b, a, lo[a]);
    range[a][1] = bin_of(b, a, hi[a]);
    all *= range[a][1] - range[a][0] + 1;
  }
  return all;
}

static size_t bin_at(const struct tor_object_bins *b, int i, int j, int k) {
  return ((size_t)i * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[2] + (size_t)k;
}

/* Counts in first[bin + 1] the objects of each bin, or puts them into their places. */
static void walk(struct tor_object_bins *b, size_t *next) {
  int range[3][2];
  for (int o = 0; o < b->count; o++) {
    if (!is_finite(b, o) || bins_of(b, b->lo[o], b->hi[o], range) > LARGE) {
      if (!next) b->large[b->nlarge++] = o;
      continue;
    }
    for (int i = range[0][0]; i <= range[0][1]; i++)
      for (int j = range[1][0]; j <= range[1][1]; j++)
        for (int k = range[2][0]; k <= range[2][1]; k++) {
          const size_t bin = bin_at(b, i, j, k);
          if (next)
            b->list[next[bin]++] = o;
          else
            b->first[bin + 1]++;
        }
  }
}

struct tor_object_bins *tor_object_bins_new(const struct tor_object *objects, int count) {
  struct tor_object_bins *b = tor_alloc(1, sizeof *b, "objects");
  const size_t some = (size_t)count + 1;
  b->objects = objects;
  b->count = count;
  b->lo = tor_alloc(some, sizeof *b->lo, "objects");
  b->hi = tor_alloc(some, sizeof *b->hi, "objects");
  b->large = tor_alloc(some, sizeof *b->large, "objects");
  for (int o = 0; o < count; o++) tor_object_bounds(&objects[o], b->lo[o], b->hi[o]);
  choose_bins(b);
  const size_t bins = (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
  b->first = tor_alloc(bins + 1, sizeof *b->first, "objects");
  walk(b, NULL);
  for (size_t i = 0; i < bins; i++) b->first[i + 1] += b->first[i];
  b->list = tor_alloc(b->first[bins] + 1, sizeof *b->list, "objects");
  size_t *next = tor_alloc(bins + 1, sizeof *next, "objects");
  memcpy(next, b->first, bins * sizeof *next);
  walk(b, next);
  free(next);
  return b;
}

void tor_object_bins_free(struct tor_object_bins *b) {
  if (!b) return;
  free(b->lo);
  free(b->hi);
  free(b->large);
  free(b->first);
  free(b->list);
  free(b);
}

int tor_object_bins_are_of(const struct tor_object_bins *b, const struct tor_object *objects, int count) {
  return b && b->objects == objects && b->count == count;
}

const double (*tor_object_bins_lo(const struct tor_object_bins *b))[3] { return (const double(*)[3])b->lo; }
const double (*tor_object_bins_hi(const struct tor_object_bins *b))[3] { return (const double(*)[3])b->hi; }

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void sort(int *list, int n) {
  enum { FEW = 32 };
  if (n > FEW) {
    qsort(list, (size_t)n, sizeof *list, by_number);
    return;
  }
  for (int i = 1; i < n; i++) {
    const int o = list[i];
    int to = i;
    for (; to > 0 && list[to - 1] > o; to--) list[to] = list[to - 1];
    list[to] = o;
  }
}

static int meets(const struct tor_object_bins *b, int o, const double lo[3], const double hi[3]) {
  for (int a = 0; a < 3; a++)
    if (!(b->hi[o][a] > lo[a] && b->lo[o][a] < hi[a])) return 0;
  return 1;
}

int tor_object_bins_near(const struct tor_object_bins *b, const double lo[3], const double hi[3], int *list) {
  int range[3][2], count = 0;
  for (int i = 0; i < b->nlarge; i++)
    if (meets(b, b->large[i], lo, hi)) list[count++] = b->large[i];
  bins_of(b, lo, hi, range);
  for (int i = range[0][0]; i <= range[0][1]; i++)
    for (int j = range[1][0]; j <= range[1][1]; j++)
      for (int k = range[2][0]; k <= range[2][1]; k++) {
        const size_t bin = bin_at(b, i, j, k);
        const int at[3] = {i, j, k};
        for (size_t place = b->first[bin]; place < b->first[bin + 1]; place++) {
          const int o = b->list[place];
          int is_first = meets(b, o, lo, hi); /* of the bins that both meet: it is in the list once */
          for (int a = 0; a < 3 && is_first; a++) is_first = at[a] == range[a][0] || bin_of(b, a, b->lo[o][a]) == at[a];
          if (is_first) list[count++] = o;
        }
      }
  sort(list, count);
  return count;
}

/* The last of a list that contains the point and comes after `best`, else best. */
static int last_at(const struct tor_object_bins *b, const int *list, size_t count, const double x[3], int best) {
  while (count > 0 && list[count - 1] > best) {
    const int o = list[--count];
    int inside = 1;
    for (int a = 0; a < 3; a++) inside &= x[a] >= b->lo[o][a] && x[a] <= b->hi[o][a];
    if (inside && tor_object_contains(&b->objects[o], x)) return o;
  }
  return best;
}

int tor_object_bins_at(const struct tor_object_bins *b, const double x[3]) {
  const size_t bin = bin_at(b, bin_of(b, 0, x[0]), bin_of(b, 1, x[1]), bin_of(b, 2, x[2]));
  const int best = last_at(b, b->large, (size_t)b->nlarge, x, -1);
  return last_at(b, b->list + b->first[bin], b->first[bin + 1] - b->first[bin], x, best);
}

double tor_object_bins_bytes(const struct tor_object_bins *b) {
  const size_t bins = (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
  return (double)((size_t)b->count * (6 * sizeof(double) + sizeof(int)) + bins * sizeof *b->first +
                  b->first[bins] * sizeof *b->list);
}
