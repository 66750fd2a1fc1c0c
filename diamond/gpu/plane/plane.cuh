/* 2-D slabs, several steps a launch (docs/design/plane.md). The plane, rows iy times values z, is divided into
 *     panels: rectangles where, as far as a round of steps reaches, no site has more than its curl and a coefficient of
 *             its own of E; a warp marches along y and advances each row by all steps of the round in registers, from
 *             the one copy of the fields to the other;
 *     tiles:  rectangles of 8 rows and 8 vectors of V values with everything else, which the stepwise engine's sites
 *             advance a half-step at a time in the first copy, with their surroundings as far as the round reaches.
 * After a round the tiles' own values are copied, and the copies change their roles. For one precision. */
#ifndef TOR_DIAMOND_GPU_PLANE_PLANE_CUH
#define TOR_DIAMOND_GPU_PLANE_PLANE_CUH

#include "diamond/gpu/view/slab_view.cuh"

/* Rows y0 <= iy < y1 and values z0 <= z < z1; z0 and z1 are multiples of TOR_PLANE_QUAD. */
struct tor_gpu_panel {
  int y0, y1, z0, z1;
};
struct tor_gpu_tile {
  int y0, z0;
};
/* Values of a thread along z, of a warp; rows of a tile, and its vectors along z. */
enum { TOR_PLANE_QUAD = 4, TOR_PLANE_WARP = 32 * TOR_PLANE_QUAD, TOR_PLANE_TILE_ROWS = 8, TOR_PLANE_TILE_VECTORS = 4 };

/* Cells that a step reaches; values along z that a round of so many steps needs beside a panel. */
static inline int tor_plane_reach(int order) { return order == 4 ? 3 : 1; }
static inline int tor_plane_margin(int order, int steps) {
  const int reach = tor_plane_reach(order) * steps;
  return (reach + TOR_PLANE_QUAD - 1) / TOR_PLANE_QUAD * TOR_PLANE_QUAD;
}

/* Coefficients where a panel has none of its own, by component. */
struct tor_gpu_plane_coef {
  real at[TOR_NCOMP];
};

/* The division for rounds of `steps` steps; allocated arrays. */
struct tor_plane_map {
  struct tor_gpu_panel *panel; /* those without coefficients of their own first */
  int plain, npanel;
  struct tor_gpu_tile *tile; /* those whose values are kept first */
  int kept, ntile;
  struct tor_gpu_plane_coef coef;
  double stepwise; /* share of the plane that the tiles advance */
};
/* Of held rows y0 <= iy < y1, counted from the first one, and of the rows of tiles that these touch: all, or those that
 * a rank owns. Where the slab ends inside the domain, the rows held beyond are at least those of a round's reach and of
 * a tile. resident: panels that the device runs at one time. */
void TOR_NAME(tor_plane_map_make)(const struct tor_slab *slab, int y0, int y1, int steps, int resident,
                                  struct tor_plane_map *map);
void TOR_NAME(tor_plane_map_free)(struct tor_plane_map *map);

/* Advances panels of a slab by `steps` steps, a number that tor_gpu_plane_steps gives, from view.field to
 * `to`. own: with coefficients of their own. */
void TOR_NAME(tor_gpu_plane_panels)(const tor_gpu_view *view, int order, int steps, bool own, real *to,
                                    const struct tor_gpu_panel *panel, int count, const struct tor_gpu_plane_coef *coef,
                                    cudaStream_t stream);
/* Panels that the device runs at one time; the steps of a round, the most that there are and at most so many. */
int TOR_NAME(tor_gpu_plane_resident)(const tor_gpu_view *view, int order, int steps);
int TOR_NAME(tor_gpu_plane_steps)(int order, int most);

struct tor_gpu_plane;
/* Rows as tor_plane_map_make has them. */
struct tor_gpu_plane *TOR_NAME(tor_gpu_plane_new)(const struct tor_slab *slab, const tor_gpu_view *view, int y0,
                                                  int y1);
/* Whether the panels are enough of the plane; if not, the slab runs stepwise. A rank's part always runs by rounds. */
bool TOR_NAME(tor_gpu_plane_pays)(const struct tor_gpu_plane *plane);
void TOR_NAME(tor_gpu_plane_free)(struct tor_gpu_plane *plane);
/* A round of at most `most` steps from step `first` of the stage on; returns how many. Afterwards view->field is the
 * copy with the result, as after tor_gpu_plane_run, which makes all rounds of steps first ... first + steps - 1. */
int TOR_NAME(tor_gpu_plane_round)(struct tor_gpu_plane *plane, tor_gpu_view *view, int first, int most,
                                  cudaStream_t stream);
void TOR_NAME(tor_gpu_plane_run)(struct tor_gpu_plane *plane, tor_gpu_view *view, int first, int steps,
                                 cudaStream_t stream);

#endif
