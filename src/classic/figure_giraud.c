/* Giraud, tables 4.1 and 4.2 and figures 3.5, 3.6, 4.1 to 4.11: the three methods. Tables of variants:
 * figure_giraud_tables.c. */
#include "src/classic/figure_giraud.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "src/base/types.h"
#include "src/classic/classic_figure.h"
#include "src/classic/classic_measure.h"

static const int sides[GIRAUD_SIDES] = {64, 128, 192, 256};
static const enum tor_classic_engine methods[3] = {TOR_CLASSIC_GIRAUD_1, TOR_CLASSIC_GIRAUD_2, TOR_CLASSIC_GIRAUD_3};

/* [side][method][fp32, fp64] */
static const double seconds[GIRAUD_SIDES][3][2] = {
    {{0.5897158, 0.7819706}, {0.5986422, 0.6839819}, {0.0868365, 0.2117402}},
    {{5.08712925, 4.6926335}, {5.4587824, 4.6524887}, {0.6738065, 1.3504614}},
    {{20.764266, 23.189912}, {22.4529935, 24.165326}, {2.2033141, 4.0018935}},
    {{31.5632431, 34.670661}, {32.9286777, 38.291403}, {5.2363695, 11.5300783}},
};

int tor_classic_giraud_side(const struct tor_classic_figure_run *run, int i) {
  return run->small ? 8 + 4 * i : sides[i];
}

double tor_classic_giraud_best(int i, int method, enum tor_precision precision) {
  return pow(sides[i], 3) * GIRAUD_STEPS / seconds[i][method - 1][precision == TOR_F64] * 1e-6;
}

struct tor_classic_wish tor_classic_giraud_wish(const struct tor_classic_figure_run *run, int side,
                                                enum tor_precision precision) {
  (void)run;
  return (struct tor_classic_wish){.scheme = TOR_CLASSIC_UNIFORM,
                                   .rule = TOR_CLASSIC_AUTHOR,
                                   .precision = precision,
                                   .n = {side, side, side},
                                   .e_first = 1,
                                   .open = 1,
                                   .source = TOR_EZ,
                                   .sourced = 1000,
                                   .period = 35,
                                   .pulse = 1};
}

/* Rates of a method by the blocks' edge; the published one is that of the best configuration alone. */
static double sweep(struct tor_classic_figure_run *run, int i, int method, enum tor_precision precision,
                    const char *series) {
  static const int columns[] = {32, 64, 128, 192, 256, 512};
  const int side = tor_classic_giraud_side(run, i);
  const struct tor_classic_wish wish = tor_classic_giraud_wish(run, side, precision);
  double best = NAN;
  for (int t = 1; t <= 512; t++) {
    struct tor_classic_launch launch = {.engine = methods[method - 1], .block = {t, method < 3 ? t : 1}};
    int wanted = method < 3 ? side % t == 0 && t * t <= 1024 : 0;
    for (size_t k = 0; method == 3 && k < sizeof columns / sizeof *columns; k++)
      wanted |= t == columns[k] && (t <= side || t == 32);
    if (!wanted) continue;
    char label[32];
    snprintf(label, sizeof label, method < 3 ? "%d x %d" : "%d", t, t);
    const struct tor_classic_row *row =
        tor_classic_rate_point(run, series, label, method < 3 ? side / t : t, &wish, &launch, NAN);
    if (row) best = fmax(row->rate * 1e-6, isnan(best) ? 0 : best);
    if (run->engine_only) break;
  }
  return best;
}

static void blocks(struct tor_classic_figure_run *run, int i, enum tor_precision precision) {
  sweep(run, i, 1, precision, "method 1");
  sweep(run, i, 2, precision, "method 2");
  /* The paper's best block, 16 x 16 or as table 4.2 has it. */
  static const int edge[GIRAUD_SIDES][2][2] = {
      {{2, 16}, {16, 16}}, {{2, 16}, {16, 16}}, {{2, 1}, {16, 16}}, {{16, 16}, {16, 16}}};
  for (int m = 1; m <= 2; m++) {
    const int blocks = sides[i] / edge[i][precision == TOR_F64][m - 1];
    tor_classic_point(run, m == 1 ? "method 1, best published" : "method 2, best published", "", blocks, NAN,
                      tor_classic_giraud_best(i, m, precision));
  }
}
#define BLOCKS(number, i, precision) \
  static void figure4_##number(struct tor_classic_figure_run *run) { blocks(run, i, precision); }
BLOCKS(1, 0, TOR_F32)
BLOCKS(2, 1, TOR_F32)
BLOCKS(3, 2, TOR_F32)
BLOCKS(4, 3, TOR_F32)
BLOCKS(5, 0, TOR_F64)
BLOCKS(6, 1, TOR_F64)
BLOCKS(7, 2, TOR_F64)
BLOCKS(8, 3, TOR_F64)

/* The best of each method, with its block. */
static void best_of(struct tor_classic_figure_run *run, enum tor_precision precision) {
  for (int i = 0; i < GIRAUD_SIDES; i++)
    for (int m = 1; m <= 3; m++) {
      struct tor_classic_figure_run each = *run;
      each.npoints = 0;
      each.point = NULL;
      each.capacity = 0;
      const double best = sweep(&each, i, m, precision, "");
      char series[48], label[32] = "";
      for (int k = 0; k < each.npoints; k++)
        if (each.point[k].here == best) snprintf(label, sizeof label, "%s", each.point[k].label);
      snprintf(series, sizeof series, "method %d, fp%d", m, precision == TOR_F32 ? 32 : 64);
      tor_classic_point(run, series, label, sides[i], best, tor_classic_giraud_best(i, m, precision));
      free(each.point);
    }
}
static void figure4_9(struct tor_classic_figure_run *run) { best_of(run, TOR_F32); }
static void figure4_11(struct tor_classic_figure_run *run) { best_of(run, TOR_F64); }
static void table4(struct tor_classic_figure_run *run) {
  best_of(run, TOR_F32);
  best_of(run, TOR_F64);
}

