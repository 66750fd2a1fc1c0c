/* Measurements of `torre classic`: see classic_measure.h. */
#include "src/classic/classic_measure.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "diamond/gpu/device.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/bench/bench_run.h"

double tor_classic_copy(struct tor_classic_bench *b, int gpu) {
  if (!b->copy[gpu]) b->copy[gpu] = tor_bench_copy(gpu ? b->gpu : -1, b->threads);
  return b->copy[gpu];
}

static void forget_case(struct tor_classic_bench *b) {
  if (!b->has_case) return;
  tor_classic_free(&b->now);
  tor_classic_free(&b->expected);
  b->has_case = 0;
}

void tor_classic_bench_free(struct tor_classic_bench *b) {
  forget_case(b);
  free(b->row);
  b->row = NULL;
  b->rows = 0;
}

static int same_wish(const struct tor_classic_wish *a, const struct tor_classic_wish *b) {
  return a->scheme == b->scheme && a->rule == b->rule && a->precision == b->precision &&
         !memcmp(a->n, b->n, sizeof a->n) && a->e_first == b->e_first && a->open == b->open && a->source == b->source &&
         !memcmp(a->place, b->place, sizeof a->place) && a->sourced == b->sourced && a->random == b->random &&
         a->seed == b->seed;
}

/* The case at its beginning; with `expected` also what it is to become. */
static void take_case(struct tor_classic_bench *b, const struct tor_classic_wish *wish, int expected) {
  const int known = b->has_case && same_wish(&b->now.wish, wish);
  if (!known) {
    forget_case(b);
    tor_classic_make(&b->now, wish);
    b->has_case = 1;
    memset(&b->expected, 0, sizeof b->expected);
  } else
    tor_classic_start(&b->now);
  if (expected && !b->expected.c.medium) {
    tor_classic_make(&b->expected, wish);
    tor_classic_run(&b->expected.c, b->expected.field, 0, TOR_CLASSIC_VERIFIED_STEPS, 3, b->threads);
  }
}

/* A case on its engine. */
struct runner {
  struct tor_classic_problem *p;
  const struct tor_classic_launch *launch;
  struct tor_classic_gpu *gpu; /* NULL: on the CPU */
};

static double run_steps(struct runner *r, int first, int steps) {
  if (r->gpu) return tor_classic_gpu_run(r->gpu, first, steps);
  const double start = omp_get_wtime();
  tor_classic_run(&r->p->c, r->p->field, first, steps, r->launch->halves, r->launch->threads);
  return omp_get_wtime() - start;
}

static int same_bits(struct runner *r, const struct tor_classic_problem *expected) {
  int same = 1;
  tor_gidx at;
  run_steps(r, 0, TOR_CLASSIC_VERIFIED_STEPS);
  if (r->gpu) tor_classic_gpu_fetch(r->gpu, r->p->field);
  for (int comp = 0; comp < TOR_NCOMP; comp++) same &= !tor_classic_differences(r->p, expected, comp, &at);
  return same;
}

/* Fills in steps and seconds. A source has values for at least one step, which is then repeated. */
static void time_steps(const struct tor_classic_bench *b, struct runner *r, struct tor_classic_row *row) {
  enum { MOST_STEPS = 20000, ROUNDS = 3 };
  const int sourced = r->p->wish.sourced;
  double warm = run_steps(r, 0, 1), best = INFINITY, sum = 0;
  warm = fmin(warm, run_steps(r, 0, 1));
  int steps = b->steps;
  if (!steps) {
    steps = (int)fmin(MOST_STEPS, b->seconds / ROUNDS / fmax(warm, 1e-7));
    if (steps < 2) steps = 2;
  }
  if (sourced && steps > sourced) steps = sourced;
  const int rounds = b->repetitions ? b->repetitions : warm * steps > 2 * b->seconds && !b->steps ? 1 : ROUNDS;
  for (int round = 0; round < rounds; round++) {
    const double time = run_steps(r, 0, steps);
    best = fmin(best, time);
    sum += time;
  }
  row->steps = steps;
  row->seconds = b->repetitions ? sum / rounds : best;
}

