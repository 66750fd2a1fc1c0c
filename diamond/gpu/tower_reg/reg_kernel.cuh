/* DiamondTorre on the GPU: a block (or a cluster of blocks along z) is a tower, a thread is one z.
 *
 * The tile's fields lie in registers (reg_tile.cuh); the band at the right edges comes by bulk copies a phase ahead,
 * values that leave at the left edges are stored when they are computed, and neighbours in z come from the other lanes,
 * across warps through shared memory. The sites of different tiles have different needs; each step runs the least
 * general kernel variant (body) that covers them.
 *
 * One launch a run: resident blocks take towers from a queue in row order and wait, step by step, for their right-hand
 * neighbours (a+1, b), (a, b+1), (a+1, b+1): step n needs their step n. The queue's order makes every wait end. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_KERNEL_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_KERNEL_CUH

#include <limits.h>
#include <stdio.h>

#include "diamond/gpu/tower_reg/reg_step.cuh"

/* The bodies: each covers the needs that it is compiled for. A tile is run by the first body that covers all of its
 * needs; a body with PLANES, for tiles with planes alone, follows the same one without. The code that all towers
 * of a launch share is compiled for as few bodies as possible: LEAN is for slabs of layered dielectrics between walls.
 */
template <int... NEEDS> struct bodies {
  /* Calls run(constant<body>{}) for the body that is `wanted`. */
  template <class Run> POINT_FN void choose(int wanted, const Run &run) {
    (void)((wanted == NEEDS && (run(constant<NEEDS>{}), true)) || ...);
  }
  POINT_FN int first_with(int needs) {
    int body = -1;
    (void)((!(needs & ~NEEDS) && (body = NEEDS, true)) || ...);
    return body;
  }
};
enum { EVERYTHING = WALLS | COEF | IN_CPML | ITEMS | GHOSTS };
template <int ORDER, bool LEAN, bool DAMPED, bool WRAPS = false, bool BLOCH = false, bool NODES = true>
struct bodies_of;
#ifdef TOR_TOWER_FEW_BODIES /* tests on a CPU: each need with and without others, compiled in half the time */
template <int ORDER> struct bodies_of<ORDER, true, false> {
  typedef bodies<0, WALLS | GHOSTS> list;
};
#if TOR_REAL_BITS == 64 || TOR_TOWER_FEW_BODIES == 3 /* the same text: fp32 has it without parts, too */
template <int ORDER> struct bodies_of<ORDER, false, false> {
  typedef bodies<EVERYTHING, COEF | ITEMS | PLANES> list;
};
template <int ORDER> struct bodies_of<ORDER, false, false, true> {
  typedef bodies<EVERYTHING, COEF | ITEMS | PLANES> list;
};
#else
template <int ORDER> struct bodies_of<ORDER, false, false> {
  typedef bodies<0, COEF | ITEMS, COEF | ITEMS | PLANES, IN_CPML | WALLS | GHOSTS, EVERYTHING> list;
};
template <int ORDER> struct bodies_of<ORDER, false, false, true> {
  typedef bodies<0, COEF | ITEMS, COEF | ITEMS | PLANES, EVERYTHING> list;
};
#endif
#else
template <> struct bodies_of<2, true, false> {
  typedef bodies<0, WALLS, WALLS | GHOSTS> list;
};
template <> struct bodies_of<4, true, false> {
  typedef bodies<0, WALLS | GHOSTS> list;
};
template <> struct bodies_of<2, false, false> {
  typedef bodies<0, WALLS, WALLS | GHOSTS, COEF, COEF | WALLS, IN_CPML_X | WALLS, IN_CPML_Y | WALLS, ITEMS,
                 COEF | ITEMS, PLANES, COEF | PLANES, COEF | ITEMS | PLANES, IN_CPML_X | WALLS | ITEMS,
                 IN_CPML_Y | WALLS | ITEMS, EVERYTHING & ~GHOSTS, EVERYTHING>
      list;
};
template <> struct bodies_of<4, false, false> {
  typedef bodies<0, WALLS | GHOSTS, COEF, COEF | WALLS | GHOSTS, IN_CPML, IN_CPML | WALLS | GHOSTS, ITEMS, COEF | ITEMS,
                 PLANES, COEF | PLANES, COEF | ITEMS | PLANES, EVERYTHING>
      list;
};
/* A ring of few tiles keeps the pace of those across its seam, which need WALLS. */
template <> struct bodies_of<2, false, false, true> {
  typedef bodies<0, WALLS, COEF, COEF | WALLS, COEF | ITEMS, COEF | WALLS | ITEMS, COEF | ITEMS | PLANES, EVERYTHING>
      list;
};
template <> struct bodies_of<4, false, false, true> {
  typedef bodies<0, WALLS | GHOSTS, COEF, COEF | WALLS | GHOSTS, COEF | ITEMS, COEF | WALLS | GHOSTS | ITEMS,
                 COEF | ITEMS | PLANES, EVERYTHING>
      list;
};
#endif
/* Complex fields: slabs with and without media. */
#if defined TOR_TOWER_FEW_BODIES && (TOR_REAL_BITS == 64 || TOR_TOWER_FEW_BODIES == 3)
template <int ORDER, bool WRAPS> struct bodies_of<ORDER, false, false, WRAPS, true, false> {
  typedef bodies<EVERYTHING> list;
};
#elif defined TOR_TOWER_FEW_BODIES
template <int ORDER, bool WRAPS> struct bodies_of<ORDER, false, false, WRAPS, true, false> {
  typedef bodies<0, COEF | WALLS | GHOSTS, EVERYTHING> list;
};
#else
template <bool WRAPS> struct bodies_of<2, false, false, WRAPS, true, false> {
  typedef bodies<0, WALLS, COEF, COEF | WALLS, IN_CPML_X | WALLS, COEF | ITEMS, EVERYTHING & ~GHOSTS, EVERYTHING> list;
};
template <bool WRAPS> struct bodies_of<4, false, false, WRAPS, true, false> {
  typedef bodies<0, WALLS | GHOSTS, COEF, COEF | WALLS | GHOSTS, IN_CPML_X | WALLS | GHOSTS, COEF | ITEMS, EVERYTHING>
      list;
};
#endif
/* Those with surface nodes, which have media. */
#ifdef TOR_TOWER_FEW_BODIES
template <int ORDER, bool WRAPS> struct bodies_of<ORDER, false, false, WRAPS, true, true> {
  typedef bodies<EVERYTHING> list;
};
#else
template <bool WRAPS> struct bodies_of<2, false, false, WRAPS, true, true> {
  typedef bodies<COEF, COEF | WALLS, COEF | ITEMS, EVERYTHING & ~GHOSTS, EVERYTHING> list;
};
template <bool WRAPS> struct bodies_of<4, false, false, WRAPS, true, true> {
  typedef bodies<COEF, COEF | WALLS | GHOSTS, COEF | ITEMS, EVERYTHING> list;
};
#endif
/* Ends of z that meet. */
template <> struct bodies_of<2, true, false, true> {
  typedef bodies<0, WALLS> list;
};
template <> struct bodies_of<4, true, false, true> {
  typedef bodies<0, WALLS | GHOSTS> list;
};
#ifdef TOR_TOWER_FEW_DAMPED /* tests on a CPU */
template <int ORDER> struct bodies_of<ORDER, false, true> {
  typedef bodies<EVERYTHING, COEF | ITEMS | PLANES> list;
};
#else
template <> struct bodies_of<2, false, true> {
  typedef bodies<0, WALLS, COEF, COEF | WALLS, COEF | ITEMS, PLANES, COEF | PLANES, COEF | ITEMS | PLANES,
                 EVERYTHING & ~GHOSTS, EVERYTHING>
      list;
};
template <> struct bodies_of<4, false, true> {
  typedef bodies<0, WALLS | GHOSTS, COEF | ITEMS, COEF | ITEMS | PLANES, EVERYTHING> list;
};
#endif

