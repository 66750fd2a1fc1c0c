/* DiamondTorre on the GPU: a block (or a cluster of blocks along z) is a tower, a thread is one z.
 *
 * Steps on which every column of the tile is plain run with the tile's fields in registers; the band at the right edges comes by
 * bulk copies a phase ahead, values that leave at the left edges are stored when they are computed, and neighbours in z come from
 * the other lanes, across warps by way of shared memory. All other steps work in place, site by site.
 *
 * One launch a stage: resident blocks take towers from a queue in row order and wait, step by step, for their right-hand neighbours
 * (a+1, b), (a, b+1), (a+1, b+1): step n needs their step n. The queue's order makes every wait end. */
#include <cooperative_groups.h>
#include <limits.h>
#include <stdlib.h>

extern "C" {
#include "tile.h"
}
#include "tile_gpu.cuh"

namespace cg = cooperative_groups;

/* The tile's arrays are filled by inlined functions that the front end does not look into. */
#pragma nv_diag_suppress 549

enum { HALO = 4, WARP = 32 };

/* --- Bulk copies ----------------------------------------------------------------------------------------------------- */
POINT_FN unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
POINT_FN void barrier_init(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
POINT_FN void barrier_expect(uint64_t *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
POINT_FN void barrier_wait(uint64_t *barrier, unsigned parity) {
  unsigned done = 0;
  while (!__any_sync(~0u, done))
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
}
/* bytes and both addresses are multiples of 16. */
POINT_FN void bulk_load(void *to, const void *from, unsigned bytes, uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
POINT_FN void fence_bulk() { asm volatile("fence.proxy.async;" ::: "memory"); }

/* --- What a launch knows --------------------------------------------------------------------------------------------- */
struct tower_line {
  int row, first, last; /* places, in steps of 2 */
  int start;            /* number of the first tower in the queue */
};
struct tower_queue {
  const tower_line *line; /* [nlines], from right to left */
  int nlines, ntowers;
  int *next;              /* tower to take */
  int *done;              /* [ntowers] steps whose values are stored */
  const uint8_t *plain;   /* [n0 + 1][nplaces]: the tile at u = 2 i, place plain_first + k holds plain columns only */
  int plain_first, nplaces;
};

/* What a step of a tile is like; loaded well before it is wanted. */
struct tile_look {
  uint8_t all_plain, energy;
  __device__ __forceinline__ bool plain() const { return all_plain && !energy; }
};

/* The steps that one right-hand neighbour has done; a lane watches each of the three. */
struct tower_watch {
  const int *done; /* null: the slab has no such tower */
  int seen;

  /* Returns once `steps` steps are done. */
  __device__ __forceinline__ void wait(int steps) {
    if (!done || seen >= steps) return;
    for (;;) {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(done) : "memory");
      if (seen >= steps) break;
      __nanosleep(40);
    }
    fence_bulk(); /* what was acquired is read by bulk copies, too */
  }
};
POINT_FN void publish(int *done, int steps) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(done), "r"(steps) : "memory");
}

template <int ORDER_, int R_, int ZB_, bool LAYER_Z_> struct tower_kind {
  static constexpr int ORDER = ORDER_, S = ORDER == 4 ? 3 : 1, R = R_, ZB = ZB_; /* ZB: most threads of a block */
  static constexpr bool LAYER_Z = LAYER_Z_;                                    /* CPML along z */
  static constexpr int ROW = ZB + 2 * HALO, NWARP = ZB / WARP;
  typedef tile_table<S, R> T;
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
  static constexpr int NE = e_band::count, NH = h_band::count, EE = (e_edge::count + 3) / 4 * 4, EH = (h_edge::count + 3) / 4 * 4;
  static constexpr int SIDES = ORDER == 4 ? 3 : 1; /* kinds of edge values: the nearest; order 4: the next, and the other side's */
  /* Shared memory, in values: bands of E and twice of H [rows][ROW], edge values. */
  static constexpr int H_ROWS = NE * ROW, E_EDGES = H_ROWS + 2 * NH * ROW;
  static constexpr int H_EDGES = E_EDGES + (NWARP + 2) * SIDES * EE, VALUES = H_EDGES + (NWARP + 2) * SIDES * EH;
  /* Behind them, places of the lists' sites, counted from the tile's corner: in the field [PLACES], in psi [PLACES]. */
  static constexpr int H_LEAVES = 0, E_LEAVES = H_LEAVES + h_leaves::count, H_ENTERS = E_LEAVES + e_leaves::count;
  static constexpr int E_ENTERS = H_ENTERS + h_enters::count, E_BAND = E_ENTERS + e_enters::count;
  static constexpr int H_BAND = E_BAND + NE, PLACES = H_BAND + NH;
  static constexpr size_t SHARED = VALUES * sizeof(real) + 2 * PLACES * sizeof(int);
};

