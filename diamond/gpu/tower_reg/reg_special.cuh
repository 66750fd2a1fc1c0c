/* Items: work at special sites, which a tile's body does not do for all sites: poles, losses, own coefficients of H,
 * injections, records. The unit is a site in one warp's range of z (32 values). The preparing warps find the items half
 * a step ahead, from the range_flags of the ranges (reg_range_flags.cuh):
 *
 * - Fourier monitors read a site's new value;
 * - simple injections change it;
 * - simple poles compute it from the curl and the old value;
 * - all other cases (losses, own coefficients of H, poles that are not simple, several of these at once) compute it,
 * too.
 *
 * Sites pass their values through exchange rows, without a branch, and read new values from there: all sites of a block
 * with items where the rows lie in shared memory, else those of the warps that have any. All computing warps share the
 * items (reg_special_work.cuh), so that a tower is not as slow as its busiest warp. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_SPECIAL_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_SPECIAL_CUH

#include "diamond/gpu/tower_reg/reg_kind.cuh"
#include "diamond/gpu/view/point.cuh"

/* An item in a 32-bit word: the site, the warp and the component. An item of E has two words: behind that the number
 * and the medium of simple poles' pole_vectors, or the class of the column; the other word is the first pole_vector, or
 * the column's number in view.extra. */
POINT_FN unsigned pack_where(int site, int warp, int comp) { return (unsigned)(site | warp << 6 | comp << 10); }
POINT_FN int site_of(unsigned where) { return where & 63; }
POINT_FN int warp_of(unsigned where) { return where >> 6 & 15; }
POINT_FN int comp_of(unsigned where) { return where >> 10 & 7; }

/* Lanes of a range from z0 on that lie in [first, first + n). */
POINT_FN unsigned lanes_between(int z0, int first, int n) {
  const int lo = max(first - z0, 0), hi = min(first + n - z0, (int)WARP);
  return hi <= lo ? 0u : (hi - lo == WARP ? ~0u : (1u << (hi - lo)) - 1) << lo;
}

/* Takes places in a list with a capacity of `most` for the bits of a warp, in their order; returns the first, or -1
 * less the first where they do not fit. */
POINT_FN int take_places(int *count, unsigned bits, int most, int lane) {
  const int wanted = __popc(bits);
  int at = 0;
  if (!wanted) return 0;
  if (lane == 0) at = atomicAdd(count, wanted);
  at = __shfl_sync(~0u, at, 0);
  return at + wanted <= most ? at : -1 - at;
}
POINT_FN int bits_before(unsigned bits, int lane) { return __popc(bits & ((1u << lane) - 1)); }

/* A component's bits in a range_flags; those of them that count in steps with samples only. */
enum : unsigned {
  FLAGS_OF_SAMPLES = 1u << TOR_RANGE_SAMPLED | 1u << TOR_RANGE_RECORD,
  FLAGS_OF_ONE = 1u << TOR_RANGE_ALWAYS | 1u << TOR_RANGE_INJECT | 1u << TOR_RANGE_POLES | FLAGS_OF_SAMPLES
};

/* Sites of a warp, a bit each, by the kind of work at them, and their first places in the lists. */
struct sorted_sites {
  unsigned rest = 0, poles = 0, injects = 0, records = 0;
  int inject_at = 0, record_at = 0;
};

/* Takes places in the lists of injections and transforms; where a list is full, the warp's sites are treated as the
 * general case (`rest`). */
template <class K> POINT_FN void take_simple(sorted_sites &sites, half_list<K> &to, item_counts &count, int lane) {
  typedef half_list<K> list;
  sites.inject_at = take_places(&count.injections, sites.injects, list::INJECTIONS, lane);
  if (sites.inject_at < 0) {
    for (int i = lane - 1 - sites.inject_at; i < list::INJECTIONS; i += WARP) to.inject[i * K::INJECTS].where = NO_SITE;
    sites.rest |= sites.injects;
    sites.records &= ~sites.injects;
    sites.injects = 0;
  }
  sites.record_at = take_places(&count.transforms, sites.records, list::TRANSFORMS, lane);
  if (sites.record_at < 0) {
    for (int i = lane - 1 - sites.record_at; i < list::TRANSFORMS; i += WARP) to.to[i].from.x = ~0u;
    const int placed = __popc(sites.injects);
    sites.rest |= sites.records;
    sites.injects &= ~sites.records; /* the general case does all work of a site */
    sites.records = 0;
    for (int i = __popc(sites.injects) + lane; i < placed; i += WARP)
      to.inject[(sites.inject_at + i) * K::INJECTS].where = NO_SITE;
  }
}

