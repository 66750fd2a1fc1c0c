/* Absorbers of random slabs: see random_damping.h. */
#include "tests/support/random_damping.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/model/damping.h"

static void set(const struct tor_slab *slab, void *array, tor_gidx i, double value) {
  if (slab->precision == TOR_F32)
    ((float *)array)[i] = (float)value;
  else
    ((double *)array)[i] = value;
}
static double get(const struct tor_slab *slab, const void *array, tor_gidx i) {
  return slab->precision == TOR_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

void random_damping_make(struct tor_slab *slab, uint64_t seed) {
  for (int a = 0; a < 3; a++) {
    const int n = slab->n[a], count = a == TOR_Z ? 2 * slab->nzp : 2 * n + 1;
    const int lo = (int)(seed >> 20 * a & 1023) % (n / 2 + 1), hi = (int)(seed >> (20 * a + 10) & 1023) % (n / 2 + 1);
    slab->damping[a] = tor_alloc((size_t)count, (size_t)slab->precision, "random slab");
    for (int i = 0; i < count; i++) {
      const int u = a == TOR_Z ? 2 * (i % slab->nzp) + i / slab->nzp : i;
      const int deep = u < 2 * lo ? 2 * lo - u : u > 2 * (n - hi) ? u - 2 * (n - hi) : 0;
      set(slab, slab->damping[a], i, 1 / (1 + 0.003 * deep * (1 + (double)((seed >> i % 50) & 1))));
    }
  }
  memset(slab->ca1, 0, (size_t)TOR_NCOMP * (size_t)slab->nzp * (size_t)slab->precision);
}

static int is_damped(const struct tor_slab *slab, int half, int ix, int iy) {
  for (int c = 3 * half; c < 3 * half + 3; c++)
    if (tor_damping_across(slab, c, ix, iy) < 1) return 1;
  return 0;
}

static struct tor_extra *extra_of(struct tor_slab *slab, tor_gidx column, size_t *capacity) {
  if (slab->extra_id[column] >= 0) return &slab->extra[slab->extra_id[column]];
  slab->extra = tor_grow(slab->extra, (size_t)slab->nextra + 1, capacity, sizeof *slab->extra);
  struct tor_extra *extra = &slab->extra[slab->nextra];
  *extra = (struct tor_extra){.coef_e = -1, .coef_h = -1};
  for (int c = 0; c < 5; c++) extra->run[c] = (int32_t)slab->nrun;
  for (int c = 0; c <= TOR_NCOMP; c++) {
    extra->inject[c] = (int32_t)slab->ninject;
    extra->record[c] = (int32_t)slab->nrecord;
  }
  slab->extra_id[column] = slab->nextra++;
  return extra;
}

void random_damping_classes(struct tor_slab *slab, size_t *capacity, tor_gidx *ncoef) {
  static const unsigned own[2] = {TOR_COL_COEF_E, TOR_COL_COEF_H}, lossy[2] = {TOR_COL_LOSSY_E, TOR_COL_LOSSY_H};
  *ncoef = 0;
  for (int ix = 0; ix <= slab->n[0]; ix++)
    for (int iy = 0; iy <= slab->n[1]; iy++) {
      const tor_gidx column = tor_slab_column(slab, ix, iy);
      unsigned cls = slab->cls[column];
      for (int half = 0; half < 2; half++) /* the background has no loss of its own */
        if (cls & lossy[half]) cls |= own[half];
      cls |= (cls & TOR_COL_COEFFICIENTS) << TOR_COL_UNDAMPED;
      for (int half = 0; half < 2; half++) {
        cls |= lossy[half];
        if (is_damped(slab, half, ix, iy)) cls |= own[half];
        if (!(cls & own[half])) continue;
        struct tor_extra *extra = extra_of(slab, column, capacity);
        *(half ? &extra->coef_h : &extra->coef_e) = *ncoef;
        *ncoef += (tor_gidx)6 * slab->nzp;
      }
      slab->cls[column] = (uint16_t)cls;
    }
}

/* A component's coefficients from place cb of one array, ca1 of another, to places of arrays. */
struct place {
  void *array;
  tor_gidx at;
};
static void damp(const struct tor_slab *slab, int comp, double across, struct place from, struct place loss,
                 struct place to, struct place to_loss) {
  double *cb = tor_alloc((size_t)slab->nzp, sizeof *cb, "random slab"),
         *ca1 = tor_alloc((size_t)slab->nzp, sizeof *ca1, "random slab");
  for (int z = 0; z < slab->nzp; z++) {
    cb[z] = get(slab, from.array, from.at + z);
    ca1[z] = loss.array ? get(slab, loss.array, loss.at + z) : 0;
  }
  tor_damping_apply(slab, comp, across, cb, ca1);
  for (int z = 0; z < slab->nzp; z++) {
    set(slab, to.array, to.at + z, cb[z]);
    set(slab, to_loss.array, to_loss.at + z, ca1[z]);
  }
  free(cb);
  free(ca1);
}

void random_damping_apply(struct tor_slab *slab) {
  for (int ix = 0; ix <= slab->n[0]; ix++)
    for (int iy = 0; iy <= slab->n[1]; iy++) {
      const tor_gidx column = tor_slab_column(slab, ix, iy);
      const unsigned media = tor_class_undamped(slab->cls[column], 1);
      if (!(slab->cls[column] & (TOR_COL_COEF_E | TOR_COL_COEF_H))) continue;
      const struct tor_extra *extra = &slab->extra[slab->extra_id[column]];
      for (int c = 0; c < TOR_NCOMP; c++) {
        const int h = c >= TOR_HX;
        const tor_gidx first = h ? extra->coef_h : extra->coef_e;
        if (first < 0) continue;
        const struct place own = {slab->coef, first + (tor_gidx)(c % 3) * slab->nzp},
                           layered = {slab->cb, (tor_gidx)c * slab->nzp};
        const struct place loss = {slab->coef, own.at + (tor_gidx)3 * slab->nzp}, none = {0};
        damp(slab, c, tor_damping_across(slab, c, ix, iy),
             media & (h ? TOR_COL_COEF_H : TOR_COL_COEF_E) ? own : layered,
             media & (h ? TOR_COL_LOSSY_H : TOR_COL_LOSSY_E) ? loss : none, own, loss);
      }
    }
  for (int c = 0; c < TOR_NCOMP; c++) {
    const struct place cb = {slab->cb, (tor_gidx)c * slab->nzp}, ca1 = {slab->ca1, cb.at}, none = {0};
    damp(slab, c, 1, cb, none, cb, ca1);
    for (int z = 1; z <= slab->n[2]; z++)
      slab->uniform[c] &= get(slab, slab->cb, cb.at + z) == get(slab, slab->cb, cb.at);
  }
}
