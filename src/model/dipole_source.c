/* Currents of dipoles: see dipole_source.h. */
#include "src/model/dipole_source.h"

#include <math.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/sheet_source.h"
#include "src/model/source.h"

int tor_source_mirror(const struct tor_source *source, const struct tor_grid *g, int axis) {
  if (!tor_source_is_dipole(source) || g->n[axis] < 2 || g->angular) return -1;
  for (int face = 2 * axis; face < 2 * axis + 2; face++) {
    const double wall = face % 2 ? tor_grid_at(g, axis, g->n[axis]) : g->lo[axis];
    const int is_mirror = g->face[face].wall == TOR_PEC || g->face[face].wall == TOR_PMC;
    if (is_mirror && fabs(source->position[axis] - wall) < 1e-6 * g->d[axis]) return face;
  }
  return -1;
}

/* Bloch walls: the current of a point beyond the seam, a period back. */
static void turn_back(const struct tor_source *source, const struct tor_grid *g, int comp, const int count[3],
                      const int number[3], struct tor_inject *entry) {
  double phase = 0;
  for (int a = 0; a < 3; a++)
    phase -= g->phase[a] * tor_grid_periods(g, comp, a, source->position[a], count[a], number[a]);
  if (phase == 0) return;
  entry->imaginary = entry->factor * sin(phase);
  entry->factor *= cos(phase);
}

double tor_dipole_inject(const struct tor_source *source, const struct tor_grid *g, int index,
                         const struct tor_column_block *block, tor_inject_add *add, void *context) {
  const int h = source->kind == TOR_MAGNETIC_DIPOLE, comp = (h ? TOR_HX : TOR_EX) + source->polarisation;
  int at[3][2], n[3];
  double weight[3][2], count = 0;
  for (int a = 0; a < 3; a++) {
    n[a] = tor_grid_between(g, comp, a, source->position[a], at[a], weight[a]);
    /* Half a cell from a mirror that the dipole lies on: the other half of its current is the mirror image. */
    if (tor_comp_half(comp, a) && tor_source_mirror(source, g, a) >= 0) weight[a][0] = 0.5;
  }
  /* Current density I l / V times eta0 (or M / V), scaled as a curl: times A d_i... = 1 / (c1 d_i). */
  const double volume = g->d[0] * g->d[1] * g->d[2];
  const double factor = -source->profile.amplitude * (h ? 1 : TOR_ETA0) / volume * tor_grid_metric(g, comp) *
                        g->d[source->polarisation] *
                        (g->angular ? 2 / tor_cylindrical_around(g) : 1); /* of cos^2 over the circle */
  for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
    const int x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1], ix = at[0][x], iy = at[1][y];
    const int p = source->polarisation, along[3] = {ix, iy, at[2][z]};
    struct tor_inject entry = {
        at[2][z], 1, h ? TOR_CURRENT_H : TOR_CURRENT_E, index,
        .factor = factor / tor_grid_grading(g, comp, p, along[p]) * tor_cylindrical_scale(g, comp, at[2][z]) *
                  tor_cylindrical_share(g, comp, at[2][z]) * (weight[0][x] * weight[1][y] * weight[2][z])};
    turn_back(source, g, comp, n, (const int[3]){x, y, z}, &entry);
    if (block && (ix < block->x0 || ix >= block->x1 || iy < block->y0 || iy >= block->y1)) continue;
    if (add) add(context, ix, iy, comp, &entry);
    count++;
  }
  return count;
}
