/* Coefficients in graded cells: see grading.h. */
#include "src/model/grading.h"

#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/job/cylindrical.h"
#include "src/job/grid.h"
#include "src/model/column_media.h"

static double factor_across(const struct tor_grid *g, int comp, int ix, int iy) {
  return tor_grid_grading(g, comp, TOR_X, ix) * tor_grid_grading(g, comp, TOR_Y, iy);
}

static double factor_along(const struct tor_grid *g, int comp, int iz) {
  return tor_grid_grading(g, comp, TOR_Z, iz) * tor_cylindrical_factor(g, comp, iz);
}

int tor_grading_across(const struct tor_columns *c, int ix, int iy) {
  if (!c->grid->node[TOR_X] && !c->grid->node[TOR_Y]) return 0;
  int other = 0;
  for (int comp = 0; comp < TOR_NCOMP; comp++) other |= factor_across(c->grid, comp, ix, iy) != 1;
  return other;
}

static size_t shares(const struct tor_slab *slab) { return 3 * (size_t)slab->ndispersion * TOR_COLUMN_KINDS; }

void tor_grading_copy(const struct tor_columns *c, struct tor_column *col) {
  const struct tor_column *from = &c->background;
  const size_t nzp = (size_t)c->slab->nzp, n = shares(c->slab);
  memcpy(col->cb, from->cb, TOR_NCOMP * nzp * sizeof *col->cb);
  memcpy(col->ca1, from->ca1, TOR_NCOMP * nzp * sizeof *col->ca1);
  memcpy(col->share, from->share, n * TOR_BRANCH_WEIGHTS * nzp * sizeof *col->share);
  memcpy(col->present, from->present, n);
}

void tor_grading_apply(const struct tor_columns *c, struct tor_column *col, int across, int ix, int iy, int along) {
  enum { CHARGE = 2 }; /* g among a branch's weights */
  const struct tor_grid *g = c->grid;
  const int nzp = c->slab->nzp, kinds = c->slab->ndispersion * TOR_COLUMN_KINDS;
  if (!tor_grid_is_graded(g) && !g->angular) return;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    const double of_column = across ? factor_across(g, comp, ix, iy) : 1;
    for (int z = 0; z <= g->n[TOR_Z]; z++) {
      const double factor = of_column * (along ? factor_along(g, comp, z) : 1);
      if (factor == 1) continue;
      col->cb[comp * nzp + z] *= factor;
      for (int kind = 0; kind < kinds && !tor_comp_is_h(comp); kind++) {
        if (!col->present[comp * kinds + kind]) continue;
        double *share = col->share + (size_t)(comp * kinds + kind) * TOR_BRANCH_WEIGHTS * (size_t)nzp + z;
        share[0] /= factor;
        share[CHARGE * nzp] *= factor;
      }
    }
  }
}
