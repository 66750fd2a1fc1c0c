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
  int lane;
  const int warp; /* the same for all lanes, and known to be */
  int z;         /* of this lane's first value */
  unsigned half; /* of z; two warps share it */
  int first;     /* line of tasks */
  bool on, layer;               /* the lane has values of the slab; CPML along z acts on them */
  int npz, at_layer;
  real h_cb[3]; /* H's coefficients, which do not depend on z */
  /* The step. */
  unsigned needs;
  int u0, v0, step, parity; /* step: of the stage; parity: of the launch's */
  real *sums; /* of the poles' currents, by E's slots, at this lane's z */

  /* The same for all lanes, and known to be. */
  static __device__ __forceinline__ unsigned all_warp(unsigned value) { return __reduce_max_sync(~0u, value); }

  __device__ __forceinline__ tray_worker(const tor_gpu_view &view, real *of_block)
      : s(view), lane(threadIdx.x % WARP), warp((int)all_warp(threadIdx.x / WARP)), sums(of_block) {
    half = (unsigned)(warp % 2);
    z = ((int)half * WARP + lane) * V;
    first = warp / 2;
    on = z < s.n[2];
    npz = s.zlo + s.zhi;
    layer = on && (z < s.zlo || (s.zhi && z >= s.zhi0));
    at_layer = !layer ? 0 : z < s.zlo ? z : z - s.zhi0 + s.zlo;
    sums += z;
    for (int axis = 0; axis < 3; axis++) h_cb[axis] = s.cb[(TOR_HX + axis) * s.nzp];
  }

  /* Behind it the compiler works out anew what rests on a lane's place: kept from step to step in registers, it would cost all bodies. */
  __device__ __forceinline__ void forget() { asm volatile("" : "+r"(lane), "+r"(z), "+r"(at_layer), "+r"(npz), "+l"(sums)); }

  __device__ __forceinline__ const tray_step &now() const { return tray().step[parity]; }
  __device__ __forceinline__ real *row(int comp, int slot) const { return &tray().field[0][0][0] + (comp * TRAY_SLOTS + slot) * TRAY_ROW + z; }
  __device__ __forceinline__ vec at(int comp, int slot) const { return *(const vec *)row(comp, slot); }
  __device__ __forceinline__ bool in_slab(int k) const { return z + k < s.n[2]; }

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
  /* Difference along z: of E, for H at half cells; beyond the slab it is 0. Of H, for E at nodes; behind a PEC lies the same value. edge: what
   * the lane at the end of the warp's values has beside it. */
  template <int HALF> __device__ __forceinline__ real edge_of(int comp, int slot) const {
    real edge = 0;
    if (HALF ? lane == 0 && z : lane == WARP - 1 && z + V < s.n[2]) edge = row(comp, slot)[HALF ? -1 : V];
    return edge;
  }
  template <int HALF> __device__ __forceinline__ vec along_z(const vec &f, real edge) const {
    vec beside;
    if constexpr (HALF) {
#pragma unroll
      for (int k = 1; k < V; k++) beside.at[k] = f.at[k - 1];
      const real first = __shfl_up_sync(~0u, f.at[V - 1], 1);
      beside.at[0] = lane ? first : z ? edge : f.at[0];
      return minus(f, beside);
    } else {
#pragma unroll
      for (int k = 0; k < V - 1; k++) beside.at[k] = f.at[k + 1];
      const real last = __shfl_down_sync(~0u, f.at[0], 1);
      beside.at[V - 1] = lane == WARP - 1 ? edge : z + V < s.n[2] ? last : (real)0;
      return minus(beside, f);
    }
  }

  /* CPML along z, along x or y. */
  struct layer_z {
    vec ik, b, c;
  };
  __device__ __forceinline__ layer_z layer_at(int half) const {
    const real(*const from)[TOR_TRAY_LAYER] = tray().layer_z[!half];
    return {*(const vec *)&from[0][at_layer], *(const vec *)&from[1][at_layer], *(const vec *)&from[2][at_layer]};
  }
  __device__ __forceinline__ real *psi_z(int comp, int slot) const { return tray_psi(npz, comp, slot) + at_layer; }
  __device__ __forceinline__ vec psi_of(int comp, int slot) const {
    vec psi = {};
    if (layer) psi = *(const vec *)psi_z(comp, slot);
    return psi;
  }
  __device__ __forceinline__ void stretch_z(int comp, int slot, const layer_z &at, vec psi, vec &diff) const {
#pragma unroll
    for (int k = 0; k < V; k++) {
      psi.at[k] = tor_cpml_memory(at.b.at[k], at.c.at[k], psi.at[k], diff.at[k]);
      const real stretched = tor_cpml_stretch(at.ik.at[k], diff.at[k], psi.at[k]);
      diff.at[k] = layer ? stretched : diff.at[k];
    }
    if (layer) *(vec *)psi_z(comp, slot) = psi;
  }
  /* What stretches a difference of COMP along AXIS. */
  struct stretching {
    real *memory; /* null: nothing */
    real ik, b, c;
    vec psi;
  };
  template <int COMP, int AXIS> __device__ __forceinline__ stretching ask_stretching(const tray_site &site, bool member) const {
    constexpr int PLACE = comp_axis(COMP) - (comp_axis(COMP) > AXIS) + 2 * comp_is_h(COMP);
    const tray_half_cell here = now().half_cell[AXIS][AXIS == TOR_X ? site.u - u0 : site.v - v0 + TRAY_R + 1];
    const tor_gidx column = (tor_gidx)here.index * (s.n[AXIS == TOR_X] + 1) + ((AXIS == TOR_X ? site.v : site.u) >> 1);
    stretching is = {s.psi[AXIS] + (column * 4 + PLACE) * s.nzp + z, here.ik, here.b, here.c, {}};
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

  /* In a step with media: a site's coefficients of E, which are the layered background's before, and the sum of its poles' currents. Loads
   * without branches, so that those of several sites are under way at once. */
  __device__ __forceinline__ void look_up(int comp, int slot, vec &coef, vec &sum) const {
    const int at = comp * TRAY_SLOTS + slot;
    const tray_media media = tray().media[half][at];
    load_values_if(media.own & 1u << lane, s.coef + (tor_gidx)media.coef * 16 + z, coef);
    load_values_if(media.poles & 1u << lane, sums + at * TRAY_ROW, sum);
  }

  /* f: the value before. */
  template <int HALF, bool MEDIA>
  __device__ __forceinline__ void finish(int comp, int slot, bool member, vec f, vec curl, const vec &coef, const vec &sum) const {
    if (MEDIA && HALF) curl = less(curl, sum); /* where there is no pole it is 0, which changes nothing */
#pragma unroll
    for (int k = 0; k < V; k++) {
      const real value = tor_advance(f.at[k], HALF ? coef.at[k] : h_cb[comp_axis(comp)], curl.at[k]);
      f.at[k] = (!HALF || MEDIA) && !in_slab(k) ? f.at[k] : value; /* the layered background's coefficients of E are 0 there */
    }
    if (HALF && comp != TOR_EZ) f.at[0] = z == 0 ? (real)0 : f.at[0];
    if (member && on) *(vec *)row(comp, slot) = f;
  }

  /* Advances a task's sites, or those of them that are `members` (x 1, y 2, z 4). All that is read comes first. Sites of a column lie at odd p
   * and q or at even ones, so that p >> 1 and q >> 2 tell a slot, and those of neighbours differ in them by one. */
  template <int HALF, bool MEDIA, bool LAYERS> __device__ __forceinline__ void advance_task(const tray_task &task, unsigned members) const {
    const int from_p = u0 + v0, from_q = u0 - v0, p = from_p + task.p, q = from_q + task.q, qy = from_q + task.qy;
    const int a = (p >> 1 & 7) * 4, a_less = ((p >> 1) - 1 & 7) * 4, a_more = ((p >> 1) + 1 & 7) * 4;
    const int b = q >> 2 & 3, b_less = q - 2 >> 2 & 3, b_more = q + 2 >> 2 & 3, by = qy >> 2 & 3, by_less = qy - 2 >> 2 & 3, by_more = qy + 2 >> 2 & 3;
    constexpr int X = HALF ? TOR_EX : TOR_HX, Y = X + 1, Z = X + 2, OX = HALF ? TOR_HX : TOR_EX, OY = OX + 1, OZ = OX + 2;
    const int x = HALF ? a + b : a_less + b_less, y = HALF ? a + by_less : a_less + by, z_ = a + b; /* slots */
    stretching x_along_y, y_along_x, z_along_x, z_along_y;
    if constexpr (LAYERS) {
      const tray_site sx = site_of<HALF>(task, TOR_X, u0, v0), sy = site_of<HALF>(task, TOR_Y, u0, v0), sz = site_of<HALF>(task, TOR_Z, u0, v0);
      x_along_y = ask_stretching<X, TOR_Y>(sx, members & 1);
      y_along_x = ask_stretching<Y, TOR_X>(sy, members & 2);
      z_along_x = ask_stretching<Z, TOR_X>(sz, members & 4);
      z_along_y = ask_stretching<Z, TOR_Y>(sz, members & 4);
    }
    vec coef[3] = {}, sum[3] = {};
    if constexpr (HALF) {
      ask_layered(coef);
      if (needs & TRAY_MEDIA) {
        look_up(X, x, coef[0], sum[0]);
        look_up(Y, y, coef[1], sum[1]);
        look_up(Z, z_, coef[2], sum[2]);
      }
    }
    const vec ox = at(OX, y), oy = at(OY, x);
    vec dx_z, dy_z, dx_y, dy_x, dz_x, dz_y; /* d of what X's equation has along z, and so on */
    dx_z = along_z<HALF>(oy, edge_of<HALF>(OY, x)), dy_z = along_z<HALF>(ox, edge_of<HALF>(OX, y));
    if constexpr (HALF) {
      dx_y = minus(at(OZ, a_more + b), at(OZ, a + b_more)), dy_x = minus(at(OZ, a_more + by), at(OZ, y));
      dz_x = minus(oy, at(OY, a_less + b_less)), dz_y = minus(at(OX, a + b_less), at(OX, a_less + b));
    } else {
      dx_y = minus(at(OZ, a + b_less), at(OZ, a_less + b)), dy_x = minus(at(OZ, a + by_more), at(OZ, y));
      dz_x = minus(at(OY, z_), oy), dz_y = minus(at(OX, a + b_less), at(OX, a_less + b));
    }
    const vec fx = at(X, x), fy = at(Y, y), fz = at(Z, z_);
    const layer_z along = layer_at(HALF);
    stretch_z(X, x, along, psi_of(X, x), dx_z);
    stretch_z(Y, y, along, psi_of(Y, y), dy_z);
    if constexpr (LAYERS) {
      stretch(x_along_y, dx_y);
      stretch(y_along_x, dy_x);
      stretch(z_along_x, dz_x);
      stretch(z_along_y, dz_y);
    }
    finish<HALF, MEDIA>(X, x, members & 1, fx, HALF ? less(dx_y, dx_z) : less(dx_z, dx_y), coef[0], sum[0]);
    finish<HALF, MEDIA>(Y, y, members & 2, fy, HALF ? less(dy_z, dy_x) : less(dy_x, dy_z), coef[1], sum[1]);
    finish<HALF, MEDIA>(Z, z_, members & 4, fz, HALF ? less(dz_x, dz_y) : less(dz_y, dz_x), coef[2], sum[2]);
  }

  /* Away from edges and layers along x and y, a warp of those that share z advances three tasks side by side along q, and each value that
   * two of them need is read once: Z's and X's neighbours are those of the next task's Y. */
  struct slots { /* of a task, in units of 4 along p: a, and one less or more; along q: b, ... */
    int x, y, z, oz, oz_shared, oy_less, ox_less, ox;
  };
  struct asked { /* read of a task, while the one before is advanced */
    vec oz, oz_shared, oy, oy_less, ox_less, ox, psi[2];
    real edge_x;
  };
  struct beside { /* Y's neighbours: along x, and OX, which it needs along z */
    vec oz, ox;
    real edge;
  };
  template <int HALF> __device__ __forceinline__ unsigned members_of(const tray_task &task) const {
    unsigned members = 7;
    if (needs & TRAY_WALLS)
#pragma unroll
      for (int axis = 0; axis < 3; axis++) {
        const tray_site at = site_of<HALF>(task, axis, u0, v0);
        if (!inside(s, at.u, at.v)) members &= ~(1u << axis);
      }
    return members;
  }
  template <int HALF> __device__ __forceinline__ slots slots_of(int a, int a_less, int a_more, int q, int qy) const {
    const int b = q >> 2 & 3, b_less = q - 2 >> 2 & 3, b_more = q + 2 >> 2 & 3, by = qy >> 2 & 3, by_less = qy - 2 >> 2 & 3;
    slots at;
    at.x = HALF ? a + b : a_less + b_less;
    at.y = HALF ? a + by_less : a_less + by;
    at.z = a + b;
    at.oz = (HALF ? a_more : a_less) + b;
    at.oz_shared = a + (HALF ? b_more : b_less);
    at.oy_less = a_less + b_less;
    at.ox_less = a + b_less;
    at.ox = a_less + b;
    return at;
  }
  template <int HALF> __device__ __forceinline__ void ask(const slots &at, asked &to) const {
    constexpr int X = HALF ? TOR_EX : TOR_HX, Y = X + 1, OX = HALF ? TOR_HX : TOR_EX, OY = OX + 1, OZ = OX + 2;
    to.oy = this->at(OY, at.z);
    to.oy_less = this->at(OY, at.oy_less);
    to.edge_x = edge_of<HALF>(OY, at.x);
    to.oz = this->at(OZ, at.oz);
    to.oz_shared = this->at(OZ, at.oz_shared);
    to.ox_less = this->at(OX, at.ox_less);
    to.ox = this->at(OX, at.ox);
    to.psi[0] = psi_of(X, at.x);
    to.psi[1] = psi_of(Y, at.y);
  }
  template <int HALF> __device__ __forceinline__ void ask_old(const slots &at, vec f[3]) const {
    constexpr int X = HALF ? TOR_EX : TOR_HX;
    f[0] = this->at(X, at.x);
    f[1] = this->at(X + 1, at.y);
    f[2] = this->at(X + 2, at.z);
  }
  __device__ __forceinline__ void ask_layered(vec coef[3]) const {
#pragma unroll
    for (int axis = 0; axis < 3; axis++) coef[axis] = *(const vec *)&tray().cb[axis][z];
  }
  __device__ __forceinline__ void ask_media(const slots &at, const vec layered[3], vec coef[3], vec sum[3]) const {
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      coef[axis] = layered[axis];
      sum[axis] = {};
    }
    look_up(TOR_EX, at.x, coef[0], sum[0]);
    look_up(TOR_EY, at.y, coef[1], sum[1]);
    look_up(TOR_EZ, at.z, coef[2], sum[2]);
  }
  /* A task's curls, and memory of CPML along z. y_shared: what the first task's Y has in place of the shared neighbour. */
  template <int HALF> __device__ __forceinline__ void find_curls(const slots &at, const asked &of, const beside &y, const vec &y_shared, const layer_z &along, vec curl[3]) const {
    constexpr int X = HALF ? TOR_EX : TOR_HX, Y = X + 1;
    vec dx_z = along_z<HALF>(HALF ? of.oy : of.oy_less, of.edge_x), dy_z = along_z<HALF>(y.ox, y.edge);
    const vec dx_y = HALF ? minus(of.oz, of.oz_shared) : minus(of.oz_shared, of.oz), dy_x = HALF ? minus(y.oz, y_shared) : minus(y_shared, y.oz);
    const vec dz_x = minus(of.oy, of.oy_less), dz_y = minus(of.ox_less, of.ox);
    stretch_z(X, at.x, along, of.psi[0], dx_z);
    stretch_z(Y, at.y, along, of.psi[1], dy_z);
    curl[0] = HALF ? less(dx_y, dx_z) : less(dx_z, dx_y);
    curl[1] = HALF ? less(dy_z, dy_x) : less(dy_x, dy_z);
    curl[2] = HALF ? less(dz_x, dz_y) : less(dz_y, dz_x);
  }
  template <int HALF, bool MEDIA> __device__ __forceinline__ void finish_task(const slots &at, const vec f[3], const vec curl[3], const vec coef[3], const vec sum[3]) const {
    constexpr int X = HALF ? TOR_EX : TOR_HX;
    finish<HALF, MEDIA>(X, at.x, true, f[0], curl[0], coef[0], sum[0]);
    finish<HALF, MEDIA>(X + 1, at.y, true, f[1], curl[1], coef[1], sum[1]);
    finish<HALF, MEDIA>(X + 2, at.z, true, f[2], curl[2], coef[2], sum[2]);
  }
  template <int HALF, bool MEDIA> __device__ __forceinline__ void advance_line() {
    forget();
    constexpr int OX = HALF ? TOR_HX : TOR_EX, OZ = OX + 2;
    constexpr int WAY = HALF ? -4 : 4; /* from a task to the next along q */
    const int odd = first & 1, from_p = u0 + v0, from_q = u0 - v0, p = from_p + 2 + 2 * first;
    const int a = (p >> 1 & 7) * 4, a_less = ((p >> 1) - 1 & 7) * 4, a_more = ((p >> 1) + 1 & 7) * 4;
    const int q = from_q + (HALF ? 10 + 2 * odd : 4 - 2 * odd), qy = odd ? q + 2 * WAY : q - WAY; /* of the first task */
    slots at[TRAY_LINE];
    asked of[TRAY_LINE];
    vec f[TRAY_LINE][3], curl[TRAY_LINE][3], coef[TRAY_LINE][3], sum[TRAY_LINE][3];
#pragma unroll
    for (int n = 0; n < TRAY_LINE; n++) at[n] = slots_of<HALF>(a, a_less, a_more, q + n * WAY, n ? q + (n - 1) * WAY : qy);
    vec layered[3];
    if (HALF) ask_layered(layered);
    if (MEDIA) ask_media(at[0], layered, coef[0], sum[0]);
    ask<HALF>(at[0], of[0]);
    beside y;
    y.oz = this->at(OZ, (HALF ? a_more : a_less) + (qy >> 2 & 3));
    y.ox = this->at(OX, at[0].y);
    y.edge = edge_of<HALF>(OX, at[0].y);
    const vec y_shared = this->at(OZ, a + ((HALF ? qy - 2 : qy + 2) >> 2 & 3));
    if (!MEDIA) ask_old<HALF>(at[0], f[0]);
#pragma unroll
    for (int n = 0; n < TRAY_LINE; n++) {
      const layer_z along = layer_at(HALF);
      if (MEDIA) {
        /* Sums and coefficients are long under way: a task is finished behind the curls of the next. */
        if (n) ask<HALF>(at[n], of[n]), ask_old<HALF>(at[n - 1], f[n - 1]);
      } else if (n + 1 < TRAY_LINE) {
        ask<HALF>(at[n + 1], of[n + 1]);
        ask_old<HALF>(at[n + 1], f[n + 1]);
      }
      find_curls<HALF>(at[n], of[n], y, n ? of[n].oz_shared : y_shared, along, curl[n]);
      y = {of[n].oz, HALF ? of[n].ox_less : of[n].ox, n + 1 < TRAY_LINE ? edge_of<HALF>(OX, at[n + 1].y) : 0};
      if (!MEDIA) finish_task<HALF, MEDIA>(at[n], f[n], curl[n], layered, sum[n]);
      if (MEDIA && n) finish_task<HALF, MEDIA>(at[n - 1], f[n - 1], curl[n - 1], coef[n - 1], sum[n - 1]);
      if (MEDIA && n + 1 < TRAY_LINE) ask_media(at[n + 1], layered, coef[n + 1], sum[n + 1]);
    }
    if (MEDIA) {
      ask_old<HALF>(at[TRAY_LINE - 1], f[TRAY_LINE - 1]);
      finish_task<HALF, MEDIA>(at[TRAY_LINE - 1], f[TRAY_LINE - 1], curl[TRAY_LINE - 1], coef[TRAY_LINE - 1], sum[TRAY_LINE - 1]);
    }
  }

  template <int HALF, bool MEDIA, bool LAYERS> __device__ __forceinline__ void advance_tasks() {
    forget();
#pragma unroll 1
    for (int number = TRAY_LINE * first; number < TRAY_LINE * (first + 1); number++) {
      const tray_task task = task_at<HALF>(number);
      const unsigned members = members_of<HALF>(task);
      if (members) advance_task<HALF, MEDIA, LAYERS>(task, members);
    }
  }

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
            to.heard[sample * to.npoints + plane.at.offset + above + plane.along[0] * (u >> 1) + plane.along[1] * (v >> 1)] =
                tray().field[comp][slot_of(u + v, u - v)][plane.at.z0 + above];
        }
      }
    }
  }

  /* A vector of a strand, of at most MOST poles. */
  template <int MOST> struct piece {
    bool on, charged;
    int npoles, pitch, axis, place; /* place: of E in shared memory, and of the sum of currents */
    unsigned has_p;
    const tray_medium *medium;
    vec *state;
    vec j[MOST], p[MOST], share, a, g, r, q;
  };
  /* Reads vector `number` of those that are listed for the step: without branches, so that what is read of several is under way at once. */
  template <int MOST> __device__ __forceinline__ void ask_piece(int number, piece<MOST> &is) const {
    const tray_step &now = this->now();
    is.on = number < now.chunks * TRAY_CHUNK;
    const unsigned entry = is.on ? now.chunk[number / TRAY_CHUNK] : 0;
    const int slot = entry & 127, k = (int)(entry >> 8) * TRAY_CHUNK + number % TRAY_CHUNK;
    const tor_gpu_strand strand = tray().strand[slot][entry >> 7 & 1];
    is.on = is.on && k < strand.count;
    is.medium = &tray().medium[is.on ? strand.medium : 0];
    is.npoles = is.on ? is.medium->npoles : 0;
    is.has_p = is.medium->has_p;
    is.pitch = strand.count;
    is.axis = slot / TRAY_SLOTS;
    is.charged = is.on && strand.charged;
    is.state = (vec *)s.state + (tor_gidx)strand.state + k;
    const vec *const weight = (const vec *)s.weight + (tor_gidx)strand.weight + k;
    is.place = slot * TRAY_ROW + (is.on ? (strand.from + k) * V : 0);
    const vec *at = is.state;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
      is.j[i] = {};
#pragma unroll
      for (int n = 0; n < V; n++) is.p[i].at[n] = (real)-0.0;
      load_values_if(i < is.npoles, at->at, is.j[i]);
      at += i < is.npoles ? is.pitch : 0;
      const bool p = i < is.npoles && is.has_p >> i & 1;
      load_values_if(p, at->at, is.p[i]);
      at += p ? is.pitch : 0;
    }
    is.share = is.g = is.q = {};
    load_values_if(is.on, weight->at, is.share);
