/* Points of the field on one rank: see points.h. */
#include "src/simulation/points.h"

#include <stdlib.h>
#include <string.h>

#include "comm/exchange/decomposition.h"
#include "comm/transport/message.h"
#include "diamond/core/column_state.h"
#include "diamond/core/seam.h"
#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/disk/disk.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/turn.h"
#include "src/simulation/simulation.h"

enum { TAG_POINTS = 20, AHEAD = 8 };

/* Points x in [x0, x1), y in [y0, y1) of the set: those in one rank's own columns. */
struct part {
  tor_gidx x0, x1, y0, y1;
};

/* The first point at or after `column`. */
static tor_gidx point_from(const struct tor_points *p, int axis, int column) {
  int ahead = column - p->first[axis];
  tor_gidx i = ahead > 0 ? (ahead + p->stride[axis] - 1) / p->stride[axis] : 0;
  return i < p->count[axis] ? i : p->count[axis];
}

static struct part part_of(const struct tor_points *p, const struct tor_column_block *own) {
  struct part part = {point_from(p, 0, own->x0), point_from(p, 0, own->x1), point_from(p, 1, own->y0),
                      point_from(p, 1, own->y1)};
  if (part.x1 < part.x0) part.x1 = part.x0;
  return part;
}

/* Prefetches the values at every `stride` bytes. Each column lies in separate pages, across which the hardware does not
 * prefetch; without this, half of the time was spent waiting for memory. */
static void look_ahead(const char *from, size_t bytes, size_t stride) {
  const size_t step = stride > 64 ? stride : 64;
  for (size_t i = 0; i < bytes + 63; i += step) __builtin_prefetch(from + i);
}

/* Some columns of this rank's part of the planes, to an array of rows of `nx` points and planes of `nx ny` whose first
 * point is (x0, y0). */
static void copy_some(const struct tor_simulation *sim, const struct tor_points *p, int comp, tor_gidx from,
                      tor_gidx planes, const struct part *part, tor_gidx x0, tor_gidx y0, tor_gidx nx, tor_gidx ny,
                      void *values) {
  const struct tor_slab *slab = &sim->model->slab;
  const int arc = tor_slab_is_arc(slab); /* has column 0 in place of its copy */
  const tor_gidx z0 = p->first[2] + from * p->stride[2], stride = p->stride[2], plane = nx * ny;
  const tor_gidx step = p->stride[0] * (tor_slab_vector(slab, tor_slab_column(slab, 1, 0), comp) -
                                        tor_slab_vector(slab, tor_slab_column(slab, 0, 0), comp));
  const size_t size = slab->precision, bytes = (size_t)((planes - 1) * stride + 1) * size;
#pragma omp parallel for schedule(static) num_threads(sim->setup.threads)
  for (tor_gidx y = part->y0; y < part->y1; y++)
    for (tor_gidx x = part->x0; x < part->x1; x++) {
      const int iy = p->first[1] + (int)y * p->stride[1], copy = arc && iy == slab->n[TOR_Y];
      tor_gidx column = tor_slab_column(slab, p->first[0] + (int)x * p->stride[0], copy ? 0 : iy);
      tor_gidx at = tor_slab_vector(slab, column, comp) + z0, to = (y - y0) * nx + x - x0;
      if (x + AHEAD < part->x1)
        look_ahead((const char *)slab->field + (size_t)(at + AHEAD * step) * size, bytes, (size_t)stride * size);
      if (copy)
        tor_seam_values(slab, TOR_Y, at, stride, planes, values, to, plane);
      else if (slab->precision == TOR_F32)
        for (tor_gidx z = 0; z < planes; z++)
          ((float *)values)[to + z * plane] = ((const float *)slab->field)[at + z * stride];
      else
        for (tor_gidx z = 0; z < planes; z++)
          ((double *)values)[to + z * plane] = ((const double *)slab->field)[at + z * stride];
    }
}

