/* Uniform planes (planes.h) in a tile all of whose columns have them. The preparing warps look up the injected value of
 * each site half a step ahead; a thread at a plane's z reads it from there, and stores the samples of a plane's
 * monitor. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_PLANES_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_PLANES_CUH

#include "diamond/gpu/tower_reg/reg_tile.cuh"
#include "diamond/gpu/view/planes.cuh"

/* --- For computing warps --- */

template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::find_planes() {
  injecting = first_inject = first_record = 0;
#pragma unroll
  for (int c = 0; c < TOR_NCOMP; c++) {
    unsigned inject = 0, record = 0;
    if (z < n) {
      inject = s.plane_at[c * s.nzp + z];
      record = s.plane_at[(TOR_NCOMP + c) * s.nzp + z];
    }
    injecting |= (inject >> 4) << 4 * c;
    first_inject |= (inject & 15 ? (inject & 15) - 1 : K::MOST_PLANES) << 4 * c;
    first_record |= (record & 15) << 4 * c;
  }
  in_planes = __any_sync(~0u, injecting | first_record);
}

template <class K, int NEEDS>
template <int HALF, int I>
METHOD real tower_tile<K, NEEDS>::inject_planes(int comp, real cb_here, real value) const {
  const int first = first_inject >> 4 * comp & 15, count = K::INJECTS == 1 ? 0 : injecting >> 4 * comp & 15;
#pragma unroll
  for (int k = 0; k < K::INJECTS; k++)
    value = tor_inject(value, cb_here, plane_row<K, HALF>(k == 0 ? first : k < count ? first + k : K::MOST_PLANES)[I]);
  return value;
}

/* At the end of a half-step in which a monitor may take a sample. */
template <class K, int NEEDS> template <int HALF> METHOD void tower_tile<K, NEEDS>::record_planes() {
  real *to[3];
  int along[3][2];
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const int number = first_record >> 4 * (axis + (HALF ? TOR_EX : TOR_HX)) & 15;
    to[axis] = nullptr;
    along[axis][0] = along[axis][1] = 0;
    if (!number) continue;
    const tor_plane_record &plane = s.planes->record[axis + (HALF ? TOR_EX : TOR_HX)][number - 1];
    to[axis] = recorded_by(s, plane, first_step + step, u0 / 2 + HALF * S, v0 / 2, z);
    for (int a = 0; a < 2; a++) along[axis][a] = (int)plane.along[a];
  }
  each<std::conditional_t<HALF, typename K::e_own, typename K::h_next>>([&](auto at) INLINE {
    constexpr int u = at.u, v = at.v;
    constexpr int axis = comp_axis(comp_at(HALF, u, v));
    store_if(to[axis] != nullptr, to[axis] + plane_step(along[axis], u >> 1, v >> 1), after<HALF, u, v>());
  });
}

/* --- For preparing warps, a site a thread --- */

/* The values injected at this thread's site in the frame at u. */
template <class K, int NEEDS>
template <int HALF>
METHOD void tower_tile<K, NEEDS>::load_planes(int at_step, int u, real (&value)[K::MOST_PLANES]) const {
  const int i = zl - b.nthread - PREPARES * WARP;
#pragma unroll
  for (int k = 0; k < K::MOST_PLANES; k++) value[k] = 0;
  if (i >= K::SITES) return;
  const site_place at = shared<K>().site[HALF][i];
  const int count = s.planes->ninject[at.comp], ix = (u + at.u) >> 1, iy = (v0 + at.v) >> 1;
#pragma unroll
  for (int k = 0; k < K::MOST_PLANES; k++) {
    if (k >= count) break;
    value[k] = injected_by(s, s.planes->inject[at.comp][k], first_step + at_step, ix, iy);
  }
}

template <class K, int NEEDS>
template <int HALF>
METHOD void tower_tile<K, NEEDS>::fill_planes(const real (&value)[K::MOST_PLANES]) {
  const int i = zl - b.nthread - PREPARES * WARP;
  if (i >= K::SITES) return;
#pragma unroll
  for (int k = 0; k < K::MOST_PLANES; k++) plane_row<K, HALF>(k)[i] = value[k];
}

#endif
