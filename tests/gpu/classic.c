/* The classic mappings' kernels against the loops on the CPU: equal bits of all points, from random fields, media and
 * cells that are no cubes, in both orders of operations; odd sizes, all forms of all authors.
 *
 *     classic [first seed [seeds [32 | 64]]]      exit status 0: equal; 1: not; 77: no GPU */
#include <stdio.h>
#include <stdlib.h>

#include "diamond/classic/classic.h"
#include "diamond/classic/classic_case.h"
#include "diamond/classic/classic_dts1.h"
#include "diamond/core/engine.h"
#include "diamond/gpu/device.h"
#include "tests/support/random_slab.h"

enum { STEPS = 4, BLOCKS = 4 };

struct form {
  enum tor_classic_engine engine;
  unsigned variant;
  int block[BLOCKS][2]; /* one of them, by the seed */
  int chunk;
};
static const struct form forms[] = {
    {TOR_CLASSIC_TAKADA_SHARED, 0, {{16, 16}, {32, 4}, {5, 3}, {1, 64}}, 1},
    {TOR_CLASSIC_TAKADA_SHARED, 0, {{64, 1}, {7, 1}, {2, 32}, {33, 2}}, 1},
    {TOR_CLASSIC_TAKADA_PLAIN, 0, {{16, 16}, {64, 4}, {5, 3}, {1, 64}}, 1},
    {TOR_CLASSIC_DEMIR_XYZ, 0, {{32, 1}, {64, 1}, {96, 1}, {128, 1}}, 1},
    {TOR_CLASSIC_DEMIR_XY, 0, {{64, 1}, {32, 1}, {128, 1}, {96, 1}}, 1},
    {TOR_CLASSIC_DEMIR_XYZ, TOR_CLASSIC_INDEX, {{32, 1}, {64, 1}, {96, 1}, {128, 1}}, 1},
    {TOR_CLASSIC_DEMIR_XY, TOR_CLASSIC_INDEX, {{64, 1}, {32, 1}, {128, 1}, {96, 1}}, 1},
    {TOR_CLASSIC_GIRAUD_1, 0, {{4, 4}, {16, 16}, {1, 1}, {3, 5}}, 1},
    {TOR_CLASSIC_GIRAUD_1, TOR_CLASSIC_OLD, {{4, 4}, {6, 6}, {2, 2}, {3, 5}}, 1},
    {TOR_CLASSIC_GIRAUD_1, TOR_CLASSIC_CONSTANT | TOR_CLASSIC_ALONG_I, {{16, 2}, {32, 1}, {5, 3}, {8, 8}}, 1},
    {TOR_CLASSIC_GIRAUD_1, TOR_CLASSIC_SHARED, {{4, 4}, {8, 2}, {16, 16}, {3, 5}}, 1},
    {TOR_CLASSIC_GIRAUD_1, TOR_CLASSIC_CUBE, {{4, 4}, {16, 2}, {32, 1}, {5, 3}}, 1},
    {TOR_CLASSIC_GIRAUD_2, 0, {{4, 4}, {16, 16}, {1, 1}, {3, 5}}, 1},
    {TOR_CLASSIC_GIRAUD_2, TOR_CLASSIC_SYNC, {{4, 4}, {16, 16}, {2, 2}, {3, 5}}, 1},
    {TOR_CLASSIC_GIRAUD_2, TOR_CLASSIC_ALONG_I | TOR_CLASSIC_OLD, {{4, 4}, {32, 1}, {2, 2}, {5, 3}}, 1},
    {TOR_CLASSIC_GIRAUD_3, 0, {{32, 1}, {64, 1}, {1, 1}, {5, 1}}, 1},
    {TOR_CLASSIC_GIRAUD_3, 0, {{4, 1}, {2, 1}, {3, 1}, {1, 1}}, 3},
};

static struct tor_classic_wish wish_of(const struct form *f, uint64_t seed, enum tor_precision precision) {
  const int plane = f->engine <= TOR_CLASSIC_TAKADA_PLAIN, demir = f->engine <= TOR_CLASSIC_DEMIR_XY;
  struct tor_classic_wish w = {.precision = precision, .seed = seed, .random = 1};
  w.scheme = plane ? (seed & 1 ? TOR_CLASSIC_TM : TOR_CLASSIC_TE) : demir ? TOR_CLASSIC_MEDIA : TOR_CLASSIC_UNIFORM;
  w.rule = seed & 2 ? TOR_CLASSIC_AUTHOR : TOR_CLASSIC_TORRE;
  w.open = !demir && seed & 1;
  w.e_first = !demir && seed & 2;
  const int most = plane ? 66 : 17; /* and sizes of which a row fills the padding */
  for (int a = 0; a < 3; a++) w.n[a] = 3 + (int)((seed * 7 + (uint64_t)a * 5 + (uint64_t)f->variant) % (unsigned)most);
  if (seed % 3 == 0) w.n[0] = plane ? 63 : 15;
  if (!demir && seed % 4 == 1) {
    w.source = TOR_EZ;
    w.sourced = STEPS;
  }
  if (plane && seed % 4 >= 2) {
    w.source = w.scheme == TOR_CLASSIC_TM ? TOR_EZ : TOR_HZ;
    w.sourced = STEPS;
  }
  return w;
}

