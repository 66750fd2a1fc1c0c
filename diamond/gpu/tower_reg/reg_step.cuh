/* A step of the computing warps: H, then E, site by site.
 *
 * A half-step advances the sites of a list in a frame: H in the frame of the step's start, E in the frame moved by 2S.
 * Both end with the tile in the moved frame: new H replaces H(u - 2S, v), new E at (u, v) comes from E(u + 2S, v). */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_STEP_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_STEP_CUH

#include "diamond/gpu/tower_reg/reg_difference.cuh"
#include "diamond/gpu/tower_reg/reg_helper_warp.cuh"

template <class T, int HALF> struct uses_of {
  static constexpr first_uses<T, HALF> list{};
};

/* cb at E's site number I of this half-step. */
template <class K, int NEEDS> template <int I> METHOD real tower_tile<K, NEEDS>::coefficient(int comp) const {
  if constexpr (K::COEF_ROWS)
    return advances(comp) ? shared<K>().coef_row[I][zl] : (real)0;
  else
    return r.coef_ahead[I];
}

template <class K, int NEEDS>
template <int HALF, int I>
METHOD void tower_tile<K, NEEDS>::leave(int u, int v, real value) {
  constexpr int LIST = HALF ? K::E_LEAVES : K::H_LEAVES;
  const int comp = HALF ? component_of<1>(u, v) : component_of<0>(u, v);
  real *const to = at_corner + (tor_gidx)shared<K>().field_place[LIST + I] * TOR_VECTOR;
  store_if(is_valid(comp) && in<HALF>(u, v), to, value);
  if (K::CROSSES_Z && comp_axis(comp) != TOR_Z) store_if(ghost && in<HALF>(u, v), to + seams.beyond_end(ghost), value);
}

/* Takes values number FIRST to PAST of first_uses into registers. */
template <class K, int NEEDS>
template <int HALF, int FIRST, size_t... I>
METHOD void tower_tile<K, NEEDS>::take_values(std::index_sequence<I...>) {
  (take_value<HALF, uses_of<T, HALF>::list.u[FIRST + (int)I], uses_of<T, HALF>::list.v[FIRST + (int)I]>(), ...);
}

template <class K, int NEEDS> template <int HALF, int U, int V> METHOD void tower_tile<K, NEEDS>::take_value() {
  if constexpr (!HALF)
    e_at(U, V) = *e_row<U, V>(b.flip());
  else if constexpr (K::H_SHARED || !T::h_own(U, V))
    h_at(U, V) = *h_row<U, V>(b.flip());
}

/* Those that sites FROM to TO - 1 of the half-step are the first to use. */
template <class K, int NEEDS> template <int HALF, int FROM, int TO> METHOD void tower_tile<K, NEEDS>::take_uses() {
  constexpr int from = FROM < K::SITES ? FROM : K::SITES, to = TO < K::SITES ? TO : K::SITES;
  constexpr int first = uses_of<T, HALF>::list.start[from], past = uses_of<T, HALF>::list.start[to];
  take_values<HALF, first>(std::make_index_sequence<(size_t)(past - first)>{});
}

/* Before site number I of a half-step: waits for the rows of the band if it is the first to use them, and takes what
 * comes next. */
template <class K, int NEEDS> template <int HALF, int I> METHOD void tower_tile<K, NEEDS>::take_rows() {
  using list = std::conditional_t<HALF, typename K::e_own, typename K::h_next>;
  constexpr int EARLY = list::list.early;
  if constexpr (I == (K::AS_USED ? EARLY - ROWS_AHEAD : EARLY)) {
    b.wait_for_rows(&(HALF ? shared<K>().h_came : shared<K>().e_came)[b.flip()], (HALF ? H_PHASE : E_PHASE) + b.flip());
    if constexpr (!K::AS_USED)
      each<std::conditional_t<HALF, typename K::h_band, typename K::e_band>>(
          [&](auto at) INLINE { take_value<HALF, at.u, at.v>(); });
  }
  if constexpr (K::AS_USED) take_uses<HALF, I + ROWS_AHEAD, I + ROWS_AHEAD + 1>();
}

/* Writes site number I to the exchange rows: its curl and old value, or its new value. */
template <class K, int NEEDS>
template <int HALF, int I>
METHOD void tower_tile<K, NEEDS>::hand_over(real value, real before, real curl) {
  const bool item = items.has(I);
  if constexpr (exchanged_in_shared<K, HALF, 0>()) {
    if (works) exchange_row<K, HALF, 0>(I)[zl] = item ? curl : value;
  } else {
    store_if(item, exchange_row<K, HALF, 0>(I, exchange_at), curl);
  }
  if constexpr (exchanged_in_shared<K, HALF, 1>()) {
    if (works) exchange_row<K, HALF, 1>(I)[zl] = before;
  } else {
    store_if(item, exchange_row<K, HALF, 1>(I, exchange_at), before);
  }
}

