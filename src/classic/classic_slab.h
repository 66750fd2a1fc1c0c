/* Torre's own engines on a classic case, in the same table. */
#ifndef TOR_SRC_CLASSIC_CLASSIC_SLAB_H
#define TOR_SRC_CLASSIC_CLASSIC_SLAB_H

#include "src/classic/classic_measure.h"
#include "src/model/model.h"

/* A model with the case's fields and coefficients: the rule torre, one medium without losses; order 2 or 4 (whose
 * cb are the case's, too). TM: one cell along z between PEC, TE: between PMC. Freed by tor_classic_slab_free. Returns
 * 0, or -1 with faults. */
struct tor_classic_slab {
  struct tor_job job;
  struct tor_model model;
};
int tor_classic_slab_make(struct tor_classic_slab *s, const struct tor_classic_problem *p, int order,
                          struct tor_faults *faults);
void tor_classic_slab_free(struct tor_classic_slab *s);
/* Copies the slab's fields to the problem's. */
void tor_classic_slab_fetch(const struct tor_classic_slab *s, struct tor_classic_problem *p);

enum tor_classic_own { TOR_CLASSIC_STEPWISE, TOR_CLASSIC_TOWERS, TOR_CLASSIC_DTS1 };
/* Measures an engine of Torre's, or the tower of DTS 1, on the CPU or the GPU; compared in bits with the classic loops
 * (order 2), or with the CPU's stepwise engine (order 4). */
void tor_classic_measure_slab(struct tor_classic_bench *b, const struct tor_classic_wish *wish, int order,
                              enum tor_classic_own engine, int gpu);

#endif
