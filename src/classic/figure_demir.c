/* Demir and Elsherbeni, figures 6 and 7; Zakirov et al.: the tile of DTS 1. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "src/base/types.h"
#include "src/classic/classic_figure.h"
#include "src/classic/classic_measure.h"
#include "src/classic/classic_slab.h"

static struct tor_classic_wish cube_of(const struct tor_classic_figure_run *run, int edge) {
  if (run->small) edge = edge / 16 > 8 ? edge / 16 : 8;
  return (struct tor_classic_wish){.scheme = TOR_CLASSIC_MEDIA,
                                   .rule = TOR_CLASSIC_AUTHOR,
                                   .precision = run->precision,
                                   .n = {edge, edge, edge},
                                   .random = 1,
                                   .seed = 1};
}

/* Times of the two kernels; the paper's values are in its picture alone. */
static void figure6(struct tor_classic_figure_run *run) {
  static const int blocks[] = {32, 64, 96, 128, 192, 256, 320, 384, 448, 512, 1024};
  const struct tor_classic_wish wish = cube_of(run, 200);
  for (int kind = 0; kind < 4; kind++)
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
      struct tor_classic_launch launch = {.engine = kind < 2 ? TOR_CLASSIC_DEMIR_XYZ : TOR_CLASSIC_DEMIR_XY,
                                          .block = {blocks[i], 1},
                                          .halves = 1 << kind % 2};
      char series[48], label[32];
      snprintf(series, sizeof series, "%s, %s", kind < 2 ? "xyz" : "xy", kind % 2 ? "E" : "H");
      snprintf(label, sizeof label, "%d", blocks[i]);
      if (run->engine_only) launch.engine = TOR_CLASSIC_NAIVE_OMP;
      const struct tor_classic_row *row = tor_classic_measure(run->bench, &wish, &launch, 0);
      if (row) tor_classic_point(run, series, label, blocks[i], 1e3 * row->seconds / row->steps, NAN);
    }
}

static void figure7(struct tor_classic_figure_run *run) {
  static const int edges[] = {40, 80, 120, 160, 200, 240, 300, 400};
  static const struct {
    const char *name;
    struct tor_classic_launch launch;
    double paper; /* about, on average */
  } kinds[] = {
      {"xyz", {.engine = TOR_CLASSIC_DEMIR_XYZ}, 400},
      {"xy", {.engine = TOR_CLASSIC_DEMIR_XY}, 450},
      {"xyz, index", {.engine = TOR_CLASSIC_DEMIR_XYZ, .variant = TOR_CLASSIC_INDEX}, NAN},
      {"xy, index", {.engine = TOR_CLASSIC_DEMIR_XY, .variant = TOR_CLASSIC_INDEX}, NAN},
  };
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      const struct tor_classic_wish wish = cube_of(run, edges[i]);
      char label[32];
      snprintf(label, sizeof label, "%d^3", edges[i]);
      tor_classic_rate_point(run, kinds[k].name, label, edges[i], &wish, &kinds[k].launch,
                             edges[i] <= 300 ? kinds[k].paper : (double)NAN);
    }
}

const struct tor_classic_figure tor_classic_demir_figures[] = {
    {"demir-fig6", "Demir, figure 6: times of the kernels, 200^3 cells", "threads a block", "ms", 2, 10, figure6},
    {"demir-fig7", "Demir, figure 7: rate against the cube's edge", "cells along an edge", "10^6 cells/s", 0, 10,
     figure7},
    {0}};

/* The paper's tile beside order 4's other engines, over towers in a row; roof of the paper's K20X: 1083 in fp64. */
static void dts1(struct tor_classic_figure_run *run) {
  static const int rows[] = {84, 196, 396, 792, 1584};
  static const char *const names[] = {"stepwise", "towers", "dts1"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct tor_classic_wish wish = {.scheme = TOR_CLASSIC_UNIFORM,
                                    .rule = TOR_CLASSIC_TORRE,
                                    .precision = run->precision,
                                    .n = {120, rows[i], 384},
                                    .seed = 1};
    if (run->small) wish.n[0] = 12, wish.n[1] = rows[i] / 12, wish.n[2] = 16;
    for (int engine = TOR_CLASSIC_STEPWISE; engine <= TOR_CLASSIC_DTS1; engine++) {
      const int gpu = run->bench->gpu >= 0, before = run->bench->rows;
      char label[32];
      const int third = wish.n[1] / 3;
      snprintf(label, sizeof label, "%d", third);
      if (!gpu && engine == TOR_CLASSIC_DTS1) continue;
      tor_classic_measure_slab(run->bench, &wish, 4, (enum tor_classic_own)engine, gpu);
      if (run->bench->rows > before)
        tor_classic_point(run, names[engine], label, third, run->bench->row[before].rate * 1e-6,
                          engine == TOR_CLASSIC_DTS1 && run->precision == TOR_F64 ? 1083 : (double)NAN);
    }
  }
}

const struct tor_classic_figure tor_classic_zakirov_figures[] = {
    {"zakirov-dts1", "Zakirov: DTS 1 in order 4 beside larger tiles", "towers of DTS 1 in a row", "10^6 cells/s", 2, 10,
     dts1},
    {0}};