/* The value at site number I after its curl; cb_here: its coefficient. */
template <class K, int NEEDS>
template <int HALF, int I>
METHOD real tower_tile<K, NEEDS>::new_value(int comp, real before, real curl, real &cb_here) const {
  cb_here = cb[comp];
  if constexpr (HAS_COEF && HALF) cb_here = coefficient<I>(comp);
  if constexpr (!K::DAMPED) return tor_advance(before, cb_here, curl);
  const real across = shared<K>().damping[step & 1][HALF][I];
  if constexpr (!(HAS_COEF && HALF)) cb_here = cb_here * across;
  return tor_advance_lossy(before, tor_damping_loss(across * damping[!at_nodes(comp)]), cb_here, curl);
}

/* FULL: CPML along z or planes may act in this warp, or sites have items while warps without items exchange nothing.
 * HANDS_OVER: values pass through the exchange rows. */
template <class K, int NEEDS>
template <int HALF, bool FULL, bool HANDS_OVER, class At>
METHOD void tower_tile<K, NEEDS>::advance_site_at(At at) {
  constexpr int u = at.u, v = at.v;
  constexpr int comp = comp_at(HALF, u, v), i = at.number;
  if constexpr (HAS_SEAMS && i > 0 && i == beyond_at<K, HALF, AHEAD>()) wait_for_beyond<HALF>();
  load_ahead<HALF, i + AHEAD>();
  if constexpr (FULL && K::IN_CPML_Z) read_psi_ahead<HALF, i + PSI_AHEAD>();
  take_rows<HALF, i>();
  real curl = difference < HALF, FULL && K::IN_CPML_Z, comp, 0, i > (at);
  curl = curl - difference < HALF, FULL && K::IN_CPML_Z, comp, 1, i > (at);
  real before;
  if constexpr (HALF)
    before = e_at(u + 2 * S, v);
  else if constexpr (K::H_SHARED || !T::h_own(u, v))
    before = *h_row<u, v>(1 ^ b.flip());
  else
    before = h_at(u, v);
  real cb_here;
  real value = new_value<HALF, i>(comp, before, curl, cb_here);
  if constexpr (HAS_PLANES && FULL) value = inject_planes<HALF, i>(comp, cb_here, value);
  if (HAS_WALLS && !in<HALF>(u, v)) value = 0;
  if constexpr (HANDS_OVER) hand_over<HALF, i>(value, before, curl);
  after<HALF, u, v>() = value;
  if constexpr (!HANDS_OVER && (HALF ? T::e_leaves(u, v) : T::h_leaves(u, v)))
    leave<HALF, HALF ? K::e_leaves::number(u, v) : K::h_leaves::number(u, v)>(u, v, value);
}

/* Processes the items of a half-step; a warp that has passed sites through the exchange rows reads their new values. */
template <class K, int NEEDS> template <int HALF> METHOD void tower_tile<K, NEEDS>::take_items(bool full) {
  if (!works) return;
  work_off<K, HALF>(s, b, step & 1, first_step + step, u0 + HALF * 2 * S, v0);
  using advanced = std::conditional_t<HALF, typename K::e_own, typename K::h_next>;
  if constexpr (EXCHANGES_ALL) {
    each<advanced>([&](auto at) INLINE {
      constexpr int u = at.u, v = at.v;
      after<HALF, u, v>() = exchange_row<K, HALF, 0>(at.number)[zl];
    });
  } else if (full) {
    items = warp_uniform(shared<K>().items.template sites<HALF>(step & 1)[warp]);
    each<advanced>([&](auto at) INLINE {
      constexpr int u = at.u, v = at.v;
      constexpr int i = at.number;
      const bool takes = items.has(i) && is_valid(comp_at(HALF, u, v));
      if constexpr (exchanged_in_shared<K, HALF, 0>()) {
        const real got = exchange_row<K, HALF, 0>(i)[zl];
        after<HALF, u, v>() = takes ? got : after<HALF, u, v>();
      } else if (takes) {
        after<HALF, u, v>() = *exchange_row<K, HALF, 0>(i, exchange_at);
      }
    });
  }
  if constexpr (K::COEF_ROWS && HALF) fence_bulk(); /* coefficients are copied to these rows next */
}

