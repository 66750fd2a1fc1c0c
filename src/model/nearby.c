/* Objects near a column: see nearby.h. */
#include "src/model/nearby.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"

void tor_object_index_make(const struct tor_job *job, struct tor_object_index *index) {
  const size_t n = (size_t)job->nobjects + 1;
  *index = (struct tor_object_index){job->nobjects, tor_alloc(n, sizeof *index->lo, "objects"),
                                     tor_alloc(n, sizeof *index->hi, "objects"),
                                     tor_alloc(n, sizeof *index->all, "objects"), tor_alloc(n, 1, "objects")};
  for (int o = 0; o < job->nobjects; o++) {
    index->all[o] = o;
    tor_object_bounds(&job->objects[o], index->lo[o], index->hi[o]);
  }
  tor_objects_hidden(job->objects, job->nobjects, index->hidden);
}

void tor_object_index_free(struct tor_object_index *index) {
  free(index->lo);
  free(index->hi);
  free(index->all);
  free(index->hidden);
}

int tor_object_index_along(const struct tor_object_index *index, const struct tor_grid *g, int axis, int at,
                           enum tor_reach reach, const int *from, int nfrom, int *list) {
  static const double below[] = {0.5, 1, 2.3}, above[] = {1, 2, 2.3}; /* cells, by reach */
  const double x = g->lo[axis] + at * g->d[axis], lo = x - below[reach] * g->d[axis],
               hi = x + above[reach] * g->d[axis];
  int n = 0;
  for (int i = 0; i < nfrom; i++)
    if (index->hi[from[i]][axis] > lo && index->lo[from[i]][axis] < hi) list[n++] = from[i];
  return n;
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
