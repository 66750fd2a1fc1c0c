/* The measurements of `torre bench`, their table and their file: see bench.h. Pictures: bench_plot.c. */
#include "src/bench/bench.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/gpu/device.h"
#include "io/files/folder.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/bench/bench_case.h"
#include "src/bench/bench_option.h"
#include "src/bench/bench_plot.h"
#include "src/bench/bench_run.h"

enum { LEAST = 48 }; /* cells along an axis: enough for the layers and the plane wave's box */

struct bench {
  struct tor_bench_options options;
  int n[3], threads;
  double seconds, memory; /* [s], [bytes], 0: by the domain */
  unsigned features;      /* bit 1 << case */
  double copy;            /* [bytes/s] */
  FILE *csv;
  struct tor_bench_line *lines; /* for the pictures */
  size_t nlines, capacity;
};

/* Bytes that one cell update moves to and from memory: stepwise reads six fields and writes three in each half-step; a
 * tower loads and stores 4 / DTS of a cell's six fields (docs/design/tiling.md). Fields alone. */
static double bytes_of_update(enum tor_engine_kind engine, enum tor_precision precision, int dts) {
  double cell = 6.0 * precision;
  return engine == TOR_ENGINE_STEPWISE ? 3 * cell : 4 * cell / dts;
}

static const char *engine_name(enum tor_engine_kind engine) {
  return engine == TOR_ENGINE_STEPWISE ? "stepwise" : "diamond";
}

static void print_head(struct bench *b) {
  printf("%-7s %-8s %-5s %-4s %-8s %-16s %3s %4s %6s %9s %8s %6s %9s\n", "series", "case", "order", "prec", "engine",
         "cells", "DTS", "TH", "towers", "G cells/s", "B/update", "copy", "window GB");
  fprintf(b->csv, "series,case,order,precision,engine,device,nx,ny,nz,dts,th,towers_in_row,cell_updates_per_s,bytes_"
                  "per_update,share_of_copy_bandwidth,window_bytes\n");
}

static void put_point(struct bench *b, const char *series, const struct tor_bench_point *p) {
  char cells[48];
  snprintf(cells, sizeof cells, "%dx%dx%d", p->n[0], p->n[1], p->n[2]);
  double bytes = bytes_of_update(p->engine, p->precision, p->dts), share = p->rate * bytes / b->copy;
  printf("%-7s %-8s %-5d fp%-2d %-8s %-16s %3d %4d %6d %9.3f %8.1f %5.0f%% %9.3f\n", series,
         tor_bench_case(p->feature)->name, p->order, 8 * (int)p->precision, engine_name(p->engine), cells,
         p->engine == TOR_ENGINE_DIAMOND ? p->dts : 0, p->th, p->towers, p->rate * 1e-9, bytes, 100 * share,
         p->window * 1e-9);
  fflush(stdout);
  fprintf(b->csv, "%s,%s,%d,fp%d,%s,%s,%d,%d,%d,%d,%d,%d,%.6g,%.6g,%.6g,%.6g\n", series,
          tor_bench_case(p->feature)->name, p->order, 8 * (int)p->precision, engine_name(p->engine),
          p->gpu >= 0 ? "gpu" : "cpu", p->n[0], p->n[1], p->n[2], p->engine == TOR_ENGINE_DIAMOND ? p->dts : 0, p->th,
          p->towers, p->rate, bytes, share, p->window);
  b->lines = tor_grow(b->lines, b->nlines + 1, &b->capacity, sizeof *b->lines);
  b->lines[b->nlines++] = (struct tor_bench_line){series, *p, bytes};
}

/* Returns the model's bytes, 0 when it was left out. */
static double measure(struct bench *b, const char *series, struct tor_bench_point p) {
  char why[512] = "";
  p.gpu = b->options.gpu;
  p.threads = b->threads;
  if (!tor_bench_measure(&p, b->seconds, why, sizeof why))
    put_point(b, series, &p);
  else
    printf("%-7s %-8s left out: %s\n", series, tor_bench_case(p.feature)->name, why);
  return p.bytes;
}

static struct tor_bench_point point(const struct bench *b, int feature, int order, enum tor_precision precision,
                                    enum tor_engine_kind engine) {
  return (struct tor_bench_point){
      .feature = feature, .n = {b->n[0], b->n[1], b->n[2]}, .order = order, .precision = precision, .engine = engine};
}

/* Every feature with both engines, orders and precisions. */
static void sweep_features(struct bench *b) {
  for (int f = 0; tor_bench_case(f); f++)
    for (int order = 2; b->features >> f & 1 && order <= 4; order += 2)
      for (int bytes = 4; bytes <= 8; bytes += 4)
        for (int engine = 0; engine < 2; engine++)
          measure(
              b, "feature",
              point(b, f, order, bytes == 4 ? TOR_F32 : TOR_F64, engine ? TOR_ENGINE_DIAMOND : TOR_ENGINE_STEPWISE));
}