/* The sites of a half-step. */
template <class K, int NEEDS>
template <int HALF, bool FULL, bool HANDS_OVER>
METHOD void tower_tile<K, NEEDS>::advance_sites() {
  using entering = std::conditional_t<HALF, typename K::e_enters, typename K::h_enters>;
  if constexpr (FULL && K::IN_CPML_Z)
    each<entering>([&](auto at) INLINE {
      constexpr int u = at.u, v = at.v;
      constexpr int i = at.number;
      r.psi_entering[i] =
          load_if(layer && in<HALF>(u, v), psi_corner + shared<K>().psi_place[(HALF ? K::E_ENTERS : K::H_ENTERS) + i]);
    });
  if constexpr (K::AS_USED) take_uses<HALF, 0, ROWS_AHEAD>();
  if constexpr (HAS_COEF && HALF && K::COEF_ROWS) b.wait_for_rows(&shared<K>().coef_came, COEF_PHASE);
  if constexpr (HAS_SEAMS && beyond_at<K, HALF, AHEAD>() == 0) wait_for_beyond<HALF>();
  if constexpr (HAS_CPML || HAS_SEAMS || (HAS_COEF && HALF && !K::COEF_ROWS))
    start_loads<HALF>(std::make_index_sequence<AHEAD>{});
  if constexpr (FULL && K::IN_CPML_Z) start_psi<HALF>(std::make_index_sequence<PSI_AHEAD>{});
  each<std::conditional_t<HALF, typename K::e_own, typename K::h_next>>(
      [&](auto at) INLINE { advance_site_at<HALF, FULL, HANDS_OVER>(at); });
}

/* Edge values, which the neighbours along z need: rows of them, or four sites at a time by the lanes at the warp's
 * ends. A difference needs E of the warp above, H of the one below; in order 4 also the value behind it, and one of
 * the other side. */
template <class K, int NEEDS> template <int HALF> METHOD void tower_tile<K, NEEDS>::write_edges() {
  using edge = std::conditional_t<HALF, typename K::e_edge, typename K::h_edge>;
  constexpr bool in_rows = HALF ? K::E_ROWS : K::H_ROWS;
  if constexpr (in_rows && (HALF || !K::H_SHARED))
    each<edge>([&](auto at) INLINE {
      constexpr int u = at.u, v = at.v;
      if constexpr (HALF)
        *e_row<u, v>(0) = e_at(u, v);
      else
        *h_row<u, v>(0) = h_at(u, v);
    });
  if constexpr (in_rows)
    return write_seams<HALF>(HALF ? e_row_of<K>(0) : h_row_of<K>(0), HALF ? K::NE_ROWS : K::NH_ROWS);
  const int last = K::WRAPS ? top : WARP - 1;
  const int end = HALF ? 0 : last, behind = HALF ? 1 : last - 1, other = HALF ? last : 0;
  constexpr int side = HALF ? K::EE : K::EH; /* values of a side */
  real *const slot = HALF ? e_edges<K>(warp + 1, 0) : h_edges<K>(warp + 1, 0);
  four value;
  each<edge>([&](auto at) INLINE {
    constexpr int u = at.u, v = at.v;
    constexpr int i = at.number;
    if constexpr (HALF)
      value.at[i % 4] = e_at(u, v);
    else
      value.at[i % 4] = h_at(u, v);
    if constexpr (i % 4 == 3 || i == edge::count - 1) {
      if (lane == end) *(four *)(slot + i / 4 * 4) = value;
      if (ORDER == 4 && lane == behind) *(four *)(slot + side + i / 4 * 4) = value;
      if (ORDER == 4 && lane == other) *(four *)(slot + 2 * side + i / 4 * 4) = value;
    }
  });
  b.template send_edges<HALF>();
}

