/* Whether two slabs hold the same: see random_slab.h. */
#include <string.h>

#include "tests/support/random_slab.h"

static double value(const void *array, tor_gidx i, size_t size) {
  return size == 4 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* 1 when the arrays differ. */
static int compare_array(const char *name, const void *expected, const void *got, tor_gidx count, size_t size,
                         FILE *out) {
  if (!count || !memcmp(expected, got, (size_t)count * size)) return 0;
  tor_gidx i = 0, differing = 0, first = -1;
  for (; i < count; i++)
    if (memcmp((const char *)expected + (size_t)i * size, (const char *)got + (size_t)i * size, size)) {
      if (first < 0) first = i;
      differing++;
    }
  fprintf(out, "  %s: %lld of %lld values differ, first [%lld]: %.17g, not %.17g\n", name, (long long)differing,
          (long long)count, (long long)first, value(got, first, size), value(expected, first, size));
  return 1;
}

static int compare_fields(const struct tor_slab *expected, const struct tor_slab *got, FILE *out) {
  static const char *const name[TOR_NCOMP] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
  size_t real = expected->precision;
  tor_gidx differing = 0;
  for (int ix = 0; ix <= expected->n[0]; ix++)
    for (int iy = 0; iy <= expected->n[1]; iy++)
      for (int c = 0; c < TOR_NCOMP; c++) {
        /* The images that the stencil reads: tangential E has a point of its own on the wall. */
        int images = tor_comp_axis(c) == TOR_Z ? 0 : expected->order / 2,
            z0 = images && !tor_comp_is_h(c) ? 1 - images : -images;
        int z1 = images ? expected->n[2] + images : random_slab_points_z(expected, c);
        if (expected->segments) z0 = 0, z1 = expected->n[2];
        if (!tor_comp_exists(expected->plane, c)) continue;
        const tor_gidx at = tor_slab_vector(expected, tor_slab_column(expected, ix, iy), c);
        for (int z = z0; z < z1; z++) {
          if (!memcmp((char *)expected->field + (size_t)(at + z) * real, (char *)got->field + (size_t)(at + z) * real,
                      real))
            continue;
          if (!differing++)
            fprintf(out, "  %s(%d, %d, %d): %.17g, not %.17g\n", name[c], ix, iy, z, value(got->field, at + z, real),
                    value(expected->field, at + z, real));
        }
      }
  if (differing) fprintf(out, "  %lld field values differ\n", (long long)differing);
  return differing > 0;
}

int random_slab_compare(const struct random_slab *expected, const struct random_slab *got, FILE *out) {
  const struct tor_slab *e = &expected->slab, *g = &got->slab;
  size_t real = e->precision;
  int n = compare_fields(e, g, out);
  n += compare_array("psi_x", e->psi_x, g->psi_x, (tor_gidx)e->cpml[0].count * (e->n[1] + 1) * 4 * e->nzp, real, out);
  n += compare_array("psi_y", e->psi_y, g->psi_y, (tor_gidx)e->cpml[1].count * (e->n[0] + 1) * 4 * e->nzp, real, out);
  n += compare_array("psi_z", e->psi_z, g->psi_z, tor_slab_columns(e) * 4 * (e->zlo + e->zhi), real, out);
  n += compare_array("state", e->state, g->state, e->nstate, real, out);
  n += compare_array("energy", e->energy, g->energy, tor_slab_segments(e) * tor_slab_columns(e) * TOR_NCOMP,
                     sizeof(double), out);
  for (int k = 0; k < e->ngroup; k++) {
    const struct tor_record_group *group = &e->group[k];
    int dft = group->kind == TOR_RECORD_DFT;
    n += compare_array(dft ? "transforms" : "series", group->data, g->group[k].data,
                       group->npoints * (dft ? 2 * group->nfreq : group->nsample), sizeof(double), out);
  }
  return n;
}
