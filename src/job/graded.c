/* Cells of a graded axis: see graded.h.
 *
 * The ends of all intervals are nodes and divide the axis into segments. The segments are filled in the order of the
 * lengths that their cells may have, so that the end cells of the smaller neighbours are known: from these the lengths
 * grow as a power of the ratio, up to the segment's own. Further segments of smaller cells bound them, too. */
#include "src/job/graded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

struct segment {
  double lo, hi, most; /* ends, longest cell [m] */
  int exact;           /* cells are of that length */
  int n;               /* cells, 0: not filled yet */
  double *cell;        /* [n] */
};

enum { MOST_CELLS = 1 << 24 };

/* Length of cell k of n between cells of lengths `before` and `after`. */
static double length_of(int k, int n, double before, double after, double ratio, double most) {
  return fmin(most, fmin(before * pow(ratio, k + 1), after * pow(ratio, n - k)));
}

static double sum_of(int n, double before, double after, double ratio, double most) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += length_of(k, n, before, after, ratio, most);
  return sum;
}

/* Lengths whose sum is the segment's: as few cells as the ratio allows, the longest ones or, where there are none, the
 * ratio made smaller for it. */
static void fill(struct segment *s, double before, double after, double ratio) {
  const double length = s->hi - s->lo, slack = 1 + 1e-9;
  double most = s->most, power = ratio;
  int n = 1;
  if (s->exact || (isinf(before) && isinf(after))) {
    n = (int)fmax(1, ceil(length / most - 1e-6));
    most = length / n;
    before = after = HUGE_VAL;
  } else {
    n = (int)fmax(1, floor(length / most));
    while (n < MOST_CELLS && sum_of(n, before, after, ratio, most) * slack < length) n++;
    const int by_most = sum_of(n, before, after, ratio, most / ratio) <= length;
    double low = by_most ? most / ratio : 1, high = by_most ? most : ratio;
    for (int i = 0; i < 200; i++) {
      const double middle = 0.5 * (low + high);
      *(by_most ? &most : &power) = middle;
      *(sum_of(n, before, after, power, most) < length ? &low : &high) = middle;
    }
  }
  s->n = n;
  s->cell = tor_alloc((size_t)n, sizeof *s->cell, "graded grid");
  const double part = length / sum_of(n, before, after, power, most); /* 1 but for rounding, or cells do not fit */
  for (int k = 0; k < n; k++) s->cell[k] = part * length_of(k, n, before, after, power, most);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The segments between all ends; ends nearer than a millionth of a cell are one. */
static int divide(double lo, double hi, double cell, const struct tor_refined *refined, int count, int exact,
                  struct segment **segments) {
  double *end = tor_alloc(2 * (size_t)count + 2, sizeof *end, "graded grid");
  int ends = 0, n = 0;
  end[ends++] = lo;
  end[ends++] = hi;
  for (int i = 0; i < count; i++) {
    end[ends++] = refined[i].lo;
    end[ends++] = refined[i].hi;
  }
  qsort(end, (size_t)ends, sizeof *end, ascending);
  *segments = tor_alloc((size_t)ends, sizeof **segments, "graded grid");
  for (int e = 0, from = 0; e < ends; e++) {
    if (end[e] - end[from] < 1e-6 * cell) continue;
    struct segment *s = &(*segments)[n++];
    *s = (struct segment){.lo = end[from], .hi = end[e], .most = cell};
    const double middle = 0.5 * (s->lo + s->hi);
    for (int i = 0; i < count; i++) {
      if (middle < refined[i].lo || middle > refined[i].hi) continue;
      s->most = fmin(s->most, refined[i].cell);
      s->exact |= i < exact;
    }
    from = e;
  }
  (*segments)[0].lo = lo;
  (*segments)[n - 1].hi = hi;
  free(end);
  return n;
}

/* The cell that a segment's own may be `ratio` times as long as at its low or high end, by the filled segments there:
 * the next one's, or that to which the cells of one further on can grow until here. */
static double bound(const struct segment *segment, int n, const struct segment *s, int high, double ratio) {
  static const double PART = 0.8; /* of that growth: lengths between have to fit */
  double least = HUGE_VAL;
  for (const struct segment *other = segment; other < segment + n; other++) {
    if (!other->n || (high ? other <= s : other >= s)) continue;
    const double gap = high ? other->lo - s->hi : s->lo - other->hi, end = other->cell[high ? 0 : other->n - 1];
    least = fmin(least, end + fmax(gap, 0) * (1 - 1 / ratio) * PART);
  }
  return least;
}

int tor_graded_make(double lo, double hi, double cell, double ratio, const struct tor_refined *refined, int count,
                    int exact, double **nodes, double *where) {
  struct segment *segment;
  const int n = divide(lo, hi, cell, refined, count, exact, &segment);
  int total = 1;
  for (int filled = 0; filled < n; filled++) {
    struct segment *next = segment; /* the one of the smallest cells that is not filled */
    for (struct segment *s = segment; s < segment + n; s++)
      if (!s->n && (next->n || s->most < next->most || (s->most == next->most && s->exact > next->exact))) next = s;
    fill(next, bound(segment, n, next, 0, ratio), bound(segment, n, next, 1, ratio), ratio);
    total += next->n;
  }
  double *at = *nodes = tor_alloc((size_t)total, sizeof *at, "graded grid");
  for (struct segment *s = segment; s < segment + n; s++) {
    double x = s->lo;
    for (int k = 0; k < s->n; k++) {
      *at++ = x;
      x += s->cell[k];
    }
    free(s->cell);
  }
  *at = hi;
  free(segment);
  for (int i = 1; i + 1 < total; i++) {
    const double two[3] = {(*nodes)[i - 1], (*nodes)[i], (*nodes)[i + 1]};
    if (tor_graded_ratio(two, 3) <= ratio * (1 + 1e-6)) continue;
    *where = two[1];
    free(*nodes);
    *nodes = NULL;
    return 0;
  }
  return total;
}

double tor_graded_ratio(const double *nodes, int count) {
  double most = 1;
  for (int i = 1; i + 1 < count; i++) {
    const double part = (nodes[i + 1] - nodes[i]) / (nodes[i] - nodes[i - 1]);
    most = fmax(most, fmax(part, 1 / part));
  }
  return most;
}
