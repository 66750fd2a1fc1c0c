/* The engines: each advances a slab by a stage of steps. All give the same bits (docs/design/tiling.md).
 *
 * stepwise   the reference: two sweeps over the slab a step
 * diamond    DiamondTorre towers, rows from right to left */
#ifndef TOR_DIAMOND_CORE_ENGINE_H
#define TOR_DIAMOND_CORE_ENGINE_H

#include "diamond/core/slab.h"
#include "diamond/core/tile.h"

struct tor_engine_setup {
  enum tor_engine_kind engine; /* stepwise or diamond */
  int dts;                     /* diamond: half-width of a tower in units of the stencil's reach, >= 1 */
  int threads;                 /* >= 1 */
};

/* Callbacks around each tower, by the thread that runs it: before the tower, once the towers that it needs are done,
 * and after it, before those that need it may start. */
struct tor_engine_hooks {
  void (*before)(void *self, int row, int place);
  void (*after)(void *self, int row, int place);
  void *self;
};

/* Some of the diamond's towers: rows from first down to last, places from place0 to place1 (tile.h), cut to those that
 * the slab has. They are started row by row. hooks: NULL: none. */
struct tor_engine_part {
  int first, last, place0, place1;
  const struct tor_engine_hooks *hooks;
};

/* The towers of a slab in a stage of so many steps; and the places of a row of them that lie in the part, from *first
 * to *last in steps of 2 (part NULL: all). Returns their number. */
struct tor_tiling tor_engine_tiling(const struct tor_slab *slab, int dts, int steps);
int tor_engine_places(const struct tor_tiling *tiling, const struct tor_engine_part *part, int row, int *first,
                      int *last);

/* Advances the slab by stage->steps. Local. Ends the process when memory is short. */
void tor_engine_run(struct tor_slab *slab, const struct tor_stage *stage, const struct tor_engine_setup *setup);
/* The towers of a part alone; those to the right of them are done. NULL: all. The stepwise engine has no parts: it runs
 * all that is held. */
void tor_engine_run_part(struct tor_slab *slab, const struct tor_stage *stage, const struct tor_engine_setup *setup,
                         const struct tor_engine_part *part);

/* The engines of one precision; tor_engine_run chooses. */
void tor_stepwise_run_f32(const struct tor_slab *slab, const struct tor_stage *stage, int threads,
                          struct tor_pace *pace);
void tor_stepwise_run_f64(const struct tor_slab *slab, const struct tor_stage *stage, int threads,
                          struct tor_pace *pace);
void tor_diamond_run_f32(const struct tor_slab *slab, const struct tor_stage *stage, int dts, int threads,
                         struct tor_pace *pace, const struct tor_engine_part *part);
void tor_diamond_run_f64(const struct tor_slab *slab, const struct tor_stage *stage, int dts, int threads,
                         struct tor_pace *pace, const struct tor_engine_part *part);

#endif
