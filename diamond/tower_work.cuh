/* Work: items handed over in exchange rows are worked off by all warps that compute; see tower_items.cuh. */
#ifndef TOR_TOWER_WORK_CUH
#define TOR_TOWER_WORK_CUH

#include "tower_items.cuh"

/* --- Simple poles --- */
/* A lane has its own run, or none. While one item is computed, the values of the next, the place of those of the one
 * after and the runs of one more are on their way. */
struct pole_place {
  unsigned where;
  int on, branch; /* 0 or 1 */
  int nz;
  real *state; /* J of the first pole; a branch has its field nz before */
  const real *weight;
  __device__ __forceinline__ real *state_at(unsigned array) const {
    return (real *)((char *)state + (uint64_t)((unsigned)nz * (unsigned)sizeof(real)) * array);
  }
};
struct pole_values {
  real j[TOR_GPU_FAST_POLES], p[TOR_GPU_FAST_POLES];
  real weight, cb, own, branch_cb, share;
};
/* A tor_run as it is loaded: number i of an item's runs by lane i. */
struct run_words {
  int4 range, places; /* z0, nz, dispersion, branch; state and weight */
};
static_assert(sizeof(tor_run) == sizeof(run_words), "a run is two loads");
POINT_FN tor_gidx join(int low, int high) { return (tor_gidx)(unsigned)low | (tor_gidx)high << 32; }

POINT_FN int runs_of(uint2 entry) { return entry.x >> 16 & 15; }
POINT_FN int medium_of(uint2 entry) { return (int)(entry.x >> 20); }

POINT_FN run_words load_runs(const tor_gpu_view &s, uint2 entry) {
  const int lane = threadIdx.x % WARP;
  run_words run = {};
  if (lane < runs_of(entry)) {
    const int4 *from = (const int4 *)(s.run + entry.y + lane);
    run = {from[0], from[1]};
  }
  return run;
}

/* The run at this lane's z, of those that the first lanes have. */
template <class K>
POINT_FN pole_place find_run(const tor_gpu_view &s, const tower_block<K> &b, uint2 entry, const run_words &runs) {
  const int z = b.z0 + warp_of(entry.x) * WARP + (int)threadIdx.x % WARP, count = runs_of(entry);
  int mine = -1;
  for (int i = 0; i < count; i++) {
    const int k = z - __shfl_sync(~0u, runs.range.x, i), nz = __shfl_sync(~0u, runs.range.y, i);
    if (0 <= k && k < nz) mine = i;
  }
  const int on = mine >= 0;
  mine = max(mine, 0);
  const int first = __shfl_sync(~0u, runs.range.x, mine), nz = __shfl_sync(~0u, runs.range.y, mine),
            k = on ? z - first : 0;
  const int branch = on & __shfl_sync(~0u, runs.range.w, mine);
  const tor_gidx state = join(__shfl_sync(~0u, runs.places.x, mine), __shfl_sync(~0u, runs.places.y, mine));
  const tor_gidx weight = join(__shfl_sync(~0u, runs.places.z, mine), __shfl_sync(~0u, runs.places.w, mine));
  return {entry.x, on, branch, nz, s.state + state + k + (branch ? nz : 0), s.weight + weight + k};
}

template <class K, int MEDIUM>
POINT_FN pole_values load_poles(const tor_gpu_view &s, const tower_block<K> &b, const pole_place &at) {
  const tor_gpu_fast_medium &medium = s.fast[MEDIUM];
  pole_values v;
  /* All lanes load, others than those that are on from the first one's place; a pole that has no P, its J twice. */
#pragma unroll
  for (int i = 0; i < TOR_GPU_FAST_POLES; i++) {
    v.j[i] = load_if(at.where, at.state_at(medium.j_at[i]));
    v.p[i] = load_if(at.where, at.state_at(medium.p_at[i]));
  }
  v.weight = load_if(at.on, at.weight);
  v.own = load_if(at.branch, at.state - at.nz);
  v.branch_cb = load_if(at.branch, at.weight + at.nz);
  v.share = load_if(at.branch, at.weight + 2 * at.nz);
  const int z = b.z0 + warp_of(at.where) * WARP + (int)threadIdx.x % WARP;
  const bool used = at.where && z < points_along_z(s, comp_of(at.where));
  v.cb = load_if(used, shared<K>().coef[site_of(at.where)] + z);
  return v;
}

