/* Contents of boxes: shares of media, normals. See geometry.h. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/job/even.h"
#include "src/job/geometry.h"
#include "src/job/object_line.h"

static int bounds_miss(const struct tor_object *o, const double lo[3], const double hi[3]) {
  double olo[3], ohi[3];
  tor_object_bounds(o, olo, ohi);
  for (int a = 0; a < 3; a++)
    if (ohi[a] < lo[a] || olo[a] > hi[a]) return 1;
  return 0;
}

static int mix_slot(struct tor_mix *mix, int medium) {
  for (int m = 0; m < mix->count; m++)
    if (mix->medium[m] == medium) return m;
  if (mix->count == TOR_MIX_MAX) return TOR_MIX_MAX - 1;
  mix->medium[mix->count] = medium;
  return mix->count++;
}

/* The objects that affect the box, in painting order, without those that miss it or lie below one that fills it.
 * Returns their number, or -1 when they are more than `most`. *filled: near[0] contains the whole box. */
static int near_objects(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                        const double hi[3], int most, int *near, int *filled) {
  int n = 0, holds;
  *filled = 0;
  for (int i = nlist; !*filled && (i = tor_objects_top(objects, list, i, lo, hi, &holds)) >= 0;) {
    if (bounds_miss(&objects[list[i]], lo, hi)) continue;
    if (n == most) return -1;
    near[n++] = list[i];
    *filled = holds > 0;
  }
  for (int i = 0; i < n / 2; i++) {
    int swap = near[i];
    near[i] = near[n - 1 - i];
    near[n - 1 - i] = swap;
  }
  return n;
}

/* near_objects of a box, of any number. `list` is freed by near_list_free, and valid as long as the structure stays
 * where it is. */
struct near_list {
  int few[32], *list, n, filled;
};
static void near_list_make(struct near_list *near, const struct tor_object *objects, const int *list, int nlist,
                           const double lo[3], const double hi[3]) {
  near->list = near->few;
  near->n =
      near_objects(objects, list, nlist, lo, hi, (int)(sizeof near->few / sizeof *near->few), near->few, &near->filled);
  if (near->n >= 0) return;
  near->list = tor_alloc((size_t)nlist, sizeof *near->list, "objects");
  near->n = near_objects(objects, list, nlist, lo, hi, nlist, near->list, &near->filled);
}
static void near_list_free(struct near_list *near) {
  if (near->list != near->few) free(near->list);
}

/* The unit normal from the moments of the n^3 samples, `hits` of them in a medium, about the box's centre.
 * `first` is in metres; in a cube it points along the normal, in a box with edges edge[] [of the longest] each part is
 * larger by its edge squared. A sheet in the middle has none, so the axis whose `second` moment (in box units) differs
 * most from that of an even spread is used instead, if one differs. */
static void mix_normal(const double first[3], const double second[3], double hits, double n, double scale,
                       const double edge[3], double normal[3]) {
  double total = n * n * n, norm = 0, part[3];
  for (int a = 0; a < 3; a++) {
    part[a] = fabs(first[a]) > 1e-9 * scale * total ? first[a] / (edge[a] * edge[a])
                                                    : 0; /* rounding leaves 1e-16 where symmetry requires 0 */
    norm = hypot(norm, part[a]);
  }
  if (norm > 0) {
    for (int a = 0; a < 3; a++) normal[a] = part[a] / norm;
    return;
  }
  double even = hits * (1 - 1 / (n * n)) / 12;
  for (int a = 0; a < 3; a++) part[a] = fabs(second[a] - even);
  for (int a = 0; a < 3; a++)
    if (part[a] > 1e-9 * total && part[a] > 1.5 * fmax(part[(a + 1) % 3], part[(a + 2) % 3])) normal[a] = 1;
}

/* The normals of a mix with shares, from the sums of n^3 samples. */
static void find_normals(double first[][3], double second[][3], double n, const double lo[3], const double hi[3],
                         struct tor_mix *mix) {
  const double scale = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2])), all = n * n * n;
  double edge[3];
  if (mix->count == 1) return;
  for (int a = 0; a < 3; a++) {
    edge[a] = (hi[a] - lo[a]) / scale;
    if (fabs(edge[a] - 1) < 1e-9) edge[a] = 1; /* a cube but for rounding */
  }
  mix_normal(first[0], second[0], mix->share[0] * all, n, scale, edge, mix->normal);
  for (int m = 0; m < mix->count && mix->count > 2; m++)
    mix_normal(first[m], second[m], mix->share[m] * all, n, scale, edge, mix->of_medium[m]);
}

