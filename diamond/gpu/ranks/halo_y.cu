/* Parts of y halos to and from a device: see halo_y.cuh. */
#include "diamond/gpu/ranks/halo_y.cuh"

#include <stdlib.h>

#include "src/base/error.h"
#include "diamond/gpu/view/dft.cuh"
#include "diamond/gpu/ranks/halo_x.cuh"

/* `rows` rows of `bytes` bytes, `pitch` bytes apart on the device and without gaps in a message. peer: where the other
 * rank's device has the same, for fields and psi of z that are fetched; else null. */
struct buffer {
  char *device;
  size_t bytes, rows, pitch;
  const char *peer;
  size_t peer_pitch;
};

struct counts {
  int done;    /* steps of the tower next to this side, as last read from the device */
  int arrived; /* steps of the tower beyond this side, being copied to the device */
};

struct tor_gpu_halo_y {
  const struct tor_slab *slab;
  const tor_gpu_view *view;
  const tor_gpu_group *group;
  enum tor_halo_y_side side;
  struct tor_gpu_peer peer;
  cudaStream_t out, in, query;
  struct buffer *buffer; /* of the part last listed */
  int nbuffer;
  size_t capacity;
  int *arrived;     /* on the device: tor_gpu_places */
  const int **done; /* [rows], on the host: tor_gpu_places */
  size_t most_done;
  int rows, first;          /* rows of `arrived`, at most; first row of the run */
  long long sweep;          /* of the run */
  struct counts *count;     /* pinned */
  int queried;              /* row whose count is being read or was read last */
  struct tor_gpu_dft *lent; /* DFT samples in borrowed columns */
  real *dft_samples;        /* the same packed for transfer, on the device */
  cudaEvent_t event;
};
typedef struct tor_gpu_halo_y halo_y;

enum { MOST_STEPS = 8192, EVER = 0x7f7f7f7f, NO_ROW = -EVER }; /* EVER: steps beyond any; four equal bytes */

/* --- The buffers of a part --- */

static void add_buffer(halo_y *h, const void *device, size_t bytes, size_t rows, size_t pitch) {
  h->buffer = (struct buffer *)tor_grow(h->buffer, (size_t)h->nbuffer + 1, &h->capacity, sizeof *h->buffer);
  h->buffer[h->nbuffer++] = {(char *)device, bytes, rows, pitch, nullptr, 0};
}

/* Adds memory as a row of the last buffer, or as a buffer of its own. */
static void add_row(halo_y *h, int first_buffer, const void *device, size_t bytes) {
  char *const at = (char *)device;
  struct buffer *const p = h->nbuffer > first_buffer ? &h->buffer[h->nbuffer - 1] : nullptr;
  if (p && bytes == p->bytes && p->rows == 1 && at >= p->device + bytes && at < p->device + (1 << 30)) {
    p->pitch = (size_t)(at - p->device);
    p->rows = 2;
  } else if (p && bytes == p->bytes && p->rows > 1 && at == p->device + p->rows * p->pitch) {
    p->rows++;
  } else {
    add_buffer(h, device, bytes, 1, 0);
  }
}

/* A contiguous range of memory that may still be extended. */
struct extent {
  const char *at;
  size_t bytes;
};
static void end_extent(halo_y *h, int first_buffer, struct extent *extent) {
  if (extent->bytes) add_row(h, first_buffer, extent->at, extent->bytes);
  *extent = {nullptr, 0};
}
static void lengthen(halo_y *h, int first_buffer, struct extent *extent, const void *at, size_t bytes) {
  if (extent->bytes && extent->at + extent->bytes != at) end_extent(h, first_buffer, extent);
  if (!extent->bytes) extent->at = (const char *)at;
  extent->bytes += bytes;
}

/* Columns x0 <= ix < x1 with one iy, counted from the first held: `bytes` bytes a column, from `array` on. */
static void add_columns(halo_y *h, const void *array, const char *peer, size_t bytes, int iy, int x0, int x1) {
  const struct tor_slab *slab = h->slab;
  const size_t stride = (size_t)h->view->stride, there = (size_t)h->peer.stride;
  add_buffer(h, (const char *)array + ((size_t)x0 * stride + (size_t)iy) * bytes, bytes, (size_t)(x1 - x0),
             stride * bytes);
  if (!peer) return;
  struct buffer *p = &h->buffer[h->nbuffer - 1];
  p->peer =
      peer + ((size_t)(x0 + slab->lo[0] - h->peer.lo[0]) * there + (size_t)(iy + slab->lo[1] - h->peer.lo[1])) * bytes;
  p->peer_pitch = there * bytes;
}

