/* Packed slabs (diamond/core/pack.h): random ones advanced as one by the CPU's reference, against each alone. It knows
 * no segments, so the parts are such that one z cannot see the next: copies of one slab, which is as a domain of
 * several periods, or slabs whose E along x and y is 0 where they meet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "diamond/core/engine.h"
#include "diamond/core/pack.h"
#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "tests/support/random_pack.h"
#include "tests/support/random_slab.h"

enum { MOST = 4, STEPS = 7, SEEDS = 24 };

static struct random_slab_options options_of(int order, enum tor_precision precision, int nodes, uint64_t contents) {
  return (struct random_slab_options){.order = order,
                                      .precision = precision,
                                      .features = (nodes ? RANDOM_NODES : RANDOM_RING) | RANDOM_PMC | RANDOM_CPML_XY |
                                                  RANDOM_LAYERED | RANDOM_COEF | RANDOM_LOSSY | RANDOM_POLES |
                                                  RANDOM_INJECT | RANDOM_RECORD | RANDOM_PLANES,
                                      .min = {5, 6, 7},
                                      .max = {9, 12, 30},
                                      .steps = STEPS,
                                      .scatter = 0.3,
                                      .contents = contents};
}

static void set_zero(const struct tor_slab *s, void *array, tor_gidx i) {
  memset((char *)array + (size_t)i * (size_t)s->precision, 0, (size_t)s->precision);
}

/* No node at z = 0, which acts on both sides. */
static void remove_first_nodes(struct tor_slab *s) {
  for (tor_gidx i = 0; i < s->nrun; i++) {
    const struct tor_pole_range *run = &s->run[i];
    if (run->dispersion != TOR_NODE_RUN || run->z0 > 0) continue;
    for (int r = 0; r < tor_node_weights(run); r++) set_zero(s, s->weight, run->weight + (tor_gidx)r * run->pitch);
    for (int r = 0; r < tor_node_states(run); r++) set_zero(s, s->state, run->state + (tor_gidx)r * run->pitch);
  }
}

/* E along x and y is and stays 0 at z = 0 and, for the wider stencil, beside it. */
static void decouple(struct tor_slab *s) {
  const int at[] = {0, 1, s->n[TOR_Z] - 1};
  for (tor_gidx column = 0; column < tor_slab_columns(s); column++)
    for (int c = TOR_EX; c <= TOR_EY; c++) {
      const tor_gidx own = s->extra_id[column] < 0 ? -1 : s->extra[s->extra_id[column]].coef_e,
                     losses = own >= 0 && s->cls[column] & TOR_COL_LOSSY_E ? own + (tor_gidx)3 * s->nzp : -1;
      for (int i = 0; i < 3; i++) {
        const tor_gidx z = (tor_gidx)c * s->nzp + at[i];
        set_zero(s, s->field, tor_slab_vector(s, column, c) + at[i]);
        set_zero(s, s->cb, z);
        set_zero(s, s->ca1, z);
        if (own >= 0) set_zero(s, s->coef, own + z);
        if (losses >= 0) set_zero(s, s->coef, losses + z);
      }
      s->uniform[c] = 0;
    }
  remove_first_nodes(s);
}

static const struct tor_engine_setup reference = {TOR_ENGINE_STEPWISE, 1, 1};

/* Advances a slab alone by its first steps. */
static void run_alone(struct random_slab *r, int steps) {
  struct tor_stage stage = r->stage;
  stage.steps = steps;
  tor_engine_run(&r->slab, &stage, &reference);
}

/* Advances the pack by `steps`, from step `skip` of each part's stage on; without a stage of part `ended`. */
static void run_packed(struct tor_pack *pack, struct random_slab *const *part, int skip, int steps, int ended) {
  const struct tor_stage *stage[MOST] = {NULL};
  int skips[MOST] = {0};
  struct tor_stage packed;
  for (int k = 0; k < pack->n; k++) {
    stage[k] = k == ended ? NULL : &part[k]->stage;
    skips[k] = skip;
  }
  tor_pack_stage(pack, stage, skips, steps, &packed);
  assert_int_equal(packed.steps, steps);
  packed.energy = NULL; /* sums of parts are the GPU's */
  tor_engine_run(&pack->slab, &packed, &reference);
}

static void compare(struct random_slab *expected, struct random_slab *got) {
  memcpy(got->slab.energy, expected->slab.energy,
         (size_t)tor_slab_columns(&expected->slab) * TOR_NCOMP * sizeof(double));
  assert_int_equal(random_slab_compare(expected, got, stderr), 0);
}

/* n slabs of a seed, or n copies, each twice: to be packed, and alone. */
struct both {
  int n, copies;
  struct random_slab *part[MOST], *alone[MOST];
  struct tor_slab *slab[MOST];
};

static void make_both(struct both *b, int order, enum tor_precision precision, uint64_t seed, int nodes) {
  struct tor_slab *alone[MOST];
  for (int k = 0; k < b->n; k++) {
    const uint64_t contents = b->copies ? 0 : 100 + (uint64_t)k;
    const struct random_slab_options options = options_of(order, precision, nodes, contents);
    b->part[k] = random_slab_new(&options, seed);
    b->alone[k] = random_slab_new(&options, seed);
    b->slab[k] = &b->part[k]->slab;
    alone[k] = &b->alone[k]->slab;
    for (int i = 0; i < 2; i++) {
      struct tor_slab *s = i ? alone[k] : b->slab[k];
      if (nodes) random_pack_close_z(s);
      if (!b->copies) decouple(s);
      if (tor_slab_periodic(s, TOR_Z)) random_pack_set_ghosts(s);
    }
  }
  if (b->copies) return;
  random_pack_agree_on_nodes(b->slab, b->n);
  random_pack_agree_on_nodes(alone, b->n);
}

