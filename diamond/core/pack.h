/* Slabs of one shape side by side along z, as one slab (tor_slab.segments): small slabs whose ends of z meet fill the
 * vectors and blocks of a GPU together. Part k has the values k pitch .. k pitch + period - 1 of each vector; it is
 * advanced as it would be alone, to the last bit.
 *
 * All of a slab is merged: coefficients, poles, lists, groups of monitors, and for each stage the tables of sources and
 * monitors. Local. Memory that is short ends the process. */
#ifndef TOR_DIAMOND_CORE_PACK_H
#define TOR_DIAMOND_CORE_PACK_H

#include <stddef.h>

#include "diamond/core/slab.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tor_pack {
  int n;                          /* parts */
  struct tor_slab **part;         /* [n] not owned */
  struct tor_slab slab;           /* the packed one; owned but for the groups' data, which are the parts' */
  void *base;                     /* allocation of slab.field */
  int *first_group;               /* [n + 1] of each part */
  tor_gidx *first_run;            /* [n + 1] */
  int32_t *run;                   /* by part and its own runs: their places in slab.run */
  int (*used)[TOR_NINJECT_TABLE]; /* [n]: values that a part's injections read of a row of each table */
  size_t capacity;                /* steps that the tables below hold */
  char *table[TOR_NINJECT_TABLE];
  int *none;       /* [capacity] no samples */
  uint8_t *energy; /* [capacity] */
};

/* Why two slabs cannot be parts of one pack; NULL: they can. */
const char *tor_pack_hinders(const struct tor_slab *a, const struct tor_slab *b);

/* Packs n >= 1 slabs, each of which could be packed with the first one. pitch >= their n[2]. The slabs must outlive
 * their use below; their groups' data are those of the packed slab. threads: that copy. */
void tor_pack_make(struct tor_pack *pack, struct tor_slab *const *part, int n, int pitch, int threads);
void tor_pack_free(struct tor_pack *pack);

/* The next `steps` steps of all parts: `skip[k]` steps into the stage of part k, whose table and samples are read;
 * NULL: the part has ended, and only its fields advance, without sources and monitors. The result is valid until the
 * next call.
 */
void tor_pack_stage(struct tor_pack *pack, const struct tor_stage *const *stage, const int *skip, int steps,
                    struct tor_stage *to);

/* Copies what a run changes, but monitors' data, back to part k: fields, memory of the CPML, states of poles. Ghost
 * values along z are as after a run of the part alone. */
void tor_pack_take(const struct tor_pack *pack, int k);
/* Copies the energy sums back to part k. */
void tor_pack_take_energy(const struct tor_pack *pack, int k);

#ifdef __cplusplus
}
#endif
#endif
