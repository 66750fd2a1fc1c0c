/* The poles of a shared-memory tower, while H is advanced: their currents depend on E before the step alone. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_POLES_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_POLES_CUH

#include "diamond/gpu/tower/pole_vector.cuh"
#if TOR_SMEM_ORDER == 4
#include "diamond/gpu/tower_smem/smem_sites_order4.cuh"
#else
#include "diamond/gpu/tower_smem/smem_sites_order2.cuh"
#endif

namespace {

struct smem_poles : smem_sites {
  using smem_sites::smem_sites;

  /* A vector of a pole_segment, of at most MOST poles. */
  template <int MOST> struct piece {
    bool on, charged;
    int npoles, pitch, axis, place; /* place: of E in shared memory, and of the sum of currents */
    unsigned has_p;
    const smem_medium *medium;
    vec *state;
    vec j[MOST], p[MOST], share;
    pole_branch branch;
  };
  /* Loads vector `number` of those that are listed for the step: without branches, so that the loads of several
   * overlap. */
  template <int MOST> __device__ __forceinline__ void ask_piece(int number, piece<MOST> &is) const {
    const smem_step &now = this->now();
    is.on = number < now.chunks * SMEM_CHUNK;
    const unsigned entry = is.on ? now.chunk[number / SMEM_CHUNK] : 0;
    const int slot = entry & 127, k = (int)(entry >> 8) * SMEM_CHUNK + number % SMEM_CHUNK;
    tor_gpu_pole_segment pole_segment = {};
    if (is.on) pole_segment = smem().pole_segment[slot][entry >> 7 & 1];
    const int at_z = (pole_segment.from + k) * V - span.first; /* in the block */
    is.on = is.on && k < pole_segment.count && (!SMEM_TALL || (at_z >= 0 && at_z < span.count));
    is.medium = &smem().medium[is.on ? pole_segment.medium : 0];
    is.npoles = is.on ? is.medium->npoles : 0;
    is.has_p = is.medium->has_p;
    is.pitch = pole_segment.count;
    is.axis = slot / SMEM_SLOTS;
    is.charged = is.on && pole_segment.charged;
    is.state = (vec *)s.state + (tor_gidx)pole_segment.state + k;
    const vec *const weight = (const vec *)s.weight + (tor_gidx)pole_segment.weight + k;
    is.place = slot * SMEM_ROW + (is.on ? at_z : 0);
    const vec *at = is.state;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
      is.j[i] = {};
      is.p[i] = no_polarisation();
      load_values_if(i < is.npoles, at->at, is.j[i]);
      at += i < is.npoles ? is.pitch : 0;
      const bool p = i < is.npoles && is.has_p >> i & 1;
      load_values_if(p, at->at, is.p[i]);
      at += p ? is.pitch : 0;
    }
    is.share = {};
    load_values_if(is.on, weight->at, is.share);
    is.branch.load(is.charged, at->at, weight[is.pitch].at, weight[2 * is.pitch].at, weight[3 * is.pitch].at);
  }
  template <int MOST> __device__ __forceinline__ void advance_piece(piece<MOST> &is) const {
    vec e = {}, sum = {};
    if (is.on) e = *(const vec *)(&smem().field[0][0][0] + is.place);
    e = is.branch.field(e);
    vec *at = is.state;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
      const real k1 = is.medium->k1[i], k2 = is.medium->k2[i], k3 = is.medium->k3[is.axis][i];
      advance_pole(s.dt, k1, k2, k3, is.share, e, is.j[i], is.p[i], sum); /* beyond npoles J is 0 */
      store_values_if(i < is.npoles, at->at, is.j[i]);
      at += i < is.npoles ? is.pitch : 0;
      const bool p = i < is.npoles && is.has_p >> i & 1;
      store_values_if(p, at->at, is.p[i]);
      at += p ? is.pitch : 0;
    }
    sum = is.branch.advance(sum);
    store_values_if(is.charged, at->at, is.branch.charge);
    store_values_if(is.on, sums - z + is.place, sum);
  }
  /* Advances the pole_segments of the tile's sites, eight lanes a chunk, and leaves the sums of their currents for E's
   * half-step. */
  __device__ __forceinline__ void advance_poles() {
    forget();
    const int past = now().chunks * SMEM_CHUNK;
    if (smem().most_poles <= SMEM_FEW_POLES)
      advance_pieces<SMEM_FEW_POLES>(past);
    else
      advance_pieces<TOR_GPU_FAST_POLES>(past);
  }
  template <int MOST> __device__ __forceinline__ void advance_pieces(int past) const {
#pragma unroll 1
    for (int number = threadIdx.x; number - lane < past; number += SMEM_WARPS * WARP) {
      piece<MOST> one;
      ask_piece(number, one);
      advance_piece(one);
    }
  }
};

} // namespace

#endif
