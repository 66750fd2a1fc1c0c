/* Uniform planes: injections and records that are alike in most columns of a slab, such as the faces across z of a
 * total-field box or of a flux box. Each has one z, or a few, and its place in a table or a monitor advances by a
 * constant from column to column: towers process it without reading each column's lists. */
#ifndef TOR_DIAMOND_CORE_PLANES_H
#define TOR_DIAMOND_CORE_PLANES_H

#include "diamond/core/slab.h"

enum { TOR_MOST_PLANES = 8, TOR_PLANE_RANGE = 32 };

/* The entry of held column (0, 0), which may not have one; index and offset grow by along[] from column to column along
 * x and y. */
struct tor_plane_inject {
  struct tor_inject at;
  int along[2];
};
struct tor_plane_record {
  struct tor_record at;
  tor_gidx along[2];
};
/* By component; injections in the order of z, those at the same z in the columns' order. */
struct tor_planes {
  int ninject[TOR_NCOMP], nrecord[TOR_NCOMP];
  struct tor_plane_inject inject[TOR_NCOMP][TOR_MOST_PLANES];
  struct tor_plane_record record[TOR_NCOMP][TOR_MOST_PLANES];
};

/* Finds the injections and records that most columns have. Sets has[i], of the slab's columns, to 1 where column i has
 * these and no others, else to 0, and returns how many are 1; planes are empty where that is 0.
 *
 * most: injections of a component, at_once: those at one z; at most TOR_MOST_PLANES. An injection is at one z and no
 * sheet; no poles are in its component in the same TOR_PLANE_RANGE values of z, from a multiple of them on. A record
 * belongs to a Fourier monitor, one at each z. No such column has losses or coefficients of H of its own. */
#ifdef __cplusplus
extern "C"
#endif
    tor_gidx
    tor_planes_find(const struct tor_slab *slab, int most, int at_once, struct tor_planes *planes, uint8_t *has);

#endif
