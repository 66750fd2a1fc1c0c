/* Design regions in a column: see column_media.h. */
#include <stddef.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/job/design.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/coefficient.h"
#include "src/model/column_media.h"
#include "src/model/nearby.h"

/* Whether a design has points of a component's column. */
static int meets(const struct tor_columns *c, const struct tor_design *d, int comp, int ix, int iy) {
  return tor_design_reaches(c->job, d, TOR_X, tor_grid_place(c->grid, comp, TOR_X, ix)) &&
         tor_design_reaches(c->job, d, TOR_Y, tor_grid_place(c->grid, comp, TOR_Y, iy));
}

int tor_column_is_background(const struct tor_columns *c, const struct tor_nearby *near, int ix, int iy) {
  int alone = near->n == c->layers.n; /* layers across z are everywhere: nothing else is near */
  for (int i = 0; i < c->job->ndesigns && alone; i++)
    for (int comp = TOR_EX; comp <= TOR_EZ; comp++) alone &= !meets(c, &c->job->designs[i], comp, ix, iy);
  return alone && !tor_column_meets_sheets(c, ix, iy);
}

/* Gives an edge the poles of a design's media by their parts in it, in place of those of objects below. */
static void set_shares(const struct tor_columns *c, struct tor_column *col, int comp, int z,
                       const struct tor_mix *mix) {
  const size_t nzp = (size_t)c->slab->nzp, n = (size_t)c->slab->ndispersion,
               arrays = n * TOR_COLUMN_KINDS * TOR_BRANCH_WEIGHTS;
  for (size_t i = 0; i < arrays; i++) col->share[((size_t)comp * arrays + i) * nzp + (size_t)z] = 0;
  for (int i = 0; i < mix->count; i++) {
    const int d = c->dispersion[mix->medium[i]];
    if (d < 0) continue;
    const size_t kind = ((size_t)comp * n + (size_t)d) * TOR_COLUMN_KINDS; /* driven by the edge's own field */
    col->present[kind] = 1;
    col->share[kind * TOR_BRANCH_WEIGHTS * nzp + (size_t)z] += mix->share[i];
  }
}

/* What an edge at x has of a design: permittivity, conductivity and poles, each in proportion. */
static void set_edge(const struct tor_columns *c, const struct tor_design *d, struct tor_column *col, int comp, int z,
                     const double x[3]) {
  const double full = tor_design_value(d, x);
  const struct tor_mix mix = {
      .count = d->medium[0] < 0 ? 0 : 2, .medium = {d->medium[0], d->medium[1]}, .share = {1 - full, full}};
  struct tor_edge_half half = {0};
  if (mix.count) half = tor_edge_half_make(c->job, c->grid, comp, &mix, 1);
  half.eps = tor_design_permittivity(c->job, d, tor_comp_axis(comp), x);
  const struct tor_coefficient k =
      tor_coefficient_of_halves(c->grid, comp, (const struct tor_edge_half[2]){half, half});
  col->cb[comp * c->slab->nzp + z] = k.cb;
  col->ca1[comp * c->slab->nzp + z] = k.ca1;
  set_shares(c, col, comp, z, &mix);
}

void tor_column_add_designs(const struct tor_columns *c, struct tor_column *col, int ix, int iy) {
  const struct tor_grid *g = c->grid;
  for (int i = 0; i < c->job->ndesigns; i++)
    for (int comp = TOR_EX; comp <= TOR_EZ; comp++) {
      const struct tor_design *d = &c->job->designs[i];
      double x[3] = {tor_grid_place(g, comp, TOR_X, ix), tor_grid_place(g, comp, TOR_Y, iy), 0};
      if (!tor_comp_exists(g->plane, comp) || !meets(c, d, comp, ix, iy)) continue;
      for (int z = 0; z <= g->n[TOR_Z]; z++) {
        x[TOR_Z] = tor_grid_place(g, comp, TOR_Z, z);
        if (tor_design_reaches(c->job, d, TOR_Z, x[TOR_Z])) set_edge(c, d, col, comp, z, x);
      }
    }
}
