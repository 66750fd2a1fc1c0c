/* Items: the values of one site in one warp's range of z (32 values) that need what a tile's body does not do for all sites: poles,
 * losses, coefficients of H of their own, injections, records.
 *
 * The thread that owns such a value hands its curl and its old value to exchange rows and takes the new value from
 * there. The items of all warps are worked off by all warps, so that a tower is not as slow as its busiest warp. The warps
 * that serve list a half-step's items in the half-step before. */
#ifndef TOR_TOWER_ITEMS_CUH
#define TOR_TOWER_ITEMS_CUH

#include "tower_kind.cuh"

template <class T> static __device__ constexpr site_list<T, T::e_own> E_SITES{};
template <class T> static __device__ constexpr site_list<T, T::h_next> H_SITES{};

/* Component at a site of half-step HALF. */
template <int HALF> POINT_FN int component_at(int u, int v) {
  if (HALF) return u & 1 ? TOR_EX : v & 1 ? TOR_EY : TOR_EZ;
  return u & 1 ? (v & 1 ? TOR_HZ : TOR_HY) : TOR_HX;
}

/* Lists the items of a half-step in a frame at (u0, v0); by the warps that prepare, number `server` of them, a sync() before they are worked
 * off. The count of this list has been set to 0 a sync() ago. */
template <class K, int HALF>
POINT_FN void list_items(const tor_gpu_view &s, const tower_block<K> &b, int server, int parity, int u0, int v0, bool sampled) {
  const int lane = threadIdx.x % WARP;
  item_list<K> &to = shared<K>().items;
  for (int warp = server; warp < b.nthread / WARP; warp += PREPARING_WARPS) {
    const int range = b.z0 / WARP + warp;
    unsigned bits[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const int i = lane + k * WARP;
      unsigned flags = 0;
      if (i < K::SITES && range < s.nrange) {
        const int u = u0 + (HALF ? E_SITES<typename K::T>.u[i] : H_SITES<typename K::T>.u[i]);
        const int v = v0 + (HALF ? E_SITES<typename K::T>.v[i] : H_SITES<typename K::T>.v[i]);
        if (inside(s, u, v)) flags = s.item[column_of(s, u, v) * s.nrange + range] >> component_at<HALF>(u, v) & (sampled ? 0x101 : 1);
      }
      bits[k] = __ballot_sync(~0u, flags);
    }
    if (lane == 0) to.mask[HALF][warp] = {{bits[0], bits[1]}};
    if (!(bits[0] | bits[1])) continue;
    int at = 0;
    if (lane == 0) at = atomicAdd(&to.count[parity][HALF], __popc(bits[0]) + __popc(bits[1]));
    at = __shfl_sync(~0u, at, 0);
    const unsigned below = (1u << lane) - 1;
    if (bits[0] >> lane & 1) to.item[HALF][at + __popc(bits[0] & below)] = (uint16_t)(warp << 8 | lane);
    if (bits[1] >> lane & 1) to.item[HALF][at + __popc(bits[0]) + __popc(bits[1] & below)] = (uint16_t)(warp << 8 | (lane + WARP));
  }
}

/* One item: its curl and old value become its new value. (u, v): the site; z: the lane's. */
template <class K, int HALF> POINT_FN void advance_item(const tor_gpu_view &s, int step, int u, int v, int z,
                                                    real *curl_row, real old) {
  const int comp = component_at<HALF>(u, v);
  if (z >= points_along_z(s, comp)) return;
  const tor_gidx column = column_of(s, u, v);
  const unsigned cls = s.cls[column];
  const tor_extra &extra = s.extra[s.extra_id[column]];
  const bool own = has_own(cls, comp);
  real curl = *curl_row, f = old;
  const real *at = (own ? s.coef + (HALF ? extra.coef_e : extra.coef_h) + (tor_gidx)comp_axis(comp) * s.nzp : s.cb + (tor_gidx)comp * s.nzp) + z;
  const real cb = *at;
  const bool poles = HALF && (cls & TOR_COL_POLES);
  if (poles) curl = poles_before(s, extra, comp, z, f, curl);
  if (is_lossy(cls, comp))
    f = tor_advance_lossy(f, own ? at[(tor_gidx)3 * s.nzp] : s.ca1[(tor_gidx)comp * s.nzp + z], cb, curl);
  else
    f = tor_advance(f, cb, curl);
  if (cls & TOR_COL_INJECT) f = inject(s, extra, comp, step, z, cb, f);
  if (HALF && comp != TOR_EZ && z == 0 && !s.pmc[TOR_ZLO]) f = 0;
  if (poles) poles_after(s, extra, comp, z, f);
  if (cls & TOR_COL_RECORD) record(s, extra, comp, step, z, f);
  *curl_row = f;
}

/* Works off the items of a half-step; the block's threads have written their exchange rows, and may read them after it. Returns whether there
 * were any. */
template <class K, int HALF> POINT_FN bool work_off(const tor_gpu_view &s, const tower_block<K> &b, int parity, int step, int u0, int v0) {
  const item_list<K> &items = shared<K>().items;
  const int count = items.count[parity][HALF];
  if (!__any_sync(~0u, count)) return false;
  wait_at(COMPUTING, b.nthread);
  const int lane = threadIdx.x % WARP, nwarp = b.nthread / WARP;
  for (int i = threadIdx.x / WARP; i < count; i += nwarp) {
    const int item = items.item[HALF][i], site = item & 0xff, zl = (item >> 8) * WARP + lane;
    const int u = u0 + (HALF ? E_SITES<typename K::T>.u[site] : H_SITES<typename K::T>.u[site]);
    const int v = v0 + (HALF ? E_SITES<typename K::T>.v[site] : H_SITES<typename K::T>.v[site]);
    advance_item<K, HALF>(s, step, u, v, b.z0 + zl, exchange_row<K, HALF, 0>(site) + zl, exchange_row<K, HALF, 1>(site)[zl]);
  }
  wait_at(COMPUTING, b.nthread);
  return true;
}

#endif
