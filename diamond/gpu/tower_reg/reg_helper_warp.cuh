/* The helper warps: they copy bands and coefficients, fill a step's tables and lists half a step before these are read,
 * wait for the neighbouring towers and publish the tower's own progress. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_HELPER_WARP_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_HELPER_WARP_CUH

#include "diamond/gpu/tower_reg/reg_tile.cuh"

/* Copied in place of rows beyond the slab, whose values are not used. */
template <class K> __device__ alignas(16) real no_row[K::ROW];

/* Bulk copies of a band's rows, by the warps that copy; their completion is signalled by `barrier`. `from` is the field
 * at the frame's corner (u, v0). */
template <class K, int NEEDS>
template <int HALF>
METHOD void tower_tile<K, NEEDS>::issue(int to, const real *from, int u, uint64_t *barrier) {
  constexpr int COUNT = HALF ? K::NE : K::NH, LIST = HALF ? K::E_BAND : K::H_BAND;
  /* The halo along z that is copied too: of H below, of E above, in order 4 both; nothing beyond the component's
   * values, unless they are ghost values: before them lie those of another component, which its tower may be storing.
   */
  constexpr int BELOW = !K::SEGMENTS && (K::ORDER == 4 || !HALF) ? HALO : 0,
                ABOVE = !K::SEGMENTS && (K::ORDER == 4 || HALF) ? HALO : 0;
  const int below = K::WRAPS || b.z0 > 0 ? BELOW : 0;
  const unsigned row_bytes = (unsigned)(below + min(b.nthread + ABOVE, s.nzp - b.z0)) * (unsigned)sizeof(real);
  if (b.server() == COPIES && lane == 0) barrier_expect(barrier, (unsigned)COUNT * row_bytes);
  for (int k = lane * COPYING + b.server(); k < COUNT; k += COPYING * WARP) {
    const real *row = from + (tor_gidx)shared<K>().field_place[LIST + k] * TOR_VECTOR;
    if (HAS_WALLS) {
      const int ua = u + (HALF ? E_ROWS<T>.u[k] : H_ROWS<T>.u[k]), va = v0 + (HALF ? E_ROWS<T>.v[k] : H_ROWS<T>.v[k]);
      if (ua < 0 || ua > 2 * s.n[0] || (!s.periodic[TOR_Y] && (va < 0 || va > 2 * s.n[1]))) row = no_row<K> + HALO;
    }
    bulk_load(rows() + to + k * ROW + HALO - below, row - below, row_bytes, barrier);
  }
  __syncwarp();
}

template <class K, int NEEDS> METHOD layer_at tower_tile<K, NEEDS>::layer_of(int axis, int at) const {
  layer_at l = {0, 0, 0, -1};
  if (at < s.first[axis] || at > s.last[axis]) return l;
  const int index = s.cpml[axis].index[at >> 1];
  if (index < 0) return l;
  l.row = (index * (s.n[1 - axis] + 1) + (axis == TOR_X ? v0 >> 1 : 0)) * 4;
  l.ik = s.cpml[axis].ik[at];
  l.b = s.cpml[axis].b[at];
  l.c = s.cpml[axis].c[at];
  return l;
}

/* By one warp. Returns a bit for each of the COUNT half cells from `from` on, set where there is CPML. */
template <class K, int NEEDS>
template <int COUNT>
METHOD unsigned tower_tile<K, NEEDS>::fill_layer(int axis, int from, layer_at *to) {
  static_assert(COUNT <= WARP, "a lane has one");
  layer_at l = {0, 0, 0, -1};
  if (lane < COUNT) to[lane] = l = layer_of(axis, from + lane);
  return __ballot_sync(~0u, l.row >= 0);
}

template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::fill_layer_x(int at_step, int u) {
  if (b.server() != PREPARES) return;
  const unsigned has = fill_layer<T::NU + 2 * S>(TOR_X, u + T::U0, shared<K>().cpml_x[at_step & 1]);
  if (lane == 0) shared<K>().has_cpml_x[at_step & 1] = has;
}

