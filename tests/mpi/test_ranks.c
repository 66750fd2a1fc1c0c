/* Every grid of ranks gives the bits of one process: fields, layers, poles, transforms, series, energies. Run by mpirun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../comm/reduce.h"
#include "../../src/simulation.h"
#include "../late_worker.h"
#include "../random_job.h"

static int whole_runs; /* decompositions compared */

static void make(const struct tor_job *job, const struct tor_column_block *held, struct tor_model *model) {
  struct tor_faults faults = {0};
  if (!tor_model_make_part(job, held, 1, model, &faults)) return;
  tor_faults_print(&faults, stderr);
  TOR_DIE("random job refused");
}

/* The rank's own columns hold the bytes of the whole domain's. */
static int same_columns(const struct tor_model *part, const struct tor_model *whole, const struct tor_column_block *own) {
  int differ = 0;
  for (int ix = own->x0; ix < own->x1; ix++)
    for (int iy = own->y0; iy < own->y1; iy++) {
      struct tor_column_block one = {ix, ix + 1, iy, iy + 1};
      size_t bytes = tor_column_state_bytes(&part->slab, &one, NULL);
      if (bytes != tor_column_state_bytes(&whole->slab, &one, NULL)) TOR_DIE("sizes of column (%d, %d) differ", ix, iy);
      char *a = tor_alloc(bytes, 1, "test"), *b = tor_alloc(bytes, 1, "test");
      tor_column_state_pack(&part->slab, &one, NULL, a);
      tor_column_state_pack(&whole->slab, &one, NULL, b);
      if (memcmp(a, b, bytes) && !differ++) print_error("column (%d, %d) differs\n", ix, iy);
      free(a);
      free(b);
    }
  return !differ;
}

static int same_monitors(const struct tor_model *a, const struct tor_model *b) {
  int ok = 1;
  for (int i = 0; i < a->monitors->count; i++) {
    const struct tor_listener *l = &a->monitors->listener[i];
    if (l->group < 0) continue;
    const struct tor_record_group *g = &a->slab.group[l->group];
    size_t values = (size_t)g->npoints * (g->kind == TOR_RECORD_DFT ? 2 * (size_t)g->nfreq : (size_t)l->nsample);
    if (memcmp(g->data, b->slab.group[l->group].data, values * sizeof(double))) {
      print_error("monitor %d differs\n", i);
      ok = 0;
    }
  }
  return ok;
}

static void all_samples(const struct tor_model *m, int *samples) {
  for (int i = 0; i < m->monitors->count; i++)
    if (m->monitors->listener[i].group >= 0) samples[m->monitors->listener[i].group] = m->monitors->listener[i].nsample;
}

/* late: by a worker that goes on behind the ranks' backs, which a GPU is. */
static int same_run(const struct tor_job *job, const struct tor_simulation *whole, const int ranks[2], int dts, int th, int threads, int late) {
  struct tor_layout layout;
  if (tor_layout_make(&layout, &whole->model->slab, dts, th, ranks, NULL)) return 1;
  whole_runs++;
  int rank = tor_message_rank(), x = rank / ranks[1], y = rank % ranks[1];
  struct tor_share share = tor_layout_share(&layout, x, y);
  struct tor_model part;
  struct tor_exchange exchange;
  struct tor_simulation sim;
  make(job, &share.held, &part);
  tor_exchange_open(&exchange, &layout, &part.slab, x, y);
  if (late) tor_exchange_use(&exchange, late_worker(&part.slab, (unsigned)(rank + 7 * th)));
  struct tor_engine_setup setup = {TOR_ENGINE_DIAMOND, dts, threads};
  tor_simulation_init(&sim, &part, &setup, th);
  tor_simulation_use_ranks(&sim, &exchange);
  while (!tor_simulation_done(&sim)) {
    tor_simulation_stage(&sim, part.steps);
    if (exchange.stages % 5 == 3) tor_exchange_settle(&exchange);
  }
  int ok = same_columns(&part, whole->model, &share.own);
  int *samples = tor_alloc((size_t)part.slab.ngroup + 1, sizeof *samples, "test");
  all_samples(&part, samples);
  tor_exchange_settle(&exchange);
  ok &= sim.step == whole->step && sim.nenergy == whole->nenergy;
  tor_reduce_monitors(&exchange, samples);
  if (!rank) {
    ok &= same_monitors(&part, whole->model);
    if (memcmp(sim.energy, whole->energy, (size_t)sim.nenergy * sizeof *sim.energy)) {
      print_error("energies differ\n");
      ok = 0;
    }
  }
  free(samples);
  tor_exchange_close(&exchange);
  tor_simulation_free(&sim);
  tor_model_free(&part);
  tor_layout_free(&layout);
  return ok;
}

