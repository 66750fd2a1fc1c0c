/* A tower's tile in registers, and a step of it.
 *
 * A half-step advances the sites of a list in a frame: H in the frame of the step's start, E in the frame moved by 2S. Both end with
 * the tile in the moved frame: new H replaces H(u - 2S, v), new E at (u, v) comes from E(u + 2S, v). */
#ifndef TOR_TOWER_TILE_CUH
#define TOR_TOWER_TILE_CUH

#include "tower_items.cuh"

/* The tile's arrays are filled by inlined functions that the front end does not look into. */
#pragma nv_diag_suppress 549

struct alignas(4 * sizeof(real)) four {
  real at[4];
};

/* The lists whose sites are borrowed, for look-up at run time. */
template <class T> static __device__ constexpr site_list<T, T::e_band> E_ROWS{};
template <class T> static __device__ constexpr site_list<T, T::h_band> H_ROWS{};
template <class T> static __device__ constexpr site_list<T, T::e_leaves> E_LEAVING{};
template <class T> static __device__ constexpr site_list<T, T::h_leaves> H_LEAVING{};
template <class T> static __device__ constexpr site_list<T, T::e_enters> E_ENTERING{};
template <class T> static __device__ constexpr site_list<T, T::h_enters> H_ENTERING{};

template <class T, int HALF> struct uses_of {
  static constexpr first_uses<T, HALF> list{};
};

template <int VALUE> struct constant {
  static constexpr int value = VALUE;
};

/* A tile's values. Indexed by constants only, so that what is used of them lies in registers; arrays of their own, because the compiler
 * does not take apart a structure with so many uses. */
template <class K> struct tile_arrays {
  typedef real square[K::T::NU][K::T::NV];
  typedef real list[K::SITES];
  square &e, &h, &psi_e, &psi_h;
  list &psi_entering, &coef_ahead;
  list (&psi_ahead)[2];
};

