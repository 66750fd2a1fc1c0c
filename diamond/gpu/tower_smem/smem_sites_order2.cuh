/* The sites of a shared-memory tower's half-step: three tasks a warp, in a line where nothing but media is in them,
 * else one at a time. */
#ifndef TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_SITES_ORDER2_CUH
#define TOR_DIAMOND_GPU_TOWER_SMEM_SMEM_SITES_ORDER2_CUH

#include "diamond/gpu/tower_smem/smem_lane.cuh"

namespace {

struct smem_sites : smem_lane {
  using smem_lane::smem_lane;

  static __device__ __forceinline__ unsigned row_at(int p) { return place_of((p >> 1 & 7) * 4); }
  static __device__ __forceinline__ unsigned column_at(int q) { return place_of(q >> 2 & 3); }

  /* The difference of H along an axis at a site of E; behind a PMC lies H's image with the other sign. */
  template <int AXIS> __device__ __forceinline__ vec mirrored(const smem_site &site, vec above, vec below) const {
    if (!(needs & WALLS)) return minus(above, below);
    const int at = AXIS == TOR_X ? site.u : site.v;
    const bool from_above = at == 0 && s.pmc[2 * AXIS], from_below = at == 2 * s.n[AXIS] && s.pmc[2 * AXIS + 1];
#pragma unroll
    for (int k = 0; k < V; k++) {
      if (from_above) below.at[k] = -above.at[k];
      if (from_below) above.at[k] = -below.at[k];
    }
    return minus(above, below);
  }

  /* Advances a task's sites, or those of them that are `members` (x 1, y 2, z 4). All loads come first. Sites of a
   * column lie at odd p and q or at even ones, so that p >> 1 and q >> 2 determine a slot, and those of neighbours
   * differ in them by one. */
  template <int HALF> __device__ __forceinline__ void advance_task(const smem_task &task, unsigned members) const {
    const int from_p = u0 + v0, from_q = u0 - v0, p = from_p + task.p, q = from_q + task.q, qy = from_q + task.qy;
    const unsigned a = row_at(p), a_less = row_at(p - 2), a_more = row_at(p + 2);
    const unsigned b = column_at(q), b_less = column_at(q - 2), b_more = column_at(q + 2), by = column_at(qy),
                   by_less = column_at(qy - 2), by_more = column_at(qy + 2);
    constexpr int X = HALF ? TOR_EX : TOR_HX, Y = X + 1, Z = X + 2, OX = HALF ? TOR_HX : TOR_EX, OY = OX + 1,
                  OZ = OX + 2;
    const unsigned x = HALF ? a + b : a_less + b_less, y = HALF ? a + by_less : a_less + by, z_ = a + b;
    const smem_site sx = site_of(HALF, task, TOR_X, u0, v0), sy = site_of(HALF, task, TOR_Y, u0, v0),
                    sz = site_of(HALF, task, TOR_Z, u0, v0);
    stretching x_along_y = ask_stretching<X, TOR_Y>(sx, members & 1),
               y_along_x = ask_stretching<Y, TOR_X>(sy, members & 2),
               z_along_x = ask_stretching<Z, TOR_X>(sz, members & 4),
               z_along_y = ask_stretching<Z, TOR_Y>(sz, members & 4);
    vec coef[3], sum[3] = {};
    ask_layered<HALF>(coef);
    const damping damped_by = ask_damping<HALF>();
    const real across[3] = {damping_across(damped_by, sx.u - u0, sx.v - v0),
                            damping_across(damped_by, sy.u - u0, sy.v - v0),
                            damping_across(damped_by, sz.u - u0, sz.v - v0)};
#pragma unroll
    for (int axis = 0; axis < 3; axis++) coef[axis] = damped(coef[axis], across[axis]);
    if constexpr (HALF) {
      if (needs & SMEM_MEDIA) {
        look_up(X, x, coef[0], sum[0]);
        look_up(Y, y, coef[1], sum[1]);
        look_up(Z, z_, coef[2], sum[2]);
      }
    }
    const vec ox = at(OX, y), oy = at(OY, x);
    vec dx_z, dy_z, dx_y, dy_x, dz_x, dz_y; /* d of what X's equation has along z, and so on */
    dx_z = along_z<HALF>(oy, edge_of<HALF>(OY, x)), dy_z = along_z<HALF>(ox, edge_of<HALF>(OX, y));
    if constexpr (HALF) {
      dx_y = mirrored<TOR_Y>(sx, at(OZ, a_more + b), at(OZ, a + b_more));
      dy_x = mirrored<TOR_X>(sy, at(OZ, a_more + by), at(OZ, y));
      dz_x = mirrored<TOR_X>(sz, oy, at(OY, a_less + b_less));
      dz_y = mirrored<TOR_Y>(sz, at(OX, a + b_less), at(OX, a_less + b));
    } else {
      dx_y = minus(at(OZ, a + b_less), at(OZ, a_less + b)), dy_x = minus(at(OZ, a + by_more), at(OZ, y));
      dz_x = minus(at(OY, z_), oy), dz_y = minus(at(OX, a + b_less), at(OX, a_less + b));
    }
    const vec fx = at(X, x), fy = at(Y, y), fz = at(Z, z_);
    const cpml_z along = layer_at(HALF);
    stretch_z(X, x, along, psi_of(X, x), dx_z);
    stretch_z(Y, y, along, psi_of(Y, y), dy_z);
    stretch(x_along_y, dx_y);
    stretch(y_along_x, dy_x);
    stretch(z_along_x, dz_x);
    stretch(z_along_y, dz_y);
    finish<HALF, true>(X, x, members & 1, fx, HALF ? less(dx_y, dx_z) : less(dx_z, dx_y), coef[0], sum[0], damped_by,
                       across[0]);
    finish<HALF, true>(Y, y, members & 2, fy, HALF ? less(dy_z, dy_x) : less(dy_x, dy_z), coef[1], sum[1], damped_by,
                       across[1]);
    finish<HALF, true>(Z, z_, members & 4, fz, HALF ? less(dz_x, dz_y) : less(dz_y, dz_x), coef[2], sum[2], damped_by,
                       across[2]);
  }

