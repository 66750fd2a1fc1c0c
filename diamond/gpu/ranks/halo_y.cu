/* Parts of strips to and from a device: see halo_y.cuh. */
#include "diamond/gpu/ranks/halo_y.cuh"

#include <stdlib.h>

#include "src/base/error.h"
#include "diamond/gpu/view/dft.cuh"
#include "diamond/gpu/ranks/halo_x.cuh"

/* `rows` rows of `bytes` bytes, `pitch` bytes apart on the device and close together in a message. Those of fields and
 * psi of z are known to the device beyond the border, too: where they lie there. */
struct piece {
  char *device;
  size_t bytes, rows, pitch;
  const char *peer;
  size_t peer_pitch;
};

struct words {
  int steps; /* the answer to a question */
  int told;  /* steps that the towers are now being told of */
};

struct tor_gpu_halo_y {
  const struct tor_slab *slab;
  const tor_gpu_view *view;
  const tor_gpu_group *group;
  enum tor_gpu_halo_y_side side;
  struct tor_gpu_peer peer;
  cudaStream_t out, in, asks;
  struct piece *piece; /* of the part now looked at */
  int npiece;
  size_t capacity;
  int *arrived;     /* on the device: tor_gpu_places */
  const int **done; /* [rows], on the host: tor_gpu_places */
  size_t most_done;
  int rows, first;          /* that there is room for; first row of the run */
  long long sweep;          /* of the run */
  struct words *word;       /* pinned */
  int asked;                /* row, of the question under way or answered */
  struct tor_gpu_dft *lent; /* what monitors hear in lent columns, */
  real *dft_samples;        /* on its way, on the device */
  cudaEvent_t event;
};
typedef struct tor_gpu_halo_y border;

enum { MOST_STEPS = 8192, EVER = 0x7f7f7f7f, NO_ROW = -EVER }; /* EVER: steps beyond any; four equal bytes */

/* --- The pieces of a part --- */

static void add_piece(border *b, const void *device, size_t bytes, size_t rows, size_t pitch) {
  b->piece = (struct piece *)tor_grow(b->piece, (size_t)b->npiece + 1, &b->capacity, sizeof *b->piece);
  b->piece[b->npiece++] = {(char *)device, bytes, rows, pitch, nullptr, 0};
}

/* One more stretch of memory: a row of the last piece, or a piece of its own. */
static void add_row_group(border *b, int first_piece, const void *device, size_t bytes) {
  char *const at = (char *)device;
  struct piece *const p = b->npiece > first_piece ? &b->piece[b->npiece - 1] : nullptr;
  if (p && bytes == p->bytes && p->rows == 1 && at >= p->device + bytes && at < p->device + (1 << 30)) {
    p->pitch = (size_t)(at - p->device);
    p->rows = 2;
  } else if (p && bytes == p->bytes && p->rows > 1 && at == p->device + p->rows * p->pitch) {
    p->rows++;
  } else {
    add_piece(b, device, bytes, 1, 0);
  }
}

/* A stretch that may still become longer. */
struct stretch {
  const char *at;
  size_t bytes;
};
static void end_line(border *b, int first_piece, struct stretch *line) {
  if (line->bytes) add_row_group(b, first_piece, line->at, line->bytes);
  *line = {nullptr, 0};
}
static void lengthen(border *b, int first_piece, struct stretch *line, const void *at, size_t bytes) {
  if (line->bytes && line->at + line->bytes != at) end_line(b, first_piece, line);
  if (!line->bytes) line->at = (const char *)at;
  line->bytes += bytes;
}

/* Columns x0 <= ix < x1 with one iy, counted from the first held: `bytes` bytes a column, from `array` on. */
static void add_columns(border *b, const void *array, const char *peer, size_t bytes, int iy, int x0, int x1) {
  const struct tor_slab *slab = b->slab;
  const size_t stride = (size_t)b->view->stride, there = (size_t)b->peer.stride;
  add_piece(b, (const char *)array + ((size_t)x0 * stride + (size_t)iy) * bytes, bytes, (size_t)(x1 - x0),
            stride * bytes);
  if (!peer) return;
  struct piece *p = &b->piece[b->npiece - 1];
  p->peer =
      peer + ((size_t)(x0 + slab->lo[0] - b->peer.lo[0]) * there + (size_t)(iy + slab->lo[1] - b->peer.lo[1])) * bytes;
  p->peer_pitch = there * bytes;
}