/* Packs them with `gap` values between them, and runs all: of different slabs, part 0 ends after some steps. */
static void run_both(struct both *b, int gap) {
  struct tor_pack pack;
  const int early = b->copies ? STEPS : 3;
  tor_pack_make(&pack, b->slab, b->n, b->slab[0]->n[TOR_Z] + gap, 1);
  assert_int_equal(pack.slab.segments, b->n);
  pack.slab.segments = 0;
  random_pack_set_ghosts(&pack.slab);
  run_packed(&pack, b->part, 0, early, -1);
  if (!b->copies) tor_pack_take(&pack, 0);
  if (early < STEPS) run_packed(&pack, b->part, early, STEPS - early, 0);
  for (int k = 0; k < b->n; k++) {
    if (k || b->copies) tor_pack_take(&pack, k);
    run_alone(b->alone[k], k ? STEPS : early);
    compare(b->alone[k], b->part[k]);
  }
  tor_pack_free(&pack);
}

/* Runs slabs of all seeds whose z closes. */
static void check_all(int copies, int nodes, int gap) {
  int packed = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct both b = {.n = 2 + (int)(seed % 3), .copies = copies};
    make_both(&b, seed % 2 ? 2 : 4, seed / 2 % 2 ? TOR_F32 : TOR_F64, seed, nodes);
    const int closes = tor_slab_periodic(b.slab[0], TOR_Z);
    for (int k = 0; k < b.n; k++) assert_int_equal(!tor_pack_hinders(b.slab[0], b.slab[k]), closes);
    if (closes) run_both(&b, gap);
    packed += closes;
    for (int k = 0; k < b.n; k++) {
      random_slab_free(b.part[k]);
      random_slab_free(b.alone[k]);
    }
  }
  assert_true(packed > SEEDS / 3);
}

static void copies_are_a_domain_of_several_periods(void **state) {
  (void)state;
  check_all(1, 0, 0);
}
static void also_with_surface_nodes(void **state) {
  (void)state;
  check_all(1, 1, 0);
}
static void different_slabs_advance_as_each_alone(void **state) {
  (void)state;
  check_all(0, 0, 0);
  check_all(0, 1, 0);
}
static void also_with_values_between_them(void **state) {
  (void)state;
  check_all(0, 0, 5);
  check_all(0, 1, 9);
}

static void each_has_its_energy_sums(void **state) {
  (void)state;
  struct random_slab_options options = options_of(2, TOR_F32, 0, 0);
  struct random_slab *part[2];
  struct tor_slab *slab[2];
  uint64_t seed = 1;
  for (int k = 0; k < 2; k++) {
    part[k] = random_slab_new(&options, seed);
    if (!tor_slab_periodic(&part[k]->slab, TOR_Z)) {
      random_slab_free(part[k]);
      seed++;
      k = -1;
      continue;
    }
    slab[k] = &part[k]->slab;
  }
  struct tor_pack pack;
  tor_pack_make(&pack, slab, 2, slab[0]->n[TOR_Z], 1);
  const size_t sums = (size_t)tor_slab_columns(slab[0]) * TOR_NCOMP;
  for (size_t i = 0; i < 2 * sums; i++) pack.slab.energy[i] = (double)i;
  for (int k = 0; k < 2; k++) {
    tor_pack_take_energy(&pack, k);
    for (size_t i = 0; i < sums; i++) assert_true(slab[k]->energy[i] == (double)((size_t)k * sums + i));
  }
  tor_pack_free(&pack);
  for (int k = 0; k < 2; k++) random_slab_free(part[k]);
}

static void other_slabs_are_refused(void **state) {
  (void)state;
  struct random_slab_options options = options_of(2, TOR_F32, 0, 0);
  struct random_slab *r = random_slab_new(&options, 3);
  struct tor_slab a = r->slab, b;
  a.wall[TOR_ZLO] = a.wall[TOR_ZHI] = TOR_PERIODIC;
  b = a;
  assert_null(tor_pack_hinders(&a, &b));
  b.n[TOR_Z]++;
  assert_string_equal(tor_pack_hinders(&a, &b), "other numbers of cells");
  b = a;
  b.dt *= 1.0000001;
  assert_string_equal(tor_pack_hinders(&a, &b), "other cells or time steps");
  b = a;
  b.other = &a;
  assert_string_equal(tor_pack_hinders(&a, &b), "complex fields");
  b = a;
  b.held[0]--;
  assert_string_equal(tor_pack_hinders(&a, &b), "a part of the domain");
  b = a;
  b.wall[TOR_ZLO] = b.wall[TOR_ZHI] = TOR_PEC;
  assert_string_equal(tor_pack_hinders(&a, &b), "the vector's ends do not meet");
  random_slab_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(copies_are_a_domain_of_several_periods),
                                     cmocka_unit_test(also_with_surface_nodes),
                                     cmocka_unit_test(different_slabs_advance_as_each_alone),
                                     cmocka_unit_test(also_with_values_between_them),
                                     cmocka_unit_test(each_has_its_energy_sums),
                                     cmocka_unit_test(other_slabs_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
