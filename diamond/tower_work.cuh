/* Work: items handed over in exchange rows are worked off by all warps that compute; see tower_items.cuh. */
#ifndef TOR_TOWER_WORK_CUH
#define TOR_TOWER_WORK_CUH

#include "tower_items.cuh"

/* --- Fourier monitors: the frequencies are the lanes' ---------------------------------------------------------------------- */
template <class K, int HALF> POINT_FN void work_off_transforms(const tower_block<K> &b, int count) {
  enum { AT_ONCE = 4 };
  const int lane = threadIdx.x % WARP, nwarp = b.nthread / WARP;
  for (int i = threadIdx.x / WARP; i < count; i += nwarp) {
    const transform to = shared<K>().items.to[HALF][i];
    const real *row = exchange_row<K, HALF, 0>(site_of(to.where)) + warp_of(to.where) * WARP;
    for (int q = lane; q < to.count; q += WARP) {
      const double phase = to.phase[q];
      for (unsigned lanes = to.lanes; lanes;) {
        double *sum[AT_ONCE], value[AT_ONCE], term[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
          sum[k] = nullptr;
          value[k] = term[k] = 0;
          if (!lanes) continue;
          const int at = __ffs((int)lanes) - 1;
          lanes &= lanes - 1;
          sum[k] = to.sum + at * to.count + q;
          value[k] = *sum[k];
          term[k] = (double)row[at];
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
          if (sum[k]) *sum[k] = __fma_rn(term[k], phase, value[k]);
      }
    }
  }
}

/* Records a warp's values, those of the lanes that are on. z0: of the warp's range. */
POINT_FN void record_range(const tor_gpu_view &s, const tor_extra &extra, int comp, int step, int z0, bool on, real f) {
  const int lane = threadIdx.x % WARP;
  const unsigned all = __ballot_sync(~0u, on);
  for (int i = extra.record[comp]; i < extra.record[comp + 1]; i++) {
    const tor_record rec = s.record[i];
    const tor_gpu_group group = s.group[rec.group];
    const int sample = group.sample[step];
    const unsigned lanes = lanes_between(z0, rec.z0, rec.nz) & all;
    if (sample < 0 || !lanes) continue;
    if (group.series) {
      if (lanes >> lane & 1) group.data[(tor_gidx)sample * group.npoints + rec.offset + z0 + lane - rec.z0] = (double)f;
      continue;
    }
    const double *phase = group.phase + ((tor_gidx)step * 2 + comp_is_h(comp)) * 2 * group.nfreq;
    for (int at = 0; at < WARP; at++) {
      const double value = (double)__shfl_sync(~0u, f, at);
      if (!(lanes >> at & 1)) continue;
      double *sum = group.data + (rec.offset + z0 + at - rec.z0) * 2 * group.nfreq;
      for (int q = lane; q < 2 * group.nfreq; q += WARP) sum[q] = __fma_rn(value, phase[q], sum[q]);
    }
  }
}

/* --- The rest ---------------------------------------------------------------------------------------------------------------- */
/* One item: its curl and old value become its new value. z0: of the warp's range. */
template <class K, int HALF>
POINT_FN void advance_item(const tor_gpu_view &s, int step, int comp, unsigned cls, const tor_extra &extra, int z0, real *curl_row, real old) {
  const int z = z0 + (int)threadIdx.x % WARP;
  const bool own = has_own(cls, comp), on = z < points_along_z(s, comp);
  real curl = *curl_row, f = old;
  if (on) {
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
    *curl_row = f;
  }
  if (cls & TOR_COL_RECORD) record_range(s, extra, comp, step, z0, on, f);
}

/* Works off the items of a half-step in a frame at (u0, v0); the block's threads have written their exchange rows, and may read them
 * after it. Returns whether there were any. */
template <class K, int HALF> POINT_FN bool work_off(const tor_gpu_view &s, const tower_block<K> &b, int parity, int step, int u0, int v0) {
  const item_list<K> &items = shared<K>().items;
  const item_counts count = items.count[parity][HALF];
  const int transforms = min(count.transforms, (int)item_list<K>::TRANSFORMS);
  if (!__any_sync(~0u, count.rest | transforms)) return false;
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
    const int site = site_of(entry.x), zl = warp_of(entry.x) * WARP;
    advance_item<K, HALF>(s, step, comp_of(entry.x), entry.x >> 16, s.extra[entry.y], b.z0 + zl, exchange_row<K, HALF, 0>(site) + zl + lane,
                          exchange_row<K, HALF, 1>(site)[zl + lane]);
  }
  work_off_transforms<K, HALF>(b, transforms);
  wait_at(COMPUTING, b.nthread);
  return true;
}

#endif
