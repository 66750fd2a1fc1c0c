/* Half-widths R of the towers' tiles (tile.h) that were fastest on an H200 (docs/gpu.md), for one precision. */
#ifndef TOR_TOWER_RADIUS_CUH
#define TOR_TOWER_RADIUS_CUH

enum { TOR_GPU_RADIUS4 = 6 };

/* Order 2: with CPML along z its memory takes the room of the larger tile. */
constexpr int tor_gpu_radius2(bool layer_z) { return TOR_REAL_BITS == 64 && layer_z ? 4 : 6; }
constexpr int tor_gpu_radius(int order, bool layer_z) {
  return order == 4 ? TOR_GPU_RADIUS4 : tor_gpu_radius2(layer_z);
}

#endif
