/* Which objects a column of cells can touch. */
#ifndef TOR_SRC_MODEL_NEARBY_H
#define TOR_SRC_MODEL_NEARBY_H

#include "src/job/grid.h"
#include "src/job/job.h"

/* The objects of a job with their bounds; it must outlive this. */
struct tor_object_index {
  int count;
  double (*lo)[3], (*hi)[3]; /* [count] bounds */
  int *all;                  /* [count] 0, 1, ... */
  char *hidden;              /* [count] found to be invisible (tor_objects_hidden) */
};
void tor_object_index_make(const struct tor_job *job, struct tor_object_index *index);
void tor_object_index_free(struct tor_object_index *index);

/* Lists those of from[nfrom] that may touch the cells around index `at` along an axis, in painting order: around its
 * node and its half cell, or around what the surface nodes of this index and the next need: of dielectrics the balls of
 * tor_geometry_normal, of metals the boxes of the neighbours, too (metal.h). Returns their number. */
enum tor_reach { TOR_REACH_CELL, TOR_REACH_NODES, TOR_REACH_METALS };
int tor_object_index_along(const struct tor_object_index *index, const struct tor_grid *grid, int axis, int at,
                           enum tor_reach reach, const int *from, int nfrom, int *list);

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
