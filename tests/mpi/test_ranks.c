/* Every grid of ranks gives the bits of one process: fields, CPML, poles, transforms, series, energies. So does a run
 * that is continued from a checkpoint on another grid, and one whose columns lie on disk. Run by mpirun or alone.
 *
 *     test_ranks_agree [RANKS [ring]]      ranks in each process, a thread for each (default 1); ring: jobs with a
 *                                          periodic y alone, whose towers' ring ranks along y share */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "comm/exchange/reduce.h"
#include "io/files/log.h"
#include "src/disk/disk.h"
#include "src/simulation/checkpoint.h"
#include "src/model/column_work.h"
#include "src/run/interrupt.h"
#include "src/run/run_control.h"
#include "tests/support/late_worker.h"
#include "tests/support/random_job.h"
#include "tests/support/same_state.h"

static int in_process = 1;                           /* ranks */
static int ring;                                     /* only rings */
static _Thread_local int arcs;                       /* runs in which ranks share a ring */
static char folder[32];                              /* of checkpoints */
static _Thread_local int failures;                   /* the same on all ranks */
static _Thread_local int whole_runs;                 /* decompositions compared */
static _Thread_local int weighted;                   /* decompositions whose borders balance the work */
static _Thread_local int layouts, narrow;            /* decompositions tried; runs with slabs below two overlaps */
static _Thread_local int restarts;                   /* runs continued from a checkpoint */
static _Thread_local int signals, watch_checkpoints; /* runs that a signal stopped, checkpoints written in them */

/* A rank's part of a run. */
struct part {
  struct tor_decomposition layout;
  struct tor_part share;
  struct tor_model model;
  struct tor_exchange exchange;
  struct tor_simulation sim;
};

/* Borders that balance the work, with very different costs, and every third time even ones. Returns 0, or -1 when they
 * do not fit. */
static int cut(struct tor_decomposition *layout, const struct tor_job *job, const struct tor_slab *whole,
               const int ranks[2], int dts, int th) {
  struct tor_grid grid;
  tor_grid_make(job, &grid);
  int64_t *work[2];
  for (int a = 0; a < 2; a++) work[a] = tor_alloc((size_t)grid.n[a] + 1, sizeof *work[a], "test");
  tor_column_work(job, &grid, &(struct tor_column_costs){3, 5}, 0, 1, work);
  const int64_t *const both[2] = {work[0], work[1]};
  const int even = layouts++ % 3 == 2,
            failed = tor_decomposition_make(layout, whole, dts, th, ranks, even ? NULL : both);
  weighted += !failed && !even;
  narrow += !failed && layout->narrow;
  free(work[0]);
  free(work[1]);
  return failed;
}

/* Sums of the energy are part of a column's state: with or without run control, which reads those of the last step,
 * they are those of the last step. */
static void sum_at_the_end(struct tor_simulation *sim) { sim->watch_every = INT64_MAX; }

/* Returns 0, or -1 when the layout does not fit. */
static int begin(struct part *p, const struct tor_job *job, const struct tor_slab *whole, const int ranks[2], int dts,
                 int th, int threads) {
  if (cut(&p->layout, job, whole, ranks, dts, th)) return -1;
  int rank = tor_message_rank(), x = rank / ranks[1], y = rank % ranks[1];
  p->share = tor_decomposition_part(&p->layout, x, y);
  same_state_model(job, &p->share.held, &p->model);
  tor_exchange_open(&p->exchange, &p->layout, &p->model.slab, x, y);
  tor_simulation_init(&p->sim, &p->model, &(struct tor_engine_setup){TOR_ENGINE_DIAMOND, dts, threads}, th);
  tor_simulation_use_ranks(&p->sim, &p->exchange);
  sum_at_the_end(&p->sim);
  return 0;
}

/* Whether a layout fits. */
static int fits(const struct tor_job *job, const struct tor_slab *whole, const int ranks[2], int dts, int th) {
  struct tor_decomposition layout;
  if (cut(&layout, job, whole, ranks, dts, th)) return 0;
  tor_decomposition_free(&layout);
  return 1;
}

static void advance(struct part *p, tor_gidx until) {
  while (p->sim.step < until && !tor_simulation_done(&p->sim)) {
    tor_simulation_stage(&p->sim, until);
    if (p->exchange.stages % 5 == 3) tor_exchange_settle(&p->exchange);
  }
}

