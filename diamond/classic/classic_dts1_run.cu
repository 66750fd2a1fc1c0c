/* Towers of DTS 1: the slab's columns to diamonds and back, rows of a stage. See classic_dts1.h. */
#include <stdlib.h>

#include "diamond/classic/classic_dts1.cuh"
#include "diamond/classic/classic_dts1_ops.h"
#include "diamond/core/tile.h"

void TOR_NAME(tor_classic_dts1_row)(const void *view, int row, int first, int count, int steps, cudaStream_t stream,
                                    tor_classic_kernel *kernel);

namespace {
struct dts1_run {
  struct tor_classic_dts1 base; /* first */
  dts1_view view;
  size_t values; /* of a field */
  int number;
  cudaStream_t stream;
  cudaEvent_t begin, end;
  tor_classic_kernel kernel;
};
} // namespace

static int floor_of(int x, int by) { return x >= 0 ? x / by : -((by - 1 - x) / by); }

/* Calls at(place in the diamonds, place in the slab, component, whether it is advanced) for each vector of a field. */
template <class At> static void each_vector(const dts1_view &s, const struct tor_slab *slab, int half, const At &at) {
#pragma omp parallel for schedule(static)
  for (int u = 0; u <= 2 * s.n[0]; u++)
    for (int v = 0; v <= 2 * s.n[1]; v++) {
      const int comp = comp_at(half, u, v), corner = half ? 0 : REACH;
      if (comp < 0) continue;
      const int a = floor_of(u + v - corner, DIAMOND), b = floor_of(u - v - corner, DIAMOND);
      const int i = site_number(u + v - corner - DIAMOND * a, u - v - corner - DIAMOND * b);
      const size_t place = (size_t)site_place(half, (a + b) & 1, i);
      at(dts1_place(s, a, b) + place * (size_t)s.nzp,
         (size_t)tor_slab_vector(slab, tor_slab_column(slab, u / 2, v / 2), comp), comp,
         u && v && u < 2 * s.n[0] && v < 2 * s.n[1]);
    }
}

static void size_view(dts1_view *s, const int n[3]) {
  enum { MARGIN = 4 };
  const int parts = 32 / (int)sizeof(real);
  for (int a = 0; a < 3; a++) s->n[a] = n[a];
  s->nzp = (n[2] + parts - 1) / parts * parts;
  s->row = n[2] + 4;
  s->first_row = s->first_place = -MARGIN;
  s->last_row = 2 * n[0] / 3 + MARGIN;
  s->places = (2 * n[1] / 3 + 2 * MARGIN) / 2 + 1;
}

static size_t values_of(const dts1_view &s) {
  return (size_t)(s.last_row - s.first_row + 1) * (size_t)s.places * VALUES * (size_t)s.nzp;
}

static double memory(const int n[3]) {
  dts1_view s;
  size_view(&s, n);
  return 2.0 * (double)values_of(s) * sizeof(real);
}