/* The places of the lists' sites, counted from the corner of a tile at v0; on a ring those beyond an end are a period
 * from there. */
template <class K> POINT_FN void find_places(const tor_gpu_view &s, int v0) {
  block_memory<K> &memory = shared<K>();
  auto fill_places = [&](int list, const auto &sites) {
    for (int i = threadIdx.x; i < sites.count; i += blockDim.x) {
      const int column = (sites.u[i] >> 1) * s.stride + (sites.v[i] >> 1) + turn_y(s, v0 + sites.v[i]),
                comp = sites.comp[i];
      memory.field_place[list + i] = (column * TOR_NCOMP + comp) * (s.nzp / TOR_VECTOR);
      if (list < K::E_BAND)
        memory.psi_place[list + i] = (column * 4 + comp_axis(comp) + 2 * comp_is_h(comp)) * (s.zlo + s.zhi);
    }
  };
  fill_places(K::H_LEAVES, H_LEAVING<typename K::T>);
  fill_places(K::E_LEAVES, E_LEAVING<typename K::T>);
  fill_places(K::H_ENTERS, H_ENTERING<typename K::T>);
  fill_places(K::E_ENTERS, E_ENTERING<typename K::T>);
  fill_places(K::E_BAND, E_ROWS<typename K::T>);
  fill_places(K::H_BAND, H_ROWS<typename K::T>);
}