/* As the program does: with status records between the ranks after each stage, which must not prevent columns from
 * being sent. Returns 0. */
static int advance_watched(struct part *p, const struct tor_job *job) {
  struct tor_checkpoints cp;
  struct tor_snapshots snapshots;
  struct tor_run_control watch;
  enum tor_run_verdict verdict;
  tor_checkpoints_init(&cp, job, tor_message_rank(), tor_message_ranks());
  tor_snapshots_init(&snapshots, job, &p->model.grid, p->model.steps);
  tor_run_control_begin(&watch, job, &cp, &snapshots, &p->sim);
  while (!(verdict = tor_run_control_stage(&watch, &p->sim)) && !tor_simulation_done(&p->sim))
    tor_simulation_stage(&p->sim, tor_run_control_until(&watch, &p->sim));
  tor_run_control_end(&watch);
  tor_snapshots_free(&snapshots);
  tor_checkpoints_free(&cp);
  return verdict != TOR_RUN_CONTINUES;
}

static void end(struct part *p) {
  tor_exchange_close(&p->exchange);
  tor_simulation_free(&p->sim);
  tor_model_free(&p->model);
  tor_decomposition_free(&p->layout);
}

/* Whether a run that has ended is that of one process. Uses up its monitors. */
static int is_whole(struct part *p, const struct tor_simulation *whole) {
  int ok = same_columns(&p->model.slab, &whole->model->slab, &p->share.own);
  return same_records(&p->exchange, &p->sim, whole) & ok;
}

/* late: by an asynchronous worker, as a GPU is. */
static int same_run(const struct tor_job *job, const struct tor_simulation *whole, const int ranks[2], int dts, int th,
                    int threads, int late) {
  struct part p;
  if (begin(&p, job, &whole->model->slab, ranks, dts, th, threads)) return 1;
  if (late) tor_exchange_use(&p.exchange, late_worker(&p.model.slab, 2e-3, (unsigned)(tor_message_rank() + 7 * th)));
  whole_runs++;
  arcs += p.layout.ring;
  int failed = 0;
  if (late)
    failed = advance_watched(&p, job);
  else
    advance(&p, p.model.steps);
  int ok = !failed && is_whole(&p, whole);
  end(&p);
  return ok;
}

/* Continues a run from its last checkpoint, on another grid of ranks. Returns the checkpoint's step, or -1 when none
 * loads or the run ends with other bits. */
static tor_gidx goes_on(struct tor_checkpoints *cp, const struct tor_job *job, const struct tor_simulation *whole,
                        const int ranks[2], int dts, int th) {
  char why[1024] = "";
  struct part p;
  begin(&p, job, &whole->model->slab, ranks, dts, th, 1);
  tor_gidx from = tor_checkpoint_load(cp, &p.sim, why, sizeof why);
  if (from < 0) print_error("rank %d: %s\n", cp->rank, why);
  advance(&p, p.model.steps);
  if (!is_whole(&p, whole)) from = -1;
  end(&p);
  return from;
}

/* Two checkpoints on one grid of ranks, then the rest of the run on its transpose. */
static int same_restart(const struct tor_job *job, const struct tor_simulation *whole, const int ranks[2], int dts,
                        int th, tor_gidx stop) {
  const int other[2] = {ranks[1], ranks[0]};
  char why[1024] = "";
  struct tor_checkpoints cp;
  struct part p;
  if (!fits(job, &whole->model->slab, other, dts + 1, th + 1)) return 1;
  if (begin(&p, job, &whole->model->slab, ranks, dts, th, 2)) return 1;
  restarts++;
  tor_checkpoints_init(&cp, job, tor_message_rank(), tor_message_ranks());
  if (!cp.rank) tor_checkpoint_remove(&cp);
  tor_message_barrier();
  advance(&p, stop / 2);
  int ok = !tor_checkpoint_write(&cp, &p.sim, why, sizeof why);
  advance(&p, stop);
  ok &= !tor_checkpoint_write(&cp, &p.sim, why, sizeof why);
  if (!ok) print_error("rank %d: %s\n", cp.rank, why);
  end(&p);
  ok &= goes_on(&cp, job, whole, other, dts + 1, th + 1) == stop;
  if (!cp.rank) ok &= !tor_checkpoint_remove(&cp);
  tor_checkpoints_free(&cp);
  return ok;
}