/* Where the peer has its first column now, `front` bytes into its memory; null: out of reach. */
static const char *peer_memory(const border *b, int i, size_t front) {
  const struct tor_ring *ring = &b->peer.ring[i];
  if (!b->peer.memory[i]) return nullptr;
  return ring->size ? tor_ring_base(ring, b->sweep) : b->peer.memory[i] + front;
}

static void add_fields(border *b, int iy, int x0, int x1) {
  const tor_gpu_view *s = b->view;
  const size_t column = (size_t)TOR_NCOMP * (size_t)s->nzp * sizeof(real),
               memory = 4 * (size_t)(s->zlo + s->zhi) * sizeof(real);
  add_columns(b, s->field, peer_memory(b, 0, TOR_GPU_SLACK * sizeof(real)), column, iy, x0, x1);
  if (memory) add_columns(b, s->psi[TOR_Z], peer_memory(b, 1, 0), memory, iy, x0, x1);
}

static void add_layers(border *b, int iy, int x0, int x1) {
  const struct tor_slab *slab = b->slab;
  const tor_gpu_view *s = b->view;
  const size_t values = 4 * (size_t)slab->nzp;
  const int first = b->npiece;
  for (int ix = x0; ix < x1; ix++) {
    const int layer = slab->cpml[TOR_X].index[slab->lo[TOR_X] + ix];
    if (layer >= 0)
      add_row_group(b, first, s->psi[TOR_X] + ((size_t)layer * (size_t)slab->held[1] + (size_t)iy) * values,
                    values * sizeof(real));
  }
  const int layer = slab->cpml[TOR_Y].index[slab->lo[TOR_Y] + iy];
  if (layer < 0) return;
  add_piece(b, s->psi[TOR_Y] + ((size_t)layer * (size_t)slab->held[0] + (size_t)x0) * values,
            (size_t)(x1 - x0) * values * sizeof(real), 1, 0);
}

/* States of neighbouring columns along y are neighbours in memory. */
static void add_states(border *b, const struct tor_halo_y_part *part) {
  const struct tor_slab *slab = b->slab;
  const int first = b->npiece;
  struct stretch line = {nullptr, 0};
  for (int ix = part->block.x0; ix < part->block.x1; ix++)
    for (int iy = part->block.y0; iy < part->block.y1; iy++) {
      const int diagonal = ix + part->lean * iy;
      const int32_t id = slab->extra_id[tor_slab_column(slab, ix, iy)];
      if (diagonal < part->from || diagonal >= part->to || id < 0) continue;
      const struct tor_extra *extra = &slab->extra[id];
      if (extra->run[0] == extra->run[3]) continue;
      const tor_gidx begin = slab->run[extra->run[0]].state;
      const tor_gidx end = extra->run[3] < slab->nrun ? slab->run[extra->run[3]].state : slab->nstate;
      lengthen(b, first, &line, b->view->state + begin, (size_t)(end - begin) * sizeof(real));
    }
  end_line(b, first, &line);
}

static void list_pieces(border *b, const struct tor_halo_y_part *part) {
  b->npiece = 0;
  for (int iy = part->block.y0; iy < part->block.y1; iy++) {
    int x0, x1;
    tor_halo_y_columns(part, iy, &x0, &x1);
    if (x0 >= x1) continue;
    add_fields(b, iy - b->slab->lo[1], x0 - b->slab->lo[0], x1 - b->slab->lo[0]);
    add_layers(b, iy - b->slab->lo[1], x0 - b->slab->lo[0], x1 - b->slab->lo[0]);
  }
  add_states(b, part);
}

static size_t bytes_of(border *b, const struct tor_halo_y_part *part, bool fetched) {
  size_t bytes = 0;
  list_pieces(b, part);
  for (int i = 0; i < b->npiece; i++)
    if (fetched == (b->piece[i].peer != nullptr)) bytes += b->piece[i].bytes * b->piece[i].rows;
  return bytes;
}

