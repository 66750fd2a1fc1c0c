/* Shared-memory towers: towers in fp32 whose tile lies in shared memory, so that any warp reaches any of its values and
 * the code of a step is a loop over a few sites at a time, short enough for everything that may act on them (parts that
 * a tile does not need are skipped by a branch that is the same for all threads). Compiled for each order,
 * TOR_SMEM_ORDER, in order 2 also with TOR_SMEM_TALL and with TOR_SMEM_DAMPED, for absorbers.
 *
 * Coordinates as in reg_tile_table.cuh: p = u + v, q = u - v from the tile's corner at the start of a step. A step
 * advances H at S <= p, q < S + 2R, then E at 2S <= p, q < 2S + 2R; H reads E at 0 <= p, q < 2R + 2S, E reads H at S <=
 * p, q < 2R + 3S. A component's vector along z has a slot by p and q modulo 16. Borrowed vectors come into their slots
 * by bulk copies, and those that leave the tile go from them by bulk copies. Nothing moves within shared memory. Order
 * 2, S = 1, R = 6: the vectors borrowed for a step have slots that the step before does not use, and are requested a
 * step ahead. Order 4, S = 3, R = 5: either field takes all 16 columns. Borrowed vectors of E have slots that the step
 * before uses while it advances H, those of H slots that it uses while it advances E: they are requested half a step
 * ahead.
 *
 * A lane has 4 values along z, 128 a warp. A tall tower is a cluster of blocks along z, of at most 256 values each:
 * the one value that a block needs of each vector of the block above or below it is loaded together with borrowed
 * vectors; that of a vector of the tile is sent by the block that has advanced it. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_TILE_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_TILE_CUH

#include "diamond/gpu/tower_smem/smem_pole_segments.cuh"
#include "diamond/gpu/tower/tile_needs.cuh"
#include "diamond/gpu/tower/tower_queue.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"
#include "diamond/gpu/view/nodes.cuh"

#ifndef TOR_SMEM_TALL
#define TOR_SMEM_TALL 0
#endif

#ifndef TOR_SMEM_DAMPED
#define TOR_SMEM_DAMPED 0
#endif

namespace { /* of one order, tall or not */

enum {
  SMEM_ORDER = TOR_SMEM_ORDER,
  SMEM_TALL = TOR_SMEM_TALL,
  SMEM_DAMPED = TOR_SMEM_DAMPED,
  SMEM_S = SMEM_ORDER == 4 ? 3 : 1,
  SMEM_R = SMEM_ORDER == 4 ? TOR_SMEM_RADIUS4 : TOR_SMEM_RADIUS2,
  SMEM_TILE = 2 * SMEM_R,
  SMEM_READS = SMEM_TILE + 2 * SMEM_S, /* columns of p and q of the other field that a half-step reads */
  SMEM_SLOTS = 32,                     /* of a component */
  SMEM_ROW = TOR_SMEM_Z,
  SMEM_WARPS = SMEM_ORDER == 4 ? 16 : 12, /* computing warps, in half of z each; four more are helper warps */
  SMEM_LOADS = SMEM_WARPS,
  SMEM_STORES,
  SMEM_PREFETCHES, /* two: the first looks up sites, the second planes */
  SMEM_PREFETCHING = 2,
  SMEM_THREADS = (SMEM_PREFETCHES + SMEM_PREFETCHING) * WARP,
  SMEM_CHUNK = 8,                            /* vectors of a pole_segment that eight lanes advance */
  SMEM_CHUNKS = SMEM_ORDER == 4 ? 384 : 544, /* 10 a site at most */
  SMEM_MOST_PLANES = TOR_SMEM_PLANES(SMEM_ORDER, SMEM_TALL),
  SMEM_SITES = SMEM_ORDER == 4 ? 13 : 18, /* of a component in the tile, at most */
  SMEM_HALF_CELLS = 16,                   /* along an axis, from the tile's u0 or v0 - R - 1 on */
  SMEM_FEW_POLES = 2,
  SMEM_BESIDE = 4, /* values that are copied with a borrowed vector, of the block above or below */
  SMEM_NOWHERE = UINT16_MAX,
  /* A thread's registers: at the launch, in helper warps, in computing warps. */
  SMEM_REGISTERS_HELPERS = SMEM_ORDER == 4 ? 64 : 80,
  SMEM_REGISTERS = SMEM_ORDER == 4 ? 104 : 144
};
/* Barriers of a block: all computing warps; the same and the prefetching warps, at a step's end. */
enum { SMEM_COMPUTING = 1, SMEM_STEP };
enum { SMEM_AT_STEP = (SMEM_WARPS + SMEM_PREFETCHING) * WARP };

