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
  return (struct tor_tiling){order == 4 ? 3 : 1, radius, steps, u0, u1, v0, v1};
}

/* A row's tile spans u in [R r + s h, R r + s h + 2R - 1]. */
void tor_tiling_rows(const struct tor_tiling *t, int *first, int *last) {
  *first = floor_div(t->u1 - t->s, t->radius);
  *last = -floor_div(2 * t->s * t->steps + 2 * t->radius - 1 - t->u0, t->radius);
}

/* A place spans v in [R j - R + 1, R j + R - 1]. */
int tor_tiling_places(const struct tor_tiling *t, int row, int *first, int *last) {
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
  *first = max(max(p - u, u - q - w), t->v0);
  *last = min(min(p + w - u, u - q), t->v1);
}
