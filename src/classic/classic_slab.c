/* Torre's engines on a classic case: see classic_slab.h. */
#include "src/classic/classic_slab.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "diamond/classic/classic_dts1.h"
#include "diamond/core/engine.h"
#include "diamond/core/slab.h"
#include "diamond/gpu/device.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/bench/bench_case.h"
#include "src/classic/classic_measure.h"
#include "src/job/job.h"
#include "src/model/model.h"
#include "src/schedule/plan.h"

/* Value number `at` of an array of the slab's precision. */
static void put(const struct tor_slab *slab, void *array, tor_gidx at, double value) {
  if (slab->precision == TOR_F32)
    ((float *)array)[at] = (float)value;
  else
    ((double *)array)[at] = value;
}

static tor_gidx place(const struct tor_slab *slab, int comp, int i, int j, int k) {
  return tor_slab_vector(slab, tor_slab_column(slab, i, j), comp) + k;
}

/* Copies between the problem's arrays and the slab's columns. */
static void copy_fields(const struct tor_slab *slab, const struct tor_classic_problem *p, int to_slab) {
  const struct tor_classic_case *c = &p->c;
  const size_t size = c->precision;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    int first[3], last[3];
    char *const field = p->field[comp], *const columns = slab->field;
    if (!field) continue;
    tor_classic_range(c, comp, first, last);
    const int twice = !c->n[2] && c->scheme == TOR_CLASSIC_TE; /* on both walls along z */
#pragma omp parallel for schedule(static)
    for (int i = first[0]; i <= last[0]; i++)
      for (int j = first[1]; j <= last[1]; j++)
        for (int k = first[2]; k <= last[2] + twice; k++) {
          char *from = field + (size_t)tor_classic_at(c, i, j, c->n[2] ? k : 0) * size;
          char *to = columns + (size_t)place(slab, comp, i, j, k) * size;
          memcpy(to_slab ? to : from, to_slab ? from : to, size);
        }
  }
}

static double get(const struct tor_slab *slab, tor_gidx at) {
  return slab->precision == TOR_F32 ? (double)((float *)slab->field)[at] : ((double *)slab->field)[at];
}

/* The values that the CPU's engines read behind conducting walls along z before they have set them themselves: H is
 * even about a wall, E odd (diamond/cpu/site.c, set_ghosts). */
static void set_ghosts(const struct tor_slab *slab) {
  static const int along[] = {TOR_EX, TOR_EY, TOR_HX, TOR_HY};
  const int n = slab->n[2];
  for (int i = 0; i <= slab->n[0]; i++)
    for (int j = 0; j <= slab->n[1]; j++)
      for (int c = 0; c < 4; c++) {
        const tor_gidx at = place(slab, along[c], i, j, 0);
        const int h = tor_comp_is_h(along[c]), e = !h;
        put(slab, slab->field, at - 1, (h ? 1 : -1) * get(slab, at + e));
        put(slab, slab->field, at + n + e, (h ? 1 : -1) * get(slab, at + n - 1));
        if (!h) continue;
        put(slab, slab->field, at - 2, get(slab, at + 1));
        put(slab, slab->field, at + n + 1, get(slab, at + n - 2));
      }
}

int tor_classic_slab_make(struct tor_classic_slab *s, const struct tor_classic_problem *p, int order,
                          struct tor_faults *faults) {
  const struct tor_classic_case *c = &p->c;
  const int n[3] = {c->n[0], c->n[1], c->n[2] ? c->n[2] : 1};
  tor_bench_job(0, n, order, c->precision, &s->job);
  for (int f = TOR_ZLO; f <= TOR_ZHI && c->scheme == TOR_CLASSIC_TE; f++) s->job.boundary[f].wall = TOR_PMC;
  s->job.schedule = (struct tor_schedule){.device = TOR_DEVICE_CPU};
  if (tor_model_make(&s->job, 1, &s->model, faults)) {
    tor_bench_job_free(&s->job);
    return -1;
  }
  struct tor_slab *slab = &s->model.slab;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    for (int z = 0; z < slab->nzp; z++)
      put(slab, slab->cb, (tor_gidx)comp * slab->nzp + z, c->medium[1].c[comp][1] * (order == 4 ? 0.6 : 1));
    slab->uniform[comp] = 1;
  }
  slab->untouched = 0;
  copy_fields(slab, p, 1);
  if (order == 4) set_ghosts(slab);
  return 0;
}

