/* Chooses the engine: see engine.h. */
#include "diamond/core/engine.h"

#include <stddef.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"

void tor_engine_run(struct tor_slab *slab, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  tor_engine_run_part(slab, stage, setup, NULL);
}

void tor_engine_run_part(struct tor_slab *slab, const struct tor_stage *stage, const struct tor_engine_setup *setup,
                         const struct tor_engine_part *part) {
  int f32 = slab->precision == TOR_F32;
  if (setup->engine == TOR_ENGINE_STEPWISE)
    (f32 ? tor_stepwise_run_f32 : tor_stepwise_run_f64)(slab, stage, setup->threads);
  else
    (f32 ? tor_diamond_run_f32 : tor_diamond_run_f64)(slab, stage, setup->dts, setup->threads, part);
}
