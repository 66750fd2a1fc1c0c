/* A tower's tile in registers: a thread's part of it, its place in memory, how it is loaded and stored. The operations
 * on it are in reg_difference.cuh, reg_step.cuh and reg_helper_warp.cuh. */
#ifndef TOR_DIAMOND_GPU_TOWER_REG_REG_TILE_CUH
#define TOR_DIAMOND_GPU_TOWER_REG_REG_TILE_CUH

#include "diamond/gpu/tower_reg/reg_special_work.cuh"

/* The tile's arrays are filled by inlined functions that the front end does not look into. */
#pragma nv_diag_suppress 549

/* The lists whose sites are borrowed, for look-up at run time. */
template <class T> static __device__ constexpr site_list<T, T::e_own> E_SITES{};
template <class T> static __device__ constexpr site_list<T, T::h_next> H_SITES{};
template <class T> static __device__ constexpr site_list<T, T::e_band> E_ROWS{};
template <class T> static __device__ constexpr site_list<T, T::h_band> H_ROWS{};
template <class T> static __device__ constexpr site_list<T, T::e_leaves> E_LEAVING{};
template <class T> static __device__ constexpr site_list<T, T::h_leaves> H_LEAVING{};
template <class T> static __device__ constexpr site_list<T, T::e_enters> E_ENTERING{};
template <class T> static __device__ constexpr site_list<T, T::h_enters> H_ENTERING{};

template <int VALUE> struct constant {
  static constexpr int value = VALUE;
};

/* A tile's values. Indexed by constants only, so that what is used of them lies in registers; arrays of their own,
 * because the compiler does not take apart a structure with so many uses. */
template <class K> struct tile_arrays {
  typedef real square[K::T::NU][K::T::NV];
  typedef real list[K::SITES];
  square &e, &h, &psi_e, &psi_h;
  list &psi_entering, &psi_z, &coef_ahead;
  list (&psi_ahead)[2], (&beyond)[2];
};

/* Bloch walls: a thread's values of the other part, and the factors across seams; see reg_seam.cuh. */
template <class K> struct seam_values {
  four next, over, under;        /* CROSSES_Z: of the threads beyond the ends of z */
  int place;                     /* seam_places that the tile meets */
  real turn_cos[2], turn_sin[2]; /* tor_bloch's factors of y and z, upwards */
  tor_gidx to_other;             /* how far the other part's field is from this one's */
  const int part, first, z, n;   /* first: step of the body */

  METHOD seam_values(const tor_gpu_view &s, int part_, int first_, int v0, int z_);
  /* Of the same of either part, the block's. */
  METHOD real *part_of(real *real_part, real *imaginary) const { return K::BLOCH && part ? imaginary : real_part; }
  /* The place of a value's ghost value, so far from it. */
  METHOD tor_gidx beyond_end(int ghost) const { return K::CROSSES_Z ? ghost + to_other : ghost; }
  METHOD real turned(int axis, int above, real own, real other) const;
  METHOD bool is_beyond(int shift) const { return z < n && (shift > 0 ? z + shift >= n : z + shift < 0); }
  METHOD void turn_at_end(int shift, real &value, real other) const;
  METHOD real across_end(const real *row, int shift) const;
};

