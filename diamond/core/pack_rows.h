/* Rows of the arrays of a part's poles and nodes, and the same in a packed slab. Private to pack.c and pack_stage.c. */
#ifndef TOR_DIAMOND_CORE_PACK_ROWS_H
#define TOR_DIAMOND_CORE_PACK_ROWS_H

#include <string.h>

#include "diamond/core/pack.h"
#include "diamond/core/slab.h"

/* Values from one part's first to the next one's. */
static inline int tor_pack_pitch(const struct tor_pack *pack) { return pack->slab.n[TOR_Z] / pack->n; }

/* The run that has those of run i of part k. */
static inline const struct tor_pole_range *tor_pack_run(const struct tor_pack *pack, int k, tor_gidx i) {
  return &pack->slab.run[pack->run[pack->first_run[k] + i]];
}

/* The rows of a run's state that change with it, other than of nodes. */
static inline int tor_pack_state_rows(const struct tor_slab *slab, const struct tor_pole_range *run) {
  return slab->dispersion[run->dispersion].nstate + (run->branch != 0);
}

/* Where row r of run i of part k begins in that part's arrays, whose first value is own->state or own->weight, and in
 * the packed slab's. */
static inline tor_gidx tor_pack_own_row(const struct tor_pole_range *own, tor_gidx first, int r) {
  return first + (tor_gidx)r * own->pitch + own->z0 - own->from;
}
static inline tor_gidx tor_pack_row(const struct tor_pack *pack, int k, const struct tor_pole_range *own,
                                    const struct tor_pole_range *run, tor_gidx first, int r) {
  return first + (tor_gidx)r * run->pitch + k * tor_pack_pitch(pack) + own->z0 - run->from;
}

/* `count` values of one array, from place `from` on, to place `to` of another one. */
static inline void tor_pack_copy(const struct tor_pack *pack, void *array, tor_gidx to, const void *other,
                                 tor_gidx from, int count) {
  const tor_gidx real = pack->slab.precision;
  memcpy((char *)array + to * real, (const char *)other + from * real, (size_t)(count * real));
}

/* Copies all values of a run of nodes of part k, `rows` a node: `part` and `first` of its array, `packed` and `to` of
 * the packed slab's, which has them in `run`; back: from the packed slab. Blocks may lie otherwise there. */
static inline void tor_pack_copy_nodes(const struct tor_pack *pack, int k, const struct tor_pole_range *own,
                                       const struct tor_pole_range *run, int rows, void *part, tor_gidx first,
                                       void *packed, tor_gidx to, int back) {
  const int shift = k * tor_pack_pitch(pack), past = own->z0 + own->nz;
  for (int z = own->z0, count; z < past; z += count) {
    const int here = own->pitch - (z - own->from) % own->pitch,
              there = run->pitch - (z + shift - run->from) % run->pitch;
    const tor_gidx in_part = tor_node_place(own, rows, z), in_pack = to + tor_node_place(run, rows, z + shift);
    count = here < there ? here : there;
    if (count > past - z) count = past - z;
    for (tor_gidx r = 0; r < rows && in_part >= 0; r++)
      if (back)
        tor_pack_copy(pack, part, first + in_part + r * own->pitch, packed, in_pack + r * run->pitch, count);
      else
        tor_pack_copy(pack, packed, in_pack + r * run->pitch, part, first + in_part + r * own->pitch, count);
  }
}

#endif
