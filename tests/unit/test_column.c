/* The runs that the model makes of a gold sphere: a metal's inside and its cut cells share arrays, no other runs do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/plain_job.h"
#include "src/base/units.h"

/* Two spheres of one metal above each other, and a block of another that touches one of them. */
static void start(struct tor_job *job, struct tor_object object[3], struct tor_model *model,
                  struct tor_simulation *sim) {
  const int n[3] = {24, 22, 70};
  tor_plain_job(job, n, (const double[3]){5 * TOR_NM, 5 * TOR_NM, 5 * TOR_NM}, 2, TOR_F32, TOR_PEC, 0);
  job->media = realloc(job->media, 3 * sizeof *job->media);
  assert_true(tor_medium_builtin("Au", &job->media[job->nmedia++]));
  assert_true(tor_medium_builtin("Ag", &job->media[job->nmedia++]));
  const double cell = job->cell[0];
  for (int i = 0; i < 2; i++)
    object[i] = (struct tor_object){.shape = TOR_SPHERE,
                                    .medium = 1,
                                    .center = {0.3 * cell, -0.2 * cell, (i ? 14.3 : -14.8) * cell},
                                    .radius = {9.6 * cell, 0}};
  object[2] = object[0];
  object[2].shape = TOR_BOX;
  object[2].medium = 2;
  for (int a = 0; a < 3; a++) object[2].size[a] = 5.5 * cell;
  object[2].center[2] += 11 * cell;
  job->objects = object;
  job->nobjects = 3;
  tor_plain_start(job, model, sim);
}

/* Values of state and of weight that a list of runs from `first` on shares; *past: the next run's number. */
static void check_shared(const struct tor_slab *slab, int first, int last, int *past, tor_gidx *state, tor_gidx *weight,
                         int *mixed) {
  const struct tor_pole_range *run = slab->run;
  int branch = 0, whole = 0, own = 0;
  for (*past = first; *past < last && run[*past].state == run[first].state; ++*past) {
    const struct tor_pole_range *r = &run[*past];
    assert_int_equal(r->weight, run[first].weight);
    assert_int_equal(r->from, run[first].from);
    assert_int_equal(r->pitch, run[first].pitch);
    assert_int_equal(r->dispersion, run[first].dispersion);
    assert_true(r->nz > 0 && r->z0 >= r->from && r->z0 + r->nz <= r->from + r->pitch);
    if (*past > first)
      assert_true(r->z0 >= r[-1].z0 + r[-1].nz && r->z0 < (r[-1].z0 + r[-1].nz + TOR_POLE_RANGE_ALIGN - 1) /
                                                                  TOR_POLE_RANGE_ALIGN * TOR_POLE_RANGE_ALIGN +
                                                              TOR_RUN_GAP);
    branch |= r->branch;
    whole |= !r->branch;
    own += r->nz * (r->branch ? TOR_BRANCH_WEIGHTS : r->charged ? 3 : 1); /* g is 0 outside branches */
  }
  const struct tor_pole_range *r = &run[first];
  assert_int_equal(r->from % TOR_POLE_RANGE_ALIGN + r->pitch % TOR_POLE_RANGE_ALIGN + r->state % TOR_POLE_RANGE_ALIGN +
                       r->weight % TOR_POLE_RANGE_ALIGN,
                   0);
  assert_int_equal(r->from, r->z0 / TOR_POLE_RANGE_ALIGN * TOR_POLE_RANGE_ALIGN);
  *state = (tor_gidx)(slab->dispersion[r->dispersion].nstate + branch) * r->pitch;
  *weight = (tor_gidx)(branch ? TOR_BRANCH_WEIGHTS : 1) * r->pitch;
  *mixed += branch && whole;
  int set = 0;
  for (tor_gidx i = 0; i < *weight; i++) set += ((const float *)slab->weight)[r->weight + i] != 0;
  assert_int_equal(set, own);
}

static void runs_share_arrays_where_they_meet(void **unused) {
  (void)unused;
  struct tor_job job;
  struct tor_object object[3];
  struct tor_model model;
  struct tor_simulation sim;
  start(&job, object, &model, &sim);
  const struct tor_slab *slab = &model.slab;
  tor_gidx nstate = 0, nweight = 0, seen = 0;
  int mixed = 0, several = 0;
  for (int i = 0; i < slab->nextra; i++)
    for (int c = 0; c < 3; c++)
      for (int k = slab->extra[i].run[c]; k < slab->extra[i].run[c + 1];) {
        const struct tor_pole_range *run = &slab->run[k];
        const int first = k;
        tor_gidx state, weight;
        assert_int_equal(run->state, nstate);
        assert_int_equal(run->weight, nweight);
        check_shared(slab, k, slab->extra[i].run[c + 1], &k, &state, &weight, &mixed);
        nstate += state;
        nweight += weight;
        seen += k - first;
        if (k == slab->extra[i].run[c + 1] || slab->run[k].dispersion != run->dispersion) continue;
        several++;
        assert_true(slab->run[k].z0 >= run->from + run->pitch + TOR_RUN_GAP);
      }
  assert_int_equal(seen, slab->nrun);
  assert_int_equal(nstate, slab->nstate);
  assert_int_equal(nweight, slab->nweight);
  assert_true(mixed > 100 && several > 100);
  tor_plain_stop(&model, &sim);
  job.objects = NULL;
  tor_plain_job_free(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_share_arrays_where_they_meet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
