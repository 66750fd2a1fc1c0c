/* A kind of towers, the data of a launch, and the layout of a block's shared memory. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_KIND_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_KIND_CUH

#include "diamond/gpu/tower_reg/reg_range_flags.cuh"
#include "diamond/gpu/tower_reg/reg_tile_table.cuh"
#include "diamond/gpu/tower/tile_needs.cuh"
#include "diamond/gpu/tower/tower_queue.cuh"

enum { GROUP_OF_WARPS = 128, HALO = 16 / (int)sizeof(real), MOST_SHARED = 227 * 1024 };

/* The four helper warps. One copies the bands; two prepare tables and lists, and copy where they have no lists to make;
 * one publishes to the neighbours which steps are done: its fence waits for all stores of the block, which takes about
 * half a step, and no other warp waits for it within a step. */
enum serving_warp { COPIES, PREPARES, LISTS, REPORTS, SERVING_WARPS };
enum { PREPARING_WARPS = 2 };
constexpr int copying_warps(bool has_items) { return has_items ? 1 : 3; }

template <int ORDER_, int R_, int ZB_, bool IN_CPML_Z_, bool DAMPED_ = false, bool WRAPS_ = false, bool BLOCH_ = false,
          bool BLOCH_NODES_ = false>
struct tower_kind {
  static constexpr int ORDER = ORDER_, S = ORDER == 4 ? 3 : 1, R = R_, ZB = ZB_; /* ZB: most threads of a block */
  static constexpr bool IN_CPML_Z = IN_CPML_Z_;                                  /* CPML along z */
  static constexpr bool DAMPED = DAMPED_;                                        /* absorbers */
  static constexpr bool WRAPS = WRAPS_; /* the ends of z meet, in a block of its own */
  /* Complex fields: of a tower's blocks the first half has the real part, the other the imaginary part. */
  static constexpr bool BLOCH = BLOCH_;
  /* Surface nodes; between Bloch walls in kernels of their own, since the others would spill more registers. */
  static constexpr bool NODES = !BLOCH_ || BLOCH_NODES_;
  static constexpr bool CROSSES_Z = BLOCH && WRAPS; /* values beyond the ends of z are made of both parts */
  /* z is one or several segments (tor_slab.segments); without ghost values: rows are read at a segment's other end. */
  static constexpr bool SEGMENTS = WRAPS && !BLOCH;
  static constexpr int ROW = ZB + 2 * HALO, NWARP = ZB / WARP;
  /* The last group of warps copies, waits and publishes progress for the others, which need most of its registers: of
   * 384 threads each starts with 168. */
  static constexpr int THREADS = ZB + GROUP_OF_WARPS;
  static constexpr bool MOVES_REGISTERS = THREADS == 384;
  /* Where H of the tile lies: in registers or in shared memory; and where neighbours along z are read: in rows of
   * shared memory or from the other lanes. Borrowed values are taken into registers all at once, or (AS_USED) one by
   * one, from a single buffer each for E and H; then a half-step begins with the sites that need none. */
  static constexpr bool H_SHARED = TOR_REAL_BITS == 64 && (ORDER == 4 || R == 6);
  static constexpr bool AS_USED = ORDER == 4 || H_SHARED, H_ROWS = AS_USED, E_ROWS = ORDER == 4 && TOR_REAL_BITS == 32;
  static constexpr int BUFFERS = AS_USED ? 1 : 2;
  static constexpr bool COEF_ROWS =
      ORDER == 2 && !H_SHARED; /* coefficients of a step's E: copied to rows, or loaded by the threads */
  static constexpr bool PSI_SHARED =
      IN_CPML_Z && ORDER == 2; /* memory of CPML along z: in shared memory or in registers */
  /* Own values across a seam: sent to rows of the other part's block, or read where they are stored for it. */
  static constexpr bool SEAM_ROWS = BLOCH && COEF_ROWS;
  typedef tile_table<S, R, AS_USED, BLOCH> T;
  typedef sites<T, T::e_own> e_own;
  typedef sites<T, T::h_own> h_own;
  typedef sites<T, T::h_next> h_next;
  typedef sites<T, T::e_band> e_band;
  typedef sites<T, T::h_band> h_band;
  typedef sites<T, T::e_edge> e_edge;
  typedef sites<T, T::h_edge> h_edge;
  typedef sites<T, T::h_leaves> h_leaves;
  typedef sites<T, T::e_leaves> e_leaves;
  typedef sites<T, T::h_enters> h_enters;
  typedef sites<T, T::e_enters> e_enters;
  typedef sites<T, T::e_across> e_across;
  typedef sites<T, T::h_across> h_across;
  typedef sites<T, T::e_at_seam> e_at_seam;
  typedef sites<T, T::h_at_seam> h_at_seam;
  static constexpr int NE = e_band::count, NH = h_band::count,
                       NH_ROWS = H_SHARED ? h_own::count
                                 : H_ROWS ? h_edge::count
                                          : 0;
  static constexpr int NE_ROWS = E_ROWS ? e_edge::count : 0;
  static constexpr int EE = E_ROWS ? 4 : (e_edge::count + 3) / 4 * 4, EH = H_ROWS ? 4 : (h_edge::count + 3) / 4 * 4;
  static constexpr int SIDES =
      ORDER == 4 ? 3 : 1; /* kinds of edge values: the nearest; order 4: the next, and the other side's */
  static constexpr int SITES = e_own::count; /* that a half-step advances */
  static constexpr int INJECTS = tor_gpu_most_injects(ORDER), MOST_PLANES = tor_gpu_most_planes(ORDER);
  static_assert(SITES == h_next::count && SITES <= 2 * WARP, "a lane has two sites");
  /* Places of the lists' sites, counted from the tile's corner: in the field, in psi of z. */
  static constexpr int H_LEAVES = 0, E_LEAVES = H_LEAVES + h_leaves::count, H_ENTERS = E_LEAVES + e_leaves::count;
  static constexpr int E_ENTERS = H_ENTERS + h_enters::count, E_BAND = E_ENTERS + e_enters::count;
  static constexpr int H_BAND = E_BAND + NE, PLACES = H_BAND + NH;
};