/* The absorbers' factors across z of the sites of a step that begins with the frame at u, by the threads that prepare.
 */
template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::fill_damping(int at_step, int u) {
  if constexpr (K::DAMPED) {
    const int i = zl - b.nthread - PREPARES * WARP;
    if (i >= K::SITES) return;
    for (int half = 0; half < 2; half++) {
      const site_place at = shared<K>().site[half][i];
      const int ua = u + half * 2 * S + at.u, va = around_y(s, v0 + at.v);
      const bool on = ua >= 0 && ua <= 2 * s.n[0] && va >= 0 && va <= 2 * s.n[1];
      shared<K>().damping[at_step & 1][half][i] = on ? s.damping[TOR_X][ua] * s.damping[TOR_Y][va] : (real)1;
    }
  }
}

/* Coefficients of E's sites of the tile in the frame at u, for the threads that prepare, a site each; null beyond the
 * last site. */
template <class K, int NEEDS> METHOD const real *tower_tile<K, NEEDS>::coef_of_site(int u) const {
  static_assert(K::SITES <= PREPARING_WARPS * WARP, "a site for each thread");
  const int i = zl - b.nthread - PREPARES * WARP;
  if (i >= K::SITES) return nullptr;
  const site_place at = shared<K>().site[1][i];
  const int ua = u + at.u, va = around_y(s, v0 + at.v), comp = at.comp;
  const tor_gidx own = inside(s, ua, va) ? s.coef_at[column_of(s, ua, va)] : -1;
  return (own < 0 ? s.cb : s.coef + own) + (tor_gidx)comp * s.nzp;
}

template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::fill_coef(const real *site) {
  const int i = zl - b.nthread - PREPARES * WARP;
  if constexpr (K::COEF_ROWS) {
    const unsigned row_bytes = (unsigned)min(b.nthread, s.nzp - b.z0) * (unsigned)sizeof(real);
    if (i == 0) barrier_expect(&shared<K>().coef_came, (unsigned)K::SITES * row_bytes);
    if (site) bulk_load(shared<K>().coef_row[i], site + b.z0, row_bytes, &shared<K>().coef_came);
    __syncwarp();
  }
  if ((!K::COEF_ROWS || HAS_ITEMS) && site) shared<K>().coef[i] = site;
}

/* Before the first step: the copies of its rows, its tables and its lists. */
template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::help_first(bool copies, bool prepares) {
  uint64_t *const e_came = shared<K>().e_came, *const h_came = shared<K>().h_came;
  if (copies) {
    issue<1>(e_rows(b.flip()), corner, u0, &e_came[b.flip()]);
    issue<0>(h_rows(1 ^ b.flip()), corner, u0, &h_came[1 ^ b.flip()]);
    if constexpr (K::BUFFERS == 2) issue<0>(h_rows(b.flip()), corner + S * sx, u0 + 2 * S, &h_came[b.flip()]);
  }
  if constexpr (has_layers(TOR_X)) fill_layer_x(step, u0);
  if (K::DAMPED && prepares) fill_damping(step, u0);
  if constexpr (has_layers(TOR_Y)) {
    if (b.server() == LISTS) {
      const unsigned has = fill_layer<T::NV>(TOR_Y, v0 + T::V0, shared<K>().cpml_y);
      if (lane == 0) shared<K>().has_cpml_y = has;
    }
  }
  if constexpr (HAS_ITEMS) {
    if (b.server() == PREPARES && lane < 4) shared<K>().items.count[lane / 2][lane % 2] = {};
    if (prepares) {
      wait_at(PREPARING, PREPARING_WARPS * WARP);
      list_half_step<0>(step);
      list_half_step<1>(step);
    }
  }
}

/* Copies the rows of the next step while this one runs: with two buffers E's before and H's after the wait for H, with
 * one buffer all after it, where this step has been read. */
