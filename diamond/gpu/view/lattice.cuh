/* The lattice as kernels see it: the component at a site, the place of its column, the data of a column's own.
 * A thread has the V values along z that make 16 bytes. */
#ifndef TOR_DIAMOND_GPU_VIEW_LATTICE_CUH
#define TOR_DIAMOND_GPU_VIEW_LATTICE_CUH

#include "diamond/gpu/view/slab_view.cuh"

#define POINT_FN static __device__ __forceinline__
#define METHOD __device__ __forceinline__ /* a member function */

/* Properties of components at compile time. */
__host__ __device__ constexpr int comp_at(int half, int u, int v) {
  return half ? ((u & 1) ? ((v & 1) ? -1 : TOR_EX) : ((v & 1) ? TOR_EY : TOR_EZ))
              : ((u & 1) ? ((v & 1) ? TOR_HZ : TOR_HY) : ((v & 1) ? TOR_HX : -1));
}
__host__ __device__ constexpr bool comp_is_h(int comp) { return comp >= TOR_HX; }
__host__ __device__ constexpr int comp_axis(int comp) { return comp % 3; }
/* Component comp obeys f' = f + cb (d_A F_B - d_B F_A); A is the axis of the first difference, B of the second. */
__host__ __device__ constexpr int curl_axis(int comp, int which) {
  return comp_is_h(comp) != (which == 1) ? (comp_axis(comp) + 2) % 3 : (comp_axis(comp) + 1) % 3;
}
__host__ __device__ constexpr int curl_of(int comp, int which) {
  return (comp_is_h(comp) ? TOR_EX : TOR_HX) + curl_axis(comp, 1 - which);
}
/* Sites of a component have this parity. */
__host__ __device__ constexpr int comp_u(int comp) { return comp == TOR_EX || comp == TOR_HY || comp == TOR_HZ; }
__host__ __device__ constexpr int comp_v(int comp) { return comp == TOR_EY || comp == TOR_HX || comp == TOR_HZ; }

POINT_FN tor_gidx column_of(const tor_gpu_view &s, int u, int v) {
  return s.origin + (tor_gidx)(u >> 1) * s.stride + (v >> 1);
}

/* Place of the first value of a component; 2-D slabs have three of them. */
POINT_FN tor_gidx vector_of(const tor_gpu_view &s, tor_gidx column, int comp) {
  return (column * tor_plane_comps(s.plane) + tor_comp_place(s.plane, comp)) * s.nzp;
}

/* On a ring (periodic y) the site of the first period for one less than a period beyond its ends; else the same. And
 * how many columns it is from the one to the other. */
POINT_FN int around_y(const tor_gpu_view &s, int v) {
  const int ring = 2 * s.n[TOR_Y];
  if (!s.periodic[TOR_Y]) return v;
  return v < 0 ? v + ring : v >= ring ? v - ring : v;
}
POINT_FN int turn_y(const tor_gpu_view &s, int v) { return (around_y(s, v) - v) >> 1; }

/* Whether the site is advanced. */
POINT_FN bool inside(const tor_gpu_view &s, int u, int v) {
  return u >= s.first[0] && u <= s.last[0] && v >= s.first[1] && v <= s.last[1];
}

/* Values of a component along z that are advanced. */
template <int COMP> POINT_FN int points_z(const tor_gpu_view &s) {
  return s.n[2] + ((comp_is_h(COMP) == (comp_axis(COMP) == TOR_Z)) && s.pmc[TOR_ZHI]);
}

/* Bloch walls: a value of this part, of which the other part is `other`, `around` periods above along an axis, -2 .. 2
 * (tor_slab_bloch). */
POINT_FN real across_seam(const tor_gpu_view &s, int axis, int around, real own, real other) {
  const real *const up = s.turn[axis][around == 2 || around == -2];
  return tor_bloch(up[0], own, around > 0 ? up[1] : -up[1], other);
}

enum { V = 16 / sizeof(real) };
struct alignas(16) vec {
  real at[V];
};

/* `count` of V values, of which all may be read. */
POINT_FN void store_values(real *to, const vec &value, int count) {
  if (count >= V) {
    *(vec *)to = value;
    return;
  }
#pragma unroll
  for (int k = 0; k < V; k++)
    if (k < count) to[k] = value.at[k];
}

/* Place of the CPML memory of COMP's difference along AXIS, or -1 where there is none. */
template <int COMP, int AXIS> POINT_FN tor_gidx psi_at(const tor_gpu_view &s, unsigned cls, int u, int v, int z) {
  constexpr int place = comp_axis(COMP) - (comp_axis(COMP) > AXIS) + 2 * comp_is_h(COMP);
  if (AXIS == TOR_Z) {
    bool upper = s.zhi && z >= s.zhi0;
    if (z >= s.zlo && !upper) return -1;
    return (column_of(s, u, v) * 4 + place) * (s.zlo + s.zhi) + z + (upper ? s.zlo - s.zhi0 : 0);
  }
  if (!(cls & (AXIS == TOR_X ? TOR_COL_CPML_X : TOR_COL_CPML_Y))) return -1;
  tor_gidx layer = s.cpml[AXIS].index[(AXIS == TOR_X ? u : v) >> 1];
  tor_gidx column = layer * (s.n[AXIS == TOR_X] + 1) + ((AXIS == TOR_X ? v : u) >> 1);
  return (column * 4 + place) * s.nzp + z;
}

/* Coefficients of COMP in a column: [nzp]. */
template <int COMP> POINT_FN const real *coefficient(const tor_gpu_view &s, unsigned cls, const tor_extra *extra) {
  if (!(cls & (comp_is_h(COMP) ? TOR_COL_COEF_H : TOR_COL_COEF_E))) return s.cb + (tor_gidx)COMP * s.nzp;
  return s.coef + (comp_is_h(COMP) ? extra->coef_h : extra->coef_e) + (tor_gidx)comp_axis(COMP) * s.nzp;
}
POINT_FN const tor_extra *extra_of(const tor_gpu_view &s, tor_gidx column) {
  int id = s.extra_id[column];
  return id < 0 ? nullptr : &s.extra[id];
}

/* Data besides the fields on which a site's new values depend. */
POINT_FN bool is_lossy(unsigned cls, int comp) { return cls & (comp_is_h(comp) ? TOR_COL_LOSSY_H : TOR_COL_LOSSY_E); }
POINT_FN bool has_own(unsigned cls, int comp) { return cls & (comp_is_h(comp) ? TOR_COL_COEF_H : TOR_COL_COEF_E); }

#endif