void tor_classic_slab_free(struct tor_classic_slab *s) {
  tor_model_free(&s->model);
  tor_bench_job_free(&s->job);
}

void tor_classic_slab_fetch(const struct tor_classic_slab *s, struct tor_classic_problem *p) {
  copy_fields(&s->model.slab, p, 0);
}

/* --- Measurements --- */

struct runner {
  struct tor_slab *slab;
  enum tor_classic_own engine;
  int threads, dts;
  tor_gidx step;
  struct tor_device *gpu; /* NULL: on the CPU, or DTS 1 */
  struct tor_classic_dts1 *dts1;
};

static double run_stage(struct runner *r, int steps) {
  if (r->dts1) return tor_classic_dts1_run(r->dts1, steps);
  const enum tor_engine_kind kind = r->engine == TOR_CLASSIC_STEPWISE ? TOR_ENGINE_STEPWISE : TOR_ENGINE_DIAMOND;
  uint8_t *energy = tor_alloc((size_t)steps, 1, "classic");
  const struct tor_stage stage = {.first = r->step, .steps = steps, .energy = energy};
  double seconds = omp_get_wtime();
  r->step += steps;
  if (r->gpu) {
    r->gpu->ops->run(r->gpu, &stage, kind);
    seconds = r->gpu->ops->seconds(r->gpu);
  } else {
    tor_engine_run(r->slab, &stage, &(struct tor_engine_setup){kind, r->dts, r->threads});
    seconds = omp_get_wtime() - seconds;
  }
  free(energy);
  return seconds;
}

static void open_runner(struct runner *r, struct tor_classic_bench *b, struct tor_classic_slab *s,
                        enum tor_classic_own engine, int gpu) {
  struct tor_slab *slab = &s->model.slab;
  *r = (struct runner){.slab = slab, .engine = engine, .threads = b->threads, .dts = 1};
  if (engine == TOR_CLASSIC_DTS1)
    r->dts1 = tor_classic_dts1_open(slab, b->gpu);
  else if (gpu) {
    r->gpu = tor_device_open(slab, b->gpu, 0, NULL);
    r->dts = tor_device_dts(slab->order, slab->precision, 0);
  } else {
    struct tor_plan plan;
    struct tor_faults faults = {0};
    s->job.schedule.threads = b->threads;
    s->job.schedule.engine = TOR_ENGINE_DIAMOND;
    if (!tor_plan_make(&s->job, 0, &plan, &faults)) r->dts = plan.setup.dts;
    tor_faults_free(&faults);
  }
}

static void fetch(struct runner *r) {
  if (r->dts1) tor_classic_dts1_fetch(r->dts1, r->slab);
  if (r->gpu) r->gpu->ops->fetch(r->gpu, r->slab);
}

static void close_runner(struct runner *r) {
  if (r->dts1) tor_classic_dts1_close(r->dts1);
  if (r->gpu) r->gpu->ops->close(r->gpu);
}

/* Order 2: the loops. Order 4: the CPU's stepwise engine. */
static void expect(struct tor_classic_bench *b, struct tor_classic_problem *expected, int order) {
  if (order == 2) {
    tor_classic_run(&expected->c, expected->field, 0, TOR_CLASSIC_VERIFIED_STEPS, 3, b->threads);
    return;
  }
  struct tor_classic_slab s;
  struct tor_faults faults = {0};
  if (tor_classic_slab_make(&s, expected, order, &faults)) TOR_DIE("%s", faults.item[0].text);
  struct runner r = {.slab = &s.model.slab, .engine = TOR_CLASSIC_STEPWISE, .threads = b->threads, .dts = 1};
  run_stage(&r, TOR_CLASSIC_VERIFIED_STEPS);
  tor_classic_slab_fetch(&s, expected);
  tor_classic_slab_free(&s);
}

