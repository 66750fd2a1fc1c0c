/* Objects near a column: see nearby.h. */
#include "src/model/nearby.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/cylindrical.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/object_bins.h"

void tor_object_index_make(const struct tor_job *job, struct tor_object_index *index) {
  *index = (struct tor_object_index){.count = job->nobjects,
                                     .bins = tor_object_bins_new(job->objects, job->nobjects),
                                     .hidden = tor_alloc((size_t)job->nobjects + 1, 1, "objects")};
  index->lo = tor_object_bins_lo(index->bins);
  index->hi = tor_object_bins_hi(index->bins);
  tor_objects_hidden(job->objects, job->nobjects, index->hidden);
}

void tor_object_index_free(struct tor_object_index *index) {
  tor_object_bins_free(index->bins);
  free(index->hidden);
}

double tor_reach_cells(enum tor_reach reach, int above) {
  static const double cells[2][6] = {{0.5, 1, 1.5, 3.6, 3.6, 3.6}, {1, 2, 2.5, 3.6, 3.6, 4.6}};
  return cells[above][reach];
}

int tor_object_index_near(const struct tor_object_index *index, const struct tor_grid *g, int ix, int iy,
                          enum tor_reach reach, int *list) {
  const int at[2] = {ix, iy};
  double lo[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, hi[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  for (int a = 0; a < 2; a++) {
    const double x = tor_grid_at(g, a, at[a]);
    const double below = tor_reach_cells(reach, 0), above = tor_reach_cells(reach, 1);
    lo[a] = g->node[a] ? tor_grid_at(g, a, at[a] - below) : x - below * g->d[a];
    hi[a] = g->node[a] ? tor_grid_at(g, a, at[a] + above) : x + above * g->d[a];
    if (g->angular && a == TOR_PHI) lo[a] = hi[a] = 0; /* the half plane */
  }
  return tor_object_bins_near(index->bins, lo, hi, list);
}

struct tor_nearby tor_nearby_new(const struct tor_object_index *index) {
  const size_t n = (size_t)index->count + 1;
  return (struct tor_nearby){.list = tor_alloc(n, sizeof(int), "objects"),
                             .seen = tor_alloc(n, sizeof(int), "objects")};
}

void tor_nearby_free(struct tor_nearby *near) {
  free(near->list);
  free(near->seen);
}

void tor_nearby_complete(const struct tor_object_index *index, struct tor_nearby *near) {
  near->lo_z = HUGE_VAL;
  near->hi_z = -HUGE_VAL;
  near->nseen = 0;
  for (int i = 0; i < near->n; i++) {
    const int o = near->list[i];
    near->lo_z = fmin(near->lo_z, index->lo[o][2]);
    near->hi_z = fmax(near->hi_z, index->hi[o][2]);
    if (!index->hidden[o]) near->seen[near->nseen++] = o;
  }
}
