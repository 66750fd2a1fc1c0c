/* A step of the warps that compute a tray: H, meanwhile the poles, whose currents depend on E before the step alone; then E.
 *
 * Operations on a value in the order of site_gpu.cuh. */
#ifndef TOR_TRAY_STEP_CUH
#define TOR_TRAY_STEP_CUH

#include "tray_gpu.cuh"

struct tray_worker;
/* What few tiles or steps need is compiled by itself: it would cost registers of what all need. */
template <int HALF> static __device__ __noinline__ void tray_lists(tray_worker worker);
template <int HALF> static __device__ __noinline__ void tray_records(tray_worker worker);

struct tray_worker {
  const tor_gpu_view &s;
  const int lane, warp; /* warp: the same for all lanes, and known to be */
  int z, halves, group, stride; /* of this lane's first value; warps share z between them; the warp's groups */
  bool on, layer;               /* the lane has values of the slab; CPML along z acts on them */
  int npz, at_layer;
  /* The step. */
  unsigned needs;
  int u0, v0, step, parity; /* step: of the stage; parity: of the launch's */
  real *sums; /* of the poles' currents, in device memory */

  /* The same for all lanes, and known to be. */
  static __device__ __forceinline__ unsigned all_warp(unsigned value) { return __reduce_max_sync(~0u, value); }

  __device__ __forceinline__ tray_worker(const tor_gpu_view &view, real *of_block)
      : s(view), lane(threadIdx.x % WARP), warp((int)all_warp(threadIdx.x / WARP)), sums(of_block) {
    halves = s.n[2] > WARP * V ? 2 : 1;
    z = (warp % halves * WARP + lane) * V;
    group = warp / halves;
    stride = TRAY_WARPS / halves;
    on = z < s.n[2];
    npz = s.zlo + s.zhi;
    layer = on && (z < s.zlo || (s.zhi && z >= s.zhi0));
    at_layer = !layer ? 0 : z < s.zlo ? z : z - s.zhi0 + s.zlo;
  }

  __device__ __forceinline__ const tray_step &now() const { return tray().step[parity]; }
  __device__ __forceinline__ real *row(int comp, int slot) const { return &tray().field[0][0][0] + (comp * TRAY_SLOTS + slot) * TRAY_ROW + z; }
  __device__ __forceinline__ vec at(int comp, int slot) const { return *(const vec *)row(comp, slot); }

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
  /* Along z: of E, for H at half cells; beyond the slab it is 0. */
  __device__ __forceinline__ vec e_along_z(int comp, int slot, const vec &e) const {
    vec next;
#pragma unroll
    for (int k = 0; k < V - 1; k++) next.at[k] = e.at[k + 1];
    real last = __shfl_down_sync(~0u, e.at[0], 1);
    if (lane == WARP - 1 && z + V < s.n[2]) last = row(comp, slot)[V];
    next.at[V - 1] = z + V < s.n[2] ? last : (real)0;
    return minus(next, e);
  }
  /* Of H, for E at nodes; behind a PEC lies the same value. */
  __device__ __forceinline__ vec h_along_z(int comp, int slot, const vec &h) const {
    vec before;
#pragma unroll
    for (int k = 1; k < V; k++) before.at[k] = h.at[k - 1];
    real first = __shfl_up_sync(~0u, h.at[V - 1], 1);
    if (lane == 0) first = z ? row(comp, slot)[-1] : h.at[0];
    before.at[0] = first;
    return minus(h, before);
  }