static int compare(struct tor_classic_bench *b, const struct tor_classic_wish *wish, const struct tor_classic_slab *s,
                   int order) {
  struct tor_classic_problem got, expected;
  tor_gidx at;
  int same = 1;
  tor_classic_make(&expected, wish);
  tor_classic_make(&got, wish);
  expect(b, &expected, order);
  tor_classic_slab_fetch(s, &got);
  for (int comp = 0; comp < TOR_NCOMP; comp++) same &= !tor_classic_differences(&got, &expected, comp, &at);
  tor_classic_free(&expected);
  tor_classic_free(&got);
  return same;
}

static void describe(struct tor_classic_row *row, const struct tor_classic_wish *c, const struct runner *r, int order,
                     int gpu) {
  static const char *const names[] = {"stepwise", "towers", "zakirov-dts1"};
  const double cell = 6.0 * c->precision;
  snprintf(row->engine, sizeof row->engine, "%s%s", names[r->engine], order == 4 ? ", order 4" : "");
  row->scheme = c->scheme;
  row->rule = TOR_CLASSIC_TORRE;
  row->gpu = gpu;
  row->precision = (int)c->precision;
  row->order = order;
  memcpy(row->n, c->n, sizeof row->n);
  row->threads = gpu ? 0 : r->threads;
  row->cells = (double)c->n[0] * c->n[1] * c->n[2];
  row->least = r->engine == TOR_CLASSIC_STEPWISE ? 3 * cell : 4 * cell / r->dts;
  row->no_cache = r->engine == TOR_CLASSIC_STEPWISE ? (order == 2 ? 5 : 9) * cell : row->least;
}

/* Stages of TH 64 (CPU) or 128 (GPU), or as many steps as fit the time. */
static void time_stages(const struct tor_classic_bench *b, struct runner *r, int gpu, struct tor_classic_row *row) {
  enum { ROUNDS = 3 };
  const double warm = run_stage(r, 4) / 4;
  double best = INFINITY;
  const int most = gpu ? 128 : 64;
  int steps = (int)fmin(most, fmax(4, b->seconds / fmax(warm, 1e-7)));
  for (int round = 0; round < ROUNDS; round++) best = fmin(best, run_stage(r, steps));
  row->steps = steps;
  row->seconds = best;
}

void tor_classic_measure_slab(struct tor_classic_bench *b, const struct tor_classic_wish *wish, int order,
                              enum tor_classic_own engine, int gpu) {
  struct tor_classic_row row = {.verified = -1};
  struct tor_classic_problem p;
  struct tor_classic_slab s;
  struct tor_faults faults = {0};
  struct runner r;
  if (engine == TOR_CLASSIC_DTS1) tor_classic_dts1_check(wish->n, wish->precision, &faults);
  if (!faults.count) {
    tor_classic_make(&p, wish);
    tor_classic_slab_make(&s, &p, order, &faults);
    tor_classic_free(&p);
  }
  if (faults.count) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    return;
  }
  open_runner(&r, b, &s, engine, gpu);
  if (r.gpu && engine == TOR_CLASSIC_TOWERS && (!tor_device_has_towers(b->gpu) || !tor_device_has_rows(&s.model.slab)))
    fprintf(stderr, "torre: towers left out: this GPU or domain has none\n");
  else {
    describe(&row, wish, &r, order, gpu);
    run_stage(&r, TOR_CLASSIC_VERIFIED_STEPS);
    fetch(&r);
    row.verified = compare(b, wish, &s, order);
    time_stages(b, &r, gpu, &row);
    if (r.dts1) {
      const struct tor_classic_kernel kernel = tor_classic_dts1_kernel(r.dts1);
      row.registers = kernel.registers;
      row.occupancy = kernel.registers ? kernel.occupancy : 0;
    }
    row.rate = row.cells * row.steps / row.seconds;
    row.share = row.rate * row.least / tor_classic_copy(b, gpu);
    tor_classic_keep(b, &row);
  }
  close_runner(&r);
  tor_classic_slab_free(&s);
}