/* Fills the constant part of a block's shared memory. */
template <class K> POINT_FN tower_block<K> make_block(const tor_gpu_view &s, const tower_queue &queue, int nblock) {
  tower_block<K> b;
  b.nthread = blockDim.x - GROUP_OF_WARPS;
  b.nblock = nblock;
  b.z0 = blockIdx.x % nblock * b.nthread;
  b.part = K::BLOCH ? blockIdx.x / nblock % 2 : 0;
  b.last_warp = (s.n[2] - 1) / WARP;
  block_memory<K> &memory = shared<K>();
  /* Bands: values that no copy fills are read by threads beyond the slab's last z, and must be finite. */
  for (int i = threadIdx.x; i < (int)(sizeof memory.e_band / sizeof(real)); i += blockDim.x) memory.e_band[0][0][i] = 0;
  for (int i = threadIdx.x; i < (int)(sizeof memory.h_band / sizeof(real)); i += blockDim.x) memory.h_band[0][0][i] = 0;
  fence_bulk();
  for (int i = threadIdx.x; i < (int)(sizeof memory.e_edge / sizeof(real)); i += blockDim.x) memory.e_edge[0][i] = 0;
  for (int i = threadIdx.x; i < (int)(sizeof memory.h_edge / sizeof(real)); i += blockDim.x) memory.h_edge[0][i] = 0;
  for (int i = threadIdx.x; i < K::NH_ROWS * K::ROW; i += blockDim.x) h_row_of<K>(0)[i] = 0;
  for (int i = threadIdx.x; i < K::NE_ROWS * K::ROW; i += blockDim.x) e_row_of<K>(0)[i] = 0;
  if (!s.periodic[TOR_Y]) find_places<K>(s, 0); /* else for each tower */
  auto fill_sites = [&](site_place *to, const auto &sites) {
    for (int i = threadIdx.x; i < sites.count; i += blockDim.x) to[i] = {sites.u[i], sites.v[i], sites.comp[i], 0};
  };
  fill_sites(memory.site[0], H_SITES<typename K::T>);
  fill_sites(memory.site[1], E_SITES<typename K::T>);
  for (int i = threadIdx.x; i < K::SITES; i += blockDim.x) plane_row<K, 0>(K::MOST_PLANES)[i] = (real)-0.0;
  b.phases = 0;
  if (threadIdx.x == 0) {
    memory.phases = 0;
    memory.node_steps = memory.nodes_above = memory.nodes_below = 0;
    memory.exchange = (real *)(queue.exchange + blockIdx.x * exchange<K>::GLOBAL);
    for (int i = 0; i < 2; i++) {
      barrier_init(&memory.e_came[i], 1);
      barrier_init(&memory.h_came[i], 1);
    }
    barrier_init(&memory.coef_came, 1);
    for (int above = 0; above < 2; above++) {
      barrier_init(&memory.e_edge_came[above], 1);
      barrier_init(&memory.h_edge_came[above], 1);
    }
    if constexpr (K::BLOCH) {
      memory.steps_before = memory.beyond[0] = memory.beyond[1] = 0;
      for (int &steps : memory.nodes_beyond) steps = 0;
      memory.view[0] = s;
      if (b.part) tor_gpu_swap_parts(memory.view[0]);
    }
    if constexpr (K::SEAM_ROWS)
      for (int of_e = 0; of_e < 2; of_e++) barrier_init(&memory.beyond_came[of_e], 1);
    fence_barriers();
    fence_bulk();
    if constexpr (K::SEAM_ROWS)
      for (int of_e = 0; of_e < 2; of_e++) b.expect_beyond(of_e);
    for (int above = 0; above < 2; above++)
      if (K::CROSSES_Z) {
        barrier_expect(&memory.e_edge_came[above], b.template edge_bytes<1>(above));
        barrier_expect(&memory.h_edge_came[above], b.template edge_bytes<0>(above));
      } else if (above ? b.z0 / b.nthread < nblock - 1 : b.z0 > 0) {
        barrier_expect(&memory.e_edge_came[above], b.template edge_bytes<1>(above));
        barrier_expect(&memory.h_edge_came[above], b.template edge_bytes<0>(above));
      }
  }
  return b;
}

