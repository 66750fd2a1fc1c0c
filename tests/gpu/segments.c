/* Slabs side by side along z on a GPU (tor_slab.segments) against each of them alone on the CPU: equal bits of random
 * slabs with all that towers run where the ends of z meet.
 *
 *     segments [first seed [seeds [32 | 64 | 0 [2 | 4 | 0 [small]]]]]      exit status 0: equal; 1: not; 77: no GPU
 *
 * small: fewer columns, for a GPU that is a CPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "diamond/gpu/device.h"
#include "tests/support/random_segment.h"

enum {
  EVERY = (RANDOM_ALL & ~(RANDOM_PMC_Z | RANDOM_CPML_Z | RANDOM_NODES)) | RANDOM_RING | RANDOM_SEGMENTS,
  METALS = RANDOM_LAYERED | RANDOM_COEF | RANDOM_POLES | RANDOM_SIMPLE | RANDOM_RING | RANDOM_SEGMENTS
};
static const struct kind {
  unsigned features;
  int always, min[3], max[3];
  double scatter;
} kinds[] = {
    {EVERY, 0, {8, 5, 128}, {40, 40, 256}, 0.05},
    {EVERY & ~(RANDOM_INJECT | RANDOM_RECORD | RANDOM_PLANES), 1, {26, 26, 128}, {60, 60, 256}, 0.005},
    {METALS | RANDOM_PLANES | RANDOM_ENERGY, 1, {26, 26, 128}, {40, 40, 256}, 0.1},
    {RANDOM_LAYERED | RANDOM_RING | RANDOM_SEGMENTS, 1, {20, 20, 128}, {60, 60, 256}, 0}, /* plain columns alone */
};

static int energies_differ(struct tor_device *gpu, const struct tor_slab *slab) {
  int bad = 0;
  for (int k = 0; k < slab->segments; k++) {
    const double *const sums = slab->energy + (size_t)(k * tor_slab_columns(slab)) * TOR_NCOMP;
    double expected = 0;
    for (tor_gidx i = 0; i < tor_slab_columns(slab) * TOR_NCOMP; i++)
      expected += slab->energy_scale[i % TOR_NCOMP] * sums[i];
    const double got = gpu->ops->energy(gpu, k, 0, slab->n[0] + 1, 0, slab->n[1] + 1);
    if (fabs(got - expected) <= 1e-12 * expected) continue;
    printf("  energy of segment %d: %.17g, not %.17g\n", k, got, expected);
    bad = 1;
  }
  return bad;
}

static int check(const struct kind *k, int order, enum tor_precision precision, uint64_t seed, int small) {
  struct random_slab_options options = {order,
                                        precision,
                                        k->features,
                                        k->always,
                                        {k->min[0], k->min[1], k->min[2]},
                                        {k->max[0], k->max[1], k->max[2]},
                                        small ? 5 : 16,
                                        k->scatter};
  for (int a = 0; a < 2 && small; a++) options.max[a] = k->min[a] + 6;
  if (small) options.max[TOR_Z] = 128;
  if (order == 4 && precision == TOR_F64) options.max[TOR_Z] = 128;
  struct random_slab *expected = random_slab_new(&options, seed), *got = random_slab_new(&options, seed);
  random_segments_run(expected);
  struct tor_device *gpu = tor_device_open(&got->slab, 0, 0, NULL);
  gpu->ops->run(gpu, &got->stage, TOR_ENGINE_DIAMOND);
  gpu->ops->fetch(gpu, &got->slab);
  int bad = random_slab_compare(expected, got, stdout) + energies_differ(gpu, &got->slab);
  gpu->ops->close(gpu);
  printf("%s, seed %llu, %d segments of %d: ", bad ? "FAILED" : "equal", (unsigned long long)seed,
         expected->slab.segments, expected->slab.period);
  random_slab_describe(expected, stdout);
  fflush(stdout);
  random_slab_free(expected);
  random_slab_free(got);
  return bad > 0;
}

int main(int argc, char **argv) {
  if (!tor_device_count() || !tor_device_has_towers(0)) {
    printf("no GPU with towers\n");
    return 77;
  }
  const int first = argc > 1 ? atoi(argv[1]) : 1, seeds = argc > 2 ? atoi(argv[2]) : 4,
            bits = argc > 3 ? atoi(argv[3]) : 0, only = argc > 4 ? atoi(argv[4]) : 0, small = argc > 5;
  int failures = 0, slabs = 0;
  for (int seed = first; seed < first + seeds; seed++)
    for (int order = 2; order <= 4; order += 2)
      for (int bytes = 4; bytes <= 8; bytes += 4)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
          if ((bits && bits != 8 * bytes) || (only && only != order)) continue;
          failures += check(&kinds[k], order, bytes == 4 ? TOR_F32 : TOR_F64, (uint64_t)seed, small);
          slabs++;
        }
  printf("%d slabs with segments, %d failures\n", slabs, failures);
  return failures > 0;
}