/* Towers of the first chosen feature: rate against TH, DTS, towers in a row, cells along z. */
static void sweep_schedules(struct bench *b) {
  int f = 0;
  while (!(b->features >> f & 1)) f++;
  for (int order = 2; order <= 4; order += 2) {
    struct tor_bench_point base = point(b, f, order, TOR_F32, TOR_ENGINE_DIAMOND);
    for (int th = 4; th <= 256; th *= 2) {
      struct tor_bench_point p = base;
      p.th = th;
      measure(b, "th", p);
    }
    for (int dts = order == 2 ? 4 : 1; b->options.gpu < 0 && dts <= (order == 2 ? 24 : 8); dts += order == 2 ? 4 : 1) {
      struct tor_bench_point p = base;
      p.dts = dts;
      measure(b, "dts", p);
    }
    for (int part = 32; part >= 1; part /= 2) {
      struct tor_bench_point p = base;
      p.n[1] = b->n[1] / part;
      if (p.n[1] >= 8) measure(b, "towers", p);
    }
    static const int nz[] = {64, 100, 250, 500, 1000, 2000, 4000};
    for (size_t i = 0; i < sizeof nz / sizeof *nz; i++) {
      struct tor_bench_point p = base;
      p.n[2] = nz[i];
      p.n[1] = (int)((double)b->n[1] * b->n[2] / nz[i]);
      if (p.n[1] < LEAST) p.n[1] = LEAST;
      if (nz[i] <= 16 * b->n[2]) measure(b, "nz", p);
    }
  }
}

/* A long domain resident on the GPU, then through a window on it. */
static void sweep_window(struct bench *b) {
  int f = 0;
  while (!(b->features >> f & 1)) f++;
  for (int order = 2; order <= 4; order += 2) {
    struct tor_bench_point p = point(b, f, order, TOR_F32, TOR_ENGINE_DIAMOND);
    if (b->memory <= 0) { /* a quarter of the domain shall hold a stage */
      p.n[0] *= 8;
      p.n[1] = p.n[1] / 4 > LEAST ? p.n[1] / 4 : LEAST;
    }
    const double bytes = measure(b, "window", p);
    p.memory = b->memory > 0 ? b->memory : bytes / 4;
    if (p.memory > 0) measure(b, "window", p);
  }
}

static void read_features(struct bench *b, struct tor_faults *faults) {
  if (!b->options.features) {
    b->features = ~0u;
    return;
  }
  char *list = tor_strdup(b->options.features);
  for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
    int i = tor_bench_case_number(name);
    if (i >= 0) {
      b->features |= 1u << i;
      continue;
    }
    tor_fault(faults, "--features: got " TOR_FOUND("\"%s\"") ", need " TOR_NEEDED("names out of:"), name);
    for (i = 0; tor_bench_case(i); i++)
      tor_fault(faults, "  %-8s %s", tor_bench_case(i)->name, tor_bench_case(i)->what);
  }
  if (!b->features && !faults->count) tor_fault(faults, "--features: got none");
  free(list);
}

int tor_bench(const struct tor_bench_options *options) {
  struct bench b = {.options = *options, .seconds = 1};
  double gigabytes = 0;
  struct tor_faults faults = {0};
  char why[1024], path[4096];
  read_features(&b, &faults);
  const int cpu[3] = {240, 192, 256}, gpu[3] = {600, 1500, 256};
  memcpy(b.n, options->gpu >= 0 ? gpu : cpu, sizeof b.n);
  tor_bench_read_size(options->size, LEAST, b.n, &faults);
  tor_bench_read_threads(options->threads, &b.threads, &faults);
  tor_bench_read_number("--seconds", options->seconds, 1e-3, 1e4, &b.seconds, &faults);
  tor_bench_read_number("--device-memory", options->memory, 1e-3, 1e6, &gigabytes, &faults);
  b.memory = 1e9 * gigabytes;
  if (options->gpu >= 0 && !tor_device_count()) tor_fault(&faults, "--device gpu: %s", tor_device_absence());
  if (options->memory && options->gpu < 0) tor_fault(&faults, "--device-memory belongs to --device gpu");
  if (snprintf(path, sizeof path, "%s/bench.csv", options->out) >= (int)sizeof path)
    tor_fault(&faults, "--out: the name is too long");
  if (!faults.count && tor_folder_make(options->out, why, sizeof why)) tor_fault(&faults, "%s", why);
  if (!faults.count && !(b.csv = tor_folder_create(path))) tor_fault(&faults, "%s: %s", path, strerror(errno));
  if (faults.count || !b.csv) {
    tor_faults_print(&faults, stderr);
    tor_faults_free(&faults);
    return TOR_EXIT_USER;
  }
  b.copy = tor_bench_copy(options->gpu, b.threads);
  if (options->gpu >= 0)
    printf("GPU %d, copy bandwidth %.0f GB/s\n", options->gpu, b.copy * 1e-9);
  else
    printf("CPU, %d threads, copy bandwidth %.1f GB/s\n", b.threads > 0 ? b.threads : omp_get_max_threads(),
           b.copy * 1e-9);
  print_head(&b);
  sweep_features(&b);
  sweep_schedules(&b);
  if (options->gpu >= 0 && tor_device_has_towers(options->gpu)) sweep_window(&b);
  if (tor_folder_commit(b.csv, path)) {
    fprintf(stderr, "torre: %s was not written: %s\n", path, strerror(errno));
    return TOR_EXIT_FAILURE;
  }
  printf("wrote %s\n", path);
  tor_bench_plot(options->out, b.lines, (int)b.nlines, b.copy);
  free(b.lines);
  return TOR_EXIT_OK;
}
