/* The towers' kernels, thread by thread on a CPU, against the CPU's stepwise engine: equal bits on random slabs, with
 * warps that are delayed at random. For one precision.
 *
 *     towers ORDER [first seed [seeds]]      exit status 0: equal; 1: not, or a barrier went wrong */
#include <cstdio>
#include <cstdlib>

#include "../../../diamond/gpu_parts.h"
#include "../../../diamond/update.h"
#include "fibers.h"
extern "C" {
#include "../../../diamond/engine.h"
#include "../../../diamond/site_cpu.h"
#include "../../random_slab.h"
}

struct kind {
  unsigned features;
  int always, min[3], max[3], share; /* share: of the seeds, one in so many */
  double scatter;
};
enum { STEPS = 7 };

static int check(const kind &k, int order, uint64_t seed) {
  const random_slab_options options = {order, TOR_REAL_BITS == 32 ? TOR_F32 : TOR_F64, k.features, k.always,
                                       {k.min[0], k.min[1], k.min[2]}, {k.max[0], k.max[1], k.max[2]}, STEPS, k.scatter};
  random_slab *expected = random_slab_new(&options, seed), *got = random_slab_new(&options, seed);
  const tor_engine_setup setup = {TOR_ENGINE_STEPWISE, 1, 8};
  tor_engine_run(&expected->slab, &expected->stage, &setup);
  on_cpu::delay(seed);
  const unsigned mode = TOR_NAME(tor_site_enter)(); /* denormals as on the GPU */
  tor_gpu_copy *copy = TOR_NAME(tor_gpu_copy_new)(&got->slab, 0);
  TOR_NAME(tor_gpu_copy_run)(copy, &got->stage, 0);
  TOR_NAME(tor_gpu_copy_store)(copy, &got->slab);
  TOR_NAME(tor_gpu_copy_free)(copy);
  TOR_NAME(tor_site_leave)(mode);
  const int different = random_slab_compare(expected, got, stdout);
  printf("%s, seed %llu: ", different ? "FAILED" : "equal", static_cast<unsigned long long>(seed));
  random_slab_describe(expected, stdout);
  fflush(stdout);
  random_slab_free(expected);
  random_slab_free(got);
  return different > 0;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "towers ORDER [first seed [seeds]]\n");
    return 2;
  }
  const int order = atoi(argv[1]), first = argc > 2 ? atoi(argv[2]) : 1, seeds = argc > 3 ? atoi(argv[3]) : 1;
  /* Layers stand before a PEC alone. */
  const unsigned all = RANDOM_ALL & ~unsigned(RANDOM_ENERGY), layers = all & ~unsigned(RANDOM_PMC | RANDOM_PMC_Z);
  const kind kinds[] = {
      {all, 0, {15, 15, 8}, {30, 30, 60}, 1, 0.02},
      {layers, 1, {10, 10, 100}, {20, 20, 256}, 1, 0.02},
      {RANDOM_LAYERED | RANDOM_COEF | RANDOM_PMC_Z, 1, {20, 20, 60}, {26, 26, 200}, 1, 0.02},
      {RANDOM_LAYERED | RANDOM_CPML_XY | RANDOM_CPML_Z, 1, {24, 24, 8}, {40, 40, 120}, 1, 0},
      {layers, 1, {10, 10, 257}, {12, 12, 500}, 2, 0.02}, /* clusters */
  };
  int failures = 0;
  for (int seed = first; seed < first + seeds; seed++)
    for (const kind &k : kinds)
      if (seed % k.share == 0) failures += check(k, order, uint64_t(seed));
  return failures > 0;
}
