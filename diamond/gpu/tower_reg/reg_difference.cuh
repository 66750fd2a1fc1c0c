/* The differences of a site: neighbours in the tile, in rows, in other lanes, or ghost values behind walls; CPML
 * stretches them. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_DIFFERENCE_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_DIFFERENCE_CUH

#include "diamond/gpu/tower_reg/reg_planes.cuh"
#include "diamond/gpu/tower_reg/reg_seam.cuh"

/* Memory of CPML along z at an own site. */
template <class K, int NEEDS> template <int HALF, int U, int V> METHOD real &tower_tile<K, NEEDS>::psi_at() {
  if constexpr (!K::PSI_SHARED)
    return HALF ? r.psi_e[U - T::U0][V - T::V0] : r.psi_h[U - T::U0][V - T::V0];
  else if constexpr (HALF)
    return shared<K>().psi_e[K::e_across::number(U, V)][in_cpml];
  else
    return shared<K>().psi_h[K::h_across::number(U, V)][in_cpml];
}

/* Starts to read the memory of CPML along z that site number I of a half-step needs: for sites that enter the tile it
 * has already been loaded from global memory (psi_entering). */
template <class K, int NEEDS> template <int HALF, int I> METHOD void tower_tile<K, NEEDS>::read_psi_ahead() {
  using list = std::conditional_t<HALF, typename K::e_own, typename K::h_next>;
  if constexpr (I < K::SITES) {
    constexpr int u = list::list.u[I], v = list::list.v[I];
    if constexpr (comp_axis(comp_at(HALF, u, v)) != TOR_Z) {
      if constexpr (HALF ? T::e_enters(u, v) : T::h_enters(u, v))
        r.psi_z[I] = r.psi_entering[HALF ? K::e_enters::number(u, v) : K::h_enters::number(u, v)];
      else
        r.psi_z[I] = psi_at<HALF, HALF ? u + 2 * S : u, v>();
    }
  }
}

/* Stretches a difference along z at site number I of a half-step, for the threads in a layer; its memory moves to the
 * tile's next frame. Without a branch, as across z. */
template <class K, int NEEDS>
template <int HALF, int I, class At>
METHOD real tower_tile<K, NEEDS>::stretch(At at, real diff) {
  constexpr int u = at.u, v = at.v;
  constexpr int to = HALF ? u : u - 2 * S;
  const bool on = layer && in<HALF>(u, v);
  const real psi = tor_cpml_memory(cpml_b[!HALF], cpml_c[!HALF], r.psi_z[I], diff);
  const real stretched = tor_cpml_stretch(ik[!HALF], diff, psi);
  real &stays = psi_at<HALF, to, v>();
  if constexpr (K::PSI_SHARED) {
    if (on) stays = psi;
  } else {
    stays = on ? psi : stays;
  }
  if constexpr (HALF ? T::e_leaves(u, v) : T::h_leaves(u, v))
    store_if(on,
             psi_corner + shared<K>().psi_place[HALF ? K::E_LEAVES + K::e_leaves::number(u, v)
                                                     : K::H_LEAVES + K::h_leaves::number(u, v)],
             psi);
  return on ? stretched : diff;
}

/* Values a (ahead), b (behind), c, d (three half cells) of component OF around half-cell `at` along AXIS, where some
 * are ghost values. */
template <class K, int NEEDS>
template <int AXIS, int OF>
METHOD void tower_tile<K, NEEDS>::reflect(int at, real &a, real &b_, real &c, real &d) const {
  const int lo = at, hi = 2 * s.n[AXIS] - at;
  const bool minus_lo = (s.pmc[2 * AXIS] != 0) == comp_is_h(OF), minus_hi = (s.pmc[2 * AXIS + 1] != 0) == comp_is_h(OF);
  if (lo == 0) b_ = minus_lo ? -a : a;
  if (hi == 0) a = minus_hi ? -b_ : b_;
  if (ORDER == 4) {
    if (lo <= 2) {
      const real ghost = lo == 0 ? c : lo == 1 ? a : b_;
      d = minus_lo ? -ghost : ghost;
    }
    if (hi <= 2) {
      const real ghost = hi == 0 ? d : hi == 1 ? b_ : a;
      c = minus_hi ? -ghost : ghost;
    }
  }
}

