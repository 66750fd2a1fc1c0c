/* The sites of a shared-memory tower's half-step in order 4, one at a time. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_SITES_ORDER4_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_SITES_ORDER4_CUH

#include "diamond/gpu/tower_smem/smem_lane.cuh"

namespace {

struct smem_sites : smem_lane {
  using smem_lane::smem_lane;
  enum {
    WARPS_OF_HALF = SMEM_WARPS / 2,
    MOST_SITES = (SMEM_FLAT_SITES + SMEM_SITES + WARPS_OF_HALF - 1) / WARPS_OF_HALF
  };

  /* Component OF, `shift` half cells along an axis from a site; behind a wall lies its ghost value, which changes sign
   * if it is of E and the wall a PEC, or of H and the wall a PMC. EDGES: there may be a wall. */
  template <int OF, int AXIS, bool EDGES>
  __device__ __forceinline__ vec beside(const smem_site &site, int shift) const {
    int at = (AXIS == TOR_X ? site.u : site.v) + shift;
    bool negative = false;
    if (EDGES) {
      const int end = 2 * s.n[AXIS];
      negative = (at < 0 || at > end) && (s.pmc[2 * AXIS + (at > 0)] != 0) == comp_is_h(OF);
      at = at < 0 ? -at : at > end ? 2 * end - at : at;
    }
    const int u = AXIS == TOR_X ? at : site.u, v = AXIS == TOR_Y ? at : site.v;
    vec value = this->at(OF, place_of(slot_of(u + v, u - v)));
    if (EDGES)
#pragma unroll
      for (int k = 0; k < V; k++) value.at[k] = negative ? -value.at[k] : value.at[k];
    return value;
  }
  struct neighbours {
    vec a, b, c, d;
  };
  template <int OF, int AXIS, bool EDGES>
  __device__ __forceinline__ neighbours ask_beside(const smem_site &site) const {
    return {beside<OF, AXIS, EDGES>(site, 1), beside<OF, AXIS, EDGES>(site, -1), beside<OF, AXIS, EDGES>(site, 3),
            beside<OF, AXIS, EDGES>(site, -3)};
  }
  static __device__ __forceinline__ vec difference(const neighbours &of) {
    vec d;
#pragma unroll
    for (int k = 0; k < V; k++) d.at[k] = tor_difference(4, of.a.at[k], of.b.at[k], of.c.at[k], of.d.at[k]);
    return d;
  }

  /* The values z - 2 .. z + V + 1 of a component, of which a difference along z needs some: of E from z - 1 on, of H up
   * to z + V. */
  struct along {
    real value[V + 4];
    __device__ __forceinline__ real &operator[](int k) { return value[k + 2]; }
  };
  template <int OF> __device__ __forceinline__ along ask_along(unsigned place) const {
    const real *const from = row(OF, place);
    const vec here = *(const vec *)from;
    const bool below = z > 0, above = z + V < s.n[2];
    along f = {};
#pragma unroll
    for (int k = 0; k < V; k++) f[k] = here.at[k];
    if (below) {
      f[-1] = from[-1];
      if (comp_is_h(OF)) f[-2] = from[-2];
    }
    if (above) {
      f[V] = from[V];
      if (!comp_is_h(OF)) f[V + 1] = from[V + 1];
    }
    return f;
  }
  /* With the values behind the walls: at a PEC H's ghost value, or E's with the other sign around the 0 on the wall; at
   * a PMC, z = 0 alone, the signs are the other ones. launder_place: without it the compiler reads f[top] from memory.
   */
  template <int OF> __device__ __forceinline__ vec difference(along &f) const {
    const int top = s.n[2] - z;
    const bool negative = (s.pmc[TOR_ZLO] != 0) == comp_is_h(OF);
    vec d;
    if (comp_is_h(OF)) {
      f[-1] = z ? f[-1] : negative ? -f[0] : f[0];
      f[-2] = z ? f[-2] : negative ? -f[1] : f[1];
#pragma unroll
      for (int k = 1; k <= V; k++) f[k] = k == launder_place(top) ? f[k - 1] : f[k];
#pragma unroll
      for (int k = 0; k < V; k++) d.at[k] = tor_difference(4, f[k], f[k - 1], f[k + 1], f[k - 2]);
    } else {
      f[-1] = z ? f[-1] : negative ? -f[1] : f[1];
#pragma unroll
      for (int k = 2; k <= V + 1; k++) f[k] = k - 1 == launder_place(top) ? -f[k - 2] : f[k];
#pragma unroll
      for (int k = 0; k < V; k++) d.at[k] = tor_difference(4, f[k + 1], f[k], f[k + 2], f[k - 1]);
    }
    return d;
  }

  /* Advances a component's site. EDGES: anything may be near. All loads come first. */
  template <int HALF, int AXIS, bool MEDIA, bool EDGES>
  __device__ __forceinline__ void advance_site(const smem_site &site) const {
    constexpr int COMP = (HALF ? TOR_EX : TOR_HX) + AXIS, OX = HALF ? TOR_HX : TOR_EX, OY = OX + 1, OZ = OX + 2;
    const unsigned place = place_of(slot_of(site.u + site.v, site.u - site.v));
    vec coef = {}, sum = {};
    if (HALF) coef = *(const vec *)&smem().cb[AXIS][z];
    if (SMEM_DAMPED && !HALF) load_values_if(on, s.cb + COMP * s.nzp + slab_z(), coef);
    const damping damped_by = ask_damping<HALF>();
    const real across = damping_across(damped_by, site.u - u0, site.v - v0);
    coef = damped(coef, across);
    if (MEDIA && (!EDGES || needs & SMEM_MEDIA)) look_up(COMP, place, coef, sum);
    vec curl;
    if constexpr (AXIS == TOR_Z) {
      stretching by_x, by_y;
      if (EDGES) by_x = ask_stretching<COMP, TOR_X>(site, true), by_y = ask_stretching<COMP, TOR_Y>(site, true);
      const neighbours of_x = ask_beside<OY, TOR_X, EDGES>(site), of_y = ask_beside<OX, TOR_Y, EDGES>(site);
      vec dx = difference(of_x), dy = difference(of_y);
      if (EDGES) stretch(by_x, dx), stretch(by_y, dy);
      curl = HALF ? less(dx, dy) : less(dy, dx);
    } else {
      constexpr int OTHER = AXIS == TOR_X ? TOR_Y : TOR_X, OF = AXIS == TOR_X ? OY : OX;
      stretching by_other;
      if (EDGES) by_other = ask_stretching<COMP, OTHER>(site, true);
      along of_z = ask_along<OF>(place);
      const neighbours of_other = ask_beside<OZ, OTHER, EDGES>(site);
      vec dz = difference<OF>(of_z), d = difference(of_other);
      stretch_z(COMP, place, layer_at(HALF), psi_of(COMP, place), dz);
      if (EDGES) stretch(by_other, d);
      curl = HALF == (AXIS == TOR_X) ? less(d, dz) : less(dz, d);
    }
    finish<HALF, MEDIA || EDGES>(COMP, place, true, at(COMP, place), curl, coef, sum, damped_by, across);
  }

  template <int HALF, bool MEDIA, bool EDGES> __device__ __forceinline__ void advance_all() {
    forget();
    const int count = sites_of_tile(HALF, u0);
#pragma unroll 1
    for (int number = first; number < count; number += WARPS_OF_HALF) {
      const smem_site site = site_at(HALF, number, u0, v0);
      if (EDGES && !inside(s, site.u, site.v)) continue;
      if (number >= SMEM_FLAT_SITES)
        advance_site<HALF, TOR_Z, MEDIA, EDGES>(site);
      else if ((site.u & 1) == HALF)
        advance_site<HALF, TOR_X, MEDIA, EDGES>(site);
      else
        advance_site<HALF, TOR_Y, MEDIA, EDGES>(site);
    }
  }
  template <int HALF> __device__ __forceinline__ void advance_sites() {
    if (needs & SMEM_EDGES)
      advance_all<HALF, HALF, true>();
    else if (HALF && needs & SMEM_MEDIA)
      advance_all<HALF, HALF, false>();
    else
      advance_all<HALF, false, false>();
  }

  /* Applies plane sources to the warp's own values, a site and one of its component's planes a lane, at least; the
   * first of those at one z applies them all, in their order. */
  template <int HALF> __device__ __forceinline__ void inject_planes() {
    forget();
    const smem_storage &t = smem();
    const int site = first + WARPS_OF_HALF * (lane % MOST_SITES), count = sites_of_tile(HALF, u0);
    const smem_site at = site_at(HALF, min(site, count - 1), u0, v0);
    const int comp = comp_at(HALF, at.u, at.v), number = site < SMEM_FLAT_SITES ? site / 2 : site - SMEM_FLAT_SITES;
    const int from = t.plane_of[comp][0], past = t.plane_of[comp][1];
    __syncwarp();
    if (site >= count || lane >= WARP / MOST_SITES * MOST_SITES) return;
    for (int k = from + lane / MOST_SITES; k < past; k += WARP / MOST_SITES) {
      const unsigned place = now().inject_at[k][number];
      if (!is_mine(place) || (k > from && t.plane[k - 1].z == t.plane[k].z)) continue;
      real *const value = &smem().field[0][0][0] + place;
      real is = *value;
      int i = k;
      do is = inject_plane(i, number, is);
      while (++i < past && t.plane[i].z == t.plane[k].z);
      *value = is;
    }
  }

  template <int HALF> __device__ __forceinline__ void send_beside() const {} /* a tower is one block */
  template <int HALF> __device__ __forceinline__ void take_beside() const {}
};

} // namespace

#endif
