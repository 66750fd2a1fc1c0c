/* Surface nodes of a column: see column_nodes.h. */
#include "src/model/column_nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/job/cylindrical.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/cell.h"
#include "src/model/column_media.h"
#include "src/model/flat_walls.h"
#include "src/model/metal.h"
#include "src/model/metal_shares.h"
#include "src/model/nearby.h"
#include "src/model/node_cache.h"
#include "src/model/pec.h"
#include "src/model/surface.h"
#include "src/model/tensor_node.h"

/* By magnitude, and more than rounding: images of a surface choose alike. */
static int is_larger(double a, double b) { return fabs(a) > (1 + 1e-6) * fabs(b); }
/* Whether node i along an axis lies on a mirror: on a wall that is not periodic, in 2-D anywhere along x. */
static int on_mirror(const struct tor_grid *grid, int axis, int i) {
  return (i == 0 || i == grid->n[axis]) && !tor_grid_periodic(grid, axis);
}

/* Those axes of a node, a bit each; nothing depends on x in 2-D. */
static int mirrors_at(const struct tor_grid *grid, const int at[3]) {
  int mirrors = 0;
  for (int a = grid->plane ? TOR_Y : TOR_X; a < 3; a++) mirrors |= on_mirror(grid, a, at[a]) << a;
  return mirrors;
}