/* NEEDS: the tile_needs that this body covers. */
template <class K, int NEEDS> struct tower_tile {
  using T = typename K::T;
  static constexpr int S = K::S, R = K::R, ROW = K::ROW, ORDER = K::ORDER;
  static constexpr bool HAS_WALLS = NEEDS & WALLS, HAS_COEF = NEEDS & COEF, HAS_ITEMS = NEEDS & ITEMS,
                        HAS_IMAGES = NEEDS & GHOSTS, HAS_CPML = NEEDS & IN_CPML, HAS_PLANES = NEEDS & PLANES;
  static constexpr bool has_layers(int axis) {
    return NEEDS & (axis == TOR_X ? IN_CPML_X : axis == TOR_Y ? IN_CPML_Y : 0);
  }
  static constexpr bool HAS_SEAMS = K::BLOCH && HAS_WALLS;
  static constexpr int COPYING = copying_warps(HAS_ITEMS);
  /* Where new values pass through rows of shared memory, those of all sites do: then they need no registers while items
   * are processed. */
  static constexpr bool EXCHANGES_ALL = HAS_ITEMS && exchanged_in_shared<K, 0, 0>() && exchanged_in_shared<K, 1, 0>();
  /* Sites between a load and its use: of a coefficient or of psi of x and y; of a row; of psi of z. */
  enum { AHEAD = 6, ROWS_AHEAD = 2, PSI_AHEAD = K::PSI_SHARED ? 3 : 0 };

  tile_arrays<K> r;
  const tor_gpu_view &s;
  tower_block<K> &b;
  const int zl, z, lane, warp, n;
  const int first_step; /* of the stage, less the run's */
  const int v0;
  int u0, step;
  bool valid[2]; /* at half cells and at nodes of z */
  tor_gidx sx, psi_sx;
  real *corner;                 /* the field's at the tile's corner; for helper warps */
  real *at_corner, *psi_corner; /* this thread's values there, of the field and of psi of z; all move with the tile */
  real cb[TOR_NCOMP];
  bool layer;                       /* CPML along z acts on this thread */
  int in_cpml;                      /* the thread's number among those of the block */
  real ik[2], cpml_b[2], cpml_c[2]; /* at nodes, at half cells */
  real damping[2];                  /* the absorbers' factor p_z at nodes, at half cells */
  unsigned in_u[2], in_v;           /* WALLS: a bit for each u from U0 on: is it advanced? in the frames of H and E */
  unsigned in_cpml_u, in_cpml_v;    /* layers: a bit for each u and v from U0, V0 on, in this half-step */
  int psi_row;                      /* layers: values of psi from row to row */
  real *psi_x, *psi_y;              /* this thread's values in row 0: of x, of y at the frame's corner */
  /* PLANES: of this thread's z, four bits a component: how many planes inject there, the first one's number or
   * MOST_PLANES; 1 + the number of the one that records, or 0. */
  unsigned injecting, first_inject, first_record;
  bool in_planes;         /* some of the warp's threads have any */
  bool more;              /* the body runs another step; known from the middle of a step on */
  bool works;             /* the block has items in this half-step */
  real *exchange_at;      /* this thread's value in the exchange rows in global memory */
  site_mask items;        /* of this warp, in this half-step: sites on a list */
  four next, over, under; /* values of the lanes beyond the warp's ends */
  seam_values<K> seams;   /* BLOCH */
  /* E_ROWS, H_ROWS: where the neighbours along z lie in a row, counted from this thread's value, and with which sign:
   * at a wall the ghost value's. A sign is a factor in an fma, which changes no bit of the difference. */
  int e_over, e_under, h_under, h_over, h_below;
  int e_up;                             /* SEGMENTS: the next value in a row; else 1 */
  int ghost, row_at, top, above, below; /* WRAPS: see find_ends */
  real e_over_sign, e_under_sign, h_under_sign, h_over_sign, h_below_sign;

  /* Values at (u, v), which are known when the tile's functions are compiled. */
  METHOD real &e_at(int u, int v) const { return r.e[u - T::U0][v - T::V0]; }
  METHOD real &h_at(int u, int v) const { return r.h[u - T::U0][v - T::V0]; }

  METHOD tower_tile(const tor_gpu_view &view, tower_block<K> &block, int first, int at_step, int u, int v,
                    const tile_arrays<K> &arrays)
      : r(arrays), s(view), b(block), zl(launder_place(threadIdx.x)), z(block.z0 + zl), lane(threadIdx.x % WARP),
        warp(threadIdx.x / WARP), n(view.n[2]), first_step(first), v0(v), u0(u), step(at_step),
        seams(view, block.part, at_step, v, block.z0 + zl) {
    valid[0] = K::SEGMENTS ? z < n && z % s.pitch < s.period : z < n;
    valid[1] = HAS_IMAGES && !K::SEGMENTS ? z < n + s.pmc[TOR_ZHI] : valid[0];
    sx = (tor_gidx)s.stride * TOR_NCOMP * s.nzp;
    psi_sx = (tor_gidx)s.stride * 4 * npz();
    corner = seams.part_of(s.field, s.other_field) + column_of(s, u0, v0) * TOR_NCOMP * s.nzp + b.z0;
    at_corner = launder(corner + zl);
    psi_corner = seams.part_of(s.psi[TOR_Z], s.other_psi[TOR_Z]) + column_of(s, u0, v0) * 4 * npz() +
                 (z < s.zlo ? z : z + s.zlo - s.zhi0);
#pragma unroll
    for (int c = 0; c < TOR_NCOMP; c++) cb[c] = advances(c) ? s.cb[c * s.nzp + z] : (real)0;
    layer = K::IN_CPML_Z && z < n && (z < s.zlo || (s.zhi && z >= s.zhi0));
    in_cpml = TOR_GPU_MOST_CPML;
    if (layer) in_cpml = z < s.zlo ? zl : z - max(s.zhi0, b.z0) + max(0, min(s.zlo - b.z0, b.nthread));
#pragma unroll
    for (int i = 0; i < 2; i++) {
      ik[i] = layer ? s.cpml[TOR_Z].ik[i * s.nzp + z] : (real)1;
      cpml_b[i] = layer ? s.cpml[TOR_Z].b[i * s.nzp + z] : (real)0;
      cpml_c[i] = layer ? s.cpml[TOR_Z].c[i * s.nzp + z] : (real)0;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) damping[i] = K::DAMPED && z <= n ? s.damping[TOR_Z][i * s.nzp + z] : (real)1;
    find_ends();
    if (K::E_ROWS || K::H_ROWS || K::SEGMENTS) find_ghosts();
    if (HAS_PLANES) find_planes();
    if (HAS_WALLS) {
      in_v = s.periodic[TOR_Y] ? ~0u : bits_between(s.first[1] - v0 - T::V0, s.last[1] - v0 - T::V0);
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
  /* A site's column along y, counted from the corner's. */
  METHOD int column_y(int v) const { return (v >> 1) + (HAS_WALLS ? turn_y(s, v0 + v) : 0); }
  METHOD tor_gidx offset(int u, int v, int comp) const {
    return (u >> 1) * sx + (column_y(v) * TOR_NCOMP + comp) * s.nzp;
  }
  METHOD tor_gidx psi_offset(int u, int v, int comp) const {
    return (u >> 1) * psi_sx + (column_y(v) * 4 + comp_axis(comp) + 2 * comp_is_h(comp)) * npz();
  }
  static constexpr bool at_nodes(int comp) { return comp_is_h(comp) == (comp_axis(comp) == TOR_Z); }
  METHOD bool is_valid(int comp) const { return valid[at_nodes(comp)]; }
  /* A PEC's own values stay 0. */
  METHOD bool advances(int comp) const {
    return is_valid(comp) &&
           !(!K::WRAPS && z == 0 && (comp == TOR_EX || comp == TOR_EY) && !(HAS_IMAGES && s.pmc[TOR_ZLO]));
  }
  /* Is the site (u, v) of a half-step's frame advanced? The same for all threads. */
  template <int HALF> METHOD bool in(int u, int v) const {
    return !HAS_WALLS || ((in_u[HALF] >> (u - T::U0)) & (in_v >> (v - T::V0)) & 1);
  }

  static METHOD int e_rows(int flip) { return K::BUFFERS == 2 ? flip * (K::NE * ROW) : 0; }
  static METHOD int h_rows(int flip) { return K::BUFFERS * K::NE * ROW + (K::BUFFERS == 2 ? flip * (K::NH * ROW) : 0); }
  static METHOD real *rows() { return (real *)block_bytes(); }
  /* This thread's value in a row; of the band, in one of its buffers. */
  template <int U, int V> METHOD real *e_row(int flip) const {
    if constexpr (T::e_own(U, V))
      return e_row_of<K>(K::e_edge::number(U, V)) + HALO + row_at;
    else
      return rows() + HALO + zl + e_rows(flip) + K::e_band::number(U, V) * ROW;
  }
  template <int U, int V> METHOD real *h_row(int flip) const {
    if constexpr (T::h_own(U, V))
      return h_row_of<K>(K::H_SHARED ? K::h_own::number(U, V) : K::h_edge::number(U, V)) + HALO + row_at;
    else
      return rows() + HALO + zl + h_rows(flip) + K::h_band::number(U, V) * ROW;
  }

  template <int HALF> METHOD void write_seams(const real *row, int count);
  template <int HALF> static constexpr int component_of(int u, int v) { return comp_at(HALF, u, v); }

  template <int U, int V> METHOD real &own_h() const {
    if constexpr (K::H_SHARED)
      return *h_row<U, V>(0);
    else
      return h_at(U, V);
  }
  template <int HALF, int U, int V> METHOD real &after() const {
    if constexpr (HALF)
      return e_at(U, V);
    else
      return own_h<U - 2 * S, V>();
  }

  METHOD void load();
  METHOD void store();
  METHOD void move_on() {
    b.flip_buffers();
    step++;
    u0 += 2 * S;
  }

  /* reg_difference.cuh: a site's differences. */
  template <int HALF, int U, int V> METHOD real &psi_at();
  template <int HALF, int I> METHOD void read_psi_ahead();
  template <int HALF, int I, class At> METHOD real stretch(At at, real diff);
  template <int AXIS, int OF> METHOD void reflect(int at, real &a, real &b_, real &c, real &d) const;
  template <int HALF, int AXIS> METHOD const layer_at &layer_here(int u, int v) const;
  template <int HALF, int AXIS> METHOD bool in_cpml_of(int u, int v) const;
  template <int COMP, int AXIS> METHOD real *psi_address(int row, int u, int v) const;
  template <int HALF, int COMP, int WHICH, int I> METHOD void load_psi(int u, int v);
  template <int HALF, int I> METHOD void load_ahead();
  template <int HALF, int COMP, int WHICH, int I, class At> METHOD real difference_across(At at);
  METHOD void find_ends();
  METHOD void find_ghosts();
  METHOD real e_difference_rows(const real *row, real here) const;
  METHOD real h_difference_rows(const real *row, real here) const;
  template <int HALF, int V, int SHIFT, int I> METHOD void load_beyond(int u);
  template <int HALF, int I> METHOD void load_all_beyond();
  template <int V, int SHIFT, int I> METHOD void turn_beyond(real &value) const;
  template <int HALF> METHOD void send_to_seam();
  template <class At> METHOD real e_difference_z(At at);
  template <class At> METHOD real h_difference_z(At at);
  template <int HALF, bool IN_CPML, int COMP, int WHICH, int I, class At> METHOD real difference(At at);

  /* reg_planes.cuh: uniform planes. */
  METHOD void find_planes();
  template <int HALF> METHOD void load_planes(int at_step, int u, real (&value)[K::MOST_PLANES]) const;
  template <int HALF> METHOD void fill_planes(const real (&value)[K::MOST_PLANES]);
  template <int HALF, int I> METHOD real inject_planes(int comp, real cb, real value) const;
  template <int HALF> METHOD void record_planes();

  /* reg_step.cuh: half-steps, and the code of the computing warps. */
  template <int HALF> METHOD void wait_for_beyond();
  template <int I> METHOD real coefficient(int comp) const;
  template <int HALF, int I> METHOD void leave(int u, int v, real value);
  template <int HALF, int FIRST, size_t... I> METHOD void take_values(std::index_sequence<I...>);
  template <int HALF, int U, int V> METHOD void take_value();
  template <int HALF, int FROM, int TO> METHOD void take_uses();
  template <int HALF, int I> METHOD void take_rows();
  template <int HALF, int I> METHOD void hand_over(real value, real before, real curl);
  template <int HALF, int I> METHOD real new_value(int comp, real before, real curl, real &cb_here) const;
  template <int HALF, bool FULL, bool HANDS_OVER, class At> METHOD void advance_site_at(At at);
  template <int HALF, bool FULL, bool HANDS_OVER> METHOD void advance_sites();
  template <int HALF> METHOD void take_items(bool full);
  template <int HALF> METHOD void write_edges();
  template <int HALF> METHOD void half_step();
  template <int HALF, size_t... I> METHOD void start_loads(std::index_sequence<I...>);
  template <int HALF, size_t... I> METHOD void start_psi(std::index_sequence<I...>);
  METHOD void compute();

  /* reg_helper_warp.cuh: the code of the helper warps. */
  template <int HALF> METHOD void issue(int to, const real *from, int u, uint64_t *barrier);
  METHOD layer_at layer_of(int axis, int at) const;
  template <int COUNT> METHOD unsigned fill_layer(int axis, int from, layer_at *to);
  METHOD void fill_layer_x(int at_step, int u);
  METHOD void fill_damping(int at_step, int u);
  METHOD const real *coef_of_site(int u) const;
  METHOD void fill_coef(const real *site);
  METHOD void help_first(bool copies, bool prepares);
  METHOD void copy_next_step(bool copies);
  template <class Look, class Stays> METHOD void help(const Look &look_at, const Stays &stays);
  template <int HALF> METHOD void list_half_step(int at_step);
};

template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::load() {
  auto get = [&](auto at, auto half, real &value) INLINE {
    constexpr int u = at.u, v = at.v;
    constexpr int HALF = decltype(half)::value, comp = comp_at(HALF, u, v);
    value = is_valid(comp) && in<0>(u, v) ? at_corner[offset(u, v, comp)] : (real)0;
    if constexpr (K::IN_CPML_Z && comp_axis(comp) != TOR_Z)
      if (layer && in<0>(u, v)) psi_at<HALF, u, v>() = psi_corner[psi_offset(u, v, comp)];
  };
  each<typename K::e_own>([&](auto at) INLINE { get(at, constant<1>{}, e_at(at.u, at.v)); });
  each<typename K::h_own>([&](auto at) INLINE { get(at, constant<0>{}, own_h<at.u, at.v>()); });
}

/* Stores the values that stay in the tile in the next step: the others were stored when they left it. */
template <class K, int NEEDS> METHOD void tower_tile<K, NEEDS>::store() {
  auto put = [&](auto at, auto half, real value) INLINE {
    constexpr int u = at.u, v = at.v;
    constexpr int HALF = decltype(half)::value, comp = comp_at(HALF, u, v);
    if constexpr (HALF ? T::e_next(u, v) : T::h_next(u, v)) {
      if (is_valid(comp) && in<0>(u, v)) at_corner[offset(u, v, comp)] = value;
      if (K::CROSSES_Z && comp_axis(comp) != TOR_Z && ghost && in<0>(u, v))
        at_corner[offset(u, v, comp) + seams.beyond_end(ghost)] = value;
      if constexpr (K::IN_CPML_Z && comp_axis(comp) != TOR_Z)
        if (layer && in<0>(u, v)) psi_corner[psi_offset(u, v, comp)] = psi_at<HALF, u, v>();
    }
  };
  each<typename K::e_own>([&](auto at) INLINE { put(at, constant<1>{}, e_at(at.u, at.v)); });
  each<typename K::h_own>([&](auto at) INLINE { put(at, constant<0>{}, own_h<at.u, at.v>()); });
}

#endif