  /* CPML along z, along x or y. */
  __device__ __forceinline__ void stretch_z(int comp, int slot, vec &diff) const {
    const int h = comp_is_h(comp);
    real *const memory = tray().psi + ((comp_axis(comp) + 2 * h) * TRAY_SLOTS + slot) * npz + at_layer;
    const vec ik = *(const vec *)&tray().layer_z[h][0][at_layer], b = *(const vec *)&tray().layer_z[h][1][at_layer],
              c = *(const vec *)&tray().layer_z[h][2][at_layer];
    vec psi = *(const vec *)memory;
#pragma unroll
    for (int k = 0; k < V; k++) {
      psi.at[k] = tor_cpml_memory(b.at[k], c.at[k], psi.at[k], diff.at[k]);
      diff.at[k] = tor_cpml_stretch(ik.at[k], diff.at[k], psi.at[k]);
    }
    *(vec *)memory = psi;
  }
  __device__ __forceinline__ void stretch(int comp, int axis, int u, int v, vec &diff) const {
    const int place = comp_axis(comp) - (comp_axis(comp) > axis) + 2 * comp_is_h(comp);
    const int here = axis == TOR_X ? u : v, index = s.cpml[axis].index[here >> 1];
    if (index < 0 || !on) return;
    const tor_gidx column = (tor_gidx)index * (s.n[axis == TOR_X] + 1) + ((axis == TOR_X ? v : u) >> 1);
    real *const memory = s.psi[axis] + (column * 4 + place) * s.nzp + z;
    const real ik = s.cpml[axis].ik[here], b = s.cpml[axis].b[here], c = s.cpml[axis].c[here];
    vec psi = *(const vec *)memory;
#pragma unroll
    for (int k = 0; k < V; k++) {
      const real value = tor_cpml_memory(b, c, psi.at[k], diff.at[k]);
      psi.at[k] = z + k < s.n[2] ? value : psi.at[k];
      diff.at[k] = tor_cpml_stretch(ik, diff.at[k], psi.at[k]);
    }
    *(vec *)memory = psi;
  }

  /* A site's coefficients and the sum of its poles' currents: loads without branches, so that those of several sites are under way at once. */
  template <int HALF, bool MEDIA> __device__ __forceinline__ void look_up(int comp, int slot, vec &coef, vec &sum) const {
    const real *from = &tray().cb[comp][z];
    if constexpr (!MEDIA || !HALF) {
      coef = *(const vec *)from;
      return;
    }
    const int at = comp * TRAY_SLOTS + slot, own = needs & TRAY_COEF && on ? tray().coef[at] : -1;
    if (own >= 0) from = s.coef + (tor_gidx)own * 16 + z;
    coef = *(const vec *)from;
    sum = {};
    if (!(needs & TRAY_POLES)) return;
    int place = -1;
#pragma unroll
    for (int k = 0; k < TOR_GPU_STRANDS; k++) {
      const tor_gpu_strand &strand = tray().strand[at][k];
      const int vector = z / V - strand.from;
      if ((unsigned)vector < strand.count) place = now().first_sum[at][k] + vector;
    }
    load_values_if(place >= 0, sums + max(place, 0) * V, sum);
  }

  /* f: the value before. */
  template <int HALF, bool MEDIA>
  __device__ __forceinline__ void finish(int comp, int slot, vec f, vec curl, const vec &coef, const vec &sum) const {
    if (MEDIA && HALF && needs & TRAY_POLES) curl = less(curl, sum);
#pragma unroll
    for (int k = 0; k < V; k++) {
      const real value = tor_advance(f.at[k], coef.at[k], curl.at[k]);
      f.at[k] = MEDIA && HALF && z + k >= s.n[2] ? f.at[k] : value; /* own coefficients may not be 0 there */
    }
    if (HALF && comp != TOR_EZ) f.at[0] = z == 0 ? (real)0 : f.at[0];
    if (on) *(vec *)row(comp, slot) = f;
  }

  /* A whole group of H or E, at the (u, v) of Hz or Ez, away from layers along x and y. All that is read comes first. */
  template <int HALF, bool MEDIA> __device__ __forceinline__ void advance_group(int u, int v) const {
    const int p = u + v, q = u - v, a = (p >> 1 & 7) * 4, a_less = ((p >> 1) - 1 & 7) * 4, a_more = ((p >> 1) + 1 & 7) * 4;
    const int b = q >> 2 & 3, b_less = q - 2 >> 2 & 3, b_more = q + 2 >> 2 & 3;
    constexpr int X = HALF ? TOR_EX : TOR_HX, Y = X + 1, Z = X + 2, OX = HALF ? TOR_HX : TOR_EX, OY = OX + 1, OZ = OX + 2;
    const int x = HALF ? a + b : a_less + b_less, y = HALF ? a + b_less : a_less + b, z_ = a + b; /* slots */
    vec cx, cy, cz, sx, sy, sz;
    look_up<HALF, MEDIA>(X, x, cx, sx);
    look_up<HALF, MEDIA>(Y, y, cy, sy);
    look_up<HALF, MEDIA>(Z, z_, cz, sz);
    const vec ox = at(OX, y), oy = at(OY, x), oz = at(OZ, HALF ? a_more + b : y);
    vec x_along, y_along; /* along z */
    if constexpr (HALF)
      x_along = h_along_z(OY, x, oy), y_along = h_along_z(OX, y, ox);
    else
      x_along = e_along_z(OY, x, oy), y_along = e_along_z(OX, y, ox);
    const vec x_across = HALF ? minus(oz, at(OZ, a + b_more)) : minus(at(OZ, a + b_less), oz);
    const vec y_across = HALF ? minus(oz, at(OZ, y)) : minus(at(OZ, a + b_more), oz);
    const vec curl = HALF ? less(minus(oy, at(OY, a_less + b_less)), minus(ox, at(OX, a_less + b)))
                          : less(minus(at(OX, a + b_less), ox), minus(at(OY, z_), oy));
    const vec fx = at(X, x), fy = at(Y, y), fz = at(Z, z_);
    if (layer) {
      stretch_z(X, x, x_along);
      stretch_z(Y, y, y_along);
    }
    finish<HALF, MEDIA>(X, x, fx, HALF ? less(x_across, x_along) : less(x_along, x_across), cx, sx);
    finish<HALF, MEDIA>(Y, y, fy, HALF ? less(y_along, y_across) : less(y_across, y_along), cy, sy);
    finish<HALF, MEDIA>(Z, z_, fz, curl, cz, sz);
  }