/* Occupancy of method 1 over the threads of a block; the thesis has 100 % at 256 threads. */
static void figure4_10(struct tor_classic_figure_run *run) {
  const struct tor_classic_wish wish = tor_classic_giraud_wish(run, tor_classic_giraud_side(run, 0), TOR_F32);
  for (int t = 4; t <= 32; t *= 2) {
    struct tor_classic_launch launch = {.engine = TOR_CLASSIC_GIRAUD_1, .block = {t, t}};
    if (run->engine_only) launch.engine = TOR_CLASSIC_NAIVE;
    const struct tor_classic_row *row = tor_classic_measure(run->bench, &wish, &launch, 0);
    if (row) tor_classic_point(run, "method 1", "", t * t, 100 * row->occupancy, t == 16 ? 100 : (double)NAN);
  }
}

/* --- Accuracy: Ex of one point over the steps, in both precisions --- */

static double value_of(const struct tor_classic_problem *p, int at) {
  const tor_gidx place = tor_classic_at(&p->c, at, at, at);
  return p->c.precision == TOR_F32 ? (double)((float *)p->field[TOR_EX])[place] : ((double *)p->field[TOR_EX])[place];
}

static void follow(struct tor_classic_figure_run *run, enum tor_precision precision, enum tor_classic_engine engine,
                   const char *series) {
  const int side = run->small ? 16 : 256, every = run->small ? 10 : 500, last = 20 * every;
  struct tor_classic_wish wish = tor_classic_giraud_wish(run, side, precision);
  struct tor_classic_launch launch = {.engine = engine};
  struct tor_classic_problem p;
  wish.sourced = last;
  tor_classic_make(&p, &wish);
  tor_classic_defaults(&launch, &p.c);
  struct tor_classic_gpu *gpu =
      run->engine_only ? NULL : tor_classic_gpu_open(&p.c, &launch, run->bench->gpu, p.field, last);
  for (int step = 0; step < last; step += every) {
    if (gpu) {
      tor_classic_gpu_run(gpu, step, every);
      tor_classic_gpu_fetch(gpu, p.field);
    } else
      tor_classic_run(&p.c, p.field, step, every, 3, run->bench->threads);
    tor_classic_point(run, series, "", step + every, value_of(&p, side * 189 / 256), NAN);
  }
  if (gpu) tor_classic_gpu_close(gpu);
  tor_classic_free(&p);
}

static void accuracy(struct tor_classic_figure_run *run, enum tor_precision precision) {
  follow(run, precision, TOR_CLASSIC_GIRAUD_3, precision == TOR_F32 ? "method 3, fp32" : "method 3, fp64");
  if (run->engine_only) return;
  follow(run, precision, TOR_CLASSIC_GIRAUD_1, precision == TOR_F32 ? "method 1, fp32" : "method 1, fp64");
  follow(run, precision, TOR_CLASSIC_GIRAUD_2, precision == TOR_F32 ? "method 2, fp32" : "method 2, fp64");
}
static void figure3_5(struct tor_classic_figure_run *run) { accuracy(run, TOR_F32); }
static void figure3_6(struct tor_classic_figure_run *run) { accuracy(run, TOR_F64); }

#define RATES "10^6 cells/s"
#define BLOCKS_FIGURE(number, side, bits)                                                     \
  {"giraud-fig4." #number,                                                                    \
   "Giraud, figure 4." #number ": methods 1 and 2 against the blocks, " #side "^3, fp" #bits, \
   "blocks along an axis",                                                                    \
   RATES,                                                                                     \
   2,                                                                                         \
   10,                                                                                        \
   figure4_##number}
const struct tor_classic_figure tor_classic_giraud_figures[] = {
    {"giraud-fig3.5", "Giraud, figure 3.5: Ex(189, 189, 189), fp32 (the pulse is ours)", "step", "Ex", 0, 0, figure3_5},
    {"giraud-fig3.6", "Giraud, figure 3.6: the same in fp64", "step", "Ex", 0, 0, figure3_6},
    {"giraud-table4.1", "Giraud, tables 4.1 and 4.2: the best of each method, with its block", "cells along an edge",
     RATES, 0, 10, table4},
    BLOCKS_FIGURE(1, 64, 32),
    BLOCKS_FIGURE(2, 128, 32),
    BLOCKS_FIGURE(3, 192, 32),
    BLOCKS_FIGURE(4, 256, 32),
    BLOCKS_FIGURE(5, 64, 64),
    BLOCKS_FIGURE(6, 128, 64),
    BLOCKS_FIGURE(7, 192, 64),
    BLOCKS_FIGURE(8, 256, 64),
    {"giraud-fig4.9", "Giraud, figure 4.9: three methods, fp32", "cells along an edge", RATES, 0, 10, figure4_9},
    {"giraud-fig4.10", "Giraud, figure 4.10: occupancy of method 1, fp32", "threads a block", "percent", 2, 0,
     figure4_10},
    {"giraud-fig4.11", "Giraud, figure 4.11: three methods, fp64", "cells along an edge", RATES, 0, 10, figure4_11},
    {0}};
