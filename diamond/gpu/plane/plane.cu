/* A run of a 2-D slab by panels and tiles: see plane.cuh. */
#include "diamond/gpu/plane/plane.cuh"

#include <stdlib.h>

#include <algorithm>
#include <utility>

#include "diamond/gpu/stepwise/site.cuh"
#include "src/base/environment.h"
#include "src/base/error.h"

enum {
  VECTORS = TOR_PLANE_TILE_VECTORS,
  TILE_THREADS = TOR_PLANE_TILE_ROWS * VECTORS,
  BLOCK_TILES = 8, /* tiles of a block */
  BEST_STEPS = 8   /* of a round, at most: docs/measurements/plane.md */
};
/* Above this share of tiles, stepwise is as fast alone. */
static const double MOST_STEPWISE = 0.75;

struct tor_gpu_plane {
  int order, most; /* steps of a round */
  bool pays;       /* the panels are enough of the plane */
  int plain, npanel, kept, ntile;
  struct tor_gpu_panel *panel; /* on the device, as the tiles and the copy */
  struct tor_gpu_tile *tile;
  struct tor_gpu_plane_coef coef;
  real *base, *spare; /* the other copy of the fields: its memory, the first value */
};

/* The V values of this thread in tile number blockIdx.x BLOCK_TILES + threadIdx.y; false: none. */
POINT_FN bool place_in_tile(const tor_gpu_view &s, const tor_gpu_tile *tile, int count, int *iy, int *z0) {
  const int i = (int)blockIdx.x * BLOCK_TILES + (int)threadIdx.y;
  if (i >= count) return false;
  *iy = tile[i].y0 + (int)threadIdx.x / VECTORS;
  *z0 = tile[i].z0 + V * ((int)threadIdx.x % VECTORS);
  return *iy <= s.n[TOR_Y] && *z0 <= s.n[TOR_Z];
}

template <int ORDER, int COMP> POINT_FN void advance_in_tile(const tor_gpu_view &s, int step, int iy, int z0) {
  advance_site<ORDER, COMP>(s, step, comp_u(COMP), 2 * iy + comp_v(COMP), z0);
}

/* Half a step of the tiles, one component a block along y of the grid. */
template <int ORDER, int PLANE, int HALF>
static __global__ void __launch_bounds__(TILE_THREADS *BLOCK_TILES)
    advance_tiles(const __grid_constant__ tor_gpu_view s, int step, const tor_gpu_tile *tile, int count) {
  constexpr bool TM = PLANE == TOR_PLANE_TM;
  int iy, z0;
  if (!place_in_tile(s, tile, count, &iy, &z0)) return;
  if (blockIdx.y == 0) {
    advance_in_tile<ORDER, HALF ? (TM ? TOR_EX : TOR_EY) : (TM ? TOR_HY : TOR_HX)>(s, step, iy, z0);
    if (!HALF && s.has_nodes) advance_nodes(s, 0, 2 * iy, z0);
  } else {
    advance_in_tile<ORDER, TM ? TOR_HZ : TOR_EZ>(s, step, iy, z0);
  }
}

/* Values of tiles from the view's copy to the other one, a component a block along y. */
static __global__ void __launch_bounds__(TILE_THREADS *BLOCK_TILES)
    copy_tiles(const __grid_constant__ tor_gpu_view s, const tor_gpu_tile *tile, int count, real *to) {
  int iy, z0;
  if (!place_in_tile(s, tile, count, &iy, &z0)) return;
  const tor_gidx at = ((tor_gidx)iy * 3 + blockIdx.y) * s.nzp + z0;
  *(vec *)(to + at) = *(const vec *)(s.field + at);
}

static void run_tiles(const tor_gpu_plane *plane, const tor_gpu_view *s, int first, int steps, cudaStream_t stream) {
  typedef void (*half)(const tor_gpu_view, int, const tor_gpu_tile *, int);
  static const half kernel[2][2][2] = {{{advance_tiles<2, TOR_PLANE_TM, 0>, advance_tiles<2, TOR_PLANE_TM, 1>},
                                        {advance_tiles<2, TOR_PLANE_TE, 0>, advance_tiles<2, TOR_PLANE_TE, 1>}},
                                       {{advance_tiles<4, TOR_PLANE_TM, 0>, advance_tiles<4, TOR_PLANE_TM, 1>},
                                        {advance_tiles<4, TOR_PLANE_TE, 0>, advance_tiles<4, TOR_PLANE_TE, 1>}}};
  const unsigned te = s->plane == TOR_PLANE_TE, blocks = (unsigned)((plane->ntile + BLOCK_TILES - 1) / BLOCK_TILES);
  const dim3 block(TILE_THREADS, BLOCK_TILES);
  for (int step = first; step < first + steps; step++)
    for (unsigned e = 0; e < 2; e++) /* TM has two components of H, TE two of E */
      tor_gpu_launch(kernel[plane->order == 4][te][e], dim3(blocks, e == te ? 2 : 1), block, stream, *s, step,
                     (const tor_gpu_tile *)plane->tile, plane->ntile);
}

