/* Compile-time tables of a tower's tile: which sites it owns, which it borrows, and where the borrowed ones lie in
 * shared memory.
 *
 * Coordinates are relative to the tile's left corner at the start of a step (tile.h): p = u + v, q = u - v, S the
 * stencil's reach. The tile has E at 0 <= p, q < 2R and H, half a step older, at -S <= p, q < 2R - S. A step advances H
 * at S <= p, q < 2R + S and then E at 2S <= p, q < 2R + 2S: the tile moves by 2S. Values beyond its right edges, the
 * band, were left there by the towers on the right. R is even, so that parities do not depend on the tower. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_TILE_TABLE_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_TILE_TABLE_CUH

#include <utility>

#include "diamond/gpu/view/lattice.cuh"

__host__ __device__ constexpr bool in_square(int u, int v, int lo, int hi) {
  return u + v >= lo && u - v >= lo && u + v < hi && u - v < hi;
}

/* Where a tile of complex fields meets the seam of a ring: at its middle, v = 0; at v = R or v = -R, the first sites
 * beyond it on that side. A tile's place is a multiple of R, so there are no others. */
enum seam_place { SEAM_WITHIN = 1, SEAM_ABOVE = 2, SEAM_BELOW = 4 };

/* SPLIT: a half-step begins with the sites that need no borrowed values. SEAMS: it ends with those that read across a
 * seam. */
template <int S, int R, bool SPLIT, bool SEAMS> struct tile_table {
  static constexpr int U0 = -S, U1 = 2 * R + 2 * S, V1 = R + 2 * S, V0 = -V1 + 1; /* u in [U0, U1), v in [V0, V1) */
  static constexpr int REACH = S, NU = U1 - U0, NV = V1 - V0, MOST = NU * NV;

  static constexpr bool e_own(int u, int v) { return comp_at(1, u, v) >= 0 && in_square(u, v, 0, 2 * R); }
  static constexpr bool h_own(int u, int v) { return comp_at(0, u, v) >= 0 && in_square(u, v, -S, 2 * R - S); }
  static constexpr bool h_next(int u, int v) { return comp_at(0, u, v) >= 0 && in_square(u, v, S, 2 * R + S); }
  static constexpr bool e_next(int u, int v) { return comp_at(1, u, v) >= 0 && in_square(u, v, 2 * S, 2 * R + 2 * S); }

  template <int COMP> static constexpr bool next(int u, int v) {
    return comp_is_h(COMP) ? h_next(u, v) && comp_at(0, u, v) == COMP : e_next(u, v) && comp_at(1, u, v) == COMP;
  }

  /* Does the update of component comp at (u, v) use the other field at (fu, fv)? */
  static constexpr bool uses(int comp, int u, int v, int fu, int fv) {
    for (int which = 0; which < 2; which++)
      for (int shift = -S; shift <= S; shift += 2) {
        int axis = curl_axis(comp, which);
        if (fu == u + (axis == TOR_X ? shift : 0) && fv == v + (axis == TOR_Y ? shift : 0)) return true;
      }
    return false;
  }
  /* Borrowed E: used by H of this step, or the old value of E of the moved tile. */
  static constexpr bool e_band(int eu, int ev) {
    if (comp_at(1, eu, ev) < 0 || e_own(eu, ev) || !in_square(eu, ev, 0, 2 * R + 2 * S)) return false;
    if (e_next(eu, ev)) return true;
    for (int u = eu - S; u <= eu + S; u++)
      for (int v = ev - S; v <= ev + S; v++)
        if (h_next(u, v) && uses(comp_at(0, u, v), u, v, eu, ev)) return true;
    return false;
  }
  /* Borrowed H, in coordinates of the moved tile: used by its E, then as the old value of H of the next step. */
  static constexpr bool h_band(int hu, int hv) {
    if (comp_at(0, hu, hv) < 0 || h_own(hu, hv) || !in_square(hu, hv, -S, 2 * R + S)) return false;
    if (h_next(hu, hv)) return true;
    for (int u = hu - S; u <= hu + S; u++)
      for (int v = hv - S; v <= hv + S; v++)
        if (e_own(u, v) && uses(comp_at(1, u, v), u, v, hu, hv)) return true;
    return false;
  }
  /* Does the update at (u, v) wait for borrowed values of the other field? */
  static constexpr bool e_borrows(int u, int v) { return !SPLIT || !in_square(u, v, -S, 2 * R - 2 * S); }
  static constexpr bool h_borrows(int u, int v) { return !SPLIT || !in_square(u, v, 0, 2 * R - S); }
  /* The seam between sites at v and `to`, within the stencil's reach of each other; 0: none. */
  static constexpr int seam_between(int v, int to) {
    return (v < 0) != (to < 0) ? SEAM_WITHIN : to >= R ? SEAM_ABOVE : to < -R ? SEAM_BELOW : 0;
  }
  /* Does the update at (u, v) read across a seam? */
  template <int HALF> static constexpr bool crosses(int u, int v) {
    for (int shift = -S; shift <= S; shift += 2)
      if (SEAMS && comp_axis(comp_at(HALF, u, v)) != TOR_Y && seam_between(v, v + shift)) return true;
    return false;
  }
  /* Own sites that the other field's update reads across the seam in the tile's middle. */
  static constexpr bool e_at_seam(int u, int v) {
    for (int to = v - S; to <= v + S; to += 2)
      if (e_own(u, v) && h_next(u, to) && uses(comp_at(0, u, to), u, to, u, v) && seam_between(to, v) == SEAM_WITHIN)
        return true;
    return false;
  }
  static constexpr bool h_at_seam(int u, int v) {
    for (int to = v - S; to <= v + S; to += 2)
      if (h_own(u, v) && e_own(u, to) && uses(comp_at(1, u, to), u, to, u, v) && seam_between(to, v) == SEAM_WITHIN)
        return true;
    return false;
  }
  /* Sites whose new values leave the tile, in the coordinates where they are computed; those whose CPML memory enters
   * it. */
  static constexpr bool h_leaves(int u, int v) { return h_next(u, v) && !h_next(u - 2 * S, v); }
  static constexpr bool e_leaves(int u, int v) { return e_own(u, v) && !e_next(u, v); }
  static constexpr bool h_enters(int u, int v) { return h_next(u, v) && !h_own(u, v) && comp_at(0, u, v) != TOR_HZ; }
  static constexpr bool e_enters(int u, int v) {
    return e_own(u, v) && !e_own(u + 2 * S, v) && comp_at(1, u, v) != TOR_EZ;
  }
  /* Own sites of the components across z. */
  static constexpr bool e_across(int u, int v) { return e_own(u, v) && comp_at(1, u, v) != TOR_EZ; }
  static constexpr bool h_across(int u, int v) { return h_own(u, v) && comp_at(0, u, v) != TOR_HZ; }
  /* Own sites whose neighbours in z are read by the other field's update at the same place. */
  static constexpr bool e_edge(int u, int v) {
    return e_own(u, v) && comp_axis(comp_at(1, u, v)) != TOR_Z && h_next(u, v);
  }
  static constexpr bool h_edge(int u, int v) {
    return h_own(u, v) && comp_axis(comp_at(0, u, v)) != TOR_Z && e_own(u, v);
  }
};

