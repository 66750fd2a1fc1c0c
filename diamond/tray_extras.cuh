/* What is injected into a tray and recorded from it: by planes, or by the columns' lists. */
#ifndef TOR_TRAY_EXTRAS_CUH
#define TOR_TRAY_EXTRAS_CUH

#include "tray_poles.cuh"

struct tray_extras : tray_poles {
  using tray_poles::tray_poles;

  /* Planes: what they inject into the warp's own values, a plane and a task a lane. */
  template <int HALF> __device__ __forceinline__ void inject_planes() {
    forget();
    tray_memory &t = tray();
    const int plane_first = t.first_plane[HALF], past = t.first_plane[HALF + 1];
    if (plane_first == past) return;
    __syncwarp();
    const int k = plane_first + lane / 4, number = TRAY_LINE * first + lane % 4;
    if (k >= past || lane % 4 >= TRAY_LINE) return;
    const unsigned place = now().inject_at[k][number];
    if (place == TRAY_NOWHERE || place % TRAY_ROW / (WARP * V) != half) return;
    real *const value = &t.field[0][0][0] + place;
    *value = tor_inject(*value, now().inject_cb[k][number], now().injected[k][number]);
  }
  /* What their monitors hear, a value a thread. */
  template <int HALF> __device__ __forceinline__ void record_planes() const {
    for (int axis = 0; axis < 3; axis++) {
      const int comp = (HALF ? TOR_EX : TOR_HX) + axis;
      for (int k = 0; k < s.planes->nrecord[comp]; k++) {
        const tor_plane_record &plane = s.planes->record[comp][k];
        const tor_gpu_group &to = s.group[plane.at.group];
        const int sample = to.sample[step];
        if (sample < 0) continue;
        for (int i = threadIdx.x; i < tray_point<12>::COUNT * plane.at.nz; i += TRAY_WARPS * WARP) {
          const tray_point<12> at(HALF ? 2 : 1, i % tray_point<12>::COUNT);
          const int above = i / tray_point<12>::COUNT, u = u0 + at.u, v = v0 + at.v;
          if (comp_at(HALF, at.u, at.v) == comp && inside(s, u, v))
            to.heard[sample * to.npoints + plane.at.offset + above + plane.along[0] * (u >> 1) +
                     plane.along[1] * (v >> 1)] = tray().field[comp][slot_of(u + v, u - v)][plane.at.z0 + above];
        }
      }
    }
  }

  /* Injections and records by the columns' lists, a warp a site. What the lists of the warp's sites are, its lanes look
   * up at once. */
  template <int HALF> __device__ __forceinline__ void work_off_lists() const {
    constexpr int SITES = tray_point<12>::COUNT / TRAY_WARPS;
    static_assert(SITES * TRAY_WARPS == tray_point<12>::COUNT && SITES <= WARP, "a lane a site");
    const tray_point<12> mine(HALF ? 2 : 1, warp * SITES + min(lane, SITES - 1));
    const int comp_mine = comp_at(HALF, mine.u, mine.v), u = u0 + mine.u, v = v0 + mine.v;
    const real *coef_mine = s.cb + (tor_gidx)max(comp_mine, 0) * s.nzp;
    int inject[2] = {0, 0}, record[2] = {0, 0};
    if (comp_mine >= 0 && inside(s, u, v)) {
      const tor_gidx column = column_of(s, u, v);
      const unsigned cls = s.cls[column];
      if (cls & (TOR_COL_INJECT | TOR_COL_RECORD)) {
        const tor_extra &extra = s.extra[s.extra_id[column]];
        if (HALF && cls & TOR_COL_COEF_E) coef_mine = s.coef + extra.coef_e + (tor_gidx)comp_mine * s.nzp;
#pragma unroll
        for (int k = 0; k < 2; k++) {
          if (cls & TOR_COL_INJECT) inject[k] = extra.inject[comp_mine + k];
          if (cls & TOR_COL_RECORD && now().sampled) record[k] = extra.record[comp_mine + k];
        }
      }
    }
    const int slot_mine = slot_of(u + v, u - v);
    for (int i = 0; i < SITES; i++) {
      const int comp = __shfl_sync(~0u, comp_mine, i), slot = __shfl_sync(~0u, slot_mine, i);
      const int first_inject = __shfl_sync(~0u, inject[0], i), past_inject = __shfl_sync(~0u, inject[1], i);
      const int first_record = __shfl_sync(~0u, record[0], i), past_record = __shfl_sync(~0u, record[1], i);
      const real *const coef = (const real *)__shfl_sync(~0u, (unsigned long long)coef_mine, i);
      if (comp < 0) continue;
      real *const values = tray().field[comp][slot];
      for (int n = first_inject; n < past_inject; n++) {
        const struct tor_inject in = s.inject[n];
        const real *const from = s.table[in.table] + (tor_gidx)step * s.width[in.table] + in.index;
        for (int k = lane; k < in.nz; k += WARP) {
          const int at_z = in.z0 + k;
          if (HALF && comp != TOR_EZ && at_z == 0) continue;
          values[at_z] = tor_inject(values[at_z], coef[at_z], (real)in.factor * from[in.stride * k]);
        }
        __syncwarp();
      }
      for (int n = first_record; n < past_record; n++) {
        const tor_record of = s.record[n];
        const tor_gpu_group &group_to = s.group[of.group];
        const int sample = group_to.sample[step];
        if (sample < 0) continue;
        const tor_gidx to = sample * group_to.npoints + of.offset;
        for (int k = lane; k < of.nz; k += WARP) {
          if (group_to.series)
            group_to.data[to + k] = (double)values[of.z0 + k];
          else
            group_to.heard[to + k] = values[of.z0 + k];
        }
      }
    }
  }
};

/* What few tiles or steps need is compiled by itself: it would cost registers of what all need. */
template <int HALF> static __device__ __noinline__ void tray_lists(tray_extras worker) {
  worker.work_off_lists<HALF>();
}
template <int HALF> static __device__ __noinline__ void tray_records(tray_extras worker) {
  worker.record_planes<HALF>();
}

#endif
