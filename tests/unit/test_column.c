/* The runs that the model makes of a gold sphere: a metal's inside and its cut cells share arrays, no other runs do;
 * nodes lie by blocks, without those between a column's ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/plain_job.h"
#include "src/base/units.h"

struct spheres {
  struct tor_job job;
  struct tor_object object[3];
  struct tor_model model;
  struct tor_simulation sim;
};

/* Two spheres of one metal above each other, and a block of another that touches one of them. Returns their slab. */
static const struct tor_slab *start(struct spheres *s, enum tor_averaging averaging) {
  struct tor_job *job = &s->job;
  struct tor_object *object = s->object;
  const int n[3] = {24, 22, 70};
  const double edge = (averaging == TOR_AVERAGE_TENSOR ? 20 : 5) * TOR_NM; /* without sources 20 cells a wavelength */
  tor_plain_job(job, n, (const double[3]){edge, edge, edge}, 2, TOR_F32, TOR_PEC, 0);
  job->media = realloc(job->media, 3 * sizeof *job->media);
  assert_true(tor_medium_builtin("Au", &job->media[job->nmedia++]));
  assert_true(tor_medium_builtin("Ag", &job->media[job->nmedia++]));
  for (int m = 1; m < 3 && averaging == TOR_AVERAGE_TENSOR; m++) { /* stable in these cells */
    tor_medium_free(&job->media[m]);
    job->media[m] = tor_medium_vacuum(m == 1 ? "free" : "fewer");
    job->media[m].npoles = 1;
    job->media[m].poles = calloc(1, sizeof *job->media[m].poles);
    job->media[m].poles[0] = (struct tor_pole){.kind = TOR_DRUDE, .strength = (7 - m) * TOR_EV};
  }
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
  job->averaging = averaging;
  tor_plain_start(job, &s->model, &s->sim);
  return &s->model.slab;
}

static void stop(struct spheres *s) {
  tor_plain_stop(&s->model, &s->sim);
  s->job.objects = NULL;
  tor_plain_job_free(&s->job);
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
  struct spheres spheres;
  const struct tor_slab *slab = start(&spheres, TOR_AVERAGE_SUBPIXEL);
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
  stop(&spheres);
}

/* Nodes at the values of z of a block, by bits. */
static unsigned nodes_in(const struct tor_slab *slab, const struct tor_pole_range *run, int block) {
  const int rows = tor_node_weights(run);
  const float *weight = (const float *)slab->weight + run->weight + (tor_gidx)block * rows * run->pitch;
  unsigned nodes = 0;
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < run->pitch && tor_node_marks(run->metal) >> r & 1; i++)
      nodes |= (unsigned)(weight[r * run->pitch + i] != 0) << i;
  return nodes;
}

/* Checks a column's run of nodes. Returns its number of nodes, with the sign changed where a gap is left out. */
static int check_nodes(const struct tor_slab *slab, const struct tor_pole_range *run) {
  const int blocks = tor_node_blocks(run), last = run->z0 + run->nz - 1;
  int nodes = 0, longest = 0, empty = 0;
  assert_true(run->from == run->z0 / run->pitch * run->pitch && run->metal > 0 && run->pitch == TOR_METAL_PITCH);
  for (int b = 0; b < blocks; b++) {
    const unsigned here = nodes_in(slab, run, b);
    const int z = tor_node_block_z(run, b);
    assert_int_equal(tor_node_block(run, z < run->z0 ? run->z0 : z), b);
    if (run->gap && (b == run->gap0 - 1 || b == run->gap0)) assert_true(here);
    nodes += __builtin_popcount(here);
    if (b == run->gap0) empty = 0;
    empty = here ? 0 : empty + 1;
    if (empty > longest) longest = empty;
    for (int i = 0; i < run->pitch; i++) assert_true((z + i >= run->z0 && z + i <= last) || !(here >> i & 1));
  }
  assert_true(longest <= run->gap); /* no longer part without nodes is in the arrays */
  assert_true(nodes_in(slab, run, 0) >> run->z0 % run->pitch & 1);
  assert_true(nodes_in(slab, run, blocks - 1) >> last % run->pitch & 1);
  for (int i = 0; i < run->gap * run->pitch; i++)
    assert_int_equal(tor_node_block(run, run->from + run->gap0 * run->pitch + i), -1);
  return run->gap ? -nodes : nodes;
}

static void nodes_lie_in_blocks(void **unused) {
  (void)unused;
  struct spheres spheres;
  const struct tor_slab *slab = start(&spheres, TOR_AVERAGE_TENSOR);
  tor_gidx past[2] = {0, 0};
  int columns = 0, with_gap = 0, nodes = 0;
  for (tor_gidx i = 0; i < tor_slab_columns(slab); i++) {
    const struct tor_pole_range *run = tor_slab_nodes(slab, i);
    if (!run) continue;
    assert_true(run->state % TOR_NODE_ALIGN == 0 && run->weight % TOR_NODE_ALIGN == 0);
    assert_true(run->state >= past[0] && run->weight >= past[1]);
    past[0] = run->state + (tor_gidx)tor_node_states(run) * run->pitch * tor_node_blocks(run);
    past[1] = run->weight + (tor_gidx)tor_node_weights(run) * run->pitch * tor_node_blocks(run);
    const int has = check_nodes(slab, run);
    columns++;
    with_gap += has < 0;
    nodes += abs(has);
  }
  assert_true(past[0] <= slab->nstate && past[1] <= slab->nweight);
  /* pi 9.6^2 columns cross the spheres and twice two surfaces, with at least two nodes each. */
  assert_true(columns > 280 && with_gap > 200 && nodes > 8 * columns);
  stop(&spheres);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_share_arrays_where_they_meet),
                                     cmocka_unit_test(nodes_lie_in_blocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
