/* A lane of the computing warps of a shared-memory tower: its part of the tile, and the operations on a value.
 *
 * Operations on a value in the order of site.cuh. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_LANE_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_LANE_CUH

#include "diamond/gpu/tower_smem/smem_tile.cuh"

namespace {

struct smem_lane {
  const tor_gpu_view &s;
  int lane;
  const int warp;       /* warp-uniform, also for the compiler */
  const smem_span span; /* the block's part of z */
  int z;                /* of this lane's first value, in the block */
  unsigned half;        /* of z; two warps share it */
  int first;            /* line of tasks */
  bool on, layer;       /* the lane has values of the slab; CPML along z acts on them */
  int at_layer;         /* of a lane in a layer: its first value among those of both, or -1 (tor_smem_layers) */
  real h_cb[3];         /* H's coefficients, which do not depend on z */
  /* The step. */
  unsigned needs;
  unsigned parity_beside = 0; /* of what the block above or below sends */
  int u0, v0, step, parity;   /* step: of the stage; parity: of the launch's */
  real *sums;                 /* of the poles' currents, by E's slots, at this lane's z: scratch.sums */

  __device__ __forceinline__ smem_lane(const tor_gpu_view &view, const smem_span &of_z, smem_scratch &of_block)
      : s(view), lane(threadIdx.x % WARP), warp((int)warp_uniform(threadIdx.x / WARP)), span(of_z),
        sums(of_block.sums[0]) {
    half = (unsigned)(warp % 2);
    z = ((int)half * WARP + lane) * V;
    first = warp / 2;
    on = z < span.count;
    layer = on && (slab_z() < s.zlo || (s.zhi && slab_z() >= s.zhi0));
    sums += z;
    for (int axis = 0; axis < 3; axis++) h_cb[axis] = s.cb[(TOR_HX + axis) * s.nzp];
  }

  /* Compiler barrier: forces lane-dependent addresses to be recomputed; kept in registers from step to step, they would
   * cost registers in all bodies. */
  __device__ __forceinline__ void forget() {
    asm volatile("" : "+r"(lane), "+r"(z), "+l"(sums));
    const int from = slab_z();
    at_layer = from < s.layers.lo ? from : layer && from >= s.layers.hi0 ? from - s.layers.hi0 + s.layers.lo : -1;
    asm volatile("" : "+r"(at_layer));
  }

  __device__ __forceinline__ const smem_step &now() const { return smem().step[parity]; }
  __device__ __forceinline__ const smem_node_list &node_list() const {
    return ((const smem_scratch *)(sums - z))->nodes[parity];
  }
  /* place: of a slot, see smem_tile.cuh. */
  __device__ __forceinline__ real *row(int comp, unsigned place) const {
    return (real *)((char *)(&smem().field[comp][0][0] + z) + place);
  }
  __device__ __forceinline__ vec at(int comp, unsigned place) const { return *(const vec *)row(comp, place); }
  /* Does a plane inject there (smem_step.inject_at), in this warp's half of z? */
  __device__ __forceinline__ bool is_mine(unsigned place) const {
    return place != SMEM_NOWHERE && place % SMEM_ROW / (WARP * V) == half;
  }
  /* A value f there with what plane k injects at its component's site `number`. */
  __device__ __forceinline__ real inject_plane(int k, int number, real f) const {
    return tor_inject(f, now().inject_cb[k][number], now().injected[k][number]);
  }
  __device__ __forceinline__ int slab_z() const { return span.first + z; }
  __device__ __forceinline__ bool in_slab(int k) const { return z + k < span.count; }

  static __device__ __forceinline__ vec minus(const vec &a, const vec &b) {
    vec d;
#pragma unroll
    for (int k = 0; k < V; k++) d.at[k] = tor_difference(2, a.at[k], b.at[k], 0, 0);
    return d;
  }
  static __device__ __forceinline__ vec less(const vec &a, const vec &b) {
    vec c;
#pragma unroll
    for (int k = 0; k < V; k++) c.at[k] = a.at[k] - b.at[k];
    return c;
  }
  /* Of E, H along x or y: the values beside the block's values of a vector. */
  __device__ __forceinline__ real *beside(int comp, unsigned place) const {
    return (real *)((char *)&smem().beside[smem_psi_of(comp)][0][0] + place / (SMEM_ROW / SMEM_BESIDE));
  }
  /* Difference along z: of E, for H at half cells; beyond the slab it is 0. Of H, for E at nodes; behind a PEC lies the
   * same value, behind a PMC at z = 0 it has the other sign. edge: what the lane at the end of the warp's values has
   * beside it. */
  template <int HALF> __device__ __forceinline__ real edge_of(int comp, unsigned place) const {
    real edge = 0;
    if (HALF ? lane == 0 && z : lane == WARP - 1 && z + V < span.count) edge = row(comp, place)[HALF ? -1 : V];
    if (SMEM_TALL && (HALF ? z == 0 && span.has_below() : z + V == span.count && span.has_above()))
      edge = beside(comp, place)[HALF ? SMEM_BESIDE - 1 : 0];
    return edge;
  }
  template <int HALF> __device__ __forceinline__ vec along_z(const vec &f, real edge) const {
    vec beside;
    if constexpr (HALF) {
#pragma unroll
      for (int k = 1; k < V; k++) beside.at[k] = f.at[k - 1];
      const real first = __shfl_up_sync(~0u, f.at[V - 1], 1);
      beside.at[0] = lane ? first : z || span.has_below() ? edge : s.image_z * f.at[0];
      return minus(f, beside);
    } else {
#pragma unroll
      for (int k = 0; k < V - 1; k++) beside.at[k] = f.at[k + 1];
      const real last = __shfl_down_sync(~0u, f.at[0], 1);
      beside.at[V - 1] = lane < WARP - 1 && z + V < span.count ? last : edge;
      return minus(beside, f);
    }
  }

  /* CPML along z, along x or y. */
  struct cpml_z {
    vec ik, b, c;
  };
  __device__ __forceinline__ cpml_z
  layer_at(int half) const { /* other lanes read nothing: shared memory's rate counts */
    const real(*const from)[TOR_SMEM_CPML] = smem().cpml_z[!half];
    cpml_z at = {{{1, 1, 1, 1}}, {}, {}};
    if (at_layer >= 0)
      at = {*(const vec *)&from[0][at_layer], *(const vec *)&from[1][at_layer], *(const vec *)&from[2][at_layer]};
    return at;
  }
  __device__ __forceinline__ real *psi_z(int comp, unsigned place) const {
    return (real *)((char *)(&smem().psi[smem_psi_of(comp)][0][0] + at_layer) + place / (SMEM_ROW / TOR_SMEM_CPML));
  }
  __device__ __forceinline__ vec psi_of(int comp, unsigned place) const {
    vec psi = {};
    if (at_layer >= 0) psi = *(const vec *)psi_z(comp, place);
    return psi;
  }
  __device__ __forceinline__ void stretch_z(int comp, unsigned place, const cpml_z &at, vec psi, vec &diff) const {
#pragma unroll
    for (int k = 0; k < V; k++) {
      psi.at[k] = tor_cpml_memory(at.b.at[k], at.c.at[k], psi.at[k], diff.at[k]);
      const real stretched = tor_cpml_stretch(at.ik.at[k], diff.at[k], psi.at[k]);
      diff.at[k] = layer ? stretched : diff.at[k];
    }
    if (at_layer >= 0) *(vec *)psi_z(comp, place) = psi;
  }
  /* The CPML coefficients and memory of a difference of COMP along AXIS. */
  struct stretching {
    real *memory; /* null: nothing */
    real ik, b, c;
    vec psi;
  };
  template <int COMP, int AXIS>
  __device__ __forceinline__ stretching ask_stretching(const smem_site &site, bool member) const {
    constexpr int PLACE = comp_axis(COMP) - (comp_axis(COMP) > AXIS) + 2 * comp_is_h(COMP);
    const smem_half_cell here = now().half_cell[AXIS][AXIS == TOR_X ? site.u - u0 : site.v - v0 + SMEM_R + 1];
    const tor_gidx column = (tor_gidx)here.index * (s.n[AXIS == TOR_X] + 1) + ((AXIS == TOR_X ? site.v : site.u) >> 1);
    stretching is = {s.psi[AXIS] + (column * 4 + PLACE) * s.nzp + slab_z(), here.ik, here.b, here.c, {}};
    if (here.index < 0 || !member || !on) is.memory = nullptr;
    load_values_if(is.memory, is.memory, is.psi);
    return is;
  }
  __device__ __forceinline__ void stretch(stretching &is, vec &diff) const {
#pragma unroll
    for (int k = 0; k < V; k++) {
      const real value = tor_cpml_memory(is.b, is.c, is.psi.at[k], diff.at[k]);
      const real stretched = tor_cpml_stretch(is.ik, diff.at[k], value);
      is.psi.at[k] = in_slab(k) ? value : is.psi.at[k];
      diff.at[k] = is.memory ? stretched : diff.at[k];
    }
    store_values_if(is.memory, is.memory, is.psi);
  }

  /* In a step with media: a site's coefficients of E, which are the layered background's before, and the sum of its
   * poles' currents. Loads without branches, so that those of several sites overlap. */
  __device__ __forceinline__ void look_up(int comp, unsigned place, vec &coef, vec &sum) const {
    const smem_media media = *(const smem_media *)((const char *)&smem().media[half][comp * SMEM_SLOTS] +
                                                   place / (place_of(1) / (unsigned)sizeof(smem_media)));
    load_values_if(media.own & 1u << lane, s.coef + (tor_gidx)media.coef * 16 + slab_z(), coef);
    load_values_if(media.poles & 1u << lane,
                   (const real *)((const char *)sums + ((unsigned)comp * place_of(SMEM_SLOTS) + place)), sum);
  }

  /* Absorbers (SMEM_DAMPED): the factors p_z of a half-step's components across z and along it; of half cells of the
   * tile along x and y, one a lane. */
  struct damping {
    vec across_z, along_z;
    real half_cell;
  };
  template <int HALF> __device__ __forceinline__ damping ask_damping() const {
    damping is = {};
    if constexpr (SMEM_DAMPED) {
      static_assert(2 * SMEM_HALF_CELLS == WARP, "a half cell a lane");
      const bool along_x = lane < SMEM_HALF_CELLS;
      const int at = along_x ? u0 + lane : v0 + lane - SMEM_HALF_CELLS - SMEM_R - 1;
      const real *const from = along_x ? s.damping[TOR_X] : s.damping[TOR_Y];
      is.half_cell = 1;
      if (at >= 0 && at <= 2 * (along_x ? s.n[TOR_X] : s.n[TOR_Y])) is.half_cell = from[at];
      load_values_if(on, s.damping[TOR_Z] + !HALF * s.nzp + slab_z(), is.across_z);
      load_values_if(on, s.damping[TOR_Z] + HALF * s.nzp + slab_z(), is.along_z);
    }
    return is;
  }
  /* p_x p_y at a site, where u and v count from u0 and v0. By whole warps. */
  static __device__ __forceinline__ real damping_across(const damping &of, int u, int v) {
    if constexpr (SMEM_DAMPED)
      return __shfl_sync(~0u, of.half_cell, u) * __shfl_sync(~0u, of.half_cell, SMEM_HALF_CELLS + v + SMEM_R + 1);
    else
      return 1;
  }
  /* The layered background's coefficients, where own ones do not take their place. */
  static __device__ __forceinline__ vec damped(const vec &layered, real across) {
    vec cb = layered;
#pragma unroll
    for (int k = 0; SMEM_DAMPED && k < V; k++) cb.at[k] = layered.at[k] * across;
    return cb;
  }

  /* f: the value before. coef: of E, with absorbers also of H. */
  template <int HALF, bool MEDIA>
  __device__ __forceinline__ void finish(int comp, unsigned place, bool member, vec f, vec curl, const vec &coef,
                                         const vec &sum, const damping &of, real across) const {
    if (MEDIA && HALF) curl = less(curl, sum); /* where there is no pole it is 0, which changes nothing */
    const vec &p_z = comp_axis(comp) == TOR_Z ? of.along_z : of.across_z;
#pragma unroll
    for (int k = 0; k < V; k++) {
      const real cb = HALF || SMEM_DAMPED ? coef.at[k] : h_cb[comp_axis(comp)];
      const real value = SMEM_DAMPED ? tor_advance_lossy(f.at[k], tor_damping_loss(across * p_z.at[k]), cb, curl.at[k])
                                     : tor_advance(f.at[k], cb, curl.at[k]);
      f.at[k] = (!HALF || MEDIA || SMEM_DAMPED) && !in_slab(k)
                    ? f.at[k]
                    : value; /* the layered background's coefficients of E are 0 there */
    }
    if (HALF && comp != TOR_EZ) f.at[0] = slab_z() == s.zero_z ? (real)0 : f.at[0];
    if (member && on) *(vec *)row(comp, place) = f;
  }

  /* Of E; with absorbers of H, too. */
  template <int HALF> __device__ __forceinline__ void ask_layered(vec coef[3]) const {
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      coef[axis] = {};
      if constexpr (HALF)
        coef[axis] = *(const vec *)&smem().cb[axis][z];
      else if constexpr (SMEM_DAMPED)
        load_values_if(on, s.cb + (TOR_HX + axis) * s.nzp + slab_z(), coef[axis]);
    }
  }
};

} // namespace

#endif
