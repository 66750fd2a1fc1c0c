/* The GPU engines against the CPU's stepwise engine: equal bits on random slabs with all features. A GPU that cannot
 * run towers is tested with its stepwise engine.
 *
 *     engines [seeds [32 | 64 | 0 [2 | 4 | 0 [kinds [first]]]]]      exit status 0: equal; 1: not; 77: no GPU
 *
 * kinds: number of kinds of slabs, the small ones first; of them those from number `first` on. */
#include <stdio.h>
#include <stdlib.h>

#include "diamond/core/engine.h"
#include "diamond/gpu/device.h"
#include "tests/support/random_slab.h"

static int check(const char *name, const struct random_slab_options *options, uint64_t seed) {
  struct random_slab *expected = random_slab_new(options, seed);
  tor_engine_run(&expected->slab, &expected->stage, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 8});
  int failures = 0;
  const int towers =
      options->features & RANDOM_PLANE || (tor_device_has_towers(0) && tor_device_has_rows(&expected->slab));
  for (int diamond = 0; diamond <= towers; diamond++) {
    struct random_slab *got = random_slab_new(options, seed);
    struct tor_device *gpu = tor_device_open(&got->slab, 0, 0, NULL);
    gpu->ops->run(gpu, &got->stage, diamond ? TOR_ENGINE_DIAMOND : TOR_ENGINE_STEPWISE);
    gpu->ops->fetch(gpu, &got->slab);
    gpu->ops->close(gpu);
    if (random_slab_compare(expected, got, stdout)) {
      failures++;
      printf("FAILED %s, %s, seed %llu: ", name, diamond ? "diamond" : "stepwise", (unsigned long long)seed);
      random_slab_describe(expected, stdout);
    }
    random_slab_free(got);
  }
  random_slab_free(expected);
  return failures;
}

