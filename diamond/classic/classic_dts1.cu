/* The kernel of classic_dts1.h: a block is a tower, a thread one z. */
#include "diamond/classic/classic_dts1.cuh"

/* The four diamonds of the other field around the one that is advanced, by whether they lie 3 further or 3 back along p
 * and q, and its own old and new values. */
struct tile {
  real around[2][2][VALUES], own[VALUES], next[VALUES];
};

/* The value at a place that is counted from the corner of the diamond that is advanced: -3 to 8. */
template <int HALF, int KIND, int P, int Q> POINT_FN real value_at(const tile &t) {
  constexpr int far_p = P >= REACH, far_q = Q >= REACH, kind = far_p == far_q ? KIND : 1 - KIND;
  constexpr int place =
      site_place(!HALF, kind, site_number(P + (far_p ? -REACH : REACH), Q + (far_q ? -REACH : REACH)));
  static_assert(place >= 0, "no value of the other field there");
  return t.around[far_p][far_q][place];
}

/* The difference along x or y. A wall is half a cell (H) or a cell (E) away: the value beyond it is the mirrored one,
 * E with the other sign. at: the site's coordinate along the axis, end: of the wall. */
template <int HALF, int KIND, int I, int AXIS> POINT_FN real across(const tile &t, int at, int end) {
  constexpr int p = site_p(I), q = site_q(I), to_q = AXIS == TOR_X ? 1 : -1;
  const real a = value_at<HALF, KIND, p + 1, q + to_q>(t), b = value_at<HALF, KIND, p - 1, q - to_q>(t);
  real c = value_at<HALF, KIND, p + 3, q + 3 * to_q>(t), d = value_at<HALF, KIND, p - 3, q - 3 * to_q>(t);
  if (at == end - 1 - HALF) c = HALF ? a : -b;
  if (at == 1 + HALF) d = HALF ? b : -a;
  return tor_difference(4, a, b, c, d);
}

/* Along z, from the row of shared memory; HALF: the value of H above a node of E is the node's own. */
template <int HALF> POINT_FN real along_z(const real *row, int z) {
  return HALF ? tor_difference(4, row[z], row[z - 1], row[z + 1], row[z - 2])
              : tor_difference(4, row[z + 1], row[z], row[z + 2], row[z - 1]);
}

template <int HALF, int KIND, int I, int WHICH>
POINT_FN real difference(const tile &t, const real *rows, const dts1_view &s, int u, int v, int z) {
  constexpr int axis = curl_axis(site_comp(HALF, KIND, I), WHICH);
  if constexpr (axis == TOR_Z)
    return along_z<HALF>(rows + z_row(HALF, KIND, I) * s.row, z);
  else
    return across<HALF, KIND, I, axis>(t, axis == TOR_X ? u : v, 2 * s.n[axis]);
}

/* Puts the values whose neighbours along z are wanted into shared memory, with those beyond the walls. */
template <int HALF, int KIND, int I> POINT_FN void share(const tile &t, real *rows, const dts1_view &s, int z) {
  if constexpr (I < SITES) {
    if constexpr (needs_z(site_comp(HALF, KIND, I))) {
      const real value = value_at<HALF, KIND, site_p(I), site_q(I)>(t);
      real *row = rows + z_row(HALF, KIND, I) * s.row;
      const int n = s.n[2];
      row[z] = value;
      if (HALF) { /* H is even about the walls */
        if (z < 2) row[-1 - z] = value;
        if (z >= n - 2) row[2 * n - 1 - z] = value;
      } else { /* E is odd, and zero on the upper wall */
        if (z == 1) row[-1] = -value;
        if (z == n - 1) row[n] = 0, row[n + 1] = -value;
      }
    }
    share<HALF, KIND, I + 1>(t, rows, s, z);
  }
}

template <int HALF, int KIND, int I>
POINT_FN void advance(tile &t, const real *rows, const dts1_view &s, int u0, int v0, int z) {
  if constexpr (I < SITES) {
    constexpr int comp = site_comp(HALF, KIND, I);
    if constexpr (comp >= 0) {
      constexpr int place = site_place(HALF, KIND, I);
      const int u = u0 + site_u(I), v = v0 + site_v(I);
      const real d1 = difference<HALF, KIND, I, 0>(t, rows, s, u, v, z),
                 d2 = difference<HALF, KIND, I, 1>(t, rows, s, u, v, z);
      real f = tor_advance(t.own[place], s.cb[comp], d1 - d2);
      if (HALF && comp_axis(comp) != TOR_Z && z == 0) f = 0;
      const bool inside = u >= 1 && u <= 2 * s.n[0] - 1 && v >= 1 && v <= 2 * s.n[1] - 1;
      t.next[place] = inside ? f : t.own[place];
    }
    advance<HALF, KIND, I + 1>(t, rows, s, u0, v0, z);
  }
}