/* As in a run, by an asynchronous worker: a signal to the last rank at step `stop`, when ranks run ahead of each other;
 * or, with `often`, after checkpoints whenever the run control finds a stage for them, which keep ranks together. Then
 * the remaining steps on the transposed grid of ranks. */
static int same_after_signal(const struct tor_job *job, const struct tor_simulation *whole, const int ranks[2], int dts,
                             int th, tor_gidx stop, int often) {
  const int other[2] = {ranks[1], ranks[0]};
  struct tor_job watched = *job;
  struct tor_checkpoints cp;
  struct tor_snapshots snapshots;
  struct tor_run_control watch;
  struct part p;
  if (!fits(job, &whole->model->slab, other, dts + 1, th + 1)) return 1;
  if (begin(&p, job, &whole->model->slab, ranks, dts, th, 2)) return 1;
  /* Slower workers on the left: there x halos come back in the middle of a stage, newer than its end. */
  tor_exchange_use(&p.exchange,
                   late_worker(&p.model.slab, 4e-3 / (1 + 8 * p.share.x), (unsigned)(tor_message_rank() + 7 * th)));
  watched.checkpoint = (struct tor_saving){.minutes = often ? 1e-9 : 0};
  tor_checkpoints_init(&cp, &watched, tor_message_rank(), tor_message_ranks());
  tor_snapshots_init(&snapshots, &watched, &p.model.grid, p.model.steps);
  tor_interrupt_begin();
  tor_run_control_begin(&watch, &watched, &cp, &snapshots, &p.sim);
  enum tor_run_verdict verdict;
  while (!(verdict = tor_run_control_stage(&watch, &p.sim)) && !tor_simulation_done(&p.sim)) {
    tor_simulation_stage(&p.sim, tor_run_control_until(&watch, &p.sim));
    if (p.sim.step >= stop && tor_message_rank() == tor_message_ranks() - 1) raise(SIGUSR1);
  }
  tor_run_control_end(&watch);
  tor_snapshots_free(&snapshots);
  tor_interrupt_end();
  int ok = verdict == TOR_RUN_AGAIN ? cp.good == p.sim.step : !verdict && is_whole(&p, whole);
  end(&p);
  if (verdict == TOR_RUN_AGAIN) {
    signals++;
    watch_checkpoints += cp.written;
    ok &= goes_on(&cp, job, whole, other, dts + 1, th + 1) > 0;
  }
  if (!cp.rank) ok &= !tor_checkpoint_remove(&cp);
  tor_checkpoints_free(&cp);
  return ok;
}

static int any_field(const struct tor_model *m) {
  const unsigned char *p = m->slab.field;
  const size_t column = (size_t)tor_plane_comps(m->slab.plane) * (size_t)m->slab.nzp;
  const size_t n = (size_t)tor_slab_columns(&m->slab) * column * (size_t)m->slab.precision;
  for (size_t i = 0; i < n; i++)
    if (p[i]) return 1;
  return 0;
}

/* --- Columns on disk, each rank's in files of its own --- */

static double disk_bytes(const struct tor_slab *s) {
  return ((double)tor_slab_columns(s) * (6 * s->nzp + 4 * (s->zlo + s->zhi)) +
          (double)(s->ncoef + s->nstate + s->nweight)) *
         s->precision;
}

/* Memory for the columns of a row and two overlaps, of which some have more data than others, and for blocks at the
 * arrays' ends. */
static double disk_memory(const struct tor_slab *s, int dts, int th) {
  enum { BLOCK = 16384 };
  const int reach = s->order == 4 ? 3 : 1, overlap = reach * (th + dts) + 1,
            columns = tor_disk_columns(s->order, reach * dts, th) + 4 + 2 * overlap;
  return 1.3 * disk_bytes(s) * columns / s->held[0] + 40 * BLOCK;
}

static int same_own_on_disk(const struct part *p, const struct tor_slab *whole) {
  struct tor_column_block block = p->share.own;
  int ok = 1;
  for (int x0 = p->share.own.x0; x0 < p->share.own.x1; x0 = block.x1) {
    block.x0 = x0;
    block.x1 = tor_disk_some(&p->model.slab, x0, p->share.own.x1);
    tor_disk_hold(&p->model.slab, block.x0, block.x1, 0);
    ok &= same_columns(&p->model.slab, whole, &block);
  }
  return ok;
}

