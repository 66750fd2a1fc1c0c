/* The columns' records of monitors: see monitor.h. */
#include <stddef.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/model/monitor.h"

/* The grid's index of a patch's: beyond the seam of a period, or in the mirrored half of a symmetric domain. */
static int wrapped(const struct tor_grid *g, int comp, int axis, int i) {
  tor_grid_fold(g, comp, axis, &i);
  return tor_grid_periodic(g, axis) ? (i % g->n[axis] + g->n[axis]) % g->n[axis] : i;
}

int tor_patch_sign(const struct tor_grid *grid, const struct tor_patch *patch, int ix, int iy, int iz) {
  int at[3] = {patch->first[0] + ix, patch->first[1] + iy, patch->first[2] + iz}, sign = 1;
  for (int a = 0; a < 3; a++) sign *= tor_grid_fold(grid, patch->comp, a, &at[a]);
  return sign;
}

/* The columns of a patch, from its corner, that may lie in the block: along a periodic axis and one of symmetry all. */
static void columns_of(const struct tor_grid *g, const struct tor_patch *p, const struct tor_column_block *in,
                       int lo[2], int hi[2]) {
  for (int a = 0; a < 2; a++) {
    const int all = !in || tor_grid_periodic(g, a) || g->mirror[a];
    const int from = all ? 0 : (a ? in->y0 : in->x0) - p->first[a],
              to = all ? p->count[a] : (a ? in->y1 : in->x1) - p->first[a];
    lo[a] = from > 0 ? from : 0;
    hi[a] = to < p->count[a] ? to : p->count[a];
  }
}

/* A column's points of a patch, from `offset` on: in as many runs as the seam makes of them; mirrored ones, whose order
 * is the other one, singly. */
static void add_records(const struct tor_grid *g, const struct tor_patch *p, int ix, int iy, int group, tor_gidx offset,
                        tor_record_add *add, void *context) {
  for (int done = 0, n; done < p->count[2]; done += n) {
    const int z0 = wrapped(g, p->comp, TOR_Z, p->first[2] + done), left = p->count[2] - done;
    n = tor_grid_periodic(g, TOR_Z) && left > g->n[2] - z0 ? g->n[2] - z0 : left;
    if (g->mirror[TOR_Z] && p->first[2] + done < 0) n = 1;
    const struct tor_record entry = {z0, n, group, offset + done};
    add(context, ix, iy, p->comp, &entry);
  }
}

double tor_monitors_record(const struct tor_monitors *ms, const struct tor_column_block *in, tor_record_add *add,
                           void *context) {
  const struct tor_grid *g = ms->grid;
  double count = 0;
  for (int i = 0; i < ms->count; i++) {
    const struct tor_recorder *l = &ms->recorder[i];
    for (int j = 0; j < l->npatch; j++) {
      const struct tor_patch *p = &l->patch[j];
      int lo[2], hi[2];
      columns_of(g, p, in, lo, hi);
      if (p->count[2] < 1 || lo[0] >= hi[0] || lo[1] >= hi[1]) continue;
      count += (double)(hi[0] - lo[0]) * (hi[1] - lo[1]);
      for (int x = lo[0]; x < hi[0] && add; x++)
        for (int y = lo[1]; y < hi[1]; y++) {
          const int ix = wrapped(g, p->comp, TOR_X, p->first[0] + x), iy = wrapped(g, p->comp, TOR_Y, p->first[1] + y);
          if (in && (ix < in->x0 || ix >= in->x1 || iy < in->y0 || iy >= in->y1)) continue;
          add_records(g, p, ix, iy, l->group, p->offset + ((tor_gidx)x * p->count[1] + y) * p->count[2], add, context);
        }
    }
  }
  return count;
}