/* The code of a thread, from its first tower to its last. */
template <class K, bool LEAN, bool HELPS>
POINT_FN void visit_towers(const tor_gpu_view &s, const tower_queue &queue, tower_block<K> &b) {
  constexpr int S = K::S, R = K::R;
  for (int line = 0;;) {
    const int number = take_tower(queue, &shared<K>().taken, b.size(), b.rank());
    if (b.size() > 1 && threadIdx.x < TOR_GPU_MOST_BLOCKS) shared<K>().stored[threadIdx.x] = 0;
    if (s.periodic[TOR_Y] && number < queue.ntowers) find_places<K>(s, R * find_tower(queue, line, number).place);
    b.sync();
    if (number >= queue.ntowers) break;
    const tower_at tower = find_tower(queue, line, number);
    const int row_u = R * tower.row, v0 = R * tower.place;
    line = tower.line;
    if constexpr (HELPS) {
      block_memory<K> &memory = shared<K>();
      const int lane = threadIdx.x % WARP;
      if (lane < tower_dependency::NEIGHBOURS)
        memory.dependency[b.server()][lane] = {b.server() == REPORTS ? nullptr : right_neighbour(queue, tower, lane),
                                               0};
      if (b.server() == REPORTS && lane == 0) {
        memory.done = queue.done + number;
        memory.row_u = row_u;
        memory.place = tower.place - queue.first_place;
      }
    }
    enum { OUTSIDE = 255 };
    auto needs_of = [&](int step) INLINE -> int {
      const int at = (shared<K>().row_u + 2 * S * step) / 2;
      if (step >= queue.steps || at < queue.first_at || at > s.n[0]) return OUTSIDE;
      return queue.needs[(at - queue.first_at) * queue.nplaces + shared<K>().place];
    };
    for (int step = 0; step < queue.steps;) {
      const int u0 = row_u + 2 * S * step;
      if (u0 + S > s.last[0]) break; /* the tile has left the slab */
      if (u0 + 2 * R + 2 * S <= s.first[0]) {
        step++;
        continue;
      }
      if constexpr (HELPS) b.wait_for_neighbours(step + 1);
      b.sync();
      const int body = (int)__reduce_max_sync(~0u, (unsigned)needs_of(step)); /* warp-uniform, also for the compiler */
      auto run = [&](auto needs) INLINE {
        constexpr int BODY = decltype(needs)::value;
        /* A change of body for a single less demanding step does not pay. */
        auto stays = [](int next, int after) {
          return next == BODY || ((next & ~BODY) == 0 && ((next ^ BODY) & PLANES) == 0 && after == BODY);
        };
        step = run_body<K, BODY, HELPS>(s, b, queue.first_step, step, u0, v0, needs_of, stays);
      };
      bodies_of<K::ORDER, LEAN, K::DAMPED, K::WRAPS, K::BLOCH, K::NODES>::list::choose(body, run);
      if constexpr (HELPS) b.report(step);
    }
    b.sync();
    if constexpr (HELPS) b.report(INT_MAX);
    if constexpr (K::BLOCH)
      if (threadIdx.x == 0) shared<K>().steps_before += queue.steps + 1;
  }
  b.sync(); /* no block leaves while another writes to its shared memory */
}

