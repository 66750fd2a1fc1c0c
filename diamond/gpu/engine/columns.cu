/* Ghost values behind the walls in z and energies of columns at the end of a step. */
#include "diamond/gpu/engine/copy.cuh"
#include "diamond/gpu/stepwise/site.cuh"

/* The ghost values that the CPU keeps behind the walls in z: site.c, set_ghosts. */
static __global__ void set_ghosts(const __grid_constant__ tor_gpu_view s, tor_gidx first, tor_gidx count) {
  tor_gidx i = (tor_gidx)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * 4) return;
  static constexpr int tangential[4] = {TOR_EX, TOR_EY, TOR_HX, TOR_HY};
  tor_gidx column = first + i / 4;
  int comp = tangential[i % 4], n = s.n[2];
  int u = 2 * (int)(column / (s.n[1] + 1)) + (comp == TOR_EX || comp == TOR_HY);
  int v = 2 * (int)(column % (s.n[1] + 1)) + (comp == TOR_EY || comp == TOR_HX);
  if (u < s.first[0] || u > s.last[0] || v < s.first[1] || v > s.last[1]) return;
  real *f = s.field + vector_of(s, column_of(s, u, v), comp);
  bool lo = s.pmc[TOR_ZLO], hi = s.pmc[TOR_ZHI];
  if (s.periodic[TOR_Z]) {
    const int second = n > 1, far = 2 - second; /* one cell: itself, two periods away */
    const real *const other = s.other_field ? s.other_field + (f - s.field) : nullptr;
    auto value = [&](int z, int around) { return other ? across_seam(s, TOR_Z, around, f[z], other[z]) : f[z]; };
    f[n] = value(0, 1);
    f[-1] = value(n - 1, -1);
    f[n + 1] = value(second, far);
    if (comp >= TOR_HX) f[-2] = value(n - 1 - second, -far);
  } else if (comp >= TOR_HX) {
    f[-1] = lo ? -f[0] : f[0];
    f[n] = hi ? -f[n - 1] : f[n - 1];
    real up = n > 1 ? f[1] : f[n], down = n > 1 ? f[n - 2] : f[-1];
    f[-2] = lo ? -up : up;
    f[n + 1] = hi ? -down : down;
  } else {
    if (!lo) f[0] = 0;
    if (!hi) f[n] = 0;
    f[-1] = lo ? f[1] : -f[1];
    f[n + 1] = hi ? f[n - 1] : -f[n - 1];
  }
}

static __global__ void cross_ghosts(const __grid_constant__ tor_gpu_view s, tor_gidx first, tor_gidx count) {
  static constexpr int tangential[4] = {TOR_EX, TOR_EY, TOR_HX, TOR_HY};
  const tor_gidx i = (tor_gidx)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * 4) return;
  const int n = s.n[2];
  const tor_gidx at = vector_of(s, first + i / 4, tangential[i % 4]);
  real *const part[2] = {s.field + at, s.other_field + at};
  for (int own = 0; own < 2; own++) {
    real *const f = part[own], *const other = part[1 - own];
    f[n] = other[0];
    f[n + 1] = other[1];
    f[-1] = other[n - 1];
    if (i % 4 >= 2) f[-2] = other[n - 2];
  }
}

void TOR_NAME(tor_gpu_cross_ghosts)(const tor_gpu_view *view, int lo, int hi, cudaStream_t stream) {
  const tor_gidx ny = view->n[1] + 1, count = (hi - lo) * ny;
  if (count <= 0) return;
  tor_gpu_launch(cross_ghosts, dim3((unsigned)((count * 4 + 255) / 256)), 256, stream, *view, lo * ny, count);
}

void TOR_NAME(tor_gpu_set_ghosts)(const tor_gpu_view *view, int lo, int hi, cudaStream_t stream) {
  const tor_gidx ny = view->n[1] + 1, count = (hi - lo) * ny;
  tor_gpu_launch(set_ghosts, dim3((unsigned)((count * 4 + 255) / 256)), 256, stream, *view, lo * ny, count);
}