/* All ranks along x. */
static int same_on_disk(const struct tor_job *job, const struct tor_simulation *whole, int dts, int th) {
  const struct tor_slab *slab = &whole->model->slab;
  const int ranks[2] = {tor_message_ranks(), 1}, rank = tor_message_rank();
  const double memory = disk_memory(slab, dts, th);
  struct tor_faults faults = {0};
  struct part p;
  if (cut(&p.layout, job, slab, ranks, dts, th)) return 0;
  p.share = tor_decomposition_part(&p.layout, rank, 0);
  struct tor_disk *disk = tor_disk_open(&(struct tor_disk_setup){".", memory, 0, 0});
  if (!disk || tor_model_make_part(job, &p.share.held, 0, disk, 1, &p.model, &faults)) return 0;
  tor_exchange_open(&p.exchange, &p.layout, &p.model.slab, rank, 0);
  tor_simulation_init(&p.sim, &p.model, &(struct tor_engine_setup){TOR_ENGINE_DIAMOND, dts, 1 + rank % 2}, th);
  tor_simulation_use_ranks(&p.sim, &p.exchange);
  sum_at_the_end(&p.sim);
  int ok = !tor_simulation_use_disk(&p.sim) & (memory < disk_bytes(&p.model.slab));
  if (tor_message_lowest(!ok) < 0) {
    advance(&p, p.model.steps);
    tor_exchange_settle(&p.exchange);
    ok = same_own_on_disk(&p, slab) & same_records(&p.exchange, &p.sim, whole);
  }
  end(&p);
  tor_disk_close(disk);
  return ok;
}

/* Counts a failure of any rank. */
static void agree(int ok) { failures += tor_message_lowest(!ok) >= 0; }

static int first_seed = 1, seeds = 4; /* of each order and precision; with fewer there may be no restart among them */

/* A job whose slabs are narrower the more ranks there are, 10 x 6 columns with six along an axis. */
static void make_job(unsigned seed, int order, enum tor_precision precision, struct tor_job *job) {
  tor_random_job(seed, order, precision, job);
  if (seed % 2) tor_random_job_use_tensor(job, seed != 3);
  job->size[0] = (30 + 5 * tor_message_ranks()) * job->cell[0];
  job->size[1] = (18 + 3 * tor_message_ranks()) * job->cell[1];
  job->run_time *= 0.5;
  job->samples = 1;
  if (seed == 3) tor_random_job_make_plane(job, precision == TOR_F32 ? TOR_PLANE_TM : TOR_PLANE_TE);
  if (seed % 4 == 2) tor_random_job_use_tensors(job, seed);
  if (seed == 4 && order == 4) tor_random_job_use_full(job, precision == TOR_F32 ? 2 : 1);
  free(job->output);
  job->output = tor_strdup(folder);
  if (seed % 4 == 2) tor_random_job_use_periodic(job, 1u << TOR_Y | (seed % 8 == 2) << TOR_Z); /* ranks along x */
  if (precision == TOR_F64) tor_random_job_use_bloch(job, seed);
  if (seed == 4 && order == 2) tor_random_job_use_graded(job, precision == TOR_F32 ? 7 : 3);
  if (seed % 3 == 0) job->run_decay = 0.7;
}

/* A job that as many ranks along y as there are can share by tiles of 1 and 2; between Bloch walls in fp64. */
static void make_ring_job(unsigned seed, int order, enum tor_precision precision, struct tor_job *job) {
  const int ranks = tor_message_ranks();
  tor_random_job(seed, order, precision, job);
  tor_random_job_use_tensor(job, seed % 2);
  if (seed % 4 == 2) tor_random_job_use_tensors(job, seed);
  if (seed % 4 == 3) tor_random_job_use_full(job, 1 + seed % 8 / 4);
  job->size[0] = (14 + 6 * ranks) * job->cell[0];
  job->size[1] = 12 * (order == 4 ? 3 : 1) * ranks * job->cell[1];
  job->run_time *= 0.5;
  job->samples = 1;
  if (seed % 8 == 4) tor_random_job_make_plane(job, precision == TOR_F32 ? TOR_PLANE_TM : TOR_PLANE_TE);
  free(job->output);
  job->output = tor_strdup(folder);
  tor_random_job_use_periodic(job, 1u << TOR_Y | (seed % 2) << TOR_Z);
  if (precision == TOR_F64) tor_random_job_use_bloch(job, seed);
  if (seed % 3 == 0) job->run_decay = 0.7;
}