/* Sorts the sites that this warp prepares, a lane each, in the range of warp `range`, by their range_flags. The lists
 * get the places in view.work of the descriptors. */
template <class K, int HALF>
POINT_FN void sort_sites(const tor_gpu_view &s, tor_gpu_range_flags range_flags, int site, int range, int parity,
                         int u0, int v0, bool sampled) {
  const int lane = threadIdx.x % WARP, word = site / WARP;
  item_list<K> &items = shared<K>().items;
  half_list<K> &to = items.template half<HALF>(parity);
  item_counts &count = items.count[parity][HALF];
  const site_place here = shared<K>().site[HALF][min(site, K::SITES - 1)];
  const unsigned bits = range_flags.bits >> here.comp & (sampled ? FLAGS_OF_ONE : FLAGS_OF_ONE & ~FLAGS_OF_SAMPLES);
  sorted_sites sites;
  if (__any_sync(~0u, bits)) {
    auto has = [&](int bit) INLINE { return (bits >> bit & 1) != 0; };
    const bool all =
        has(TOR_RANGE_ALWAYS) || has(TOR_RANGE_SAMPLED) || (HALF && has(TOR_RANGE_RECORD) && has(TOR_RANGE_POLES));
    sites.rest = __ballot_sync(~0u, all);
    sites.poles = __ballot_sync(~0u, HALF && has(TOR_RANGE_POLES) && !all);
    sites.injects = __ballot_sync(~0u, has(TOR_RANGE_INJECT) && !all);
    sites.records = __ballot_sync(~0u, has(TOR_RANGE_RECORD) && !all);
    take_simple(sites, to, count, lane);
    const int rest_at = take_places(&count.rest, sites.rest, item_list<K>::ITEMS, lane);
    const int poles_at = HALF ? take_places(&count.poles, sites.poles, item_list<K>::ITEMS, lane) : 0;
    const unsigned where = pack_where(site, range, here.comp);
    if (sites.injects >> lane & 1) {
      injection &in = to.inject[(sites.inject_at + bits_before(sites.injects, lane)) * K::INJECTS];
      in.where = where;
      in.work = work_for(range_flags, TOR_RANGE_INJECT + here.comp);
    }
    if (sites.records >> lane & 1)
      to.to[sites.record_at + bits_before(sites.records, lane)].from =
          make_uint2(where, work_for(range_flags, TOR_RANGE_RECORD + here.comp));
    if (HALF && sites.poles >> lane & 1)
      items.e_item[parity][poles_at + bits_before(sites.poles, lane)] =
          make_uint2(where, work_for(range_flags, TOR_RANGE_POLES + here.comp));
    if (sites.rest >> lane & 1) {
      const int at = rest_at + bits_before(sites.rest, lane);
      if (HALF)
        items.e_item[parity][item_list<K>::ITEMS - 1 - at] =
            make_uint2(where, (unsigned)column_of(s, u0 + here.u, v0 + here.v));
      else
        items.h_item[at] = (uint16_t)where;
    }
  }
  if (lane == 0) {
    to.item[range].bits[word] = sites.rest | sites.poles;
    to.changes[range].bits[word] = sites.rest | sites.poles | sites.injects;
    to.busy[range].bits[word] = sites.rest | sites.poles | sites.injects | sites.records;
  }
}

/* Looks up the injections of a site; the first entry holds their place. */
template <class K> POINT_FN void prepare_injections(const tor_gpu_view &s, int step, int z0, injection *to) {
  const unsigned where = to->where;
  if (where == NO_SITE) return;
  const tor_gpu_work injects = s.work[to->work];
  const int range = z0 + warp_of(where) * WARP;
#pragma unroll
  for (int i = 0; i < K::INJECTS; i++) {
    injection in = {nullptr, 0, 0, where, 0};
    if (i < injects.count) {
      const struct tor_inject from = s.inject[injects.first + i];
      const real *row = inject_row(s, from, step);
      in.lanes = lanes_between(range, from.z0, from.nz);
      in.value = (real)from.factor;
      if (from.stride && (in.lanes & (in.lanes - 1)))
        in.row = row + (range - from.z0);
      else
        in.value *= row[from.stride * max(range - from.z0, 0)];
    }
    to[i] = in;
  }
}

