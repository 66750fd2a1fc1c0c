/* Ownership of columns and towers: see decomposition.h. */
#include "comm/exchange/decomposition.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "comm/exchange/borders.h"
#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "diamond/core/tile.h"
#include "src/base/error.h"
#include "src/base/types.h"

enum { BEYOND = 1 << 28 };

static int max(int a, int b) { return a > b ? a : b; }
static int min(int a, int b) { return a < b ? a : b; }
static int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
static int ceil_div(int a, int b) { return -floor_div(-a, b); }

static int reach(const struct tor_decomposition *l) { return l->order == 4 ? 3 : 1; }
static int radius(const struct tor_decomposition *l) { return reach(l) * l->dts; }

/* Half cells that a row touches to the right of R row: it writes up to 2 s steps + 2R - 1 and reads s further. */
static int lean(const struct tor_decomposition *l, int steps) {
  return 2 * reach(l) * steps + 2 * radius(l) - 1 + reach(l);
}

/* Work along an axis: sum[i] is that of the slices before column i, strided[i] = sum[i] + sum[i - s] + ... . */
struct work {
  int columns;
  int64_t *sum, *strided; /* [columns + 1] */
};

/* Less than 2^32 in all, so that nothing below overflows. */
static struct work add_up(const struct tor_decomposition *l, int axis, const int64_t *slices) {
  const size_t count = (size_t)l->n[axis] + 2;
  const int copies = axis && l->ring; /* the column at n is that at 0 */
  struct work w = {l->n[axis] + 1 - copies, tor_alloc(count, sizeof *w.sum, "layout"),
                   tor_alloc(count, sizeof *w.strided, "layout")};
  int shift = 0;
  do {
    for (int i = 0; i < w.columns; i++) w.sum[i + 1] = w.sum[i] + (slices ? slices[i] >> shift : 1);
    shift++;
  } while (slices && w.sum[w.columns] >= (int64_t)1 << 32);
  for (int i = 0; i <= w.columns; i++) w.strided[i] = w.sum[i] + (i < reach(l) ? 0 : w.strided[i - reach(l)]);
  return w;
}

static void work_free(struct work *w) {
  free(w->sum);
  free(w->strided);
}

/* sum[from] + sum[from + s] + ..., `count` of them; beyond the last column it stays that of the whole. */
static int64_t strided_sum(const struct work *w, int s, int64_t from, int count) {
  const int64_t inside = from > w->columns ? 0 : (w->columns - from) / s + 1;
  const int in = inside < count ? (int)inside : count;
  int64_t all = (int64_t)(count - in) * w->sum[w->columns];
  if (in > 0) all += w->strided[from + (int64_t)s * (in - 1)] - (from < s ? 0 : w->strided[from - s]);
  return all;
}

/* All work of a longest stage in units of work_before. */
static int64_t all_work(const struct tor_decomposition *l, int axis, const struct work *w) {
  return 4 * (axis ? 1 : l->th) * w->sum[w->columns];
}

/* The work in rows before even row `row`; along y, at places up to `row`. Diamonds of rows row - 1 and row meet, on
 * average, R (2 row + 1) / 4 columns from the slab's start and move by s columns a step; those of places do not move.
 * In quarters of a column. */
static int64_t work_before(const struct tor_decomposition *l, int axis, const struct work *w, int row) {
  const int steps = axis ? 1 : l->th, s = reach(l);
  const int64_t at = (int64_t)radius(l) * (2 * row + 1) + (axis ? 1 : 3 * s), column = at / 4, part = at % 4;
  return (4 - part) * strided_sum(w, s, column, steps) + part * strided_sum(w, s, column + 1, steps);
}

/* Of a ring what the last rank does of it beyond the seam. */
static int64_t work_of_last(const struct tor_decomposition *l, int axis, const struct work *w) {
  return axis && l->ring ? work_before(l, axis, w, 0) : 0;
}

