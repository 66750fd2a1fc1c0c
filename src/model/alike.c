/* Cells that hold what those below them hold: see alike.h. */
#include "src/model/alike.h"

#include <math.h>
#include <string.h>

#include "src/base/types.h"
#include "src/job/even.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column_media.h"
#include "src/model/nearby.h"

/* Of components at whole indices along z, or at halves: how far what their coefficients depend on reaches below and
 * above an index [cells]. */
static void reach_along_z(const struct tor_columns *c, int half, double far[2]) {
  for (int above = 0; above < 2; above++) far[above] = tor_reach_cells(c->around, above);
  if (c->around == TOR_REACH_CELL && !tor_grid_is_graded(c->grid)) far[half ? 0 : 1] -= 0.5; /* it is for both */
}

/* Nothing from `lo` to `hi` [m] may be taken from a neighbour. */
static void clear_around(const struct tor_columns *c, double lo, double hi, const double far[2], char *alike) {
  static const double ROUNDING = 1e-6;
  const struct tor_grid *g = c->grid;
  const int n = g->n[TOR_Z];
  const double before = far[1] + ROUNDING, after = far[0] + 1 + ROUNDING;
  const double from = tor_grid_index(g, TOR_Z, lo) - before, to = tor_grid_index(g, TOR_Z, hi) + after;
  if (to < 0 || from > n) return;
  const int first = from > 0 ? (int)ceil(from) : 0, last = to < n ? (int)floor(to) : n;
  for (int z = first; z <= last; z++) alike[z] = 0;
}

void tor_column_alike(const struct tor_columns *c, const struct tor_nearby *near, int half, char *alike) {
  enum { MOST = 32 };
  const struct tor_grid *g = c->grid;
  const double end = tor_grid_at(g, TOR_Z, g->n[TOR_Z]);
  double ends[MOST], far[2];
  reach_along_z(c, half, far);
  memset(alike, 1, (size_t)g->n[TOR_Z] + 1);
  clear_around(c, -HUGE_VAL, g->lo[TOR_Z], far, alike);
  clear_around(c, end, HUGE_VAL, far, alike);
  for (int i = 0; i < near->nseen; i++) {
    const int o = near->seen[i], count = tor_object_ends(&c->job->objects[o], TOR_Z, MOST, ends);
    if (count < 0) clear_around(c, c->objects.lo[o][TOR_Z], c->objects.hi[o][TOR_Z], far, alike);
    for (int e = 0; e < count; e++) clear_around(c, ends[e], ends[e], far, alike);
  }
}
