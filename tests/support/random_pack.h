/* Random slabs (random_slab.h) that can be parts of a pack (diamond/core/pack.h). */
#ifndef TOR_TESTS_SUPPORT_RANDOM_PACK_H
#define TOR_TESTS_SUPPORT_RANDOM_PACK_H

#include "diamond/core/slab.h"

/* Makes z periodic, where it is not: with the surface nodes that random slabs with rings do not have. */
void random_pack_close_z(struct tor_slab *slab);
/* The nodes of columns where several of n slabs have some become those of dielectrics: they have to be of one kind. And
 * magnetised poles are the same. */
void random_pack_agree_on_nodes(struct tor_slab *const *slab, int n);
/* The ghost values along a periodic z that the CPU's engines find behind its ends. */
void random_pack_set_ghosts(const struct tor_slab *slab);

#endif