/* The address of the peer's first column, `front` bytes into its memory; null: out of reach. */
static const char *peer_memory(const halo_y *h, int i, size_t front) {
  const struct tor_ring *ring = &h->peer.ring[i];
  if (!h->peer.memory[i]) return nullptr;
  return ring->size ? tor_ring_base(ring, h->sweep) : h->peer.memory[i] + front;
}

static void add_fields(halo_y *h, int iy, int x0, int x1) {
  const tor_gpu_view *s = h->view;
  const size_t column = (size_t)TOR_NCOMP * (size_t)s->nzp * sizeof(real),
               memory = 4 * (size_t)(s->zlo + s->zhi) * sizeof(real);
  add_columns(h, s->field, peer_memory(h, 0, TOR_GPU_SLACK * sizeof(real)), column, iy, x0, x1);
  if (memory) add_columns(h, s->psi[TOR_Z], peer_memory(h, 1, 0), memory, iy, x0, x1);
}

static void add_cpml(halo_y *h, int iy, int x0, int x1) {
  const struct tor_slab *slab = h->slab;
  const tor_gpu_view *s = h->view;
  const size_t values = 4 * (size_t)slab->nzp;
  const int first = h->nbuffer;
  for (int ix = x0; ix < x1; ix++) {
    const int index = slab->cpml[TOR_X].index[slab->lo[TOR_X] + ix];
    if (index >= 0)
      add_row(h, first, s->psi[TOR_X] + ((size_t)index * (size_t)slab->held[1] + (size_t)iy) * values,
              values * sizeof(real));
  }
  const int index = slab->cpml[TOR_Y].index[tor_slab_domain_y(slab, slab->lo[TOR_Y] + iy)];
  if (index < 0) return;
  add_buffer(h, s->psi[TOR_Y] + ((size_t)index * (size_t)slab->held[0] + (size_t)x0) * values,
             (size_t)(x1 - x0) * values * sizeof(real), 1, 0);
}

/* States of neighbouring columns along y are neighbours in memory. */
static void add_states(halo_y *h, const struct tor_halo_y_part *part) {
  const struct tor_slab *slab = h->slab;
  const int first = h->nbuffer;
  struct extent extent = {nullptr, 0};
  for (int ix = part->block.x0; ix < part->block.x1; ix++)
    for (int iy = part->block.y0; iy < part->block.y1; iy++) {
      const int diagonal = ix + part->lean * iy;
      const int32_t id = slab->extra_id[tor_slab_column(slab, ix, iy)];
      if (diagonal < part->from || diagonal >= part->to || id < 0) continue;
      const struct tor_extra *extra = &slab->extra[id];
      if (extra->run[0] == extra->run[4]) continue;
      const tor_gidx begin = slab->run[extra->run[0]].state;
      const tor_gidx end = extra->run[4] < slab->nrun ? slab->run[extra->run[4]].state : slab->nstate;
      lengthen(h, first, &extent, h->view->state + begin, (size_t)(end - begin) * sizeof(real));
    }
  end_extent(h, first, &extent);
}

static void list_buffers(halo_y *h, const struct tor_halo_y_part *part) {
  h->nbuffer = 0;
  for (int iy = part->block.y0; iy < part->block.y1; iy++) {
    int x0, x1;
    tor_halo_y_columns(part, iy, &x0, &x1);
    if (x0 >= x1) continue;
    add_fields(h, iy - h->slab->lo[1], x0 - h->slab->lo[0], x1 - h->slab->lo[0]);
    add_cpml(h, iy - h->slab->lo[1], x0 - h->slab->lo[0], x1 - h->slab->lo[0]);
  }
  add_states(h, part);
}

static size_t bytes_of(halo_y *h, const struct tor_halo_y_part *part, bool fetched) {
  size_t bytes = 0;
  list_buffers(h, part);
  for (int i = 0; i < h->nbuffer; i++)
    if (fetched == (h->buffer[i].peer != nullptr)) bytes += h->buffer[i].bytes * h->buffer[i].rows;
  return bytes;
}

size_t TOR_NAME(tor_gpu_halo_y_bytes)(halo_y *h, const struct tor_halo_y_part *part) {
  return bytes_of(h, part, false);
}
size_t TOR_NAME(tor_gpu_halo_y_fetched)(halo_y *h, const struct tor_halo_y_part *part) {
  return bytes_of(h, part, true);
}

