/* Values on a grid: see raster.h. Blocks of 8^3 values know their least and largest one. */
#include "src/job/raster.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"

enum { BLOCK = 8 };

struct tor_raster {
  int n[3], blocks[3], linear;
  double size[3];
  float *value;
  float (*block)[2];
};

static size_t at(const int n[3], int i, int j, int k) {
  return ((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0] + (size_t)i;
}

static void include(float range[2], const float with[2]) {
  if (with[0] < range[0]) range[0] = with[0];
  if (with[1] > range[1]) range[1] = with[1];
}

/* The values from `from` to `to`, both included. */
static void include_values(const struct tor_raster *r, const int from[3], const int to[3], float range[2]) {
  for (int k = from[2]; k <= to[2]; k++)
    for (int j = from[1]; j <= to[1]; j++)
      for (int i = from[0]; i <= to[0]; i++) {
        const float value = r->value[at(r->n, i, j, k)];
        include(range, (const float[2]){value, value});
      }
}

/* The part of a block between `from` and `to`; returns whether that is all of it. */
static int part_of(const struct tor_raster *r, const int block[3], const int from[3], const int to[3], int part[2][3]) {
  int whole = 1;
  for (int a = 0; a < 3; a++) {
    const int first = BLOCK * block[a], last = first + BLOCK < r->n[a] ? first + BLOCK - 1 : r->n[a] - 1;
    part[0][a] = from[a] > first ? from[a] : first;
    part[1][a] = to[a] < last ? to[a] : last;
    whole &= part[0][a] == first && part[1][a] == last;
  }
  return whole;
}

struct tor_raster *tor_raster_new(const double *value, const int n[3], const double size[3], int linear) {
  struct tor_raster *r = tor_alloc(1, sizeof *r, "grid of values");
  size_t count = 1, blocks = 1;
  for (int a = 0; a < 3; a++) {
    r->n[a] = n[a];
    r->blocks[a] = (n[a] + BLOCK - 1) / BLOCK;
    r->size[a] = size[a];
    count *= (size_t)n[a];
    blocks *= (size_t)r->blocks[a];
  }
  r->linear = linear;
  r->value = tor_alloc(count, sizeof *r->value, "grid of values");
  r->block = tor_alloc(blocks, sizeof *r->block, "grid of values");
  for (size_t i = 0; i < count; i++) r->value[i] = (float)value[i];
  for (size_t b = 0; b < blocks; b++) {
    const size_t row = b / (size_t)r->blocks[0];
    const int block[3] = {(int)(b % (size_t)r->blocks[0]), (int)(row % (size_t)r->blocks[1]),
                          (int)(row / (size_t)r->blocks[1])};
    int part[2][3];
    part_of(r, block, (const int[]){0, 0, 0}, n, part);
    r->block[b][0] = INFINITY;
    r->block[b][1] = -INFINITY;
    include_values(r, part[0], part[1], r->block[b]);
  }
  return r;
}

void tor_raster_free(struct tor_raster *r) {
  if (!r) return;
  free(r->value);
  free(r->block);
  free(r);
}

const double *tor_raster_size(const struct tor_raster *r) { return r->size; }

/* A place along an axis, counted in values: that of the first is 0. */
static double place(const struct tor_raster *r, int a, double x) {
  return fmin(fmax((x / r->size[a] + 0.5) * r->n[a] - 0.5, 0), r->n[a] - 1);
}

/* The values that a point depends on: those at first and first + 1, with the weight of the latter. */
static int first_of(const struct tor_raster *r, int a, double x, double *weight) {
  const double here = place(r, a, x);
  int first = (int)here;
  if (first > r->n[a] - 2) first = r->n[a] > 1 ? r->n[a] - 2 : 0;
  *weight = here - first;
  return first;
}

double tor_raster_at(const struct tor_raster *r, const double x[3]) {
  double weight[3], sum = 0;
  int first[3];
  if (!r->linear)
    return r->value[at(r->n, (int)(place(r, 0, x[0]) + 0.5), (int)(place(r, 1, x[1]) + 0.5),
                       (int)(place(r, 2, x[2]) + 0.5))];
  for (int a = 0; a < 3; a++) first[a] = first_of(r, a, x[a], &weight[a]);
  for (int corner = 0; corner < 8; corner++) {
    const int up[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
    double part = 1;
    for (int a = 0; a < 3; a++) part *= up[a] ? weight[a] : 1 - weight[a];
    if (part > 0) sum += part * (double)r->value[at(r->n, first[0] + up[0], first[1] + up[1], first[2] + up[2])];
  }
  return sum;
}

void tor_raster_range(const struct tor_raster *r, const double lo[3], const double hi[3], double range[2]) {
  static const double SLACK = 1e-9; /* of a part, for rounding errors of points */
  int from[3], to[3], block[3];
  float found[2] = {INFINITY, -INFINITY};
  for (int a = 0; a < 3; a++) {
    const double shift = r->linear ? 0 : 0.5, last = r->n[a] - 1;
    from[a] = (int)fmin(fmax(floor(place(r, a, lo[a]) + shift - SLACK), 0), last);
    to[a] = (int)fmin(fmax(r->linear ? ceil(place(r, a, hi[a]) + SLACK) : floor(place(r, a, hi[a]) + 0.5 + SLACK), 0),
                      last);
  }
  for (block[2] = from[2] / BLOCK; block[2] <= to[2] / BLOCK; block[2]++)
    for (block[1] = from[1] / BLOCK; block[1] <= to[1] / BLOCK; block[1]++)
      for (block[0] = from[0] / BLOCK; block[0] <= to[0] / BLOCK; block[0]++) {
        int part[2][3];
        if (part_of(r, block, from, to, part))
          include(found, r->block[at(r->blocks, block[0], block[1], block[2])]);
        else
          include_values(r, part[0], part[1], found);
      }
  range[0] = (double)found[0] - 1e-6 * fabs((double)found[0]);
  range[1] = (double)found[1] + 1e-6 * fabs((double)found[1]);
}

int tor_raster_bounds(const struct tor_raster *r, double level, double lo[3], double hi[3]) {
  int first[3] = {r->n[0], r->n[1], r->n[2]}, last[3] = {-1, -1, -1};
  for (int k = 0; k < r->n[2]; k++)
    for (int j = 0; j < r->n[1]; j++)
      for (int i = 0; i < r->n[0]; i++) {
        const int here[3] = {i, j, k};
        if ((double)r->value[at(r->n, i, j, k)] < level) continue;
        for (int a = 0; a < 3; a++) {
          if (here[a] < first[a]) first[a] = here[a];
          if (here[a] > last[a]) last[a] = here[a];
        }
      }
  if (last[0] < 0) return 0;
  for (int a = 0; a < 3; a++) { /* between values it may reach the next one, or else the part's side */
    const double part = r->size[a] / r->n[a], beyond = r->linear ? 0.5 : 0;
    lo[a] = fmax(-0.5 * r->size[a], (first[a] - beyond) * part - 0.5 * r->size[a]);
    hi[a] = fmin(0.5 * r->size[a], (last[a] + 1 + beyond) * part - 0.5 * r->size[a]);
  }
  return 1;
}