/* Of tile_needs: what a site's media are; what advance_line cannot do. */
enum { SMEM_MEDIA = COEF | POLES, SMEM_EDGES = IN_CPML | WALLS };

/* A plane that injects: see planes.h. */
struct smem_inject {
  const real *table;
  int comp, z, width, index, along[2];
  real factor;
};
struct smem_medium {
  real k1[TOR_GPU_FAST_POLES], k2[TOR_GPU_FAST_POLES], k3[3][TOR_GPU_FAST_POLES];
  int npoles;
  unsigned nstate, has_p; /* a bit for each pole */
};

/* A half cell in layers along x or y; index: of its column among those of the layers, or -1. */
struct alignas(16) smem_half_cell {
  int index;
  real ik, b, c;
};

/* Media of an E site in the tile, in a half of z: place in view.coef of own coefficients, in units of 16, and lanes
 * that have them; lanes with poles. */
struct alignas(16) smem_media {
  int coef;
  unsigned own, poles;
};

/* Surface nodes of a column that the tile advances; an edge of the tile beside nodes: its values at z = 0,
 * coefficients, and of the nodes at either end the currents and where along the edge they act (smem_extras::place). */
struct alignas(16) smem_nodes {
  node_run run;
  int u, v;
};
struct alignas(16) smem_edge {
  const real *cb, *j[2]; /* j: of a node at z = 0, were there no gap, which is from z = gap to below `behind` */
  int16_t z0[2], nz[2], gap[2], behind[2], block[2]; /* block: values of state in one; 0: no blocks */
  uint16_t comp, slot;
};
/* Those of a step, in device memory: shared memory is full; columns with metals come last. smem_step has their numbers,
 * without and with metals, and how many times V values along z the longest of each takes. */
struct smem_node_list {
  smem_nodes nodes[SMEM_SLOTS];
  smem_edge edge[3 * SMEM_SITES];
};

/* The data looked up for a step. */
struct smem_step {
  alignas(16) smem_half_cell half_cell[2][SMEM_HALF_CELLS];
  unsigned needs;
  uint16_t chunks;
  uint8_t sampled, nodes[2], node_parts[2], edges, edge_parts; /* for NODES: see smem_node_list */
  uint16_t chunk[SMEM_CHUNKS];                                 /* slot, pole_segment << 7, number << 8 */
  /* Injections by planes at the component's sites: values, coefficients, places in `field` (SMEM_NOWHERE: none). */
  real injected[SMEM_MOST_PLANES][SMEM_SITES], inject_cb[SMEM_MOST_PLANES][SMEM_SITES];
  uint16_t inject_at[SMEM_MOST_PLANES][SMEM_SITES];
};

