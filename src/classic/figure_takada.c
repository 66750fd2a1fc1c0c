/* Takada, Shimobaba, Masuda and Ito: table 1, figures 3 to 5, the profile. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "src/base/types.h"
#include "src/classic/classic_figure.h"
#include "src/classic/classic_measure.h"

enum { STEPS = 1000, SIDE = 8192, OPERATIONS = 12 };

/* Table 1: milliseconds of 1000 steps at 8192 x 8192. */
struct shape {
  int x, y;
  double shared, plain;
};
static const struct shape shapes[] = {
    {512, 1, 34910.91, 36148.74},     {256, 2, 27860.34, 35523.61},   {128, 4, 27023.15, 35283.57},
    {64, 8, 28329.08, 36126.11},      {32, 16, 31408.21, 41103.40},   {16, 32, 43464.29, 60904.04},
    {8, 64, 99550.48, 133583.14},     {4, 128, 240642.34, 299888.72}, {2, 256, 531257.31, 661946.06},
    {1, 512, 1142198.88, 1442981.13}, {256, 1, 30332.19, 35712.13},   {128, 2, 26828.33, 35412.05},
    {64, 4, 26404.10, 35283.14},      {32, 8, 27766.32, 36836.52},    {16, 16, 40315.71, 54172.49},
    {8, 32, 92666.19, 117666.61},     {4, 64, 201960.70, 259646.30},  {2, 128, 513940.38, 632672.88},
    {1, 256, 1137908.38, 1422834.38}, {128, 1, 29208.40, 35765.40},   {64, 2, 26546.84, 35463.31},
    {32, 4, 26193.54, 35446.44},      {16, 8, 31641.55, 41499.72},    {8, 16, 81558.07, 103208.16},
    {4, 32, 179097.02, 219635.84},    {2, 64, 462255.13, 571017.06},  {1, 128, 1135948.50, 1410071.50},
    {64, 1, 31378.07, 36315.55},      {32, 2, 31021.64, 35510.76},    {16, 4, 32172.59, 36006.95},
    {8, 8, 49528.76, 72708.84},       {4, 16, 151044.05, 188353.81},  {2, 32, 334621.00, 434315.56},
    {1, 64, 1156390.13, 1445463.25},
};
enum { NSHAPES = (int)(sizeof shapes / sizeof *shapes) };

static struct tor_classic_wish wish_of(const struct tor_classic_figure_run *run, int side) {
  if (run->small) side = side / 128 > 16 ? side / 128 : 16;
  return (struct tor_classic_wish){.scheme = TOR_CLASSIC_TM,
                                   .rule = TOR_CLASSIC_AUTHOR,
                                   .precision = run->precision,
                                   .n = {side - 1, side - 1, 0},
                                   .source = TOR_EZ,
                                   .sourced = STEPS};
}

static double rate_of(double ms) { return (double)SIDE * SIDE * STEPS / (1e-3 * ms) * 1e-6; }

/* By threads a block, over the block's width. */
static void table(struct tor_classic_figure_run *run, enum tor_classic_engine engine) {
  const struct tor_classic_wish wish = wish_of(run, SIDE);
  for (int i = 0; i < NSHAPES; i++) {
    const struct shape *s = &shapes[i];
    const struct tor_classic_launch launch = {.engine = engine, .block = {s->x, s->y}};
    char series[48], label[32];
    snprintf(series, sizeof series, "%d threads", s->x * s->y);
    snprintf(label, sizeof label, "%d x %d", s->x, s->y);
    tor_classic_rate_point(run, series, label, s->x, &wish, &launch,
                           rate_of(engine == TOR_CLASSIC_TAKADA_SHARED ? s->shared : s->plain));
  }
}
static void table_shared(struct tor_classic_figure_run *run) { table(run, TOR_CLASSIC_TAKADA_SHARED); }
static void table_plain(struct tor_classic_figure_run *run) { table(run, TOR_CLASSIC_TAKADA_PLAIN); }

