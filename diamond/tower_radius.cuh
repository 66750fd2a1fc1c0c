/* Half-widths R of the towers' tiles (tile.h) that were fastest on an H200 (docs/gpu.md), for one precision. */
#ifndef TOR_TOWER_RADIUS_CUH
#define TOR_TOWER_RADIUS_CUH

enum { TOR_GPU_RADIUS2 = TOR_REAL_BITS == 32 ? 6 : 4, TOR_GPU_RADIUS4 = 6 };

#endif
