/* Random slabs as parts of packs: see random_pack.h. */
#include "tests/support/random_pack.h"

#include <string.h>

void random_pack_close_z(struct tor_slab *s) {
  for (tor_gidx i = 0; i < s->nrun; i++)
    if (s->run[i].z0 + s->run[i].nz > s->n[TOR_Z]) s->run[i].nz = s->n[TOR_Z] - s->run[i].z0;
  s->wall[TOR_ZLO] = s->wall[TOR_ZHI] = TOR_PERIODIC;
}

void random_pack_agree_on_nodes(struct tor_slab *const *slab, int n) {
  for (int k = 1; k < n; k++)
    memcpy(slab[k]->magnetised, slab[0]->magnetised, (size_t)slab[0]->nmagnetised * sizeof *slab[0]->magnetised);
  for (tor_gidx column = 0; column < tor_slab_columns(slab[0]); column++) {
    int have = 0;
    for (int k = 0; k < n; k++) have += tor_slab_nodes(slab[k], column) != NULL;
    for (int k = 0; k < n && have > 1; k++)
      if (tor_slab_nodes(slab[k], column)) slab[k]->run[slab[k]->extra[slab[k]->extra_id[column]].run[3]].metal = 0;
  }
}

void random_pack_set_ghosts(const struct tor_slab *s) {
  const int n = s->n[TOR_Z], to[] = {-2, -1, n, n + 1}, from[] = {n - 2, n - 1, 0, 1};
  const size_t real = (size_t)s->precision;
  char *const field = s->field;
  for (tor_gidx column = 0; column < tor_slab_columns(s); column++)
    for (int c = 0; c < TOR_NCOMP; c++)
      for (int i = tor_comp_is_h(c) ? 0 : 1; i < 4 && c % 3 != TOR_Z; i++) {
        const tor_gidx at = tor_slab_vector(s, column, c);
        memcpy(field + (at + to[i]) * (tor_gidx)real, field + (at + from[i]) * (tor_gidx)real, real);
      }
}
