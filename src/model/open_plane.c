/* Planes in one medium: see open_plane.h. */
#include "src/model/open_plane.h"

#include "src/base/error.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/model/flat_walls.h"
#include "src/model/plane_media.h"

/* The part of the plane before the absorbing layers, in nodes. */
static void make_box(const struct tor_source *s, const struct tor_grid *g, int box[2][2]) {
  tor_plane_media_box(g, s->axis, s->lo, s->hi, box);
  for (int side = 0; side < 2; side++) {
    const int a = (s->axis + 1 + side) % 3;
    const int from = tor_boundary_layer(&g->face[2 * a]), to = g->n[a] - tor_boundary_layer(&g->face[2 * a + 1]);
    if (box[0][side] < from) box[0][side] = from;
    if (box[1][side] > to) box[1][side] = to;
  }
}

int tor_open_plane_make(const struct tor_job *job, const struct tor_source *source, struct tor_faults *faults,
                        struct tor_open_plane *open) {
  const struct tor_place *place = tor_job_source_place(job, source);
  struct tor_grid grid;
  int box[2][2];
  tor_grid_make(job, &grid);
  make_box(source, &grid, box);
  const int reach = grid.order == 4 ? 2 : 1, node = tor_grid_node(&grid, source->axis, source->lo[source->axis]);
  const int cells = reach + tor_flat_rule(job, &grid).reach; /* up to which walls matter */
  open->count = 2 * reach + 1;
  open->plane = &open->around[reach];
  tor_plane_media_make_some(job, source->axis, node - reach, open->count, (const int(*)[2])box, open->around);
  if (tor_plane_media_have_tensor(open->around, open->count))
    tor_fault_at(faults, place,
                 "a medium whose polarisation is at nodes crosses its plane, need " TOR_NEEDED(
                     "a plane in one linear medium that is alike in all directions"));
  else if (open->plane->surface)
    tor_fault_at(faults, place, "surfaces cross its plane, need " TOR_NEEDED("a plane in one homogeneous medium"));
  else if (tor_plane_media_alike(open->around, open->count))
    return 1;
  else
    tor_fault_at(faults, place,
                 "the media change along %c within %d cell%s of its plane, need " TOR_NEEDED(
                     "a plane in one homogeneous medium"),
                 tor_axis_name(job, source->axis), cells, cells > 1 ? "s" : "");
  return 0;
}

void tor_open_plane_free(struct tor_open_plane *open) {
  for (int k = 0; k < open->count; k++) tor_plane_media_free(&open->around[k]);
}
