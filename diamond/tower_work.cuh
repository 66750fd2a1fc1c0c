/* Work: items handed over in exchange rows are worked off by all warps that compute; see tower_items.cuh. */
#ifndef TOR_TOWER_WORK_CUH
#define TOR_TOWER_WORK_CUH

#include "tower_items.cuh"

/* One item: its curl and old value become its new value. z: the lane's. */
template <class K, int HALF>
POINT_FN void advance_item(const tor_gpu_view &s, int step, int comp, unsigned cls, const tor_extra &extra, int z, real *curl_row, real old) {
  if (z >= points_along_z(s, comp)) return;
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

/* Works off the items of a half-step in a frame at (u0, v0); the block's threads have written their exchange rows, and may read them
 * after it. Returns whether there were any. */
template <class K, int HALF> POINT_FN bool work_off(const tor_gpu_view &s, const tower_block<K> &b, int parity, int step, int u0, int v0) {
  const item_list<K> &items = shared<K>().items;
  const item_counts count = items.count[parity][HALF];
  if (!__any_sync(~0u, count.rest)) return false;
  wait_at(COMPUTING, b.nthread);
  const int lane = threadIdx.x % WARP, nwarp = b.nthread / WARP;
  for (int i = threadIdx.x / WARP; i < count.rest; i += nwarp) {
    uint2 entry;
    if (HALF) {
      entry = items.e_item[i];
    } else {
      const unsigned where = items.h_item[i];
      const site_place at = shared<K>().site[0][site_of(where)];
      const tor_gidx column = column_of(s, u0 + at.u, v0 + at.v);
      entry = make_uint2(where | (unsigned)s.cls[column] << 16, (unsigned)s.extra_id[column]);
    }
    const int site = site_of(entry.x), zl = warp_of(entry.x) * WARP + lane;
    advance_item<K, HALF>(s, step, comp_of(entry.x), entry.x >> 16, s.extra[entry.y], b.z0 + zl, exchange_row<K, HALF, 0>(site) + zl,
                          exchange_row<K, HALF, 1>(site)[zl]);
  }
  wait_at(COMPUTING, b.nthread);
  return true;
}

#endif