static int any_field(const struct tor_model *m) {
  const unsigned char *p = m->slab.field;
  size_t n = (size_t)tor_slab_columns(&m->slab) * 6 * (size_t)m->slab.nzp * (size_t)m->slab.precision;
  for (size_t i = 0; i < n; i++)
    if (p[i]) return 1;
  return 0;
}

static void compare(int order, enum tor_precision precision) {
  static const int dts[] = {1, 2, 3, 5, 4}, th[] = {2, 1, 5, 9, 4, 16, 3};
  int n = tor_message_ranks(), alive = 0, seeds = 4;
  const char *wanted = getenv("TORRE_TEST_SEEDS");
  if (wanted) seeds = atoi(wanted);
  for (unsigned seed = 1; seed <= (unsigned)seeds; seed++) {
    struct tor_job job;
    tor_random_job(seed, order, precision, &job);
    /* Long enough for many ranks. */
    job.size[0] = 60 * job.cell[0];
    job.size[1] = 36 * job.cell[1];
    job.run_time *= 0.5;
    job.samples = 1;
    if (seed % 3 == 0) job.run_decay = 0.7;
    struct tor_model whole;
    struct tor_simulation sim;
    make(&job, NULL, &whole);
    tor_simulation_init(&sim, &whole, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 1}, 16);
    while (!tor_simulation_done(&sim)) tor_simulation_stage(&sim, whole.steps);
    alive += any_field(&whole);
    for (int px = 1; px <= n; px++) {
      if (n % px) continue;
      const int ranks[2] = {px, n / px};
      for (unsigned try = 0; try < 4; try++) {
        const int late = try >= 2;
        if (late && ranks[1] > 1) continue;
        int d = dts[(seed + try * 3) % 5], t = th[(seed * 2 + try) % 7];
        int ok = same_run(&job, &sim, ranks, d, t, 1 + (int)(seed + try) % 2, late);
        if (!ok) print_error("rank %d of %d x %d: seed %u, order %d, fp%d, DTS %d, TH %d%s\n", tor_message_rank(), px, n / px, seed, order, 8 * precision, d, t, late ? ", late" : "");
        assert_int_equal(tor_message_lowest(!ok), -1);
      }
    }
    tor_simulation_free(&sim);
    tor_model_free(&whole);
    tor_job_free(&job);
  }
  assert_true(alive >= seeds - 1); /* comparing zeros would prove nothing */
}

static void ranks_equal_one_process_order2_f32(void **state) { (void)state; compare(2, TOR_F32); }
static void ranks_equal_one_process_order2_f64(void **state) { (void)state; compare(2, TOR_F64); }
static void ranks_equal_one_process_order4_f32(void **state) { (void)state; compare(4, TOR_F32); }
static void ranks_equal_one_process_order4_f64(void **state) { (void)state; compare(4, TOR_F64); }

int main(int argc, char **argv) {
  tor_message_begin(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_equal_one_process_order2_f32),
      cmocka_unit_test(ranks_equal_one_process_order2_f64),
      cmocka_unit_test(ranks_equal_one_process_order4_f32),
      cmocka_unit_test(ranks_equal_one_process_order4_f64),
  };
  int failed = cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
  if (!tor_message_rank()) print_message("%d decompositions compared\n", whole_runs);
  if (whole_runs < 8) print_error("too few layouts fit\n"), failed++;
  tor_message_end();
  return failed;
}
