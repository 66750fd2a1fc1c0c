/* The towers' kernels, thread by thread on a CPU, against the CPU's stepwise engine: equal bits on random slabs, with
 * warps that are delayed at random.
 *
 *     towers ORDER [first seed [seeds [32 | 64 | 0 [kind]]]]      exit status 0: equal; 1: not, or a barrier went wrong
 *
 * kind: the number of a kind of slabs, from 1; 0: all. */
#include <stdio.h>
#include <stdlib.h>

#include "diamond/gpu/device.h"
#include "diamond/core/engine.h"
#include "tests/support/random_bloch.h"
#include "tests/support/random_segment.h"
#include "tests/support/random_slab.h"

struct kind {
  unsigned features;
  int always, min[3], max[3], share; /* share: one in so many of the seeds */
  double scatter;
};
#ifdef TEST_RACES                      /* each access is checked, at thirty times the price */
enum { OF_MIRRORS = 100 };             /* share: mirrors change signs, not what is read */
enum { STEPS = 4, MOST_RANGE_Z = 16 }; /* a tower waits for each of its barriers of copies more than twice */
#else
enum { OF_MIRRORS = 1 };
enum { STEPS = 5, MOST_RANGE_Z = 1000 };
#endif
enum { MOST_RANGE = 6 };   /* of columns along x and y, above the fewest of a kind in 3-D */
enum { PLANE_STEPS = 15 }; /* rounds of 8, 4, 2 and 1 steps */

static int check(const struct kind *k, int order, enum tor_precision precision, uint64_t seed) {
  int max[3];
  for (int a = 0; a < 3; a++) {
    const int range = a == TOR_Z ? MOST_RANGE_Z : k->features & RANDOM_PLANE ? k->max[a] : MOST_RANGE;
    max[a] = k->max[a] < k->min[a] + range ? k->max[a] : k->min[a] + range;
  }
  const struct random_slab_options options = {.order = order,
                                              .precision = precision,
                                              .features = k->features,
                                              .always = k->always,
                                              .min = {k->min[0], k->min[1], k->min[2]},
                                              .max = {max[0], max[1], max[2]},
                                              .steps = k->features & RANDOM_PLANE ? PLANE_STEPS : STEPS,
                                              .scatter = k->scatter};
  struct random_slab *expected = random_slab_new(&options, seed), *got = random_slab_new(&options, seed);
  struct random_slab *other[2] = {NULL, NULL};
  for (int i = 0; i < 2 && k->features & RANDOM_BLOCH; i++) {
    other[i] = random_slab_new(&options, seed);
    random_bloch_join(i ? got : expected, other[i]);
  }
  if (expected->slab.segments)
    random_segments_run(expected);
  else
    tor_engine_run(&expected->slab, &expected->stage, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 8});
  char steps[8];
  snprintf(steps, sizeof steps, "%d", 8 >> seed % 4);
  setenv("TORRE_GPU_PLANE_STEPS", steps, 1);
  struct tor_device *gpu = tor_device_open(&got->slab, 0, 0, NULL);
  gpu->ops->run(gpu, &got->stage, TOR_ENGINE_DIAMOND);
  gpu->ops->fetch(gpu, &got->slab);
  gpu->ops->close(gpu);
  int different = random_slab_compare(expected, got, stdout);
  if (other[0]) different += random_slab_compare(other[0], other[1], stdout);
  printf("%s, seed %llu: ", different ? "FAILED" : "equal", (unsigned long long)seed);
  random_slab_describe(expected, stdout);
  fflush(stdout);
  for (int i = 0; i < 2; i++)
    if (other[i])
      random_bloch_free(i ? got : expected, other[i]);
    else
      random_slab_free(i ? got : expected);
  return different > 0;
}