  /* A site anywhere, with all that may act on it. */
  template <int HALF, bool MEDIA> __device__ __forceinline__ void advance_site_anywhere(int axis, int u, int v) const {
    const int comp = (HALF ? TOR_EX : TOR_HX) + axis, slot = slot_of(u + v, u - v);
    vec coef, sum, diff[2];
    look_up<HALF, MEDIA>(comp, slot, coef, sum);
#pragma unroll
    for (int which = 0; which < 2; which++) {
      const int along = curl_axis(comp, which), of = curl_of(comp, which);
      if (along == TOR_Z) {
        const vec here = at(of, slot);
        diff[which] = HALF ? h_along_z(of, slot, here) : e_along_z(of, slot, here);
        if (layer) stretch_z(comp, slot, diff[which]);
      } else {
        const int dp = 1, dq = along == TOR_X ? 1 : -1;
        diff[which] = minus(at(of, slot_of(u + v + dp, u - v + dq)), at(of, slot_of(u + v - dp, u - v - dq)));
        if (needs & (along == TOR_X ? TRAY_LAYERS_X : TRAY_LAYERS_Y)) stretch(comp, along, u, v, diff[which]);
      }
    }
    finish<HALF, MEDIA>(comp, slot, at(comp, slot), less(diff[0], diff[1]), coef, sum);
  }

  /* Those of a group's components that are advanced. */
  template <int HALF> __device__ __forceinline__ int advanced(const tray_group &at, int u, int v) const {
    int members = at.members;
    if (needs & TRAY_WALLS)
#pragma unroll
      for (int axis = 0; axis < 3; axis++)
        if (!inside(s, u + group_u<HALF>(axis), v + group_v<HALF>(axis))) members &= ~(1 << axis);
    return members;
  }
  template <int HALF, bool MEDIA, bool LAYERS> __device__ __forceinline__ void advance_groups() const {
#pragma unroll 1
    for (int number = group; number < TRAY_GROUPS; number += stride) {
      const tray_group at = group_at<HALF>(number);
      const int u = u0 + ((at.p + at.q) >> 1), v = v0 + ((at.p - at.q) >> 1), members = advanced<HALF>(at, u, v);
      if (!LAYERS && members == 7)
        advance_group<HALF, MEDIA>(u, v);
      else
#pragma unroll 1
        for (int axis = 0; axis < 3; axis++)
          if (members >> axis & 1) advance_site_anywhere<HALF, MEDIA>(axis, u + group_u<HALF>(axis), v + group_v<HALF>(axis));
    }
  }