  template <int HALF> __device__ __forceinline__ unsigned members_of(const smem_task &task) const {
    unsigned members = 7;
    if (needs & WALLS)
#pragma unroll
      for (int axis = 0; axis < 3; axis++) {
        const smem_site at = site_of(HALF, task, axis, u0, v0);
        if (!inside(s, at.u, at.v)) members &= ~(1u << axis);
      }
    return members;
  }
  template <int HALF> __device__ __forceinline__ void advance_tasks() {
    forget();
#pragma unroll 1
    for (int number = SMEM_LINE * first; number < SMEM_LINE * (first + 1); number++) {
      const smem_task task = task_at(HALF, number);
      const unsigned members = members_of<HALF>(task);
      if (members) advance_task<HALF>(task, members);
    }
  }

  /* Away from edges and layers along x and y, a warp of those that share z advances three tasks side by side along q,
   * and each value that two of them need is read once: Z's and X's neighbours are those of the next task's Y. */
  struct places { /* of a task */
    unsigned x, y, z, oz, oz_shared, oy_less, ox_less, ox;
    real across[SMEM_DAMPED ? 3 : 1]; /* the absorbers' factors p_x p_y of X, Y, Z */
  };
  static __device__ __forceinline__ real across_of(const places &at, int axis) {
    return at.across[SMEM_DAMPED ? axis : 0];
  }
  /* Z of a task stands at (p, q), Y beside (p, qy). */
  template <int HALF>
  __device__ __forceinline__ void set_damping(places &to, const damping &by, int p, int q, int qy) const {
    if constexpr (SMEM_DAMPED) {
      const int from_p = p - u0 - v0, from_q = q - u0 + v0, from_qy = qy - u0 + v0, shift = HALF ? 1 : -1;
      to.across[0] = damping_across(by, (from_p + from_q) / 2 + shift, (from_p - from_q) / 2);
      to.across[1] = damping_across(by, (from_p + from_qy) / 2, (from_p - from_qy) / 2 + shift);
      to.across[2] = damping_across(by, (from_p + from_q) / 2, (from_p - from_q) / 2);
    }
  }
  struct asked { /* read of a task, while the one before is advanced */
    vec oz, oz_shared, oy, oy_less, ox_less, ox, psi[2];
    real edge_x;
  };
  struct beside { /* Y's neighbours: along x, and OX, which it needs along z */
    vec oz, ox;
    real edge;
  };
  template <int HALF> __device__ __forceinline__ void ask(const places &at, asked &to) const {
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
  template <int HALF> __device__ __forceinline__ void ask_old(const places &at, vec f[3]) const {
    constexpr int X = HALF ? TOR_EX : TOR_HX;
    f[0] = this->at(X, at.x);
    f[1] = this->at(X + 1, at.y);
    f[2] = this->at(X + 2, at.z);
  }
  __device__ __forceinline__ void ask_media(const places &at, const vec layered[3], vec coef[3], vec sum[3]) const {
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      coef[axis] = damped(layered[axis], across_of(at, axis));
      sum[axis] = {};
    }
    look_up(TOR_EX, at.x, coef[0], sum[0]);
    look_up(TOR_EY, at.y, coef[1], sum[1]);
    look_up(TOR_EZ, at.z, coef[2], sum[2]);
  }
  /* A task's curls, and memory of CPML along z. y_shared: the value that the first task's Y uses in place of the shared
   * neighbour. */
  template <int HALF>
  __device__ __forceinline__ void find_curls(const places &at, const asked &of, const beside &y, const vec &y_shared,
                                             const cpml_z &along, vec curl[3]) const {
    constexpr int X = HALF ? TOR_EX : TOR_HX, Y = X + 1;
    vec dx_z = along_z<HALF>(HALF ? of.oy : of.oy_less, of.edge_x), dy_z = along_z<HALF>(y.ox, y.edge);
    const vec dx_y = HALF ? minus(of.oz, of.oz_shared) : minus(of.oz_shared, of.oz),
              dy_x = HALF ? minus(y.oz, y_shared) : minus(y_shared, y.oz);
    const vec dz_x = minus(of.oy, of.oy_less), dz_y = minus(of.ox_less, of.ox);
    stretch_z(X, at.x, along, of.psi[0], dx_z);
    stretch_z(Y, at.y, along, of.psi[1], dy_z);
    curl[0] = HALF ? less(dx_y, dx_z) : less(dx_z, dx_y);
    curl[1] = HALF ? less(dy_z, dy_x) : less(dy_x, dy_z);
    curl[2] = HALF ? less(dz_x, dz_y) : less(dz_y, dz_x);
  }
  template <int HALF, bool MEDIA>
  __device__ __forceinline__ void finish_task(const places &at, const vec f[3], const vec curl[3], const vec coef[3],
                                              const vec sum[3], const damping &of) const {
    constexpr int X = HALF ? TOR_EX : TOR_HX;
    const unsigned place[3] = {at.x, at.y, at.z};
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      const real across = across_of(at, axis);
      finish<HALF, MEDIA>(X + axis, place[axis], true, f[axis], curl[axis],
                          MEDIA ? coef[axis] : damped(coef[axis], across), sum[axis], of, across);
    }
  }
  template <int HALF, bool MEDIA> __device__ __forceinline__ void advance_line() {
    forget();
    constexpr int OX = HALF ? TOR_HX : TOR_EX, OZ = OX + 2;
    const int odd = first & 1, p = u0 + v0 + 2 + 2 * first, q = u0 - v0 + (HALF ? 10 + 2 * odd : 4 - 2 * odd);
    const unsigned a = row_at(p), less = row_at(p - 2), beside_a = HALF ? row_at(p + 2) : less;
    const int of_y = HALF ? (odd ? -8 : 4) : (odd ? 8 : -4); /* along q, from the first task to its Y */
    places at[SMEM_LINE];
    const damping damped_by = ask_damping<HALF>();
#pragma unroll
    for (int n = 0; n < SMEM_LINE; n++) {
      const int qn = q + (HALF ? -4 : 4) * n, qy = n ? qn - (HALF ? -4 : 4) : q + of_y;
      at[n] = {HALF ? a + column_at(qn) : less + column_at(qn - 2),
               HALF ? a + column_at(qy - 2) : less + column_at(qy),
               a + column_at(qn),
               beside_a + column_at(qn),
               a + column_at(HALF ? qn + 2 : qn - 2),
               less + column_at(qn - 2),
               a + column_at(qn - 2),
               less + column_at(qn),
               {}};
      set_damping<HALF>(at[n], damped_by, p, qn, qy);
    }
    asked of[SMEM_LINE];
    vec f[SMEM_LINE][3], curl[SMEM_LINE][3], coef[SMEM_LINE][3], sum[SMEM_LINE][3];
    vec layered[3];
    if (HALF || SMEM_DAMPED) ask_layered<HALF>(layered);
    if (MEDIA) ask_media(at[0], layered, coef[0], sum[0]);
    ask<HALF>(at[0], of[0]);
    beside y;
    y.oz = this->at(OZ, beside_a + column_at(q + of_y));
    y.ox = this->at(OX, at[0].y);
    y.edge = edge_of<HALF>(OX, at[0].y);
    const vec y_shared = this->at(OZ, a + column_at(q + of_y + (HALF ? -2 : 2)));
    if (!MEDIA) ask_old<HALF>(at[0], f[0]);
#pragma unroll
    for (int n = 0; n < SMEM_LINE; n++) {
      const cpml_z along = layer_at(HALF);
      if (MEDIA) {
        /* Loads of sums and coefficients take long: a task is finished after the curls of the next. */
        if (n) ask<HALF>(at[n], of[n]), ask_old<HALF>(at[n - 1], f[n - 1]);
      } else if (n + 1 < SMEM_LINE) {
        ask<HALF>(at[n + 1], of[n + 1]);
        ask_old<HALF>(at[n + 1], f[n + 1]);
      }
      find_curls<HALF>(at[n], of[n], y, n ? of[n].oz_shared : y_shared, along, curl[n]);
      y = {of[n].oz, HALF ? of[n].ox_less : of[n].ox, n + 1 < SMEM_LINE ? edge_of<HALF>(OX, at[n + 1].y) : 0};
      if (!MEDIA) finish_task<HALF, MEDIA>(at[n], f[n], curl[n], layered, sum[n], damped_by);
      if (MEDIA && n) finish_task<HALF, MEDIA>(at[n - 1], f[n - 1], curl[n - 1], coef[n - 1], sum[n - 1], damped_by);
      if (MEDIA && n + 1 < SMEM_LINE) ask_media(at[n + 1], layered, coef[n + 1], sum[n + 1]);
    }
    if (MEDIA) {
      ask_old<HALF>(at[SMEM_LINE - 1], f[SMEM_LINE - 1]);
      finish_task<HALF, MEDIA>(at[SMEM_LINE - 1], f[SMEM_LINE - 1], curl[SMEM_LINE - 1], coef[SMEM_LINE - 1],
                               sum[SMEM_LINE - 1], damped_by);
    }
  }

