/* Integer geometry of the towers: see tile.h. */
#include "diamond/core/tile.h"

static int max(int a, int b) { return a > b ? a : b; }
static int min(int a, int b) { return a < b ? a : b; }
/* Division rounded down, for a positive divisor. */
static int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

struct tor_tiling tor_tiling_make(int order, int dts, int steps, int u0, int u1, int v0, int v1) {
  return tor_tiling_of_radius(order, (order == 4 ? 3 : 1) * dts, steps, u0, u1, v0, v1);
}
struct tor_tiling tor_tiling_of_radius(int order, int radius, int steps, int u0, int u1, int v0, int v1) {
  return (struct tor_tiling){order == 4 ? 3 : 1, radius, steps, u0, u1, v0, v1, 0};
}
int tor_tiling_closes(int radius, int sites) { return sites > 0 && sites % (2 * radius) == 0; }

/* A row's tile spans u in [R r + s h, R r + s h + 2R - 1]. */
void tor_tiling_rows(const struct tor_tiling *t, int *first, int *last) {
  *first = floor_div(t->u1 - t->s, t->radius);
  *last = -floor_div(2 * t->s * t->steps + 2 * t->radius - 1 - t->u0, t->radius);
}

/* A place spans v in [R j - R + 1, R j + R - 1]. */
int tor_tiling_places(const struct tor_tiling *t, int row, int *first, int *last) {
  if (t->ring) { /* an even number of places around */
    *first = row & 1;
    *last = *first + t->ring / t->radius - 2;
    return t->ring / t->radius / 2;
  }
  int lo = -floor_div(t->radius - 1 - t->v0, t->radius);
  int hi = floor_div(t->v1 + t->radius - 1, t->radius);
  if ((lo + row) & 1) lo++;
  if ((hi + row) & 1) hi--;
  *first = lo;
  *last = hi;
  return hi < lo ? 0 : (hi - lo) / 2 + 1;
}

void tor_tile_columns(const struct tor_tiling *t, int row, int h, int *first, int *last) {
  int u = t->radius * row + t->s * h;
  *first = max(u, t->u0);
  *last = min(u + 2 * t->radius - 1, t->u1);
}

void tor_tile_line(const struct tor_tiling *t, int row, int place, int h, int u, int *first, int *last) {
  int p = t->radius * (row + place) + t->s * h, q = t->radius * (row - place) + t->s * h, w = 2 * t->radius - 1;
  *first = max(p - u, u - q - w);
  *last = min(p + w - u, u - q);
  if (t->ring) return;
  *first = max(*first, t->v0);
  *last = min(*last, t->v1);
}

int tor_tile_split(const struct tor_tiling *t, int first, int last, int part[2][2]) {
  if (first > last) return 0;
  const int turn = t->ring ? floor_div(first - t->v0, t->ring) * t->ring : 0;
  part[0][0] = first - turn;
  part[0][1] = last - turn;
  if (!t->ring || part[0][1] <= t->v1) return 1;
  part[1][0] = t->v0;
  part[1][1] = part[0][1] - t->ring;
  part[0][1] = t->v1;
  return 2;
}

int tor_tiling_place(const struct tor_tiling *t, int place) {
  const int around = t->ring / t->radius;
  return t->ring ? place - floor_div(place, around) * around : place;
}