template <class T> static T *upload(const T *from, int count) {
  T *to;
  tor_gpu_alloc(&to, ((size_t)count + 1) * sizeof *to);
  CUDA_TRY(cudaMemcpy((void *)to, from, (size_t)count * sizeof *to, cudaMemcpyHostToDevice));
  return to;
}

/* The most steps of a round that TORRE_GPU_PLANE_STEPS allows; 0: it is not set. */
static int asked_steps(void) {
  const char *text = tor_environment("TORRE_GPU_PLANE_STEPS", NULL);
  return text ? atoi(text) : 0;
}

struct tor_gpu_plane *TOR_NAME(tor_gpu_plane_new)(const struct tor_slab *slab, const tor_gpu_view *view, int y0,
                                                  int y1) {
  struct tor_gpu_plane *plane = (struct tor_gpu_plane *)tor_alloc(1, sizeof *plane, "GPU");
  struct tor_plane_map map;
  plane->order = slab->order;
  const int asked = asked_steps();
  plane->most = TOR_NAME(tor_gpu_plane_steps)(slab->order, asked ? asked : BEST_STEPS);
  TOR_NAME(tor_plane_map_make)(slab, y0, y1, plane->most,
                               TOR_NAME(tor_gpu_plane_resident)(view, slab->order, plane->most), &map);
  plane->pays = y1 - y0 < slab->held[1] || (map.npanel > 0 && (asked || map.stepwise < MOST_STEPWISE));
  if (plane->pays) {
    const size_t values = (size_t)tor_slab_columns(slab) * 3 * (size_t)slab->nzp + 2 * (size_t)TOR_GPU_SLACK;
    plane->plain = map.plain;
    plane->npanel = map.npanel;
    plane->kept = map.kept;
    plane->ntile = map.ntile;
    plane->coef = map.coef;
    plane->panel = upload(map.panel, map.npanel);
    plane->tile = upload(map.tile, map.ntile);
    tor_gpu_alloc(&plane->base, values * sizeof(real));
    plane->spare = plane->base + TOR_GPU_SLACK;
    /* Values that are not advanced are the same in both. */
    CUDA_TRY(cudaMemcpy(plane->base, view->field - TOR_GPU_SLACK, values * sizeof(real), cudaMemcpyDeviceToDevice));
    CUDA_TRY(cudaStreamSynchronize(0)); /* which other streams do not wait for */
  }
  TOR_NAME(tor_plane_map_free)(&map);
  return plane;
}

bool TOR_NAME(tor_gpu_plane_pays)(const struct tor_gpu_plane *plane) { return plane->pays; }

void TOR_NAME(tor_gpu_plane_free)(struct tor_gpu_plane *plane) {
  if (!plane) return;
  tor_gpu_free(plane->panel);
  tor_gpu_free(plane->tile);
  tor_gpu_free(plane->base);
  free(plane);
}

/* Panels read the first copy before tiles change it. */
static void advance_all(struct tor_gpu_plane *plane, tor_gpu_view *s, int first, int steps, cudaStream_t stream) {
  TOR_NAME(tor_gpu_plane_panels)(s, plane->order, steps, false, plane->spare, plane->panel, plane->plain, &plane->coef,
                                 stream);
  TOR_NAME(tor_gpu_plane_panels)(s, plane->order, steps, true, plane->spare, plane->panel + plane->plain,
                                 plane->npanel - plane->plain, &plane->coef, stream);
  run_tiles(plane, s, first, steps, stream);
  tor_gpu_launch(copy_tiles, dim3((unsigned)((plane->kept + BLOCK_TILES - 1) / BLOCK_TILES), 3),
                 dim3(TILE_THREADS, BLOCK_TILES), stream, *s, (const tor_gpu_tile *)plane->tile, plane->kept,
                 plane->spare);
  std::swap(s->field, plane->spare);
}

int TOR_NAME(tor_gpu_plane_round)(struct tor_gpu_plane *plane, tor_gpu_view *view, int first, int most,
                                  cudaStream_t stream) {
  const int steps = TOR_NAME(tor_gpu_plane_steps)(plane->order, std::min(plane->most, most));
  advance_all(plane, view, first, steps, stream);
  return steps;
}

void TOR_NAME(tor_gpu_plane_run)(struct tor_gpu_plane *plane, tor_gpu_view *view, int first, int steps,
                                 cudaStream_t stream) {
  for (int done = 0; done < steps;)
    done += TOR_NAME(tor_gpu_plane_round)(plane, view, first + done, steps - done, stream);
}