enum { MOST_SAMPLES = 64, MOST_LINES = 8 };

/* A box with n samples along each axis, in the middles of its n-ths, and the objects that can matter in it. */
struct lattice {
  const struct tor_object *objects;
  const int *list;
  int nlist, n, by_points; /* by_points: tor_line_of_points */
  double lo[3], hi[3], size[3];
  uint64_t begins[3]; /* of each axis: the samples that may not be like those before them (tor_even_begins) */
};

static void lattice_make(struct lattice *s, const struct tor_object *objects, const int *list, int nlist,
                         const double lo[3], const double hi[3], int samples) {
  s->objects = objects;
  s->list = list;
  s->nlist = nlist;
  s->n = samples < MOST_SAMPLES ? samples : MOST_SAMPLES;
  s->by_points = 0;
  for (int i = 0; i < nlist; i++) s->by_points |= tor_object_has_solid(&objects[list[i]]);
  for (int a = 0; a < 3; a++) {
    s->lo[a] = lo[a];
    s->hi[a] = hi[a];
    s->size[a] = hi[a] - lo[a];
  }
}

/* Finds the samples that may differ along axes[naxes]. Returns that of them with the fewest, the first of several. */
static int even_axis(struct lattice *s, const int *axes, int naxes) {
  int axis = axes[0], least = s->n;
  for (int i = 0; i < naxes; i++) {
    const int a = axes[i];
    s->begins[a] = tor_even_begins(s->objects, s->list, s->nlist, a, s->lo, s->hi, s->n);
    if (__builtin_popcountll(s->begins[a]) >= least) continue;
    least = __builtin_popcountll(s->begins[a]);
    axis = a;
  }
  return axis;
}

/* The first one set of the bits after `from`; n: there is none below it. */
static int run_end(uint64_t bits, int from, int n) {
  const uint64_t after = bits >> from >> 1;
  const int end = after ? from + 1 + __builtin_ctzll(after) : n;
  return end < n ? end : n;
}

static double sample_at(const struct lattice *s, int axis, int i) {
  return s->lo[axis] + (i + 0.5) / s->n * s->size[axis];
}

/* Samples along an axis: their number, the sums of their places and of the squares of these. Sample i of n stands at
 * 2 i + 1 - n halves of n-ths of the box from its middle, so that all sums are whole numbers. */
struct run {
  int64_t count, first, second;
};
static struct run run_of(int from, int end, int n) {
  const int64_t count = end - from, middle = from + end - n;
  return (struct run){count, count * middle, count * middle * middle + count * (count * count - 1) / 3};
}

/* Sums over samples of one medium. */
struct samples {
  int64_t hits, first[3], second[3];
};

/* Adds what a run along one axis is, `others` times. */
static void add_run(struct samples *sum, int axis, struct run run, int64_t others) {
  sum->first[axis] += run.first * others;
  sum->second[axis] += run.second * others;
}

/* A line of samples. Its last ones so far, from number `from` on, are in one medium. */
struct sampled {
  struct tor_line line;
  struct run across;
  int medium, slot, from;
};

/* Adds a line's last samples, up to end - 1, to the sums of their medium; `third`: of the axis across both. */
static void add_last(const struct sampled *l, int axis, int across, int end, int n, struct run third,
                     struct samples *sum) {
  const struct run along = run_of(l->from, end, n), beside = l->across;
  sum[l->slot].hits += along.count * beside.count * third.count;
  add_run(&sum[l->slot], axis, along, beside.count * third.count);
  add_run(&sum[l->slot], across, beside, along.count * third.count);
  add_run(&sum[l->slot], 3 - axis - across, third, along.count * beside.count);
}

/* Adds samples `from` to end - 1 along `across` on lines along `axis`, at x[] on the third axis, where they stand for
 * the run `third`. Media get their slots in the order of the samples along `axis`, at each in that along `across`. Of
 * these at most MOST_LINES differ. */