/* --- The other rank's device --- */

void TOR_NAME(tor_gpu_halo_y_peer_info)(const halo_y *h, const struct tor_ring ring[2],
                                        struct tor_gpu_peer_info *info) {
  const bool has_psi = h->view->zlo + h->view->zhi > 0;
  const struct tor_gpu_shared shared[2] = {{h->view->field - TOR_GPU_SLACK, 0, 0, 0, 0},
                                           {has_psi ? h->view->psi[TOR_Z] : nullptr, 0, 0, 0, 0}};
  tor_gpu_peer_info_fill(info, h->slab, h->view->stride, 2, shared, ring);
}

int TOR_NAME(tor_gpu_halo_y_probe)(halo_y *h, const struct tor_gpu_peer_info *info) {
  const struct tor_slab *slab = h->slab;
  const int opened = tor_gpu_peer_open(&h->peer, info);
  /* Across a ring's seam the peer counts columns a period further. */
  if (tor_slab_is_arc(slab) && (h->side == TOR_ABOVE) != (h->peer.lo[1] > slab->lo[1]))
    h->peer.lo[1] += h->side == TOR_ABOVE ? slab->n[TOR_Y] : -slab->n[TOR_Y];
  return opened;
}

void TOR_NAME(tor_gpu_halo_y_negotiate)(halo_y *h, int both) {
  if (!both) tor_gpu_peer_close(&h->peer);
}

/* --- Moves --- */

void TOR_NAME(tor_gpu_halo_y_pack)(halo_y *h, const struct tor_halo_y_part *part, char *to) {
  list_buffers(h, part);
  for (int i = 0; i < h->nbuffer; i++) {
    const struct buffer *p = &h->buffer[i];
    if (p->peer) continue;
    CUDA_TRY(cudaMemcpy2DAsync(to, p->bytes, p->device, p->rows > 1 ? p->pitch : p->bytes, p->bytes, p->rows,
                               cudaMemcpyDeviceToHost, h->out));
    to += p->bytes * p->rows;
  }
}

int TOR_NAME(tor_gpu_halo_y_packed)(const halo_y *h) { return tor_gpu_is_idle(h->out); }

void TOR_NAME(tor_gpu_halo_y_unpack)(halo_y *h, const struct tor_halo_y_part *part, const char *from, int row,
                                     int steps) {
  list_buffers(h, part);
  for (int i = 0; i < h->nbuffer; i++) {
    const struct buffer *p = &h->buffer[i];
    const size_t pitch = p->rows > 1 ? p->pitch : p->bytes;
    if (p->peer) {
      CUDA_TRY(cudaMemcpy2DAsync(p->device, pitch, p->peer, p->rows > 1 ? p->peer_pitch : p->bytes, p->bytes, p->rows,
                                 cudaMemcpyDeviceToDevice, h->in));
      continue;
    }
    CUDA_TRY(cudaMemcpy2DAsync(p->device, pitch, from, p->bytes, p->bytes, p->rows, cudaMemcpyHostToDevice, h->in));
    from += p->bytes * p->rows;
  }
  h->count->arrived = steps;
  CUDA_TRY(cudaMemcpyAsync(&h->arrived[h->first + 1 - row], &h->count->arrived, sizeof h->count->arrived,
                           cudaMemcpyHostToDevice, h->in));
}

int TOR_NAME(tor_gpu_halo_y_unpacked)(const halo_y *h) { return tor_gpu_is_idle(h->in); }

int TOR_NAME(tor_gpu_halo_y_has_done)(halo_y *h, int row, int steps) {
  if (h->queried != NO_ROW) {
    if (!tor_gpu_is_idle(h->query)) return 0;
    if (h->queried == row && h->count->done >= steps) return 1;
  }
  h->queried = row;
  const int *done = h->done[h->first - row];
  CUDA_TRY(cudaMemcpyAsync(&h->count->done, done, sizeof *done, cudaMemcpyDeviceToHost, h->query));
  return 0;
}

/* --- DFT samples in borrowed columns: after the towers, by kernels --- */

size_t TOR_NAME(tor_gpu_halo_y_dft_bytes)(const halo_y *h) { return TOR_NAME(tor_gpu_dft_bytes)(h->lent, h->group); }

size_t TOR_NAME(tor_gpu_halo_y_most_dft_bytes)(const halo_y *h, int steps) {
  return TOR_NAME(tor_gpu_dft_most_bytes)(h->lent, steps);
}