/* A sample of CPML along x or y at one half-cell coordinate. */
struct alignas(4 * sizeof(real)) layer_at {
  real ik, b, c;
  int row; /* of psi, in rows of nzp values: along x at v0, along y at the slab's edge; -1: no layer here */
};

struct alignas(4 * sizeof(real)) four {
  real at[4];
};

/* A site of the tile. */
struct site_place {
  signed char u, v, comp, unused;
};
/* Special sites, a bit for each site, a mask for each warp; see reg_special.cuh. */
struct site_mask {
  unsigned bits[2]; /* of the sites of a half-step */
  __device__ __forceinline__ bool has(int site) const { return bits[site / WARP] >> (site % WARP) & 1; }
};
POINT_FN site_mask warp_uniform(site_mask mask) { return {{warp_uniform(mask.bits[0]), warp_uniform(mask.bits[1])}}; }
struct item_counts {
  int poles, rest;
};
/* The lists of both half-steps. E's are made while those of the step before are processed. */
template <class K> struct item_list {
  enum { ITEMS = K::SITES * K::NWARP };
  item_counts count[2][2];               /* [step's parity][half] */
  site_mask h[K::NWARP], e[2][K::NWARP]; /* of each warp, the sites on a list; E's by the step's parity */
  uint2 e_item[2][ITEMS];                /* those with simple poles from the front, the rest from the end */
  uint16_t h_item[ITEMS];
  template <int HALF> METHOD site_mask *sites(int parity) { return HALF ? e[parity] : h; }
};