#pragma unroll
    for (int n = 0; n < V; n++) is.a.at[n] = is.r.at[n] = 1;
    load_values_if(is.charged, at->at, is.q);
    load_values_if(is.charged, weight[is.pitch].at, is.a);
    load_values_if(is.charged, weight[2 * is.pitch].at, is.g);
    load_values_if(is.charged, weight[3 * is.pitch].at, is.r);
  }
  template <int MOST> __device__ __forceinline__ void advance_piece(piece<MOST> &is) const {
    vec e = *(const vec *)(&tray().field[0][0][0] + is.place), sum = {};
#pragma unroll
    for (int n = 0; n < V; n++) e.at[n] = tor_branch_field(is.a.at[n], e.at[n], is.q.at[n]);
    vec *at = is.state;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
      const real k1 = is.medium->k1[i], k2 = is.medium->k2[i], k3 = is.medium->k3[is.axis][i];
#pragma unroll
      for (int n = 0; n < V; n++) {
        is.j[i].at[n] = tor_pole_drive(tor_pole_current(k1, k2, is.j[i].at[n], is.p[i].at[n]), is.share.at[n], k3, e.at[n]);
        is.p[i].at[n] = tor_pole_polarisation(s.dt, is.j[i].at[n], is.p[i].at[n]);
        sum.at[n] += is.j[i].at[n]; /* beyond npoles: 0 */
      }
      store_values_if(i < is.npoles, at->at, is.j[i]);
      at += i < is.npoles ? is.pitch : 0;
      const bool p = i < is.npoles && is.has_p >> i & 1;
      store_values_if(p, at->at, is.p[i]);
      at += p ? is.pitch : 0;
    }