  template <int HALF> __device__ __forceinline__ void advance_sites() {
    if (needs & SMEM_EDGES)
      advance_tasks<HALF>();
    else if (HALF && needs & SMEM_MEDIA)
      advance_line<HALF, true>();
    else
      advance_line<HALF, false>();
  }

  /* Applies plane sources to the warp's own values, a plane and a task a lane; one is at each z. */
  template <int HALF> __device__ __forceinline__ void inject_planes() {
    forget();
    const int k = first_plane(HALF) + lane / 4, number = SMEM_LINE * first + lane % 4;
    __syncwarp();
    if (k >= past_plane(HALF) || lane % 4 >= SMEM_LINE) return;
    const unsigned place = now().inject_at[k][number];
    if (!is_mine(place)) return;
    real *const value = &smem().field[0][0][0] + place;
    *value = inject_plane(k, number, *value);
  }

  /* Sends the block below the first values of E, or the block above the last ones of H, of the warp's vectors along x
   * and y. */
  template <int HALF> __device__ __forceinline__ void send_beside() const {
    __syncwarp();
    if (!has_beside<HALF>() || lane >= 2 * SMEM_LINE) return;
    const int axis = lane / SMEM_LINE, comp = (HALF ? TOR_EX : TOR_HX) + axis, there = span.rank + (HALF ? -1 : 1);
    const smem_site at = site_of(HALF, task_at(HALF, SMEM_LINE * first + lane % SMEM_LINE), axis, u0, v0);
    const int slot = slot_of(at.u + at.v, at.u - at.v);
    store_async(block_address(&smem().beside[smem_psi_of(comp)][slot][HALF ? 0 : SMEM_BESIDE - 1], there),
                smem().field[comp][slot][HALF ? 0 : span.count - 1], block_address(&smem().came_beside[HALF], there));
  }
  /* Whether the warp has the block's lowest values and there is a block below, or the highest ones and there is one
   * above. */
  template <int HALF> __device__ __forceinline__ bool has_beside() const {
    return HALF ? half == 0 && span.has_below() : (int)half == (span.count - 1) / (WARP * V) && span.has_above();
  }
  /* Waits for the values of the other field beside the block's, if the warp needs any. */
  template <int HALF> __device__ __forceinline__ void take_beside() {
    if (!has_beside<HALF>()) return;
    uint64_t *const came = &smem().came_beside[!HALF];
    barrier_wait(came, parity_beside);
    parity_beside ^= 1;
    if (first == 0 && lane == 0) barrier_expect(came, SMEM_BESIDE_BYTES); /* the next ones */
  }
};

} // namespace

#endif