/* --- Steps in place ---------------------------------------------------------------------------------------------------- */

template <class T, int COMP> static __device__ constexpr site_list<T, T::template next<COMP>> NEXT{};

/* Half a step of all sites of one component of the tile; a thread has V values along z of every V-th site. */
template <class K, int COMP> POINT_FN void advance_component(const tor_gpu_view &s, int step, int u0, int v0, int z0) {
  const auto &list = NEXT<typename K::T, COMP>;
  const int nvec = blockDim.x / V, z = z0 + V * (threadIdx.x % nvec);
  for (int i = threadIdx.x / nvec; i < list.count; i += V) advance_site<K::ORDER, COMP>(s, step, u0 + list.u[i], v0 + list.v[i], z);
}
/* Their energy, a warp a site. */
template <class K, int COMP> POINT_FN void sum_component(const tor_gpu_view &s, int u0, int v0) {
  const auto &list = NEXT<typename K::T, COMP>;
  for (int i = threadIdx.x / WARP; i < list.count; i += blockDim.x / WARP) {
    int u = u0 + list.u[i], v = v0 + list.v[i];
    if (inside(s, u, v)) sum_energy<COMP>(s, u, v);
  }
}

template <class K, int HALF> POINT_FN void half_step_in_place(const tor_gpu_view &s, int step, int u0, int v0, int z0) {
  constexpr int C = HALF ? TOR_EX : TOR_HX;
  advance_component<K, C>(s, step, u0, v0, z0);
  advance_component<K, C + 1>(s, step, u0, v0, z0);
  advance_component<K, C + 2>(s, step, u0, v0, z0);
}
template <class K, int HALF> POINT_FN void half_step_energy(const tor_gpu_view &s, int u0, int v0) {
  constexpr int C = HALF ? TOR_EX : TOR_HX;
  sum_component<K, C>(s, u0, v0);
  sum_component<K, C + 1>(s, u0, v0);
  sum_component<K, C + 2>(s, u0, v0);
}

POINT_FN void sync_tower(int nblock) {
  if (nblock > 1)
    cg::this_cluster().sync();
  else
    __syncthreads();
}

/* One step of the tile with its corner at (u0, v0), in global memory. Out of line; yet what it needs weighs on the registers of the whole
 * kernel: look at the spills of run_towers after each change here (docs/gpu.md). */
template <class K>
static __device__ __noinline__ void step_in_place(const tor_gpu_view &s, int step, int u0, int v0, int z0, int nblock) {
  const bool sum = s.energy_step && s.energy_step[step] && z0 == 0;
  half_step_in_place<K, 0>(s, step, u0, v0, z0);
  sync_tower(nblock);
  if (sum) half_step_energy<K, 0>(s, u0, v0);
  half_step_in_place<K, 1>(s, step, u0, v0, z0);
  sync_tower(nblock);
  if (sum) half_step_energy<K, 1>(s, u0, v0);
}

/* --- Steps with the tile in registers ---------------------------------------------------------------------------------- */

struct alignas(4 * sizeof(real)) four {
  real at[4];
};

extern __shared__ __align__(128) unsigned char shared_memory[];
POINT_FN real *shared_values() { return (real *)shared_memory; }

/* Values that cross from warp to warp: slot w + 1 is written by warp w, slots 0 and last by the next blocks along z. */
template <class K> POINT_FN real *e_edges(int slot, int side) {
  return shared_values() + K::E_EDGES + (slot * K::SIDES + side) * K::EE;
}
template <class K> POINT_FN real *h_edges(int slot, int side) {
  return shared_values() + K::H_EDGES + (slot * K::SIDES + side) * K::EH;
}

/* Place of site number i of a list that starts at `list`, in the field or in psi. Read anew each time: as invariants of the loop over
 * steps they would fill the registers. */
template <class K> POINT_FN int &site_place(int list, int i) { return ((int *)(shared_values() + K::VALUES))[list + i]; }
template <class K> POINT_FN int &psi_place(int list, int i) { return site_place<K>(K::PLACES + list, i); }

/* A store by the threads that are `on`, without a branch. */
POINT_FN void store_if(bool on, real *to, real value) {
#if TOR_REAL_BITS == 32
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.f32 [%0], %1;\n}" ::"l"(to), "f"(value), "r"((int)on) : "memory");
#else
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.f64 [%0], %1;\n}" ::"l"(to), "d"(value), "r"((int)on) : "memory");
#endif
}