/* Whether the launch gives the loops' bits on a small case of the same kind. */
static int verify_small(struct tor_classic_bench *b, const struct tor_classic_wish *wish,
                        const struct tor_classic_launch *launch) {
  struct tor_classic_wish small = *wish;
  const int most[3] = {61, 37, 23};
  for (int a = 0; a < 3; a++)
    if (small.n[a] > most[a]) small.n[a] = most[a];
  memset(small.place, 0, sizeof small.place);
  if (small.sourced) small.sourced = TOR_CLASSIC_VERIFIED_STEPS;
  struct tor_classic_problem p, expected;
  struct tor_classic_launch how = *launch;
  how.halves = 3;
  tor_classic_make(&p, &small);
  tor_classic_make(&expected, &small);
  tor_classic_run(&expected.c, expected.field, 0, TOR_CLASSIC_VERIFIED_STEPS, 3, 1);
  struct runner r = {&p, &how, NULL};
  if (tor_classic_on_gpu(how.engine))
    r.gpu = tor_classic_gpu_open(&p.c, &how, b->gpu, p.field, TOR_CLASSIC_VERIFIED_STEPS);
  const int same = same_bits(&r, &expected);
  if (r.gpu) tor_classic_gpu_close(r.gpu);
  tor_classic_free(&p);
  tor_classic_free(&expected);
  return same;
}

static double cells_of(const struct tor_classic_case *c) {
  if (!c->n[2]) return (double)(c->n[0] + 1) * (c->n[1] + 1); /* nodes */
  return (double)c->n[0] * c->n[1] * c->n[2];
}

static int fits(struct tor_classic_bench *b, const struct tor_classic_case *c,
                const struct tor_classic_launch *launch) {
  const int gpu = tor_classic_on_gpu(launch->engine);
  const double need = gpu ? tor_classic_memory(c, launch) : 0, have = gpu ? tor_device_memory(b->gpu) : 1;
  if (need <= 0.95 * have) return 1;
  fprintf(stderr, "torre: %s left out: it needs %.3g GB of the GPU's memory, %.3g GB are free\n",
          tor_classic_name(launch->engine), need * 1e-9, have * 1e-9);
  return 0;
}

static void describe(struct tor_classic_bench *b, const struct tor_classic_case *c, const struct tor_classic_launch *l,
                     struct tor_classic_row *row) {
  const int gpu = tor_classic_on_gpu(l->engine), cube = l->variant & TOR_CLASSIC_CUBE ? l->block[1] : 1;
  tor_classic_label(l, row->engine, sizeof row->engine);
  row->scheme = c->scheme;
  row->rule = c->rule;
  row->gpu = gpu;
  row->precision = (int)c->precision;
  row->order = 2;
  memcpy(row->n, c->n, sizeof row->n);
  memcpy(row->block, l->block, sizeof row->block);
  row->threads = gpu ? l->block[0] * l->block[1] * cube : l->threads;
  row->cells = cells_of(c);
  tor_classic_bytes(c, l, &row->least, &row->no_cache);
  (void)b;
}

void tor_classic_keep(struct tor_classic_bench *b, const struct tor_classic_row *row) {
  b->row = tor_grow(b->row, (size_t)b->rows + 1, &b->capacity, sizeof *b->row);
  b->row[b->rows++] = *row;
  if (!row->verified) b->failed = 1;
  if (!b->quiet) tor_classic_print_row(row, stdout);
  fflush(stdout);
}

const struct tor_classic_row *tor_classic_measure(struct tor_classic_bench *b, const struct tor_classic_wish *wish,
                                                  const struct tor_classic_launch *launch, int verify) {
  struct tor_classic_row row = {.verified = -1};
  struct tor_classic_launch l = *launch;
  struct tor_faults faults = {0};
  if (l.engine == TOR_CLASSIC_NAIVE_OMP) l.threads = b->threads;
  struct tor_classic_wish w = *wish;
  if (w.sourced && w.sourced < TOR_CLASSIC_VERIFIED_STEPS) w.sourced = TOR_CLASSIC_VERIFIED_STEPS;
  take_case(b, &w, verify);
  tor_classic_defaults(&l, &b->now.c);
  tor_classic_check(&b->now.c, &l, &faults);
  if (faults.count || !fits(b, &b->now.c, &l)) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    return NULL;
  }
  describe(b, &b->now.c, &l, &row);
  if (!verify) row.verified = verify_small(b, &w, &l);
  struct runner r = {&b->now, &l, NULL};
  if (row.gpu) r.gpu = tor_classic_gpu_open(&b->now.c, &l, b->gpu, b->now.field, w.sourced);
  if (verify) row.verified = same_bits(&r, &b->expected);
  time_steps(b, &r, &row);
  if (r.gpu) {
    const struct tor_classic_kernel kernel = tor_classic_gpu_kernel(r.gpu);
    row.registers = kernel.registers;
    row.occupancy = kernel.registers ? kernel.occupancy : 0;
    tor_classic_gpu_close(r.gpu);
  }
  row.rate = row.cells * row.steps / row.seconds;
  row.share = row.rate * row.least / tor_classic_copy(b, row.gpu);
  tor_classic_keep(b, &row);
  return &b->row[b->rows - 1];
}