POINT_FN void prepare_transform(const tor_gpu_view &s, int step, int z0, transform *to) {
  const uint2 at = to->from;
  transform is = {};
  if (at.x != ~0u) {
    const tor_record record = s.record[s.work[at.y].first];
    const int range = z0 + warp_of(at.x) * WARP;
    real *const to_first = fourier_sample(s.group[record.group], step, record.offset);
    is.where = at.x;
    if (to_first) is.lanes = lanes_between(range, record.z0, record.nz);
    is.dft_samples = to_first ? to_first + (range - record.z0) : nullptr;
  }
  *to = is;
}

/* Lists the items of a half-step in a frame at (u0, v0), by the preparing warps, half a step or more before they are
 * processed. The counts of this list have been set to 0 a sync() ago. */
template <class K, int HALF, bool HAS_PLANES>
POINT_FN void list_items(const tor_gpu_view &s, const tower_block<K> &b, int parity, int step, int u0, int v0) {
  const int me = (int)threadIdx.x - b.nthread - PREPARES * WARP, first = b.z0 / WARP;
  const int ranges = min(b.nthread / WARP, s.nrange - first);
  const bool sampled = s.sampled[step];
  const site_place at = shared<K>().site[HALF][min(me, K::SITES - 1)];
  const bool on = me < K::SITES && inside(s, u0 + at.u, v0 + at.v);
  const tor_gpu_range_flags *const from =
      (HAS_PLANES ? s.range_flags_in_planes : s.range_flags) + column_of(s, u0 + at.u, v0 + at.v) * s.nrange + first;
  auto load = [&](int range) INLINE {
    tor_gpu_range_flags range_flags = {0, 0};
    if (on && range < ranges) range_flags = from[range];
    return range_flags;
  };
  /* The range_flags of two ranges are loading while those of the previous one are sorted. */
  tor_gpu_range_flags range_flags = load(0), coming = load(1);
#pragma unroll 1
  for (int range = 0; range < b.nthread / WARP; range++) {
    const tor_gpu_range_flags later = load(range + 2);
    sort_sites<K, HALF>(s, range_flags, me, range, parity, u0, v0, sampled);
    range_flags = coming;
    coming = later;
  }
  wait_at(PREPARING, PREPARING_WARPS * WARP);
  /* Looks up the listed entries, one a thread. */
  half_list<K> &to = shared<K>().items.template half<HALF>(parity);
  uint2 *const e_item = shared<K>().items.e_item[parity];
  const item_counts count = shared<K>().items.count[parity][HALF];
#pragma unroll 1
  for (int i = me; i < min(count.injections, (int)half_list<K>::INJECTIONS); i += PREPARING_WARPS * WARP)
    prepare_injections<K>(s, step, b.z0, &to.inject[i * K::INJECTS]);
#pragma unroll 1
  for (int i = me; i < min(count.transforms, (int)half_list<K>::TRANSFORMS); i += PREPARING_WARPS * WARP)
    prepare_transform(s, step, b.z0, &to.to[i]);
  if (HALF)
#pragma unroll 1
    for (int i = me; i < count.rest; i += PREPARING_WARPS * WARP) {
      uint2 &entry = e_item[item_list<K>::ITEMS - 1 - i];
      entry = make_uint2(entry.x | (unsigned)s.cls[entry.y] << 16, (unsigned)s.extra_id[entry.y]);
    }
  if (HALF) {
    enum { AT_ONCE = 4, STRIDE = PREPARING_WARPS * WARP };
#pragma unroll 1
    for (int i = me; i < count.poles; i += AT_ONCE * STRIDE) {
      tor_gpu_work runs[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        if (i + k * STRIDE < count.poles) runs[k] = s.work[e_item[i + k * STRIDE].y];
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        if (i + k * STRIDE < count.poles) {
          uint2 &entry = e_item[i + k * STRIDE];
          entry = make_uint2(entry.x | (unsigned)runs[k].count << 16, (unsigned)runs[k].first);
        }
    }
  }
}

#endif
