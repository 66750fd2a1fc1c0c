/* Giraud, tables 3.1, 3.2, B.1, B.2 and figures B.2, B.3; chunks, the barrier, the sum of layers, warps: variants of
 * the methods. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "src/base/types.h"
#include "src/classic/classic_figure.h"
#include "src/classic/classic_measure.h"
#include "src/classic/figure_giraud.h"

/* Rates of 1000 steps at 256^3 [s]: without and with the size in constant memory. */
struct line {
  int edge;
  double seconds[2];
};

static double rate_of(double cells, double steps, double seconds) { return cells * steps / seconds * 1e-6; }

static void constant(struct tor_classic_figure_run *run, const struct line *lines, int count,
                     enum tor_classic_engine engine, unsigned variant, enum tor_precision precision) {
  const int side = run->small ? 12 : 256;
  const struct tor_classic_wish wish = tor_classic_giraud_wish(run, side, precision);
  for (int with = 0; with < 2; with++)
    for (int i = 0; i < count; i++) {
      const struct tor_classic_launch launch = {.engine = engine,
                                                .variant = variant | (with ? TOR_CLASSIC_CONSTANT : 0),
                                                .block = {lines[i].edge, lines[i].edge}};
      char label[32];
      snprintf(label, sizeof label, "%d x %d", lines[i].edge, lines[i].edge);
      tor_classic_rate_point(run, with ? "size in constant memory" : "size as an argument", label, lines[i].edge, &wish,
                             &launch, rate_of(pow(256, 3), 1000, lines[i].seconds[with]));
    }
}

static void table3_1(struct tor_classic_figure_run *run) {
  static const struct line lines[] = {{16, {308.251, 308.617}},
                                      {8, {386.307, 386.181}},
                                      {4, {554.6936, 557.195}},
                                      {2, {426.663, 427.907}},
                                      {1, {495.551, 495.825}}};
  constant(run, lines, 5, TOR_CLASSIC_GIRAUD_1, 0, TOR_F32);
}
static void table3_2(struct tor_classic_figure_run *run) {
  static const struct line lines[] = {{16, {327.278, 327.302}},
                                      {8, {411.986, 411.806}},
                                      {4, {649.073, 648.223}},
                                      {2, {672.901, 672.829}},
                                      {1, {624.302, 624.305}}};
  constant(run, lines, 5, TOR_CLASSIC_GIRAUD_2, 0, TOR_F32);
}
static void table_b1(struct tor_classic_figure_run *run) {
  static const struct line lines[] = {
      {6, {441.420, 444.230}}, {3, {420.807, 424.162}}, {2, {635.712, 637.688}}, {1, {2308.206, 2302.684}}};
  constant(run, lines, 4, TOR_CLASSIC_GIRAUD_1, TOR_CLASSIC_OLD, TOR_F64);
}
static void table_b2(struct tor_classic_figure_run *run) {
  static const struct line lines[] = {
      {6, {475.049, 475.376}}, {3, {458.396, 462.644}}, {2, {668.096, 667.510}}, {1, {2453.212, 2446.406}}};
  constant(run, lines, 4, TOR_CLASSIC_GIRAUD_2, TOR_CLASSIC_OLD, TOR_F64);
}

/* Old against new; published: seconds that the new ones gain at 256^3, taken from table 4.1's. */
static void old_and_new(struct tor_classic_figure_run *run, enum tor_precision precision) {
  static const double gain[2][2] = {{3.69, 22}, {7.7, 8.23}};
  static const int old_edge[2][2] = {{2, 6}, {3, 3}};
  for (int m = 1; m <= 2; m++)
    for (int old = 0; old < 2; old++)
      for (int i = 0; i < GIRAUD_SIDES; i++) {
        const int side = tor_classic_giraud_side(run, i), at64 = precision == TOR_F64;
        const struct tor_classic_wish wish = tor_classic_giraud_wish(run, side, precision);
        int edge = old ? old_edge[at64][m - 1] : 16;
        while (old && (side + 2) % edge) edge--;
        const struct tor_classic_launch launch = {.engine = m == 1 ? TOR_CLASSIC_GIRAUD_1 : TOR_CLASSIC_GIRAUD_2,
                                                  .variant = old ? TOR_CLASSIC_OLD : 0,
                                                  .block = {edge, edge}};
        char series[48], label[32];
        snprintf(series, sizeof series, "method %d, %s", m, old ? "old" : "new");
        snprintf(label, sizeof label, "%d x %d", edge, edge);
        double paper = tor_classic_giraud_best(i, m, precision);
        if (old) /* known at 256^3 alone */
          paper =
              i < 3 ? (double)NAN
                    : rate_of(pow(256, 3), GIRAUD_STEPS, rate_of(pow(256, 3), GIRAUD_STEPS, paper) + gain[at64][m - 1]);
        tor_classic_rate_point(run, series, label, side, &wish, &launch, paper);
      }
}
static void figure_b2(struct tor_classic_figure_run *run) { old_and_new(run, TOR_F32); }
static void figure_b3(struct tor_classic_figure_run *run) { old_and_new(run, TOR_F64); }

