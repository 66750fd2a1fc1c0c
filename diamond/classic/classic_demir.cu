/* Demir and Elsherbeni: 3-D, coefficients of each point's own. A thread is a cell of the plane, as the plane lies in
 * memory: xyz: of one level of z; xy: of all of them, one after another, keeping what the next one needs. Neighbours
 * along x pass through shared memory. Unlike the listings all threads come to all barriers, and the tiles have the size
 * that is used. */
#include "diamond/classic/classic_gpu.cuh"

enum { OVERLAP = 16 };

/* [component][material]: as tor_classic_medium. */
static __constant__ real by_material[TOR_NCOMP][TOR_CLASSIC_MEDIA_MOST][3];

void TOR_NAME(tor_classic_demir_table)(const real *table, size_t bytes) {
  CUDA_TRY(cudaMemcpyToSymbol(by_material, table, bytes));
}

template <int RULE, bool INDEX, int COMP> POINT_FN void advance(const classic_view &s, int at, real d1, real d2) {
  real c0, c1, c2 = 0;
  if (INDEX) {
    const real *c = by_material[COMP][s.m[COMP][at]];
    c0 = c[0], c1 = c[1], c2 = c[2];
  } else {
    c0 = s.c[COMP][0][at], c1 = s.c[COMP][1][at];
    if (RULE == TOR_CLASSIC_AUTHOR) c2 = s.c[COMP][2][at];
  }
  s.f[COMP][at] = tor_classic_media(RULE, s.f[COMP][at], c0, c1, d1, c2, d2);
}

/* The difference between the thread's value and its neighbour's: the higher place less the lower one. */
template <bool H> POINT_FN real between(real near, real far) { return H ? far - near : near - far; }

/* The thread's cell of the plane, and its place in the tiles; the overlap is behind H's and in front of E's. Threads
 * beyond the plane load, too, what their neighbours read. */
template <bool H> struct cell {
  int at;
  bool inside;
  real *ty, *tz;
  __device__ explicit cell(const classic_view &s) : at(blockIdx.x * blockDim.x + threadIdx.x), inside(at < s.plane) {
    ty = (real *)block_bytes() + threadIdx.x + (H ? 0 : OVERLAP);
    tz = ty + blockDim.x + OVERLAP;
  }
};

/* One level. x, y: the other field's components across z at the thread's place in this level; x_to, y_to: in the next
 * one (H), or the one before (E). */
template <int RULE, bool INDEX, bool H>
POINT_FN void level(const classic_view &s, const cell<H> &p, int at, real x, real y, real x_to, real y_to) {
  constexpr int G = H ? TOR_EX : TOR_HX, F = H ? TOR_HX : TOR_EX, TO = H ? 1 : -1;
  const int overlap = H ? (int)blockDim.x : -OVERLAP;
  p.ty[0] = y;
  p.tz[0] = s.f[G + 2][at];
  if (threadIdx.x < OVERLAP) {
    p.ty[overlap] = s.f[G + 1][at + overlap];
    p.tz[overlap] = s.f[G + 2][at + overlap];
  }
  __syncthreads();
  if (!p.inside) return;
  const real z = p.tz[0], y_of_z = between<H>(z, s.f[G + 2][at + TO * s.pitch]),
             y_of_x = between<H>(x, s.f[G][at + TO * s.pitch]), z_of_y = between<H>(y, y_to),
             z_of_x = between<H>(x, x_to), x_of_z = between<H>(z, p.tz[TO]), x_of_y = between<H>(y, p.ty[TO]);
  advance<RULE, INDEX, F>(s, at, H ? z_of_y : y_of_z, H ? y_of_z : z_of_y);
  advance<RULE, INDEX, F + 1>(s, at, H ? x_of_z : z_of_x, H ? z_of_x : x_of_z);
  advance<RULE, INDEX, F + 2>(s, at, H ? y_of_x : x_of_y, H ? x_of_y : y_of_x);
}

template <int RULE, bool INDEX, bool H> static __global__ void xyz(const __grid_constant__ classic_view s) {
  constexpr int G = H ? TOR_EX : TOR_HX, TO = H ? 1 : -1;
  const cell<H> p(s);
  const int at = p.at + (int)blockIdx.y * s.plane, to = at + TO * s.plane;
  level<RULE, INDEX, H>(s, p, at, s.f[G][at], s.f[G + 1][at], s.f[G][to], s.f[G + 1][to]);
}

template <int RULE, bool INDEX, bool H> static __global__ void xy(const __grid_constant__ classic_view s) {
  constexpr int G = H ? TOR_EX : TOR_HX;
  const cell<H> p(s);
  int at = p.at;
  /* H keeps the values of a level from the one below, E from the one above. */
  const int from = H ? at : at - s.plane;
  real x = s.f[G][from], y = s.f[G + 1][from];
  for (int k = 0; k < s.n[2]; k++, at += s.plane) {
    const int next = H ? at + s.plane : at;
    const real x_next = s.f[G][next], y_next = s.f[G + 1][next];
    if (H)
      level<RULE, INDEX, H>(s, p, at, x, y, x_next, y_next);
    else
      level<RULE, INDEX, H>(s, p, at, x_next, y_next, x, y);
    x = x_next;
    y = y_next;
    __syncthreads(); /* the tiles are filled again */
  }
}

template <int RULE, bool INDEX> static void run(const classic_view &s, const classic_span &span) {
  const int b = span.how->block[0];
  const bool one_level = span.how->engine == TOR_CLASSIC_DEMIR_XYZ;
  const dim3 grid(classic_blocks(s.plane, b), one_level ? (unsigned)s.n[2] : 1);
  const size_t shared = 2 * sizeof(real) * (size_t)(b + OVERLAP);
  classic_steps(span, [&](int, int e) {
    if (one_level)
      classic_launch(span, e ? xyz<RULE, INDEX, false> : xyz<RULE, INDEX, true>, grid, (unsigned)b, shared, s);
    else
      classic_launch(span, e ? xy<RULE, INDEX, false> : xy<RULE, INDEX, true>, grid, (unsigned)b, shared, s);
  });
}

void TOR_NAME(tor_classic_demir)(const tor_classic_case *c, const void *view, const classic_span &span) {
  const classic_view &s = *(const classic_view *)view;
  const bool index = span.how->variant & TOR_CLASSIC_INDEX;
  if (c->rule == TOR_CLASSIC_TORRE)
    (index ? run<TOR_CLASSIC_TORRE, true> : run<TOR_CLASSIC_TORRE, false>)(s, span);
  else
    (index ? run<TOR_CLASSIC_AUTHOR, true> : run<TOR_CLASSIC_AUTHOR, false>)(s, span);
}