/* The block's part of a tower. */
template <class K> struct tower_block {
  real *e_down, *e_up, *h_up, *h_down; /* where this warp writes its edge values for the warp below and above: side 0 */
  uint64_t *here;                      /* barriers: the rows of E, and of H in either buffer, have come */
  unsigned e_phase, h_phase; /* their phases; h_phase: a bit a buffer */
  int flip;                            /* buffer of H's band in this step */
  int z0, nblock;
  tower_watch watch; /* lanes 0 .. 2 of the first warp */
  int *done;         /* this tower's */

  __device__ __forceinline__ void sync() const { sync_tower(nblock); }
  /* For the first warp, before the sync() after which the block reads what the neighbours stored in their first `steps` steps. */
  __device__ __forceinline__ void wait_for_neighbours(int steps) {
    watch.wait(steps);
    __syncwarp();
  }
  /* After sync(): this tower's first `steps` steps are stored. */
  __device__ __forceinline__ void report(int steps) const {
    if (z0 == 0 && threadIdx.x == blockDim.x - 1) publish(done, steps);
  }
};

#define INLINE __attribute__((always_inline))

/* The lists whose sites are borrowed, for look-up at run time. */
template <class T> static __device__ constexpr site_list<T, T::e_band> E_ROWS{};
template <class T> static __device__ constexpr site_list<T, T::h_band> H_ROWS{};

template <class T> static __device__ constexpr site_list<T, T::e_leaves> E_LEAVING{};
template <class T> static __device__ constexpr site_list<T, T::h_leaves> H_LEAVING{};
template <class T> static __device__ constexpr site_list<T, T::e_enters> E_ENTERING{};
template <class T> static __device__ constexpr site_list<T, T::h_enters> H_ENTERING{};

template <int VALUE> struct constant {
  static constexpr int value = VALUE;
};

/* Runs plain steps from `step` on for as long as the tile stays plain; returns the first step not done. (u0, v0) is the tile's
 * corner at `step`; look_at(n) tells what step n is like. */