/* All of them; columns on disk come part by part. */
static void copy_part(const struct tor_simulation *sim, const struct tor_points *p, int comp, tor_gidx from,
                      tor_gidx planes, const struct part *part, tor_gidx x0, tor_gidx y0, tor_gidx nx, tor_gidx ny,
                      void *values) {
  const struct tor_slab *slab = &sim->model->slab;
  for (struct part some = *part; some.x0 < part->x1; some.x0 = some.x1) {
    const int first = p->first[0] + (int)some.x0 * p->stride[0],
              last = p->first[0] + (int)(part->x1 - 1) * p->stride[0], end = tor_disk_some(slab, first, last + 1);
    tor_disk_hold(slab, first, end, 0);
    some.x1 = (end - 1 - p->first[0]) / p->stride[0] + 1;
    copy_some(sim, p, comp, from, planes, &some, x0, y0, nx, ny, values);
  }
}

/* On the root: copies another rank's part into the values. */
static void receive_part(int rank, const struct tor_points *p, const struct part *part, tor_gidx planes, size_t size,
                         void *values) {
  size_t row = (size_t)(part->x1 - part->x0) * size, rows = (size_t)(part->y1 - part->y0);
  if (!row || !rows) return;
  char *buffer = tor_alloc((size_t)planes * rows, row, "points"), *from = buffer;
  tor_message_receive(buffer, (size_t)planes * rows * row, rank, TAG_POINTS);
  for (tor_gidx z = 0; z < planes; z++)
    for (tor_gidx y = part->y0; y < part->y1; y++, from += row)
      /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the root has values */
      memcpy((char *)values + (size_t)((z * p->count[1] + y) * p->count[0] + part->x0) * size, from, row);
  free(buffer);
}

/* The columns of a rank whose points it sends: its own ones, or, `copy`, the copy of column 0 at a shared ring's end.
 */
static struct tor_column_block sent_by(const struct tor_decomposition *l, int rank, int copy) {
  const struct tor_part share = tor_decomposition_part(l, rank / l->ranks[1], rank % l->ranks[1]);
  struct tor_column_block block = share.own;
  if (copy) block.y0 = l->n[1], block.y1 = share.y ? block.y0 : block.y0 + 1;
  return block;
}

/* Of all ranks. */
static void gather_parts(const struct tor_simulation *sim, const struct tor_points *p, int root, int comp,
                         tor_gidx from, tor_gidx planes, int copy, void *values) {
  const struct tor_column_block own =
      copy ? sent_by(sim->exchange->layout, tor_message_rank(), 1) : tor_simulation_own(sim);
  const struct part mine = part_of(p, &own);
  const size_t size = sim->model->slab.precision;
  if (tor_message_rank() == root) {
    copy_part(sim, p, comp, from, planes, &mine, 0, 0, p->count[0], p->count[1], values);
    for (int r = 0; r < tor_message_ranks(); r++) {
      if (r == root) continue;
      const struct tor_column_block others = sent_by(sim->exchange->layout, r, copy);
      const struct part part = part_of(p, &others);
      receive_part(r, p, &part, planes, size, values);
    }
    return;
  }
  size_t points = (size_t)(mine.x1 - mine.x0) * (size_t)(mine.y1 - mine.y0) * (size_t)planes;
  if (!points) return;
  void *buffer = tor_alloc(points, size, "points");
  copy_part(sim, p, comp, from, planes, &mine, mine.x0, mine.y0, mine.x1 - mine.x0, mine.y1 - mine.y0, buffer);
  tor_message_send(buffer, points * size, root, TAG_POINTS);
  free(buffer);
}

/* The same where all points lie in the grid. */
static void gather(const struct tor_simulation *sim, const struct tor_points *p, int root, int comp, tor_gidx from,
                   tor_gidx planes, void *values) {
  gather_parts(sim, p, root, comp, from, planes, 0, values);
  if (sim->exchange && sim->exchange->layout->ring) gather_parts(sim, p, root, comp, from, planes, 1, values);
}

