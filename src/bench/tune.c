/* The measurements of `torre tune`: see tune.h. */
#include "src/bench/tune.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "diamond/gpu/device.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/bench/bench_case.h"
#include "src/bench/bench_option.h"
#include "src/bench/bench_run.h"
#include "src/job/job.h"
#include "src/model/model.h"
#include "src/schedule/plan.h"
#include "src/schedule/tuned.h"
#include "src/schedule/tuned_file.h"
#include "src/simulation/simulation.h"

enum { LEAST = 48 }; /* cells along an axis: enough for the layers */

/* A case on the device, ready to advance with any engine, tile and stage. */
struct subject {
  struct tor_job job;
  struct tor_plan plan;
  struct tor_model model;
  struct tor_simulation sim;
};

static const char *const case_names[TOR_TUNED_CASES] = {"vacuum", "cpml", "drude"};

/* Returns 0, or -1 after a message. */
static int open_subject(struct subject *s, enum tor_tuned_case which, const int n[3], int gpu, int threads,
                        const struct tor_tuned_kind *kind) {
  struct tor_faults faults = {0};
  tor_bench_job(tor_bench_case_number(case_names[which]), n, kind->order, kind->precision, &s->job);
  s->job.schedule = (struct tor_schedule){.engine = TOR_ENGINE_STEPWISE,
                                          .device = gpu >= 0 ? TOR_DEVICE_GPU : TOR_DEVICE_CPU,
                                          .dts = 4,
                                          .th = 64,
                                          .threads = threads};
  if (tor_plan_make(&s->job, 0, &s->plan, &faults) ||
      tor_model_make(&s->job, s->plan.setup.threads, &s->model, &faults)) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    tor_bench_job_free(&s->job);
    return -1;
  }
  tor_simulation_init(&s->sim, &s->model, &s->plan.setup, s->plan.th);
  if (gpu >= 0) tor_simulation_use_gpu(&s->sim, gpu, 0);
  tor_simulation_stage(&s->sim, 4); /* touches all pages */
  return 0;
}

static void close_subject(struct subject *s) {
  tor_simulation_free(&s->sim);
  tor_model_free(&s->model);
  tor_bench_job_free(&s->job);
}

/* The best of two parts; of one, when that takes all the time. */
static double measure(struct subject *s, enum tor_engine_kind engine, int dts, int th, double seconds) {
  s->sim.setup.engine = engine;
  s->sim.setup.dts = dts;
  s->sim.th = th;
  const double start = omp_get_wtime();
  double best = 0;
  do {
    best = fmax(best, tor_bench_rate(&s->sim, s->plan.size.cells, seconds / 2));
  } while (omp_get_wtime() - start < seconds);
  return best;
}

/* Bytes of the fields in a tile of half-width R = s dts: R^2 / 2 columns. */
static double tile_bytes(const struct subject *s, int dts) {
  const double radius = (s->job.order == 4 ? 3 : 1) * dts;
  return 0.5 * radius * radius * 6 * s->model.slab.nzp * (int)s->model.slab.precision;
}

/* The fastest tile of the CPU engine; every row has towers for all threads. */
static int find_dts(struct subject *s, int threads, double seconds, double *rate) {
  static const int order2[] = {4, 6, 8, 10, 12, 16, 24, 0}, order4[] = {3, 4, 5, 6, 8, 0};
  const int reach = s->job.order == 4 ? 3 : 1, *dts = reach == 1 ? order2 : order4,
            most = s->plan.size.grid.n[1] / (reach * threads);
  int best = dts[0];
  *rate = 0;
  for (int i = 0; dts[i] && (!i || dts[i] <= most); i++) {
    const double got = measure(s, TOR_ENGINE_DIAMOND, dts[i], 64, seconds);
    if (got > *rate) best = dts[i];
    *rate = fmax(*rate, got);
  }
  return best;
}

static int find_th(struct subject *s, int dts, double seconds, double *rate) {
  static const int th[] = {32, 64, 128, 256};
  int best = 64;
  *rate = 0;
  for (size_t i = 0; i < sizeof th / sizeof *th; i++) {
    if (th[i] > 128 && !s->sim.device)
      break; /* longer stages gain nothing on a CPU, and delay the reaction to signals */
    const double got = measure(s, TOR_ENGINE_DIAMOND, dts, th[i], seconds);
    if (got > *rate) best = th[i];
    *rate = fmax(*rate, got);
  }
  return best;
}