static void chunks(struct tor_classic_figure_run *run) {
  static const int threads[] = {32, 64, 128, 256};
  const int side = run->small ? 16 : 256;
  const struct tor_classic_wish wish = tor_classic_giraud_wish(run, side, run->precision);
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
    for (int chunk = 1; chunk <= 32; chunk *= 2) {
      const struct tor_classic_launch launch = {
          .engine = TOR_CLASSIC_GIRAUD_3, .block = {threads[k], 1}, .chunk = chunk};
      char series[48], label[32];
      snprintf(series, sizeof series, "%d threads", threads[k]);
      snprintf(label, sizeof label, "chunk %d", chunk);
      tor_classic_rate_point(run, series, label, chunk, &wish, &launch, NAN);
    }
}

/* Method 2 with and without a barrier at the head; method 1's layers as one launch each. */
static void barrier(struct tor_classic_figure_run *run) {
  static const struct {
    const char *name;
    struct tor_classic_launch launch;
  } kinds[] = {{"method 2", {.engine = TOR_CLASSIC_GIRAUD_2, .block = {16, 16}}},
               {"method 2, barrier", {.engine = TOR_CLASSIC_GIRAUD_2, .variant = TOR_CLASSIC_SYNC, .block = {16, 16}}},
               {"method 1", {.engine = TOR_CLASSIC_GIRAUD_1, .block = {16, 16}}}};
  for (int i = 0; i < GIRAUD_SIDES; i++)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      const int side = tor_classic_giraud_side(run, i);
      const struct tor_classic_wish wish = tor_classic_giraud_wish(run, side, run->precision);
      tor_classic_rate_point(run, kinds[k].name, "16 x 16", side, &wish, &kinds[k].launch, NAN);
    }
}

/* The same work in one launch a half-step (cube) and in a launch a layer: the time of a launch. */
static void overhead(struct tor_classic_figure_run *run) {
  for (int i = 0; i < GIRAUD_SIDES; i++)
    for (int cube = 0; cube < 2; cube++) {
      const int side = tor_classic_giraud_side(run, i);
      const struct tor_classic_wish wish = tor_classic_giraud_wish(run, side, run->precision);
      struct tor_classic_launch launch = {.engine = TOR_CLASSIC_GIRAUD_1,
                                          .variant = cube ? TOR_CLASSIC_CUBE : TOR_CLASSIC_ALONG_I,
                                          .block = {32, cube ? 2 : 4}};
      if (run->engine_only) launch = (struct tor_classic_launch){.engine = TOR_CLASSIC_NAIVE_OMP};
      const struct tor_classic_row *row = tor_classic_measure(run->bench, &wish, &launch, 0);
      if (row)
        tor_classic_point(run, cube ? "one launch a half-step" : "a launch a layer", "", side,
                          1e6 * row->seconds / row->steps, NAN);
    }
}

/* 500 steps at 256^3: about 25 s, 312.42 s, 312.22 s. */
static void warps(struct tor_classic_figure_run *run) {
  static const struct {
    const char *name;
    struct tor_classic_launch launch;
    double seconds;
  } kinds[] = {{"method 3, 256 threads", {.engine = TOR_CLASSIC_GIRAUD_3, .block = {256, 1}}, 25},
               {"method 3, 1 thread", {.engine = TOR_CLASSIC_GIRAUD_3, .block = {1, 1}}, 312.42},
               {"method 2, 1 thread", {.engine = TOR_CLASSIC_GIRAUD_2, .block = {1, 1}}, 312.22}};
  const int side = run->small ? 12 : 256;
  const struct tor_classic_wish wish = tor_classic_giraud_wish(run, side, TOR_F32);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    tor_classic_rate_point(run, kinds[k].name, "", (double)k, &wish, &kinds[k].launch,
                           rate_of(pow(256, 3), 500, kinds[k].seconds));
}

#define RATES "10^6 cells/s"
const struct tor_classic_figure tor_classic_giraud_tables[] = {
    {"giraud-table3.1", "Giraud, table 3.1: method 1, the size in constant memory, 256^3, fp32",
     "threads along an axis", RATES, 2, 10, table3_1},
    {"giraud-table3.2", "Giraud, table 3.2: method 2, the same", "threads along an axis", RATES, 2, 10, table3_2},
    {"giraud-tableB.1", "Giraud, table B.1: old method 1, fp64", "threads along an axis", RATES, 0, 10, table_b1},
    {"giraud-tableB.2", "Giraud, table B.2: old method 2, fp64", "threads along an axis", RATES, 0, 10, table_b2},
    {"giraud-figB.2", "Giraud, figure B.2: old and new, fp32", "cells along an edge", RATES, 0, 10, figure_b2},
    {"giraud-figB.3", "Giraud, figure B.3: old and new, fp64", "cells along an edge", RATES, 0, 10, figure_b3},
    {"giraud-chunk", "Giraud, 2.4.3: chunks of method 3, 256^3", "consecutive cells of a thread", RATES, 2, 10, chunks},
    {"giraud-sync", "Giraud: a barrier at the head of method 2", "cells along an edge", RATES, 0, 10, barrier},
    {"giraud-overhead", "Giraud, 4.3: launches of layers", "cells along an edge", "microseconds a step", 0, 10,
     overhead},
    {"giraud-warps", "Giraud: one thread a block, 256^3, fp32", "kind", RATES, 0, 10, warps},
    {0}};