void TOR_NAME(tor_gpu_halo_y_pack_dft)(halo_y *h, cudaStream_t towers, char *to) {
  TOR_NAME(tor_gpu_dft_give)(h->lent, h->view, h->group, h->dft_samples, towers);
  tor_gpu_follow(h->event, towers, h->out);
  CUDA_TRY(cudaMemcpyAsync(to, h->dft_samples, TOR_NAME(tor_gpu_halo_y_dft_bytes)(h), cudaMemcpyDeviceToHost, h->out));
}

void TOR_NAME(tor_gpu_halo_y_unpack_dft)(halo_y *h, cudaStream_t towers, const char *from) {
  CUDA_TRY(
      cudaMemcpyAsync(h->dft_samples, from, TOR_NAME(tor_gpu_halo_y_dft_bytes)(h), cudaMemcpyHostToDevice, towers));
  TOR_NAME(tor_gpu_dft_take)(h->lent, h->view, h->group, h->dft_samples, towers);
  tor_gpu_follow(h->event, towers, h->in);
}

/* --- Runs --- */

/* Memory for the counts of a run of so many rows. */
static void make_counts(halo_y *h, int rows) {
  CUDA_TRY(cudaFree(h->arrived));
  CUDA_TRY(cudaMalloc(&h->arrived, ((size_t)rows + 1) * sizeof *h->arrived));
  h->done = (const int **)tor_grow(h->done, (size_t)rows, &h->most_done, sizeof *h->done);
  h->rows = rows;
}

void TOR_NAME(tor_gpu_halo_y_before)(halo_y *h, int first, int last, long long sweep, struct tor_gpu_places *places,
                                     cudaStream_t towers) {
  const int rows = first - last + 1;
  h->sweep = sweep;
  if (rows > h->rows) make_counts(h, rows);
  h->first = first;
  h->queried = NO_ROW;
  CUDA_TRY(cudaMemsetAsync(h->arrived, 0, ((size_t)rows + 1) * sizeof *h->arrived, towers));
  /* The rank below ran the row right of the first one in the run before, and has returned it. */
  if (h->side == TOR_BELOW) CUDA_TRY(cudaMemsetAsync(h->arrived, EVER & 0xff, sizeof *h->arrived, towers));
  places->arrived[h->side] = h->arrived;
  places->done[h->side] = h->done;
}

void TOR_NAME(tor_gpu_halo_y_after)(halo_y *h, const struct tor_gpu_places *places) {
  for (cudaStream_t stream : {h->out, h->in, h->query}) CUDA_TRY(cudaStreamWaitEvent(stream, places->ready, 0));
}

halo_y *TOR_NAME(tor_gpu_halo_y_new)(const struct tor_slab *slab, const tor_gpu_view *view, const tor_gpu_group *group,
                                     enum tor_halo_y_side side, const struct tor_column_block *lent, int steps) {
  halo_y *h = (halo_y *)tor_alloc(1, sizeof *h, "GPU");
  h->slab = slab;
  h->view = view;
  h->group = group;
  h->side = side;
  for (cudaStream_t *stream : {&h->out, &h->in, &h->query})
    CUDA_TRY(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  CUDA_TRY(cudaMallocHost(&h->count, sizeof *h->count));
  make_counts(h, 2 * slab->held[0] + MOST_STEPS); /* more rows than any run has, so that no run takes memory */
  h->lent = TOR_NAME(tor_gpu_dft_new)(slab, lent);
  CUDA_TRY(cudaMalloc(&h->dft_samples, TOR_NAME(tor_gpu_halo_y_most_dft_bytes)(h, steps) + sizeof *h->dft_samples));
  CUDA_TRY(cudaEventCreateWithFlags(&h->event, cudaEventDisableTiming));
  return h;
}

void TOR_NAME(tor_gpu_halo_y_free)(halo_y *h) {
  for (cudaStream_t stream : {h->out, h->in, h->query}) {
    CUDA_TRY(cudaStreamSynchronize(stream));
    CUDA_TRY(cudaStreamDestroy(stream));
  }
  tor_gpu_peer_close(&h->peer);
  TOR_NAME(tor_gpu_dft_free)(h->lent);
  CUDA_TRY(cudaEventDestroy(h->event));
  CUDA_TRY(cudaFree(h->dft_samples));
  CUDA_TRY(cudaFree(h->arrived));
  CUDA_TRY(cudaFreeHost(h->count));
  free(h->done);
  free(h->buffer);
  free(h);
}
