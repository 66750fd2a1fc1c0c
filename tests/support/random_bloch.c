/* Random slabs of complex fields: see random_bloch.h. */
#include "tests/support/random_bloch.h"

#include <math.h>
#include <stdlib.h>

static double field_at(const struct tor_slab *s, tor_gidx at) {
  return s->precision == TOR_F32 ? (double)((const float *)s->field)[at] : ((const double *)s->field)[at];
}
static void set_field(struct tor_slab *s, tor_gidx at, double value) {
  const double set = value + 0.0; /* not -0, which nothing would change at a wall */
  if (s->precision == TOR_F32)
    ((float *)s->field)[at] = (float)set;
  else
    ((double *)s->field)[at] = set;
}

/* Sets a part's ghost value beyond an end of z, from the value at `from` one period below or above (tor_bloch). */
static void set_ghost(struct tor_slab *s, tor_gidx at, tor_gidx from, int above) {
  const double c = s->bloch[TOR_Z][0][0], up = s->bloch[TOR_Z][0][1], own = field_at(s, from),
               other = field_at(s->other, from);
  const float of = (float)(above ? up : -up);
  set_field(s, at,
            s->precision == TOR_F32 ? (double)fmaf((float)c, (float)own, of * (float)other)
                                    : fma(c, own, (above ? up : -up) * other));
}

void random_bloch_join(struct random_slab *real, struct random_slab *imaginary) {
  struct tor_slab *part[2] = {&real->slab, &imaginary->slab};
  for (int own = 0; own < 2; own++) {
    part[own]->other = part[1 - own];
    part[own]->imaginary = own;
    for (int i = 0; i < 6; i++) {
      const double turn = 0.7 * (i / 2 + 1) * (i % 2 + 1);
      part[own]->bloch[i / 2][i % 2][0] = cos(turn);
      part[own]->bloch[i / 2][i % 2][1] = own ? -sin(turn) : sin(turn);
    }
  }
  free(part[1]->energy);
  part[1]->energy = part[0]->energy;
  const tor_gidx vectors = tor_slab_columns(part[1]) * TOR_NCOMP, nzp = part[1]->nzp, n = part[1]->n[TOR_Z];
  for (tor_gidx i = -TOR_IMAGES; i < vectors * nzp; i++) set_field(part[1], i, -0.5 * field_at(part[1], i));
  for (int own = 0; own < 2 && tor_slab_periodic(part[0], TOR_Z); own++)
    for (tor_gidx i = 0; i < vectors; i++) {
      if (i % 3 == TOR_EZ) continue; /* along z: no ghost values */
      for (int k = 0; k < 2; k++) {
        set_ghost(part[own], i * nzp + n + k, i * nzp + k, 1);
        set_ghost(part[own], i * nzp - 1 - k, i * nzp + n - 1 - k, 0);
      }
    }
}

void random_bloch_free(struct random_slab *real, struct random_slab *imaginary) {
  imaginary->slab.energy = NULL;
  random_slab_free(imaginary);
  random_slab_free(real);
}
