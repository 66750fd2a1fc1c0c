/* Takada, Shimobaba, Masuda and Ito: 2-D, a block is a rectangle of nodes, a thread a node. The kernel of H and the
 * kernel of E each pass a field either from one component to two or from two to one; in TE the roles are exchanged.
 * Unlike the printed code there is a barrier between filling a tile and reading it in both kernels. */
#include "diamond/classic/classic_gpu.cuh"

/* A node of the thread, and the place of its value in the block's tiles. */
struct node {
  int x, y, at, tile, row; /* row: of a tile, the overlap included */
  bool inside;
  __device__ explicit node(const classic_view &s)
      : x(blockIdx.x * blockDim.x + threadIdx.x), y(blockIdx.y * blockDim.y + threadIdx.y), at(y * s.pitch + x),
        row(blockDim.x + 1), inside(x <= s.n[0] && y <= s.n[1]) {
    tile = threadIdx.y * row + threadIdx.x;
  }
};

/* Fills a tile with a field and its overlap: one more column or row above (UP) or below the block, which begins at
 * place 0, or 1 along that axis. */
template <bool UP, bool ALONG_X, bool ALONG_Y>
POINT_FN void fill(const classic_view &s, const node &p, const real *g, real *tile) {
  constexpr int TO = UP ? 1 : -1;
  if (!p.inside) return;
  tile[0] = g[p.at];
  const bool at_x = UP ? threadIdx.x == blockDim.x - 1 || p.x == s.n[0] : threadIdx.x == 0;
  const bool at_y = UP ? threadIdx.y == blockDim.y - 1 || p.y == s.n[1] : threadIdx.y == 0;
  if (ALONG_X && at_x) tile[TO] = g[p.at + TO];
  if (ALONG_Y && at_y) tile[TO * p.row] = g[p.at + TO * s.pitch];
}

/* The difference of a field along an axis, from a tile or from memory. */
template <bool SHARED, bool UP>
POINT_FN real difference(const real *tile, const real *g, int at, int step_in_tile, int step) {
  if (SHARED) return UP ? tile[step_in_tile] - tile[0] : tile[0] - tile[-step_in_tile];
  return UP ? g[at + step] - g[at] : g[at] - g[at - step];
}

/* From G to the two others of the plane: FY takes the difference along y, FX along x. */
template <int RULE, bool SHARED, int G, int FX, int FY>
static __global__ void one_to_two(const __grid_constant__ classic_view s) {
  constexpr bool UP = !comp_is_h(G); /* H reads above itself */
  const node p(s);
  real *tile = (real *)block_bytes() + p.tile + (UP ? 0 : p.row + 1);
  const real *g = s.f[G];
  if (SHARED) {
    fill<UP, true, true>(s, p, g, tile);
    __syncthreads();
  }
  if (!p.inside) return;
  const real dx = difference<SHARED, UP>(tile, g, p.at, 1, 1),
             dy = difference<SHARED, UP>(tile, g, p.at, p.row, s.pitch);
  constexpr int SECOND_X = curl_axis(FX, 1) == TOR_X, SECOND_Y = curl_axis(FY, 1) == TOR_Y;
  /* A wall's own points of E stay 0. */
  if (comp_is_h(FX) || (p.x > 0 && p.x < s.n[0]))
    s.f[FX][p.at] = tor_classic_line(RULE, SECOND_X, s.f[FX][p.at], s.k[FX][1 + SECOND_X], dx);
  if (comp_is_h(FY) || (p.y > 0 && p.y < s.n[1]))
    s.f[FY][p.at] = tor_classic_line(RULE, SECOND_Y, s.f[FY][p.at], s.k[FY][1 + SECOND_Y], dy);
}

/* From GX, by its difference along x, and GY along y to F. */
template <int RULE, bool SHARED, int F, int GX, int GY>
static __global__ void two_to_one(const __grid_constant__ classic_view s, int step) {
  constexpr bool UP = comp_is_h(F);
  const node p(s);
  real *tx = (real *)block_bytes() + p.tile + (UP ? 0 : p.row + 1), *ty = tx + p.row * (blockDim.y + 1);
  if (SHARED) {
    fill<UP, true, false>(s, p, s.f[GX], tx);
    fill<UP, false, true>(s, p, s.f[GY], ty);
    __syncthreads();
  }
  if (!p.inside) return;
  const real dx = difference<SHARED, UP>(tx, s.f[GX], p.at, 1, 1),
             dy = difference<SHARED, UP>(ty, s.f[GY], p.at, p.row, s.pitch);
  constexpr bool X_FIRST = curl_axis(F, 0) == TOR_X;
  real f = tor_classic_plane(RULE, s.f[F][p.at], s.k[F][1], X_FIRST ? dx : dy, s.k[F][2], X_FIRST ? dy : dx);
  if (comp_is_h(F) ? p.x == s.n[0] || p.y == s.n[1] : p.x == 0 || p.y == 0 || p.x == s.n[0] || p.y == s.n[1]) f = 0;
  if (p.at == s.source_at) f = s.value[step];
  s.f[F][p.at] = f;
}

/* TM: Ez to Hx, Hy and back; TE: Hz to Ex, Ey and back. */
template <int RULE, bool SHARED, int F, int GX, int GY>
static void run(const classic_view &s, const classic_span &span) {
  const int *b = span.how->block;
  const dim3 block((unsigned)b[0], (unsigned)b[1]),
      grid(classic_blocks(s.n[0] + 1, b[0]), classic_blocks(s.n[1] + 1, b[1]));
  const size_t tile = SHARED ? sizeof(real) * (size_t)(b[0] + 1) * (size_t)(b[1] + 1) : 0;
  classic_steps(span, [&](int step, int e) {
    if (e == !comp_is_h(F))
      classic_launch(span, two_to_one<RULE, SHARED, F, GX, GY>, grid, block, 2 * tile, s, step);
    else
      classic_launch(span, one_to_two<RULE, SHARED, F, GX, GY>, grid, block, tile, s);
  });
}

void TOR_NAME(tor_classic_takada)(const tor_classic_case *c, const void *view, const classic_span &span) {
  const classic_view &s = *(const classic_view *)view;
  const bool shared = span.how->engine == TOR_CLASSIC_TAKADA_SHARED, torre = c->rule == TOR_CLASSIC_TORRE;
  if (c->scheme == TOR_CLASSIC_TM) {
    if (torre)
      (shared ? run<TOR_CLASSIC_TORRE, true, TOR_EZ, TOR_HY, TOR_HX>
              : run<TOR_CLASSIC_TORRE, false, TOR_EZ, TOR_HY, TOR_HX>)(s, span);
    else
      (shared ? run<TOR_CLASSIC_AUTHOR, true, TOR_EZ, TOR_HY, TOR_HX>
              : run<TOR_CLASSIC_AUTHOR, false, TOR_EZ, TOR_HY, TOR_HX>)(s, span);
    return;
  }
  if (torre)
    (shared ? run<TOR_CLASSIC_TORRE, true, TOR_HZ, TOR_EY, TOR_EX>
            : run<TOR_CLASSIC_TORRE, false, TOR_HZ, TOR_EY, TOR_EX>)(s, span);
  else
    (shared ? run<TOR_CLASSIC_AUTHOR, true, TOR_HZ, TOR_EY, TOR_EX>
            : run<TOR_CLASSIC_AUTHOR, false, TOR_HZ, TOR_EY, TOR_EX>)(s, span);
}
