/* Panels of a plane: a warp marches along y and advances each row by several steps in registers. See plane.cuh.
 *
 * A level is a step: row r of the step before goes in, row r - REACH of this step comes out. Components by their place
 * in the update:
 *     TM: a Ex, b Hz, c Hy     b' = b + cb Dy a,              c' = c + cb (0 - Dz a),   a' = a + cb (Dy b' - Dz c')
 *     TE: a Ez, b Hx, c Ey     b' = b + cb (Dz c - Dy a),     c' = c + cb Dz b',        a' = a + cb (0 - Dy b')
 * b lies half a cell above row r along y. Values beyond the warp's are wrong: each step they come REACH nearer. */
#include <algorithm>

#include "diamond/gpu/plane/plane.cuh"
#include "diamond/gpu/view/lattice.cuh"

namespace {

enum { QUAD = TOR_PLANE_QUAD };
struct quad {
  real at[QUAD];
};
struct row_values {
  quad a, b, c;
};
/* Coefficients; those of E (a, in TE c) may depend on z. */
struct panel_coef {
  real a, b, c;
};

METHOD quad load_quad(const real *from) {
  quad q;
#pragma unroll
  for (int i = 0; i < QUAD; i += V) {
    const vec part = *(const vec *)(from + i);
#pragma unroll
    for (int k = 0; k < V; k++) q.at[i + k] = part.at[k];
  }
  return q;
}
METHOD void store_quad(real *to, const quad &q) {
#pragma unroll
  for (int i = 0; i < QUAD; i += V) {
    vec part;
#pragma unroll
    for (int k = 0; k < V; k++) part.at[k] = q.at[i + k];
    *(vec *)(to + i) = part;
  }
}

/* Differences along z: of E at half cells (UP = 1), of H at nodes (UP = 0). */
template <int ORDER, int UP> METHOD quad along_z(const quad &x) {
  real r[QUAD + 4] = {}, *const at = r + 2;
#pragma unroll
  for (int k = 0; k < QUAD; k++) at[k] = x.at[k];
  if (!UP || ORDER == 4) at[-1] = __shfl_up_sync(~0u, x.at[QUAD - 1], 1);
  if (!UP && ORDER == 4) at[-2] = __shfl_up_sync(~0u, x.at[QUAD - 2], 1);
  if (UP || ORDER == 4) at[QUAD] = __shfl_down_sync(~0u, x.at[0], 1);
  if (UP && ORDER == 4) at[QUAD + 1] = __shfl_down_sync(~0u, x.at[1], 1);
  quad d;
#pragma unroll
  for (int k = 0; k < QUAD; k++)
    d.at[k] = ORDER == 2 ? tor_difference(2, at[k + UP], at[k + UP - 1], 0, 0)
                         : tor_difference(4, at[k + UP], at[k + UP - 1], at[k + UP + 1], at[k + UP - 2]);
  return d;
}

template <int ORDER> METHOD quad along_y(const quad &a, const quad &b, const quad &c, const quad &d) {
  quad diff;
#pragma unroll
  for (int k = 0; k < QUAD; k++)
    diff.at[k] =
        ORDER == 2 ? tor_difference(2, a.at[k], b.at[k], 0, 0) : tor_difference(4, a.at[k], b.at[k], c.at[k], d.at[k]);
  return diff;
}

/* f + cb (d1 - d2); with OWN, cb is that of the row's values. */
template <bool OWN> METHOD quad advance(const quad &f, real cb, const quad &own, const quad &d1, const quad &d2) {
  quad n;
#pragma unroll
  for (int k = 0; k < QUAD; k++) n.at[k] = tor_advance(f.at[k], OWN ? own.at[k] : cb, d1.at[k] - d2.at[k]);
  return n;
}

/* The rows of a step that the next row needs: a[i], b[i], c[i] are rows r - 1 - i before the step, after[i] is b' of
 * row r - BACK - i. */
template <int ORDER, int PLANE> struct level {
  static constexpr int REACH = ORDER == 4 ? 3 : 1, BACK = ORDER == 4 ? 2 : 1, LAST = REACH - 1;
  quad a[REACH] = {}, b[BACK] = {}, c[REACH] = {}, after[REACH] = {};

  template <bool OWN>
  METHOD void advance_row(row_values &row, const panel_coef &cb, const quad &own_a, const quad &own_c) {
    const quad zero = {};
    const quad da = ORDER == 2 ? along_y<2>(row.a, a[0], zero, zero) : along_y<4>(a[0], a[1 % REACH], row.a, a[LAST]);
    const quad b_new = PLANE == TOR_PLANE_TM
                           ? advance<false>(b[BACK - 1], cb.b, zero, da, zero)
                           : advance<false>(b[BACK - 1], cb.b, zero, along_z<ORDER, 1>(c[BACK - 1]), da);
    const quad &b_out = ORDER == 2 ? b_new : after[0];
    const quad db = ORDER == 2 ? along_y<2>(b_new, after[0], zero, zero)
                               : along_y<4>(after[0], after[1 % REACH], b_new, after[LAST]);
    row_values out;
    out.b = b_out;
    if (PLANE == TOR_PLANE_TM) {
      out.c = advance<false>(c[LAST], cb.c, zero, zero, along_z<ORDER, 1>(a[LAST]));
      out.a = advance<OWN>(a[LAST], cb.a, own_a, db, along_z<ORDER, 0>(out.c));
    } else {
      out.c = advance<OWN>(c[LAST], cb.c, own_c, along_z<ORDER, 0>(b_out), zero);
      out.a = advance<OWN>(a[LAST], cb.a, own_a, zero, db);
    }
#pragma unroll
    for (int i = LAST; i > 0; i--) {
      a[i] = a[i - 1];
      c[i] = c[i - 1];
      after[i] = after[i - 1];
    }
    if (BACK > 1) b[BACK - 1] = b[0];
    a[0] = row.a;
    b[0] = row.b;
    c[0] = row.c;
    after[0] = b_new;
    row = out;
  }
};

/* The components of a plane, and their places among its three. */
template <int PLANE> struct names {
  static constexpr bool TM = PLANE == TOR_PLANE_TM;
  static constexpr int A = TM ? TOR_EX : TOR_EZ, C = TM ? TOR_HY : TOR_EY;
  static constexpr int AT_A = TM ? 0 : 1, AT_B = 2, AT_C = TM ? 1 : 0;
};

template <int PLANE> METHOD row_values load_row(const tor_gpu_view &s, int iy, int z) {
  typedef names<PLANE> at;
  const real *const from = s.field + (tor_gidx)iy * 3 * s.nzp + z;
  return {load_quad(from + (tor_gidx)at::AT_A * s.nzp), load_quad(from + (tor_gidx)at::AT_B * s.nzp),
          load_quad(from + (tor_gidx)at::AT_C * s.nzp)};
}
template <int PLANE> METHOD void store_row(const tor_gpu_view &s, real *field, int iy, int z, const row_values &row) {
  typedef names<PLANE> at;
  real *const to = field + (tor_gidx)iy * 3 * s.nzp + z;
  store_quad(to + (tor_gidx)at::AT_A * s.nzp, row.a);
  store_quad(to + (tor_gidx)at::AT_B * s.nzp, row.b);
  store_quad(to + (tor_gidx)at::AT_C * s.nzp, row.c);
}
/* Coefficients of component COMP of E of a row. Values beyond the column's ends are not used: those of its ends. */
template <int COMP> METHOD quad load_own(const tor_gpu_view &s, int iy, int z) {
  const tor_gidx own = s.coef_at[max(iy, 0)];
  const real *const from = own < 0 ? s.cb : s.coef + own;
  return load_quad(from + (tor_gidx)COMP * s.nzp + min(max(z, 0), s.nzp - QUAD));
}

} // namespace