/* NEEDS: what this body does of tile_needs. */
template <class K, int NEEDS> struct tower_tile {
  using T = typename K::T;
  static constexpr int S = K::S, R = K::R, ROW = K::ROW, ORDER = K::ORDER;
  static constexpr bool HAS_WALLS = NEEDS & WALLS, HAS_COEF = NEEDS & COEF, HAS_LAYERS = NEEDS & LAYERS, HAS_ITEMS = NEEDS & ITEMS;
  static constexpr int COPYING = copying_warps(HAS_ITEMS);
  enum { AHEAD = 6, ROWS_AHEAD = 2 }; /* sites between a load and its use: of a coefficient or of psi; of a row */

  tile_arrays<K> r;
  const tor_gpu_view &s;
  tower_block<K> &b;
  const int zl, z, lane, warp, n;
  const int first_step; /* of the stage, less the run's */
  const int v0;
  int u0, step;
  bool valid[2]; /* at half cells and at nodes of z */
  tor_gidx sx, psi_sx;
  real *corner, *psi_corner; /* move with the tile */
  real *at_corner;           /* this thread's value at the corner */
  real cb[TOR_NCOMP];
  bool layer;                       /* CPML along z acts on this thread */
  int in_layer;                     /* the thread's number among those of the block */
  real ik[2], cpml_b[2], cpml_c[2]; /* at nodes, at half cells */
  unsigned in_u[2], in_v;           /* WALLS: a bit for each u from U0 on: is it advanced? in the frames of H and E */
  item_mask items;                  /* of this warp, in this half-step */

#define E(u, v) r.e[(u)-T::U0][(v)-T::V0]
#define H(u, v) r.h[(u)-T::U0][(v)-T::V0]
#define SITE constexpr int u = decltype(at)::u, v = decltype(at)::v
#define METHOD __device__ __forceinline__

  METHOD tower_tile(const tor_gpu_view &view, tower_block<K> &block, int first, int at_step, int u, int v, const tile_arrays<K> &arrays)
      : r(arrays), s(view), b(block), zl(threadIdx.x), z(block.z0 + (int)threadIdx.x), lane(threadIdx.x % WARP), warp(threadIdx.x / WARP), n(view.n[2]),
        first_step(first), v0(v), u0(u), step(at_step) {
    valid[0] = z < n;
    valid[1] = HAS_WALLS ? z < n + s.pmc[TOR_ZHI] : valid[0];
    sx = (tor_gidx)s.stride * TOR_NCOMP * s.nzp;
    psi_sx = (tor_gidx)s.stride * 4 * npz();
    corner = s.field + column_of(s, u0, v0) * TOR_NCOMP * s.nzp + b.z0;
    psi_corner = s.psi[TOR_Z] + column_of(s, u0, v0) * 4 * npz() + (z < s.zlo ? z : z + s.zlo - s.zhi0);
#pragma unroll
    for (int c = 0; c < TOR_NCOMP; c++) cb[c] = advances(c) ? s.cb[c * s.nzp + z] : (real)0;
    layer = K::LAYER_Z && z < n && (z < s.zlo || (s.zhi && z >= s.zhi0));
    in_layer = z < s.zlo ? zl : z - max(s.zhi0, b.z0) + max(0, min(s.zlo - b.z0, b.nthread));
#pragma unroll
    for (int i = 0; i < 2; i++)
      if (layer) {
        ik[i] = s.cpml[TOR_Z].ik[i * s.nzp + z];
        cpml_b[i] = s.cpml[TOR_Z].b[i * s.nzp + z];
        cpml_c[i] = s.cpml[TOR_Z].c[i * s.nzp + z];
      }
    if (K::E_ROWS || K::H_ROWS) find_images();
    if (HAS_WALLS) {
      in_v = bits_between(s.first[1] - v0 - T::V0, s.last[1] - v0 - T::V0);
      find_in_u();
    }
  }

  static METHOD unsigned bits_between(int lo, int hi) {
    lo = max(lo, 0);
    hi = min(hi, 31);
    return hi < lo ? 0u : ~0u << lo & ~0u >> (31 - hi);
  }
  METHOD void find_in_u() {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int from = u0 + T::U0 + half * 2 * S;
      in_u[half] = bits_between(s.first[0] - from, s.last[0] - from);
    }
  }
  METHOD int npz() const { return s.zlo + s.zhi; }
  METHOD tor_gidx offset(int u, int v, int comp) const { return (u >> 1) * sx + ((v >> 1) * TOR_NCOMP + comp) * s.nzp; }
  METHOD tor_gidx psi_offset(int u, int v, int comp) const { return (u >> 1) * psi_sx + ((v >> 1) * 4 + comp_axis(comp) + 2 * comp_is_h(comp)) * npz(); }
  static constexpr bool at_nodes(int comp) { return comp_is_h(comp) == (comp_axis(comp) == TOR_Z); }
  METHOD bool is_valid(int comp) const { return valid[at_nodes(comp)]; }
  /* A PEC's own values stay 0. */
  METHOD bool advances(int comp) const { return is_valid(comp) && !(z == 0 && (comp == TOR_EX || comp == TOR_EY) && !(HAS_WALLS && s.pmc[TOR_ZLO])); }
  /* Is the site (u, v) of a half-step's frame advanced? The same for all threads. */
  template <int HALF> METHOD bool in(int u, int v) const {
    return !HAS_WALLS || ((in_u[HALF] >> (u - T::U0) & 1) && (in_v >> (v - T::V0) & 1));
  }

  static METHOD int e_rows(int flip) { return K::BUFFERS == 2 ? flip * (K::NE * ROW) : 0; }
  static METHOD int h_rows(int flip) { return K::BUFFERS * K::NE * ROW + (K::BUFFERS == 2 ? flip * (K::NH * ROW) : 0); }
  static METHOD real *rows() { return (real *)block_bytes(); }
  /* This thread's value in a row; of the band, in one of its buffers. */
  template <int U, int V> METHOD real *e_row(int flip) const {
    if constexpr (T::e_own(U, V))
      return e_row_of<K>(K::e_edge::number(U, V)) + HALO + zl;
    else
      return rows() + HALO + zl + e_rows(flip) + K::e_band::number(U, V) * ROW;
  }
  template <int U, int V> METHOD real *h_row(int flip) const {
    if constexpr (T::h_own(U, V))
      return h_row_of<K>(K::H_SHARED ? K::h_own::number(U, V) : K::h_edge::number(U, V)) + HALO + zl;
    else
      return rows() + HALO + zl + h_rows(flip) + K::h_band::number(U, V) * ROW;
  }

  /* Bulk copies of a band's rows, by the warps that copy; `barrier` tells when they have come. What lies beyond the slab is not used: any row
   * will do. `from` is the field at the frame's corner (u, v0). */
  template <int HALF> METHOD void issue(int to, const real *from, int u, uint64_t *barrier) {
    constexpr int COUNT = HALF ? K::NE : K::NH, LIST = HALF ? K::E_BAND : K::H_BAND;
    const unsigned row_bytes = (b.nthread + 2 * HALO) * (unsigned)sizeof(real);
    if (b.server() == COPIES && lane == 0) barrier_expect(barrier, (unsigned)COUNT * row_bytes);
    for (int k = lane * COPYING + b.server(); k < COUNT; k += COPYING * WARP) {
      const real *row = from + shared<K>().field_place[LIST + k];
      if (HAS_WALLS) {
        const int ua = u + (HALF ? E_ROWS<T>.u[k] : H_ROWS<T>.u[k]), va = v0 + (HALF ? E_ROWS<T>.v[k] : H_ROWS<T>.v[k]);
        if (ua < 0 || ua > 2 * s.n[0] || va < 0 || va > 2 * s.n[1]) row = s.field + b.z0;
      }
      bulk_load(rows() + to + k * ROW, row - HALO, row_bytes, barrier);
    }
    __syncwarp();
  }

  /* Edge values, four sites at a time, by the lanes at the warp's ends. */
  METHOD void write_e_edges() {
    if constexpr (K::E_ROWS) {
      each<typename K::e_edge>([&](auto at) INLINE {
        SITE;
        *e_row<u, v>(0) = E(u, v);
      });
      return write_seams(e_row_of<K>(0), K::NE_ROWS, b.e_up, 1, b.e_down, 2);
    }
    four value;
    each<typename K::e_edge>([&](auto at) INLINE {
      SITE;
      constexpr int i = decltype(at)::number;
      value.at[i % 4] = E(u, v);
      if constexpr (i % 4 == 3 || i == K::e_edge::count - 1) {
        if (lane == 0) *(four *)(b.e_down + i / 4 * 4) = value;
        if (ORDER == 4 && lane == 1) *(four *)(b.e_down + K::EE + i / 4 * 4) = value;
        if (ORDER == 4 && lane == WARP - 1) *(four *)(b.e_up + 2 * K::EE + i / 4 * 4) = value;
      }
    });
  }
  METHOD void write_h_edges() {
    if constexpr (K::H_ROWS && !K::H_SHARED)
      each<typename K::h_edge>([&](auto at) INLINE {
        SITE;
        *h_row<u, v>(0) = H(u, v);
      });
    if constexpr (K::H_ROWS) return write_seams(h_row_of<K>(0), K::NH_ROWS, b.h_up, 2, b.h_down, 1);
    four value;
    each<typename K::h_edge>([&](auto at) INLINE {
      SITE;
      constexpr int i = decltype(at)::number;
      value.at[i % 4] = H(u, v);
      if constexpr (i % 4 == 3 || i == K::h_edge::count - 1) {
        if (lane == WARP - 1) *(four *)(b.h_up + i / 4 * 4) = value;
        if (ORDER == 4 && lane == WARP - 2) *(four *)(b.h_up + K::EH + i / 4 * 4) = value;
        if (ORDER == 4 && lane == 0) *(four *)(b.h_down + 2 * K::EH + i / 4 * 4) = value;
      }
    });
  }

  /* In a cluster, copies of the last values of these rows to the halo of the next block's, and of the first to the one's before. */
  METHOD void write_seams(const real *row, int count, real *up, int nup, real *down, int ndown) {
    if (up && lane >= WARP - nup)
#pragma unroll 1
      for (int i = 0; i < count; i++) up[i * ROW + HALO + zl - b.nthread] = row[i * ROW + HALO + zl];
    if (down && lane < ndown)
#pragma unroll 1
      for (int i = 0; i < count; i++) down[i * ROW + HALO + b.nthread + lane] = row[i * ROW + HALO + lane];
  }

  /* --- Tables of a step, filled by the threads that serve a half-step before they are read -------------------------------- */
  METHOD layer_at layer_of(int axis, int at) const {
    layer_at l = {-1, 0, 0, 0};
    if (at < s.first[axis] || at > s.last[axis]) return l;
    const int index = s.cpml[axis].index[at >> 1];
    if (index < 0) return l;
    l.at = (tor_gidx)index * (s.n[1 - axis] + 1) * 4 * s.nzp;
    l.ik = s.cpml[axis].ik[at];
    l.b = s.cpml[axis].b[at];
    l.c = s.cpml[axis].c[at];
    return l;
  }
  METHOD void fill_layer_x(int at_step, int u) {
    if (b.server() == PREPARES && lane < T::NU + 2 * S) shared<K>().layer_x[at_step & 1][lane] = layer_of(TOR_X, u + T::U0 + lane);
  }
  /* Coefficients of E's sites of the tile in the frame at u, for the threads that prepare, a site each; null beyond the last site. */
  METHOD const real *coef_of_site(int u) const {
    static_assert(K::SITES <= PREPARING_WARPS * WARP, "a site for each thread");
    const int i = zl - b.nthread - PREPARES * WARP;
    if (i >= K::SITES) return nullptr;
    const int ua = u + E_SITES<T>.u[i], va = v0 + E_SITES<T>.v[i], comp = component_at<1>(ua, va);
    const tor_gidx own = inside(s, ua, va) ? s.coef_at[column_of(s, ua, va)] : -1;
    return (own < 0 ? s.cb : s.coef + own) + (tor_gidx)comp * s.nzp;
  }
  METHOD void fill_coef(const real *site) {
    const int i = zl - b.nthread - PREPARES * WARP;
    if constexpr (K::COEF_ROWS) {
      const unsigned row_bytes = (unsigned)min(b.nthread, s.nzp - b.z0) * (unsigned)sizeof(real);
      if (i == 0) barrier_expect(&shared<K>().coef_came, (unsigned)K::SITES * row_bytes);
      if (site) bulk_load(shared<K>().coef_row[i], site + b.z0, row_bytes, &shared<K>().coef_came);
      __syncwarp();
    } else if (site) {
      shared<K>().coef[i] = site;
    }
  }
  /* cb at E's site number I of this half-step. */
  template <int I> METHOD real coefficient(int comp) const {
    if constexpr (K::COEF_ROWS)
      return advances(comp) ? shared<K>().coef_row[I][zl] : (real)0;
    else
      return r.coef_ahead[I];
  }

  /* --- A site's differences ----------------------------------------------------------------------------------------------- */
  /* Memory of CPML along z at an own site. */
  template <int HALF, int U, int V> METHOD real &psi_at() {
    if constexpr (!K::PSI_SHARED)
      return HALF ? r.psi_e[U - T::U0][V - T::V0] : r.psi_h[U - T::U0][V - T::V0];
    else if constexpr (HALF)
      return shared<K>().psi_e[K::e_across::number(U, V)][in_layer];
    else
      return shared<K>().psi_h[K::h_across::number(U, V)][in_layer];
  }
  /* Stretches a difference along z at a site of a half-step; its memory moves to the tile's next frame. */
  template <int HALF, class At> METHOD real stretch(At at, real diff) {
    SITE;
    real psi;
    if constexpr (HALF ? T::e_enters(u, v) : T::h_enters(u, v))
      psi = r.psi_entering[HALF ? K::e_enters::number(u, v) : K::h_enters::number(u, v)];
    else
      psi = psi_at<HALF, HALF ? u + 2 * S : u, v>();
    psi = tor_cpml_memory(cpml_b[!HALF], cpml_c[!HALF], psi, diff);
    psi_at<HALF, HALF ? u : u - 2 * S, v>() = psi;
    if constexpr (HALF ? T::e_leaves(u, v) : T::h_leaves(u, v))
      psi_corner[shared<K>().psi_place[HALF ? K::E_LEAVES + K::e_leaves::number(u, v) : K::H_LEAVES + K::h_leaves::number(u, v)]] = psi;
    return tor_cpml_stretch(ik[!HALF], diff, psi);
  }

  /* Values a (ahead), b (behind), c, d (three half cells) of component OF around half-cell `at` along AXIS, where some are images. */
  template <int AXIS, int OF> METHOD void reflect(int at, real &a, real &b_, real &c, real &d) const {
    const int lo = at, hi = 2 * s.n[AXIS] - at;
    const bool minus_lo = (s.pmc[2 * AXIS] != 0) == comp_is_h(OF), minus_hi = (s.pmc[2 * AXIS + 1] != 0) == comp_is_h(OF);
    if (lo == 0) b_ = minus_lo ? -a : a;
    if (hi == 0) a = minus_hi ? -b_ : b_;
    if (ORDER == 4) {
      if (lo <= 2) {
        const real image = lo == 0 ? c : lo == 1 ? a : b_;
        d = minus_lo ? -image : image;
      }
      if (hi <= 2) {
        const real image = hi == 0 ? d : hi == 1 ? b_ : a;
        c = minus_hi ? -image : image;
      }
    }
  }

  /* Place of psi along AXIS (x or y) of component COMP at (u, v) in the frame of HALF; null where no layer acts. */
  template <int HALF, int AXIS> METHOD const layer_at &layer_here(int u, int v) const {
    return AXIS == TOR_X ? shared<K>().layer_x[step & 1][u - T::U0 + HALF * 2 * S] : shared<K>().layer_y[v - T::V0];
  }
  template <int HALF, int COMP, int AXIS> METHOD real *psi_address(tor_gidx layer, int u, int v) const {
    constexpr int place = comp_axis(COMP) - (comp_axis(COMP) > AXIS) + 2 * comp_is_h(COMP);
    const int along = AXIS == TOR_X ? (v0 + v) >> 1 : (u0 + HALF * 2 * S + u) >> 1;
    return s.psi[AXIS] + layer + (tor_gidx)(along * 4 + place) * s.nzp + z;
  }

  template <int HALF, int COMP, int WHICH, int I> METHOD void load_psi(int u, int v) {
    constexpr int axis = curl_axis(COMP, WHICH);
    if constexpr (axis != TOR_Z) {
      const tor_gidx at = layer_here<HALF, axis>(u, v).at;
      r.psi_ahead[WHICH][I] = load_if(at >= 0 && in<HALF>(u, v) && is_valid(COMP), psi_address<HALF, COMP, axis>(at, u, v));
    }
  }
  /* Starts to load what site number I of a half-step needs. */
  template <int HALF, int I> METHOD void load_ahead() {
    using list = std::conditional_t<HALF, typename K::e_own, typename K::h_next>;
    if constexpr (I < K::SITES) {
      constexpr int u = list::list.u[I], v = list::list.v[I], comp = comp_at(HALF, u, v);
      if constexpr (HAS_COEF && HALF && !K::COEF_ROWS) r.coef_ahead[I] = load_if(advances(comp), shared<K>().coef[I] + z);
      if constexpr (HAS_LAYERS) {
        load_psi<HALF, comp, 0, I>(u, v);
        load_psi<HALF, comp, 1, I>(u, v);
      }
    }
  }

  /* Along x or y, WHICH difference of component COMP of half-step HALF at site number I. */
  template <int HALF, int COMP, int WHICH, int I> METHOD real difference_across(int u, int v) {
    constexpr int axis = curl_axis(COMP, WHICH), du = axis == TOR_X, dv = axis == TOR_Y, of = curl_of(COMP, WHICH);
    auto value = [&](int k) INLINE { return HALF ? H(u + k * du, v + k * dv) : E(u + k * du, v + k * dv); };
    real a = value(1), b_ = value(-1), c = 0, d = 0;
    if constexpr (ORDER == 4) {
      c = value(3);
      d = value(-3);
    }
    if constexpr (HAS_WALLS) {
      const int at = axis == TOR_X ? u0 + HALF * 2 * S + u : v0 + v;
      constexpr int near = ORDER == 4 ? 2 : 0;
      if (at <= near || at >= 2 * s.n[axis] - near) reflect<axis, of>(at, a, b_, c, d);
    }
    real diff = tor_difference(ORDER, a, b_, c, d);
    if constexpr (HAS_LAYERS) {
      const layer_at &l = layer_here<HALF, axis>(u, v);
      if (l.at >= 0 && in<HALF>(u, v)) {
        const real psi = tor_cpml_memory(l.b, l.c, r.psi_ahead[WHICH][I], diff);
        store_if(is_valid(COMP), psi_address<HALF, COMP, axis>(l.at, u, v), psi);
        diff = tor_cpml_stretch(l.ik, diff, psi);
      }
    }
    return diff;
  }

  /* E_ROWS, H_ROWS: where the neighbours along z lie in a row, counted from this thread's value, and with which sign: at a wall the image's.
   * A sign is a factor in an fma, which changes no bit of the difference. */
  int e_over, e_under, h_under, h_over, h_below;
  real e_over_sign, e_under_sign, h_under_sign, h_over_sign, h_below_sign;
  METHOD void find_images() {
    const real lo = HAS_WALLS && s.pmc[TOR_ZLO] ? (real)1 : (real)-1, hi = HAS_WALLS && s.pmc[TOR_ZHI] ? (real)1 : (real)-1;
    auto set = [&](int &at, real &sign, bool image, int there, real with, int else_at) INLINE {
      at = image ? there : else_at;
      sign = image ? with : (real)1;
    };
    set(e_over, e_over_sign, z == n - 1, 0, hi, 2);
    set(e_under, e_under_sign, z == 0, 1, lo, -1);
    set(h_under, h_under_sign, z == 0, 0, -lo, -1);
    set(h_over, h_over_sign, z == n - 1 || (HAS_WALLS && z == n), z == n ? -2 : 0, -hi, 1);
    set(h_below, h_below_sign, z <= 1, z == 0 ? 1 : -1, -lo, -2);
  }
  METHOD real e_difference_rows(const real *row, real here) const {
    real diff = row[1] - here;
    if (ORDER == 4) diff = TOR_FMA((real)(-1.0 / 27.0), TOR_FMA(e_over_sign, row[e_over], -(e_under_sign * row[e_under])), diff);
    return diff;
  }
  METHOD real h_difference_rows(const real *row, real here) const {
    const real down = row[h_under];
    if (HAS_WALLS && z == n) here = s.pmc[TOR_ZHI] ? -down : down; /* advanced behind a PMC only */
    real diff = TOR_FMA(-h_under_sign, down, here);
    if (ORDER == 4) diff = TOR_FMA((real)(-1.0 / 27.0), TOR_FMA(h_over_sign, row[h_over], -(h_below_sign * row[h_below])), diff);
    return diff;
  }

  four next, over, under; /* values of the lanes beyond the warp's ends */

  /* Along z, of E for H at (u, v). */
  template <class At> METHOD real e_difference_z(At at) {
    constexpr int u = At::u, v = At::v;
    if constexpr (K::E_ROWS) return e_difference_rows(e_row<u, v>(b.flip), E(u, v));
    real up, up2 = 0, down = 0;
    if constexpr (T::e_own(u, v)) {
      constexpr int i = K::e_edge::number(u, v);
      if constexpr (i % 4 == 0) {
        next = *(const four *)(e_edges<K>(warp + 2, 0) + i);
        if (ORDER == 4) {
          over = *(const four *)(e_edges<K>(warp + 2, 1) + i);
          under = *(const four *)(e_edges<K>(warp, 2) + i);
        }
      }
      up = __shfl_down_sync(~0u, E(u, v), 1);
      if (lane == WARP - 1) up = next.at[i % 4];
      if (ORDER == 4) {
        up2 = __shfl_down_sync(~0u, E(u, v), 2);
        if (lane == WARP - 2) up2 = next.at[i % 4];
        if (lane == WARP - 1) up2 = over.at[i % 4];
        down = __shfl_up_sync(~0u, E(u, v), 1);
        if (lane == 0) down = under.at[i % 4];
      }
    } else {
      const real *row = e_row<u, v>(b.flip);
      up = row[1];
      if (ORDER == 4) {
        up2 = row[2];
        down = row[-1];
      }
    }
    if (ORDER == 4 && z == n - 1) up2 = HAS_WALLS && s.pmc[TOR_ZHI] ? E(u, v) : -E(u, v);
    if (ORDER == 4 && z == 0) down = HAS_WALLS && s.pmc[TOR_ZLO] ? up : -up;
    return tor_difference(ORDER, up, E(u, v), up2, down);
  }

  /* Along z, of H for E at (u, v). */
  template <class At> METHOD real h_difference_z(At at) {
    SITE;
    if constexpr (K::H_ROWS) return h_difference_rows(h_row<u, v>(b.flip), H(u, v));
    real here = H(u, v), down, down2 = 0, up = 0;
    if constexpr (T::h_own(u, v)) {
      constexpr int i = K::h_edge::number(u, v);
      if constexpr (i % 4 == 0) {
        next = *(const four *)(h_edges<K>(warp, 0) + i);
        if (ORDER == 4) {
          over = *(const four *)(h_edges<K>(warp, 1) + i);
          under = *(const four *)(h_edges<K>(warp + 2, 2) + i);
        }
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
    } else {
      const real *row = h_row<u, v>(b.flip);
      down = row[-1];
      if (ORDER == 4) {
        down2 = row[-2];
        up = row[1];
      }
    }
    const bool minus_lo = HAS_WALLS && s.pmc[TOR_ZLO], minus_hi = HAS_WALLS && s.pmc[TOR_ZHI];
    if (z == 0) {
      down = minus_lo ? -here : here;
      down2 = minus_lo ? -up : up;
    }
    if (ORDER == 4 && z == 1) down2 = minus_lo ? -down : down;
    if (ORDER == 4 && z == n - 1) up = minus_hi ? -here : here;
    if (HAS_WALLS && z == n) { /* advanced behind a PMC only */
      here = minus_hi ? -down : down;
      up = minus_hi ? -down2 : down2;
    }
    return tor_difference(ORDER, here, down, up, down2);
  }

  template <int HALF, bool LAYER, int COMP, int WHICH, int I, class At> METHOD real difference(At at) {
    SITE;
    if constexpr (curl_axis(COMP, WHICH) != TOR_Z) {
      return difference_across<HALF, COMP, WHICH, I>(u, v);
    } else {
      real diff;
      if constexpr (HALF)
        diff = h_difference_z(at);
      else
        diff = e_difference_z(at);
      if constexpr (LAYER)
        if (layer && in<HALF>(u, v)) diff = stretch<HALF>(at, diff);
      return diff;
    }
  }

  /* --- Half a step ------------------------------------------------------------------------------------------------------- */
  template <int HALF, int I> METHOD void leave(int u, int v, real value) {
    constexpr int LIST = HALF ? K::E_LEAVES : K::H_LEAVES;
    store_if(is_valid(HALF ? component_of<1>(u, v) : component_of<0>(u, v)) && in<HALF>(u, v), at_corner + shared<K>().field_place[LIST + I], value);
  }
  template <int HALF> static constexpr int component_of(int u, int v) { return comp_at(HALF, u, v); }

  template <int U, int V> METHOD real &own_h() const {
    if constexpr (K::H_SHARED)
      return *h_row<U, V>(0);
    else
      return H(U, V);
  }
  template <int HALF, int U, int V> METHOD real &after() const {
    if constexpr (HALF)
      return E(U, V);
    else
      return own_h<U - 2 * S, V>();
  }

  /* Takes values number FIRST to PAST of first_uses into registers. */
  template <int HALF, int FIRST, size_t... I> METHOD void take_values(std::index_sequence<I...>) {
    (take_value<HALF, uses_of<T, HALF>::list.u[FIRST + (int)I], uses_of<T, HALF>::list.v[FIRST + (int)I]>(), ...);
  }
  template <int HALF, int U, int V> METHOD void take_value() {
    if constexpr (!HALF)
      E(U, V) = *e_row<U, V>(b.flip);
    else if constexpr (K::H_SHARED || !T::h_own(U, V))
      H(U, V) = *h_row<U, V>(b.flip);
  }
  /* Those that sites FROM to TO - 1 of the half-step are the first to use. */
  template <int HALF, int FROM, int TO> METHOD void take_uses() {
    constexpr int from = FROM < K::SITES ? FROM : K::SITES, to = TO < K::SITES ? TO : K::SITES;
    constexpr int first = uses_of<T, HALF>::list.start[from], past = uses_of<T, HALF>::list.start[to];
    take_values<HALF, first>(std::make_index_sequence<(size_t)(past - first)>{});
  }

  /* Before site number I of a half-step: waits for the rows of the band if it is the first to use them, and takes what comes next. */
  template <int HALF, int I> METHOD void take_rows() {
    using list = std::conditional_t<HALF, typename K::e_own, typename K::h_next>;
    constexpr int EARLY = list::list.early;
    if constexpr (I == (K::AS_USED ? EARLY - ROWS_AHEAD : EARLY)) {
      unsigned &phase = HALF ? b.h_phase : b.e_phase;
      barrier_wait(&(HALF ? shared<K>().h_came : shared<K>().e_came)[b.flip], phase >> b.flip & 1);
      phase ^= 1u << b.flip;
      if constexpr (!K::AS_USED)
        each<std::conditional_t<HALF, typename K::h_band, typename K::e_band>>(
            [&](auto at) INLINE { take_value<HALF, decltype(at)::u, decltype(at)::v>(); });
    }
    if constexpr (K::AS_USED) take_uses<HALF, I + ROWS_AHEAD, I + ROWS_AHEAD + 1>();
  }

  template <int HALF, bool LAYER, class At> METHOD void advance_site_at(At at) {
    SITE;
    constexpr int comp = comp_at(HALF, u, v), i = decltype(at)::number;
    load_ahead<HALF, i + AHEAD>();
    take_rows<HALF, i>();
    real curl = difference<HALF, LAYER, comp, 0, i>(at);
    curl = curl - difference<HALF, LAYER, comp, 1, i>(at);
    real before;
    if constexpr (HALF)
      before = E(u + 2 * S, v);
    else if constexpr (K::H_SHARED || !T::h_own(u, v))
      before = *h_row<u, v>(1 ^ b.flip);
    else
      before = H(u, v);
    real cb_here = cb[comp];
    if constexpr (HAS_COEF && HALF) cb_here = coefficient<i>(comp);
    real value = tor_advance(before, cb_here, curl);
    if (HAS_WALLS && !in<HALF>(u, v)) value = 0;
    after<HALF, u, v>() = value;
    if constexpr (HAS_ITEMS) {
      constexpr int k = i % exchange<K>::GROUP;
      if (items.has(i)) {
        exchange_row<K>(k, 0)[zl] = curl;
        exchange_row<K>(k, 1)[zl] = before;
      }
      if constexpr (k == exchange<K>::GROUP - 1 || i == K::SITES - 1) take_items<HALF, i / exchange<K>::GROUP>();
    }
    if constexpr (!HAS_ITEMS && (HALF ? T::e_leaves(u, v) : T::h_leaves(u, v)))
      leave<HALF, HALF ? K::e_leaves::number(u, v) : K::h_leaves::number(u, v)>(u, v, value);
  }

  /* Works off the items of a group of sites and takes their new values. */
  template <int HALF, int GROUP> METHOD void take_items() {
    work_off<K, HALF, GROUP>(s, b, step & 1, first_step + step, u0 + HALF * 2 * S, v0);
    each<std::conditional_t<HALF, typename K::e_own, typename K::h_next>>([&](auto at) INLINE {
      SITE;
      constexpr int i = decltype(at)::number;
      if constexpr (i / exchange<K>::GROUP == GROUP)
        if (items.has(i)) after<HALF, u, v>() = is_valid(comp_at(HALF, u, v)) ? exchange_row<K>(i % exchange<K>::GROUP, 0)[zl] : (real)0;
    });
  }

  /* H of the frame at u0, or E of the moved frame; the field's corner is the frame's. LAYER: CPML along z acts in this warp. */
  template <int HALF, bool LAYER> METHOD void half_step() {
    at_corner = opaque(corner + zl);
    using entering = std::conditional_t<HALF, typename K::e_enters, typename K::h_enters>;
    using leaving = std::conditional_t<HALF, typename K::e_leaves, typename K::h_leaves>;
    if constexpr (LAYER)
      each<entering>([&](auto at) INLINE {
        SITE;
        constexpr int i = decltype(at)::number;
        r.psi_entering[i] = load_if(layer && in<HALF>(u, v), psi_corner + shared<K>().psi_place[(HALF ? K::E_ENTERS : K::H_ENTERS) + i]);
      });
    if constexpr (K::AS_USED) take_uses<HALF, 0, ROWS_AHEAD>();
    if constexpr (HAS_ITEMS) items = shared<K>().items.mask[HALF][warp];
    if constexpr (HAS_COEF && HALF && K::COEF_ROWS) barrier_wait(&shared<K>().coef_came, b.coef_phase++ & 1);
    if constexpr (HAS_LAYERS || (HAS_COEF && HALF && !K::COEF_ROWS)) start_loads<HALF>(std::make_index_sequence<AHEAD>{});
    each<std::conditional_t<HALF, typename K::e_own, typename K::h_next>>([&](auto at) INLINE { advance_site_at<HALF, LAYER>(at); });
    if constexpr (HAS_ITEMS)
      each<leaving>([&](auto at) INLINE {
        SITE;
        leave<HALF, decltype(at)::number>(u, v, after<HALF, u, v>());
      });
    if constexpr (HALF)
      write_e_edges();
    else
      write_h_edges();
  }
  template <int HALF, size_t... I> METHOD void start_loads(std::index_sequence<I...>) { (load_ahead<HALF, (int)I>(), ...); }

  /* --- The tile comes and goes ---------------------------------------------------------------------------------------------- */
  METHOD void load() {
    auto get = [&](auto at, auto half, real &value) INLINE {
      SITE;
      constexpr int HALF = decltype(half)::value, comp = comp_at(HALF, u, v);
      value = is_valid(comp) && in<0>(u, v) ? corner[offset(u, v, comp) + zl] : (real)0;
      if constexpr (K::LAYER_Z && comp_axis(comp) != TOR_Z)
        if (layer && in<0>(u, v)) psi_at<HALF, u, v>() = psi_corner[psi_offset(u, v, comp)];
    };
    each<typename K::e_own>([&](auto at) INLINE { get(at, constant<1>{}, E(decltype(at)::u, decltype(at)::v)); });
    each<typename K::h_own>([&](auto at) INLINE { get(at, constant<0>{}, own_h<decltype(at)::u, decltype(at)::v>()); });
  }
  /* What stays in the tile in the next step: the rest has been stored when it left. */
  METHOD void store() {
    auto put = [&](auto at, auto half, real value) INLINE {
      SITE;
      constexpr int HALF = decltype(half)::value, comp = comp_at(HALF, u, v);
      if constexpr (HALF ? T::e_next(u, v) : T::h_next(u, v)) {
        if (is_valid(comp) && in<0>(u, v)) corner[offset(u, v, comp) + zl] = value;
        if constexpr (K::LAYER_Z && comp_axis(comp) != TOR_Z)
          if (layer && in<0>(u, v)) psi_corner[psi_offset(u, v, comp)] = psi_at<HALF, u, v>();
      }
    };
    each<typename K::e_own>([&](auto at) INLINE { put(at, constant<1>{}, E(decltype(at)::u, decltype(at)::v)); });
    each<typename K::h_own>([&](auto at) INLINE { put(at, constant<0>{}, own_h<decltype(at)::u, decltype(at)::v>()); });
  }

  /* --- Steps ------------------------------------------------------------------------------------------------------------------ */
  METHOD void move_on() {
    b.flip ^= K::BUFFERS - 1;
    step++;
    u0 += 2 * S;
  }

  /* The part of the warps that serve; compute(): the others'. */
  template <class Look, class Stays> METHOD void serve(const Look &look_at, const Stays &stays) {
    uint64_t *const e_came = shared<K>().e_came, *const h_came = shared<K>().h_came;
    const bool copies = b.server() < COPYING, prepares = b.prepares();
    if (copies) {
      issue<1>(e_rows(b.flip), corner, u0, &e_came[b.flip]);
      issue<0>(h_rows(1 ^ b.flip), corner, u0, &h_came[1 ^ b.flip]);
      if constexpr (K::BUFFERS == 2) issue<0>(h_rows(b.flip), corner + S * sx, u0 + 2 * S, &h_came[b.flip]);
    }
    if constexpr (HAS_LAYERS) {
      fill_layer_x(step, u0);
      if (b.server() == LISTS && lane < T::NV) shared<K>().layer_y[lane] = layer_of(TOR_Y, v0 + T::V0 + lane);
    }
    if constexpr (HAS_ITEMS) {
      if (b.server() == PREPARES && lane < 4) shared<K>().items.count[lane / 2][lane % 2] = 0;
      if (prepares) {
        wait_at(PREPARING, PREPARING_WARPS * WARP);
        list_half_step<0>(step);
      }
    }
    b.sync();
    const real *coef_here = nullptr;
    if constexpr (HAS_COEF)
      if (prepares) coef_here = coef_of_site(u0 + 2 * S);
    auto look = look_at(step + 1);
    for (bool more = true; more;) {
      const auto ahead = look_at(step + 2);
      more = stays(look, ahead);
      look = ahead;
      if (prepares) {
        if (zl == b.nthread + PREPARES * WARP) shared<K>().more = more;
        if constexpr (HAS_COEF) {
          fill_coef(coef_here);
          coef_here = coef_of_site(u0 + 4 * S);
        }
        if constexpr (HAS_LAYERS) fill_layer_x(step + 1, u0 + 2 * S);
        if constexpr (HAS_ITEMS) list_half_step<1>(step);
      }
      b.prepared_step();
      if (K::BUFFERS == 2 && copies && more) {
        b.wait_for_neighbours(step + 2);
        issue<1>(e_rows(1 ^ b.flip), corner + S * sx, u0 + 2 * S, &e_came[1 ^ b.flip]);
      }
      b.wait_for_h();
      if (K::BUFFERS == 2 && copies && more) issue<0>(h_rows(1 ^ b.flip), corner + 2 * S * sx, u0 + 4 * S, &h_came[1 ^ b.flip]);
      if (K::BUFFERS == 1 && copies) {
        issue<0>(h_rows(0), corner + S * sx, u0 + 2 * S, &h_came[0]);
        if (more) {
          b.wait_for_neighbours(step + 2);
          issue<1>(e_rows(0), corner + S * sx, u0 + 2 * S, &e_came[0]);
        }
      }
      corner += S * sx;
      move_on();
      if constexpr (HAS_ITEMS)
        if (more && prepares) list_half_step<0>(step);
      b.template wait_for_e<HAS_ITEMS>();
      if (more) b.report(step);
    }
    b.sync();
  }
  /* Lists the items of half a step, in the frame that has been moved to by then, and clears the count of the list after. */
  template <int HALF> METHOD void list_half_step(int at_step) {
    if (zl == b.nthread + PREPARES * WARP) shared<K>().items.count[(at_step + 1) & 1][HALF] = 0;
    list_items<K, HALF>(s, b, b.server() - PREPARES, at_step & 1, u0 + HALF * 2 * S, v0, s.sampled[first_step + at_step]);
  }

  METHOD void compute() {
    const bool in_layers = K::LAYER_Z && __any_sync(~0u, layer);
    barrier_wait(&shared<K>().h_came[1 ^ b.flip], b.h_phase >> (1 ^ b.flip) & 1);
    b.h_phase ^= 2u >> b.flip;
    load();
    write_e_edges();
    b.sync();
    for (bool more = true; more;) {
      if (in_layers)
        half_step<0, K::LAYER_Z>();
      else
        half_step<0, false>();
      b.computed_h();
      more = __any_sync(~0u, shared<K>().more); /* the same for all; the vote tells the compiler so */
      psi_corner += S * psi_sx;
      corner += S * sx;
      if (in_layers)
        half_step<1, K::LAYER_Z>();
      else
        half_step<1, false>();
      move_on();
      if (HAS_WALLS) find_in_u();
      b.template computed_e<HAS_ITEMS>();
    }
    store();
    b.sync();
  }
#undef E
#undef H
#undef SITE
};

/* Runs steps for as long as `stays` tells that the tile of a step, and of the one after it, is for this body. Returns the first step not
 * done. SERVES: this warp serves the others. */
template <class K, int NEEDS, bool SERVES, class Look, class Stays>
POINT_FN int run_body(const tor_gpu_view &s, tower_block<K> &b, int first_step, int step, int u0, int v0, const Look &look_at, const Stays &stays) {
  typename tile_arrays<K>::square e, h, psi_e, psi_h;
  typename tile_arrays<K>::list psi_entering, coef_ahead, psi_ahead[2];
  tower_tile<K, NEEDS> tile(s, b, first_step, step, u0, v0, {e, h, psi_e, psi_h, psi_entering, coef_ahead, psi_ahead});
  if constexpr (SERVES)
    tile.serve(look_at, stays);
  else
    tile.compute();
  return tile.step;
}

#endif