static struct tor_span overlap(const struct tor_decomposition *l, int border) {
  int from = radius(l) * border / 2, last = floor_div(radius(l) * (border - 1) + lean(l, l->th), 2);
  return (struct tor_span){from, min(last, l->n[0]) + 1};
}

/* The first border behind a rank that begins at row or place `border` and is between two others. Along x no row may
 * touch both overlaps: rows from row - lean / R on touch the right one, rows up to (2 to - 1) / R the left one. In a
 * narrow layout rows may, but no column lies in both overlaps. */
static int least_end(const struct tor_decomposition *l, int axis, int border) {
  if (axis) return border + (l->ring ? 2 * TOR_RING_TOWERS : 4);
  const int to = 2 * overlap(l, border).to,
            end = l->narrow ? ceil_div(to, radius(l)) : floor_div(to - 1, radius(l)) + 1 + lean(l, l->th) / radius(l);
  return max(end + end % 2, border + 2);
}

/* Borders that divide the work as evenly as whole units of two rows or places allow, R columns each; NULL when ranks
 * would be too narrow. */
static int *borders(const struct tor_decomposition *l, int axis, const int64_t *slices) {
  const int ranks = l->ranks[axis], r = radius(l), furthest = axis ? (l->site[1][1] - 1) / r : 2 * (l->n[0] - 1) / r;
  const int ring = axis && l->ring, around = ring ? 2 * l->n[1] / r : 0;
  int *border = tor_alloc((size_t)ranks + 1, sizeof *border, "layout");
  struct work w = add_up(l, axis, slices);
  struct tor_border_rule rule = {.first = 1, .last = max(furthest, 0) / 2, .all = all_work(l, axis, &w)};
  if (ring) rule.first = TOR_RING_TOWERS, rule.last = max(around / 2 - TOR_RING_TOWERS, 0);
  rule.least = tor_alloc((size_t)rule.last + 1, sizeof *rule.least, "layout");
  rule.before = tor_alloc((size_t)rule.last + 1, sizeof *rule.before, "layout");
  for (int u = 1; u <= rule.last; u++) {
    rule.least[u] = least_end(l, axis, 2 * u) / 2;
    rule.before[u] = work_before(l, axis, &w, 2 * u) - work_of_last(l, axis, &w);
  }
  const int found = !tor_borders_choose(&rule, ranks, border);
  for (int i = 1; i < ranks; i++) border[i] *= 2;
  border[0] = ring ? 0 : -BEYOND;
  border[ranks] = ring ? around : BEYOND;
  free(rule.least);
  free(rule.before);
  work_free(&w);
  if (found) return border;
  free(border);
  return NULL;
}

void tor_decomposition_work(const struct tor_decomposition *l, int axis, const int64_t *slices, double *part) {
  struct work w = add_up(l, axis, slices);
  const int *border = axis ? l->place : l->row;
  const int64_t all = all_work(l, axis, &w);
  int64_t before = 0;
  for (int i = 0; i < l->ranks[axis]; i++) {
    const int64_t next =
        i + 1 < l->ranks[axis] ? work_before(l, axis, &w, border[i + 1]) - work_of_last(l, axis, &w) : all;
    part[i] = all ? (double)(next - before) / (double)all : 0;
    before = next;
  }
  work_free(&w);
}

static int make(struct tor_decomposition *l, int narrow, const struct tor_slab *slab, int dts, int th,
                const int ranks[2], const int64_t *const work[2]) {
  *l = (struct tor_decomposition){.order = slab->order, .dts = dts, .th = th, .narrow = narrow};
  const int ring = tor_slab_periodic(slab, TOR_Y), radius = dts * (slab->order == 4 ? 3 : 1);
  if (tor_slab_periodic(slab, TOR_X) && ranks[0] * ranks[1] > 1) return -1;
  if (ring && !tor_tiling_closes(radius, 2 * slab->n[1])) return -1;
  l->ring = ring && ranks[1] > 1;
  for (int a = 0; a < 2; a++) {
    l->n[a] = slab->n[a];
    l->site[a][0] = tor_slab_first(slab, a);
    l->site[a][1] = tor_slab_last(slab, a);
    l->ranks[a] = ranks[a];
  }
  l->row = borders(l, 0, work ? work[0] : NULL);
  l->place = borders(l, 1, work ? work[1] : NULL);
  if (l->row && l->place) return 0;
  tor_decomposition_free(l);
  return -1;
}