/* All cases of one order and precision. Returns 0, or -1 after a message. */
static int measure_kind(struct tor_tuned_kind *kind, const int n[3], int gpu, int threads, double seconds) {
  const int towers = gpu < 0 || tor_device_has_towers(gpu);
  int dts = 4;
  kind->th = 64;
  for (int c = 0; c < TOR_TUNED_CASES; c++) {
    struct subject s;
    if (open_subject(&s, (enum tor_tuned_case)c, n, gpu, threads, kind)) return -1;
    if (c == TOR_TUNED_VACUUM && towers) {
      if (gpu < 0) {
        dts = find_dts(&s, threads, seconds, &kind->diamond[c]);
        kind->tile = tile_bytes(&s, dts);
      }
      kind->th = find_th(&s, dts, seconds, &kind->diamond[c]);
    } else if (towers)
      kind->diamond[c] = measure(&s, TOR_ENGINE_DIAMOND, dts, kind->th, seconds);
    kind->stepwise[c] = measure(&s, TOR_ENGINE_STEPWISE, dts, 16, seconds);
    if (c == TOR_TUNED_LAYERS) kind->layers = tor_tuned_layers(&s.job, s.plan.size.grid.n);
    if (c == TOR_TUNED_POLES) kind->poles = s.plan.size.dispersive / (3 * s.plan.size.cells);
    close_subject(&s);
  }
  printf("%-5d fp%-2d ", kind->order, 8 * (int)kind->precision);
  if (gpu < 0)
    printf("%4d", dts);
  else
    printf("%4s", "-");
  printf(" %4d ", kind->th);
  for (int c = 0; c < TOR_TUNED_CASES; c++) printf(" %8.3f %8.3f ", kind->stepwise[c] * 1e-9, kind->diamond[c] * 1e-9);
  printf("\n");
  fflush(stdout);
  return 0;
}

/* One device: its table and its file. */
static int tune_device(const struct tor_tune_options *options, int gpu, int threads, double seconds) {
  struct tor_tuned tuned;
  struct tor_faults faults = {0};
  char path[4096], why[4600];
  int n[3] = {gpu >= 0 ? 300 : 96, gpu >= 0 ? 800 : 16 * threads > 96 ? 16 * threads : 96, 256};
  tor_bench_read_size(options->size, LEAST, n, &faults);
  if (faults.count) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    return TOR_EXIT_USER;
  }
  tor_tuned_name(gpu, threads, &tuned);
  time_t now = time(NULL);
  struct tm tm;
  if (gmtime_r(&now, &tm)) strftime(tuned.date, sizeof tuned.date, "%Y-%m-%d", &tm);
  tuned.copy = tor_bench_copy(gpu, threads);
  const int links = gpu < 0 ? 0 : tor_device_count() < TOR_TUNED_LINKS ? tor_device_count() : TOR_TUNED_LINKS;
  for (int i = 0; i < links; i++) tuned.link[i] = tor_device_link_bandwidth(i + 1);
  if (gpu >= 0) {
    printf("GPU %d: %s, driver %s; copy %.0f GB/s, link", gpu, tuned.device, tuned.driver, tuned.copy * 1e-9);
    for (int i = 0; i < links; i++) printf("%s %.1f", i ? "," : "", tuned.link[i] * 1e-9);
    printf(" GB/s each way%s\n", links > 1 ? " with 1, 2, ... GPUs busy" : "");
  } else
    printf("CPU: %s, %d thread%s; copy %.1f GB/s\n", tuned.device, threads, threads > 1 ? "s" : "", tuned.copy * 1e-9);
  printf("%d x %d x %d cells; G cell updates/s of the stepwise and the diamond engine\n", n[0], n[1], n[2]);
  printf("%-5s %-4s %4s %4s  %-19s%-19s%-19s\n", "order", "prec", "DTS", "TH", "          vacuum", "          layers",
         "           poles");
  for (int i = 0; i < TOR_TUNED_KINDS; i++) {
    tuned.kind[i].order = i < 2 ? 2 : 4;
    tuned.kind[i].precision = i % 2 ? TOR_F64 : TOR_F32;
    if (measure_kind(&tuned.kind[i], n, gpu, threads, seconds)) return TOR_EXIT_FAILURE;
  }
  if (tor_tuned_path(&tuned, path, sizeof path))
    fprintf(stderr,
            "torre: warning: neither XDG_CACHE_HOME nor HOME names a folder: later runs will not use these figures\n");
  else if (tor_tuned_write(path, &tuned, why, sizeof why))
    fprintf(stderr, "torre: warning: %s; later runs will not use these figures\n", why);
  else
    printf("wrote %s\n", path);
  return TOR_EXIT_OK;
}

int tor_tune(const struct tor_tune_options *options) {
  struct tor_faults faults = {0};
  const int no_gpu = options->gpu && !tor_device_count();
  int status = TOR_EXIT_OK, threads = 0;
  tor_bench_read_threads(options->threads, &threads, &faults);
  if (!threads) threads = omp_get_max_threads();
  double seconds = 0.25;
  tor_bench_read_number("--seconds", options->seconds, 1e-3, 1e4, &seconds, &faults);
  if (no_gpu && !options->cpu) tor_fault(&faults, "--device gpu: %s", tor_device_absence());
  if (faults.count) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    return TOR_EXIT_USER;
  }
  if (no_gpu) printf("no GPU: %s\n", tor_device_absence());
  if (options->cpu) status = tune_device(options, -1, threads, seconds);
  if (!status && options->gpu && !no_gpu) status = tune_device(options, 0, 0, seconds);
  return status;
}
