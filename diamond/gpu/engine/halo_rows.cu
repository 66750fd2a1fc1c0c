/* A rank's rows of a 2-D slab next to its borders along y, to and from pinned memory: tor_halo_rows_calls of
 * diamond/core/rounds.h. A halo has TOR_GPU_PLANE_HALO reaches of rows: those of a round's steps, and a tile's.
 *
 * Halo rows are advanced by the tiles near a border as all others are, sources and layers among them, and are wrong
 * afterwards from their outer edge inwards; the rank that owns them sends them with their memory of CPML and the states
 * of poles and nodes, which are wrong then, too. Monitors there are left to that rank. */
#include <stdlib.h>

#include <algorithm>

#include "src/base/error.h"
#include "diamond/gpu/engine/copy.cuh"

typedef struct tor_gpu_copy copy;

/* Rows y0 <= iy < y1, counted from the first held, and what a run changes in them beside the fields. */
struct tor_gpu_halo_rows {
  int y0, y1;
  struct {
    char *at;
    size_t bytes;
  } part[3]; /* memory of CPML along y and z; states of poles and nodes */
};
typedef struct tor_gpu_halo_rows halo_rows;

/* The rows of one side, those that are sent and those that come. */
static halo_rows *rows_of(const copy *gpu, enum tor_halo_y_side side, bool in) {
  return &gpu->halo_rows[2 * (int)side + in];
}

static void take_rows(const copy *gpu, int y0, int y1, halo_rows *rows) {
  const struct tor_slab *slab = gpu->slab;
  const tor_gpu_view *s = &gpu->view;
  const size_t layer = 4 * (size_t)slab->nzp, ends = 4 * (size_t)(slab->zlo + slab->zhi);
  int first = slab->cpml[TOR_Y].count, past = 0;
  *rows = {y0, y1, {}};
  for (int iy = y0; iy < y1; iy++) {
    const int index = slab->cpml[TOR_Y].index[slab->lo[1] + iy];
    if (index < 0) continue;
    first = std::min(first, index);
    past = std::max(past, index + 1);
  }
  const tor_gidx state = tor_gpu_first_state(slab, y0), end = tor_gpu_first_state(slab, y1);
  if (first < past)
    rows->part[0] = {(char *)(s->psi[TOR_Y] + (size_t)first * layer), (size_t)(past - first) * layer * sizeof(real)};
  rows->part[1] = {(char *)(s->psi[TOR_Z] + (size_t)y0 * ends), (size_t)(y1 - y0) * ends * sizeof(real)};
  rows->part[2] = {(char *)(s->state + state), (size_t)(end - state) * sizeof(real)};
}

static size_t field_bytes(const copy *gpu, const halo_rows *rows) {
  return (size_t)(rows->y1 - rows->y0) * 3 * (size_t)gpu->slab->nzp * sizeof(real);
}
static real *field_of(const copy *gpu, const halo_rows *rows) {
  return gpu->view.field + (tor_gidx)rows->y0 * 3 * gpu->slab->nzp;
}

/* No monitor records in rows y0 <= iy < y1. */
static void leave_records(const copy *gpu, int y0, int y1) {
  if (y0 >= y1) return;
  const size_t count = (size_t)(y1 - y0);
  uint16_t *cls = (uint16_t *)tor_alloc(count, sizeof *cls, "GPU");
  for (size_t i = 0; i < count; i++) cls[i] = (uint16_t)(gpu->slab->cls[y0 + (int)i] & ~(unsigned)TOR_COL_RECORD);
  CUDA_TRY(cudaMemcpy((void *)(gpu->view.cls + y0), cls, count * sizeof *cls, cudaMemcpyHostToDevice));
  free(cls);
}

static void open_rows(void *self, const struct tor_column_block *own) {
  copy *gpu = tor_gpu_use((struct tor_device *)self);
  const struct tor_slab *slab = gpu->slab;
  const int lo = own->y0 - slab->lo[1], hi = own->y1 - slab->lo[1], held = slab->held[1];
  const int halo = TOR_GPU_PLANE_HALO(slab->order) * tor_plane_reach(slab->order);
  gpu->halo_rows = (halo_rows *)tor_alloc(2 * TOR_NHALO_Y, sizeof *gpu->halo_rows, "GPU");
  if (lo > 0) {
    take_rows(gpu, lo - halo, lo, rows_of(gpu, TOR_BELOW, true));
    take_rows(gpu, lo, lo + halo, rows_of(gpu, TOR_BELOW, false));
  }
  if (hi < held) {
    take_rows(gpu, hi, hi + halo, rows_of(gpu, TOR_ABOVE, true));
    take_rows(gpu, hi - halo, hi, rows_of(gpu, TOR_ABOVE, false));
  }
  leave_records(gpu, 0, lo);
  leave_records(gpu, hi, held);
  gpu->plane = TOR_NAME(tor_gpu_plane_new)(slab, &gpu->view, lo, hi);
}

static size_t bytes(void *self, enum tor_halo_y_side side, int halo) {
  const copy *gpu = (const copy *)self;
  const halo_rows *rows = rows_of(gpu, side, halo != 0);
  size_t sum = field_bytes(gpu, rows);
  for (const auto &part : rows->part) sum += part.bytes;
  return sum;
}

static void pack(void *self, enum tor_halo_y_side side, void *to) {
  const copy *gpu = (const copy *)self;
  const halo_rows *rows = rows_of(gpu, side, false);
  char *at = (char *)to;
  CUDA_TRY(cudaMemcpyAsync(at, field_of(gpu, rows), field_bytes(gpu, rows), cudaMemcpyDeviceToHost, gpu->stream));
  at += field_bytes(gpu, rows);
  for (const auto &part : rows->part) {
    if (part.bytes) CUDA_TRY(cudaMemcpyAsync(at, part.at, part.bytes, cudaMemcpyDeviceToHost, gpu->stream));
    at += part.bytes;
  }
}

static void unpack(void *self, enum tor_halo_y_side side, const void *from) {
  const copy *gpu = (const copy *)self;
  const halo_rows *rows = rows_of(gpu, side, true);
  const char *at = (const char *)from;
  CUDA_TRY(cudaMemcpyAsync(field_of(gpu, rows), at, field_bytes(gpu, rows), cudaMemcpyHostToDevice, gpu->stream));
  at += field_bytes(gpu, rows);
  for (const auto &part : rows->part) {
    if (part.bytes) CUDA_TRY(cudaMemcpyAsync(part.at, at, part.bytes, cudaMemcpyHostToDevice, gpu->stream));
    at += part.bytes;
  }
}

static int moved(void *self) { return tor_gpu_is_idle(((copy *)self)->stream); }

static int advance_round(void *self, int first) {
  copy *gpu = (copy *)self;
  return TOR_NAME(tor_gpu_plane_round)(gpu->plane, &gpu->view, first, gpu->view.steps - first, gpu->stream);
}

const struct tor_halo_rows_calls TOR_NAME(tor_gpu_rounds) = {
    .open = open_rows, .bytes = bytes, .pack = pack, .unpack = unpack, .moved = moved, .round = advance_round};
