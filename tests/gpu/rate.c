/* Rates of the GPU engines on one slab with layered background, and whether they agree.
 *
 *     rate ORDER BITS NX NY NZ STEPS [STEPWISE_STEPS [FEATURES [WALLS [SEGMENTS [PERIOD]]]]]
 *
 * FEATURES: bits of random_slab.h. WALLS: letters: the axes whose ends meet; c: between Bloch walls, in updates of
 * complex cells. SEGMENTS: so many slabs side by side along z, by towers alone, each with the first PERIOD values of
 * its part of z (all of it); the rate is that of their cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/gpu/device.h"
#include "tests/support/random_slab.h"

int main(int argc, char **argv) {
  if (argc < 7) return 2;
  if (!tor_device_count()) {
    printf("no GPU: %s\n", tor_device_absence());
    return 77;
  }
  struct random_slab_options options = {.order = atoi(argv[1]),
                                        .precision = atoi(argv[2]) == 32 ? TOR_F32 : TOR_F64,
                                        .always = 1,
                                        .features = argc > 8 ? (unsigned)atoi(argv[8]) : RANDOM_LAYERED,
                                        .steps = atoi(argv[6])};
  for (int a = 0; a < 3; a++) options.min[a] = options.max[a] = atoi(argv[3 + a]);
  struct random_slab *r = random_slab_new(&options, 1);
  const char *const walls = argc > 9 ? argv[9] : "";
  for (int a = 0; a < 3; a++)
    if (strchr(walls, "xyz"[a])) r->slab.wall[2 * a] = r->slab.wall[2 * a + 1] = TOR_PERIODIC;
  r->slab.segments = argc > 10 ? atoi(argv[10]) : 0;
  if (r->slab.segments) r->slab.period = argc > 11 ? atoi(argv[11]) : tor_slab_segment_pitch(&r->slab);
  struct random_slab *other = strchr(walls, 'c') ? random_slab_new(&options, 1) : NULL;
  if (other) {
    r->slab.other = &other->slab;
    for (int i = 0; i < 6; i++) {
      r->slab.bloch[i / 2][i % 2][0] = 0.8;
      r->slab.bloch[i / 2][i % 2][1] = 0.6;
    }
  }
  struct tor_device *gpu = tor_device_open(&r->slab, 0, 0, NULL);
  const double along_z = r->slab.segments ? r->slab.segments * r->slab.period : options.max[2];
  double cells = (double)options.max[0] * options.max[1] * along_z;
  random_slab_describe(r, stdout);
  const int towers = tor_device_has_towers(0) && tor_device_has_rows(&r->slab);
  for (int diamond = r->slab.segments > 0; diamond <= towers; diamond++) {
    struct tor_stage stage = r->stage;
    if (!diamond && argc > 7) stage.steps = atoi(argv[7]);
    const enum tor_engine_kind engine = diamond ? TOR_ENGINE_DIAMOND : TOR_ENGINE_STEPWISE;
    double best = 1e30;
    for (int i = 0; i < 3; i++) {
      gpu->ops->run(gpu, &stage, engine);
      if (gpu->ops->seconds(gpu) < best) best = gpu->ops->seconds(gpu);
    }
    printf("  %s: %d steps, %.2f ms, %.2f G cell updates/s\n", diamond ? "diamond" : "stepwise", stage.steps,
           1e3 * best, 1e-9 * cells * stage.steps / best);
    fflush(stdout);
  }
  gpu->ops->close(gpu);
  random_slab_free(r);
  if (other) random_slab_free(other);
  return 0;
}
