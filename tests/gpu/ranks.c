/* Ranks on GPUs against the stepwise engine in one process: equal bits of all own columns, energies and monitors, for
 * random jobs with everything in them, in every grid of ranks. Run by mpirun, with one rank or several; ranks share
 * GPUs where there are fewer.
 *
 *     ranks [seeds [32 | 64 [order]]]      exit status 0: equal; 1: not; 77: no GPU */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../comm/reduce.h"
#include "../../src/simulation.h"
#include "../random_job.h"

static void make(const struct tor_job *job, const struct tor_column_block *held, struct tor_model *model) {
  struct tor_faults faults = {0};
  if (!tor_model_make_part(job, held, 1, model, &faults)) return;
  tor_faults_print(&faults, stderr);
  TOR_DIE("random job refused");
}

/* Zeroes the field's values that no stencil reads and the engines may leave as they like: padding between components,
 * and images other than those that tests/random_slab.c compares. */
static void clear_unread(struct tor_slab *slab, const struct tor_column_block *own) {
  enum { IMAGES = 2 };
  const int n = slab->n[2];
  for (int ix = own->x0; ix < own->x1; ix++)
    for (int iy = own->y0; iy < own->y1; iy++)
      for (int c = 0; c < TOR_NCOMP; c++) {
        const int along_z = tor_comp_axis(c) == TOR_Z, h = tor_comp_is_h(c), images = along_z ? 0 : slab->order / 2;
        const int lo = images && !h ? 1 - images : -images,
                  hi = images ? n + images : n + (h == along_z && slab->wall[TOR_ZHI] == TOR_PMC);
        const tor_gidx at = (tor_slab_column(slab, ix, iy) * TOR_NCOMP + c) * slab->nzp;
        const size_t real = slab->precision;
        memset((char *)slab->field + (at - IMAGES) * (tor_gidx)real, 0, (size_t)(IMAGES + lo) * real);
        memset((char *)slab->field + (at + hi) * (tor_gidx)real, 0, (size_t)(slab->nzp - IMAGES - hi) * real);
      }
}

static int same_columns(struct tor_slab *part, struct tor_slab *whole, const struct tor_column_block *own) {
  int differ = 0;
  clear_unread(part, own);
  clear_unread(whole, own);
  for (int ix = own->x0; ix < own->x1; ix++)
    for (int iy = own->y0; iy < own->y1; iy++) {
      struct tor_column_block one = {ix, ix + 1, iy, iy + 1};
      size_t bytes = tor_column_state_bytes(part, &one, NULL);
      if (bytes != tor_column_state_bytes(whole, &one, NULL)) TOR_DIE("sizes of column (%d, %d) differ", ix, iy);
      char *a = tor_alloc(bytes, 1, "test"), *b = tor_alloc(bytes, 1, "test");
      tor_column_state_pack(part, &one, NULL, a);
      tor_column_state_pack(whole, &one, NULL, b);
      size_t byte = 0;
      while (byte < bytes && a[byte] == b[byte]) byte++;
      if (byte < bytes && !differ++)
        printf("  column (%d, %d) differs at byte %zu of %zu; own %d .. %d\n", ix, iy, byte, bytes, own->x0, own->x1);
      free(a);
      free(b);
    }
  if (differ) printf("  %d columns differ\n", differ);
  return !differ;
}

static int same_monitors(const struct tor_model *a, const struct tor_model *b) {
  int differ = 0;
  for (int i = 0; i < a->monitors->count; i++) {
    const struct tor_listener *l = &a->monitors->listener[i];
    if (l->group < 0) continue;
    const struct tor_record_group *g = &a->slab.group[l->group];
    size_t values = (size_t)g->npoints * (g->kind == TOR_RECORD_DFT ? 2 * (size_t)g->nfreq : (size_t)l->nsample);
    if (!memcmp(g->data, b->slab.group[l->group].data, values * sizeof(double))) continue;
    printf("  monitor %d differs\n", i);
    differ++;
  }
  return !differ;
}