/* Shared memory of a block. */
template <class K> struct block_memory {
  real e_band[K::BUFFERS][K::NE][K::ROW], h_band[K::BUFFERS][K::NH][K::ROW]; /* two in turn */
  real e_row[K::NE_ROWS][K::ROW],
      h_row[K::NH_ROWS][K::ROW]; /* own values whose neighbours along z are wanted; H_SHARED: all of H */
  real coef_row[K::COEF_ROWS ? K::SITES : 0][K::ZB];
  /* BLOCH: values of the other part that are read across a seam. */
  real e_beyond[K::SEAM_ROWS ? K::e_at_seam::count : 0][K::ZB], h_beyond[K::SEAM_ROWS ? K::h_at_seam::count : 0][K::ZB];
  alignas(16) real e_edge[(K::NWARP + 2) * K::SIDES][K::EE], h_edge[(K::NWARP + 2) * K::SIDES][K::EH];
  int field_place[K::PLACES]; /* in units of TOR_VECTOR values */
  int psi_place[K::E_BAND];
  /* Memory of CPML along z of the sites across z, for the block's threads in the layers; the last place is read, and
   * not used, by those in none. */
  real psi_e[K::PSI_SHARED ? K::e_across::count : 1][TOR_GPU_MOST_CPML + 1],
      psi_h[K::PSI_SHARED ? K::h_across::count : 1][TOR_GPU_MOST_CPML + 1];
  site_place site[2][K::SITES]; /* that H's half-step and E's advance */
  const real
      *coef[K::SITES]; /* E's coefficients in this step; COEF_ROWS has them in rows, too, and these for items alone */
  layer_at cpml_x[2][K::T::NU + 2 * K::S], cpml_y[K::T::NV]; /* x: [step's parity] */
  unsigned has_cpml_x[2], has_cpml_y;                        /* a bit for each of them */
  real damping[K::DAMPED ? 2 : 0][2][K::SITES]; /* [step's parity][half]: the absorbers' factors p_x p_y of the sites */
  /* Of the tower: the dependencies that the first lanes of the helper warps poll; its count of steps; R times its row,
   * its place among the queue's. Kept here because local memory of the helper warps is slow to read back. */
  tower_dependency dependency[SERVING_WARPS][tower_dependency::NEIGHBOURS];
  int *done;
  int row_u, place;
  real plane[2 * K::MOST_PLANES + 1][K::SITES]; /* what is injected at the sites of a half-step: see plane_row */
  item_list<K> items;
  uint64_t e_came[2], h_came[2], coef_came; /* rows of either buffer; those of the coefficients */
  uint64_t e_edge_came[2], h_edge_came[2];  /* edge values from the blocks below and above */
  real *exchange;                           /* rows in global memory */
  int taken, more, step;                    /* the next tower; does the body run another step? where it ended */
  int stored[TOR_GPU_MOST_BLOCKS]; /* in a cluster's first block: how many of the tower's steps each block has stored */
  unsigned phases;                 /* tower_block's, between two bodies */
  /* In a cluster with surface nodes: steps with nodes that this block has done; those whose nodes the block above has
   * signalled, and those whose E the block below has. */
  int node_steps, nodes_above, nodes_below;
  /* BLOCH: those whose nodes, and those whose E, the other part's block has. */
  int nodes_beyond[K::BLOCH && K::NODES ? 2 : 0];
  /* BLOCH: rows of values beyond a seam, of H and of E, have come; or, counted from step 0 of a launch's first tower,
   * half-steps of them that the other part's block has stored; this tower's first step. */
  uint64_t beyond_came[K::SEAM_ROWS ? 2 : 0];
  int beyond[K::BLOCH ? 2 : 0], steps_before;
  tor_gpu_view view[K::BLOCH ? 1 : 0]; /* of the block's part, for what has no time to lose */
};
/* Exchange rows, two for each site of a half-step: the curl, or the new value (part 0), and the old value (part 1). E's
 * part 0 takes the place of the site's coefficients, which have been read before. Rows for one part more follow the
 * block's memory where they fit; the others lie in global memory, which the caches hold. */
template <class K> struct exchange {
  static constexpr size_t ROWS = (size_t)K::SITES * K::ZB * sizeof(real); /* of one part */
  static constexpr bool IN_SHARED = K::COEF_ROWS && sizeof(block_memory<K>) + ROWS + 128 <= MOST_SHARED;
  static constexpr size_t SHARED = sizeof(block_memory<K>) + (IN_SHARED ? ROWS : 0),
                          GLOBAL = IN_SHARED ? ROWS : 2 * ROWS; /* of a block */
};

template <class K> POINT_FN block_memory<K> &shared() { return *(block_memory<K> *)block_bytes(); }
template <class K, int HALF, int PART> constexpr bool exchanged_in_shared() {
  return (K::COEF_ROWS && HALF && PART == 0) || (exchange<K>::IN_SHARED && PART == HALF);
}
/* A site's value of one part, where `rows` is the same thread's first in global memory. */
template <class K, int HALF, int PART> POINT_FN real *exchange_row(int site, real *rows) {
  static_assert(!exchanged_in_shared<K, HALF, PART>(), "its rows lie in global memory");
  return rows + ((exchange<K>::IN_SHARED ? 0 : PART) * K::SITES + site) * K::ZB;
}
template <class K, int HALF, int PART> POINT_FN real *exchange_row(int site) {
  if constexpr (K::COEF_ROWS && HALF && PART == 0)
    return shared<K>().coef_row[site];
  else if constexpr (exchange<K>::IN_SHARED && PART == HALF)
    return (real *)(block_bytes() + sizeof(block_memory<K>)) + site * K::ZB;
  else
    return exchange_row<K, HALF, PART>(site, shared<K>().exchange);
}

