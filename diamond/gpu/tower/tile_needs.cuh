/* What the sites of a tile need in a step beyond the layered background and CPML along z, for both families of towers:
 * found once a launch, a byte for each tile. */
#ifndef TOR_DIAMOND_GPU_TOWER_TILE_NEEDS_CUH
#define TOR_DIAMOND_GPU_TOWER_TILE_NEEDS_CUH

#include "diamond/gpu/view/lattice.cuh"

enum tile_needs {
  WALLS = 1,     /* some sites lie at or beyond a wall in x or y, and are not advanced */
  COEF = 2,      /* coefficients of E of columns' own */
  IN_CPML_X = 4, /* CPML along x */
  IN_CPML_Y = 8, /* CPML along y */
  IN_CPML = IN_CPML_X | IN_CPML_Y,
  ITEMS = 16,  /* columns' lists: injections, records; in register towers also poles, losses, own coefficients of H */
  GHOSTS = 32, /* some values are used that are ghost values behind a wall: order 4, or a PMC. Register towers */
  PLANES = 64, /* all columns have the slab's planes (planes.h); ITEMS is then what they need besides */
  POLES = 128, /* shared-memory towers */
  NODES = 32   /* the same: surface nodes, in register towers among the ITEMS */
};

/* What is seen of a tile's sites, one after the other. */
struct tile_survey {
  unsigned cls;       /* of any column, as it would be without absorbers */
  bool walls, planes; /* are some sites not advanced? have all columns the planes? */

  /* A site that a step advances or reads. */
  __device__ __forceinline__ void see(const tor_gpu_view &s, int u, int v) {
    if (!inside(s, u, v)) {
      walls = true;
      return;
    }
    const tor_gidx column = column_of(s, u, v);
    cls |= tor_class_undamped(s.cls[column], s.damped);
    planes = planes && s.in_planes[column];
  }
  /* What both families need alike. */
  __device__ __forceinline__ int common() const {
    return (walls ? WALLS : 0) | (cls & TOR_COL_COEF_E ? COEF : 0) | (cls & TOR_COL_CPML_X ? IN_CPML_X : 0) |
           (cls & TOR_COL_CPML_Y ? IN_CPML_Y : 0);
  }
};

#endif
