/* Every grid of ranks gives the bits of one process: fields, layers, poles, transforms, series, energies. So does a run that goes on from
 * a checkpoint on another grid. Run by mpirun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../comm/reduce.h"
#include "../../src/checkpoint.h"
#include "../late_worker.h"
#include "../random_job.h"

static int whole_runs; /* decompositions compared */
static char folder[32]; /* of checkpoints */
static int restarts;   /* runs that went on from a checkpoint */

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

/* What one rank has of a run. */
struct part {
  struct tor_layout layout;
  struct tor_share share;
  struct tor_model model;
  struct tor_exchange exchange;
  struct tor_simulation sim;
};

/* Returns 0, or -1 when the layout does not fit. */
static int begin(struct part *p, const struct tor_job *job, const struct tor_slab *whole, const int ranks[2], int dts, int th, int threads) {
  if (tor_layout_make(&p->layout, whole, dts, th, ranks, NULL)) return -1;
  int rank = tor_message_rank(), x = rank / ranks[1], y = rank % ranks[1];
  p->share = tor_layout_share(&p->layout, x, y);
  make(job, &p->share.held, &p->model);
  tor_exchange_open(&p->exchange, &p->layout, &p->model.slab, x, y);
  tor_simulation_init(&p->sim, &p->model, &(struct tor_engine_setup){TOR_ENGINE_DIAMOND, dts, threads}, th);
  tor_simulation_use_ranks(&p->sim, &p->exchange);
  return 0;
}

static void advance(struct part *p, tor_gidx until) {
  while (p->sim.step < until && !tor_simulation_done(&p->sim)) {
    tor_simulation_stage(&p->sim, until);
    if (p->exchange.stages % 5 == 3) tor_exchange_settle(&p->exchange);
  }
}

static void end(struct part *p) {
  tor_exchange_close(&p->exchange);
  tor_simulation_free(&p->sim);
  tor_model_free(&p->model);
  tor_layout_free(&p->layout);
}

/* Whether a run that has ended is that of one process. Uses up its monitors. */
static int is_whole(struct part *p, const struct tor_simulation *whole) {
  const struct tor_simulation *sim = &p->sim;
  int ok = same_columns(&p->model, whole->model, &p->share.own);
  int *samples = tor_alloc((size_t)p->model.slab.ngroup + 1, sizeof *samples, "test");
  all_samples(&p->model, samples);
  tor_exchange_settle(&p->exchange);
  ok &= sim->step == whole->step && sim->nenergy == whole->nenergy;
  tor_reduce_monitors(&p->exchange, samples);
  if (!tor_message_rank()) {
    ok &= same_monitors(&p->model, whole->model);
    if (memcmp(sim->energy, whole->energy, (size_t)sim->nenergy * sizeof *sim->energy)) {
      print_error("energies differ\n");
      ok = 0;
    }
  }
  free(samples);
  return ok;
}

/* late: by a worker that goes on behind the ranks' backs, which a GPU is. */
static int same_run(const struct tor_job *job, const struct tor_simulation *whole, const int ranks[2], int dts, int th, int threads, int late) {
  struct part p;
  if (begin(&p, job, &whole->model->slab, ranks, dts, th, threads)) return 1;
  if (late) tor_exchange_use(&p.exchange, late_worker(&p.model.slab, (unsigned)(tor_message_rank() + 7 * th)));
  whole_runs++;
  advance(&p, p.model.steps);
  int ok = is_whole(&p, whole);
  end(&p);
  return ok;
}

/* Two checkpoints on one grid of ranks, then the rest of the run on its transpose. */
static int same_restart(const struct tor_job *job, const struct tor_simulation *whole, const int ranks[2], int dts, int th, tor_gidx stop) {
  const int other[2] = {ranks[1], ranks[0]};
  char why[1024] = "";
  struct tor_checkpoints cp;
  struct part p;
  if (begin(&p, job, &whole->model->slab, other, dts + 1, th + 1, 1)) return 1;
  end(&p);
  if (begin(&p, job, &whole->model->slab, ranks, dts, th, 2)) return 1;
  restarts++;
  tor_checkpoints_init(&cp, job, tor_message_rank(), tor_message_ranks());
  if (!cp.rank) tor_checkpoint_remove(&cp);
  tor_message_barrier();
  advance(&p, stop / 2);
  int ok = !tor_checkpoint_write(&cp, &p.sim, why, sizeof why);
  advance(&p, stop);
  ok &= !tor_checkpoint_write(&cp, &p.sim, why, sizeof why);
  end(&p);
  begin(&p, job, &whole->model->slab, other, dts + 1, th + 1, 1);
  ok &= tor_checkpoint_load(&cp, &p.sim, why, sizeof why) == stop;
  if (!ok) print_error("rank %d: %s\n", cp.rank, why);
  advance(&p, p.model.steps);
  ok &= is_whole(&p, whole);
  end(&p);
  if (!cp.rank) ok &= !tor_checkpoint_remove(&cp);
  tor_checkpoints_free(&cp);
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
    free(job.output);
    job.output = tor_strdup(folder);
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
        int d = dts[(seed + try * 3) % 5], t = th[(seed * 2 + try) % 7];
        int ok = same_run(&job, &sim, ranks, d, t, 1 + (int)(seed + try) % 2, late);
        if (!ok) print_error("rank %d of %d x %d: seed %u, order %d, fp%d, DTS %d, TH %d%s\n", tor_message_rank(), px, n / px, seed, order, 8 * precision, d, t, late ? ", late" : "");
        assert_int_equal(tor_message_lowest(!ok), -1);
      }
      if (n < 3 && seed % 2 == 0) continue; /* many ranks have few layouts that fit, few ranks take long */
      tor_gidx stop = 1 + (tor_gidx)(seed * 7919u + (unsigned)px) % (sim.step > 1 ? sim.step - 1 : 1);
      int ok = same_restart(&job, &sim, ranks, dts[(seed + 1) % 5], th[(seed + 2) % 7], stop);
      if (!ok) print_error("rank %d of %d x %d: seed %u, restart at step %lld\n", tor_message_rank(), px, n / px, seed, (long long)stop);
      assert_int_equal(tor_message_lowest(!ok), -1);
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
  snprintf(folder, sizeof folder, "ranks-%d.test", tor_message_ranks());
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_equal_one_process_order2_f32),
      cmocka_unit_test(ranks_equal_one_process_order2_f64),
      cmocka_unit_test(ranks_equal_one_process_order4_f32),
      cmocka_unit_test(ranks_equal_one_process_order4_f64),
  };
  int failed = cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
  if (!tor_message_rank()) print_message("%d decompositions compared\n", whole_runs);
  if (!tor_message_rank()) print_message("%d restarts compared\n", restarts), rmdir(folder);
  if (restarts < 4) print_error("too few restarts\n"), failed++;
  if (whole_runs < 8) print_error("too few layouts fit\n"), failed++;
  tor_message_end();
  return failed;
}