static int tile(unsigned i) {
  static const int dts[] = {1, 2, 3, 5, 4};
  return ring ? 1 + (int)i % 2 : dts[i % 5];
}

static void compare(int order, enum tor_precision precision) {
  static const int th[] = {2, 1, 5, 9, 4, 16, 3};
  int n = tor_message_ranks(), alive = 0, metals = 0;
  for (unsigned seed = (unsigned)first_seed; seed < (unsigned)(first_seed + seeds); seed++) {
    struct tor_job job;
    (ring ? make_ring_job : make_job)(seed, order, precision, &job);
    struct tor_model whole;
    struct tor_simulation sim;
    same_state_model(&job, NULL, &whole);
    tor_simulation_init(&sim, &whole, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 1}, 16);
    sum_at_the_end(&sim);
    while (!tor_simulation_done(&sim)) tor_simulation_stage(&sim, whole.steps);
    alive += any_field(&whole);
    metals += tor_random_job_metals(&whole.slab);
    for (int px = 1; px <= n; px++) {
      if (n % px) continue;
      const int ranks[2] = {px, n / px};
      for (unsigned try = 0; try < 4; try++) {
        const int late = try >= 2;
        int d = tile(seed + try * 3), t = th[(seed * 2 + try) % 7];
        int ok = same_run(&job, &sim, ranks, d, t, 1 + (int)(seed + try) % 2, late);
        if (!ok)
          print_error("rank %d of %d x %d: seed %u, order %d, fp%d, DTS %d, TH %d%s\n", tor_message_rank(), px, n / px,
                      seed, order, 8 * precision, d, t, late ? ", late" : "");
        agree(ok);
      }
      if (n < 3 && seed % 2 == 0) continue; /* many ranks have few layouts that fit, few ranks take long */
      tor_gidx stop = 1 + (tor_gidx)(seed * 7919u + (unsigned)px) % (sim.step > 1 ? sim.step - 1 : 1);
      int ok = same_restart(&job, &sim, ranks, tile(seed + 1), th[(seed + 2) % 7], stop);
      if (!ok)
        print_error("rank %d of %d x %d: seed %u, restart at step %lld\n", tor_message_rank(), px, n / px, seed,
                    (long long)stop);
      agree(ok);
      if (ranks[1] > 1) continue;
      for (int often = 0; often < 2; often++) {
        if (often && stop > 6) stop = 6; /* a checkpoint a stage takes long */
        ok = same_after_signal(&job, &sim, ranks, 1 + (int)seed % 2, 1 + (int)seed % 3, stop, often);
        if (!ok)
          print_error("rank %d of %d x %d: seed %u, a signal at step %lld\n", tor_message_rank(), px, n / px, seed,
                      (long long)stop);
        agree(ok);
      }
    }
    tor_simulation_free(&sim);
    tor_model_free(&whole);
    tor_job_free(&job);
  }
  agree(alive >= seeds - (seeds > 1)); /* comparing zeros would not be a test */
  agree(metals > 20 || first_seed > 1 || ring);
}

static void compare_on_disk(int order, enum tor_precision precision) {
  struct tor_job job;
  struct tor_model whole;
  struct tor_simulation sim;
  make_job(5, order, precision, &job);
  job.size[0] = (60 + 60 * tor_message_ranks()) * job.cell[0];
  job.size[1] = 36 * job.cell[1];
  same_state_model(&job, NULL, &whole);
  tor_simulation_init(&sim, &whole, &(struct tor_engine_setup){TOR_ENGINE_DIAMOND, 3, 2}, 16);
  sum_at_the_end(&sim);
  while (!tor_simulation_done(&sim)) tor_simulation_stage(&sim, whole.steps);
  const int ok = same_on_disk(&job, &sim, 1, order == 4 ? 2 : 5);
  if (!ok) print_error("rank %d: on disk, order %d\n", tor_message_rank(), order);
  agree(ok);
  tor_simulation_free(&sim);
  tor_model_free(&whole);
  tor_job_free(&job);
}

