/* Which objects a column of cells can touch. */
#ifndef TOR_SRC_MODEL_NEARBY_H
#define TOR_SRC_MODEL_NEARBY_H

#include "src/job/grid.h"
#include "src/job/job.h"

struct tor_object_bins;

/* The objects of a job with their bounds; it must outlive this. */
struct tor_object_index {
  int count;
  struct tor_object_bins *bins;
  const double (*lo)[3], (*hi)[3]; /* [count] bounds, of bins */
  char *hidden;                    /* [count] found to be invisible (tor_objects_hidden) */
};
void tor_object_index_make(const struct tor_job *job, struct tor_object_index *index);
void tor_object_index_free(struct tor_object_index *index);

/* What around a column matters: what its nodes' and half cells' cells hold, or what the surface nodes of this index and
 * the next need: of dielectrics the balls of tor_geometry_normal, of metals the boxes of the neighbours, too (metal.h);
 * or beside perfect conductors the faces two cells away (pec.h); or with means over flat walls (flat_walls.h) these of
 * the places of this index and of the nodes of the next, by a hat or in order 4, which is the farthest. In order. */
enum tor_reach {
  TOR_REACH_CELL,
  TOR_REACH_NODES,
  TOR_REACH_HATS,
  TOR_REACH_METALS,
  TOR_REACH_CONDUCTORS,
  TOR_REACH_WALLS
};
/* How far below and above an index that is [cells]. */
double tor_reach_cells(enum tor_reach reach, int above);
/* Lists the objects that may touch the column ix, iy so, in painting order; list: capacity for all. Returns their
 * number. */
int tor_object_index_near(const struct tor_object_index *index, const struct tor_grid *grid, int ix, int iy,
                          enum tor_reach reach, int *list);

/* Objects near a column, in painting order. */
struct tor_nearby {
  int n, nseen;
  int *list, *seen;  /* [n], [nseen]: without the hidden ones */
  double lo_z, hi_z; /* all of them lie between */
};
/* Capacity for all objects, owned; nothing is near yet. */
struct tor_nearby tor_nearby_new(const struct tor_object_index *index);
void tor_nearby_free(struct tor_nearby *near);
/* Makes the other members from n and list. */
void tor_nearby_complete(const struct tor_object_index *index, struct tor_nearby *near);

#endif