/* The layer along AXIS (x or y) at (u, v) in the frame of HALF. */
template <class K, int NEEDS>
template <int HALF, int AXIS>
METHOD const layer_at &tower_tile<K, NEEDS>::layer_here(int u, int v) const {
  return AXIS == TOR_X ? shared<K>().cpml_x[step & 1][u - T::U0 + HALF * 2 * S] : shared<K>().cpml_y[v - T::V0];
}

/* Without a branch: where few sites have CPML, skipping the others would spread the code beyond the instruction cache.
 */
template <class K, int NEEDS>
template <int HALF, int AXIS>
METHOD bool tower_tile<K, NEEDS>::in_cpml_of(int u, int v) const {
  const unsigned layer_bit = AXIS == TOR_X ? in_cpml_u >> (u - T::U0) : in_cpml_v >> (v - T::V0);
  return layer_bit & (unsigned)in<HALF>(u, v) & 1;
}

template <class K, int NEEDS>
template <int COMP, int AXIS>
METHOD real *tower_tile<K, NEEDS>::psi_address(int row, int u, int v) const {
  constexpr int place = comp_axis(COMP) - (comp_axis(COMP) > AXIS) + 2 * comp_is_h(COMP);
  return (AXIS == TOR_X ? psi_x : psi_y) +
         (tor_gidx)(row + (AXIS == TOR_X ? column_y(v) : u >> 1) * 4 + place) * psi_row;
}

template <class K, int NEEDS>
template <int HALF, int COMP, int WHICH, int I>
METHOD void tower_tile<K, NEEDS>::load_psi(int u, int v) {
  constexpr int axis = curl_axis(COMP, WHICH);
  if constexpr (has_layers(axis))
    r.psi_ahead[WHICH][I] = load_if(in_cpml_of<HALF, axis>(u, v) && is_valid(COMP),
                                    psi_address<COMP, axis>(layer_here<HALF, axis>(u, v).row, u, v));
}

/* Starts to load what site number I of a half-step needs. */
template <class K, int NEEDS> template <int HALF, int I> METHOD void tower_tile<K, NEEDS>::load_ahead() {
  using list = std::conditional_t<HALF, typename K::e_own, typename K::h_next>;
  if constexpr (I < K::SITES) {
    constexpr int u = list::list.u[I], v = list::list.v[I], comp = comp_at(HALF, u, v);
    if constexpr (HAS_COEF && HALF && !K::COEF_ROWS) r.coef_ahead[I] = load_if(advances(comp), shared<K>().coef[I] + z);
    if constexpr (HAS_SEAMS) load_all_beyond<HALF, I>();
    if constexpr (HAS_CPML) {
      load_psi<HALF, comp, 0, I>(u, v);
      load_psi<HALF, comp, 1, I>(u, v);
    }
  }
}

/* Along x or y, WHICH difference of component COMP of half-step HALF at site number I. */
template <class K, int NEEDS>
template <int HALF, int COMP, int WHICH, int I, class At>
METHOD real tower_tile<K, NEEDS>::difference_across(At) {
  constexpr int u = At::u, v = At::v;
  constexpr int axis = curl_axis(COMP, WHICH), du = axis == TOR_X, dv = axis == TOR_Y, of = curl_of(COMP, WHICH);
  auto value = [&](int k) INLINE { return HALF ? h_at(u + k * du, v + k * dv) : e_at(u + k * du, v + k * dv); };
  real a = value(1), b_ = value(-1), c = 0, d = 0;
  if constexpr (ORDER == 4) {
    c = value(3);
    d = value(-3);
  }
  if constexpr (HAS_IMAGES) {
    const int at = axis == TOR_X ? u0 + HALF * 2 * S + u : v0 + v;
    constexpr int near = ORDER == 4 ? 2 : 0;
    if ((axis == TOR_X || !s.periodic[TOR_Y]) && (at <= near || at >= 2 * s.n[axis] - near))
      reflect<axis, of>(at, a, b_, c, d);
  }
  if constexpr (HAS_SEAMS && axis == TOR_Y) {
    turn_beyond<v, 1, I>(a);
    turn_beyond<v, -1, I>(b_);
    if constexpr (ORDER == 4) {
      turn_beyond<v, 3, I>(c);
      turn_beyond<v, -3, I>(d);
    }
  }
  real diff = tor_difference(ORDER, a, b_, c, d);
  if constexpr (has_layers(axis)) {
    const layer_at l = layer_here<HALF, axis>(u, v);
    const bool on = in_cpml_of<HALF, axis>(u, v);
    const real psi = tor_cpml_memory(l.b, l.c, r.psi_ahead[WHICH][I], diff);
    store_if(on && is_valid(COMP), psi_address<COMP, axis>(l.row, u, v), psi);
    const real stretched = tor_cpml_stretch(l.ik, diff, psi);
    diff = on ? stretched : diff;
  }
  return diff;
}

