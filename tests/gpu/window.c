/* The moving window against the CPU's stepwise engine: equal bits on random slabs that are several times longer than
 * the window, over several stages, so that the window passes over them more than once.
 *
 *     window [seeds [32 | 64 | 0 [2 | 4 | 0 [kinds [NAME]]]]]      exit status 0: equal; 1: not; 77: no GPU with towers
 *
 * kinds: number of kinds of slabs, the small ones first. NAME: only kinds whose names begin with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/engine.h"
#include "diamond/gpu/device.h"
#include "tests/support/random_bloch.h"
#include "tests/support/random_slab.h"

enum { STAGES = 3 };

/* Bytes of a window for a stage and a few columns more, whose number depends on `seed`; each array takes at least 2
 * MiB. */
static double window_bytes(const struct tor_slab *slab, int steps, uint64_t seed) {
  const double granule = 2 << 20, columns = (slab->order == 4 ? 3 : 1) * (steps + 4) + 18 + (double)(seed % 5 * 7);
  const int own = slab->damping[0] ? 12 : 0; /* coefficients in absorbers */
  const double column =
      (double)(slab->n[1] + 1) * ((6 + own) * slab->nzp + 4 * (slab->zlo + slab->zhi)) * slab->precision;
  return slab->other ? 2 * columns * column + 10 * granule : columns * column + 7 * granule;
}

/* A slab, or the real part of complex fields. */
static struct random_slab *make(const struct random_slab_options *options, uint64_t seed, struct random_slab **other) {
  struct random_slab *slab = random_slab_new(options, seed);
  *other = options->features & RANDOM_BLOCH ? random_slab_new(options, seed) : NULL;
  if (*other) random_bloch_join(slab, *other);
  return slab;
}
static void discard(struct random_slab *slab, struct random_slab *other) {
  if (other)
    random_bloch_free(slab, other);
  else
    random_slab_free(slab);
}

static int check(const char *name, const struct random_slab_options *options, uint64_t seed, int *moved) {
  struct random_slab *other[2], *expected = make(options, seed, &other[0]), *got = make(options, seed, &other[1]);
  const double bytes = window_bytes(&got->slab, options->steps, seed);
  struct tor_device *gpu = tor_device_open(&got->slab, 0, bytes, NULL);
  for (int stage = 0; stage < STAGES; stage++) {
    tor_engine_run(&expected->slab, &expected->stage, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 8});
    gpu->ops->run(gpu, &got->stage, TOR_ENGINE_DIAMOND);
  }
  gpu->ops->fetch(gpu, &got->slab);
  gpu->ops->close(gpu);
  const int parts = other[0] ? 2 : 1;
  *moved += parts * (double)tor_slab_columns(&got->slab) * 6 * got->slab.nzp * got->slab.precision > bytes;
  int failed = random_slab_compare(expected, got, stdout) != 0;
  if (other[0]) failed |= random_slab_compare(other[0], other[1], stdout) != 0;
  if (failed) {
    printf("FAILED %s, seed %llu: ", name, (unsigned long long)seed);
    random_slab_describe(expected, stdout);
  }
  discard(got, other[1]);
  discard(expected, other[0]);
  return failed;
}

static const struct {
  const char *name;
  unsigned features;
  int min[3], max[3], steps;
  double scatter;
} kind[] = {
    {"short", RANDOM_ALL, {400, 24, 44}, {420, 28, 48}, 4, 0.02},
    {"all", RANDOM_ALL, {300, 20, 40}, {600, 40, 60}, 6, 0.02},
    {"plain", RANDOM_LAYERED | RANDOM_CPML_Z, {300, 30, 40}, {600, 60, 100}, 12, 0},
    {"one sweep a stage", RANDOM_ALL & ~(unsigned)RANDOM_ENERGY, {300, 20, 40}, {600, 40, 60}, 11, 0.002},
    {"absorbers", RANDOM_ALL | RANDOM_DAMPED, {300, 20, 40}, {600, 40, 60}, 6, 0.02},
    {"smem",
     RANDOM_LAYERED | RANDOM_NODES | RANDOM_CPML_XY | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_INJECT |
         RANDOM_RECORD | RANDOM_ENERGY | RANDOM_SIMPLE | RANDOM_SMEM,
     {300, 20, 129},
     {400, 30, 160},
     9,
     0.1},
    {"rings", RANDOM_ALL | RANDOM_RING, {400, 24, 44}, {420, 30, 48}, 4, 0.02},
    {"complex",
     (RANDOM_ALL & ~(RANDOM_RECORD | RANDOM_PLANES)) | RANDOM_RING | RANDOM_BLOCH,
     {360, 19, 28},
     {370, 24, 32}, /* rings of 24 cells, which all towers divide */
     2,
     0.02},
    {"tall shared-memory towers",
     RANDOM_LAYERED | RANDOM_CPML_XY | RANDOM_CPML_Z | RANDOM_COEF | RANDOM_POLES | RANDOM_INJECT | RANDOM_RECORD |
         RANDOM_ENERGY | RANDOM_SIMPLE | RANDOM_SMEM,
     {300, 12, 270},
     {330, 16, 320},
     9,
     0.1},
};

int main(int argc, char **argv) {
  if (!tor_device_count() || !tor_device_has_towers(0)) {
    printf("no GPU that runs towers\n");
    return 77;
  }
  const int seeds = argc > 1 ? atoi(argv[1]) : 4, bits = argc > 2 ? atoi(argv[2]) : 0,
            only = argc > 3 ? atoi(argv[3]) : 0;
  const size_t kinds = argc > 4 ? (size_t)atoi(argv[4]) : SIZE_MAX;
  int failures = 0, moved = 0;
  for (int order = 2; order <= 4; order += 2)
    for (int bytes = 4; bytes <= 8; bytes += 4)
      for (size_t k = 0; k < sizeof kind / sizeof *kind && k < kinds; k++) {
        if (argc > 5 && strncmp(kind[k].name, argv[5], strlen(argv[5])) != 0) continue;
        if ((bits && bits != 8 * bytes) || (only && only != order)) continue;
        struct random_slab_options options = {.order = order,
                                              .precision = bytes == 4 ? TOR_F32 : TOR_F64,
                                              .features = kind[k].features,
                                              .steps = kind[k].steps,
                                              .scatter = kind[k].scatter};
        for (int a = 0; a < 3; a++) {
          options.min[a] = kind[k].min[a];
          options.max[a] = kind[k].max[a];
        }
        int failed = 0;
        for (int seed = 0; seed < seeds; seed++)
          failed += check(kind[k].name, &options, (uint64_t)seed + 1000 * k, &moved);
        printf("%s order %d f%d: %d slabs, %d failures\n", kind[k].name, order, 8 * bytes, seeds, failed);
        fflush(stdout);
        failures += failed;
      }
  printf("the window was smaller than the fields of %d slabs\n", moved);
  return failures > 0 || moved == 0;
}