int tor_decomposition_make(struct tor_decomposition *l, const struct tor_slab *slab, int dts, int th,
                           const int ranks[2], const int64_t *const work[2]) {
  if (!make(l, 0, slab, dts, th, ranks, work)) return 0;
  return ranks[0] > 2 ? make(l, 1, slab, dts, th, ranks, work) : -1;
}

void tor_decomposition_free(struct tor_decomposition *l) {
  free(l->row);
  free(l->place);
  memset(l, 0, sizeof *l);
}

/* A column along y, or the domain's last where it ends. */
static int up_to(const struct tor_decomposition *l, int iy) { return l->ring ? iy : min(iy, l->n[1]); }

struct tor_part tor_decomposition_part(const struct tor_decomposition *l, int x, int y) {
  struct tor_part share = {.x = x, .y = y, .held = {0, l->n[0] + 1, 0, l->n[1] + 1}};
  share.own = share.held;
  if (x > 0) {
    share.left = overlap(l, l->row[x]);
    share.held.x0 = share.left.from - l->margin;
    share.own.x0 = share.left.to;
  }
  if (x + 1 < l->ranks[0]) {
    share.right = overlap(l, l->row[x + 1]);
    share.own.x1 = share.right.to;
    share.held.x1 = min(share.right.to + l->margin, l->n[0] + 1);
  }
  const int r = radius(l), s = reach(l);
  if (y > 0 || l->ring) {
    share.own.y0 = r * l->place[y] / 2;
    share.held.y0 = l->margin ? share.own.y0 - l->margin : floor_div(r * l->place[y] + 1 - s, 2);
  }
  if (y + 1 < l->ranks[1] || l->ring) {
    share.own.y1 = r * l->place[y + 1] / 2;
    share.held.y1 = up_to(l, floor_div(r * l->place[y + 1] + r - 1 + s, 2) + l->margin) + 1;
  }
  return share;
}

int tor_decomposition_number(const struct tor_decomposition *l, int x, int y) { return x * l->ranks[1] + y; }

int tor_decomposition_beside(const struct tor_decomposition *l, int x, int y, int above) {
  const int beside = y + (above ? 1 : -1), ranks = l->ranks[1];
  if (l->ring) return tor_decomposition_number(l, x, (beside + ranks) % ranks);
  return beside < 0 || beside >= ranks ? -1 : tor_decomposition_number(l, x, beside);
}

struct tor_tiling tor_decomposition_tiling(const struct tor_decomposition *l, int steps) {
  return tor_tiling_make(l->order, l->dts, steps, l->site[0][0], l->site[0][1], l->site[1][0], l->site[1][1]);
}

int tor_decomposition_rows(const struct tor_decomposition *l, const struct tor_part *share, int steps,
                           struct tor_rows *right, struct tor_rows *middle, struct tor_rows *left) {
  struct tor_tiling tiling = tor_decomposition_tiling(l, steps);
  int first, last;
  tor_tiling_rows(&tiling, &first, &last);
  first = min(first, l->row[share->x + 1] - 1);
  last = max(last, l->row[share->x]);
  int a = first + 1, b = last - 1; /* rows from a on touch the right overlap, rows up to b the left one */
  if (share->x + 1 < l->ranks[0])
    a = max(min(a, ceil_div(radius(l) * l->row[share->x + 1] - lean(l, steps), radius(l))), last);
  if (share->x > 0) b = max(b, min(floor_div(2 * share->left.to - 1, radius(l)), first));
  const int both = b >= a;
  *right = (struct tor_rows){first, both ? b + 1 : a};
  *middle = both ? (struct tor_rows){b, a} : (struct tor_rows){a - 1, b + 1};
  *left = (struct tor_rows){both ? a - 1 : b, last};
  return both;
}