/* Where the ends of z meet, of the warp's segment or of all of z: the lane of the last value in its warp, else the last
 * one; the slots of the values above this warp and below. CROSSES_Z: how far this thread's value is from its ghost
 * value beyond the other end, or 0; its place in rows of own values, where ghost values have the places of the first
 * threads beyond the end. */
template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::find_ends() {
  const int first = K::SEGMENTS ? min(warp * WARP, n - 1) / s.pitch * s.pitch : 0,
            end = K::SEGMENTS ? first + s.period - 1 : n - 1;
  const bool last = K::WRAPS && warp == end / WARP;
  ghost = K::CROSSES_Z && z < 2 ? n : K::CROSSES_Z && z < n && z >= n - 2 ? -n : 0;
  row_at = K::CROSSES_Z && z >= n ? zl + 2 : zl;
  top = last ? end % WARP : WARP - 1;
  above = last ? first / WARP + 1 : warp + 2;
  below = K::WRAPS && warp == first / WARP ? end / WARP + 1 : warp;
}

/* In a cluster, copies of the last values of these rows to the halo of the next block's, and of the first to the
 * one's before. */
template <class K, int NEEDS>
template <int HALF>
METHOD void tower_tile<K, NEEDS>::write_seams(const real *row, int count) {
  if (!b.has_borders()) return;
#pragma unroll
  for (int above = 0; above < 2; above++) {
    const int wide = b.template edge_bytes<HALF>(!above) / (unsigned)(count * sizeof(real));
    const bool on = K::CROSSES_Z ? (above ? z >= n - wide && z < n : z < wide)
                                 : b.borders(above) & (above ? lane >= WARP - wide : lane < wide);
    if (!b.template comes_from<HALF>(!above) || !on) continue;
    const remote barrier = block_address(b.template edges_came<HALF>(!above), b.rank_of(above));
    const int length = K::CROSSES_Z ? n : b.nthread;
    const remote to = block_address(row + HALO + zl + (above ? -length : length), b.rank_of(above));
#pragma unroll 1
    for (int i = 0; i < count; i++) store_async(to + i * ROW * (int)sizeof(real), row[i * ROW + HALO + zl], barrier);
  }
}

template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::find_ghosts() {
  e_up = 1;
  e_over_sign = e_under_sign = h_under_sign = h_over_sign = h_below_sign = 1;
  if constexpr (K::SEGMENTS) { /* a thread of no value reads its own place alone */
    const int at = z % s.pitch, on = valid[0];
    e_up = h_over = !on ? 0 : at + 1 < s.period ? 1 : 1 - s.period;
    e_over = !on ? 0 : at + 2 < s.period ? 2 : 2 - s.period;
    e_under = h_under = !on ? 0 : at >= 1 ? -1 : s.period - 1;
    h_below = !on ? 0 : at >= 2 ? -2 : s.period - 2;
    return;
  }
  if constexpr (K::WRAPS) { /* a thread beyond the end reads its own value alone */
    const int on = z < n;
    e_over = 2 * on;
    e_under = h_under = -on;
    h_over = on;
    h_below = -2 * on;
    return;
  }
  const real lo = HAS_IMAGES && s.pmc[TOR_ZLO] ? (real)1 : (real)-1,
             hi = HAS_IMAGES && s.pmc[TOR_ZHI] ? (real)1 : (real)-1;
  auto set = [&](int &at, real &sign, bool ghost, int there, real with, int else_at) INLINE {
    at = ghost ? there : else_at;
    sign = ghost ? with : (real)1;
  };
  set(e_over, e_over_sign, z == n - 1, 0, hi, 2);
  set(e_under, e_under_sign, z == 0, 1, lo, -1);
  set(h_under, h_under_sign, z == 0, 0, -lo, -1);
  set(h_over, h_over_sign, z == n - 1 || (HAS_IMAGES && z == n), z == n ? -2 : 0, -hi, 1);
  set(h_below, h_below_sign, z <= 1, z == 0 ? 1 : -1, -lo, -2);
}

