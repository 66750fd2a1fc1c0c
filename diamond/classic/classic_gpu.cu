/* A case on a GPU: arrays to the device by the engine's layout, runs, arrays back. One precision; see classic.h. */
#include <stdlib.h>

#include "diamond/classic/classic_gpu.cuh"
#include "diamond/classic/classic_ops.h"

namespace {
struct classic_run {
  struct tor_classic_gpu base; /* first */
  const tor_classic_case *c;
  tor_classic_launch how;
  tor_classic_layout layout;
  classic_view view;
  int number;
  real *memory[TOR_NCOMP], *coef[TOR_NCOMP][3], *value;
  uint8_t *material[TOR_NCOMP];
  cudaStream_t stream;
  cudaEvent_t begin, end;
  tor_classic_kernel kernel;
};
} // namespace

/* Calls at(place on the device, place on the host) for all points of an array; threads share the slowest axis. */
template <class At> static void each_point(const classic_run *r, int comp, const At &at) {
  const tor_classic_case *c = r->c;
  const bool plane = !c->n[2];
  const int slices = (plane ? c->n[1] : c->n[2]) + 1, rows = plane ? 1 : c->n[1] + 1;
#pragma omp parallel for schedule(static)
  for (int slice = 0; slice < slices; slice++)
    for (int row = 0; row < rows; row++) {
      const int j = plane ? slice : row, k = plane ? 0 : slice;
      const tor_gidx to = r->layout.shift[comp] + j * r->layout.pitch + k * r->layout.plane,
                     from = tor_classic_at(c, 0, j, k);
      for (int i = 0; i <= c->n[0]; i++) at((size_t)(to + i), (size_t)(from + i));
    }
}

template <class Value> static Value *new_array(const classic_run *r) {
  Value *array;
  const size_t bytes = (size_t)r->layout.values * sizeof(Value);
  CUDA_TRY(cudaMalloc(&array, bytes));
  CUDA_TRY(cudaMemsetAsync(array, 0, bytes, r->stream));
  CUDA_TRY(cudaStreamSynchronize(r->stream));
  return array;
}

/* value(place on the host): of each point. `host` has the layout's values, zeros where there is no point. */
template <class Value, class Of>
static void fill_array(const classic_run *r, Value *array, void *host, int comp, const Of &of) {
  const size_t bytes = (size_t)r->layout.values * sizeof(Value);
  memset(host, 0, bytes);
  each_point(r, comp, [&](size_t to, size_t from) { ((Value *)host)[to] = of(from); });
  CUDA_TRY(cudaMemcpy(array, host, bytes, cudaMemcpyHostToDevice));
}

/* Coefficients of Demir's kernels. */
static void open_media(classic_run *r, void *host) {
  const tor_classic_case *c = r->c;
  real *table = (real *)tor_alloc(TOR_NCOMP * TOR_CLASSIC_MEDIA_MOST * 3, sizeof *table, "classic");
  for (int comp = 0; comp < TOR_NCOMP; comp++)
    for (int m = 0; m < c->nmedia; m++)
      for (int q = 0; q < 3; q++) table[(comp * TOR_CLASSIC_MEDIA_MOST + m) * 3 + q] = (real)c->medium[m].c[comp][q];
  const bool index = r->how.variant & TOR_CLASSIC_INDEX;
  if (index) TOR_NAME(tor_classic_demir_table)(table, TOR_NCOMP * TOR_CLASSIC_MEDIA_MOST * 3 * sizeof *table);
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    const uint8_t *material = c->material[comp];
    if (index) {
      r->material[comp] = new_array<uint8_t>(r);
      r->view.m[comp] = r->material[comp];
      fill_array(r, r->material[comp], host, comp, [&](size_t from) { return material[from]; });
    }
    for (int q = 0; !index && q < (c->rule == TOR_CLASSIC_TORRE ? 2 : 3); q++) {
      r->coef[comp][q] = new_array<real>(r);
      r->view.c[comp][q] = r->coef[comp][q];
      fill_array(r, r->coef[comp][q], host, comp,
                 [&](size_t from) { return table[(comp * TOR_CLASSIC_MEDIA_MOST + material[from]) * 3 + q]; });
    }
  }
  free(table);
}

/* The numbers of the case, and its source. */
static void open_view(classic_run *r, int steps) {
  const tor_classic_case *c = r->c;
  classic_view &s = r->view;
  s.pitch = (int)r->layout.pitch;
  s.plane = (int)r->layout.plane;
  s.dt = (real)c->dt, s.eps = (real)c->eps, s.mu = (real)c->mu, s.open = c->open;
  for (int a = 0; a < 3; a++) s.n[a] = c->n[a], s.edge[a] = (real)c->edge[a];
  for (int comp = 0; comp < TOR_NCOMP && c->nmedia > 1; comp++)
    for (int q = 0; q < 3; q++) s.k[comp][q] = (real)c->medium[1].c[comp][q];
  s.source_at = -1;
  if (!c->value) return;
  real *value = (real *)tor_alloc((size_t)steps, sizeof *value, "classic");
  for (int step = 0; step < steps; step++) value[step] = (real)c->value[step];
  CUDA_TRY(cudaMalloc(&r->value, (size_t)steps * sizeof *value));
  CUDA_TRY(cudaMemcpy(r->value, value, (size_t)steps * sizeof *value, cudaMemcpyHostToDevice));
  free(value);
  s.source = c->source;
  s.value = r->value;
  s.source_at = c->place[0] + c->place[1] * s.pitch + c->place[2] * s.plane;
  /* Kernels of Giraud count his places. */
  if (r->how.engine >= TOR_CLASSIC_GIRAUD_1) s.source_at += (int)r->layout.shift[c->source];
}