/* known: col->metal is that of the column before this one along y, whose y and y + 1 are this one's y - 1 and y. */
static void find_metal(const struct tor_columns *c, struct tor_column *col, int ix, int iy,
                       const struct tor_nearby *near, int known) {
  static const int step[TOR_METAL_COLUMNS][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const size_t nzp = (size_t)c->slab->nzp, column = nzp * sizeof *col->metal;
  if (known) {
    memcpy(col->metal + 3 * nzp, col->metal, column);
    memcpy(col->metal, col->metal + 4 * nzp, column);
  }
  for (int i = 0; i < TOR_METAL_COLUMNS; i++)
    for (int z = 0; z <= c->grid->n[2] && !(known && (i == 0 || i == 3)); z++) {
      struct tor_metal_part *part = &col->metal[(size_t)i * nzp + (size_t)z];
      *part = col->alike[z] ? part[-1]
                            : tor_metal_around(c, col, near, (const int[3]){ix + step[i][0], iy + step[i][1], z});
    }
}

/* Shares of node z and of its two neighbours along each axis. */
static void shares_around(const struct tor_columns *c, const struct tor_column *col, int z, double share[3][3]) {
  const int nzp = c->slab->nzp, n = c->grid->n[2];
  for (int a = 0; a < 3; a++) share[a][1] = col->metal[z].share;
  for (int side = 0; side < 2; side++) {
    share[0][2 * side] = col->metal[(1 + side) * nzp + z].share;
    share[1][2 * side] = col->metal[(3 + side) * nzp + z].share;
  }
  const int periodic = tor_grid_periodic(c->grid, TOR_Z);
  share[2][0] = col->metal[z ? z - 1 : periodic ? n - 1 : 1].share;
  share[2][2] = col->metal[z < n ? z + 1 : periodic ? 1 : n - 1].share;
}

/* The unit normal of the metal's surface at a node: of its part of the ball around the cubes; where that is full, along
 * the shares' gradient. A film's middle has neither; its share bends across it. */
static void metal_normal(const struct tor_columns *c, const struct tor_nearby *near, const int at[3], int medium,
                         double share[3][3], double normal[3]) {
  const struct tor_grid *grid = c->grid;
  const double radius = 0.5 * TOR_METAL_BALL * hypot(grid->plane ? 0 : grid->d[0], hypot(grid->d[1], grid->d[2]));
  double x[3], lo[3], hi[3], square = 0;
  int axis = 0;
  for (int a = 0; a < 3; a++) {
    x[a] = tor_grid_at(grid, a, at[a]);
    lo[a] = x[a] - radius;
    hi[a] = x[a] + radius;
    if (is_larger(share[a][2] - share[a][0], share[axis][2] - share[axis][0])) axis = a;
  }
  if (!tor_geometry_normal(c->job->objects, near->seen, near->nseen, x, radius, 2 * c->job->samples, axis, medium,
                           normal)) {
    double steepest = 0;
    for (int a = 0; a < 3; a++) {
      normal[a] = share[a][0] - share[a][2];
      steepest = fmax(steepest, fabs(normal[a]));
    }
    for (int a = 0; a < 3 && steepest < 1e-6; a++) normal[a] = sqrt(fabs(share[a][0] - 2 * share[a][1] + share[a][2]));
  }
  tor_cell_mirror_normal(tor_cell_cut_at_walls(c, near, 0.5 * TOR_METAL_BALL, lo, hi), normal);
  for (int a = 0; a < 3; a++) {
    if (on_mirror(grid, a, at[a])) normal[a] = 0; /* it is one of the surface */
    square += normal[a] * normal[a];
  }
  for (int a = 0; a < 3 && square > 0; a++) normal[a] /= sqrt(square);
}

/* The node i, j, k. */
static struct tor_node find_node(const struct tor_columns *c, const struct tor_nearby *near, const int at[3],
                                 int *is_cut) {
  const struct tor_grid *grid = c->grid;
  /* The cell's corners. */
  const double along_x = grid->plane ? 0 : grid->angular ? grid->d[TOR_RADIAL] : grid->d[0];
  const double radius = 0.5 * hypot(along_x, hypot(grid->d[1], grid->d[2]));
  static const double nowhere[3] = {0, 0, 0};
  double x[3], normal[3], square = 0;
  int medium = 0, axis = 0;
  double lo[3], hi[3];
  tor_cell_around_node(grid, at, x, lo, hi);
  const struct tor_mix mix = tor_cell_mix(c, near, x, lo, hi);
  const int tensor = c->job->node_media && tor_tensor_in(c->job, &mix),
            stack = tensor && tor_tensor_is_plain(c->job, &mix);
  struct tor_node node = tor_surface_node(c->job, &mix, &medium);
  *is_cut = mix.count > 1;
  if (tensor && (!stack || mix.count == 1)) return tor_tensor_node(c->job, &mix, nowhere, mirrors_at(grid, at));
  const int along = grid->plane == TOR_PLANE_TM; /* E is along all surfaces: edges have the mean */
  if (!tensor && (along || !tor_job_has_surface_nodes(c->job))) return (struct tor_node){.kind = TOR_NODE_OTHER};
  if (!tensor && node.kind != TOR_NODE_MOVES) return node;
  if (c->node_factor == 0) return (struct tor_node){.kind = TOR_NODE_OTHER};        /* no time step left for nodes */
  if (tor_flat_node(c, near, at)) return (struct tor_node){.kind = TOR_NODE_OTHER}; /* its edges have means of walls */
  if (tensor) medium = tor_tensor_surface(c->job, &mix);
  for (int a = 1; a < 3; a++)
    if (is_larger(mix.normal[a], mix.normal[axis])) axis = a;
  tor_geometry_normal(c->job->objects, near->seen, near->nseen, x, radius, 2 * c->job->samples, axis,
                      mix.medium[medium], normal);
  for (int a = 0; a < 3; a++) {
    if (on_mirror(grid, a, at[a])) normal[a] = 0; /* it is one of the surface */
    square += normal[a] * normal[a];
  }
  for (int a = 0; a < 3 && square > 0; a++) normal[a] /= sqrt(square);
  if (tensor) return tor_tensor_node(c->job, &mix, normal, mirrors_at(grid, at));
  tor_surface_set_normal(&node, normal);
  return node;
}

/* The same, from the cache if it is there. */
static struct tor_node node_at(const struct tor_columns *c, struct tor_column *col, const struct tor_nearby *near,
                               const int at[3]) {
  const struct tor_node *known = col->cut ? tor_node_cache_find(col->cut, at) : NULL;
  int is_cut;
  if (known) return *known;
  const struct tor_node node = find_node(c, near, at, &is_cut);
  if (!is_cut) return node;
  if (!col->cut) col->cut = tor_node_cache_new(sizeof node);
  tor_node_cache_put(col->cut, at, &node);
  return node;
}

/* A metal's node at z of a column. */
static void fill_metal_node(const struct tor_columns *c, struct tor_column *col, const int at[3],
                            const struct tor_nearby *near) {
  const size_t nzp = (size_t)c->slab->nzp;
  const struct tor_metal_part *part = &col->metal[at[2]];
  const int d = c->dispersion[part->medium < 0 ? c->job->background : part->medium],
            npoles = c->slab->dispersion[d].npoles;
  double *weight = col->metal_weight + at[2], share[3][3], normal[3];
  shares_around(c, col, at[2], share);
  metal_normal(c, near, at, part->medium, share, normal);
  for (size_t a = 0; a < 3; a++) weight[a * nzp] = normal[a];
  tor_metal_weights(c->job, &c->metal, part, (const double(*)[3])share, weight, nzp);
  weight[TOR_METAL_MEDIUM * nzp] = 1 + d;
  if (npoles > col->metal_poles) col->metal_poles = npoles;
}

/* All nodes of a column with nodes of metals, once node[] is known. */
static void fill_metal_nodes(const struct tor_columns *c, struct tor_column *col, int ix, int iy,
                             const struct tor_nearby *near) {
  const size_t nzp = (size_t)c->slab->nzp;
  memset(col->metal_weight, 0, TOR_METAL_WEIGHTS * nzp * sizeof *col->metal_weight);
  for (int z = 0; z <= c->grid->n[2]; z++) {
    if (!tor_metal_is_cut(&col->metal[z])) continue;
    col->node[z] = (struct tor_node){.kind = TOR_NODE_OTHER}; /* the metal's takes its place */
    if (col->alike[z])
      for (size_t k = 0; k < TOR_METAL_WEIGHTS; k++)
        col->metal_weight[k * nzp + (size_t)z] = col->metal_weight[k * nzp + (size_t)z - 1];
    else
      fill_metal_node(c, col, (const int[3]){ix, iy, z}, near);
  }
  for (int z = 0; z <= c->grid->n[2] && col->metal_poles; z++) {
    const struct tor_node *node = &col->node[z];
    double *weight = col->metal_weight + z;
    if (node->kind != TOR_NODE_MOVES) continue;
    for (size_t a = 0; a < 3; a++) weight[a * nzp] = node->normal[a];
    weight[TOR_METAL_DRIVE * nzp] = 0.5 * c->node_factor * node->g * c->slab->node.restore;
    weight[TOR_METAL_RESTORE * nzp] = c->slab->node.restore;
    weight[TOR_METAL_SHARE * nzp] = weight[TOR_METAL_ALONG * nzp] = 1;
  }
}

static int is_tensor(const struct tor_node *node) {
  return node->kind == TOR_NODE_TENSOR || node->kind == TOR_NODE_TENSOR_OTHER;
}

/* What a node makes of a column's run. */
static int node_media(const struct tor_columns *c, const struct tor_node *node) {
  if (node->share > 0 && c->job->media[node->special].saturation > 0) return TOR_GAIN_NODES;
  if (node->chi2 != 0) return TOR_CHI2_NODES;
  if (node->kerr != 0 || node->share > 0) return TOR_FULL_NODES;
  return is_tensor(node) ? TOR_TENSOR_NODES : 0;
}

int tor_column_has_node(const struct tor_columns *c, const struct tor_column *col, int z) {
  const struct tor_node *node = &col->node[z];
  if (col->metal_poles > 0) return col->metal_weight[TOR_METAL_SHARE * c->slab->nzp + z] > 0;
  return node->kind == TOR_NODE_MOVES || (is_tensor(node) && (node->tensor[0] + node->tensor[1] + node->tensor[2] > 0 ||
                                                              node->kerr != 0 || node->share > 0));
}

/* The tensor of a node: one of a dielectric's surface has g (1 - n n). */
static void tensor_weights(const struct tor_columns *c, const struct tor_node *node, double weight[6]) {
  const double *n = node->normal;
  for (int k = 0; k < TOR_TENSOR_WEIGHTS; k++) {
    const int a = k < 3 ? k : (k + 1) % 3, b = k < 3 ? k : (k + 2) % 3;
    const double own = node->kind == TOR_NODE_MOVES ? node->g * ((k < 3) - n[a] * n[b]) : node->tensor[k];
    weight[k] = c->node_factor * own;
  }
}

void tor_column_node(const struct tor_columns *c, const struct tor_column *col, int z,
                     double weight[TOR_METAL_WEIGHTS]) {
  const struct tor_node *node = &col->node[z];
  const int has = tor_column_has_node(c, col, z);
  for (int i = 0; i < TOR_METAL_WEIGHTS; i++) weight[i] = 0;
  if (col->metal_poles > 0) {
    for (int i = 0; i < TOR_METAL_WEIGHTS; i++) weight[i] = col->metal_weight[i * c->slab->nzp + z];
  } else if (has && node->share > 0) {
    for (int a = 0; a < 3; a++) weight[TOR_FULL_TENSOR + a] = node->share;
    weight[TOR_FULL_POLE] = c->magnetised[node->special];
    if (c->job->media[node->special].saturation > 0) weight[TOR_FULL_INVERSE] = 1 / node->share;
  } else if (has && col->metal_poles) {
    tensor_weights(c, node, weight);
    if (col->metal_poles != TOR_TENSOR_NODES) weight[TOR_FULL_KERR] = c->node_factor * node->kerr;
    if (node->chi2 != 0) weight[TOR_FULL_POLE] = c->magnetised[node->special];
    weight[TOR_FULL_CHI2] = c->node_factor * node->chi2;
  } else if (has) {
    for (int a = 0; a < 3; a++) weight[a] = node->normal[a];
    /* In cylindrical coordinates its share of edges' cross-sections, as these are proportional to r. */
    weight[3] = c->node_factor * node->g * (c->grid->angular ? z : 1);
  }
}

void tor_column_fill_nodes(const struct tor_columns *c, struct tor_column *col, int ix, int iy,
                           const struct tor_nearby *near) {
  const int known = col->beyond_at[0] == ix && col->beyond_at[1] == iy;
  struct tor_node *node = col->beyond;
  col->beyond = col->node;
  col->node = node;
  for (int z = 0; z <= c->grid->n[2]; z++) {
    if (!known) col->node[z] = col->alike[z] ? col->node[z - 1] : node_at(c, col, near, (const int[3]){ix, iy, z});
    if (iy < c->grid->n[1])
      col->beyond[z] = col->alike[z] ? col->beyond[z - 1] : node_at(c, col, near, (const int[3]){ix, iy + 1, z});
  }
  col->beyond_at[0] = ix;
  col->beyond_at[1] = iy + 1;
  col->metal_poles = 0;
  for (int z = 0; z <= c->grid->n[2] && c->job->node_media; z++)
    if (node_media(c, &col->node[z]) < col->metal_poles) col->metal_poles = node_media(c, &col->node[z]);
  if (c->reach != TOR_REACH_METALS) return;
  find_metal(c, col, ix, iy, near, known);
  fill_metal_nodes(c, col, ix, iy, near);
}

void tor_column_ends(const struct tor_columns *c, struct tor_column *col, const struct tor_nearby *near, int axis,
                     const int at[3], struct tor_node end[2]) {
  end[0] = end[1] = col->node[at[2]];
  if (at[axis] >= c->grid->n[axis]) return;
  end[1] = axis == TOR_X   ? node_at(c, col, near, (const int[3]){at[0] + 1, at[1], at[2]})
           : axis == TOR_Y ? col->beyond[at[2]]
                           : col->node[at[2] + 1];
}

void tor_column_metal_ends(const struct tor_columns *c, const struct tor_column *col, int axis, int z,
                           const struct tor_metal_part *end[2]) {
  const int nzp = c->slab->nzp;
  end[0] = &col->metal[z];
  end[1] = axis == TOR_Z ? &col->metal[z < c->grid->n[2] ? z + 1 : z] : &col->metal[(axis == TOR_X ? 2 : 4) * nzp + z];
}
