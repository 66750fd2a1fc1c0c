/* The reference engine on the GPU: all H, then all E, step by step; 16-byte accesses. The baseline to which towers are
 * compared. */
#include <algorithm>

#include "diamond/gpu/stepwise/site.cuh"

enum { BLOCK_Z = 32, BLOCK_Y = 4, SPECIAL_THREADS = 128 };
enum { MOST_BLOCKS = 65535 /* of a grid along its second and third axis */ };

/* Columns that advance_plain may take. `plain` is 0 when none may. */
template <int ORDER> POINT_FN bool is_plain(const tor_gpu_view &s, int ix, int iy, int plain) {
  constexpr int MARGIN = ORDER / 2;
  return plain && (s.plane || (ix >= MARGIN && ix <= s.n[0] - MARGIN - s.periodic[TOR_X])) && iy >= MARGIN &&
         iy <= s.n[1] - MARGIN - s.periodic[TOR_Y] && !s.cls[column_of(s, 2 * ix, 2 * iy)];
}

/* A component of a plain column of a 2-D slab, which has it or not. */
template <int ORDER, int COMP> POINT_FN void advance_in_plane(const tor_gpu_view &s, int v, int z0) {
  const int u = comp_u(COMP), at = v + comp_v(COMP);
  if (!tor_comp_exists(s.plane, COMP)) return;
  store_values(s.field + vector_of(s, column_of(s, u, at), COMP) + z0, advance_plain<ORDER, COMP>(s, u, at, z0),
               s.n[2] - z0);
}
template <int ORDER, int HALF>
static __global__ void __launch_bounds__(BLOCK_Z *BLOCK_Y) plane_columns(const __grid_constant__ tor_gpu_view s) {
  constexpr int C = HALF ? TOR_EX : TOR_HX;
  const int iy = blockIdx.x * BLOCK_Y + threadIdx.y, z0 = V * (blockIdx.y * BLOCK_Z + threadIdx.x);
  if (z0 >= s.n[2] || !is_plain<ORDER>(s, 0, iy, 1)) return;
  advance_in_plane<ORDER, C>(s, 2 * iy, z0);
  advance_in_plane<ORDER, C + 1>(s, 2 * iy, z0);
  advance_in_plane<ORDER, C + 2>(s, 2 * iy, z0);
}

template <int ORDER, int HALF>
static __global__ void __launch_bounds__(BLOCK_Z *BLOCK_Y)
    plain_columns(const __grid_constant__ tor_gpu_view s, int first_ix) {
  constexpr int C = HALF ? TOR_EX : TOR_HX;
  const int ix = first_ix + (int)blockIdx.z, iy = blockIdx.y * BLOCK_Y + threadIdx.y,
            z0 = V * (blockIdx.x * BLOCK_Z + threadIdx.x);
  if (z0 >= s.n[2] || !is_plain<ORDER>(s, ix, iy, 1)) return;
  const int u = 2 * ix, v = 2 * iy, count = s.n[2] - z0;
  real *to = s.field + (column_of(s, u, v) * TOR_NCOMP + C) * s.nzp + z0;
  vec f0 = advance_plain<ORDER, C>(s, u + comp_u(C), v + comp_v(C), z0);
  vec f1 = advance_plain<ORDER, C + 1>(s, u + comp_u(C + 1), v + comp_v(C + 1), z0);
  vec f2 = advance_plain<ORDER, C + 2>(s, u + comp_u(C + 2), v + comp_v(C + 2), z0);
  store_values(to, f0, count);
  store_values(to + s.nzp, f1, count);
  store_values(to + 2 * s.nzp, f2, count);
}

/* The other columns, one component a block. */
template <int ORDER, int HALF>
static __global__ void __launch_bounds__(SPECIAL_THREADS)
    special_columns(const __grid_constant__ tor_gpu_view s, int step, const int *special, int count) {
  constexpr int C = HALF ? TOR_EX : TOR_HX;
  const int i = (int)(blockIdx.x * blockDim.y + threadIdx.y);
  if (i >= count) return;
  const int u = special[i] / (s.n[1] + 1) * 2, v = special[i] % (s.n[1] + 1) * 2;
  for (int z0 = V * (int)threadIdx.x; z0 <= s.n[2]; z0 += V * (int)blockDim.x) {
    if (blockIdx.y == 0) advance_site<ORDER, C>(s, step, u + comp_u(C), v + comp_v(C), z0);
    if (blockIdx.y == 1) advance_site<ORDER, C + 1>(s, step, u + comp_u(C + 1), v + comp_v(C + 1), z0);
    if (blockIdx.y == 2) advance_site<ORDER, C + 2>(s, step, u + comp_u(C + 2), v + comp_v(C + 2), z0);
    if (!HALF && blockIdx.y == 0 && s.has_nodes) advance_nodes(s, u, v, z0);
  }
}