template <class K, class Look>
POINT_FN int plain_steps(const tor_gpu_view &s, tower_block<K> &b, int step, int u0, int v0, Look look_at) {
  using T = typename K::T;
  constexpr int S = K::S, ROW = K::ROW, ORDER = K::ORDER;
  const int zl = threadIdx.x, z = b.z0 + zl, lane = zl % WARP, warp = zl / WARP, n = s.n[2];
  const bool valid = z < n;
  const tor_gidx sx = (tor_gidx)(s.n[1] + 1) * TOR_NCOMP * s.nzp;
  real *corner = s.field + column_of(s, u0, v0) * TOR_NCOMP * s.nzp + b.z0; /* moves with the tile */
  auto offset = [&](int u, int v, int comp) INLINE { return (u >> 1) * sx + ((v >> 1) * TOR_NCOMP + comp) * s.nzp; };

  real cb[TOR_NCOMP];
#pragma unroll
  for (int c = 0; c < TOR_NCOMP; c++) {
    bool zero = !valid || (z == 0 && (c == TOR_EX || c == TOR_EY)); /* a PEC's own values stay 0 */
    cb[c] = zero ? (real)0 : s.cb[c * s.nzp + z];
  }

  /* CPML along z: its memory moves with the tile as the fields do. */
  const bool layer = K::LAYER_Z && valid && (z < s.zlo || (s.zhi && z >= s.zhi0));
  const int npz = s.zlo + s.zhi;
  real *psi_corner = s.psi[TOR_Z] + column_of(s, u0, v0) * 4 * npz + (z < s.zlo ? z : z + s.zlo - s.zhi0);
  const tor_gidx psi_sx = (tor_gidx)(s.n[1] + 1) * 4 * npz;
  auto psi_offset = [&](int u, int v, int comp) INLINE {
    return (u >> 1) * psi_sx + ((v >> 1) * 4 + comp_axis(comp) + 2 * comp_is_h(comp)) * npz;
  };
  real ik[2], cpml_b[2], cpml_c[2]; /* at nodes, at half cells */
#pragma unroll
  for (int i = 0; i < 2; i++)
    if (layer) {
      ik[i] = s.cpml[TOR_Z].ik[i * s.nzp + z];
      cpml_b[i] = s.cpml[TOR_Z].b[i * s.nzp + z];
      cpml_c[i] = s.cpml[TOR_Z].c[i * s.nzp + z];
    }
  auto stretch = [&](int half_cell, real diff, real &psi) INLINE {
    psi = tor_cpml_memory(cpml_b[half_cell], cpml_c[half_cell], psi, diff);
    return tor_cpml_stretch(ik[half_cell], diff, psi);
  };

  /* Indexed by constants only, so that what is used of them lies in registers. */
  real e[T::NU][T::NV], h[T::NU][T::NV], psi_e[T::NU][T::NV], psi_h[T::NU][T::NV];
#define E(u, v) e[(u) - T::U0][(v) - T::V0]
#define H(u, v) h[(u) - T::U0][(v) - T::V0]
#define PSI_E(u, v) psi_e[(u) - T::U0][(v) - T::V0]
#define PSI_H(u, v) psi_h[(u) - T::U0][(v) - T::V0]
#define SITE constexpr int u = decltype(at)::u, v = decltype(at)::v

  const unsigned row_bytes = (blockDim.x + 2 * HALO) * (unsigned)sizeof(real);
  auto h_rows = [](int flip) INLINE { return K::H_ROWS + flip * (K::NH * ROW); };
  /* Bulk copies of a band's rows, shared among the warps; `barrier` tells when they have come. */
  auto issue = [&](int to, int list, int count, const real *from, uint64_t *barrier) INLINE {
    if (zl == 0) barrier_expect(barrier, (unsigned)count * row_bytes);
    if (lane == 0)
      for (int k = warp; k < count; k += blockDim.x / WARP)
        bulk_load(shared_values() + to + k * ROW, from + site_place<K>(list, k) - HALO, row_bytes, barrier);
    __syncwarp();
  };
  /* Edge values, four sites at a time, by the lanes at the warp's ends. */
  auto write_e_edges = [&]() INLINE {
    four value;
    each<typename K::e_edge>([&](auto at) INLINE {
      SITE;
      constexpr int i = decltype(at)::number;
      value.at[i % 4] = E(u, v);
      if constexpr (i % 4 == 3 || i == K::e_edge::count - 1) {
        if (lane == 0) *(four *)(b.e_down + i / 4 * 4) = value;
        if (ORDER == 4 && lane == 1) *(four *)(b.e_down + K::EE + i / 4 * 4) = value;
        if (ORDER == 4 && lane == WARP - 1) *(four *)(b.e_up + 2 * K::EE + i / 4 * 4) = value;
      }
    });
  };
  auto write_h_edges = [&]() INLINE {
    four value;
    each<typename K::h_edge>([&](auto at) INLINE {
      SITE;
      constexpr int i = decltype(at)::number;
      value.at[i % 4] = H(u, v);
      if constexpr (i % 4 == 3 || i == K::h_edge::count - 1) {
        if (lane == WARP - 1) *(four *)(b.h_up + i / 4 * 4) = value;
        if (ORDER == 4 && lane == WARP - 2) *(four *)(b.h_up + K::EH + i / 4 * 4) = value;
        if (ORDER == 4 && lane == 0) *(four *)(b.h_down + 2 * K::EH + i / 4 * 4) = value;
      }
    });
  };

  /* The tile as it stands, and the bands of the first step. */
  issue(0, K::E_BAND, K::NE, corner, &b.here[0]);
  issue(h_rows(1 ^ b.flip), K::H_BAND, K::NH, corner, &b.here[2 - b.flip]);
  issue(h_rows(b.flip), K::H_BAND, K::NH, corner + S * sx, &b.here[1 + b.flip]);
  barrier_wait(&b.here[2 - b.flip], b.h_phase >> (1 ^ b.flip) & 1);
  b.h_phase ^= 2u >> b.flip;
  each<typename K::e_own>([&](auto at) INLINE {
    SITE;
    constexpr int comp = comp_at(1, u, v);
    E(u, v) = valid ? corner[offset(u, v, comp) + zl] : (real)0;
    if (comp_axis(comp) != TOR_Z && layer) PSI_E(u, v) = psi_corner[psi_offset(u, v, comp)];
  });
  each<typename K::h_own>([&](auto at) INLINE {
    SITE;
    constexpr int comp = comp_at(0, u, v);
    H(u, v) = valid ? corner[offset(u, v, comp) + zl] : (real)0;
    if (comp_axis(comp) != TOR_Z && layer) PSI_H(u, v) = psi_corner[psi_offset(u, v, comp)];
  });
  write_e_edges();
  b.sync();

  tile_look look = look_at(step + 1);
  for (bool more = true; more;) {
    const tile_look ahead = look_at(step + 2); /* loaded now, wanted in the next step */
    barrier_wait(&b.here[0], b.e_phase++ & 1);
    const real *const e_row = shared_values() + HALO + zl, *const h_row = e_row + h_rows(b.flip), *const h_row_before = e_row + h_rows(1 ^ b.flip);
    real *here = corner + zl;

    /* H. Its values at the moved tile's sites (u - 2S, v) replace those at (u, v). */
    each<typename K::h_enters>([&](auto at) INLINE {
      SITE;
      if (layer) PSI_H(u, v) = psi_corner[psi_place<K>(K::H_ENTERS, decltype(at)::number)];
    });
    each<typename K::e_band>([&](auto at) INLINE {
      SITE;
      E(u, v) = e_row[decltype(at)::number * ROW];
    });
    four next, over, under; /* E of the lanes beyond the warp's ends */
    each<typename K::h_next>([&](auto at) INLINE {
      SITE;
      constexpr int comp = comp_at(0, u, v);
      auto along = [&](auto which) INLINE {
        constexpr int axis = curl_axis(comp, decltype(which)::value);
        if constexpr (axis != TOR_Z) {
          constexpr int du = axis == TOR_X, dv = axis == TOR_Y;
          if constexpr (ORDER == 2)
            return tor_difference(2, E(u + du, v + dv), E(u - du, v - dv), 0, 0);
          else
            return tor_difference(4, E(u + du, v + dv), E(u - du, v - dv), E(u + 3 * du, v + 3 * dv), E(u - 3 * du, v - 3 * dv));
        } else {
          real up, up2 = 0, down = 0;
          if constexpr (T::e_own(u, v)) {
            constexpr int i = K::e_edge::number(u, v);
            if constexpr (i % 4 == 0) {
              next = *(const four *)(e_edges<K>(warp + 2, 0) + i);
              if (ORDER == 4) {
                over = *(const four *)(e_edges<K>(warp + 2, 1) + i);
                under = *(const four *)(e_edges<K>(warp, 2) + i);
              }
            }
            up = __shfl_down_sync(~0u, E(u, v), 1);
            if (lane == WARP - 1) up = next.at[i % 4];
            if (ORDER == 4) {
              up2 = __shfl_down_sync(~0u, E(u, v), 2);
              if (lane == WARP - 2) up2 = next.at[i % 4];
              if (lane == WARP - 1) up2 = over.at[i % 4];
              down = __shfl_up_sync(~0u, E(u, v), 1);
              if (lane == 0) down = under.at[i % 4];
            }
          } else {
            const real *row = e_row + K::e_band::number(u, v) * ROW;
            up = row[1];
            if (ORDER == 4) {
              up2 = row[2];
              down = row[-1];
            }
          }
          if (z == n - 1) up2 = -E(u, v);
          if (z == 0) down = -up;
          real diff = tor_difference(ORDER, up, E(u, v), up2, down);
          return layer ? stretch(1, diff, PSI_H(u, v)) : diff;
        }
      };
      real curl = along(constant<0>{});
      curl = curl - along(constant<1>{});
      real before;
      if constexpr (!T::h_own(u, v))
        before = h_row_before[K::h_band::number(u, v) * ROW];
      else
        before = H(u, v);
      real value = H(u - 2 * S, v) = tor_advance(before, cb[comp], curl);
      if (comp_axis(comp) != TOR_Z && layer) PSI_H(u - 2 * S, v) = PSI_H(u, v);
      if constexpr (T::h_leaves(u, v)) {
        constexpr int i = K::h_leaves::number(u, v);
        store_if(valid, here + site_place<K>(K::H_LEAVES, i), value);
        if (comp_axis(comp) != TOR_Z && layer) psi_corner[psi_place<K>(K::H_LEAVES, i)] = PSI_H(u, v);
      }
    });
    write_h_edges();
    more = __any_sync(~0u, look.plain()); /* the same for all; the vote tells the compiler so */
    look = ahead;
    if (more && warp == 0) b.wait_for_neighbours(step + 2);
    b.sync();
    /* All warps are past their reads of these rows and their waits at these barriers. */
    if (more) {
      issue(0, K::E_BAND, K::NE, corner + S * sx, &b.here[0]);
      issue(h_rows(1 ^ b.flip), K::H_BAND, K::NH, corner + 2 * S * sx, &b.here[2 - b.flip]);
    }
    barrier_wait(&b.here[1 + b.flip], b.h_phase >> b.flip & 1);
    b.h_phase ^= 1u << b.flip;

    /* E of the moved tile. */
    corner += S * sx;
    here = corner + zl;
    psi_corner += S * psi_sx;
    each<typename K::e_enters>([&](auto at) INLINE {
      SITE;
      if (layer) PSI_E(u + 2 * S, v) = psi_corner[psi_place<K>(K::E_ENTERS, decltype(at)::number)];
    });
    each<typename K::h_band>([&](auto at) INLINE {
      SITE;
      H(u, v) = h_row[decltype(at)::number * ROW];
    });
    each<typename K::e_own>([&](auto at) INLINE {
      SITE;
      constexpr int comp = comp_at(1, u, v);
      auto along = [&](auto which) INLINE {
        constexpr int axis = curl_axis(comp, decltype(which)::value);
        if constexpr (axis != TOR_Z) {
          constexpr int du = axis == TOR_X, dv = axis == TOR_Y;
          if constexpr (ORDER == 2)
            return tor_difference(2, H(u + du, v + dv), H(u - du, v - dv), 0, 0);
          else
            return tor_difference(4, H(u + du, v + dv), H(u - du, v - dv), H(u + 3 * du, v + 3 * dv), H(u - 3 * du, v - 3 * dv));
        } else {
          real down, down2 = 0, up = 0;
          if constexpr (T::h_own(u, v)) {
            constexpr int i = K::h_edge::number(u, v);
            if constexpr (i % 4 == 0) {
              next = *(const four *)(h_edges<K>(warp, 0) + i);
              if (ORDER == 4) {
                over = *(const four *)(h_edges<K>(warp, 1) + i);
                under = *(const four *)(h_edges<K>(warp + 2, 2) + i);
              }
            }
            down = __shfl_up_sync(~0u, H(u, v), 1);
            if (lane == 0) down = next.at[i % 4];
            if (ORDER == 4) {
              down2 = __shfl_up_sync(~0u, H(u, v), 2);
              if (lane == 1) down2 = next.at[i % 4];
              if (lane == 0) down2 = over.at[i % 4];
              up = __shfl_down_sync(~0u, H(u, v), 1);
              if (lane == WARP - 1) up = under.at[i % 4];
            }
          } else {
            const real *row = h_row + K::h_band::number(u, v) * ROW;
            down = row[-1];
            if (ORDER == 4) {
              down2 = row[-2];
              up = row[1];
            }
          }
          if (z == 0) {
            down = H(u, v);
            down2 = up;
          }
          if (z == 1) down2 = down;
          if (z == n - 1) up = H(u, v);
          real diff = tor_difference(ORDER, H(u, v), down, up, down2);
          return layer ? stretch(0, diff, PSI_E(u + 2 * S, v)) : diff;
        }
      };
      real curl = along(constant<0>{});
      curl = curl - along(constant<1>{});
      E(u, v) = tor_advance(E(u + 2 * S, v), cb[comp], curl);
      if (comp_axis(comp) != TOR_Z && layer) PSI_E(u, v) = PSI_E(u + 2 * S, v);
      if constexpr (T::e_leaves(u, v)) {
        constexpr int i = K::e_leaves::number(u, v);
        store_if(valid, here + site_place<K>(K::E_LEAVES, i), E(u, v));
        if (comp_axis(comp) != TOR_Z && layer) psi_corner[psi_place<K>(K::E_LEAVES, i)] = PSI_E(u, v);
      }
    });
    write_e_edges();
    b.flip ^= 1;
    step++;
    b.sync();
    if (more) b.report(step);
  }

  /* What stayed. */
  each<typename K::e_own>([&](auto at) INLINE {
    SITE;
    constexpr int comp = comp_at(1, u, v);
    if (!T::e_next(u, v)) return;
    if (valid) corner[offset(u, v, comp) + zl] = E(u, v);
    if (comp_axis(comp) != TOR_Z && layer) psi_corner[psi_offset(u, v, comp)] = PSI_E(u, v);
  });
  each<typename K::h_own>([&](auto at) INLINE {
    SITE;
    constexpr int comp = comp_at(0, u, v);
    if (!T::h_next(u, v)) return;
    if (valid) corner[offset(u, v, comp) + zl] = H(u, v);
    if (comp_axis(comp) != TOR_Z && layer) psi_corner[psi_offset(u, v, comp)] = PSI_H(u, v);
  });
#undef E
#undef H
#undef PSI_E
#undef PSI_H
#undef SITE
  b.sync();
  return step;
}

