/* Random slabs as parts of packs: see random_pack.h. */
#include "tests/support/random_pack.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

/* A value of a run's block b, row r of `rows`. */
static char *value_at(const struct tor_slab *s, const struct tor_pole_range *run, void *array, tor_gidx first,
                      tor_gidx rows, tor_gidx b, tor_gidx r, int i) {
  return (char *)array + (size_t)(first + (b * rows + r) * run->pitch + i) * (size_t)s->precision;
}

/* What is no node in the blocks of a run becomes 0, after its length or kind was changed. */
static void clear_beside(const struct tor_slab *s, const struct tor_pole_range *run) {
  static const double zero = 0;
  const tor_gidx states = tor_node_states(run), weights = tor_node_weights(run);
  const size_t real = (size_t)s->precision;
  for (tor_gidx b = 0; b < tor_node_blocks(run); b++)
    for (int i = 0; i < run->pitch; i++) {
      const int z = tor_node_block_z(run, (int)b) + i;
      int is_node = 0;
      for (tor_gidx r = 0; r < weights && z >= run->z0 && z < run->z0 + run->nz; r++)
        is_node |= tor_node_marks(run->metal) >> r & 1 &&
                   memcmp(value_at(s, run, s->weight, run->weight, weights, b, r, i), &zero, real) != 0;
      if (is_node) continue;
      for (tor_gidx r = 0; r < states; r++) memset(value_at(s, run, s->state, run->state, states, b, r, i), 0, real);
      for (tor_gidx r = 0; r < weights; r++)
        memset(value_at(s, run, s->weight, run->weight, weights, b, r, i), 0, real);
    }
}

void random_pack_close_z(struct tor_slab *s) {
  for (tor_gidx i = 0; i < s->nrun; i++) {
    if (s->run[i].z0 + s->run[i].nz <= s->n[TOR_Z]) continue;
    s->run[i].nz = s->n[TOR_Z] - s->run[i].z0;
    if (s->run[i].dispersion == TOR_NODE_RUN) clear_beside(s, &s->run[i]);
  }
  for (int i = 0; i < s->nextra; i++) {
    struct tor_extra *extra = &s->extra[i];
    if (extra->run[3] < extra->run[4] && !s->run[extra->run[3]].nz) extra->run[4] = extra->run[3]; /* none is left */
  }
  s->wall[TOR_ZLO] = s->wall[TOR_ZHI] = TOR_PERIODIC;
}

/* An array made longer, by values of 0. */
static void extend(void **array, tor_gidx values, tor_gidx wanted, enum tor_precision precision) {
  void *to = tor_alloc((size_t)wanted, (size_t)precision, "random pack");
  memcpy(to, *array, (size_t)values * (size_t)precision);
  free(*array);
  *array = to;
}

static void set(const struct tor_slab *s, void *array, tor_gidx at, double value) {
  if (s->precision == TOR_F32)
    ((float *)array)[at] = (float)value;
  else
    ((double *)array)[at] = value;
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
      set(s, is_weight ? s->weight : s->state, (is_weight ? run->weight : run->state) + at,
          ((z * 37 + r * 11) % 19 - 9.5) / 100);
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