size_t TOR_NAME(tor_gpu_halo_y_bytes)(border *b, const struct tor_halo_y_part *part) {
  return bytes_of(b, part, false);
}
size_t TOR_NAME(tor_gpu_halo_y_fetched)(border *b, const struct tor_halo_y_part *part) {
  return bytes_of(b, part, true);
}

/* --- The device beyond the border --- */

void TOR_NAME(tor_gpu_halo_y_peer_info)(const border *b, const struct tor_ring ring[2],
                                        struct tor_gpu_peer_info *info) {
  const bool has_psi = b->view->zlo + b->view->zhi > 0;
  const struct tor_gpu_shared shared[2] = {{b->view->field - TOR_GPU_SLACK, 0, 0, 0, 0},
                                           {has_psi ? b->view->psi[TOR_Z] : nullptr, 0, 0, 0, 0}};
  tor_gpu_peer_info_fill(info, b->slab, b->view->stride, 2, shared, ring);
}

int TOR_NAME(tor_gpu_halo_y_probe)(border *b, const struct tor_gpu_peer_info *info) {
  return tor_gpu_peer_open(&b->peer, info);
}

void TOR_NAME(tor_gpu_halo_y_negotiate)(border *b, int both) {
  if (!both) tor_gpu_peer_close(&b->peer);
}

/* --- Moves --- */

void TOR_NAME(tor_gpu_halo_y_take)(border *b, const struct tor_halo_y_part *part, char *to) {
  list_pieces(b, part);
  for (int i = 0; i < b->npiece; i++) {
    const struct piece *p = &b->piece[i];
    if (p->peer) continue;
    CUDA_TRY(cudaMemcpy2DAsync(to, p->bytes, p->device, p->rows > 1 ? p->pitch : p->bytes, p->bytes, p->rows,
                               cudaMemcpyDeviceToHost, b->out));
    to += p->bytes * p->rows;
  }
}

int TOR_NAME(tor_gpu_halo_y_taken)(const border *b) { return tor_gpu_is_idle(b->out); }

void TOR_NAME(tor_gpu_halo_y_put)(border *b, const struct tor_halo_y_part *part, const char *from, int row, int steps) {
  list_pieces(b, part);
  for (int i = 0; i < b->npiece; i++) {
    const struct piece *p = &b->piece[i];
    const size_t pitch = p->rows > 1 ? p->pitch : p->bytes;
    if (p->peer) {
      CUDA_TRY(cudaMemcpy2DAsync(p->device, pitch, p->peer, p->rows > 1 ? p->peer_pitch : p->bytes, p->bytes, p->rows,
                                 cudaMemcpyDeviceToDevice, b->in));
      continue;
    }
    CUDA_TRY(cudaMemcpy2DAsync(p->device, pitch, from, p->bytes, p->bytes, p->rows, cudaMemcpyHostToDevice, b->in));
    from += p->bytes * p->rows;
  }
  b->word->told = steps;
  CUDA_TRY(cudaMemcpyAsync(&b->arrived[b->first + 1 - row], &b->word->told, sizeof b->word->told,
                           cudaMemcpyHostToDevice, b->in));
}

int TOR_NAME(tor_gpu_halo_y_has_put)(const border *b) { return tor_gpu_is_idle(b->in); }

int TOR_NAME(tor_gpu_halo_y_left)(border *b, int row, int steps) {
  if (b->asked != NO_ROW) {
    if (!tor_gpu_is_idle(b->asks)) return 0;
    if (b->asked == row && b->word->steps >= steps) return 1;
  }
  b->asked = row;
  const int *done = b->done[b->first - row];
  CUDA_TRY(cudaMemcpyAsync(&b->word->steps, done, sizeof *done, cudaMemcpyDeviceToHost, b->asks));
  return 0;
}

/* --- What monitors hear in lent columns: behind the towers, by kernels --- */

size_t TOR_NAME(tor_gpu_halo_y_dft_bytes)(const border *b) { return TOR_NAME(tor_gpu_dft_bytes)(b->lent, b->group); }

size_t TOR_NAME(tor_gpu_halo_y_most_dft_bytes)(const border *b, int steps) {
  return TOR_NAME(tor_gpu_dft_most_bytes)(b->lent, steps);
}

