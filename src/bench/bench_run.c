/* One measurement of `torre bench`: see bench_run.h. */
#include "src/bench/bench_run.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/engine.h"
#include "diamond/core/slab.h"
#include "diamond/core/tile.h"
#include "diamond/gpu/device.h"
#include "src/base/error.h"
#include "src/base/host_memory.h"
#include "src/base/types.h"
#include "src/bench/bench_case.h"
#include "src/job/job.h"
#include "src/model/model.h"
#include "src/schedule/plan.h"
#include "src/simulation/simulation.h"

double tor_bench_rate(struct tor_simulation *sim, double cells, double seconds) {
  tor_gidx first = sim->step;
  double start = omp_get_wtime(), time;
  do {
    tor_simulation_stage(sim, sim->model->steps);
    time = omp_get_wtime() - start;
  } while (time < seconds);
  return cells * (double)(sim->step - first) / time;
}

static int towers_in_row(const struct tor_slab *slab, int dts) {
  const struct tor_tiling t = tor_engine_tiling(slab, dts, 1);
  int first, last;
  return tor_tiling_places(&t, 0, &first, &last);
}

static int fits(const struct tor_plan *plan, int gpu, char *why, size_t size) {
  double free = gpu >= 0 && plan->window <= 0 ? tor_device_memory(gpu) : tor_host_free_memory();
  if (free <= 0 || plan->size.memory.total <= 0.9 * free) return 1;
  snprintf(why, size, "needs %.3g GB, %.3g GB are free", plan->size.memory.total * 1e-9, free * 1e-9);
  return 0;
}

int tor_bench_measure(struct tor_bench_point *p, double seconds, char *why, size_t size) {
  struct tor_job job;
  tor_bench_job(p->feature, p->n, p->order, p->precision, &job);
  job.schedule = (struct tor_schedule){.engine = p->engine,
                                       .device = p->gpu >= 0 ? TOR_DEVICE_GPU : TOR_DEVICE_CPU,
                                       .dts = p->dts,
                                       .th = p->th,
                                       .device_memory = p->memory,
                                       .threads = p->threads};
  struct tor_plan plan;
  struct tor_model model;
  struct tor_faults faults = {0};
  int failed = tor_plan_make(&job, 0, &plan, &faults) || !fits(&plan, p->gpu, why, size) ||
               tor_model_make(&job, plan.setup.threads, &model, &faults);
  if (faults.count) snprintf(why, size, "%s", faults.item[0].text);
  tor_faults_free(&faults);
  if (!failed) {
    p->bytes = plan.size.memory.total;
    p->window = plan.window;
    p->th = plan.th;
    p->threads = plan.setup.threads;
    p->dts = p->gpu >= 0
                 ? tor_device_dts(p->order, p->precision, model.slab.cpml[TOR_Z].lo + model.slab.cpml[TOR_Z].hi > 0)
                 : plan.setup.dts;
    p->towers = p->engine == TOR_ENGINE_DIAMOND ? towers_in_row(&model.slab, p->dts) : 0;
    struct tor_simulation sim;
    tor_simulation_init(&sim, &model, &plan.setup, plan.th);
    if (p->gpu >= 0) tor_simulation_use_gpu(&sim, p->gpu, plan.window);
    tor_bench_rate(&sim, plan.size.cells, 0); /* touches all pages */
    for (int round = 0; round < 3; round++) p->rate = fmax(p->rate, tor_bench_rate(&sim, plan.size.cells, seconds / 3));
    tor_simulation_free(&sim);
    tor_model_free(&model);
  }
  tor_bench_job_free(&job);
  return failed ? -1 : 0;
}

double tor_bench_copy(int gpu, int threads) {
  if (gpu >= 0) return tor_device_copy_bandwidth(gpu);
  const size_t bytes = (size_t)256 << 20;
  char *a = tor_alloc(bytes, 1, "bench"), *b = tor_alloc(bytes, 1, "bench");
  double best = INFINITY;
  for (int round = 0; round < 6; round++) {
    double start = omp_get_wtime();
#pragma omp parallel num_threads(threads > 0 ? threads : omp_get_max_threads())
    {
      size_t share = bytes / (size_t)omp_get_num_threads(), first = share * (size_t)omp_get_thread_num();
      memcpy(round % 2 ? a + first : b + first, round % 2 ? b + first : a + first, share);
    }
    if (round) best = fmin(best, omp_get_wtime() - start);
  }
  free(a);
  free(b);
  return 2 * (double)bytes / best;
}
