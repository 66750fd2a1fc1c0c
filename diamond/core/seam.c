/* Seams: see seam.h. */
#include "diamond/core/seam.h"

#include <math.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"

/* Place of the vector of a column's component number `comp`. */
static tor_gidx vector_at(const struct tor_slab *slab, int ix, int iy, int comp) {
  return (tor_slab_column(slab, ix, iy) * tor_plane_comps(slab->plane) + comp) * slab->nzp;
}

/* With the rounding of tor_bloch (update.h), for values behind z = n are read by differences, too. */
void tor_seam_values(const struct tor_slab *slab, int axis, tor_gidx from, tor_gidx step, tor_gidx count, void *to,
                     tor_gidx first, tor_gidx pitch) {
  double turn[2];
  tor_slab_bloch(slab, axis, 1, turn);
  for (tor_gidx i = 0; i < count; i++) {
    const tor_gidx at = from + i * step, place = first + i * pitch;
    if (slab->precision == TOR_F32) {
      const float value = ((const float *)slab->field)[at];
      ((float *)to)[place] =
          slab->other ? fmaf((float)turn[0], value, (float)turn[1] * ((const float *)slab->other->field)[at]) : value;
    } else {
      const double value = ((const double *)slab->field)[at];
      ((double *)to)[place] =
          slab->other ? fma(turn[0], value, turn[1] * ((const double *)slab->other->field)[at]) : value;
    }
  }
}

/* Values of a part `from` a place on as they are a period above along an axis, `to` another place. */
static void copy(const struct tor_slab *slab, int axis, tor_gidx to, tor_gidx from, tor_gidx count) {
  const size_t size = (size_t)slab->precision;
  char *const field = slab->field;
  if (slab->other)
    tor_seam_values(slab, axis, from, 1, count, field, to, 1);
  else
    memcpy(field + (size_t)to * size, field + (size_t)from * size, (size_t)count * size);
}

static void close_z(const struct tor_slab *slab, const int x[2], const int y[2]) {
  for (int ix = x[0]; ix < x[1]; ix++)
    for (int iy = y[0]; iy < y[1]; iy++)
      for (int c = 0; c < tor_plane_comps(slab->plane); c++) {
        const tor_gidx vector = vector_at(slab, ix, iy, c);
        copy(slab, TOR_Z, vector + slab->n[TOR_Z], vector, 1);
      }
}

/* The part itself: both are closed along an axis before the next one. */
static void close_axis(const struct tor_slab *slab, int axis, const int x[2]) {
  const tor_gidx column = (tor_gidx)tor_plane_comps(slab->plane) * slab->nzp,
                 own = column - TOR_IMAGES; /* what follows are ghost values of the next column */
  const int y[2] = {slab->lo[1], slab->lo[1] + slab->held[1]}, *const held = axis == TOR_X ? x : y;
  if (!tor_slab_periodic(slab, axis)) return;
  if (axis == TOR_Z) close_z(slab, x, y);
  if (axis == TOR_Z || held[0] > 0 || held[1] <= slab->n[axis] || (axis == TOR_Y && tor_slab_is_arc(slab))) return;
  if (axis == TOR_X)
    copy(slab, axis, vector_at(slab, slab->n[TOR_X], y[0], 0), vector_at(slab, 0, y[0], 0),
         column * slab->held[1] - TOR_IMAGES);
  for (int ix = x[0]; ix < x[1] && axis == TOR_Y; ix++)
    copy(slab, axis, vector_at(slab, ix, slab->n[TOR_Y], 0), vector_at(slab, ix, 0, 0), own);
}

void tor_seams_close(struct tor_slab *slab, int x0, int x1) {
  const int x[2] = {x0, x1};
  for (int axis = TOR_Z; axis >= TOR_X; axis--) {
    close_axis(slab, axis, x);
    if (slab->other) close_axis(slab->other, axis, x);
  }
}