/* --- The queue ----------------------------------------------------------------------------------------------------------- */

/* The next tower for the block or cluster, or -1 when there is none; the same for all threads. */
POINT_FN int take_tower(const tower_queue &queue, int nblock, int *taken) {
  if (nblock > 1) {
    cg::cluster_group cluster = cg::this_cluster();
    if (cluster.block_rank() == 0 && threadIdx.x < nblock) {
      int tower = threadIdx.x == 0 ? atomicAdd(queue.next, 1) : 0;
      tower = __shfl_sync(__activemask(), tower, 0);
      *cluster.map_shared_rank(taken, threadIdx.x) = tower;
    }
  } else if (threadIdx.x == 0) {
    *taken = atomicAdd(queue.next, 1);
  }
  sync_tower(nblock);
  int tower = (int)__reduce_max_sync(~0u, (unsigned)*taken); /* uniform, and known to be */
  sync_tower(nblock);
  return tower < queue.ntowers ? tower : -1;
}

/* Where the neighbour at `place` of line i counts its steps. */
POINT_FN const int *neighbour(const tower_queue &queue, int i, int place) {
  if (i < 0 || place < queue.line[i].first || place > queue.line[i].last) return nullptr;
  return queue.done + queue.line[i].start + (place - queue.line[i].first) / 2;
}

