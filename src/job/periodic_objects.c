/* Objects across seams: see periodic_objects.h. */
#include "src/job/periodic_objects.h"

#include <stddef.h>

#include "src/base/error.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* Whether the object, moved by so much, comes within reach of the domain along an axis. */
static int is_near(const struct tor_grid *g, int axis, double lo, double hi, double by, double reach) {
  const double margin = reach * g->d[axis];
  return hi + by > g->lo[axis] - margin && lo + by < tor_grid_at(g, axis, g->n[axis]) + margin;
}

/* The numbers of periods by which copies along an axis are moved: from -1 .. 1, or 0 alone where the object is endless
 * there or the axis is not periodic. Objects lie within a period of the domain (job_read_scene.c warns of others). */
static int copies_along(const struct tor_grid *g, int axis, double lo, double hi, double reach, int first_last[2]) {
  first_last[0] = first_last[1] = 0;
  if (!tor_grid_periodic(g, axis) || hi - lo > 1e30) return 0;
  const double period = tor_grid_length(g, axis);
  while (first_last[0] > -8 && is_near(g, axis, lo, hi, (first_last[0] - 1) * period, reach)) first_last[0]--;
  while (first_last[1] < 8 && is_near(g, axis, lo, hi, (first_last[1] + 1) * period, reach)) first_last[1]++;
  return first_last[0] || first_last[1];
}

int *tor_job_copies_of(const struct tor_job *job, const struct tor_grid *grid, double reach,
                       const struct tor_job *with_copies) {
  int *of = tor_alloc((size_t)with_copies->nobjects, sizeof *of, "objects"), count = 0;
  for (int i = 0; i < job->nobjects; i++) {
    double lo[3], hi[3];
    int copies = 1, along[2];
    tor_object_bounds(&job->objects[i], lo, hi);
    for (int a = 0; a < 3 && with_copies != job; a++) {
      copies_along(grid, a, lo[a], hi[a], reach, along);
      copies *= along[1] - along[0] + 1;
    }
    for (int k = 0; k < copies && count < with_copies->nobjects; k++) of[count++] = i;
  }
  return of;
}

const struct tor_job *tor_job_with_copies(const struct tor_job *job, const struct tor_grid *grid, double reach,
                                          struct tor_job *with_copies) {
  struct tor_object *list = NULL;
  size_t capacity = 0;
  int any = 0, count = 0;
  for (int i = 0; i < job->nobjects; i++) {
    double lo[3], hi[3];
    int along[3][2];
    tor_object_bounds(&job->objects[i], lo, hi);
    for (int a = 0; a < 3; a++) any |= copies_along(grid, a, lo[a], hi[a], reach, along[a]);
    for (int x = along[0][0]; x <= along[0][1]; x++)
      for (int y = along[1][0]; y <= along[1][1]; y++)
        for (int z = along[2][0]; z <= along[2][1]; z++) {
          const double by[3] = {x * tor_grid_length(grid, 0), y * tor_grid_length(grid, 1),
                                z * tor_grid_length(grid, 2)};
          list = tor_grow(list, (size_t)count + 1, &capacity, sizeof *list);
          list[count++] = tor_object_moved(&job->objects[i], by);
        }
  }
  if (!any) {
    tor_objects_free(list, count);
    return job;
  }
  tor_objects_nest(list, count);
  *with_copies = *job;
  with_copies->objects = list;
  with_copies->nobjects = count;
  return with_copies;
}

void tor_job_copies_free(const struct tor_job *job, struct tor_job *with_copies) {
  if (job == with_copies) tor_objects_free(with_copies->objects, with_copies->nobjects);
}
