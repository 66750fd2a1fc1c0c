/* Lists of sources and monitors of random jobs: as many entries as were counted, each component's within its column's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/random_job.h"
#include "src/model/lists.h"
#include "src/model/model.h"

/* Lists are contiguous, in the order of the columns. Returns their end. */
static tor_gidx follow(const struct tor_slab *slab, int of_records) {
  tor_gidx at = 0;
  for (tor_gidx column = 0; column < tor_slab_columns(slab); column++) {
    if (!(slab->cls[column] & (of_records ? TOR_COL_RECORD : TOR_COL_INJECT))) continue;
    const struct tor_extra *extra = &slab->extra[slab->extra_id[column]];
    const int32_t *first = of_records ? extra->record : extra->inject;
    assert_int_equal(first[0], at);
    for (int c = 0; c < TOR_NCOMP; c++) assert_true(first[c] <= first[c + 1]);
    assert_true(first[TOR_NCOMP] > at);
    at = first[TOR_NCOMP];
  }
  return at;
}

static void lists_are_whole(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 12; seed++) {
    struct tor_job job;
    struct tor_model model;
    struct tor_faults faults = {0};
    tor_random_job(seed, seed % 2 ? 2 : 4, TOR_F32, &job);
    assert_int_equal(tor_model_make(&job, 1, &model, &faults), 0);
    const struct tor_slab *slab = &model.slab;
    assert_int_equal(follow(slab, 0), slab->ninject);
    assert_int_equal(follow(slab, 1), slab->nrecord);
    assert_true(slab->ninject > 0 && slab->nrecord > 0);
    assert_true(tor_sources_inject(model.sources, NULL, NULL, NULL) == (double)slab->ninject);
    assert_true(tor_monitors_record(model.monitors, NULL, NULL, NULL) == (double)slab->nrecord);
    double entries;
    const double bytes = tor_lists_bytes(model.sources, model.monitors, 1e9, 0, &entries);
    assert_true(entries == (double)(slab->ninject + slab->nrecord));
    assert_true(bytes >= (double)slab->ninject * sizeof *slab->inject + (double)slab->nrecord * sizeof *slab->record);
    /* A part has the entries of its columns: two halves have all of them. */
    const struct tor_column_block all = tor_column_block_held(slab);
    struct tor_column_block half[2] = {all, all};
    half[0].x1 = half[1].x0 = (all.x0 + all.x1) / 2;
    double parts = 0;
    for (int i = 0; i < 2; i++)
      parts += tor_sources_inject(model.sources, &half[i], NULL, NULL) +
               tor_monitors_record(model.monitors, &half[i], NULL, NULL);
    assert_true(parts == entries);
    tor_model_free(&model);
    tor_job_free(&job);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