/* Warps of a multiprocessor at least: 8 leave each 255 registers of 32 bits, 12 leave 168. */
constexpr int least_warps(int order, int steps) { return sizeof(real) == 8 || order * steps >= 16 ? 8 : 12; }

/* A panel a warp. */
template <int ORDER, int PLANE, int STEPS, bool OWN>
static __global__ void __launch_bounds__(32, least_warps(ORDER, STEPS))
    panels(const __grid_constant__ tor_gpu_view s, real *to, const tor_gpu_panel *panel, const panel_coef cb) {
  typedef level<ORDER, PLANE> step;
  constexpr int REACH = step::REACH * STEPS, MARGIN = (REACH + QUAD - 1) / QUAD * QUAD;
  const tor_gpu_panel at = panel[blockIdx.x];
  const int z = at.z0 - MARGIN + QUAD * (int)threadIdx.x, end = at.y1 + REACH;
  const bool mine = z >= at.z0 && z < at.z1;
  step level[STEPS];
  row_values next = load_row<PLANE>(s, at.y0 - REACH, z);
  for (int r = at.y0 - REACH; r < end; r++) {
    row_values row = next;
    next = load_row<PLANE>(s, min(r + 1, end - 1), z);
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
      quad own_a = {}, own_c = {};
      if (OWN) {
        const int out = r - step::REACH * (k + 1);
        own_a = load_own<names<PLANE>::A % 3>(s, out, z);
        if (PLANE == TOR_PLANE_TE) own_c = load_own<names<PLANE>::C % 3>(s, out, z);
      }
      level[k].template advance_row<OWN>(row, cb, own_a, own_c);
    }
    if (mine && r - REACH >= at.y0) store_row<PLANE>(s, to, r - REACH, z, row);
  }
}