template <int ORDER>
static __global__ void find_special(const __grid_constant__ tor_gpu_view s, int first_ix, int plain, int *special,
                                    int *count) {
  const int ix = first_ix + (int)blockIdx.y, iy = blockIdx.x * blockDim.x + threadIdx.x;
  if (iy <= s.n[1] && !is_plain<ORDER>(s, ix, iy, plain)) special[atomicAdd(count, 1)] = ix * (s.n[1] + 1) + iy;
}

/* The columns of a part that are not plain, on the device. */
struct special_list {
  int *counter, *at, count;
};

/* Calls launch(first ix, how many) for all columns. */
template <class Launch> static void in_slices(const tor_gpu_view *s, const Launch &launch) {
  for (int ix = 0; ix <= s->n[0]; ix += MOST_BLOCKS) launch(ix, (unsigned)std::min<int>(MOST_BLOCKS, s->n[0] + 1 - ix));
}

template <int ORDER> static special_list list_special(const tor_gpu_view *s, int plain, cudaStream_t stream) {
  special_list list;
  const size_t columns = (size_t)(s->n[0] + 1) * (size_t)(s->n[1] + 1);
  CUDA_TRY(cudaMallocAsync(&list.counter, (columns + 1) * sizeof *list.counter, stream));
  list.at = list.counter + 1;
  CUDA_TRY(cudaMemsetAsync(list.counter, 0, sizeof *list.counter, stream));
  in_slices(s, [&](int ix, unsigned n) {
    tor_gpu_launch(find_special<ORDER>, dim3((unsigned)(s->n[1] / 128 + 1), n), 128, stream, *s, ix, plain, list.at,
                   list.counter);
  });
  CUDA_TRY(cudaMemcpyAsync(&list.count, list.counter, sizeof list.count, cudaMemcpyDeviceToHost, stream));
  CUDA_TRY(cudaStreamSynchronize(stream));
  return list;
}

/* Half a step of a part. */
template <int ORDER, int HALF>
static void run_half(const tor_gpu_view *s, const special_list &special, int plain, int step, cudaStream_t stream) {
  const dim3 block(BLOCK_Z, BLOCK_Y);
  const unsigned along_z = (unsigned)((s->n[2] + V * BLOCK_Z - 1) / (V * BLOCK_Z)),
                 along_y = (unsigned)(s->n[1] / BLOCK_Y + 1);
  if (plain && s->plane)
    tor_gpu_launch(plane_columns<ORDER, HALF>, dim3(along_y, along_z), block, stream, *s);
  else if (plain)
    in_slices(s, [&](int ix, unsigned n) {
      tor_gpu_launch(plain_columns<ORDER, HALF>, dim3(along_z, along_y, n), block, stream, *s, ix);
    });
  if (!special.count) return;
  unsigned lanes = 8; /* for a column */
  while (lanes < SPECIAL_THREADS && lanes * V <= (unsigned)s->n[2]) lanes *= 2;
  const unsigned columns = SPECIAL_THREADS / lanes;
  tor_gpu_launch(special_columns<ORDER, HALF>, dim3(((unsigned)special.count + columns - 1) / columns, 3),
                 dim3(lanes, columns), stream, *s, step, special.at, special.count);
}

template <int ORDER>
static void run(const tor_gpu_view *s, const tor_gpu_view *imaginary, const struct tor_gpu_span *span,
                const uint8_t *energy_step, cudaStream_t stream) {
  /* A CPML as thick as the slab may leave rows of psi unaligned. */
  int plain = !s->pmc[TOR_ZLO] && !s->pmc[TOR_ZHI] && (s->zlo + s->zhi) % V == 0;
  const special_list special = list_special<ORDER>(s, plain, stream);
  plain = plain && special.count < (s->n[0] + 1) * (s->n[1] + 1);
  for (int step = span->first_step; step < span->first_step + span->steps; step++) {
    run_half<ORDER, 0>(s, special, plain, step, stream);
    if (imaginary) run_half<ORDER, 0>(imaginary, special, plain, step, stream);
    run_half<ORDER, 1>(s, special, plain, step, stream);
    if (imaginary) run_half<ORDER, 1>(imaginary, special, plain, step, stream);
    if (!energy_step[step]) continue;
    TOR_NAME(tor_gpu_sum_energies)(s, 0, s->n[0] + 1, stream);
    if (imaginary) TOR_NAME(tor_gpu_sum_energies)(imaginary, 0, s->n[0] + 1, stream);
  }
  CUDA_TRY(cudaFreeAsync(special.counter, stream));
}

void TOR_NAME(tor_gpu_stepwise)(const tor_gpu_view *view, const tor_gpu_view *imaginary, int order,
                                const struct tor_gpu_span *span, const uint8_t *energy_step, cudaStream_t stream) {
  (order == 2 ? run<2> : run<4>)(view, imaginary, span, energy_step, stream);
}