template <class K, int NEEDS> METHOD real tower_tile<K, NEEDS>::e_difference_rows(const real *row, real here) const {
  if constexpr (K::CROSSES_Z)
    return tor_difference(ORDER, seams.across_end(row, 1), here, ORDER == 4 ? seams.across_end(row, 2) : (real)0,
                          ORDER == 4 ? seams.across_end(row, -1) : (real)0);
  real diff = row[K::SEGMENTS ? e_up : 1] - here;
  if (ORDER == 4)
    diff = TOR_FMA((real)(-1.0 / 27.0), TOR_FMA(e_over_sign, row[e_over], -(e_under_sign * row[e_under])), diff);
  return diff;
}

template <class K, int NEEDS> METHOD real tower_tile<K, NEEDS>::h_difference_rows(const real *row, real here) const {
  if constexpr (K::CROSSES_Z)
    return tor_difference(ORDER, here, seams.across_end(row, -1), ORDER == 4 ? seams.across_end(row, 1) : (real)0,
                          ORDER == 4 ? seams.across_end(row, -2) : (real)0);
  const real down = row[h_under];
  if (HAS_IMAGES && z == n) here = s.pmc[TOR_ZHI] ? -down : down; /* advanced behind a PMC only */
  real diff = TOR_FMA(-h_under_sign, down, here);
  if (ORDER == 4)
    diff = TOR_FMA((real)(-1.0 / 27.0), TOR_FMA(h_over_sign, row[h_over], -(h_below_sign * row[h_below])), diff);
  return diff;
}

/* Along z, of E for H at (u, v). */
template <class K, int NEEDS> template <class At> METHOD real tower_tile<K, NEEDS>::e_difference_z(At at) {
  constexpr int u = At::u, v = At::v;
  if constexpr (K::E_ROWS) return e_difference_rows(e_row<u, v>(b.flip()), e_at(u, v));
  real up, up2 = 0, down = 0;
  if constexpr (T::e_own(u, v)) {
    constexpr int i = K::e_edge::number(u, v);
    if constexpr (i % 4 == 0) {
      const int from = K::WRAPS ? above : warp + 2;
      next = *(const four *)(e_edges<K>(from, 0) + i);
      if (ORDER == 4) {
        over = *(const four *)(e_edges<K>(from, 1) + i);
        under = *(const four *)(e_edges<K>(K::WRAPS ? below : warp, 2) + i);
      }
      if constexpr (K::CROSSES_Z) {
        seams.next = *(const four *)(e_edges<K>(b.nthread / WARP + 1, 0) + i);
        if (ORDER == 4) {
          seams.over = *(const four *)(e_edges<K>(b.nthread / WARP + 1, 1) + i);
          seams.under = *(const four *)(e_edges<K>(0, 2) + i);
        }
      }
    }
    up = __shfl_down_sync(~0u, e_at(u, v), 1);
    const int last = K::WRAPS ? top : WARP - 1;
    if (lane == last) up = next.at[i % 4];
    if (ORDER == 4) {
      up2 = __shfl_down_sync(~0u, e_at(u, v), 2);
      if (lane == last - 1) up2 = next.at[i % 4];
      if (lane == last) up2 = over.at[i % 4];
      down = __shfl_up_sync(~0u, e_at(u, v), 1);
      if (lane == 0) down = under.at[i % 4];
    }
    if constexpr (K::CROSSES_Z) {
      seams.turn_at_end(1, up, seams.next.at[i % 4]);
      if (ORDER == 4) {
        seams.turn_at_end(2, up2, z == n - 2 ? seams.next.at[i % 4] : seams.over.at[i % 4]);
        seams.turn_at_end(-1, down, seams.under.at[i % 4]);
      }
    }
  } else {
    const real *row = e_row<u, v>(b.flip());
    if constexpr (K::CROSSES_Z) return e_difference_rows(row, e_at(u, v));
    up = row[K::SEGMENTS ? e_up : 1];
    if (ORDER == 4) {
      up2 = row[K::SEGMENTS ? e_over : 2];
      down = row[K::SEGMENTS ? e_under : -1];
    }
  }
  if (K::WRAPS) return tor_difference(ORDER, up, e_at(u, v), up2, down);
  if (ORDER == 4 && z == n - 1) up2 = HAS_IMAGES && s.pmc[TOR_ZHI] ? e_at(u, v) : -e_at(u, v);
  if (ORDER == 4 && z == 0) down = HAS_IMAGES && s.pmc[TOR_ZLO] ? up : -up;
  return tor_difference(ORDER, up, e_at(u, v), up2, down);
}

