/* Random slabs as parts of packs: see random_pack.h. */
#include "tests/support/random_pack.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/model/column_media.h"

/* An array made longer, by values of 0. */
static void extend(void **array, tor_gidx values, tor_gidx wanted, enum tor_precision precision) {
  void *to = tor_alloc((size_t)wanted, (size_t)precision, "random pack");
  memcpy(to, *array, (size_t)values * (size_t)precision);
  free(*array);
  *array = to;
}

/* Takes away a run's node at z. */
static void clear_node(const struct tor_slab *s, const struct tor_pole_range *run, int z) {
  static const double none = 0;
  const int states = tor_node_states(run), weights = tor_node_weights(run);
  const tor_gidx state = tor_node_place(run, states, z), weight = tor_node_place(run, weights, z);
  for (int r = 0; r < states && state >= 0; r++)
    tor_column_store(s, s->state, run->state + state + (tor_gidx)r * run->pitch, &none, 1);
  for (int r = 0; r < weights && weight >= 0; r++)
    tor_column_store(s, s->weight, run->weight + weight + (tor_gidx)r * run->pitch, &none, 1);
}

void random_pack_close_z(struct tor_slab *s) {
  for (tor_gidx i = 0; i < s->nrun; i++) {
    struct tor_pole_range *run = &s->run[i];
    const int past = run->z0 + run->nz;
    if (past <= s->n[TOR_Z]) continue;
    for (int z = s->n[TOR_Z]; z < past && run->dispersion == TOR_NODE_RUN; z++) clear_node(s, run, z);
    run->nz = s->n[TOR_Z] - run->z0;
  }
  for (int i = 0; i < s->nextra; i++) {
    struct tor_extra *extra = &s->extra[i];
    if (extra->run[3] < extra->run[4] && !s->run[extra->run[3]].nz) extra->run[4] = extra->run[3]; /* none is left */
  }
  s->wall[TOR_ZLO] = s->wall[TOR_ZHI] = TOR_PERIODIC;
}

/* Makes a run's nodes those of dielectrics, with arrays and values of their own. */
static void make_dielectric(struct tor_slab *s, struct tor_pole_range *run) {
  const tor_gidx states = s->nstate, weights = s->nweight;
  run->metal = run->gap0 = run->gap = 0;
  tor_node_run_place(run, &s->nstate, &s->nweight);
  extend(&s->state, states, s->nstate, s->precision);
  extend(&s->weight, weights, s->nweight, s->precision);
  for (int z = run->z0 ? run->z0 : 1; z < run->z0 + run->nz; z++) /* one at z = 0 acts on both sides */
    for (int r = 0; r < TOR_NODE_STATE + TOR_NODE_WEIGHTS; r++) {
      const int is_weight = r >= TOR_NODE_STATE, rows = is_weight ? (int)TOR_NODE_WEIGHTS : (int)TOR_NODE_STATE;
      const tor_gidx at = tor_node_place(run, rows, z) + (tor_gidx)(r - is_weight * TOR_NODE_STATE) * run->pitch;
      const double value = ((z * 37 + r * 11) % 19 - 9.5) / 100;
      tor_column_store(s, is_weight ? s->weight : s->state, (is_weight ? run->weight : run->state) + at, &value, 1);
    }
}

void random_pack_agree_on_nodes(struct tor_slab *const *slab, int n) {
  for (int k = 1; k < n; k++)
    memcpy(slab[k]->magnetised, slab[0]->magnetised, (size_t)slab[0]->nmagnetised * sizeof *slab[0]->magnetised);
  for (tor_gidx column = 0; column < tor_slab_columns(slab[0]); column++) {
    int have = 0;
    for (int k = 0; k < n; k++) have += tor_slab_nodes(slab[k], column) != NULL;
    for (int k = 0; k < n && have > 1; k++)
      if (tor_slab_nodes(slab[k], column))
        make_dielectric(slab[k], &slab[k]->run[slab[k]->extra[slab[k]->extra_id[column]].run[3]]);
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