/* The kinds of slabs. */
enum {
  PLAIN = RANDOM_LAYERED | RANDOM_CPML_Z,
  NO_PMC_Z = RANDOM_ALL & ~(unsigned)RANDOM_PMC_Z,
  METALS = RANDOM_COEF | RANDOM_POLES | RANDOM_SIMPLE,
  METALS_AND_MORE = PLAIN | METALS | RANDOM_PLANES | RANDOM_RECORD,
  SMEM = PLAIN | RANDOM_CPML_XY | METALS | RANDOM_SMEM,
  LISTS = RANDOM_INJECT | RANDOM_RECORD,
  PANELS = RANDOM_PLANE | RANDOM_SMEM, /* uniform coefficients of H */
  LAYERED_SMEM = RANDOM_LAYERED | METALS | RANDOM_SMEM | RANDOM_PLANES
};
static const struct {
  const char *name;
  unsigned features;
  int always, min[3], max[3], steps, share; /* share of the seeds, in percent */
  double scatter;
} kind[] = {
    {"small", RANDOM_ALL, 0, {1, 1, 1}, {30, 30, 50}, 6, 400, 0.05},
    {"2-D", RANDOM_ALL | RANDOM_PLANE, 0, {1, 1, 1}, {1, 60, 300}, 9, 400, 0.05},
    {"periodic, small", RANDOM_ALL | RANDOM_PERIODIC, 0, {1, 1, 1}, {30, 30, 50}, 6, 200, 0.05},
    {"plain", RANDOM_LAYERED, 0, {50, 50, 8}, {90, 120, 256}, 24, 100, 0},
    {"layered", PLAIN, 1, {50, 50, 16}, {90, 120, 256}, 24, 100, 0},
    {"medium", NO_PMC_Z, 0, {50, 50, 10}, {90, 90, 100}, 20, 100, 0.002},
    {"poles", RANDOM_LAYERED | METALS, 1, {50, 50, 10}, {90, 90, 100}, 20, 100, 0.1},
    {"poles and more", METALS_AND_MORE, 0, {50, 50, 10}, {90, 90, 600}, 20, 100, 0.002},
    {"smem", SMEM | RANDOM_NODES | LISTS, 0, {50, 50, 129}, {90, 90, 256}, 20, 200, 0.05},
    {"smem, planes", SMEM | RANDOM_NODES | RANDOM_PLANES, 1, {50, 50, 129}, {90, 90, 256}, 20, 200, 0.05},
    {"tall smem", SMEM | LISTS, 0, {40, 40, 257}, {60, 60, 900}, 16, 100, 0.05},
    {"tall smem, planes", SMEM | RANDOM_PLANES, 1, {40, 40, 257}, {60, 60, 600}, 16, 100, 0.05},
    {"tall", NO_PMC_Z, 0, {30, 30, 257}, {50, 60, 1200}, 9, 50, 0.002},
    {"absorbers, small", RANDOM_ALL | RANDOM_DAMPED, 0, {4, 4, 4}, {30, 30, 50}, 6, 200, 0.05},
    {"absorbers", RANDOM_ALL | RANDOM_DAMPED, 0, {50, 50, 10}, {90, 90, 300}, 20, 100, 0.002},
    {"absorbers, smem", SMEM | LISTS | RANDOM_DAMPED, 0, {40, 40, 129}, {60, 60, 600}, 16, 200, 0.05},
    {"absorbers, smem, planes", LAYERED_SMEM | RANDOM_DAMPED, 1, {50, 50, 129}, {90, 90, 400}, 16, 200, 0.05},
    {"periodic", RANDOM_ALL | RANDOM_PERIODIC, 0, {50, 50, 10}, {90, 90, 300}, 12, 100, 0.002},
    {"rings", RANDOM_ALL | RANDOM_RING, 0, {40, 40, 10}, {60, 60, 128}, 12, 200, 0.01},
    {"rings, plain", RANDOM_LAYERED | RANDOM_RING, 1, {50, 50, 10}, {90, 120, 256}, 24, 100, 0},
    {"absorbers, poles", METALS_AND_MORE | RANDOM_DAMPED, 0, {50, 50, 10}, {90, 90, 600}, 20, 200, 0.01},
    {"2-D, panels", PANELS | RANDOM_LAYERED | RANDOM_COEF, 0, {1, 200, 300}, {1, 500, 900}, 31, 400, 0.01},
    {"2-D, panels and all", PANELS | RANDOM_ALL, 0, {1, 300, 300}, {1, 600, 900}, 31, 400, 0},
    {"2-D, periodic", PANELS | RANDOM_ALL | RANDOM_PERIODIC, 0, {1, 300, 300}, {1, 600, 900}, 31, 200, 0},
    {"2-D, absorbers", PANELS | RANDOM_ALL | RANDOM_DAMPED, 0, {1, 300, 300}, {1, 600, 900}, 31, 200, 0},
};

int main(int argc, char **argv) {
  if (!tor_device_count()) {
    printf("no GPU\n");
    return 77;
  }
  const int seeds = argc > 1 ? atoi(argv[1]) : 4, bits = argc > 2 ? atoi(argv[2]) : 0,
            only = argc > 3 ? atoi(argv[3]) : 0, first = argc > 5 ? atoi(argv[5]) : 0;
  const size_t kinds = argc > 4 ? (size_t)atoi(argv[4]) : SIZE_MAX;
  int failures = 0;
  for (int order = 2; order <= 4; order += 2)
    for (int bytes = 4; bytes <= 8; bytes += 4)
      for (size_t k = (size_t)first; k < sizeof kind / sizeof *kind && k < kinds; k++) {
        if ((bits && bits != 8 * bytes) || (only && only != order)) continue;
        struct random_slab_options options = {.order = order,
                                              .precision = bytes == 4 ? TOR_F32 : TOR_F64,
                                              .features = kind[k].features,
                                              .always = kind[k].always,
                                              .steps = kind[k].steps,
                                              .scatter = kind[k].scatter};
        for (int a = 0; a < 3; a++) {
          options.min[a] = kind[k].min[a];
          options.max[a] = kind[k].max[a];
        }
        int count = (seeds * kind[k].share + 99) / 100, failed = 0;
        for (int seed = 0; seed < count; seed++) failed += check(kind[k].name, &options, (uint64_t)seed + 1000 * k);
        printf("%s order %d f%d: %d slabs, %d failures\n", kind[k].name, order, 8 * bytes, count, failed);
        fflush(stdout);
        failures += failed;
      }
  return failures > 0;
}