/* The values of diamond (a, b) of a field at this z. */
template <int COUNT>
POINT_FN void load(real (&to)[VALUES], const dts1_view &s, const real *field, int a, int b, int z) {
  const real *from = field + dts1_place(s, a, b) + z;
#pragma unroll
  for (int i = 0; i < COUNT; i++) to[i] = from[(size_t)i * s.nzp];
}
template <int COUNT>
POINT_FN void store(const real (&from)[VALUES], const dts1_view &s, real *field, int a, int b, int z) {
  real *to = field + dts1_place(s, a, b) + z;
#pragma unroll
  for (int i = 0; i < COUNT; i++) to[(size_t)i * s.nzp] = from[i];
}

/* Half a step of the diamond (a, b); t.around[0][0] and t.own are there. Afterwards they are those of the next one,
 * of the other field, 3 further along p and q. */
template <int HALF, int KIND> POINT_FN void half_step(tile &t, const dts1_view &s, real *rows, int a, int b, int z) {
  constexpr int same = value_count(!HALF, KIND), other = value_count(!HALF, 1 - KIND), mine = value_count(HALF, KIND);
  const real *g = s.field[!HALF];
  const int next = !HALF; /* E's diamonds around H's have numbers from its own on */
  load<same>(t.around[1][1], s, g, a + next, b + next, z);
  load<other>(t.around[1][0], s, g, a + next, b - 1 + next, z);
  load<other>(t.around[0][1], s, g, a - 1 + next, b + next, z);
  share<HALF, KIND, 0>(t, rows, s, z);
  __syncthreads();
  advance<HALF, KIND, 0>(t, rows, s, 3 * (a + b) + (HALF ? 0 : 3), 3 * (a - b), z);
  store<mine>(t.next, s, s.field[HALF], a, b, z);
#pragma unroll
  for (int i = 0; i < VALUES; i++) {
    t.own[i] = t.around[1][1][i];
    t.around[0][0][i] = t.next[i];
  }
}

/* Towers of a row: places first, first + 2, ... */
template <int KIND>
static __global__ void __launch_bounds__(DTS1_THREADS)
    tower_row(const __grid_constant__ dts1_view s, int row, int first, int steps) {
  const int place = first + 2 * (int)blockIdx.x, a = (row + place) / 2, b = (row - place) / 2, z = threadIdx.x;
  real *rows = (real *)block_bytes() + 2;
  tile t;
#pragma unroll
  for (int i = 0; i < VALUES; i++) t.own[i] = t.around[0][0][i] = 0;
  /* Steps in which diamonds lie beyond the arrays advance nothing. */
  const int begin = max(1, (s.first_row - row + 3) / 2), end = min(steps, (s.last_row - row) / 2);
  if (begin > end) return;
  load<value_count(0, KIND)>(t.own, s, s.field[0], a + begin - 1, b + begin - 1, z);
  load<value_count(1, KIND)>(t.around[0][0], s, s.field[1], a + begin - 1, b + begin - 1, z);
  for (int step = begin; step <= end; step++) {
    half_step<0, KIND>(t, s, rows, a + step - 1, b + step - 1, z);
    half_step<1, KIND>(t, s, rows + Z_ROWS * s.row, a + step, b + step, z);
  }
}

void TOR_NAME(tor_classic_dts1_row)(const void *view, int row, int first, int count, int steps, cudaStream_t stream,
                                    tor_classic_kernel *kernel) {
  const dts1_view *s = (const dts1_view *)view;
  tor_classic_launch how = {};
  const classic_span span = {0, steps, 0, 3, &how, stream, kernel};
  const size_t shared = 2 * (size_t)Z_ROWS * (size_t)s->row * sizeof(real);
  auto *const body = row & 1 ? tower_row<1> : tower_row<0>;
  CUDA_TRY(cudaFuncSetAttribute(body, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  classic_launch(span, body, (unsigned)count, (unsigned)s->n[2], shared, *s, row, first, steps);
}
