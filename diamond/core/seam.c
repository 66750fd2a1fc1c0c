/* Seams: see seam.h. */
#include "diamond/core/seam.h"

#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"

/* The vector of a column's component number `comp`. */
static char *vector_at(const struct tor_slab *slab, int ix, int iy, int comp) {
  const tor_gidx column = tor_slab_column(slab, ix, iy) * tor_plane_comps(slab->plane);
  return (char *)slab->field + (column + comp) * slab->nzp * (int)slab->precision;
}

static int holds(const struct tor_slab *slab, int axis, int i) {
  return i >= slab->lo[axis] && i < slab->lo[axis] + slab->held[axis];
}

void tor_seams_close(struct tor_slab *slab) {
  const size_t size = (size_t)slab->precision, column = (size_t)tor_plane_comps(slab->plane) * (size_t)slab->nzp * size;
  const int x0 = slab->lo[0], x1 = x0 + slab->held[0], y0 = slab->lo[1], y1 = y0 + slab->held[1];
  for (int ix = x0; ix < x1 && tor_slab_periodic(slab, TOR_Z); ix++)
    for (int iy = y0; iy < y1; iy++)
      for (int c = 0; c < tor_plane_comps(slab->plane); c++) {
        char *const vector = vector_at(slab, ix, iy, c);
        memcpy(vector + (size_t)slab->n[TOR_Z] * size, vector, size);
      }
  if (tor_slab_periodic(slab, TOR_Y) && holds(slab, TOR_Y, 0) && holds(slab, TOR_Y, slab->n[TOR_Y]))
    for (int ix = x0; ix < x1; ix++) memcpy(vector_at(slab, ix, slab->n[TOR_Y], 0), vector_at(slab, ix, 0, 0), column);
  if (tor_slab_periodic(slab, TOR_X) && holds(slab, TOR_X, 0) && holds(slab, TOR_X, slab->n[TOR_X]))
    memcpy(vector_at(slab, slab->n[TOR_X], y0, 0), vector_at(slab, 0, y0, 0), column * (size_t)slab->held[1]);
}