static struct tor_classic_dts1 *open_slab(const struct tor_slab *slab, int number) {
  dts1_run *r = (dts1_run *)tor_alloc(1, sizeof *r, "classic");
  r->base.ops = &TOR_NAME(tor_classic_dts1_ops);
  r->number = number;
  r->kernel.occupancy = 1;
  size_view(&r->view, slab->n);
  r->values = values_of(r->view);
  CUDA_TRY(cudaSetDevice(number));
  CUDA_TRY(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
  CUDA_TRY(cudaEventCreate(&r->begin));
  CUDA_TRY(cudaEventCreate(&r->end));
  for (int comp = 0; comp < TOR_NCOMP; comp++) r->view.cb[comp] = ((const real *)slab->cb)[(size_t)comp * slab->nzp];
  real *host = (real *)tor_alloc(r->values, sizeof *host, "classic");
  for (int half = 0; half < 2; half++) {
    memset(host, 0, r->values * sizeof *host);
    each_vector(r->view, slab, half, [&](size_t to, size_t from, int, bool) {
      memcpy(host + to, (const real *)slab->field + from, (size_t)slab->n[2] * sizeof(real));
    });
    CUDA_TRY(cudaMalloc(&r->view.field[half], r->values * sizeof(real)));
    CUDA_TRY(cudaMemcpy(r->view.field[half], host, r->values * sizeof(real), cudaMemcpyHostToDevice));
  }
  free(host);
  return &r->base;
}

static double run_stage(struct tor_classic_dts1 *d, int steps) {
  dts1_run *r = (dts1_run *)d;
  const int *n = r->view.n;
  const struct tor_tiling t = tor_tiling_make(4, 1, steps, 1, 2 * n[0] - 1, 1, 2 * n[1] - 1);
  int first, last, from, to;
  float ms = 0;
  CUDA_TRY(cudaSetDevice(r->number));
  CUDA_TRY(cudaEventRecord(r->begin, r->stream));
  tor_tiling_rows(&t, &first, &last);
  for (int row = first; row >= last; row--) {
    const int count = tor_tiling_places(&t, row, &from, &to);
    if (count > 0)
      TOR_NAME(tor_classic_dts1_row)(&r->view, row, from, count, steps, r->stream,
                                     r->kernel.registers ? nullptr : &r->kernel);
  }
  CUDA_TRY(cudaEventRecord(r->end, r->stream));
  CUDA_TRY(cudaStreamSynchronize(r->stream));
  CUDA_TRY(cudaEventElapsedTime(&ms, r->begin, r->end));
  return 1e-3 * (double)ms;
}

/* The ghost values that the CPU's engines keep behind the walls in z (diamond/cpu/site.c). */
static void set_ghosts(real *f, int comp, int n) {
  if (comp_axis(comp) == TOR_Z) return;
  const real sign = comp_is_h(comp) ? 1 : -1;
  const int from = !comp_is_h(comp); /* a node's mirror image is a node */
  f[-1] = sign * f[from];
  f[n + from] = sign * f[n - 1];
  if (comp_is_h(comp)) {
    f[-2] = f[1];
    f[n + 1] = f[n - 2];
  } else
    f[n] = 0;
}

static void fetch_slab(const struct tor_classic_dts1 *d, const struct tor_slab *slab) {
  const dts1_run *r = (const dts1_run *)d;
  real *host = (real *)tor_alloc(r->values, sizeof *host, "classic");
  CUDA_TRY(cudaSetDevice(r->number));
  for (int half = 0; half < 2; half++) {
    CUDA_TRY(cudaMemcpy(host, r->view.field[half], r->values * sizeof(real), cudaMemcpyDeviceToHost));
    each_vector(r->view, slab, half, [&](size_t from, size_t to, int comp, bool inside) {
      real *f = (real *)slab->field + to;
      memcpy(f, host + from, (size_t)slab->n[2] * sizeof(real));
      if (inside) set_ghosts(f, comp, slab->n[2]);
    });
  }
  free(host);
}

static struct tor_classic_kernel kernel_of(const struct tor_classic_dts1 *d) { return ((const dts1_run *)d)->kernel; }

static void close_slab(struct tor_classic_dts1 *d) {
  dts1_run *r = (dts1_run *)d;
  CUDA_TRY(cudaSetDevice(r->number));
  for (int half = 0; half < 2; half++) CUDA_TRY(cudaFree(r->view.field[half]));
  CUDA_TRY(cudaEventDestroy(r->begin));
  CUDA_TRY(cudaEventDestroy(r->end));
  CUDA_TRY(cudaStreamDestroy(r->stream));
  free(r);
}

extern const struct tor_classic_dts1_ops TOR_NAME(tor_classic_dts1_ops) = {memory,     open_slab, run_stage,
                                                                           fetch_slab, kernel_of, close_slab};