template <class K>
static __global__ void __launch_bounds__(K::ZB, 1) run_towers(const __grid_constant__ tor_gpu_view s, const tower_queue queue, int nblock) {
  constexpr int S = K::S, R = K::R;
  __shared__ uint64_t barrier[3];
  __shared__ int taken;
  const int rank = blockIdx.x % nblock, nwarp = blockDim.x / WARP, warp = threadIdx.x / WARP;

  tower_block<K> b;
  b.nblock = nblock;
  b.z0 = rank * blockDim.x;
  b.e_down = b.e_up = e_edges<K>(warp + 1, 0);
  b.h_down = b.h_up = h_edges<K>(warp + 1, 0);
  if (nblock > 1) {
    cg::cluster_group cluster = cg::this_cluster();
    if (warp == 0 && rank > 0) {
      b.e_down = cluster.map_shared_rank(e_edges<K>(nwarp + 1, 0), rank - 1);
      b.h_down = cluster.map_shared_rank(h_edges<K>(nwarp + 1, 0), rank - 1);
    }
    if (warp == nwarp - 1 && rank < nblock - 1) {
      b.e_up = cluster.map_shared_rank(e_edges<K>(0, 0), rank + 1);
      b.h_up = cluster.map_shared_rank(h_edges<K>(0, 0), rank + 1);
    }
  }
  for (int i = K::E_EDGES + threadIdx.x; i < K::VALUES; i += blockDim.x) shared_values()[i] = 0;
  auto fill_places = [&](int list, const auto &sites) {
    for (int i = threadIdx.x; i < sites.count; i += blockDim.x) {
      int column = (sites.u[i] >> 1) * (s.n[1] + 1) + (sites.v[i] >> 1), comp = sites.comp[i];
      site_place<K>(list, i) = (column * TOR_NCOMP + comp) * s.nzp;
      psi_place<K>(list, i) = (column * 4 + comp_axis(comp) + 2 * comp_is_h(comp)) * (s.zlo + s.zhi);
    }
  };
  fill_places(K::H_LEAVES, H_LEAVING<typename K::T>);
  fill_places(K::E_LEAVES, E_LEAVING<typename K::T>);
  fill_places(K::H_ENTERS, H_ENTERING<typename K::T>);
  fill_places(K::E_ENTERS, E_ENTERING<typename K::T>);
  fill_places(K::E_BAND, E_ROWS<typename K::T>);
  fill_places(K::H_BAND, H_ROWS<typename K::T>);
  b.here = barrier;
  b.e_phase = b.h_phase = 0;
  b.flip = 0;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; i++) barrier_init(&barrier[i], 1);
    fence_bulk();
  }

  int i = 0; /* line of the tower */
  for (int tower; (tower = take_tower(queue, nblock, &taken)) >= 0;) {
    while (i + 1 < queue.nlines && tower >= queue.line[i + 1].start) i++;
    const tower_line line = queue.line[i];
    const int place = line.first + 2 * (tower - line.start);
    b.done = queue.done + tower;
    b.watch.done = nullptr;
    b.watch.seen = 0;
    if (threadIdx.x == 0) b.watch.done = neighbour(queue, i - 1, place - 1);
    if (threadIdx.x == 1) b.watch.done = neighbour(queue, i - 1, place + 1);
    if (threadIdx.x == 2) b.watch.done = neighbour(queue, i - 2, place);

    auto look_at = [&](int step) -> tile_look {
      int at = (R * line.row + 2 * S * step) / 2;
      if (step >= s.steps || at < 0 || at > s.n[0]) return {0, 0};
      return {queue.plain[at * queue.nplaces + place - queue.plain_first], s.energy_step ? s.energy_step[step] : (uint8_t)0};
    };
    for (int step = 0; step < s.steps;) {
      const int u0 = R * line.row + 2 * S * step, v0 = R * place;
      if (u0 + S > s.last[0]) break; /* the tile has left the slab */
      if (u0 + 2 * R + 2 * S <= s.first[0]) {
        step++;
        continue;
      }
      if (warp == 0) b.wait_for_neighbours(step + 1);
      b.sync();
      if (__any_sync(~0u, look_at(step).plain()))
        step = plain_steps<K>(s, b, step, u0, v0, look_at);
      else
        step_in_place<K>(s, step++, u0, v0, b.z0, nblock);
      b.report(step);
    }
    b.sync();
    b.report(INT_MAX);
  }
  b.sync(); /* no block leaves while another writes to its shared memory */
}