POINT_FN tor_gidx columns_of(const tor_gpu_view &s) { return (tor_gidx)(s.n[0] + 1) * s.stride; }
template <int COMP> POINT_FN void sum_if_inside(const tor_gpu_view &s, int u, int v) {
  if (!inside(s, u + comp_u(COMP), v + comp_v(COMP))) return;
  if (s.period == s.n[2]) return sum_energy<COMP>(s, u, v);
  const tor_gidx column = column_of(s, u, v);
  for (int i = 0; i < s.segments; i++) {
    const double sum = energy_along_z<COMP>(s, column, i * s.pitch, i * s.pitch + s.period);
    if (threadIdx.x % 32 == 0) s.energy[(i * columns_of(s) + column) * TOR_NCOMP + COMP] = sum;
  }
}
/* Energy of columns that have reached the end of a step that sums it: a warp a column. */
static __global__ void sum_energies(const __grid_constant__ tor_gpu_view s, int lo) {
  const int ix = lo + (int)blockIdx.x, iy = blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32, u = 2 * ix, v = 2 * iy;
  if (iy > s.n[1]) return;
  sum_if_inside<TOR_EX>(s, u, v);
  sum_if_inside<TOR_EY>(s, u, v);
  sum_if_inside<TOR_EZ>(s, u, v);
  sum_if_inside<TOR_HX>(s, u, v);
  sum_if_inside<TOR_HY>(s, u, v);
  sum_if_inside<TOR_HZ>(s, u, v);
}

void TOR_NAME(tor_gpu_sum_energies)(const tor_gpu_view *view, int lo, int hi, cudaStream_t stream) {
  if (hi <= lo) return;
  tor_gpu_launch(sum_energies, dim3((unsigned)(hi - lo), (unsigned)(view->n[1] / 8 + 1)), 256, stream, *view, lo);
}

/* --- Energy of a block of columns --- */

struct energy_scale {
  double of[TOR_NCOMP];
};
enum { ENERGY_THREADS = 128 }; /* a power of 2 */

/* total[i]: energy of columns (lo + i, iy), y0 <= iy < y1, in a segment: threads take sums in turn, then halves are
 * added. */
static __global__ void total_energies(const __grid_constant__ tor_gpu_view s,
                                      const __grid_constant__ energy_scale scale, int segment, int lo, int y0, int y1,
                                      double *total) {
  __shared__ double part[ENERGY_THREADS];
  const tor_gidx first = segment * columns_of(s) + s.origin + (tor_gidx)(lo + (int)blockIdx.x) * s.stride + y0;
  const double *energy = s.energy + first * TOR_NCOMP;
  double sum = 0;
  for (int i = (int)threadIdx.x; i < (y1 - y0) * TOR_NCOMP; i += ENERGY_THREADS)
    sum += scale.of[i % TOR_NCOMP] * energy[i];
  part[threadIdx.x] = sum;
  for (int half = ENERGY_THREADS / 2; half; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) total[blockIdx.x] = part[0];
}

double TOR_NAME(tor_gpu_energy)(struct tor_device *device, int segment, int x0, int x1, int y0, int y1) {
  struct tor_gpu_copy *gpu = tor_gpu_use(device);
  const struct tor_slab *slab = gpu->slab;
  const int count = x1 - x0;
  if (count <= 0 || y1 <= y0) return 0;
  energy_scale scale;
  for (int c = 0; c < TOR_NCOMP; c++) scale.of[c] = slab->energy_scale[c];
  tor_gpu_launch(total_energies, dim3((unsigned)count), ENERGY_THREADS, gpu->stream, gpu->view, scale, segment,
                 x0 - slab->lo[0], y0 - slab->lo[1], y1 - slab->lo[1], gpu->total);
  CUDA_TRY(cudaMemcpyAsync(gpu->total_host, gpu->total, (size_t)count * sizeof(double), cudaMemcpyDeviceToHost,
                           gpu->stream));
  CUDA_TRY(cudaStreamSynchronize(gpu->stream));
  double sum = 0;
  for (int i = 0; i < count; i++) sum += gpu->total_host[i];
  return sum;
}

void TOR_NAME(tor_gpu_settle)(struct tor_gpu_copy *gpu) {
  for (int i = 0; i < TOR_NHALO_X; i++)
    if (gpu->halo_x[i]) TOR_NAME(tor_gpu_halo_x_land)(gpu->halo_x[i], gpu->stream);
  if (!gpu->sweep) {
    const tor_gpu_view imaginary = tor_gpu_imaginary(gpu);
    TOR_NAME(tor_gpu_set_ghosts)(&gpu->view, 0, gpu->view.n[0] + 1, gpu->stream);
    if (imaginary.field) TOR_NAME(tor_gpu_set_ghosts)(&imaginary, 0, gpu->view.n[0] + 1, gpu->stream);
    gpu->crosses = false;
  }
  CUDA_TRY(cudaStreamSynchronize(gpu->stream));
}
