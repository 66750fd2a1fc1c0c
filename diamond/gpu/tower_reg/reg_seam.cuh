/* Complex fields between Bloch walls: a tower has a block of the real part and one of the imaginary part, each with its
 * own fields, and a value beyond a seam is made of both parts where it is read (tor_bloch).
 *
 * Along y a tile's sites lie on both sides of the seam, or what it reads does. What the other part's tile owns is sent
 * to rows of shared memory at the end of a half-step (SEAM_ROWS), or stored for the other block, which is signalled;
 * what it borrows is read in device memory. Sites that read across a seam come last in a half-step, so that the others
 * hide the way of these values. At such a tile the two blocks are never a half-step apart, so that neither stores what
 * the other still has to read.
 *
 * Along z (CROSSES_Z) each part's ghost values, in rows and in device memory, are the other part's values beyond the
 * end. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_SEAM_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_SEAM_CUH

#include "diamond/gpu/tower_reg/reg_tile.cuh"

template <class K>
METHOD seam_values<K>::seam_values(const tor_gpu_view &s, int part_, int first_, int v0, int z_)
    : part(part_), first(first_), z(z_), n(s.n[2]) {
  const int ring = 2 * s.n[TOR_Y], v = around_y(s, v0);
  place = 0;
  if (K::BLOCH && s.periodic[TOR_Y])
    place = (v == 0 ? SEAM_WITHIN : 0) | (v == ring - K::R ? SEAM_ABOVE : 0) |
            (K::ORDER == 4 && v == K::R ? SEAM_BELOW : 0);
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const real *const up = s.turn[TOR_Y + i][0];
    turn_cos[i] = up[0];
    turn_sin[i] = part ? -up[1] : up[1];
  }
  to_other = part ? s.field - s.other_field : s.other_field - s.field;
}

/* A value one period above along y or z, or below, of which the parts here are `own` and `other`. */
template <class K> METHOD real seam_values<K>::turned(int axis, int above, real own, real other) const {
  const real up = turn_sin[axis - TOR_Y];
  return tor_bloch(turn_cos[axis - TOR_Y], own, above ? up : -up, other);
}

/* --- Along y --- */

/* The site of a half-step before which what lies beyond a seam must have come. */
template <class K, int HALF, int AHEAD> constexpr int beyond_at() {
  constexpr auto &list = std::conditional_t<HALF, typename K::e_own, typename K::h_next>::list;
  static_assert(list.straight - AHEAD > list.early || !K::AS_USED, "the band's rows come before");
  return list.straight > AHEAD ? list.straight - AHEAD : 0;
}

template <class K, int NEEDS> template <int HALF> METHOD void tower_tile<K, NEEDS>::wait_for_beyond() {
  /* A body's first step finds E in device memory, where both parts have stored it. */
  b.template wait_for_beyond<HALF>(seams.place && (HALF || K::SEAM_ROWS || step > seams.first), step + HALF);
}

/* Starts to load the other part's value at (u, V + SHIFT), which site number I of a half-step reads, if a seam lies
 * between. */
template <class K, int NEEDS>
template <int HALF, int V, int SHIFT, int I>
METHOD void tower_tile<K, NEEDS>::load_beyond(int u) {
  constexpr int where = T::seam_between(V, V + SHIFT), far = SHIFT * SHIFT > 1, of = !HALF;
  if constexpr (where != 0) {
    constexpr int at_u = std::conditional_t<HALF, typename K::e_own, typename K::h_next>::list.u[I], at_v = V + SHIFT;
    if constexpr (K::SEAM_ROWS && where == SEAM_WITHIN && (of ? T::e_at_seam(at_u, at_v) : T::h_at_seam(at_u, at_v))) {
      if constexpr (of)
        r.beyond[far][I] = shared<K>().e_beyond[K::e_at_seam::number(at_u, at_v)][zl];
      else
        r.beyond[far][I] = shared<K>().h_beyond[K::h_at_seam::number(at_u, at_v)][zl];
    } else {
      r.beyond[far][I] = load_written_if((seams.place & where) && z < n + HALO && in<HALF>(u, V),
                                         at_corner + seams.to_other + offset(at_u, at_v, comp_at(of, at_u, at_v)));
    }
  }
}

template <class K, int NEEDS> template <int HALF, int I> METHOD void tower_tile<K, NEEDS>::load_all_beyond() {
  using list = std::conditional_t<HALF, typename K::e_own, typename K::h_next>;
  constexpr int u = list::list.u[I], v = list::list.v[I];
  if constexpr (T::template crosses<HALF>(u, v)) {
    load_beyond<HALF, v, 1, I>(u);
    load_beyond<HALF, v, -1, I>(u);
    if constexpr (ORDER == 4) {
      load_beyond<HALF, v, 3, I>(u);
      load_beyond<HALF, v, -3, I>(u);
    }
  }
}

/* The value at V + SHIFT as site number I, at V, reads it. */
template <class K, int NEEDS>
template <int V, int SHIFT, int I>
METHOD void tower_tile<K, NEEDS>::turn_beyond(real &value) const {
  constexpr int where = T::seam_between(V, V + SHIFT);
  if constexpr (where != 0) {
    const real other = seams.turned(TOR_Y, SHIFT > 0, value, r.beyond[SHIFT * SHIFT > 1][I]);
    value = seams.place & where ? other : value;
  }
}

/* After a half-step, for the other part's tile: the own values that it reads across the seam in the middle. */
template <class K, int NEEDS> template <int HALF> METHOD void tower_tile<K, NEEDS>::send_to_seam() {
  using list = std::conditional_t<HALF, typename K::e_at_seam, typename K::h_at_seam>;
  if constexpr (K::SEAM_ROWS) {
    const remote barrier = block_address(&shared<K>().beyond_came[HALF], b.partner());
    const real *row;
    if constexpr (HALF)
      row = shared<K>().e_beyond[0];
    else
      row = shared<K>().h_beyond[0];
    const remote to = block_address(row + zl, b.partner());
    each<list>([&](auto at) INLINE {
      real value;
      if constexpr (HALF)
        value = e_at(at.u, at.v);
      else
        value = own_h<at.u, at.v>();
      store_async(to + at.number * K::ZB * (int)sizeof(real), value, barrier);
    });
  } else {
    /* New H is that of the frame in which E reads it: there (u, v), here (u + 2S, v). */
    each<list>([&](auto at) INLINE {
      constexpr int u = at.u + (HALF ? 0 : 2 * S), v = at.v, comp = comp_at(HALF, u, v);
      store_if((seams.place & SEAM_WITHIN) && is_valid(comp) && in<HALF>(u, v), at_corner + offset(u, v, comp),
               after<HALF, u, v>());
    });
  }
}

/* --- Along z --- */

/* The own value at z + shift, where that is beyond an end: as it is there. */
template <class K> METHOD void seam_values<K>::turn_at_end(int shift, real &value, real other) const {
  const real there = turned(TOR_Z, shift > 0, value, other);
  value = is_beyond(shift) ? there : value;
}

/* The value at z + shift of a row whose ghost values are the other part's. A thread beyond the end reads its own. */
template <class K> METHOD real seam_values<K>::across_end(const real *row, int shift) const {
  const bool over = is_beyond(shift);
  const real value = row[z < n ? shift : 0], own = row[over ? (shift > 0 ? shift - n : shift + n) : 0];
  const real there = turned(TOR_Z, shift > 0, own, value);
  return over ? there : value;
}

#endif
