/* Surface nodes on the CPU (update.h): the polarisation along a dielectric's surface, at the sites (even, even).
 * Private to site.c.
 *
 * Include after defining TOR_REAL_BITS. */
#ifndef TOR_DIAMOND_CPU_NODE_H
#define TOR_DIAMOND_CPU_NODE_H

#include "diamond/core/slab.h"
#include "diamond/core/update.h"

/* Advances the nodes of column (ix, iy) by a step, from E around them; nothing where it has none. */
void TOR_NAME(tor_nodes_advance)(const struct tor_slab *slab, int ix, int iy);
/* Takes the currents of the nodes at both ends of its edges from component `comp` of E at (u, v): f, advanced with cb.
 */
void TOR_NAME(tor_nodes_inject)(const struct tor_slab *slab, int comp, int u, int v, tor_real *f, const tor_real *cb);

#endif
