/* Half-widths R of the towers' tiles (tile.h) that were fastest on an H200 (docs/design/gpu.md), for one precision. */
#ifndef TOR_DIAMOND_GPU_TOWER_TOWER_RADIUS_CUH
#define TOR_DIAMOND_GPU_TOWER_TOWER_RADIUS_CUH

#include "diamond/gpu/view/slab_view.cuh"

enum { TOR_GPU_RADIUS4 = 6 };
enum { TOR_SMEM_RADIUS2 = 6, TOR_SMEM_RADIUS4 = 5 }; /* of shared-memory towers (smem_tile.cuh) */

/* Order 2: with CPML along z its memory takes the space of the larger tile. */
constexpr int tor_gpu_radius2(bool cpml_z) { return TOR_REAL_BITS == 64 && cpml_z ? 4 : 6; }
constexpr int tor_gpu_radius(int order, bool cpml_z) { return order == 4 ? TOR_GPU_RADIUS4 : tor_gpu_radius2(cpml_z); }
/* Of the towers that run a slab. */
static inline int tor_gpu_radius_of(const struct tor_gpu_view *view, int order) {
  if (view->smem_blocks) return order == 4 ? TOR_SMEM_RADIUS4 : TOR_SMEM_RADIUS2;
  return tor_gpu_radius(order, view->zlo + view->zhi > 0);
}

#endif