/* plain[i][k]: the tile at u = 2 i, v = R (first + k) may run in registers: what it updates lies in plain columns, what it reads
 * within the slab. */
template <class K> static __global__ void find_plain(const __grid_constant__ tor_gpu_view s, uint8_t *plain, int first, int nplaces) {
  constexpr int S = K::S, R = K::R;
  int k = blockIdx.x * blockDim.x + threadIdx.x, u0 = 2 * blockIdx.y, v0 = R * (first + k);
  if (k >= nplaces) return;
  bool good = !s.pmc[TOR_ZLO] && !s.pmc[TOR_ZHI] && s.n[2] >= 4;
  for (int u = -S; u < 2 * R + 3 * S && good; u++)
    for (int v = -R - 2 * S; v < R + 2 * S && good; v++) {
      int ua = u0 + u, va = v0 + v;
      bool inside = ua >= 0 && ua <= 2 * s.n[0] && va >= 0 && va <= 2 * s.n[1];
      if (in_square(u, v, -S, 2 * R + 3 * S) && !inside) good = false;
      if (in_square(u, v, S, 2 * R + 2 * S) && inside)
        good &= ua >= s.first[0] && ua <= s.last[0] && va >= s.first[1] && va <= s.last[1] && !s.cls[column_of(s, ua, va)];
    }
  plain[(size_t)blockIdx.y * nplaces + k] = good;
}

