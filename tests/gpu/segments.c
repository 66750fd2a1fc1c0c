/* Slabs side by side along z on a GPU (tor_slab.segments) against each of them alone on the CPU: equal bits of random
 * slabs with all that towers run where the ends of z meet, and of packs of slabs (diamond/core/pack.h), with surface
 * nodes.
 *
 *     segments [first seed [seeds [32 | 64 | 0 [2 | 4 | 0 [small]]]]]      exit status 0: equal; 1: not; 77: no GPU
 *
 * small: fewer columns, for a GPU that is a CPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "diamond/core/engine.h"
#include "diamond/core/pack.h"
#include "diamond/gpu/device.h"
#include "tests/support/random_pack.h"
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
  struct random_slab_options options = {.order = order,
                                        .precision = precision,
                                        .features = k->features,
                                        .always = k->always,
                                        .steps = small ? 5 : 16,
                                        .scatter = k->scatter};
  for (int a = 0; a < 3; a++) {
    options.min[a] = k->min[a];
    options.max[a] = k->max[a];
  }
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

enum {
  MOST_PARTS = 4,
  OF_PARTS = RANDOM_PMC | RANDOM_CPML_XY | RANDOM_LAYERED | RANDOM_COEF | RANDOM_LOSSY | RANDOM_POLES | RANDOM_INJECT |
             RANDOM_RECORD | RANDOM_PLANES | RANDOM_NODES
};

/* n slabs of a seed with contents of their own. */
static void make_parts(struct random_slab **part, struct tor_slab **slab, int n, int order,
                       enum tor_precision precision, uint64_t seed) {
  for (int k = 0; k < n; k++) {
    const struct random_slab_options options = {.order = order,
                                                .precision = precision,
                                                .features = OF_PARTS | (seed % 2 ? RANDOM_SIMPLE : 0),
                                                .min = {9, 9, 7},
                                                .max = {16, 16, order == 4 && precision == TOR_F64 ? 32 : 64},
                                                .steps = 6,
                                                .scatter = 0.2,
                                                .contents = 1 + (uint64_t)k};
    part[k] = random_slab_new(&options, seed);
    slab[k] = &part[k]->slab;
    random_pack_close_z(slab[k]);
    random_pack_set_ghosts(slab[k]);
  }
  random_pack_agree_on_nodes(slab, n);
}

/* Advances the parts as one. */
static void run_packed(struct random_slab *const *part, struct tor_slab *const *slab, int n) {
  const int skip[MOST_PARTS] = {0}, pitch = (slab[0]->n[TOR_Z] + 31) / 32 * 32;
  const struct tor_stage *stage[MOST_PARTS];
  struct tor_stage packed;
  struct tor_pack pack;
  for (int k = 0; k < n; k++) stage[k] = &part[k]->stage;
  tor_pack_make(&pack, slab, n, pitch, 1);
  tor_pack_stage(&pack, stage, skip, part[0]->stage.steps, &packed);
  struct tor_device *gpu = tor_device_open(&pack.slab, 0, 0, NULL);
  gpu->ops->run(gpu, &packed, TOR_ENGINE_DIAMOND);
  gpu->ops->fetch(gpu, &pack.slab);
  gpu->ops->close(gpu);
  for (int k = 0; k < n; k++) {
    tor_pack_take(&pack, k);
    tor_pack_take_energy(&pack, k);
  }
  tor_pack_free(&pack);
}

static int check_pack(int order, enum tor_precision precision, uint64_t seed) {
  struct random_slab *part[MOST_PARTS], *alone[MOST_PARTS];
  struct tor_slab *slab[MOST_PARTS];
  const int n = order == 4 && precision == TOR_F64 ? 2 + (int)(seed % 3) : MOST_PARTS;
  make_parts(alone, slab, n, order, precision, seed);
  make_parts(part, slab, n, order, precision, seed);
  const int runs = order == 2 || slab[0]->n[TOR_Z] % 32 != 1; /* tor_device_no_rings */
  if (runs) run_packed(part, slab, n);
  int bad = 0;
  for (int k = 0; k < n && runs; k++) {
    tor_engine_run(&alone[k]->slab, &alone[k]->stage, &(struct tor_engine_setup){TOR_ENGINE_STEPWISE, 1, 8});
    bad += random_slab_compare(alone[k], part[k], stdout);
  }
  printf("%s, seed %llu, pack of %d: ", bad ? "FAILED" : "equal", (unsigned long long)seed, n);
  random_slab_describe(alone[0], stdout);
  fflush(stdout);
  for (int k = 0; k < n; k++) {
    random_slab_free(alone[k]);
    random_slab_free(part[k]);
  }
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
      for (int bytes = 4; bytes <= 8; bytes += 4) {
        if ((bits && bits != 8 * bytes) || (only && only != order)) continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++, slabs++)
          failures += check(&kinds[k], order, bytes == 4 ? TOR_F32 : TOR_F64, (uint64_t)seed, small);
        failures += check_pack(order, bytes == 4 ? TOR_F32 : TOR_F64, (uint64_t)seed);
        slabs++;
      }
  printf("%d slabs with segments, %d failures\n", slabs, failures);
  return failures > 0;
}
