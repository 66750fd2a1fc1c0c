/* Chooses the engine: see engine.h. */
#include "diamond/core/engine.h"

#include <stddef.h>

#include "diamond/core/slab.h"
#include "diamond/core/tile.h"
#include "src/base/error.h"
#include "src/base/types.h"

struct tor_tiling tor_engine_tiling(const struct tor_slab *slab, int dts, int steps) {
  struct tor_tiling t =
      tor_tiling_make(slab->order, dts, steps, tor_slab_first(slab, TOR_X), tor_slab_last(slab, TOR_X),
                      tor_slab_first(slab, TOR_Y), tor_slab_last(slab, TOR_Y));
  if (tor_slab_is_arc(slab)) { /* towers of a part, none of which is clipped */
    t.v0 = 2 * slab->lo[1];
    t.v1 = 2 * (slab->lo[1] + slab->held[1]) - 1;
  } else if (tor_slab_periodic(slab, TOR_Y)) {
    t.ring = 2 * slab->n[TOR_Y];
  }
  return t;
}

int tor_engine_places(const struct tor_tiling *tiling, const struct tor_engine_part *part, int row, int *first,
                      int *last) {
  const int all = tor_tiling_places(tiling, row, first, last);
  if (!all || !part) return all;
  if (*first < part->place0) *first = part->place0 + ((part->place0 ^ row) & 1);
  if (*last > part->place1) *last = part->place1 - ((part->place1 ^ row) & 1);
  return *last < *first ? 0 : (*last - *first) / 2 + 1;
}

void tor_engine_run(struct tor_slab *slab, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  tor_engine_run_part(slab, stage, setup, NULL);
}

void tor_engine_run_part(struct tor_slab *slab, const struct tor_stage *stage, const struct tor_engine_setup *setup,
                         const struct tor_engine_part *part) {
  int f32 = slab->precision == TOR_F32;
  if (slab->segments) TOR_DIE("engines of a CPU run no segments along z");
  if (setup->engine == TOR_ENGINE_STEPWISE)
    (f32 ? tor_stepwise_run_f32 : tor_stepwise_run_f64)(slab, stage, setup->threads, &slab->pace);
  else
    (f32 ? tor_diamond_run_f32 : tor_diamond_run_f64)(slab, stage, setup->dts, setup->threads, &slab->pace, part);
}
