/* Items: work at special sites, which a tile's body does not do for all sites: poles, losses, own coefficients of H,
 * injections, records. The unit is a site in one warp's range of z (32 values). The preparing warps find the items half
 * a step ahead, from the range_flags of the ranges (reg_range_flags.cuh); simple poles have a list of their own. An
 * item makes a site's new value from the curl and the old value.
 *
 * Sites pass their values through exchange rows, without a branch, and read new values from there: all sites of a block
 * with items where the rows lie in shared memory, else those of the warps that have any. All computing warps share the
 * items (reg_special_work.cuh), so that a tower is not as slow as its busiest warp. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_SPECIAL_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_SPECIAL_CUH

#include "diamond/gpu/tower_reg/reg_kind.cuh"

/* An item in a 32-bit word: the site, the warp and the component. An item of E has two words: behind that the number
 * and the medium of simple poles' pole_vectors, or the class of the column; the other word is the first pole_vector, or
 * the column's number in view.extra. */
POINT_FN unsigned pack_where(int site, int warp, int comp) { return (unsigned)(site | warp << 6 | comp << 10); }
POINT_FN int site_of(unsigned where) { return where & 63; }
POINT_FN int warp_of(unsigned where) { return where >> 6 & 15; }
POINT_FN int comp_of(unsigned where) { return where >> 10 & 7; }

/* Takes places in a list for the bits of a warp, in their order; returns the first. */
POINT_FN int take_places(int *count, unsigned bits, int lane) {
  const int wanted = __popc(bits);
  int at = 0;
  if (!wanted) return 0;
  if (lane == 0) at = atomicAdd(count, wanted);
  return __shfl_sync(~0u, at, 0);
}

/* A component's bits in a range_flags, of which TOR_RANGE_SAMPLED counts in steps with samples only. */
enum : unsigned {
  SIMPLE_FLAGS = 1u << TOR_RANGE_POLES | 1u << TOR_RANGE_NODES,
  FLAGS_OF_ONE = 1u << TOR_RANGE_ALWAYS | 1u << TOR_RANGE_SAMPLED | SIMPLE_FLAGS
};

/* Sorts the sites that this warp prepares, a lane each, in the range of warp `range`, by their range_flags. The lists
 * get the places in view.work of the descriptors. */
template <class K, int HALF>
POINT_FN void sort_sites(const tor_gpu_view &s, tor_gpu_range_flags range_flags, int site, int range, int parity,
                         int u0, int v0, bool sampled) {
  const int lane = threadIdx.x % WARP, word = site / WARP;
  item_list<K> &items = shared<K>().items;
  item_counts &count = items.count[parity][HALF];
  const site_place here = shared<K>().site[HALF][min(site, K::SITES - 1)];
  const unsigned bits =
      range_flags.bits >> here.comp & (sampled ? FLAGS_OF_ONE : FLAGS_OF_ONE & ~(1u << TOR_RANGE_SAMPLED));
  unsigned rest = 0, poles = 0;
  if (__any_sync(~0u, bits)) {
    const bool all = bits & (1u << TOR_RANGE_ALWAYS | 1u << TOR_RANGE_SAMPLED);
    rest = __ballot_sync(~0u, all);
    poles = __ballot_sync(~0u, HALF && bits & SIMPLE_FLAGS && !all);
    const int rest_at = take_places(&count.rest, rest, lane);
    const int poles_at = HALF ? take_places(&count.poles, poles, lane) : 0;
    const unsigned where = pack_where(site, range, here.comp);
    if (HALF && poles >> lane & 1)
      items.e_item[parity][poles_at + bits_before(poles, lane)] = make_uint2(where, work_for(range_flags, here.comp));
    if (rest >> lane & 1) {
      const int at = rest_at + bits_before(rest, lane);
      if (HALF)
        items.e_item[parity][item_list<K>::ITEMS - 1 - at] =
            make_uint2(where, (unsigned)column_of(s, u0 + here.u, around_y(s, v0 + here.v)));
      else
        items.h_item[at] = (uint16_t)where;
    }
  }
  if (lane == 0) items.template sites<HALF>(parity)[range].bits[word] = rest | poles;
}

/* Lists the items of a half-step in a frame at (u0, v0), by the preparing warps, half a step or more before they are
 * processed. The counts of this list have been set to 0 a sync() ago. */
template <class K, int HALF, bool HAS_PLANES>
POINT_FN void list_items(const tor_gpu_view &s, const tower_block<K> &b, int parity, int step, int u0, int v0) {
  const int me = (int)threadIdx.x - b.nthread - PREPARES * WARP, first = b.z0 / WARP;
  const int ranges = min(b.nthread / WARP, s.nrange - first);
  const bool sampled = s.sampled[step];
  const site_place at = shared<K>().site[HALF][min(me, K::SITES - 1)];
  const int u = u0 + at.u, v = around_y(s, v0 + at.v);
  const bool on = me < K::SITES && inside(s, u, v);
  const tor_gpu_range_flags *const from =
      (HAS_PLANES ? s.range_flags_in_planes : s.range_flags) + column_of(s, u, v) * s.nrange + first;
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
  uint2 *const e_item = shared<K>().items.e_item[parity];
  const item_counts count = shared<K>().items.count[parity][HALF];
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