/* What a plane injects at the sites of a half-step. Number MOST_PLANES injects -0, which changes no value. */
template <class K, int HALF> POINT_FN real *plane_row(int plane) {
  return shared<K>().plane[HALF ? 2 * K::MOST_PLANES - plane : plane];
}

/* Rows of own values. */
template <class K> POINT_FN real *e_row_of(int i) { return (real *)shared<K>().e_row + i * K::ROW; }
template <class K> POINT_FN real *h_row_of(int i) { return (real *)shared<K>().h_row + i * K::ROW; }
/* Values that cross from warp to warp: slot w + 1 is written by warp w, slots 0 and last by the next blocks along z. */
template <class K> POINT_FN real *e_edges(int slot, int side) { return shared<K>().e_edge[slot * K::SIDES + side]; }
template <class K> POINT_FN real *h_edges(int slot, int side) { return shared<K>().h_edge[slot * K::SIDES + side]; }

/* The block's part of a tower. */
enum { E_PHASE = 0, H_PHASE = 2, COEF_PHASE = 4, EDGE_PHASE, FLIP = 9, BEYOND_PHASE };
template <class K> struct tower_block {
  /* The phase of each barrier of rows and edges, a bit each (from E_PHASE and H_PHASE on for each buffer); at FLIP, the
   * buffer of the bands in this step. */
  unsigned phases;
  int z0, nblock, nthread; /* nthread: that compute; nblock: blocks along z */
  int part, last_warp;     /* BLOCH: 1 in the imaginary part; the warp that has the last value along z */

  /* The cluster's blocks, and this one's number among them; that of the same values' block of the other part. */
  __device__ __forceinline__ int size() const { return K::BLOCH ? 2 * nblock : nblock; }
  __device__ __forceinline__ int rank() const { return z0 / nthread + (K::BLOCH ? part * nblock : 0); }
  __device__ __forceinline__ int partner() const { return rank() + (part ? -nblock : nblock); }
  __device__ __forceinline__ void sync() const { sync_tower(size()); }
  __device__ __forceinline__ int flip() const { return K::BUFFERS == 2 ? phases >> FLIP & 1 : 0; }
  __device__ __forceinline__ void flip_buffers() { phases ^= (unsigned)(K::BUFFERS - 1) << FLIP; }
  /* Does this warp's range end at another block's, below or above? */
  __device__ __forceinline__ int borders(int above) const {
    const int warp = launder_place(threadIdx.x) / WARP;
    if (K::CROSSES_Z) return warp == (above ? last_warp : 0);
    return above ? (warp == nthread / WARP - 1) & (z0 / nthread < nblock - 1) : (warp == 0) & (z0 > 0);
  }

  /* For a warp that computes, before a body and, where all come to a sync() next, after it: what stays in registers
   * from body to body would be spilled in all of them. */
  __device__ __forceinline__ void begin() { phases = shared<K>().phases; }
  __device__ __forceinline__ void end() const {
    if (threadIdx.x == 0) shared<K>().phases = phases;
  }

  /* Waits for the rows of barrier number `at`. */
  __device__ __forceinline__ void wait_for_rows(uint64_t *barrier, int at) {
    barrier_wait(barrier, phases >> at & 1);
    phases ^= 1u << at;
  }

  /* The number of this warp among the helper warps. */
  __device__ __forceinline__ int server() const {
    return (int)((unsigned)(launder_place(threadIdx.x) - nthread) / WARP);
  }
  __device__ __forceinline__ bool prepares() const { return server() == PREPARES || server() == LISTS; }
  /* Numbers of threads at a barrier: the computing ones, and of the helper warps those that copy or prepare, those that
   * prepare, those that prepare or report. */
  __device__ __forceinline__ int with_copies() const { return nthread + (1 + PREPARING_WARPS) * WARP; }
  __device__ __forceinline__ int with_prepares() const { return nthread + PREPARING_WARPS * WARP; }
  __device__ __forceinline__ int with_reports() const { return nthread + (PREPARING_WARPS + 1) * WARP; }

  /* Edge values of E (HALF 1) or H for the warp above or below: order 2 needs those of E from above and those of H from
   * below. A warp of another block receives them together with a signal to a barrier of its own. It overwrites edge
   * values only after that block, which sends its own of the next half-step, has used them. */
  template <int HALF> static __device__ __forceinline__ constexpr bool comes_from(int above) {
    return K::ORDER == 4 || above == HALF;
  }
  template <int HALF> static __device__ __forceinline__ uint64_t *edges_came(int from_above) {
    return (HALF ? shared<K>().e_edge_came : shared<K>().h_edge_came) + from_above;
  }
  template <int HALF> static __device__ __forceinline__ constexpr unsigned edge_bytes(int from_above) {
    constexpr bool in_rows = HALF ? K::E_ROWS : K::H_ROWS;
    constexpr int slot = HALF ? K::EE : K::EH, rows = HALF ? K::NE_ROWS : K::NH_ROWS, values = in_rows ? rows : slot;
    return (unsigned)((K::ORDER == 4 && from_above == HALF ? 2 : 1) * values * (int)sizeof(real));
  }
  __device__ __forceinline__ int rank_of(int above) const {
    return K::CROSSES_Z ? partner() : rank() + (above ? 1 : -1);
  }
  /* Do edge values come from other blocks? */
  __device__ __forceinline__ bool has_borders() const { return K::CROSSES_Z || nblock > 1; }
  /* Sends what a warp at the block's end has written to its slot to the slot of the warp in the next block. Values for
   * the warp before, of E, and behind, of H, lie on the first sides, the others on the last. */
  template <int HALF> __device__ __forceinline__ void send_edges() const {
    if (!has_borders()) return;
    const int warp = launder_place(threadIdx.x) / WARP, lane = launder_place(threadIdx.x) % WARP;
    __syncwarp();
#pragma unroll
    for (int above = 0; above < 2; above++) {
      if (!comes_from<HALF>(!above) || !borders(above)) continue;
      const int slot = above ? 0 : nthread / WARP + 1, side = above != HALF ? 0 : K::SIDES - 1;
      const four *const from = (const four *)(HALF ? e_edges<K>(warp + 1, side) : h_edges<K>(warp + 1, side));
      const remote to = block_address(HALF ? e_edges<K>(slot, side) : h_edges<K>(slot, side), rank_of(above));
      const remote barrier = block_address(edges_came<HALF>(!above), rank_of(above));
      for (int i = lane; i < (int)(edge_bytes<HALF>(!above) / sizeof *from); i += WARP)
        store_async(to + i * (int)sizeof *from, from[i].at, barrier);
    }
  }
  /* For the warps at the block's ends, before they use these values. */
  template <int HALF> __device__ __forceinline__ void wait_for_edges() {
    if (!has_borders()) return;
#pragma unroll
    for (int above = 0; above < 2; above++)
      if (comes_from<HALF>(above)) {
        const int phase = EDGE_PHASE + 2 * HALF + above;
        barrier_wait_if(borders(above), edges_came<HALF>(above), phases >> phase & 1);
        phases ^= 1u << phase;
        expect_edges<HALF>(above);
      }
  }
  template <int HALF> __device__ __forceinline__ void expect_edges(int above) const {
    if (borders(above) & (threadIdx.x % WARP == 0)) barrier_expect(edges_came<HALF>(above), edge_bytes<HALF>(above));
  }

  /* BLOCH: waits for the other part's values of the field that half-step HALF reads, where `on`: those of H of `steps`
   * steps, or of E. */
  template <int HALF> __device__ __forceinline__ void wait_for_beyond(bool on, int steps) {
    if (!on) return;
    if constexpr (K::SEAM_ROWS) {
      const int phase = BEYOND_PHASE + !HALF;
      barrier_wait_if(true, &shared<K>().beyond_came[!HALF], phases >> phase & 1);
      phases ^= 1u << phase;
      if (threadIdx.x == 0) expect_beyond(!HALF);
    } else {
      wait_for_signal(true, &shared<K>().beyond[!HALF], shared<K>().steps_before + steps);
    }
  }
  __device__ __forceinline__ void expect_beyond(int of_e) const {
    constexpr int rows[2] = {K::h_at_seam::count, K::e_at_seam::count};
    barrier_expect(&shared<K>().beyond_came[of_e], (unsigned)(rows[of_e] * nthread) * (unsigned)sizeof(real));
  }
  /* Where the values are stored, after a barrier of the threads that compute. */
  __device__ __forceinline__ void signal_beyond(int of_e, int steps) const {
    if (K::SEAM_ROWS || threadIdx.x) return;
    signal_block(cg::this_cluster().map_shared_rank(&shared<K>().beyond[of_e], partner()),
                 shared<K>().steps_before + steps);
  }

  /* A step's middle and end. The computing warps wait for each other and for the tables prepared for them; the helper
   * warps wait for the computing warps before they overwrite rows or tables and before they publish progress, and may
   * lag behind in between. */
  __device__ __forceinline__ void computed_h() const {
    come_to(ROWS_READ + flip(), with_copies());
    wait_at(STEP_PREPARED, with_prepares());
  }
  __device__ __forceinline__ void prepared_step() const {
    if (prepares()) come_to(STEP_PREPARED, with_prepares());
  }
  __device__ __forceinline__ void wait_for_h() const {
    if (server() != REPORTS) wait_at(ROWS_READ + flip(), with_copies());
  }
  template <bool HAS_LISTS> __device__ __forceinline__ void computed_e() const {
    come_to(STEP_STORED, with_reports());
    if (HAS_LISTS)
      wait_at(LISTS_PREPARED, with_prepares());
    else
      wait_at(COMPUTING, nthread);
  }
  __device__ __forceinline__ void prepared_lists() const { come_to(LISTS_PREPARED, with_prepares()); }
  __device__ __forceinline__ void wait_for_e() const {
    if (server() != COPIES) wait_at(STEP_STORED, with_reports());
  }
  /* For a warp that copies, before it copies what the neighbours stored in their first `steps` steps. */
  __device__ __forceinline__ void wait_for_neighbours(int steps) {
    const int lane = launder_place(threadIdx.x) % WARP;
    if (lane < tower_dependency::NEIGHBOURS) shared<K>().dependency[server()][lane].wait(steps);
    __syncwarp();
  }
  /* Surface nodes, by the computing warps of a body with items. Nodes read Ez of the block below, and edges the
   * currents of nodes of the block above, in device memory: so each waits until the other has written them in the
   * half-step before. Where they cross a seam, the same holds of the other part's block. */
  __device__ __forceinline__ void wait_for_nodes(bool of_above, bool cross) const {
    if (nblock == 1 && !cross) return;
    const block_memory<K> &memory = shared<K>();
    const bool on = of_above ? z0 / nthread + 1 < nblock : z0 > 0;
    wait_for_signal(on, of_above ? &memory.nodes_above : &memory.nodes_below, memory.node_steps + of_above);
    if constexpr (K::BLOCH) wait_for_signal(cross, &memory.nodes_beyond[!of_above], memory.node_steps + of_above);
  }
  /* To the block for which this one is above, or below; and to the other part's, which counts the same steps. */
  __device__ __forceinline__ void signal_nodes(bool of_above, bool cross) const {
    if (nblock == 1 && !cross) return;
    block_memory<K> &memory = shared<K>();
    wait_at(COMPUTING, nthread);
    if (threadIdx.x) return;
    const int next = z0 / nthread + (of_above ? -1 : 1), steps = memory.node_steps + 1;
    int *const to = of_above ? &memory.nodes_above : &memory.nodes_below;
    if (next >= 0 && next < nblock)
      signal_block(cg::this_cluster().map_shared_rank(to, K::BLOCH ? next + part * nblock : next), steps);
    if constexpr (K::BLOCH)
      signal_block(cg::this_cluster().map_shared_rank(&memory.nodes_beyond[!of_above], partner()), steps);
    if (!of_above) memory.node_steps = steps;
  }
  /* For the warp that reports, after sync(): this tower's first `steps` steps are stored. */
  __device__ __forceinline__ void report(int steps) const {
    if (rank() == 0 && launder_place(threadIdx.x) == nthread + REPORTS * WARP) publish(shared<K>().done, steps);
    __syncwarp();
  }
  /* The same after wait_for_e(), when the cluster's other blocks may be late. */
  __device__ __forceinline__ void report_own(int steps) const {
    if (size() == 1) return report(steps);
    if (server() != REPORTS) return;
    const int lane = threadIdx.x % WARP;
    if (rank() > 0) {
      if (lane == 0) signal_block(cg::this_cluster().map_shared_rank(shared<K>().stored + rank(), 0), steps);
    } else {
      wait_for_signal(0 < lane && lane < size(), shared<K>().stored + lane, steps);
    }
    __syncwarp();
    report(steps);
  }
};

/* Values of a component along z that are advanced. */
POINT_FN int points_along_z(const tor_gpu_view &s, int comp) {
  return s.n[2] + ((comp_is_h(comp) == (comp_axis(comp) == TOR_Z)) && s.pmc[TOR_ZHI]);
}

#endif