struct kind {
  int order;
  enum tor_precision precision;
};

static void compare_on_rank(void *self) {
  const struct kind *kind = self;
  tor_log_mute(1);
  compare(kind->order, kind->precision);
}

static void compare_on_disk_on_rank(void *self) {
  const struct kind *kind = self;
  tor_log_mute(1);
  /* Four ranks have no more neighbours each than three. */
  if (!ring && tor_message_ranks() < (kind->order == 4 ? 4 : 5)) compare_on_disk(kind->order, kind->precision);
}

static void compare_on_ranks(int order, enum tor_precision precision) {
  failures = 0;
  tor_message_split(in_process, compare_on_rank, &(struct kind){order, precision});
  assert_int_equal(failures, 0);
}

static void ranks_equal_one_process_order2_f32(void **state) {
  (void)state;
  compare_on_ranks(2, TOR_F32);
}
static void ranks_equal_one_process_order2_f64(void **state) {
  (void)state;
  compare_on_ranks(2, TOR_F64);
}
static void ranks_equal_one_process_order4_f32(void **state) {
  (void)state;
  compare_on_ranks(4, TOR_F32);
}
static void ranks_equal_one_process_order4_f64(void **state) {
  (void)state;
  compare_on_ranks(4, TOR_F64);
}

static void ranks_on_disk_equal_one_process(void **state) {
  (void)state;
  failures = 0;
  tor_message_split(in_process, compare_on_disk_on_rank, &(struct kind){2, TOR_F32});
  tor_message_split(in_process, compare_on_disk_on_rank, &(struct kind){4, TOR_F64});
  assert_int_equal(failures, 0);
}

/* "N": the first N; "A-B": from A to B. */
static void take_seeds(const char *text) {
  if (!text) return;
  const char *to = strchr(text, '-');
  if (to) first_seed = atoi(text);
  seeds = to ? atoi(to + 1) - first_seed + 1 : atoi(text);
}

int main(int argc, char **argv) {
  tor_message_begin(&argc, &argv);
  if (argc > 1) in_process = atoi(argv[1]);
  ring = argc > 2;
  take_seeds(getenv("TORRE_TEST_SEEDS"));
  /* The same program late may run at the same time. */
  snprintf(folder, sizeof folder, "ranks-%dx%d%s%s.test", tor_message_ranks(), in_process, ring ? "-ring" : "",
           getenv("TORRE_MESSAGE_DELAY_US") ? "-late" : "");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_on_disk_equal_one_process),    cmocka_unit_test(ranks_equal_one_process_order2_f32),
      cmocka_unit_test(ranks_equal_one_process_order2_f64), cmocka_unit_test(ranks_equal_one_process_order4_f32),
      cmocka_unit_test(ranks_equal_one_process_order4_f64),
  };
  int failed = cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
  if (!tor_message_rank()) print_message("%d decompositions compared\n", whole_runs);
  if (!tor_message_rank()) print_message("%d cuts with borders that share the work out\n", weighted);
  if (!tor_message_rank()) print_message("%d cuts with slabs narrower than two overlaps\n", narrow);
  if (!tor_message_rank()) print_message("%d restarts compared\n", restarts), rmdir(folder);
  if (!tor_message_rank())
    print_message("%d runs stopped by a signal after %d checkpoints compared\n", signals, watch_checkpoints);
  if (!signals && !ring) print_error("too few runs stopped by a signal\n"), failed++;
  if (seeds >= 4 && restarts < 4) print_error("too few restarts\n"), failed++;
  if (!tor_message_rank()) print_message("%d runs in which ranks share a ring\n", arcs);
  if (ring && tor_message_ranks() * in_process > 1 && arcs < 8) print_error("too few shared rings\n"), failed++;
  if (!ring && tor_message_ranks() * in_process > 2 && narrow < 2 * seeds)
    print_error("too few slabs narrower than two overlaps\n"), failed++;
  if (weighted < 8) print_error("too few borders that share the work out\n"), failed++;
  if (whole_runs < 8) print_error("too few layouts fit\n"), failed++;
  tor_message_end();
  return failed;
}
