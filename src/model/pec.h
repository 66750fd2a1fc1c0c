/* Perfect conductors (media that tor_medium.conducts) in cells: derivation and errors in docs/design/conductors.md.
 *
 * E is 0 on edges inside them. With averaging other than "staircase" an edge of which a part is free has E there, and
 * so the coefficient cb times that part; a face of which a part is free, cb of H over that part, which is made larger
 * where the time step needs it, at the cost of the faces around it. */
#ifndef TOR_SRC_MODEL_PEC_H
#define TOR_SRC_MODEL_PEC_H

#include "src/job/geometry.h"
#include "src/job/job.h"
#include "src/model/nearby.h"

struct tor_column;
struct tor_columns;

/* A face of the cells, across a component of H: the free part of its area, and the least part for which the job's time
 * step is stable. */
struct tor_pec_face {
  double free, least;
};
/* Faces around a column: of columns that were looked at lately. */
enum { TOR_PEC_REACH = 2, TOR_PEC_WIDTH = 2 * TOR_PEC_REACH + 1 };
struct tor_pec_faces {
  int at[TOR_PEC_WIDTH * TOR_PEC_WIDTH][2]; /* their ix, iy */
  struct tor_pec_face *face;                /* [TOR_PEC_WIDTH TOR_PEC_WIDTH][3][nzp]; NULL: none yet. Owned */
};

/* Whether a job's objects have a perfect conductor. */
int tor_pec_any(const struct tor_job *job);
/* Takes perfect conductors out of a mixture, whose other media then fill the box; as it is where there are no others.
 */
void tor_pec_leave(const struct tor_job *job, struct tor_mix *mix);
/* Puts the perfect conductors into a column whose other media are known. */
void tor_pec_apply(const struct tor_columns *c, struct tor_column *col, int ix, int iy, const struct tor_nearby *near);

#endif