/* The sites that `wanted` names, from left to right; of those that a half-step advances, and of the values along z that
 * it uses, first the ones where it waits for no borrowed values, and last those that read across a seam. */
template <class T, bool (*wanted)(int, int)> struct site_list {
  int count, early, straight;                        /* early: wait for no borrowed values; straight: cross no seam */
  signed char u[T::MOST], v[T::MOST], comp[T::MOST]; /* comp: the component, if `wanted` is about one field */
  short number[T::NU][T::NV];                        /* of a site in the list */
  static constexpr int turn(int i, int j) {
    const bool of_e = wanted == T::e_own || wanted == T::h_edge, of_h = wanted == T::h_next || wanted == T::e_edge;
    if ((of_e && T::template crosses<1>(i, j)) || (of_h && T::template crosses<0>(i, j))) return 2;
    return (of_e && T::e_borrows(i, j)) || (of_h && T::h_borrows(i, j));
  }
  constexpr site_list() : count(0), early(0), straight(0), u(), v(), comp(), number() {
    for (int now = 0; now < 3; now++) {
      for (int i = T::U0; i < T::U1; i++)
        for (int j = T::V0; j < T::V1; j++) {
          if (!wanted(i, j) || now != turn(i, j)) continue;
          number[i - T::U0][j - T::V0] = (short)count;
          u[count] = (signed char)i;
          v[count] = (signed char)j;
          comp[count++] = (signed char)comp_at(
              wanted == T::e_own || wanted == T::e_band || wanted == T::e_leaves || wanted == T::e_enters, i, j);
        }
      if (now == 0) early = count;
      if (now == 1) straight = count;
    }
  }
};
template <class T, bool (*wanted)(int, int)> struct sites {
  static constexpr site_list<T, wanted> list{};
  static constexpr int count = list.count;
  static constexpr int number(int u, int v) { return list.number[u - T::U0][v - T::V0]; }
};

/* Sites of the other field that half-step HALF takes into registers as it goes, in the order of their first use: of E
 * the borrowed ones, of H all. Site number i of the half-step is the first to use those from start[i] to start[i + 1].
 */
template <class T, int HALF> struct first_uses {
  short u[T::MOST], v[T::MOST], start[T::MOST + 1];
  constexpr first_uses() : u(), v(), start() {
    constexpr site_list<T, HALF ? T::e_own : T::h_next> users{};
    bool seen[T::NU][T::NV] = {};
    int count = 0;
    auto add = [&](int fu, int fv) {
      if (seen[fu - T::U0][fv - T::V0]) return;
      seen[fu - T::U0][fv - T::V0] = true;
      u[count] = (short)fu;
      v[count++] = (short)fv;
    };
    for (int i = 0; i < users.count; i++) {
      start[i] = (short)count;
      for (int du = -T::REACH; du <= T::REACH; du++)
        for (int dv = -T::REACH; dv <= T::REACH; dv++) {
          const int fu = users.u[i] + du, fv = users.v[i] + dv;
          if ((HALF || T::e_band(fu, fv)) &&
              T::uses(comp_at(HALF, users.u[i], users.v[i]), users.u[i], users.v[i], fu, fv))
            add(fu, fv);
        }
    }
    if (!HALF) /* what only the next half-step uses */
      for (int fu = T::U0; fu < T::U1; fu++)
        for (int fv = T::V0; fv < T::V1; fv++)
          if (T::e_band(fu, fv)) add(fu, fv);
    start[users.count] = (short)count;
  }
};

/* Calls body(at) for the sites of a list, with the constants at.u, at.v, at.number. */
template <int U, int V, int NUMBER> struct site_at {
  static constexpr int u = U, v = V, number = NUMBER;
};
template <class L, class Body, size_t... I>
static __device__ __forceinline__ void each(const Body &body, std::index_sequence<I...>) {
  (body(site_at<L::list.u[I], L::list.v[I], (int)I>{}), ...);
}
template <class L, class Body> static __device__ __forceinline__ void each(const Body &body) {
  each<L>(body, std::make_index_sequence<(size_t)L::count>{});
}

#endif