static void add_lines(const struct lattice *s, int axis, int across, int from, int end, struct run third, double x[3],
                      struct tor_mix *mix, struct samples *sum) {
  struct sampled lines[MOST_LINES], *last = lines;
  uint64_t changes = 0;
  for (int j = from, next; j < end; j = next, last++) {
    next = run_end(s->begins[across], j, end);
    x[across] = sample_at(s, across, j);
    last->across = run_of(j, next, s->n);
    (s->by_points ? tor_line_of_points : tor_line_make)(&last->line, s->objects, s->list, s->nlist, axis, x,
                                                        s->lo[axis], s->size[axis]);
    changes |= tor_line_sample_changes(&last->line, s->n);
  }
  changes &= s->begins[axis];
  for (int i = 0; i < s->n; i = run_end(changes, i, s->n)) {
    const double place = sample_at(s, axis, i);
    for (struct sampled *l = lines; l < last; l++) {
      const int medium = tor_line_medium_there(&l->line, place);
      if (i > 0 && medium == l->medium) continue;
      if (i > 0) add_last(l, axis, across, i, s->n, third, sum);
      l->from = i;
      l->medium = medium;
      l->slot = mix_slot(mix, medium);
    }
  }
  for (const struct sampled *l = lines; l < last; l++) add_last(l, axis, across, s->n, s->n, third, sum);
}

/* Samples the box, of which those of the list are all that can matter. Samples like those before them are counted. */
static void sample_box(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                       const double hi[3], int samples, struct tor_mix *mix) {
  struct lattice s;
  lattice_make(&s, objects, list, nlist, lo, hi, samples);
  const int n = s.n, c = even_axis(&s, (const int[]){2, 0, 1}, 3), a = c == 0 ? 1 : 0, b = c == 2 ? 1 : 2;
  const int rows[2] = {__builtin_popcountll(s.begins[b]), __builtin_popcountll(s.begins[c])},
            along_b = rows[1] < rows[0] && rows[1] <= MOST_LINES; /* there are fewer lines along b than along c */
  struct samples sum[TOR_MIX_MAX] = {{0}};
  double x[3] = {0};
  for (int i = 0, i_end; i < n; i = i_end) {
    i_end = run_end(s.begins[a], i, n);
    x[a] = sample_at(&s, a, i);
    const struct run third = run_of(i, i_end, n);
    if (along_b) {
      add_lines(&s, b, c, 0, n, third, x, mix, sum);
      continue;
    }
    for (int j = 0, j_end; j < n; j = j_end) {
      j_end = run_end(s.begins[b], j, n);
      add_lines(&s, c, b, j, j_end, third, x, mix, sum);
    }
  }
  double first[TOR_MIX_MAX][3] = {{0}}, second[TOR_MIX_MAX][3] = {{0}};
  for (int m = 0; m < mix->count; m++) {
    mix->share[m] = (double)sum[m].hits / ((double)n * n * n);
    for (int d = 0; d < 3; d++) {
      first[m][d] = (double)sum[m].first[d] / (2.0 * n) * s.size[d];
      second[m][d] = (double)sum[m].second[d] / (4.0 * n * n);
    }
  }
  find_normals(first, second, n, lo, hi, mix);
}

/* Sums over a box: each medium's share, first moments [m] and second moments about the centre, in box units. */
struct moments {
  double share[TOR_MIX_MAX], first[TOR_MIX_MAX][3], second[TOR_MIX_MAX][3];
};

/* Adds the part from `from` to `to` of a line along `axis`, at f[] across it, that stands for `weight` of the box. */
static void add_part(struct moments *sum, int slot, int axis, const double f[3], double from, double to, double weight,
                     const double size[3]) {
  const double length = weight * (to - from), end = to - 0.5, begin = from - 0.5;
  sum->share[slot] += length;
  for (int a = 0; a < 3; a++) {
    const double first = a == axis ? 0.5 * (begin + end) : f[a] - 0.5;
    const double second = a == axis ? (begin * begin + begin * end + end * end) / 3 : first * first;
    sum->first[slot][a] += length * first * size[a];
    sum->second[slot][a] += length * second;
  }
}

/* The same of lines from number `first` on to `end` along the axis `inner`. */
static void add_parts(struct moments *sum, int slot, int axis, double f[3], int inner, int first, int end, double n,
                      double from, double to, const double size[3]) {
  for (int i = first; i < end; i++) {
    f[inner] = (i + 0.5) / n;
    add_part(sum, slot, axis, f, from, to, 1 / (n * n), size);
  }
}