/* Points of one side of the planes of symmetry, in the grid's own half: of number i along an axis the whole set's
 * number is to + step i. */
struct side {
  struct tor_points points;
  int to[3], step[3], sign;
};

/* Side number `which`: bit a: the mirrored half along axis a. Of the z planes [from, from + planes). */
static void make_side(const struct tor_grid *g, const struct tor_points *p, int comp, tor_gidx from, tor_gidx planes,
                      int which, struct side *side) {
  *side = (struct side){.points = *p, .sign = 1};
  side->points.first[2] += (int)from * p->stride[2];
  side->points.count[2] = (int)planes;
  for (int a = 0; a < 3; a++) {
    int *first = &side->points.first[a], *count = &side->points.count[a], below = 0;
    if (g->mirror[a] && *first < 0) below = (-*first - 1) / p->stride[a] + 1;
    if (below > *count) below = *count;
    side->step[a] = which >> a & 1 ? -1 : 1;
    side->to[a] = which >> a & 1 ? below - 1 : below;
    *first += side->to[a] * p->stride[a];
    *count = which >> a & 1 ? below : *count - below;
    if (*count) side->sign *= tor_grid_fold(g, comp, a, first);
  }
}

/* To the places of the whole set, nx x ny in a plane. */
static void spread(const struct side *side, size_t size, const void *from, int nx, int ny, void *values) {
  const int *n = side->points.count, *to = side->to, *step = side->step;
  tor_gidx i = 0;
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++, i++) {
        const tor_gidx at = ((tor_gidx)(to[2] + step[2] * z) * ny + to[1] + step[1] * y) * nx + to[0] + step[0] * x;
        if (size == TOR_F32)
          ((float *)values)[at] = (float)side->sign * ((const float *)from)[i];
        else
          ((double *)values)[at] = side->sign * ((const double *)from)[i];
      }
}

void tor_points_gather(const struct tor_simulation *sim, const struct tor_points *p, int root, int comp, tor_gidx from,
                       tor_gidx planes, void *values) {
  const struct tor_grid *g = &sim->model->grid;
  const size_t size = sim->model->slab.precision;
  if (!g->mirror[0] && !g->mirror[1] && !g->mirror[2]) {
    gather(sim, p, root, comp, from, planes, values);
    return;
  }
  for (int which = 0; which < 8; which++) {
    struct side side;
    make_side(g, p, comp, from, planes, which, &side);
    const int *n = side.points.count;
    const size_t points = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    if (!points) continue;
    void *own = tor_message_rank() == root ? tor_alloc(points, size, "points") : NULL;
    gather(sim, &side.points, root, comp, 0, n[2], own);
    if (own) spread(&side, size, own, p->count[0], p->count[1], values);
    free(own);
  }
}

void tor_points_gather_user(const struct tor_simulation *sim, const struct tor_points *p, int root, int comp,
                            tor_gidx from, tor_gidx planes, void *values) {
  const struct tor_job *job = sim->model->job;
  const size_t size = sim->model->slab.precision;
  if (!job->turn || job->plane) { /* 2-D: the job's z is the user's y, and x has one point */
    tor_points_gather(sim, p, root, comp, from, planes, values);
    return;
  }
  struct tor_points some = *p;
  const int slowest = tor_axis_of_user(job, TOR_Z), *n = some.count;
  some.first[slowest] += (int)from * p->stride[slowest];
  some.count[slowest] = (int)planes;
  const size_t points = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  char *own = values ? tor_alloc(points, size, "points") : NULL;
  tor_points_gather(sim, &some, root, comp, 0, n[2], own);
  for (tor_gidx i = 0; own && i < (tor_gidx)points; i++) {
    int at[3];
    tor_user_place(job, n, i, at);
    const size_t place = ((size_t)at[2] * (size_t)n[1] + (size_t)at[1]) * (size_t)n[0] + (size_t)at[0];
    memcpy((char *)values + (size_t)i * size, own + place * size, size);
  }
  free(own);
}
