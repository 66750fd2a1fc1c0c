/* Shares of metal around nodes: see metal_shares.h. */
#include "src/model/metal_shares.h"

#include <math.h>
#include <stdlib.h>

#include "src/base/types.h"
#include "src/job/faces.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/model/cell.h"
#include "src/model/column_media.h"
#include "src/model/flat_walls.h"
#include "src/model/metal.h"
#include "src/model/nearby.h"
#include "src/model/node_cache.h"

/* Weights of the cubes one below, at and one above a node along each axis, of the share and of the share for P along
 * the surface: the best of some twenty pairs (docs/measurements/surface-trials.md). */
static const double ACROSS[3] = {0.125, 0.75, 0.125}, ALONG[3] = {0.15625, 0.6875, 0.15625};
static const double FULL = 1 - 1e-6; /* the same at both ends of a period, where boxes and objects differ by rounding */

/* Shares of the media that are metals, of which few meet. */
struct sums {
  int count, medium[TOR_MIX_MAX];
  double share[TOR_MIX_MAX];
};

static void add_share(struct sums *sums, int medium, double share) {
  int i = 0;
  while (i < sums->count && sums->medium[i] != medium) i++;
  if (i == TOR_MIX_MAX) i--; /* to the last one */
  if (i == sums->count) {
    sums->medium[i] = medium;
    sums->share[i] = 0;
    sums->count++;
  }
  sums->share[i] += share;
}

/* The medium with the largest share; of equal ones the first of the job, so images choose alike. */
static int largest(const struct sums *sums) {
  int most = 0;
  for (int i = 1; i < sums->count; i++) {
    const double difference = sums->share[i] - sums->share[most];
    if (difference > 1e-6 || (difference > -1e-6 && sums->medium[i] < sums->medium[most])) most = i;
  }
  return sums->count ? sums->medium[most] : -1;
}

static void image_of(const struct tor_grid *grid, const int at[3], int image[3]) {
  for (int a = 0; a < 3; a++) image[a] = tor_grid_image(grid, a, at[a]);
}

static void keep(struct tor_node_cache **cache, const int at[3], const struct tor_metal_part *part) {
  if (!*cache) *cache = tor_node_cache_new(sizeof *part);
  tor_node_cache_put(*cache, at, part);
}

/* The metals in the cube of one cell around a node or its image. */
static struct tor_metal_part cube_at(const struct tor_columns *c, struct tor_column *col, const struct tor_nearby *near,
                                     const int at[3]) {
  int image[3];
  double x[3], lo[3], hi[3];
  image_of(c->grid, at, image);
  const struct tor_metal_part *known = col->metal_cube ? tor_node_cache_find(col->metal_cube, image) : NULL;
  if (known) return *known;
  for (int a = 0; a < 3; a++) {
    x[a] = c->grid->lo[a] + image[a] * c->grid->d[a];
    lo[a] = x[a] - 0.5 * c->grid->d[a];
    hi[a] = x[a] + 0.5 * c->grid->d[a];
  }
  const struct tor_mix mix = tor_cell_mix(c, near, x, lo, hi);
  struct tor_metal_part part = tor_metal_part_of(c->job, c->metals, &mix);
  part.conducts = mix.medium[0] >= 0 && c->job->media[mix.medium[0]].conducts;
  keep(&col->metal_cube, image, &part);
  return part;
}

/* The box of all cubes that count for a node, or for those `more` nodes away, too. */
static void box_around(const struct tor_grid *grid, const int image[3], int more, double lo[3], double hi[3]) {
  const double reach = 1.5 + more;
  for (int a = 0; a < 3; a++) {
    lo[a] = grid->lo[a] + (image[a] - reach) * grid->d[a];
    hi[a] = grid->lo[a] + (image[a] + reach) * grid->d[a];
  }
}