/* 1: the same; 0: not; -1: so many ranks do not fit. */
static int same_run(const struct tor_job *job, struct tor_simulation *whole, const int ranks[2], int th) {
  const int dts = tor_device_dts(job->order, job->precision);
  struct tor_layout layout;
  if (tor_layout_make(&layout, &whole->model->slab, dts, th, ranks, NULL)) return -1;
  layout.margin = dts * (job->order == 4 ? 3 : 1);
  struct tor_share share = tor_layout_share(&layout, tor_message_rank() / ranks[1], tor_message_rank() % ranks[1]);
  struct tor_model part;
  struct tor_exchange exchange;
  struct tor_simulation sim;
  make(job, &share.held, &part);
  tor_exchange_open(&exchange, &layout, &part.slab, share.x, share.y);
  tor_simulation_init(&sim, &part, &(struct tor_engine_setup){TOR_ENGINE_DIAMOND, dts, 1}, th);
  tor_simulation_use_ranks(&sim, &exchange);
  tor_simulation_use_gpu(&sim, tor_message_neighbour() % tor_device_count(), 0);
  while (!tor_simulation_done(&sim)) {
    tor_simulation_stage(&sim, part.steps);
    if (exchange.stages % 5 == 3) tor_exchange_settle(&exchange);
  }
  tor_simulation_fetch(&sim);
  int ok = same_columns(&part.slab, &whole->model->slab, &share.own) && sim.step == whole->step &&
           sim.nenergy == whole->nenergy;
  int *samples = tor_alloc((size_t)part.slab.ngroup + 1, sizeof *samples, "test");
  for (int i = 0; i < part.monitors->count; i++)
    if (part.monitors->listener[i].group >= 0)
      samples[part.monitors->listener[i].group] = part.monitors->listener[i].nsample;
  tor_exchange_settle(&exchange);
  tor_reduce_monitors(&exchange, samples);
  if (!tor_message_rank()) {
    ok &= same_monitors(&part, whole->model);
    if (memcmp(sim.energy, whole->energy, (size_t)whole->nenergy * sizeof *sim.energy)) {
      printf("  energies differ\n");
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

static int failures, compared;

/* A job in every grid of ranks that fits. */
static void compare_grids(const struct tor_job *job, struct tor_simulation *whole, unsigned seed) {
  static const int th[] = {2, 16, 5, 9, 4, 1, 3};
  const int n = tor_message_ranks();
  for (int px = 1; px <= n; px++)
    for (int try = 0; try < 2 && n % px == 0; try++) {
      const int ranks[2] = {px, n / px}, t = th[(seed * 2 + (unsigned)try) % 7];
      const int ok = same_run(job, whole, ranks, t), bad = tor_message_lowest(!ok);
      compared += ok >= 0;
      failures += bad >= 0;
      if (!ok)
        printf("FAILED rank %d of %d x %d: seed %u, order %d, fp%d, TH %d\n", tor_message_rank(), px, n / px, seed,
               job->order, 8 * job->precision, t);
    }
}

static void compare(int order, enum tor_precision precision, int seeds) {
  for (unsigned seed = 1; seed <= (unsigned)seeds; seed++) {
    struct tor_job job;
    tor_random_job(seed, order, precision, &job);
    job.size[0] = (60 + 50 * tor_message_ranks()) * job.cell[0];
    job.size[1] = (30 + 30 * tor_message_ranks()) * job.cell[1];
    job.run_time *= 0.5;
    job.samples = 1;
    if (seed % 3 == 0) job.run_decay = 0.7;
    struct tor_model whole;
    struct tor_simulation sim;
    make(&job, NULL, &whole);
    tor_simulation_init(&sim, &whole, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 2}, 16);
    while (!tor_simulation_done(&sim)) tor_simulation_stage(&sim, whole.steps);
    compare_grids(&job, &sim, seed);
    tor_simulation_free(&sim);
    tor_model_free(&whole);
    tor_job_free(&job);
  }
  if (!tor_message_rank())
    printf("order %d fp%d: %d runs compared so far, %d failures\n", order, 8 * precision, compared, failures);
  fflush(stdout);
}

int main(int argc, char **argv) {
  tor_message_begin(&argc, &argv);
  const int none = tor_message_lowest(!tor_device_count()) >= 0;
  const int seeds = argc > 1 ? atoi(argv[1]) : 4, bits = argc > 2 ? atoi(argv[2]) : 0,
            orders = argc > 3 ? atoi(argv[3]) : 0;
  if (none) printf("no GPU\n");
  for (int order = 2; order <= 4 && !none; order += 2)
    for (int bytes = 4; bytes <= 8; bytes += 4)
      if ((!bits || bits == 8 * bytes) && (!orders || orders == order))
        compare(order, bytes == 4 ? TOR_F32 : TOR_F64, seeds);
  tor_message_end();
  return none ? 77 : failures > 0 || compared == 0;
}
