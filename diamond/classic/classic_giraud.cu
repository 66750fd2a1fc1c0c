/* Giraud: 3-D, one medium, cells 1 ... n of arrays with a border of zeros. Method 1: a thread a cell of one layer, a
 * launch a layer; method 2: a thread a column, layer after layer; method 3: a block a column of contiguous cells. In
 * methods 1 and 2 neighbouring threads lie along j, n + 2 values apart; ALONG_I lets them lie along i. */
#include "diamond/classic/classic_gpu.cuh"

static __constant__ int size_in_constant_memory[3];

void TOR_NAME(tor_classic_giraud_size)(const int n[3]) {
  CUDA_TRY(cudaMemcpyToSymbol(size_in_constant_memory, n, sizeof size_in_constant_memory));
}

template <bool CONSTANT> POINT_FN int size_along(const classic_view &s, int axis) {
  return CONSTANT ? size_in_constant_memory[axis] : s.n[axis];
}

/* A neighbour's value less the cell's own (E), or the other way round (H). */
template <bool E> POINT_FN real difference(real near, real far) { return E ? far - near : near - far; }

/* The other field's values that a cell reads, its own and those of the neighbours: along[axis][component]. */
struct neighbours {
  real own[3], along[3][3];
};

template <bool E> POINT_FN neighbours read_around(const classic_view &s, int at) {
  constexpr int G = E ? TOR_HX : TOR_EX, TO = E ? 1 : -1;
  const int stride[3] = {1, s.pitch, s.plane};
  neighbours r;
#pragma unroll
  for (int c = 0; c < 3; c++) r.own[c] = s.f[G + c][at];
#pragma unroll
  for (int a = 0; a < 3; a++)
#pragma unroll
    for (int c = 0; c < 3; c++)
      if (c != a) r.along[a][c] = s.f[G + c][at + TO * stride[a]];
  return r;
}

template <int RULE, bool E> POINT_FN void advance(const classic_view &s, int i, int j, int k, const neighbours &r) {
  constexpr int F = E ? TOR_EX : TOR_HX;
  const int at = i + j * s.pitch + k * s.plane, place[3] = {i, j, k};
  real f[3];
#pragma unroll
  for (int x = 0; x < 3; x++) f[x] = s.f[F + x][at];
#pragma unroll
  for (int x = 0; x < 3; x++) {
    const int a = E ? (x + 1) % 3 : (x + 2) % 3, b = E ? (x + 2) % 3 : (x + 1) % 3; /* of the two differences */
    const real d1 = difference<E>(r.own[b], r.along[a][b]), d2 = difference<E>(r.own[a], r.along[b][a]);
    f[x] = tor_classic_uniform(RULE, f[x], s.k[F + x][1], s.dt, E ? s.eps : s.mu, d1, s.edge[a], d2, s.edge[b]);
    /* On a wall E along it stays 0, and H across it. */
    if (!s.open && (E ? place[a] == s.n[a] || place[b] == s.n[b] : place[x] == s.n[x])) f[x] = 0;
  }
#pragma unroll
  for (int x = 0; x < 3; x++) s.f[F + x][at] = f[x];
}

template <int RULE, bool E> POINT_FN void advance_cell(const classic_view &s, int i, int j, int k) {
  advance<RULE, E>(s, i, j, k, read_around<E>(s, i + j * s.pitch + k * s.plane));
}

/* Methods 1 and 2: the thread's place along the block's two axes. OLD begins at the border. */
template <bool OLD> POINT_FN int along_x() { return (int)(blockIdx.x * blockDim.x + threadIdx.x) + !OLD; }
template <bool OLD> POINT_FN int along_y() { return (int)(blockIdx.y * blockDim.y + threadIdx.y) + !OLD; }

