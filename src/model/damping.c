/* Absorbers' factors: see damping.h. */
#include "src/model/damping.h"

#include <stddef.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/pml.h"

/* In the slab's precision. */
static double rounded(const struct tor_slab *slab, double value) {
  return slab->precision == TOR_F32 ? (double)(float)value : value;
}

static double factor_at(const struct tor_slab *slab, int axis, int i) {
  if (!slab->damping[axis]) return 1;
  return slab->precision == TOR_F32 ? (double)((const float *)slab->damping[axis])[i]
                                    : ((const double *)slab->damping[axis])[i];
}

int tor_damping_make(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab) {
  const double index = tor_background_index(job), wavelength = tor_job_longest_wavelength(job);
  int absorbers = 0, along_z = 0;
  for (int f = 0; f < TOR_NFACE; f++) absorbers |= grid->face[f].wall == TOR_ABSORBER;
  for (int a = 0; absorbers && a < 3; a++) {
    const int n = grid->n[a], count = a == TOR_Z ? 2 * slab->nzp : 2 * n + 1;
    slab->damping[a] = tor_alloc((size_t)count, (size_t)slab->precision, "absorbers");
    for (int i = 0; i < count; i++) {
      const int u = a == TOR_Z ? 2 * (i % slab->nzp) + i / slab->nzp : i;
      const double factor = tor_absorber_factor(grid, a, u < 2 * n ? u : 2 * n, index, wavelength);
      if (slab->precision == TOR_F32)
        ((float *)slab->damping[a])[i] = (float)factor;
      else
        ((double *)slab->damping[a])[i] = factor;
      along_z |= a == TOR_Z && factor_at(slab, a, i) < 1;
    }
  }
  return along_z;
}

/* Half cells beyond the wall, which are not advanced, have its factor. */
static double factor_of_column(const struct tor_slab *slab, int comp, int axis, int i) {
  const int u = 2 * i + tor_comp_half(comp, axis), last = 2 * slab->n[axis];
  return factor_at(slab, axis, u < last ? u : last);
}

double tor_damping_across(const struct tor_slab *slab, int comp, int ix, int iy) {
  return rounded(slab, factor_of_column(slab, comp, TOR_X, ix) * factor_of_column(slab, comp, TOR_Y, iy));
}

void tor_damping_apply(const struct tor_slab *slab, int comp, double across, double *cb, double *ca1) {
  const int half = tor_comp_half(comp, TOR_Z);
  for (int z = 0; z < slab->nzp; z++) {
    const double along = factor_at(slab, TOR_Z, half * slab->nzp + z), p = rounded(slab, across * along);
    if (p == 1) continue;
    cb[z] = rounded(slab, rounded(slab, rounded(slab, cb[z]) * along) * across);
    ca1[z] = (2 + ca1[z]) * p - 2;
  }
}