/* Along z, of H for E at (u, v). */
template <class K, int NEEDS> template <class At> METHOD real tower_tile<K, NEEDS>::h_difference_z(At at) {
  constexpr int u = at.u, v = at.v;
  if constexpr (K::H_ROWS) return h_difference_rows(h_row<u, v>(b.flip()), h_at(u, v));
  real here = h_at(u, v), down, down2 = 0, up = 0;
  if constexpr (T::h_own(u, v)) {
    constexpr int i = K::h_edge::number(u, v);
    if constexpr (i % 4 == 0) {
      next = *(const four *)(h_edges<K>(K::WRAPS ? below : warp, 0) + i);
      if (ORDER == 4) {
        over = *(const four *)(h_edges<K>(warp, 1) + i);
        under = *(const four *)(h_edges<K>(warp + 2, 2) + i);
      }
      if constexpr (K::CROSSES_Z) seams.next = *(const four *)(h_edges<K>(0, 0) + i);
    }
    down = __shfl_up_sync(~0u, here, 1);
    if (lane == 0) down = next.at[i % 4];
    if (ORDER == 4) {
      down2 = __shfl_up_sync(~0u, here, 2);
      if (lane == 1) down2 = next.at[i % 4];
      if (lane == 0) down2 = over.at[i % 4];
      up = __shfl_down_sync(~0u, here, 1);
      if (lane == WARP - 1) up = under.at[i % 4];
    }
    if constexpr (K::CROSSES_Z) seams.turn_at_end(-1, down, seams.next.at[i % 4]); /* order 2 alone */
  } else {
    const real *row = h_row<u, v>(b.flip());
    if constexpr (K::CROSSES_Z) return h_difference_rows(row, here);
    down = row[K::SEGMENTS ? h_under : -1];
    if (ORDER == 4) {
      down2 = row[-2];
      up = row[1];
    }
  }
  if (K::WRAPS) return tor_difference(ORDER, here, down, up, down2); /* order 2: in order 4 H lies in rows */
  const bool minus_lo = HAS_IMAGES && s.pmc[TOR_ZLO], minus_hi = HAS_IMAGES && s.pmc[TOR_ZHI];
  if (z == 0) {
    down = minus_lo ? -here : here;
    down2 = minus_lo ? -up : up;
  }
  if (ORDER == 4 && z == 1) down2 = minus_lo ? -down : down;
  if (ORDER == 4 && z == n - 1) up = minus_hi ? -here : here;
  if (HAS_IMAGES && z == n) { /* advanced behind a PMC only */
    here = minus_hi ? -down : down;
    up = minus_hi ? -down2 : down2;
  }
  return tor_difference(ORDER, here, down, up, down2);
}

template <class K, int NEEDS>
template <int HALF, bool IN_CPML, int COMP, int WHICH, int I, class At>
METHOD real tower_tile<K, NEEDS>::difference(At at) {
  if constexpr (curl_axis(COMP, WHICH) != TOR_Z) {
    return difference_across<HALF, COMP, WHICH, I>(at);
  } else {
    real diff;
    if constexpr (HALF)
      diff = h_difference_z(at);
    else
      diff = e_difference_z(at);
    if constexpr (IN_CPML) diff = stretch<HALF, I>(at, diff);
    return diff;
  }
}

#endif