/* Shared memory of a block. */
struct smem_storage {
  alignas(128) real field[TOR_NCOMP][SMEM_SLOTS][SMEM_ROW];
  real cb[3][SMEM_ROW]; /* the layered background's, of E; 0 beyond the slab */
  alignas(16) tor_gpu_pole_segment pole_segment[3 * SMEM_SLOTS][TOR_GPU_POLE_SEGMENTS]; /* of E's slots in the tile */
  smem_media media[2][3 * SMEM_SLOTS];
  smem_step step[2];                            /* by its parity */
  alignas(16) real cpml_z[2][3][TOR_SMEM_CPML]; /* at nodes, at half cells: ik, b, c */
  smem_inject plane[SMEM_MOST_PLANES];          /* of H first, by component and z */
  int plane_of[TOR_NCOMP][2];                   /* of a component: the first, past the last */
  smem_medium medium[TOR_GPU_FAST_MEDIA];
  int most_poles; /* of a medium */
  uint64_t e_came[2], h_came[2];
  uint64_t came_beside[2]; /* values of H of the block below, of E of the block above */
  tower_dependency dependency[tower_dependency::NEIGHBOURS];
  int h_done, e_done, h_stored,
      stored; /* steps whose H, whose E is advanced; whose leaving values of H, of both are read */
  int stored_by[TOR_GPU_MOST_BLOCKS]; /* of the cluster's first block: steps whose values the others have stored */
  int taken;
  alignas(16) real
      beside[4][SMEM_TALL ? SMEM_SLOTS : 1][SMEM_BESIDE]; /* of Ex, Ey the block above's, of Hx, Hy the block below's */
  alignas(16) real psi[4][SMEM_SLOTS][TOR_SMEM_CPML];     /* memory of CPML along z: of Ex, Ey, Hx, Hy */
};
POINT_FN smem_storage &smem() { return *(smem_storage *)block_bytes(); }
/* Memory of CPML along z of a component. */
POINT_FN int smem_psi_of(int comp) { return comp_axis(comp) + 2 * comp_is_h(comp); }
/* Planes of a field: the first, past the last. */
POINT_FN int first_plane(int half) { return smem().plane_of[half ? TOR_EX : TOR_HX][0]; }
POINT_FN int past_plane(int half) { return smem().plane_of[half ? TOR_EZ : TOR_HZ][1]; }
/* A block's part of device memory: the sums of its poles' currents. */
struct smem_scratch {
  alignas(128) real sums[3 * SMEM_SLOTS][SMEM_ROW];
  smem_node_list nodes[2]; /* by the step's parity */
};

/* A block's part of z. */
struct smem_span {
  int nblock, rank, first, count; /* blocks of the tower, which of them this is; its first value, how many there are */
  __device__ __forceinline__ smem_span(const tor_gpu_view &s) : nblock(1), rank(0), first(0), count(s.n[2]) {
    if (!SMEM_TALL) return;
    const int part = tor_smem_part(s.n[2], s.smem_blocks);
    nblock = s.smem_blocks;
    rank = (int)blockIdx.x % nblock;
    first = rank * part;
    count = min(part, s.n[2] - first);
  }
  __device__ __forceinline__ bool has_below() const { return rank > 0; }
  __device__ __forceinline__ bool has_above() const { return rank + 1 < nblock; }
  __device__ __forceinline__ unsigned bytes() const {
    return (unsigned)((count + 3) / 4 * 4) * (unsigned)sizeof(real);
  } /* of a vector */
  __device__ __forceinline__ int past() const { return (count + V - 1) / V; } /* the last of its lanes, and one */
};

/* A tower's part in a run. */
struct smem_tower {
  int row_u, v0;   /* the corner's u at step 0; its v */
  int first, past; /* steps in which the tile touches the slab */
  __device__ __forceinline__ int u0(int step) const { return row_u + 2 * SMEM_S * step; }
};

/* Bytes that a block receives in a half-step: a value of each vector along x and y in the tile. */
enum { SMEM_BESIDE_BYTES = SMEM_R * SMEM_R * (int)sizeof(real) };

/* A slot; its place in a component's, in bytes. */
static constexpr __host__ __device__ int slot_of(int p, int q) { return (p >> 1 & 7) * 4 + (q >> 2 & 3); }
static constexpr __host__ __device__ unsigned place_of(int slot) {
  return (unsigned)slot * SMEM_ROW * (unsigned)sizeof(real);
}

/* A site, in half cells of the slab. */
struct smem_site {
  int u, v;
};
/* The site of Ez whose slot it is, among the 16 by 16 values of p and q from SMEM_S - 2 on: there lie all nodes that go
 * with a tile's sites or end its edges. */
POINT_FN smem_site site_of_slot(int slot, int u0, int v0) {
  const int from_p = u0 + v0 + SMEM_S - 2, from_q = u0 - v0 + SMEM_S - 2;
  const int p = from_p + ((2 * (slot >> 2) - from_p) & 15), q = from_q + ((4 * (slot & 3) + (p & 2) - from_q) & 15);
  return {(p + q) >> 1, (p - q) >> 1};
}

/* A point of the square lo <= p, q < lo + WIDTH, by its number; there are WIDTH^2 / 2, of which each has one component
 * of a field at most. */