/* The same contents as sample_box with lines along an axis in place of points: the ends of each line's parts are found
 * by bisection, so shares and moments are smooth functions of the shapes' places. */
static void sample_lines(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                         const double hi[3], int samples, int axis, struct tor_mix *mix) {
  static const double NONE = 1e-5; /* a part that rounding makes where a face coincides with a side */
  const int across[2] = {(axis + 2) % 3, (axis + 1) % 3};
  struct lattice lattice;
  lattice_make(&lattice, objects, list, nlist, lo, hi, samples);
  const double n = lattice.n, *size = lattice.size;
  struct moments sum = {{0}, {{0}}, {{0}}};
  const int k = even_axis(&lattice, across, 2), j = 3 - axis - k, per_row = lattice.n;
  *mix = (struct tor_mix){0};
  for (int line = 0, end; line < per_row * per_row; line = end) { /* to `end` they are alike */
    const int row = line / per_row, first = line % per_row, last = run_end(lattice.begins[k], first, per_row);
    end = row * per_row + last;
    double f[3], x[3];
    f[j] = (row + 0.5) / n;
    f[k] = (first + 0.5) / n;
    f[axis] = 0;
    for (int a = 0; a < 3; a++) x[a] = lo[a] + f[a] * size[a];
    struct tor_line on;
    tor_line_make(&on, objects, list, nlist, axis, x, lo[axis], size[axis]);
    const uint64_t changes = tor_line_changes(&on, per_row);
    int medium = tor_line_medium(&on, 0);
    double from = 0; /* of the part in this medium */
    for (int i = 0; i < per_row; i++) {
      if (!(changes >> i & 1)) continue;
      const double begin = i / n, end_here = (i + 1) / n;
      const int next = tor_line_medium(&on, end_here);
      if (next == medium) continue;
      const double change = tor_line_change(&on, begin, end_here, medium);
      const double to = change - begin > NONE ? change : begin;
      if (to > from) add_parts(&sum, mix_slot(mix, medium), axis, f, k, first, last, n, from, to, size);
      from = end_here - change > NONE ? change : end_here;
      medium = next;
    }
    if (from < 1) add_parts(&sum, mix_slot(mix, medium), axis, f, k, first, last, n, from, 1, size);
  }
  for (int m = 0; m < mix->count; m++) {
    mix->share[m] = sum.share[m];
    sum.second[m][axis] *= 1 - 1 / (n * n); /* of points, as find_normals expects it */
    for (int a = 0; a < 3; a++) {
      sum.first[m][a] *= n * n * n;
      sum.second[m][a] *= n * n * n;
    }
  }
  find_normals(sum.first, sum.second, n, lo, hi, mix);
}

static int largest_axis(const double normal[3]) {
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (fabs(normal[a]) > (1 + 1e-6) * fabs(normal[axis])) axis = a; /* by more than rounding: images choose alike */
  return axis;
}

static double largest_share(const struct tor_mix *mix) {
  double most = 0;
  for (int m = 0; m < mix->count; m++) most = fmax(most, mix->share[m]);
  return most;
}

/* Where no point of a few found a second medium, its normal is not known: by lines along the axis on which there is
 * most of it. */
static void sample_thin_part(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                             const double hi[3], int samples, struct tor_mix *mix) {
  for (int axis = 0; axis < 3; axis++) {
    struct tor_mix along;
    sample_lines(objects, list, nlist, lo, hi, samples, axis, &along);
    if (axis == 0 || largest_share(&along) < largest_share(mix) - 1e-6) *mix = along;
  }
}

static void mix_of(const struct tor_object *objects, const int *list, int nlist, const double lo[3], const double hi[3],
                   int samples, int by_lines, struct tor_mix *mix) {
  struct near_list near;
  near_list_make(&near, objects, list, nlist, lo, hi);
  *mix = (struct tor_mix){0};
  int same = near.n == 0 || near.filled; /* one medium fills the box, whatever is painted over what */
  for (int i = 1; i < near.n; i++) same &= objects[near.list[i]].medium == objects[near.list[0]].medium;
  if (same) {
    mix->count = 1;
    mix->medium[0] = near.n ? objects[near.list[0]].medium : -1;
    mix->share[0] = 1.0;
  } else {
    enum { FEW_SAMPLES = 4 }; /* to find the axis of lines; all where there are too many objects for lines */
    sample_box(objects, near.list, near.n, lo, hi, by_lines && samples > FEW_SAMPLES ? FEW_SAMPLES : samples, mix);
    if (near.n > TOR_LINE_MANY) by_lines = 0;
    if (by_lines && mix->count > 1)
      sample_lines(objects, near.list, near.n, lo, hi, samples, largest_axis(mix->normal), mix);
    else if (by_lines)
      sample_thin_part(objects, near.list, near.n, lo, hi, samples, mix);
  }
  near_list_free(&near);
}

