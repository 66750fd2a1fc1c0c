/* What makes a packed slab. Private to pack.c and pack_columns.c. */
#ifndef TOR_DIAMOND_CORE_PACK_MAKER_H
#define TOR_DIAMOND_CORE_PACK_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "diamond/core/pack.h"
#include "diamond/core/slab.h"

struct tor_pack_maker {
  struct tor_pack *pack;
  int pitch, threads;
  size_t real;
  int32_t **dispersion;            /* [n] by part and its own media: of the packed slab */
  int (*place)[TOR_NINJECT_TABLE]; /* [n]: of a part's values in a row of each packed table */
  tor_gidx *profile;               /* [n] place of a part's profiles */
  size_t capacity;                 /* of slab.extra */
};

/* Classes, coefficients, poles and lists of all columns; sizes, media, groups and tables are made. */
void tor_pack_make_columns(struct tor_pack_maker *maker);

#endif