void TOR_NAME(tor_gpu_halo_y_take_dft)(border *b, cudaStream_t towers, char *to) {
  TOR_NAME(tor_gpu_dft_give)(b->lent, b->view, b->group, b->dft_samples, towers);
  tor_gpu_follow(b->event, towers, b->out);
  CUDA_TRY(cudaMemcpyAsync(to, b->dft_samples, TOR_NAME(tor_gpu_halo_y_dft_bytes)(b), cudaMemcpyDeviceToHost, b->out));
}

void TOR_NAME(tor_gpu_halo_y_put_dft)(border *b, cudaStream_t towers, const char *from) {
  CUDA_TRY(
      cudaMemcpyAsync(b->dft_samples, from, TOR_NAME(tor_gpu_halo_y_dft_bytes)(b), cudaMemcpyHostToDevice, towers));
  TOR_NAME(tor_gpu_dft_take)(b->lent, b->view, b->group, b->dft_samples, towers);
  tor_gpu_follow(b->event, towers, b->in);
}

/* --- Runs --- */

/* Room for the counts of a run of so many rows. */
static void make_counts(border *b, int rows) {
  CUDA_TRY(cudaFree(b->arrived));
  CUDA_TRY(cudaMalloc(&b->arrived, ((size_t)rows + 1) * sizeof *b->arrived));
  b->done = (const int **)tor_grow(b->done, (size_t)rows, &b->most_done, sizeof *b->done);
  b->rows = rows;
}

void TOR_NAME(tor_gpu_halo_y_before)(border *b, int first, int last, long long sweep, struct tor_gpu_places *places,
                                     cudaStream_t towers) {
  const int rows = first - last + 1;
  b->sweep = sweep;
  if (rows > b->rows) make_counts(b, rows);
  b->first = first;
  b->asked = NO_ROW;
  CUDA_TRY(cudaMemsetAsync(b->arrived, 0, ((size_t)rows + 1) * sizeof *b->arrived, towers));
  /* What the rank below ran right of the first row came back in the run before. */
  if (b->side == TOR_GPU_BELOW) CUDA_TRY(cudaMemsetAsync(b->arrived, EVER & 0xff, sizeof *b->arrived, towers));
  places->arrived[b->side] = b->arrived;
  places->done[b->side] = b->done;
}

void TOR_NAME(tor_gpu_halo_y_after)(border *b, const struct tor_gpu_places *places) {
  for (cudaStream_t stream : {b->out, b->in, b->asks}) CUDA_TRY(cudaStreamWaitEvent(stream, places->ready, 0));
}

border *TOR_NAME(tor_gpu_halo_y_new)(const struct tor_slab *slab, const tor_gpu_view *view, const tor_gpu_group *group,
                                     enum tor_gpu_halo_y_side side, const struct tor_column_block *lent, int steps) {
  border *b = (border *)tor_alloc(1, sizeof *b, "borders");
  b->slab = slab;
  b->view = view;
  b->group = group;
  b->side = side;
  for (cudaStream_t *stream : {&b->out, &b->in, &b->asks})
    CUDA_TRY(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  CUDA_TRY(cudaMallocHost(&b->word, sizeof *b->word));
  make_counts(b, 2 * slab->held[0] + MOST_STEPS); /* more rows than any run has: none takes memory then */
  b->lent = TOR_NAME(tor_gpu_dft_new)(slab, lent);
  CUDA_TRY(cudaMalloc(&b->dft_samples, TOR_NAME(tor_gpu_halo_y_most_dft_bytes)(b, steps) + sizeof *b->dft_samples));
  CUDA_TRY(cudaEventCreateWithFlags(&b->event, cudaEventDisableTiming));
  return b;
}

void TOR_NAME(tor_gpu_halo_y_free)(border *b) {
  for (cudaStream_t stream : {b->out, b->in, b->asks}) {
    CUDA_TRY(cudaStreamSynchronize(stream));
    CUDA_TRY(cudaStreamDestroy(stream));
  }
  tor_gpu_peer_close(&b->peer);
  TOR_NAME(tor_gpu_dft_free)(b->lent);
  CUDA_TRY(cudaEventDestroy(b->event));
  CUDA_TRY(cudaFree(b->dft_samples));
  CUDA_TRY(cudaFree(b->arrived));
  CUDA_TRY(cudaFreeHost(b->word));
  free(b->done);
  free(b->piece);
  free(b);
}