/* Whether a component differs. */
static int compare(const struct tor_classic_problem *expected, const struct tor_classic_problem *got) {
  int different = 0;
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    tor_gidx at = 0;
    const tor_gidx count = tor_classic_differences(expected, got, comp, &at);
    if (count)
      printf("  %s: %lld values differ, the first at %lld\n", tor_comp_name(comp), (long long)count, (long long)at);
    different |= count > 0;
  }
  return different;
}

static int check(const struct form *f, uint64_t seed, enum tor_precision precision) {
  struct tor_classic_problem expected, got;
  struct tor_faults faults = {0};
  const struct tor_classic_wish wish = wish_of(f, seed, precision);
  tor_classic_make(&expected, &wish);
  tor_classic_make(&got, &wish);
  const int *block = f->block[seed % BLOCKS];
  struct tor_classic_launch launch = {
      .engine = f->engine, .variant = f->variant, .block = {block[0], block[1]}, .chunk = f->chunk};
  tor_classic_defaults(&launch, &got.c);
  tor_classic_check(&got.c, &launch, &faults);
  int different = faults.count > 0;
  tor_faults_print(&faults, stdout);
  tor_faults_free(&faults);
  if (!different) {
    tor_classic_run(&expected.c, expected.field, 0, STEPS, 3, 2);
    struct tor_classic_gpu *gpu = tor_classic_gpu_open(&got.c, &launch, 0, got.field, STEPS);
    tor_classic_gpu_run(gpu, 0, 1);
    tor_classic_gpu_run(gpu, 1, STEPS - 1);
    tor_classic_gpu_fetch(gpu, got.field);
    tor_classic_gpu_close(gpu);
    different = compare(&expected, &got);
  }
  if (different)
    printf("FAILED, seed %llu: %s, variant %u, block %d x %d, %d x %d x %d cells, scheme %d, rule %d, fp%d\n",
           (unsigned long long)seed, tor_classic_name(f->engine), f->variant, block[0], block[1], wish.n[0], wish.n[1],
           wish.n[2], (int)wish.scheme, (int)wish.rule, 8 * (int)precision);
  fflush(stdout);
  tor_classic_free(&expected);
  tor_classic_free(&got);
  return different;
}

/* Towers of DTS 1 against the stepwise engine, in two stages. */
static int check_dts1(uint64_t seed, enum tor_precision precision) {
  const struct random_slab_options options = {.order = 4,
                                              .precision = precision,
                                              .min = {5, 5, 4},
                                              .max = {17, 17, seed % 4 ? 40 : 64},
                                              .steps = seed % 2 ? 5 : 11};
  struct random_slab *expected = random_slab_new(&options, seed), *got = random_slab_new(&options, seed);
  const struct tor_engine_setup setup = {TOR_ENGINE_STEPWISE, 1, 2};
  struct tor_faults faults = {0};
  tor_classic_dts1_check(got->slab.n, precision, &faults);
  tor_engine_run(&expected->slab, &expected->stage, &setup);
  struct tor_classic_dts1 *gpu = tor_classic_dts1_open(&got->slab, 0);
  tor_classic_dts1_run(gpu, 2);
  tor_classic_dts1_run(gpu, options.steps - 2);
  tor_classic_dts1_fetch(gpu, &got->slab);
  tor_classic_dts1_close(gpu);
  const int different = random_slab_compare(expected, got, stdout) + faults.count;
  if (different) {
    printf("FAILED, seed %llu, dts1, fp%d: ", (unsigned long long)seed, 8 * (int)precision);
    random_slab_describe(expected, stdout);
  }
  fflush(stdout);
  tor_faults_free(&faults);
  random_slab_free(expected);
  random_slab_free(got);
  return different > 0;
}

int main(int argc, char **argv) {
  const int first = argc > 1 ? atoi(argv[1]) : 1, seeds = argc > 2 ? atoi(argv[2]) : 4,
            bits = argc > 3 ? atoi(argv[3]) : 0;
#ifndef TEST_ON_CPU
  if (!tor_device_count()) {
    printf("%s\n", tor_device_absence());
    return 77;
  }
#endif
  int failures = 0, count = 0;
  for (int seed = first; seed < first + seeds; seed++)
    for (int bytes = 4; bytes <= 8; bytes += 4) {
      if (bits && bits != 8 * bytes) continue;
      const enum tor_precision precision = bytes == 4 ? TOR_F32 : TOR_F64;
      for (size_t f = 0; f < sizeof forms / sizeof *forms; f++, count++)
        failures += check(&forms[f], (uint64_t)seed, precision);
      failures += check_dts1((uint64_t)seed, precision);
      count++;
    }
  printf("%d of %d cases differ\n", failures, count);
  return failures > 0;
}