template <int WIDTH> struct smem_point {
  int p, q, u, v;
  __device__ __forceinline__ smem_point(int lo, int number) {
    const int i = number / (WIDTH / 2), k = number % (WIDTH / 2);
    p = lo + i;
    q = lo + 2 * k + (i & 1);
    u = (p + q) >> 1;
    v = (p - q) >> 1;
  }
  static constexpr int COUNT = WIDTH * WIDTH / 2;
};

/* A point of the same square's upper rim, p or q >= lo + INNER. */
template <int WIDTH, int INNER> struct smem_halo {
  static constexpr int THICK = WIDTH - INNER, AT_P = THICK * WIDTH / 2, COUNT = AT_P + INNER * THICK / 2;
  static_assert(WIDTH % 2 == 0 && INNER % 2 == 0, "points go by twos");
  int p, q, u, v;
  __device__ __forceinline__ smem_halo(int lo, int number, bool lower = false) {
    const int k = number - AT_P, i = k < 0 ? INNER + number / (WIDTH / 2) : k / (THICK / 2);
    p = i;
    q = (i & 1) + (k < 0 ? 2 * (number % (WIDTH / 2)) : INNER + 2 * (k % (THICK / 2)));
    p = lo + (lower ? WIDTH - 1 - p : p); /* the lower rim is its ghost value */
    q = lo + (lower ? WIDTH - 1 - q : q);
    u = (p + q) >> 1;
    v = (p - q) >> 1;
  }
};

/* Order 2: a task is three sites of a half-step, one of each axis. That along z stands at (p, q), that along x beside
 * it, that along y beside (p, qy). */
enum { SMEM_TASKS = 18, SMEM_LINE = 3 /* side by side along q */ };
struct smem_task {
  int p, q, qy;
};
POINT_FN smem_task task_at(int half, int number) {
  const int i = number / 3, j = (i & 1) + 2 * (number % 3), jy = i & 1 ? j : j + 2;
  return {2 + 2 * i, half ? 2 + 2 * j : 12 - 2 * j, half ? 2 + 2 * jy : 12 - 2 * jy};
}
/* A task's site along an axis in the frame at (u0, v0). */
POINT_FN smem_site site_of(int half, const smem_task &task, int axis, int u0, int v0) {
  const int q = axis == TOR_Y ? task.qy : task.q, shift = half ? 1 : -1;
  return {u0 + ((task.p + q) >> 1) + (axis == TOR_X ? shift : 0),
          v0 + ((task.p - q) >> 1) + (axis == TOR_Y ? shift : 0)};
}

/* Order 4: the tile has 25 points of odd p and q, where X and Y take turns, and 25 of even ones, at every second of
 * which a Z stands; which begins depends on the tile's corner. Sites are numbered in this order. A component's sites
 * have numbers of their own, too: those of a Z from 0 on, of others half that. */
enum { SMEM_FLAT_SITES = 25 };
POINT_FN int first_z(int half, int u0) { return (u0 + !half) & 1; } /* number among the 25 points of the first Z */
POINT_FN smem_site point_at(int half, bool is_z, int i, int u0, int v0) { /* the i-th of the 25 */
  const int first = 3 + 3 * half + (is_z == !half); /* the first odd, the first even column from 3 or 6 on */
  const int row = i / 5, column = i - 5 * row;
  return {u0 + first + row + column, v0 + row - column};
}
POINT_FN smem_site site_at(int half, int number, int u0, int v0) {
  const bool is_z = number >= SMEM_FLAT_SITES;
  return point_at(half, is_z, is_z ? 2 * (number - SMEM_FLAT_SITES) + first_z(half, u0) : number, u0, v0);
}
POINT_FN int sites_of_tile(int half, int u0) { return SMEM_FLAT_SITES + 13 - first_z(half, u0); }

/* A component's site by its number; another point of the tile where it has none. */
POINT_FN smem_site numbered_site(int half, int axis, int number, int u0, int v0) {
  if (SMEM_ORDER == 2) return site_of(half, task_at(half, number), axis, u0, v0);
  /* Of the points 2 number and 2 number + 1 one has the component, X at even points where x_first. */
  const int x_first = (u0 + (half ? 7 : 3)) & 1 ^ !half;
  const int i = 2 * number + (axis == TOR_Z ? first_z(half, u0) : (axis == TOR_X) != x_first);
  return point_at(half, axis == TOR_Z, min(i, SMEM_FLAT_SITES - 1), u0, v0);
}

} // namespace

#endif