template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::copy_next_step(bool copies) {
  uint64_t *const e_came = shared<K>().e_came, *const h_came = shared<K>().h_came;
  if (K::BUFFERS == 2 && copies && more) {
    b.wait_for_neighbours(step + 2);
    issue<1>(e_rows(1 ^ b.flip()), corner + S * sx, u0 + 2 * S, &e_came[1 ^ b.flip()]);
  }
  b.wait_for_h();
  if (K::BUFFERS == 2 && copies && more)
    issue<0>(h_rows(1 ^ b.flip()), corner + 2 * S * sx, u0 + 4 * S, &h_came[1 ^ b.flip()]);
  if (K::BUFFERS == 1 && copies) {
    issue<0>(h_rows(0), corner + S * sx, u0 + 2 * S, &h_came[0]);
    if (more) {
      b.wait_for_neighbours(step + 2);
      issue<1>(e_rows(0), corner + S * sx, u0 + 2 * S, &e_came[0]);
    }
  }
}

/* The code of the helper warps; compute() is that of the others. */
template <class K, int NEEDS>
template <class Look, class Stays>
METHOD void tower_tile<K, NEEDS>::help(const Look &look_at, const Stays &stays) {
  const bool copies = b.server() < COPYING, prepares = b.prepares();
  help_first(copies, prepares);
  real planes[K::MOST_PLANES]; /* of H, and for E's next half-step */
  if constexpr (HAS_PLANES)
    if (prepares) {
      load_planes<0>(step, u0, planes);
      fill_planes<0>(planes);
    }
  b.sync();
  if constexpr (HAS_PLANES)
    if (prepares) load_planes<1>(step, u0 + 2 * S, planes);
  const real *coef_here = nullptr;
  if constexpr (HAS_COEF)
    if (prepares) coef_here = coef_of_site(u0 + 2 * S);
  auto look = look_at(step + 1);
  for (more = true; more;) {
    const auto ahead = look_at(step + 2);
    more = stays(look, ahead);
    look = ahead;
    if (prepares) {
      if (zl == b.nthread + PREPARES * WARP) shared<K>().more = more;
      if constexpr (HAS_COEF) {
        fill_coef(coef_here);
        coef_here = coef_of_site(u0 + 4 * S);
      }
      if constexpr (has_layers(TOR_X)) fill_layer_x(step + 1, u0 + 2 * S);
      fill_damping(step + 1, u0 + 2 * S);
      if constexpr (HAS_PLANES) fill_planes<1>(planes);
    }
    b.prepared_step();
    copy_next_step(copies);
    corner += S * sx;
    move_on();
    if constexpr (HAS_ITEMS || HAS_PLANES)
      if (prepares) {
        if (HAS_ITEMS && more) list_half_step<0>(step);
        if (HAS_PLANES && more) {
          load_planes<0>(step, u0, planes);
          fill_planes<0>(planes);
        }
        b.prepared_lists();
        if (HAS_ITEMS && more) list_half_step<1>(step);
        if (HAS_PLANES && more) load_planes<1>(step, u0 + 2 * S, planes);
      }
    b.wait_for_e();
    if (more) b.report_own(step);
  }
  if (zl == b.nthread + PREPARES * WARP) shared<K>().step = step;
  b.sync();
}

/* Lists the items of half a step, in the frame that has been moved to by then. With H's, made first, the counts of the
 * lists that come next are cleared: E's of this step, H's of the step after. */
template <class K, int NEEDS> template <int HALF> METHOD void tower_tile<K, NEEDS>::list_half_step(int at_step) {
  if (!HALF && zl == b.nthread + PREPARES * WARP) {
    shared<K>().items.count[(at_step + 1) & 1][0] = {};
    shared<K>().items.count[at_step & 1][1] = {};
  }
  list_items<K, HALF, HAS_PLANES>(s, b, at_step & 1, first_step + at_step, u0 + HALF * 2 * S, v0);
}

#endif
