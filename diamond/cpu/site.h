/* Sites of the lattice on the CPU: all values along z of a component advanced by half a step, with everything that acts
 * on them.
 *
 * Include after defining TOR_REAL_BITS; the functions exist once for each precision. */
#ifndef TOR_DIAMOND_CPU_SITE_H
#define TOR_DIAMOND_CPU_SITE_H

#include "diamond/core/slab.h"
#include "diamond/core/update.h"

/* Scratch memory of one thread. */
struct tor_site_work;
struct tor_site_work *TOR_NAME(tor_site_work_new)(const struct tor_slab *slab, const struct tor_stage *stage);
void TOR_NAME(tor_site_work_free)(struct tor_site_work *work);

/* Advances H (half 0) or E (half 1) at the sites (u, v0 .. v1) in step number `step` of the stage. Local; calls for
 * different sites of one half-step may run at once. */
void TOR_NAME(tor_site_line)(const struct tor_site_work *work, int step, int half, int u, int v0, int v1);
/* Prefetches the values that tor_site_line will change there into the second-level cache. */
void TOR_NAME(tor_site_prefetch)(const struct tor_site_work *work, int half, int u, int v0, int v1);

/* Denormals count as zero in fp32, as on the GPU; returns what to hand to tor_site_leave. */
unsigned TOR_NAME(tor_site_enter)(void);
void TOR_NAME(tor_site_leave)(unsigned saved);

#endif
