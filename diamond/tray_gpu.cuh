/* Trays: towers of order 2 in fp32 whose tile lies in shared memory, so that any warp reaches any of its values and the code of a step
 * is a loop over a few sites at a time, short enough for all that may act on them (what a tile does not need is skipped by a branch that is the
 * same for all threads).
 *
 * Coordinates as in tile_gpu.cuh: p = u + v, q = u - v from the tile's corner at the start of a step, R = 6. A step advances H at
 * 1 <= p, q < 13, then E at 2 <= p, q < 14. All that it reads lies in 0 <= p, q < 15, and what the next step borrows besides in p, q < 17,
 * while the same step uses no value of that field behind: so a component's vector along z has a slot by p and q modulo 16. Borrowed
 * vectors come into their slots by bulk copies, a step or more ahead, and those that leave the tile go from them by bulk copies. Nothing
 * moves within shared memory.
 *
 * A lane has 4 values along z, 128 a warp. */
#ifndef TOR_TRAY_GPU_CUH
#define TOR_TRAY_GPU_CUH

#include "strands_gpu.cuh"
#include "tower_queue.cuh"

enum {
  WARP = 32,
  TRAY_R = 6,
  TRAY_SLOTS = 32, /* of a component */
  TRAY_ROW = TOR_TRAY_Z,
  TRAY_TASKS = 18,
  TRAY_LINE = 3, /* tasks side by side along q */
  TRAY_WARPS = 12, /* that compute: three tasks in half of z each; four more serve them */
  TRAY_BRINGS = TRAY_WARPS,
  TRAY_STORES,
  TRAY_LOOKS, /* two: the first looks up sites, the second planes */
  TRAY_LOOKING = 2,
  TRAY_THREADS = (TRAY_LOOKS + TRAY_LOOKING) * WARP,
  TRAY_CHUNK = 8, /* vectors of a strand that eight lanes advance */
  TRAY_CHUNKS = 512,
  TRAY_MOST_PLANES = 2, /* tor_gpu_most_planes(2) */
  TRAY_HALF_CELLS = 16, /* along an axis, from the tile's u0 or v0 - 7 on */
  TRAY_FEW_POLES = 2,
  TRAY_NOWHERE = UINT16_MAX
};
/* Barriers of a block: all who compute; the same and who looks up, at a step's end. */
enum { TRAY_COMPUTING = 1, TRAY_STEP };
enum { TRAY_AT_STEP = (TRAY_WARPS + TRAY_LOOKING) * WARP };

/* What a tile needs, beyond the layered background and CPML along z. */
enum tray_needs {
  TRAY_LAYERS_X = 1,
  TRAY_LAYERS_Y = 2,
  TRAY_COEF = 4,   /* coefficients of E of columns' own */
  TRAY_POLES = 8,
  TRAY_PLANES = 16, /* all columns have the slab's planes (planes.h), and no other injections and records */
  TRAY_LISTS = 32,  /* injections and records by the columns' lists */
  TRAY_WALLS = 64,  /* some sites are not advanced */
  TRAY_MEDIA = TRAY_COEF | TRAY_POLES,
  TRAY_EDGES = TRAY_LAYERS_X | TRAY_LAYERS_Y | TRAY_WALLS
};

/* A plane that injects: see planes.h. */
struct tray_inject {
  int comp, z, table, index, along[2];
  real factor;
};
struct tray_medium {
  real k1[TOR_GPU_FAST_POLES], k2[TOR_GPU_FAST_POLES], k3[3][TOR_GPU_FAST_POLES];
  int npoles;
  unsigned nstate, has_p; /* a bit for each pole */
};

/* A half cell in layers along x or y; index: of its column among those of the layers, or -1. */
struct alignas(16) tray_half_cell {
  int index;
  real ik, b, c;
};

/* Media of an E site in the tile, in a half of z: place in view.coef of own coefficients, in units of 16, and lanes that have them; lanes with poles. */
struct alignas(16) tray_media {
  int coef;
  unsigned own, poles;
};

/* What is looked up for a step. */
struct tray_step {
  alignas(16) tray_half_cell half_cell[2][TRAY_HALF_CELLS];
  unsigned needs;
  int sampled, chunks;
  uint16_t chunk[TRAY_CHUNKS];                         /* slot, strand << 7, number << 8 */
  /* By planes: what, the coefficients there, places in `field` (TRAY_NOWHERE: there is nothing). */
  real injected[TOR_NCOMP * TRAY_MOST_PLANES][TRAY_TASKS], inject_cb[TOR_NCOMP * TRAY_MOST_PLANES][TRAY_TASKS];
  uint16_t inject_at[TOR_NCOMP * TRAY_MOST_PLANES][TRAY_TASKS];
};