/* Methods 1 (one layer) and 2 (all, ALL). `layer` counts along the third axis. */
template <int RULE, bool E, bool OLD, bool CONSTANT, bool ALONG_I, bool ALL, bool SYNC>
static __global__ void layers(const __grid_constant__ classic_view s, int layer) {
  if (SYNC) __syncthreads();
  constexpr int X = ALONG_I ? 0 : 1, Y = ALONG_I ? 1 : 2, Z = ALONG_I ? 2 : 0;
  const int x = along_x<OLD>(), y = along_y<OLD>();
  if (x < 1 || y < 1 || x > size_along<CONSTANT>(s, X) || y > size_along<CONSTANT>(s, Y)) return;
  const int last = ALL ? size_along<CONSTANT>(s, Z) : layer;
  for (int z = ALL ? 1 : layer; z <= last; z++)
    if (ALONG_I)
      advance_cell<RULE, E>(s, x, y, z);
    else
      advance_cell<RULE, E>(s, z, x, y);
}

/* Method 1 with the layer's values of the other field, and the neighbours along j and k, in shared memory. */
template <int RULE, bool E> static __global__ void layer_in_tile(const __grid_constant__ classic_view s, int i) {
  constexpr int G = E ? TOR_HX : TOR_EX, TO = E ? 1 : -1;
  const int j = along_x<false>(), k = along_y<false>(), row = blockDim.x + 1, at = i + j * s.pitch + k * s.plane;
  const bool inside = j <= s.n[1] && k <= s.n[2];
  const int here = (threadIdx.y + !E) * row + threadIdx.x + !E, tile = row * (blockDim.y + 1);
  real *t = (real *)block_bytes() + here;
  const bool at_j = E ? threadIdx.x == blockDim.x - 1 || j == s.n[1] : threadIdx.x == 0;
  const bool at_k = E ? threadIdx.y == blockDim.y - 1 || k == s.n[2] : threadIdx.y == 0;
  if (inside)
#pragma unroll
    for (int c = 0; c < 3; c++) {
      t[c * tile] = s.f[G + c][at];
      if (at_j && c != 1) t[c * tile + TO] = s.f[G + c][at + TO * s.pitch];
      if (at_k && c != 2) t[c * tile + TO * row] = s.f[G + c][at + TO * s.plane];
    }
  __syncthreads();
  if (!inside) return;
  neighbours r;
#pragma unroll
  for (int c = 0; c < 3; c++) {
    r.own[c] = t[c * tile];
    if (c != 0) r.along[0][c] = s.f[G + c][at + TO];
    if (c != 1) r.along[1][c] = t[c * tile + TO];
    if (c != 2) r.along[2][c] = t[c * tile + TO * row];
  }
  advance<RULE, E>(s, i, j, k, r);
}

/* Method 1 with blocks of three axes: x threads along i, y along j and along k. */
template <int RULE, bool E> static __global__ void cubes(const __grid_constant__ classic_view s, int edge) {
  const int i = 1 + (int)(blockIdx.x * blockDim.x + threadIdx.x),
            j = 1 + (int)blockIdx.y * edge + (int)threadIdx.y % edge,
            k = 1 + (int)blockIdx.z * edge + (int)threadIdx.y / edge;
  if (i <= s.n[0] && j <= s.n[1] && k <= s.n[2]) advance_cell<RULE, E>(s, i, j, k);
}

/* Method 3: `chunk` consecutive cells, then those that are chunk times the block's threads further. */
template <int RULE, bool E> static __global__ void columns(const __grid_constant__ classic_view s, int chunk) {
  const int j = (int)blockIdx.x + 1, k = (int)blockIdx.y + 1, T = (int)blockDim.x;
  if (chunk == 1) {
    for (int i = (int)threadIdx.x + 1; i <= s.n[0]; i += T) advance_cell<RULE, E>(s, i, j, k);
    return;
  }
  for (int first = (int)threadIdx.x * chunk + 1; first <= s.n[0]; first += T * chunk)
    for (int i = first; i < first + chunk && i <= s.n[0]; i++) advance_cell<RULE, E>(s, i, j, k);
}

static __global__ void set_source(const __grid_constant__ classic_view s, int step) {
  s.f[s.source][s.source_at] = s.value[step];
}