/* H of the frame at u0, or E of the moved frame; the field's corner is the frame's. */
template <class K, int NEEDS> template <int HALF> METHOD void tower_tile<K, NEEDS>::half_step() {
  b.template wait_for_edges<!HALF>();
  at_corner = launder(at_corner);
  /* With CPML along z one code path for all warps, with or without CPML values, is faster than two that compete for the
   * instruction cache. */
  bool full = K::IN_CPML_Z, sampled = false;
  if constexpr (HAS_PLANES) {
    full |= in_planes;
    sampled = in_planes && s.sampled[first_step + step];
  }
  if constexpr (HAS_ITEMS) {
    works = has_work<K, HALF>(step & 1);
    exchange_at = launder(shared<K>().exchange + zl);
    items = warp_uniform(shared<K>().items.template sites<HALF>(step & 1)[warp]);
    if constexpr (!EXCHANGES_ALL) full |= (items.bits[0] | items.bits[1]) != 0;
  }
  if constexpr (HAS_CPML) {
    if (has_layers(TOR_X)) in_cpml_u = warp_uniform(shared<K>().has_cpml_x[step & 1] >> (HALF * 2 * S));
    if (has_layers(TOR_Y)) in_cpml_v = warp_uniform(shared<K>().has_cpml_y);
    psi_row = launder_place(s.nzp);
    psi_x = launder(seams.part_of(s.psi[TOR_X], s.other_psi[TOR_X]) + z);
    psi_y =
        launder(seams.part_of(s.psi[TOR_Y], s.other_psi[TOR_Y]) + (tor_gidx)((u0 >> 1) + HALF * S) * 4 * psi_row + z);
  }
  constexpr bool FULL = K::IN_CPML_Z || HAS_PLANES || (HAS_ITEMS && !EXCHANGES_ALL);
  bool hands_over = HAS_ITEMS && full;
  /* Few blocks have items of H: with them one code path for all warps, without any a code path without exchange. */
  if constexpr (EXCHANGES_ALL) {
    hands_over = HALF || works;
    if (!HALF) full |= works;
  }
  if (!full)
    advance_sites<HALF, false, EXCHANGES_ALL && HALF>();
  else if (EXCHANGES_ALL && !HALF && !works)
    advance_sites<HALF, FULL, false>();
  else
    advance_sites<HALF, FULL, HAS_ITEMS>();
  /* BLOCH: whether surface nodes of the tile read E across a seam, and edges currents there; along y nodes at v = 0. */
  const bool nodes_cross = K::CROSSES_Z || (K::BLOCH && seams.place & SEAM_WITHIN);
  if (HAS_ITEMS && HALF && K::NODES && s.has_nodes) b.wait_for_nodes(true, nodes_cross);
  if constexpr (HAS_ITEMS) take_items<HALF>(full);
  if (HAS_ITEMS && K::NODES && s.has_nodes) {
    if (!HALF) {
      b.wait_for_nodes(false, nodes_cross);
      work_off_nodes<K>(own_view<K>(s), block_part{b.z0, b.nthread, b.nblock}, u0, v0);
    }
    b.signal_nodes(!HALF, nodes_cross);
  }
  if (HAS_PLANES && sampled) record_planes<HALF>();
  if (hands_over)
    each<std::conditional_t<HALF, typename K::e_leaves, typename K::h_leaves>>([&](auto at) INLINE {
      constexpr int u = at.u, v = at.v;
      leave<HALF, at.number>(u, v, after<HALF, u, v>());
    });
  write_edges<HALF>();
  if constexpr (HAS_SEAMS)
    if (seams.place) send_to_seam<HALF>();
}

template <class K, int NEEDS>
template <int HALF, size_t... I>
METHOD void tower_tile<K, NEEDS>::start_loads(std::index_sequence<I...>) {
  (load_ahead<HALF, (int)I>(), ...);
}
template <class K, int NEEDS>
template <int HALF, size_t... I>
METHOD void tower_tile<K, NEEDS>::start_psi(std::index_sequence<I...>) {
  (read_psi_ahead<HALF, (int)I>(), ...);
}

template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::compute() {
  b.begin();
  b.wait_for_rows(&shared<K>().h_came[1 ^ b.flip()], H_PHASE + (1 ^ b.flip()));
  load();
  write_edges<1>();
  if constexpr (HAS_SEAMS && K::SEAM_ROWS)
    if (seams.place) send_to_seam<1>();
  b.sync();
  for (more = true; more;) {
    half_step<0>();
    b.computed_h();
    if constexpr (HAS_SEAMS)
      if (seams.place) b.signal_beyond(0, step + 1);
    more = __any_sync(~0u, shared<K>().more); /* the same for all; the vote makes it warp-uniform for the compiler */
    psi_corner += S * psi_sx;
    at_corner += S * sx;
    half_step<1>();
    move_on();
    if (HAS_WALLS) find_in_u();
    b.template computed_e<HAS_ITEMS || HAS_PLANES>();
    if constexpr (HAS_SEAMS)
      if (seams.place) b.signal_beyond(1, step);
  }
  b.template wait_for_edges<1>(); /* the last ones are not used */
  /* Likewise; and the other part has read what is stored next. */
  if constexpr (HAS_SEAMS) b.template wait_for_beyond<0>(seams.place, step);
  store();
  b.end();
  b.sync();
  step = (int)warp_uniform((unsigned)shared<K>().step);
}

/* Runs steps as long as `stays` accepts the bodies wanted by the next tile and by the one after it. Returns the first
 * step not done. HELPS: this warp is a helper warp. */
template <class K, int NEEDS, bool HELPS, class Look, class Stays>
POINT_FN int run_body(const tor_gpu_view &s, tower_block<K> &b, int first_step, int step, int u0, int v0,
                      const Look &look_at, const Stays &stays) {
  typename tile_arrays<K>::square e, h, psi_e, psi_h;
  typename tile_arrays<K>::list psi_entering, psi_z, coef_ahead, psi_ahead[2], beyond[2];
  tower_tile<K, NEEDS> tile(s, b, first_step, step, u0, v0,
                            {e, h, psi_e, psi_h, psi_entering, psi_z, coef_ahead, psi_ahead, beyond});
  if constexpr (HELPS)
    tile.help(look_at, stays);
  else
    tile.compute();
  return tile.step;
}

#endif