/* Shared memory of a block; behind it memory of CPML along z, [4][TRAY_SLOTS][npz]: of Ex, Ey, Hx, Hy. */
struct tray_memory {
  alignas(128) real field[TOR_NCOMP][TRAY_SLOTS][TRAY_ROW];
  real cb[3][TRAY_ROW];                                              /* the layered background's, of E; 0 beyond the slab */
  alignas(16) tor_gpu_strand strand[3 * TRAY_SLOTS][TOR_GPU_STRANDS]; /* of E's slots in the tile */
  tray_media media[2][3 * TRAY_SLOTS];
  tray_step step[2];                                                 /* by its parity */
  alignas(16) real layer_z[2][3][TOR_TRAY_LAYER];                                /* at nodes, at half cells: ik, b, c */
  tray_inject plane[TOR_NCOMP * TRAY_MOST_PLANES];                   /* of H first */
  int first_plane[3];                                                /* of H, of E; their number */
  tray_medium medium[TOR_GPU_FAST_MEDIA];
  int most_poles; /* of a medium */
  uint64_t e_came[2], h_came[2];
  tower_watch watch[tower_watch::NEIGHBOURS];
  int h_done, e_done, stored; /* steps whose H, whose E is advanced; whose leaving values are read */
  int taken;
  alignas(16) real psi[1];
};
POINT_FN tray_memory &tray() { return *(tray_memory *)block_bytes(); }
/* Memory of CPML along z of a component. */
POINT_FN int tray_psi_of(int comp) { return comp_axis(comp) + 2 * comp_is_h(comp); }
POINT_FN real *tray_psi(int npz, int comp, int slot) { return tray().psi + (tray_psi_of(comp) * TRAY_SLOTS + slot) * npz; }
/* Bytes of the sums of currents of a block's poles, in device memory: [3 TRAY_SLOTS][TRAY_ROW]. */
constexpr size_t TRAY_SUMS_BYTES = (size_t)3 * TRAY_SLOTS * TRAY_ROW * sizeof(real);
static inline size_t tray_bytes(int layers) { return sizeof(tray_memory) + (size_t)4 * TRAY_SLOTS * (size_t)layers * sizeof(real); }

/* A tower's part in a run. */
struct tray_tower {
  int row_u, v0;        /* the corner's u at step 0; its v */
  int first, past;      /* steps in which the tile touches the slab */
  __device__ __forceinline__ int u0(int step) const { return row_u + 2 * step; }
};

POINT_FN int slot_of(int p, int q) { return (p >> 1 & 7) * 4 + (q >> 2 & 3); }

/* A point of the square lo <= p, q < lo + WIDTH, by its number; there are WIDTH^2 / 2, of which each has one component of a field at most. */
template <int WIDTH> struct tray_point {
  int p, q, u, v;
  __device__ __forceinline__ tray_point(int lo, int number) {
    const int i = number / (WIDTH / 2), k = number % (WIDTH / 2);
    p = lo + i;
    q = lo + 2 * k + (i & 1);
    u = (p + q) >> 1;
    v = (p - q) >> 1;
  }
  static constexpr int COUNT = WIDTH * WIDTH / 2;
};

/* A task: three sites of a half-step, one of each axis. That along z stands at (p, q), that along x beside it, that along y beside (p, qy). */
struct tray_task {
  int p, q, qy;
};
template <int HALF> POINT_FN tray_task task_at(int number) {
  const int i = number / 3, j = (i & 1) + 2 * (number % 3), jy = i & 1 ? j : j + 2;
  return {2 + 2 * i, HALF ? 2 + 2 * j : 12 - 2 * j, HALF ? 2 + 2 * jy : 12 - 2 * jy};
}
/* A task's site along an axis in the frame at (u0, v0). */
struct tray_site {
  int u, v;
};
template <int HALF> POINT_FN tray_site site_of(const tray_task &task, int axis, int u0, int v0) {
  const int q = axis == TOR_Y ? task.qy : task.q, shift = HALF ? 1 : -1;
  return {u0 + ((task.p + q) >> 1) + (axis == TOR_X ? shift : 0), v0 + ((task.p - q) >> 1) + (axis == TOR_Y ? shift : 0)};
}

#endif