/* Layers stand before a PEC alone. */
enum {
  ALL = RANDOM_ALL & ~RANDOM_ENERGY,
  LAYERS = ALL & ~(RANDOM_PMC | RANDOM_PMC_Z),
  SMEM = RANDOM_SIMPLE | RANDOM_SMEM,
  PLANE = RANDOM_PLANE | RANDOM_SMEM /* uniform coefficients of H */
};
static const struct kind kinds[] = {
    {ALL, 0, {15, 15, 8}, {30, 30, 60}, 1, 0.02},
    {LAYERS, 1, {10, 10, 100}, {20, 20, 256}, 1, 0.02},
    {RANDOM_LAYERED | RANDOM_COEF | RANDOM_PMC_Z, 1, {20, 20, 60}, {26, 26, 200}, 1, 0.02},
    {RANDOM_LAYERED | RANDOM_CPML_XY | RANDOM_CPML_Z, 1, {24, 24, 8}, {40, 40, 120}, 1, 0}, /* layers alone */
    {RANDOM_LAYERED | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_INJECT | RANDOM_RECORD,
     0,
     {34, 34, 20},
     {44, 44, 80},
     1,
     0.01}, /* away from walls */
    {RANDOM_LAYERED | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_PLANES,
     0,
     {34, 34, 20},
     {44, 44, 80},
     1,
     0.002}, /* planes */
    {RANDOM_LAYERED | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_SIMPLE,
     0,
     {30, 30, 20},
     {40, 40, 80},
     1,
     0.2}, /* simple poles */
    {RANDOM_LAYERED | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_SIMPLE | RANDOM_PLANES,
     0,
     {34, 34, 20},
     {44, 44, 80},
     2,
     0.002}, /* the same with planes */
    {RANDOM_LAYERED | RANDOM_NODES | RANDOM_CPML_XY | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_INJECT |
         RANDOM_RECORD | SMEM,
     0,
     {15, 15, 20},
     {24, 24, 256},
     1,
     0.2}, /* shared-memory towers */
    {RANDOM_LAYERED | RANDOM_NODES | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_PLANES | SMEM,
     1,
     {34, 34, 130},
     {40, 40, 200},
     1,
     0.1}, /* shared-memory towers with planes, and tiles away from edges */
    {RANDOM_LAYERED | RANDOM_NODES | RANDOM_CPML_XY | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_PLANES | SMEM,
     1,
     {24, 24, 129},
     {30, 30, 256},
     1,
     0.1}, /* the same at edges */
    {RANDOM_LAYERED | RANDOM_CPML_XY | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_INJECT | RANDOM_RECORD |
         SMEM,
     0,
     {13, 13, 270},
     {17, 17, 600},
     1,
     0.1}, /* shared-memory towers in clusters */
    {RANDOM_LAYERED | RANDOM_CPML_XY | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_PLANES | SMEM,
     1,
     {24, 24, 270},
     {28, 28, 420},
     2,
     0.05}, /* the same with planes */
    {RANDOM_LAYERED | RANDOM_NODES | RANDOM_CPML_XY | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_INJECT |
         RANDOM_RECORD | RANDOM_PMC | RANDOM_PMC_Z | SMEM,
     1,
     {15, 15, 20},
     {20, 20, 256},
     OF_MIRRORS,
     0.2}, /* the same between mirrors */
    {RANDOM_LAYERED | RANDOM_COEF | RANDOM_POLES | RANDOM_PLANES | RANDOM_PMC | RANDOM_PMC_Z | SMEM | RANDOM_DAMPED,
     1,
     {13, 13, 130},
     {17, 17, 300},
     2 * OF_MIRRORS,
     0.05},                                                       /* with planes and absorbers, and in clusters */
    {LAYERS, 1, {10, 10, 257}, {12, 12, 500}, 2, 0.02},           /* clusters */
    {ALL | RANDOM_DAMPED, 0, {15, 15, 8}, {30, 30, 60}, 2, 0.02}, /* absorbers */
    {RANDOM_LAYERED | RANDOM_COEF | RANDOM_POLES | RANDOM_SIMPLE | RANDOM_PLANES | RANDOM_DAMPED,
     0,
     {34, 34, 20},
     {44, 44, 80},
     1,
     0.002},                                                                            /* the same away from walls */
    {LAYERS | RANDOM_SIMPLE | RANDOM_DAMPED, 1, {10, 10, 257}, {12, 12, 500}, 2, 0.02}, /* and in clusters */
    {RANDOM_LAYERED | RANDOM_CPML_XY | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_INJECT | RANDOM_RECORD |
         SMEM | RANDOM_DAMPED,
     0,
     {15, 15, 129},
     {24, 24, 256},
     1,
     0.1}, /* absorbers in shared-memory towers */
    {RANDOM_LAYERED | RANDOM_COEF | RANDOM_POLES | RANDOM_PLANES | SMEM | RANDOM_DAMPED,
     1,
     {24, 24, 130},
     {28, 28, 300},
     2,
     0.05}, /* the same with planes, and in clusters */
    {PLANE | RANDOM_CPML_XY | RANDOM_CPML_Z, 0, {1, 60, 130}, {1, 110, 330}, 1, 0}, /* 2-D: panels between layers */
    {PLANE | RANDOM_LAYERED | RANDOM_COEF, 1, {1, 60, 130}, {1, 110, 330}, 2, 0.1}, /* with coefficients of their own */
    {PLANE | ALL, 0, {1, 60, 130}, {1, 130, 400}, 2, 0},                            /* panels beside all else */
    {PLANE | RANDOM_INJECT, 1, {1, 500, 130}, {1, 500, 134}, 1, 0.1}, /* rows of sources, and panels up to them */
    {PLANE | ALL | RANDOM_PERIODIC, 0, {1, 60, 130}, {1, 130, 300}, 3, 0},
    {PLANE | RANDOM_DAMPED, 0, {1, 80, 130}, {1, 130, 400}, 3, 0},
    {ALL | RANDOM_RING, 0, {8, 5, 5}, {20, 18, 70}, 2, 0.05}, /* rings of towers, and ends of z that meet */
    {(ALL & ~(RANDOM_PMC | RANDOM_INJECT | RANDOM_RECORD)) | RANDOM_RING, 0, {26, 26, 20}, {34, 36, 70}, 2, 0.005},
    {(ALL & ~(RANDOM_RECORD | RANDOM_PLANES)) | RANDOM_RING | RANDOM_BLOCH,
     0,
     {8, 5, 5},
     {16, 18, 70},
     1,
     0.05}, /* complex fields */
    {(ALL & ~(RANDOM_RECORD | RANDOM_PLANES)) | RANDOM_RING | RANDOM_BLOCH,
     0,
     {10, 5, 257},
     {12, 12, 300},
     2,
     0.05}, /* and in clusters along z */
    {(ALL & ~(RANDOM_PMC_Z | RANDOM_CPML_Z)) | RANDOM_RING | RANDOM_SEGMENTS,
     0,
     {8, 5, 128},
     {16, 18, 128},
     1,
     0.05}, /* slabs side by side along z */
};

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "towers ORDER [first seed [seeds [32 | 64 | 0 [kind]]]]\n");
    return 2;
  }
  const int order = atoi(argv[1]), first = argc > 2 ? atoi(argv[2]) : 1, seeds = argc > 3 ? atoi(argv[3]) : 1,
            bits = argc > 4 ? atoi(argv[4]) : 0, only = argc > 5 ? atoi(argv[5]) : 0;
  int failures = 0;
  for (int seed = first; seed < first + seeds; seed++)
    for (int bytes = 4; bytes <= 8; bytes += 4)
      for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if ((only ? only == (int)k + 1 : seed % kinds[k].share == 0) && (!bits || bits == 8 * bytes))
          failures += check(&kinds[k], order, bytes == 4 ? TOR_F32 : TOR_F64, (uint64_t)seed);
  return failures > 0;
}