#pragma unroll
    for (int n = 0; n < V; n++) {
      is.q.at[n] = tor_branch_charge(is.q.at[n], is.g.at[n], sum.at[n]);
      sum.at[n] = tor_branch_current(is.r.at[n], sum.at[n]);
    }
    store_values_if(is.charged, at->at, is.q);
    store_values_if(is.on, sums - z + is.place, sum);
  }
  /* Advances the strands of the tile's sites, eight lanes a chunk, and leaves the sums of their currents for E's half-step. */
  __device__ __forceinline__ void advance_poles() {
    forget();
    const int past = now().chunks * TRAY_CHUNK;
    if (tray().most_poles <= TRAY_FEW_POLES)
      advance_pieces<TRAY_FEW_POLES>(past);
    else
      advance_pieces<TOR_GPU_FAST_POLES>(past);
  }
  template <int MOST> __device__ __forceinline__ void advance_pieces(int past) const {
#pragma unroll 1
    for (int number = threadIdx.x; number - lane < past; number += TRAY_WARPS * WARP) {
      piece<MOST> one;
      ask_piece(number, one);
      advance_piece(one);
    }
  }

  /* Injections and records by the columns' lists, a warp a site. What the lists of the warp's sites are, its lanes look up at once. */
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

  template <int HALF> __device__ __forceinline__ void advance_sites() {
    if (needs & TRAY_EDGES)
      advance_tasks<HALF, true, true>();
    else if (HALF && needs & TRAY_MEDIA)
      advance_line<HALF, true>();
    else
      advance_line<HALF, false>();
  }
  template <int HALF> __device__ __forceinline__ void half_step() {
    if (!HALF) {
      /* Some warps wait for the memory while others compute. */
      const int late = warp / 4 & 1;
#pragma unroll 1
      for (int turn = 0; turn < 2; turn++)
        if (turn != late)
          advance_sites<HALF>();
        else if (needs & TRAY_POLES)
          advance_poles();
    } else {
      advance_sites<HALF>();
    }
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