typedef void (*panel_kernel)(const tor_gpu_view, real *, const tor_gpu_panel *, const panel_coef);

/* The most steps of a round: those whose values fit the registers. */
enum { MOST2 = sizeof(real) == 4 ? 8 : 6, MOST4 = sizeof(real) == 4 ? 4 : 2 };

template <int ORDER, int PLANE, int STEPS> static panel_kernel by_own(bool own) {
  constexpr int S = STEPS <= (ORDER == 2 ? MOST2 : MOST4) ? STEPS : 1;
  return own ? panels<ORDER, PLANE, S, true> : panels<ORDER, PLANE, S, false>;
}
template <int ORDER, int PLANE> static panel_kernel by_steps(int steps, bool own) {
  switch (steps) {
  case 8: return by_own<ORDER, PLANE, 8>(own);
  case 6: return by_own<ORDER, PLANE, 6>(own);
  case 4: return by_own<ORDER, PLANE, 4>(own);
  case 2: return by_own<ORDER, PLANE, 2>(own);
  default: return by_own<ORDER, PLANE, 1>(own);
  }
}
static panel_kernel kernel_of(const tor_gpu_view *s, int order, int steps, bool own) {
  if (order == 2)
    return s->plane == TOR_PLANE_TM ? by_steps<2, TOR_PLANE_TM>(steps, own) : by_steps<2, TOR_PLANE_TE>(steps, own);
  return s->plane == TOR_PLANE_TM ? by_steps<4, TOR_PLANE_TM>(steps, own) : by_steps<4, TOR_PLANE_TE>(steps, own);
}

void TOR_NAME(tor_gpu_plane_panels)(const tor_gpu_view *view, int order, int steps, bool own, real *to,
                                    const struct tor_gpu_panel *panel, int count, const struct tor_gpu_plane_coef *coef,
                                    cudaStream_t stream) {
  if (count < 1) return;
  const bool tm = view->plane == TOR_PLANE_TM;
  const panel_coef cb = tm ? panel_coef{coef->at[TOR_EX], coef->at[TOR_HZ], coef->at[TOR_HY]}
                           : panel_coef{coef->at[TOR_EZ], coef->at[TOR_HX], coef->at[TOR_EY]};
  tor_gpu_launch(kernel_of(view, order, steps, own), dim3((unsigned)count), 32, stream, *view, to, panel, cb);
}

int TOR_NAME(tor_gpu_plane_steps)(int order, int most) {
  static const int steps[] = {8, 6, 4, 2};
  for (int s : steps)
    if (s <= most && s <= (order == 2 ? MOST2 : MOST4)) return s;
  return 1;
}

int TOR_NAME(tor_gpu_plane_resident)(const tor_gpu_view *view, int order, int steps) {
  int device, processors, blocks;
  CUDA_TRY(cudaGetDevice(&device));
  CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of(view, order, steps, false), 32, (size_t)0));
  return std::max(1, processors * blocks);
}