struct curve {
  const char *name;
  struct tor_classic_launch launch;
  double gflops; /* published at 8192; by figure 3 that of 32 x 4 is the same at all sizes */
};
static const struct curve curves[] = {
    {"shared, 32 x 4", {.engine = TOR_CLASSIC_TAKADA_SHARED, .block = {32, 4}}, 30.74},
    {"plain, 64 x 4", {.engine = TOR_CLASSIC_TAKADA_PLAIN, .block = {64, 4}}, 22.82},
    {"shared, 16 x 16", {.engine = TOR_CLASSIC_TAKADA_SHARED, .block = {16, 16}}, 19.98},
    {"plain, 16 x 16", {.engine = TOR_CLASSIC_TAKADA_PLAIN, .block = {16, 16}}, 14.87},
};

/* The rates of curve k over the side, handed to put with the row. */
static void over_sides(struct tor_classic_figure_run *run, int k,
                       void (*put)(struct tor_classic_figure_run *run, const struct curve *c, int side,
                                   const struct tor_classic_row *row)) {
  struct tor_classic_figure_run silent = *run;
  silent.npoints = 0;
  silent.point = NULL;
  silent.capacity = 0;
  for (int side = 512; side <= 16384; side *= 2) {
    const struct tor_classic_wish wish = wish_of(run, side);
    const struct tor_classic_row *row =
        tor_classic_rate_point(&silent, curves[k].name, "", side, &wish, &curves[k].launch, NAN);
    if (row) put(run, &curves[k], side, row);
  }
  free(silent.point);
}

static void put_gflops(struct tor_classic_figure_run *run, const struct curve *c, int side,
                       const struct tor_classic_row *row) {
  tor_classic_point(run, c->name, "", side, OPERATIONS * row->rate * 1e-9, side == SIDE ? c->gflops : (double)NAN);
}
static void figure3(struct tor_classic_figure_run *run) {
  for (int k = 0; k < 4; k++) over_sides(run, k, put_gflops);
}

static void put_speedup(struct tor_classic_figure_run *run, const struct curve *c, int side,
                        const struct tor_classic_row *row) {
  const double gpu = row->rate;
  const struct tor_classic_wish wish = wish_of(run, side);
  const struct tor_classic_row *cpu =
      tor_classic_measure(run->bench, &wish, &(struct tor_classic_launch){.engine = TOR_CLASSIC_NAIVE}, 0);
  if (cpu) tor_classic_point(run, c->name, "", side, gpu / cpu->rate, 20);
}
static void figure4(struct tor_classic_figure_run *run) { over_sides(run, 0, put_speedup); }

static void put_share(struct tor_classic_figure_run *run, const struct curve *c, int side,
                      const struct tor_classic_row *row) {
  tor_classic_point(run, c->name, "", side, 100 * row->share, 65);
}
static void figure5(struct tor_classic_figure_run *run) { over_sides(run, 0, put_share); }

/* Both kernels alone: bytes at the least count, 5 words of H's and 4 of E's; published GB/s of the profiler. */
static void profile(struct tor_classic_figure_run *run) {
  static const char *const names[] = {"H kernel", "E kernel"};
  const double paper[] = {126.70, 99.12};
  const struct tor_classic_wish wish = wish_of(run, SIDE);
  for (int e = 0; e < 2; e++) {
    struct tor_classic_launch launch = curves[0].launch;
    launch.halves = 1 << e;
    if (run->engine_only) launch.engine = TOR_CLASSIC_NAIVE_OMP;
    const struct tor_classic_row *row = tor_classic_measure(run->bench, &wish, &launch, 0);
    if (row) tor_classic_point(run, names[e], "32 x 4", e, row->rate * row->least * 1e-9, paper[e]);
  }
}

const struct tor_classic_figure tor_classic_takada_figures[] = {
    {"takada-table1a", "Takada, table 1a: blocks with shared memory, 8192 x 8192", "threads along x", "10^6 cells/s", 2,
     10, table_shared},
    {"takada-table1b", "Takada, table 1b: blocks without shared memory, 8192 x 8192", "threads along x", "10^6 cells/s",
     2, 10, table_plain},
    {"takada-fig3", "Takada, figure 3: rate against the side", "nodes along a side", "Gflops of 12 operations a node",
     2, 10, figure3},
    {"takada-fig4", "Takada, figure 4: against one core", "nodes along a side", "times one core", 2, 10, figure4},
    {"takada-fig5", "Takada, figure 5: share of the bandwidth's limit", "nodes along a side", "percent", 2, 0, figure5},
    {"takada-profile", "Takada: throughput of both kernels, 32 x 4 with shared memory", "kernel (0: H, 1: E)", "GB/s",
     0, 0, profile},
    {0}};