/* Returns the new value of E; stores the poles'. */
template <int MEDIUM>
POINT_FN real advance_poles(const tor_gpu_view &s, const pole_place &at, const pole_values &v, real before, real curl) {
  const tor_gpu_fast_medium &medium = s.fast[MEDIUM];
  const real *k3 = medium.k3[comp_axis(comp_of(at.where))];
  const real e = at.branch ? v.own : before;
  const int p_bits = fresh((int)medium.has_p); /* else each bit takes a predicate register */
  real sum = 0, rest = curl;
#pragma unroll
  for (int i = 0; i < TOR_GPU_FAST_POLES; i++) {
    if (i >= medium.npoles) break;
    const int has_p = p_bits >> i & 1;
    const real without_p = medium.k1[i] * v.j[i], with_p = tor_pole_current(medium.k1[i], medium.k2[i], v.j[i], v.p[i]);
    const real current = tor_pole_drive(has_p ? with_p : without_p, v.weight, k3[i], e);
    store_if(at.on & has_p, at.state_at(medium.p_at[i]), tor_pole_polarisation(s.dt, current, v.p[i]));
    store_if(at.on, at.state_at(medium.j_at[i]), current);
    sum += current;
    rest -= current;
  }
  store_if(at.branch, at.state - at.nz, tor_branch_field(e, v.branch_cb, curl, sum));
  if (at.branch) rest = tor_branch_curl(curl, v.share, sum);
  return tor_advance(before, v.cb, at.on ? rest : curl);
}

/* Items of one medium; those of others are passed over. */
template <class K, int MEDIUM>
POINT_FN void work_off_poles(const tor_gpu_view &s, const tower_block<K> &b, int count, const uint2 *list) {
  const int lane = threadIdx.x % WARP, nwarp = b.nthread / WARP;
  int i = threadIdx.x / WARP;
  if (i >= count || !s.fast[MEDIUM].npoles) return;
  auto entry_at = [&](int at) INLINE {
    const uint2 none = make_uint2(0, 0), entry = at < count ? list[at] : none;
    return medium_of(entry) == MEDIUM ? entry : none;
  };
  const uint2 first = entry_at(i), second = entry_at(i + nwarp);
  uint2 third = entry_at(i + 2 * nwarp);
  run_words runs = load_runs(s, third);
  pole_place here = find_run(s, b, first, load_runs(s, first)), next = find_run(s, b, second, load_runs(s, second));
  pole_values values = load_poles<K, MEDIUM>(s, b, here);
#pragma unroll 1
  for (; i < count; i += nwarp) {
    const pole_values coming = load_poles<K, MEDIUM>(s, b, next);
    const uint2 fourth = entry_at(i + 3 * nwarp);
    const pole_place after = find_run(s, b, third, runs);
    runs = load_runs(s, fourth);
    if (here.where) {
      const int site = site_of(here.where), at = warp_of(here.where) * WARP + lane;
      real *row = exchange_row<K, 1, 0>(site) + at;
      real f = advance_poles<MEDIUM>(s, here, values, exchange_row<K, 1, 1>(site)[at], *row);
      if (comp_of(here.where) != TOR_EZ && b.z0 + warp_of(here.where) * WARP + lane == 0 && !s.pmc[TOR_ZLO]) f = 0;
      *row = f;
    }
    here = next;
    values = coming;
    next = after;
    third = fourth;
  }
}
template <class K, int... MEDIUM>
POINT_FN void work_off_media(const tor_gpu_view &s, const tower_block<K> &b, int count, const uint2 *list,
                             std::integer_sequence<int, MEDIUM...>) {
  (work_off_poles<K, MEDIUM>(s, b, count, list), ...);
}

/* --- Simple injections: the row has the value that something is added to --- */
/* The coefficient that a site's update uses at this lane's z. */
template <class K, int HALF, bool HAS_COEF>
POINT_FN real coefficient_at(const tor_gpu_view &s, const tower_block<K> &b, unsigned where) {
  const int comp = comp_of(where), z = b.z0 + warp_of(where) * WARP + (int)threadIdx.x % WARP;
  const bool held = z == 0 && (comp == TOR_EX || comp == TOR_EY) && !s.pmc[TOR_ZLO];
  const real *row = s.cb + (tor_gidx)comp * s.nzp;
  if constexpr (HAS_COEF && HALF) row = shared<K>().coef[site_of(where)];
  return load_if(z < points_along_z(s, comp) && !held, row + z);
}