/* Whether the surfaces in a box, up to mirrors, are planes across one axis. */
static int is_flat(const struct tor_columns *c, const struct tor_nearby *near, const double lo[3], const double hi[3]) {
  const struct tor_grid *g = c->grid;
  struct tor_faces faces;
  double from[3], to[3];
  for (int a = 0; a < 3; a++) {
    const int mirror = !tor_grid_periodic(g, a) && !(g->plane && a == TOR_X);
    from[a] = mirror ? fmax(lo[a], g->lo[a]) : lo[a];
    to[a] = mirror ? fmin(hi[a], tor_grid_at(g, a, g->n[a])) : hi[a];
  }
  if (!tor_flat_faces(c, near, from, to, &faces)) return 0;
  return (faces.n[0] > 0) + (faces.n[1] > 0) + (faces.n[2] > 0) <= 1;
}

/* The metals in the cubes around a node, weighted; at flat faces those in its own. */
static struct tor_metal_part box_at(const struct tor_columns *c, struct tor_column *col, const struct tor_nearby *near,
                                    const int at[3]) {
  int image[3];
  struct tor_mix mix;
  struct sums sums = {0};
  image_of(c->grid, at, image);
  const struct tor_metal_part *known = col->metal_box ? tor_node_cache_find(col->metal_box, image) : NULL;
  if (known) return *known;
  struct tor_metal_part all = {.medium = -1};
  double others = 0, lo[3], hi[3];
  box_around(c->grid, image, 0, lo, hi);
  if (tor_cell_is_uniform(c, near, lo, hi, &mix.medium[0])) {
    mix.count = 1;
    mix.share[0] = 1;
    all = tor_metal_part_of(c->job, c->metals, &mix);
    all.along = all.share;
    return all;
  }
  const int flat = is_flat(c, near, lo, hi);
  for (int k = 0; k < 27; k++) {
    const int step[3] = {k / 9, k / 3 % 3, k % 3};
    int there[3];
    double across = 1, along = 1;
    for (int a = 0; a < 3; a++) {
      const int alone = flat || (c->grid->plane && a == TOR_X);
      there[a] = image[a] + (alone ? 0 : step[a] - 1);
      across *= alone ? step[a] == 1 : ACROSS[step[a]];
      along *= alone ? step[a] == 1 : ALONG[step[a]];
    }
    if (across == 0) continue;
    const struct tor_metal_part cube = cube_at(c, col, near, there);
    if (cube.share > 0) add_share(&sums, cube.medium, across * cube.share);
    all.share += across * cube.share;
    all.along += along * cube.share;
    if (cube.conducts) continue; /* no field is in it: its permittivity does not count */
    all.beside += across * (1 - cube.share) * cube.beside;
    others += across * (1 - cube.share);
  }
  all.medium = largest(&sums);
  all.beside = others > 0 ? all.beside / others : tor_metal_least(c->job);
  keep(&col->metal_box, image, &all);
  return all;
}

/* Whether one object holds the boxes of a node and of those beside it. */
static int is_deep(const struct tor_columns *c, const struct tor_nearby *near, const int at[3]) {
  int image[3], holds;
  double lo[3], hi[3];
  image_of(c->grid, at, image);
  box_around(c->grid, image, 1, lo, hi);
  return tor_objects_top(c->job->objects, near->seen, near->nseen, lo, hi, &holds) >= 0 && holds;
}

struct tor_metal_part tor_metal_around(const struct tor_columns *c, struct tor_column *col,
                                       const struct tor_nearby *near, const int at[3]) {
  struct tor_metal_part part = box_at(c, col, near, at);
  double others = 0, beside = 0;
  if (part.share < FULL) return part;
  part.is_bulk = is_deep(c, near, at);
  if (part.is_bulk) return part;
  for (int k = 0; k < 6; k++) {
    int there[3] = {at[0], at[1], at[2]};
    if (c->grid->plane && k / 2 == TOR_X) continue;
    there[k / 2] += k % 2 ? 1 : -1;
    const struct tor_metal_part next = box_at(c, col, near, there);
    if (next.share > FULL) continue;
    others += 1 - next.share;
    beside += (1 - next.share) * next.beside;
  }
  part.is_bulk = others == 0;
  if (others > 0) part.beside = beside / others;
  return part;
}
