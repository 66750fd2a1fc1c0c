/* Points of a box with their coefficients: see box_walk.h. */
#include "src/model/box_walk.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/column.h"
#include "src/model/column_media.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/model/nearby.h"

static int folded(const struct tor_grid *g, int axis, int half, int i) {
  return g->mirror[axis] && i < 0 ? -i - half : i;
}

static void list_near(const struct tor_columns *c, int ix, int iy, struct tor_nearby *near) {
  near->n = tor_object_index_near(&c->objects, c->grid, ix, iy, c->around, near->list);
  tor_nearby_complete(&c->objects, near);
}

/* The points at ix, iy whose coefficients are in the column fx, fy. */
static void take_column(struct tor_box_walker *w, int ix, int iy, int fx, int fy) {
  const struct tor_box_walk *b = w->walk;
  const struct tor_grid *g = &b->grid;
  const int lo = b->first[2], hi = b->first[2] + b->count[2];
  for (int comp = 0; comp < b->recorder->npatch; comp++) {
    const struct tor_patch *p = &b->recorder->patch[comp];
    if (!tor_comp_exists(g->plane, comp) || folded(g, TOR_X, tor_comp_half(comp, TOR_X), ix) != fx ||
        folded(g, TOR_Y, tor_comp_half(comp, TOR_Y), iy) != fy || ix >= p->first[0] + p->count[0] ||
        iy >= p->first[1] + p->count[1])
      continue;
    for (int z = lo; z <= hi - tor_comp_half(comp, TOR_Z); z++)
      b->point(w, comp, (const int[3]){ix, iy, z}, folded(g, TOR_Z, tor_comp_half(comp, TOR_Z), z));
  }
  if (!b->node || folded(g, TOR_X, 0, ix) != fx || folded(g, TOR_Y, 0, iy) != fy) return;
  for (int z = lo; z <= hi; z++)
    b->node(w, (const int[3]){ix, iy, z}, folded(g, TOR_Z, 0, z),
            (const int[3]){g->mirror[0] && ix < 0, g->mirror[1] && iy < 0, g->mirror[2] && z < 0});
}

/* In the mirrored half points on nodes and on half cells are images of different columns. */
void tor_box_walk_slice(struct tor_box_walker *w, int ix) {
  const struct tor_box_walk *b = w->walk;
  const struct tor_grid *g = &b->grid;
  for (int iy = b->first[1]; iy <= b->first[1] + b->count[1]; iy++) {
    list_near(b->columns, ix, iy, &w->here);
    for (int variant = 0; variant < 4; variant++) {
      const int fx = folded(g, TOR_X, variant / 2, ix), fy = folded(g, TOR_Y, variant % 2, iy);
      if ((variant / 2 && fx == folded(g, TOR_X, 0, ix)) || (variant % 2 && fy == folded(g, TOR_Y, 0, iy))) continue;
      list_near(b->columns, fx, fy, &w->near);
      tor_column_fill(b->columns, &w->column, fx, fy, &w->near);
      take_column(w, ix, iy, fx, fy);
    }
  }
}

void tor_box_walk_start(const struct tor_monitors *ms, const struct tor_job *job, const struct tor_recorder *l,
                        struct tor_box_walk *b) {
  *b = (struct tor_box_walk){.monitors = ms, .recorder = l, .grid = *ms->grid, .model = {.job = job}};
  tor_model_size_slab(job, &b->grid, &b->model.slab);
  b->columns = tor_columns_new(job, &b->grid, &b->model.slab);
  for (int a = 0; a < 3; a++) {
    b->first[a] = tor_grid_node(&b->grid, a, l->spec->lo[a]);
    b->count[a] = tor_grid_node(&b->grid, a, l->spec->hi[a]) - b->first[a];
  }
  b->slices = b->count[0] + (b->grid.plane ? 0 : 1);
  b->medium = tor_alloc((size_t)b->model.slab.ndispersion, sizeof *b->medium, "box");
  for (int m = 0; m < job->nmedia; m++)
    if (b->columns->dispersion[m] >= 0) b->medium[b->columns->dispersion[m]] = m;
}

void tor_box_walk_stop(struct tor_box_walk *b) {
  free(b->medium);
  tor_columns_free(b->columns);
  tor_model_free(&b->model);
}

struct tor_box_walker tor_box_walker_new(const struct tor_box_walk *walk, void *context) {
  return (struct tor_box_walker){.walk = walk,
                                 .column = tor_column_new(walk->columns->slab),
                                 .near = tor_nearby_new(&walk->columns->objects),
                                 .here = tor_nearby_new(&walk->columns->objects),
                                 .context = context};
}

void tor_box_walker_free(struct tor_box_walker *w) {
  tor_column_free(&w->column);
  tor_nearby_free(&w->near);
  tor_nearby_free(&w->here);
}

int tor_box_cells(const struct tor_box_walk *b, int comp, int axis, int i, int *first, int *count) {
  const int on_nodes = (comp < 0 || !tor_comp_half(comp, axis)) && !(b->grid.plane && axis == TOR_X);
  const int lo = i - on_nodes - b->first[axis], hi = i - b->first[axis];
  *first = lo < 0 ? 0 : lo;
  *count = (hi < b->count[axis] ? hi : b->count[axis] - 1) - *first + 1;
  return 1 + on_nodes;
}

double complex tor_box_field(const struct tor_box_walk *b, int comp, const int at[3], int q) {
  const struct tor_patch *p = &b->recorder->patch[comp];
  return tor_recorder_spectrum(b->monitors, b->recorder, p, at[0] - p->first[0], at[1] - p->first[1],
                               at[2] - p->first[2], q);
}

/* The mean of the edges below and above a node along an axis, and in *difference half of what the one above has more.
 */
static double complex pair_at(const struct tor_box_walk *b, int axis, const int at[3], int q,
                              double complex *difference) {
  const struct tor_grid *g = &b->grid;
  const struct tor_patch *p = &b->recorder->patch[TOR_EX + axis];
  int below[3] = {at[0], at[1], at[2]};
  below[axis]--;
  const int low = below[axis] >= p->first[axis], high = at[axis] < p->first[axis] + p->count[axis];
  const double complex e0 = low ? tor_box_field(b, TOR_EX + axis, below, q) : 0,
                       e1 = high ? tor_box_field(b, TOR_EX + axis, at, q) : 0;
  const int low_face = g->mirror[axis] ? 2 * axis + 1 : 2 * axis;
  const int odd = !low ? tor_grid_wall(g, low_face) == TOR_PMC : !high && tor_grid_wall(g, 2 * axis + 1) == TOR_PMC;
  *difference = low && high ? 0.5 * (e1 - e0) : odd ? e1 - e0 : 0;
  return low && high ? 0.5 * (e0 + e1) : odd ? 0 : e0 + e1;
}

void tor_box_pairs(const struct tor_box_walk *b, const int at[3], const int flip[3], int q, double complex mean[3],
                   double complex difference[3]) {
  for (int a = 0; a < 3; a++) mean[a] = (flip[a] ? -1 : 1) * pair_at(b, a, at, q, &difference[a]);
}