static struct tor_classic_gpu *open_case(const tor_classic_case *c, const tor_classic_launch *launch, int number,
                                         void *const field[TOR_NCOMP], int steps) {
  classic_run *r = (classic_run *)tor_alloc(1, sizeof *r, "classic");
  r->base.ops = &TOR_NAME(tor_classic_ops);
  r->c = c;
  r->how = *launch;
  r->number = number;
  r->kernel.occupancy = 1;
  tor_classic_layout_make(c, launch, &r->layout);
  CUDA_TRY(cudaSetDevice(number));
  CUDA_TRY(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
  CUDA_TRY(cudaEventCreate(&r->begin));
  CUDA_TRY(cudaEventCreate(&r->end));
  void *host = tor_alloc((size_t)r->layout.values, sizeof(real), "classic");
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    if (!tor_classic_has(c->scheme, comp)) continue;
    r->memory[comp] = new_array<real>(r);
    const real *from_field = (const real *)field[comp];
    fill_array(r, r->memory[comp], host, comp, [&](size_t from) { return from_field[from]; });
    /* Giraud's kernels count from the border, the others from point 0. */
    r->view.f[comp] = r->memory[comp] + (launch->engine >= TOR_CLASSIC_GIRAUD_1 ? 0 : r->layout.shift[comp]);
  }
  if (c->scheme == TOR_CLASSIC_MEDIA) open_media(r, host);
  free(host);
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    if (r->view.m[comp]) r->view.m[comp] += r->layout.shift[comp];
    for (int q = 0; q < 3; q++)
      if (r->view.c[comp][q]) r->view.c[comp][q] += r->layout.shift[comp];
  }
  open_view(r, steps);
  if (launch->variant & TOR_CLASSIC_CONSTANT) TOR_NAME(tor_classic_giraud_size)(c->n);
  return &r->base;
}

static double run_case(struct tor_classic_gpu *gpu, int first, int steps) {
  classic_run *r = (classic_run *)gpu;
  float ms = 0;
  CUDA_TRY(cudaSetDevice(r->number));
  tor_classic_kernel *const note = r->kernel.registers ? nullptr : &r->kernel;
  const classic_span span = {first, steps, r->c->e_first, r->how.halves, &r->how, r->stream, note};
  CUDA_TRY(cudaEventRecord(r->begin, r->stream));
  if (r->c->scheme == TOR_CLASSIC_MEDIA)
    TOR_NAME(tor_classic_demir)(r->c, &r->view, span);
  else
    (r->c->scheme == TOR_CLASSIC_UNIFORM ? TOR_NAME(tor_classic_giraud) : TOR_NAME(tor_classic_takada))(r->c, &r->view,
                                                                                                        span);
  CUDA_TRY(cudaEventRecord(r->end, r->stream));
  CUDA_TRY(cudaStreamSynchronize(r->stream));
  CUDA_TRY(cudaEventElapsedTime(&ms, r->begin, r->end));
  return 1e-3 * (double)ms;
}

static void fetch_case(struct tor_classic_gpu *gpu, void *const field[TOR_NCOMP]) {
  const classic_run *r = (const classic_run *)gpu;
  real *host = (real *)tor_alloc((size_t)r->layout.values, sizeof(real), "classic");
  CUDA_TRY(cudaSetDevice(r->number));
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    if (!r->memory[comp]) continue;
    CUDA_TRY(cudaMemcpy(host, r->memory[comp], (size_t)r->layout.values * sizeof(real), cudaMemcpyDeviceToHost));
    real *to_field = (real *)field[comp];
    each_point(r, comp, [&](size_t from, size_t to) { to_field[to] = host[from]; });
  }
  free(host);
}

static struct tor_classic_kernel kernel_of(const struct tor_classic_gpu *gpu) {
  return ((const classic_run *)gpu)->kernel;
}

static void close_case(struct tor_classic_gpu *gpu) {
  classic_run *r = (classic_run *)gpu;
  CUDA_TRY(cudaSetDevice(r->number));
  for (int comp = 0; comp < TOR_NCOMP; comp++) {
    CUDA_TRY(cudaFree(r->memory[comp]));
    CUDA_TRY(cudaFree(r->material[comp]));
    for (int q = 0; q < 3; q++) CUDA_TRY(cudaFree(r->coef[comp][q]));
  }
  CUDA_TRY(cudaFree(r->value));
  CUDA_TRY(cudaEventDestroy(r->begin));
  CUDA_TRY(cudaEventDestroy(r->end));
  CUDA_TRY(cudaStreamDestroy(r->stream));
  free(r);
}

extern const struct tor_classic_ops TOR_NAME(tor_classic_ops) = {open_case, run_case, fetch_case, kernel_of,
                                                                 close_case};