template <class K, int HALF, bool HAS_COEF>
POINT_FN void work_off_injections(const tor_gpu_view &s, const tower_block<K> &b, int count, const injection *list) {
  enum { AT_ONCE = 4 };
  const int lane = threadIdx.x % WARP, nwarp = b.nthread / WARP;
  for (int i = threadIdx.x / WARP; i < count; i += AT_ONCE * nwarp) {
    real cb[AT_ONCE], factor[AT_ONCE][K::INJECTS];
    unsigned where[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      where[k] = NOBODY;
      if (i + k * nwarp < count) where[k] = list[(i + k * nwarp) * K::INJECTS].where;
      if (where[k] == NOBODY) continue;
      cb[k] = coefficient_at<K, HALF, HAS_COEF>(s, b, where[k]);
#pragma unroll
      for (int j = 0; j < K::INJECTS; j++) {
        const injection &in = list[(i + k * nwarp) * K::INJECTS + j];
        factor[k][j] = load_if(in.row && (in.lanes >> lane & 1), in.row + lane);
      }
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      if (where[k] == NOBODY) continue;
      real *value = exchange_row<K, HALF, 0>(site_of(where[k])) + warp_of(where[k]) * WARP + lane;
#pragma unroll
      for (int j = 0; j < K::INJECTS; j++) {
        const injection &in = list[(i + k * nwarp) * K::INJECTS + j];
        if (in.lanes >> lane & 1) *value = tor_inject(*value, cb[k], in.row ? in.value * factor[k][j] : in.value);
      }
    }
  }
}

/* --- Fourier monitors: the frequencies are the lanes' --- */
template <class K, int HALF>
POINT_FN void work_off_transforms(const tower_block<K> &b, int count, const transform *list) {
  enum { AT_ONCE = 4 };
  const int lane = threadIdx.x % WARP, nwarp = b.nthread / WARP;
  for (int i = threadIdx.x / WARP; i < count; i += nwarp) {
    const transform to = list[i];
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

/* --- The rest --- */
/* One item: its curl and old value become its new value. z0: of the warp's range. */
template <class K, int HALF>
POINT_FN void advance_item(const tor_gpu_view &s, int step, int comp, unsigned cls, const tor_extra &extra, int z0,
                           real *curl_row, real old) {
  const int z = z0 + (int)threadIdx.x % WARP;
  const bool own = has_own(cls, comp), on = z < points_along_z(s, comp);
  real curl = *curl_row, f = old;
  if (on) {
    const real *at = (own ? s.coef + (HALF ? extra.coef_e : extra.coef_h) + (tor_gidx)comp_axis(comp) * s.nzp
                          : s.cb + (tor_gidx)comp * s.nzp) +
                     z;
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

/* Works off the items of a half-step in a frame at (u0, v0); the block's threads have written their exchange rows, and
 * may read them after it. Returns whether there were any. */
template <class K, int HALF, bool HAS_COEF>
POINT_FN bool work_off(const tor_gpu_view &s, const tower_block<K> &b, int parity, int step, int u0, int v0) {
  item_list<K> &items = shared<K>().items;
  const half_list<K> &list = items.template half<HALF>(parity);
  const item_counts count = items.count[parity][HALF];
  const int transforms = min(count.transforms, (int)half_list<K>::TRANSFORMS);
  const int injections = min(count.injections, (int)half_list<K>::INJECTIONS);
  if (!__any_sync(~0u, count.poles | count.rest | transforms | injections)) return false;
  wait_at(COMPUTING, b.nthread);
  work_off_injections<K, HALF, HAS_COEF>(s, b, injections, list.inject);
  if constexpr (HALF)
    if (count.poles)
      work_off_media(s, b, count.poles, items.e_item[parity], std::make_integer_sequence<int, TOR_GPU_FAST_MEDIA>{});
  const int lane = threadIdx.x % WARP, nwarp = b.nthread / WARP;
  for (int i = threadIdx.x / WARP; i < count.rest; i += nwarp) {
    uint2 entry;
    if (HALF) {
      entry = items.e_item[parity][item_list<K>::ITEMS - 1 - i];
    } else {
      const unsigned where = items.h_item[i];
      const site_place at = shared<K>().site[0][site_of(where)];
      const tor_gidx column = column_of(s, u0 + at.u, v0 + at.v);
      entry = make_uint2(where | (unsigned)s.cls[column] << 16, (unsigned)s.extra_id[column]);
    }
    const int site = site_of(entry.x), zl = warp_of(entry.x) * WARP;
    advance_item<K, HALF>(s, step, comp_of(entry.x), entry.x >> 16, s.extra[entry.y], b.z0 + zl,
                          exchange_row<K, HALF, 0>(site) + zl + lane, exchange_row<K, HALF, 1>(site)[zl + lane]);
  }
  work_off_transforms<K, HALF>(b, transforms, list.to);
  wait_at(COMPUTING, b.nthread);
  return true;
}

#endif