void tor_geometry_mix(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                      const double hi[3], int samples, struct tor_mix *mix) {
  mix_of(objects, list, nlist, lo, hi, samples, 0, mix);
}

void tor_geometry_mix_lines(const struct tor_object *objects, const int *list, int nlist, const double lo[3],
                            const double hi[3], int samples, struct tor_mix *mix) {
  mix_of(objects, list, nlist, lo, hi, samples, 1, mix);
}

/* Adds to `sum` the first moment of a piece of a chord through the centre. */
static void add_piece(int axis, const double across[2], double size, double from, double to, double sum[3]) {
  const double length = (to - from) * size;
  sum[axis] += length * (0.5 * (from + to) - 0.5) * size;
  sum[(axis + 1) % 3] += length * across[0];
  sum[(axis + 2) % 3] += length * across[1];
}

/* Adds to `sum` the first moment of a medium on a chord through `center`, at across[] from it. */
static void add_chord(const struct tor_object *objects, const int *list, int nlist, const double center[3], int axis,
                      const double across[2], double half, int medium, double sum[3]) {
  enum { POINTS = 8 };
  double x[3] = {center[0], center[1], center[2]};
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  x[j] += across[0];
  x[k] += across[1];
  struct tor_line on;
  tor_line_make(&on, objects, list, nlist, axis, x, center[axis] - half, 2 * half);
  const uint64_t changes = tor_line_changes(&on, POINTS);
  int here = tor_line_medium(&on, 0);
  double from = 0; /* of the part in this medium */
  for (int i = 0; i < POINTS; i++) {
    if (!(changes >> i & 1)) continue;
    const double begin = i / (double)POINTS, end = (i + 1) / (double)POINTS;
    const int next = tor_line_medium(&on, end);
    if (next == here) continue;
    const double to = tor_line_change(&on, begin, end, here);
    if (here == medium) add_piece(axis, across, 2 * half, from, to, sum);
    from = to;
    here = next;
  }
  if (here == medium) add_piece(axis, across, 2 * half, from, 1, sum);
}

static void sum_chords(const struct tor_object *objects, const int *list, int nlist, const double center[3],
                       double radius, int samples, int axis, int medium, double sum[3]) {
  for (int line = 0; line < samples * samples; line++) {
    const int row = line / samples;
    const double across[2] = {radius * (2 * (row + 0.5) / samples - 1),
                              radius * (2 * (line % samples + 0.5) / samples - 1)};
    const double square = radius * radius - across[0] * across[0] - across[1] * across[1];
    if (square > 0) add_chord(objects, list, nlist, center, axis, across, sqrt(square), medium, sum);
  }
}

int tor_geometry_normal(const struct tor_object *objects, const int *list, int nlist, const double center[3],
                        double radius, int samples, int axis, int medium, double normal[3]) {
  enum { FEW = 4 };
  double sum[3] = {0}, norm = 0, lo[3], hi[3];
  for (int a = 0; a < 3; a++) {
    lo[a] = center[a] - radius;
    hi[a] = center[a] + radius;
  }
  struct near_list near;
  near_list_make(&near, objects, list, nlist, lo, hi);
  if (near.n > TOR_LINE_MANY && samples > FEW) samples = FEW;
  sum_chords(objects, near.list, near.n, center, radius, samples, axis, medium, sum);
  near_list_free(&near);
  for (int a = 0; a < 3; a++) {
    if (fabs(sum[a]) < 1e-6 * radius * radius * radius * samples * samples)
      sum[a] = 0; /* rounding, where symmetry has 0 */
    norm = hypot(norm, sum[a]);
  }
  for (int a = 0; a < 3; a++) normal[a] = norm > 0 ? sum[a] / norm : 0;
  return norm > 0;
}