static struct tor_column_block halo_columns(const struct tor_decomposition *l, int row, int steps, int y0, int y1) {
  int u = radius(l) * row;
  return (struct tor_column_block){max(floor_div(u, 2), 0), min(floor_div(u + lean(l, steps), 2), l->n[0]) + 1, y0, y1};
}

struct tor_column_block tor_decomposition_halo_y_down(const struct tor_decomposition *l, int y, int row, int steps) {
  const int v = radius(l) * l->place[y + 1];
  return halo_columns(l, row, steps, v / 2, up_to(l, floor_div(v + radius(l) - 1 + reach(l), 2)) + 1);
}

struct tor_column_block tor_decomposition_halo_y_up(const struct tor_decomposition *l, int y, int row, int steps) {
  const int v = radius(l) * l->place[y + 1];
  return halo_columns(l, row, steps, floor_div(v + 1 - reach(l), 2), up_to(l, floor_div(v + radius(l) - 1, 2)) + 1);
}

/* --- Parts of the halos along y --- */

enum { PARTS = 4, SHORTEST = 4 };

static int part_steps(int steps) { return max((steps + PARTS - 1) / PARTS, SHORTEST); }

int tor_decomposition_halo_y_parts(int steps) { return max((steps + part_steps(steps) - 1) / part_steps(steps), 1); }

int tor_decomposition_halo_y_part_left(int steps, int part) { return min((part + 1) * part_steps(steps), steps); }

/* For its step m tower (a, b) needs the values at p < 2R (a + 1) + 2s m + s of tower (a + 1, b) (reg_kernel.cuh: the H
 * that it takes over); after step n that tower has left those at p < 2R (a + 1) + 2s n: whole columns for n - 2 steps.
 * The same holds for q and tower (a, b + 1). */
int tor_decomposition_halo_y_part_allows(int steps, int part) {
  return part + 1 < tor_decomposition_halo_y_parts(steps) ? tor_decomposition_halo_y_part_left(steps, part) - 2
                                                          : BEYOND;
}

/* Part number `part` of a halo: whole columns, of which no value is at p >= edge + 2s n. */
static struct tor_halo_y_part cut(const struct tor_decomposition *l, struct tor_column_block block, int lean, int edge,
                                  int steps, int part) {
  struct tor_halo_y_part cut = {block, lean, -BEYOND, BEYOND};
  if (part > 0) cut.from = edge + reach(l) * tor_decomposition_halo_y_part_left(steps, part - 1);
  if (part + 1 < tor_decomposition_halo_y_parts(steps))
    cut.to = edge + reach(l) * tor_decomposition_halo_y_part_left(steps, part);
  return cut;
}

/* A column's sites have p up to 2 (ix + iy) + 2, q = u - v up to 2 (ix - iy) + 1. */
struct tor_halo_y_part tor_decomposition_halo_y_part_down(const struct tor_decomposition *l, int y, int row, int steps,
                                                          int part) {
  const int a = (row + l->place[y + 1]) / 2; /* of the tower that takes it: even sum */
  return cut(l, tor_decomposition_halo_y_down(l, y, row, steps), 1, radius(l) * (a + 1) - 1, steps, part);
}

struct tor_halo_y_part tor_decomposition_halo_y_part_up(const struct tor_decomposition *l, int y, int row, int steps,
                                                        int part) {
  const int b = (row - l->place[y + 1]) / 2;
  return cut(l, tor_decomposition_halo_y_up(l, y, row, steps), -1, radius(l) * b, steps, part);
}