  /* Planes: what they inject into the warp's own values, a plane and group a lane. */
  template <int HALF> __device__ __forceinline__ void inject_planes() const {
    const tray_memory &t = tray();
    const int first = t.first_plane[HALF], past = t.first_plane[HALF + 1];
    if (first == past) return;
    __syncwarp();
    const int k = first + lane / 4, number = group + lane % 4 * stride;
    if (k >= past || number >= TRAY_GROUPS) return;
    const tray_inject &plane = t.plane[k];
    if (plane.z / (WARP * V) % halves != warp % halves || (HALF && plane.comp != TOR_EZ && plane.z == 0)) return;
    const tray_group at = group_at<HALF>(number);
    const int axis = comp_axis(plane.comp), u = u0 + ((at.p + at.q) >> 1), v = v0 + ((at.p - at.q) >> 1);
    if (!(advanced<HALF>(at, u, v) >> axis & 1)) return;
    const int p = u + group_u<HALF>(axis) + v + group_v<HALF>(axis), q = u + group_u<HALF>(axis) - v - group_v<HALF>(axis), slot = slot_of(p, q);
    real *const value = tray().field[plane.comp][slot] + plane.z;
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
            to.heard[sample * to.npoints + plane.at.offset + above + plane.along[0] * (u >> 1) + plane.along[1] * (v >> 1)] =
                tray().field[comp][slot_of(u + v, u - v)][plane.at.z0 + above];
        }
      }
    }
  }

  /* Advances the strands of the tile's sites, eight lanes a chunk, and leaves the sums of their currents for E's half-step. */
  __device__ __forceinline__ void advance_poles() const {
    const tray_step &now = this->now();
    const int count = now.chunks;
#pragma unroll 1
    for (int first = 4 * ((warp + TRAY_WARPS - 2 * TRAY_GROUPS % TRAY_WARPS) % TRAY_WARPS); /* first those with fewer groups */ first < count; first += 4 * TRAY_WARPS) {
      const int i = first + lane / TRAY_CHUNK;
      if (i >= count) continue;
      const unsigned entry = now.chunk[i];
      const int slot = entry & 127, k = (int)(entry >> 8) * TRAY_CHUNK + lane % TRAY_CHUNK, comp = slot / TRAY_SLOTS;
      const tor_gpu_strand strand = tray().strand[slot][entry >> 7 & 1];
      if (k < strand.count) advance_vector(strand, k, comp, tray().field[comp][slot % TRAY_SLOTS] + (strand.from + k) * V, sums + (i * TRAY_CHUNK + lane % TRAY_CHUNK) * V);
    }
  }
  __device__ __forceinline__ void advance_vector(const tor_gpu_strand &strand, int k, int axis, const real *field, real *to) const {
    const tray_medium &medium = tray().medium[strand.medium];
    vec *const state = (vec *)s.state + (tor_gidx)strand.state + k, *at = state;
    const vec *const weight = (const vec *)s.weight + (tor_gidx)strand.weight + k;
    const int pitch = strand.count, npoles = medium.npoles;
    vec j[TOR_GPU_FAST_POLES], p[TOR_GPU_FAST_POLES], share = *weight, a, g = {}, r, q = {};
#pragma unroll
    for (int i = 0; i < TOR_GPU_FAST_POLES; i++) {
#pragma unroll
      for (int n = 0; n < V; n++) p[i].at[n] = (real)-0.0;
      if (i < npoles) {
        j[i] = *at;
        at += pitch;
        if (medium.has_p >> i & 1) {
          p[i] = *at;
          at += pitch;
        }
      }
    }
#pragma unroll
    for (int n = 0; n < V; n++) a.at[n] = r.at[n] = 1;
    if (strand.charged) {
      q = state[(tor_gidx)medium.nstate * pitch];
      a = weight[pitch];
      g = weight[2 * pitch];
      r = weight[3 * pitch];
    }
    vec e = *(const vec *)field, sum = {};
#pragma unroll
    for (int n = 0; n < V; n++) e.at[n] = tor_branch_field(a.at[n], e.at[n], q.at[n]);
    at = state;
#pragma unroll
    for (int i = 0; i < TOR_GPU_FAST_POLES; i++) {
      if (i >= npoles) break;
      const real k1 = medium.k1[i], k2 = medium.k2[i], k3 = medium.k3[axis][i];
#pragma unroll
      for (int n = 0; n < V; n++) {
        j[i].at[n] = tor_pole_drive(tor_pole_current(k1, k2, j[i].at[n], p[i].at[n]), share.at[n], k3, e.at[n]);
        p[i].at[n] = tor_pole_polarisation(s.dt, j[i].at[n], p[i].at[n]);
        sum.at[n] += j[i].at[n];
      }
      *at = j[i];
      at += pitch;
      if (medium.has_p >> i & 1) {
        *at = p[i];
        at += pitch;
      }
    }
#pragma unroll
    for (int n = 0; n < V; n++) {
      q.at[n] = tor_branch_charge(q.at[n], g.at[n], sum.at[n]);
      sum.at[n] = tor_branch_current(r.at[n], sum.at[n]);
    }
    if (strand.charged) state[(tor_gidx)medium.nstate * pitch] = q;
    *(vec *)to = sum;
  }

  /* Injections and records by the columns' lists, a warp a site. */
  template <int HALF> __device__ __forceinline__ void work_off_lists() const {
    for (int i = warp; i < tray_point<12>::COUNT; i += TRAY_WARPS) {
      const tray_point<12> at(HALF ? 2 : 1, i);
      const int comp = comp_at(HALF, at.u, at.v), u = u0 + at.u, v = v0 + at.v;
      if (comp < 0 || !inside(s, u, v)) continue;
      const tor_gidx column = column_of(s, u, v);
      const unsigned cls = s.cls[column];
      if (!(cls & (TOR_COL_INJECT | TOR_COL_RECORD))) continue;
      const tor_extra &extra = s.extra[s.extra_id[column]];
      real *const values = tray().field[comp][slot_of(u + v, u - v)];
      const real *const coef = HALF && cls & TOR_COL_COEF_E ? s.coef + extra.coef_e + (tor_gidx)comp * s.nzp : s.cb + (tor_gidx)comp * s.nzp;
      if (cls & TOR_COL_INJECT)
        for (int n = extra.inject[comp]; n < extra.inject[comp + 1]; n++) {
          const struct tor_inject in = s.inject[n];
          const real *const from = s.table[in.table] + (tor_gidx)step * s.width[in.table] + in.index;
          for (int k = lane; k < in.nz; k += WARP) {
            const int at_z = in.z0 + k;
            if (HALF && comp != TOR_EZ && at_z == 0) continue;
            values[at_z] = tor_inject(values[at_z], coef[at_z], (real)in.factor * from[in.stride * k]);
          }
          __syncwarp();
        }
      if (cls & TOR_COL_RECORD && now().sampled)
        for (int n = extra.record[comp]; n < extra.record[comp + 1]; n++) {
          const tor_record of = s.record[n];
          const tor_gpu_group &group_to = s.group[of.group];
          const int sample = group_to.sample[step];
          if (sample < 0) continue;
          const tor_gidx first = sample * group_to.npoints + of.offset;
          for (int k = lane; k < of.nz; k += WARP) {
            if (group_to.series)
              group_to.data[first + k] = (double)values[of.z0 + k];
            else
              group_to.heard[first + k] = values[of.z0 + k];
          }
        }
    }
  }

  template <int HALF> __device__ __forceinline__ void half_step() const {
    /* Some warps wait for the memory while others compute. */
    const bool poles = !HALF && needs & TRAY_POLES, late = warp & 2;
    if (poles && !late) advance_poles();
    if (needs & (TRAY_LAYERS_X | TRAY_LAYERS_Y))
      advance_groups<HALF, true, true>();
    else if (HALF && needs & (TRAY_COEF | TRAY_POLES))
      advance_groups<HALF, true, false>();
    else
      advance_groups<HALF, false, false>();
    if (poles && late) advance_poles();
    if (needs & TRAY_PLANES) inject_planes<HALF>();
    if (needs & TRAY_LISTS || (needs & TRAY_PLANES && now().sampled)) {
      wait_at(TRAY_COMPUTING, TRAY_WARPS * WARP);
      if (needs & TRAY_LISTS)
        tray_lists<HALF>(*this);
      else
        tray_records<HALF>(*this);
    }
    fence_bulk_shared(); /* what leaves is copied from where it was written */
  }

  __device__ __forceinline__ void run(const tray_tower &tower, int first_step, int band) {
    tray_memory &t = tray();
    v0 = tower.v0;
#pragma unroll 1
    for (int at_step = tower.first; at_step < tower.past; at_step++, band++) {
      parity = at_step & 1;
      needs = all_warp(now().needs);
      u0 = (int)all_warp((unsigned)tower.u0(at_step));
      step = first_step + at_step;
      barrier_wait(&t.e_came[band & 1], (unsigned)band >> 1 & 1);
      half_step<0>();
      wait_at(TRAY_COMPUTING, TRAY_WARPS * WARP);
      if (threadIdx.x == 0) tell_threads(&t.h_done, at_step + 1);
      barrier_wait(&t.h_came[band & 1], (unsigned)band >> 1 & 1);
      half_step<1>();
      wait_at(TRAY_STEP, TRAY_AT_STEP);
      if (threadIdx.x == 0) tell_threads(&t.e_done, at_step + 1);
    }
  }
};

template <int HALF> static __device__ __noinline__ void tray_lists(tray_worker worker) { worker.work_off_lists<HALF>(); }
template <int HALF> static __device__ __noinline__ void tray_records(tray_worker worker) { worker.record_planes<HALF>(); }

#endif