/* The queue of a stage; its device memory is one allocation, `memory`. */
template <class K> static tower_queue make_queue(const tor_gpu_view *s, void **memory, cudaStream_t stream) {
  const struct tor_tiling tiling =
      tor_tiling_make(K::ORDER, K::R / K::S, s->steps, s->first[0], s->last[0], s->first[1], s->last[1]);
  int first_row, last_row, lo, hi, first, last;
  tor_tiling_rows(&tiling, &first_row, &last_row);
  tor_tiling_places(&tiling, 0, &lo, &hi); /* places of even rows, then of odd rows */
  tor_tiling_places(&tiling, 1, &first, &last);
  tower_queue queue = {};
  queue.plain_first = first < lo ? first : lo;
  queue.nplaces = (last > hi ? last : hi) - queue.plain_first + 1;
  tower_line *line = (tower_line *)calloc((size_t)(first_row - last_row + 1), sizeof *line);
  for (int row = first_row; row >= last_row; row--) {
    tower_line *l = &line[queue.nlines];
    l->row = row;
    l->start = queue.ntowers;
    int places = tor_tiling_places(&tiling, row, &l->first, &l->last);
    queue.ntowers += places;
    queue.nlines += places > 0;
  }
  const size_t lines = (size_t)queue.nlines * sizeof *line, counters = ((size_t)queue.ntowers + 1) * sizeof(int);
  const size_t plain = (size_t)queue.nplaces * (size_t)(s->n[0] + 1);
  CUDA_TRY(cudaMallocAsync(memory, lines + counters + plain, stream));
  char *at = (char *)*memory;
  queue.line = (const tower_line *)at;
  queue.next = (int *)(at + lines);
  queue.done = queue.next + 1;
  queue.plain = (const uint8_t *)(at + lines + counters);
  CUDA_TRY(cudaMemcpyAsync(at, line, lines, cudaMemcpyHostToDevice, stream));
  CUDA_TRY(cudaMemsetAsync(queue.next, 0, counters, stream));
  CUDA_TRY(cudaStreamSynchronize(stream));
  free(line);
  find_plain<K><<<dim3((unsigned)(queue.nplaces + 31) / 32, (unsigned)s->n[0] + 1), 32, 0, stream>>>(
      *s, (uint8_t *)queue.plain, queue.plain_first, queue.nplaces);
  CUDA_TRY(cudaGetLastError());
  return queue;
}

template <class K> static void run(const tor_gpu_view *s, cudaStream_t stream) {
  CUDA_TRY(cudaFuncSetAttribute(run_towers<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)K::SHARED));
  CUDA_TRY(cudaFuncSetAttribute(run_towers<K>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  const int points = s->n[2] + s->pmc[TOR_ZHI], nblock = (points + K::ZB - 1) / K::ZB;
  const int threads = ((points + nblock - 1) / nblock + WARP - 1) / WARP * WARP;
  void *memory = nullptr;
  const tower_queue queue = make_queue<K>(s, &memory, stream);

  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = (unsigned)nblock;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((unsigned)nblock);
  config.blockDim = dim3((unsigned)threads);
  config.dynamicSmemBytes = K::SHARED;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int resident;
  CUDA_TRY(cudaOccupancyMaxActiveClusters(&resident, run_towers<K>, &config));
  if (resident > queue.ntowers) resident = queue.ntowers;
  config.gridDim = dim3((unsigned)(resident * nblock));
  CUDA_TRY(cudaLaunchKernelEx(&config, run_towers<K>, *s, queue, nblock));
  CUDA_TRY(cudaFreeAsync(memory, stream));
}

/* Tiles and threads that were fastest on an H200 (docs/gpu.md). */
#if TOR_REAL_BITS == 32
enum { R2 = 6, Z2 = 256, R4 = 6, Z4 = 256 };
#else
enum { R2 = 4, Z2 = 256, R4 = 6, Z4 = 128 };
#endif

extern "C" int TOR_NAME(tor_gpu_dts)(int order) { return order == 2 ? R2 : R4 / 3; }

void TOR_NAME(tor_gpu_diamond)(const tor_gpu_view *view, int order, cudaStream_t stream) {
  const bool layer = view->zlo + view->zhi > 0;
  if (order == 2)
    (layer ? run<tower_kind<2, R2, Z2, true>> : run<tower_kind<2, R2, Z2, false>>)(view, stream);
  else
    (layer ? run<tower_kind<4, R4, Z4, true>> : run<tower_kind<4, R4, Z4, false>>)(view, stream);
}
