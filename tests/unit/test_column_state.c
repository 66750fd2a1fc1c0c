/* The packed state of columns: blocks packed from one slab are unpacked into another of the same job, which then has
 * the same state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "diamond/core/column_state.h"
#include "diamond/core/engine.h"
#include "src/base/error.h"
#include "tests/support/random_slab.h"

static void move_block(const struct tor_slab *from, struct tor_slab *to, const struct tor_column_block *block,
                       const int *samples) {
  size_t bytes = tor_column_state_bytes(from, block, samples);
  assert_int_equal(bytes, tor_column_state_bytes(to, block, samples));
  void *buffer = tor_alloc(bytes + 1, 1, "test");
  ((char *)buffer)[bytes] = 77;
  tor_column_state_pack(from, block, samples, buffer);
  assert_int_equal(((char *)buffer)[bytes], 77);
  tor_column_state_unpack(to, block, samples, buffer);
  free(buffer);
}

static void blocks_carry_the_whole_state(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct random_slab_options options = {.order = seed % 2 ? 2 : 4,
                                          .precision = seed % 4 < 2 ? TOR_F32 : TOR_F64,
                                          .features = RANDOM_ALL,
                                          .min = {4, 4, 4},
                                          .max = {9, 9, 30},
                                          .steps = 5,
                                          .scatter = 0.2};
    struct random_slab *a = random_slab_new(&options, seed), *b = random_slab_new(&options, seed);
    struct tor_engine_setup setup = {TOR_ENGINE_STEPWISE, 2, 1};
    tor_engine_run(&a->slab, &a->stage, &setup);
    assert_true(random_slab_compare(a, b, tmpfile()) > 0);
    int *samples = tor_alloc((size_t)a->slab.ngroup + 1, sizeof *samples, "test");
    for (int g = 0; g < a->slab.ngroup; g++) samples[g] = a->slab.group[g].nsample;
    const int nx = a->slab.n[0] + 1, ny = a->slab.n[1] + 1, x = 1 + (int)(seed % 3), y = 1 + (int)(seed % 2);
    move_block(&a->slab, &b->slab, &(struct tor_column_block){0, x, 0, ny}, samples);
    move_block(&a->slab, &b->slab, &(struct tor_column_block){x, nx, y, ny}, samples);
    move_block(&a->slab, &b->slab, &(struct tor_column_block){x, nx, 0, y}, samples);
    assert_int_equal(random_slab_compare(a, b, stderr), 0);
    free(samples);
    random_slab_free(a);
    random_slab_free(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_carry_the_whole_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