template <int RULE, bool OLD, bool CONSTANT, bool ALONG_I>
static void run_layers(const classic_view &s, const classic_span &span, int e) {
  const int *b = span.how->block, border = OLD ? 2 : 0;
  const int x = ALONG_I ? s.n[0] : s.n[1], y = ALONG_I ? s.n[1] : s.n[2], count = ALONG_I ? s.n[2] : s.n[0];
  const dim3 block((unsigned)b[0], (unsigned)b[1]),
      grid(classic_blocks(x + border, b[0]), classic_blocks(y + border, b[1]));
  if (span.how->engine == TOR_CLASSIC_GIRAUD_2) {
    if (span.how->variant & TOR_CLASSIC_SYNC)
      classic_launch(span,
                     e ? layers<RULE, true, OLD, CONSTANT, ALONG_I, true, true>
                       : layers<RULE, false, OLD, CONSTANT, ALONG_I, true, true>,
                     grid, block, 0, s, 0);
    else
      classic_launch(span,
                     e ? layers<RULE, true, OLD, CONSTANT, ALONG_I, true, false>
                       : layers<RULE, false, OLD, CONSTANT, ALONG_I, true, false>,
                     grid, block, 0, s, 0);
    return;
  }
  for (int layer = 1; layer <= count; layer++)
    classic_launch(span,
                   e ? layers<RULE, true, OLD, CONSTANT, ALONG_I, false, false>
                     : layers<RULE, false, OLD, CONSTANT, ALONG_I, false, false>,
                   grid, block, 0, s, layer);
}

template <int RULE> static void half_step(const classic_view &s, const classic_span &span, int e) {
  const tor_classic_launch &how = *span.how;
  const unsigned v = how.variant;
  const int *b = how.block;
  if (how.engine == TOR_CLASSIC_GIRAUD_3) {
    const dim3 grid((unsigned)s.n[1], (unsigned)s.n[2]);
    classic_launch(span, e ? columns<RULE, true> : columns<RULE, false>, grid, (unsigned)b[0], 0, s, how.chunk);
  } else if (v & TOR_CLASSIC_CUBE) {
    const dim3 block((unsigned)b[0], (unsigned)(b[1] * b[1])),
        grid(classic_blocks(s.n[0], b[0]), classic_blocks(s.n[1], b[1]), classic_blocks(s.n[2], b[1]));
    classic_launch(span, e ? cubes<RULE, true> : cubes<RULE, false>, grid, block, 0, s, b[1]);
  } else if (v & TOR_CLASSIC_SHARED) {
    const dim3 block((unsigned)b[0], (unsigned)b[1]), grid(classic_blocks(s.n[1], b[0]), classic_blocks(s.n[2], b[1]));
    const size_t shared = 3 * sizeof(real) * (size_t)(b[0] + 1) * (size_t)(b[1] + 1);
    for (int i = 1; i <= s.n[0]; i++)
      classic_launch(span, e ? layer_in_tile<RULE, true> : layer_in_tile<RULE, false>, grid, block, shared, s, i);
  } else if (v & TOR_CLASSIC_ALONG_I) {
    if (v & TOR_CLASSIC_OLD)
      (v & TOR_CLASSIC_CONSTANT ? run_layers<RULE, true, true, true> : run_layers<RULE, true, false, true>)(s, span, e);
    else
      (v & TOR_CLASSIC_CONSTANT ? run_layers<RULE, false, true, true> : run_layers<RULE, false, false, true>)(s, span,
                                                                                                              e);
  } else if (v & TOR_CLASSIC_OLD)
    (v & TOR_CLASSIC_CONSTANT ? run_layers<RULE, true, true, false> : run_layers<RULE, true, false, false>)(s, span, e);
  else
    (v & TOR_CLASSIC_CONSTANT ? run_layers<RULE, false, true, false> : run_layers<RULE, false, false, false>)(s, span,
                                                                                                              e);
}

void TOR_NAME(tor_classic_giraud)(const tor_classic_case *c, const void *view, const classic_span &span) {
  const classic_view &s = *(const classic_view *)view;
  classic_span quiet = span;
  quiet.kernel = nullptr; /* the kernel of one value counts for nothing */
  classic_steps(span, [&](int step, int e) {
    (c->rule == TOR_CLASSIC_TORRE ? half_step<TOR_CLASSIC_TORRE> : half_step<TOR_CLASSIC_AUTHOR>)(s, span, e);
    if (c->value && e != comp_is_h(c->source)) classic_launch(quiet, set_source, 1, 1, 0, s, step);
  });
}