template <class K, bool LEAN>
static __global__ void __launch_bounds__(K::THREADS, 1)
    run_towers(const __grid_constant__ tor_gpu_view s, const tower_queue queue, int nblock) {
  tower_block<K> b = make_block<K>(s, queue, nblock);
  __syncthreads();
  if ((int)threadIdx.x >= b.nthread) {
    if constexpr (K::MOVES_REGISTERS) keep_registers<40>();
    visit_towers<K, LEAN, true>(s, queue, b);
  } else {
    if constexpr (K::MOVES_REGISTERS) take_registers<232>();
    visit_towers<K, LEAN, false>(s, queue, b);
  }
}

/* needs[i][k]: the body for the tile at u = 2 (first_at + i), v = R (first_place + k). */
template <class K, bool LEAN>
static __global__ void find_needs(const __grid_constant__ tor_gpu_view s, const tower_queue queue, uint8_t *needs) {
  constexpr int S = K::S, R = K::R;
  const int k = blockIdx.y * blockDim.x + threadIdx.x, u0 = 2 * ((int)blockIdx.x + queue.first_at),
            v0 = R * (queue.first_place + k);
  if (k >= queue.nplaces) return;
  const bool pmc_z = s.pmc[TOR_ZLO] || s.pmc[TOR_ZHI],
             pmc = pmc_z || s.pmc[TOR_XLO] || s.pmc[TOR_XHI] || s.pmc[TOR_YLO] || s.pmc[TOR_YHI];
  tile_survey tile = {0, pmc_z, s.in_planes != nullptr};
  for (int u = -S; u < 2 * R + 3 * S; u++)
    for (int v = -R - 2 * S; v < R + 2 * S; v++) {
      const int ua = u0 + u, va = v0 + v;
      if (!in_square(u, v, -S, 2 * R + 3 * S)) continue;
      /* Tiles across the seam of a ring run the bodies that turn places. */
      tile.walls |= ua < 0 || ua > 2 * s.n[0] || va < 0 || va > 2 * s.n[1] - s.periodic[TOR_Y];
      if (in_square(u, v, S, 2 * R + 2 * S)) tile.see(s, ua, around_y(s, va));
    }
  const int ghosts = tile.walls && (K::ORDER == 4 || pmc) ? GHOSTS : 0;
  /* Poles and edges at nodes look coefficients up. */
  const int common = tile.common() | ghosts | (tile.cls & (TOR_COL_POLES | TOR_COL_AT_NODES) ? COEF : 0);
  auto body_for = [&](unsigned cls, int more) {
    const bool items = cls & ~(unsigned)(TOR_COL_CPML_X | TOR_COL_CPML_Y | TOR_COL_COEF_E);
    return bodies_of<K::ORDER, LEAN, K::DAMPED, K::WRAPS, K::BLOCH, K::NODES>::list::first_with(
        common | (items ? ITEMS : 0) | more);
  };
  int body = tile.planes ? body_for(tile.cls & ~(unsigned)(TOR_COL_INJECT | TOR_COL_RECORD), PLANES) : -1;
  if (body < 0) body = body_for(tile.cls, 0);
  needs[(size_t)blockIdx.x * queue.nplaces + k] = (uint8_t)body;
}

template <class K, bool LEAN>
static void run_with(const tor_gpu_view *s, const struct tor_gpu_span *span, cudaStream_t stream) {
  constexpr size_t SHARED = LEAN ? sizeof(block_memory<K>) : exchange<K>::SHARED, ROWS = LEAN ? 0 : exchange<K>::GLOBAL;
  const int points = s->n[2] + s->pmc[TOR_ZHI], nblock = (points + K::ZB - 1) / K::ZB;
  const int threads = ((points + nblock - 1) / nblock + GROUP_OF_WARPS - 1) / GROUP_OF_WARPS * GROUP_OF_WARPS;
  launch_towers(run_towers<K, LEAN>, K::BLOCH ? 2 * nblock : nblock, threads + GROUP_OF_WARPS, SHARED, ROWS, K::S, K::R,
                find_needs<K, LEAN>, s, span, stream, nblock);
}

template <class K> static void run_span(const tor_gpu_view *s, const struct tor_gpu_span *span, cudaStream_t stream) {
  if constexpr (K::DAMPED || K::BLOCH)
    run_with<K, false>(s, span, stream);
  else
    (s->classes ? run_with<K, false> : run_with<K, true>)(s, span, stream);
}

#endif
