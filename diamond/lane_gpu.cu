/* Columns to and from a device: see lane_gpu.cuh. */
#include "lane_gpu.cuh"

#include <stdlib.h>
#include <string.h>

#include "../src/error.h"
#include "device.h"
#include "heard_gpu.cuh"

/* `rows` rows of `bytes` bytes, `pitch` bytes apart on the device and close together in the packed columns. */
struct piece {
  char *at;
  size_t bytes, rows, pitch;
  bool on_host;     /* one row */
  const char *peer; /* where the other rank's device has the same, if it is to be fetched */
};
/* A copy within the host's memory. */
struct move {
  char *to;
  const char *from;
  size_t bytes;
};
enum { MOST_PIECES = 6, IMAGES = 2 }; /* a column's first values stand in front of it: column_state.c */
enum { FIELD, PSI_Z };                 /* the first pieces; the second one where CPML acts along z */

/* Consecutive values of a Fourier sum, and their place among those gathered. */
struct segment {
  double *at;
  tor_gidx count, place;
};

struct tor_gpu_lane {
  struct piece piece[MOST_PIECES];
  struct move move[MOST_PIECES]; /* under way */
  int npiece;
  enum tor_lane_way way;  /* of the first pieces */
  struct tor_gpu_peer peer; /* the other rank's device */
  struct segment *segment; /* [nsegment] on the device */
  int nsegment;
  double *gathered; /* on the device; a piece */
  const tor_gpu_view *view;
  struct tor_gpu_heard *heard; /* of the columns: what their sums still lack */
  int in;                      /* came in and has not landed */
  cudaStream_t stream;
  cudaEvent_t event;
};
typedef struct tor_gpu_lane lane;

static void add_piece(lane *l, void *at, size_t bytes, size_t rows, size_t pitch, bool on_host = false) {
  if (!bytes || !rows) return;
  l->piece[l->npiece++] = {(char *)at, bytes, rows, pitch, on_host, nullptr};
}

/* --- What belongs to columns lo <= ix < hi, counted from the first held --- */

static void add_layers(lane *l, const struct tor_slab *slab, const tor_gpu_view *s, int lo, int hi) {
  const size_t row = 4 * (size_t)slab->nzp * sizeof(real);
  int first = slab->cpml[TOR_X].count, end = 0;
  for (int ix = lo; ix < hi; ix++) {
    const int layer = slab->cpml[TOR_X].index[slab->lo[TOR_X] + ix];
    if (layer < 0) continue;
    if (layer < first) first = layer;
    if (layer >= end) end = layer + 1;
  }
  if (first < end)
    add_piece(l, (char *)s->psi[TOR_X] + (size_t)first * slab->held[1] * row,
              (size_t)(end - first) * slab->held[1] * row, 1, 0);
  add_piece(l, (char *)s->psi[TOR_Y] + (size_t)lo * row, (size_t)(hi - lo) * row, (size_t)slab->cpml[TOR_Y].count,
            (size_t)slab->held[0] * row);
}

/* First value of the poles' state that belongs to column `column` or to one behind it. */
static tor_gidx first_state(const struct tor_slab *slab, tor_gidx column) {
  for (; column < tor_slab_columns(slab); column++) {
    const int32_t id = slab->extra_id[column];
    if (id >= 0 && slab->extra[id].run[0] < slab->extra[id].run[3]) return slab->run[slab->extra[id].run[0]].state;
  }
  return slab->nstate;
}

/* Fourier sums of the columns, in the order of columns and records; neighbours in memory are one segment. Returns their
 * values; segment: room for all, or null to count them. */
static tor_gidx list_segments(const struct tor_slab *slab, const tor_gpu_group *group, int lo, int hi,
                              struct segment *segment, int *count) {
  tor_gidx values = 0;
  *count = 0;
  double *end = nullptr;
  for (tor_gidx column = (tor_gidx)lo * slab->held[1]; column < (tor_gidx)hi * slab->held[1]; column++) {
    if (slab->extra_id[column] < 0) continue;
    const struct tor_extra *extra = &slab->extra[slab->extra_id[column]];
    for (int i = extra->record[0]; i < extra->record[TOR_NCOMP]; i++) {
      const struct tor_record *rec = &slab->record[i];
      if (group[rec->group].series) continue;
      const tor_gidx each = (tor_gidx)2 * group[rec->group].nfreq, n = rec->nz * each;
      double *at = group[rec->group].data + rec->offset * each;
      if (at != end) {
        if (segment) segment[*count] = {at, 0, values};
        ++*count;
      }
      if (segment) segment[*count - 1].count += n;
      end = at + n;
      values += n;
    }
  }
  return values;
}

static void add_sums(lane *l, const struct tor_slab *slab, const tor_gpu_group *group, int lo, int hi) {
  const tor_gidx values = list_segments(slab, group, lo, hi, nullptr, &l->nsegment);
  if (!values) return;
  struct segment *segment =
      (struct segment *)tor_alloc((size_t)l->nsegment, sizeof *segment, "Fourier sums that ranks exchange");
  list_segments(slab, group, lo, hi, segment, &l->nsegment);
  CUDA_TRY(cudaMalloc(&l->segment, (size_t)l->nsegment * sizeof *segment));
  CUDA_TRY(cudaMemcpy(l->segment, segment, (size_t)l->nsegment * sizeof *segment, cudaMemcpyHostToDevice));
  CUDA_TRY(cudaMalloc(&l->gathered, (size_t)values * sizeof(double)));
  add_piece(l, l->gathered, (size_t)values * sizeof(double), 1, 0);
  free(segment);
}

lane *TOR_NAME(tor_gpu_lane_new)(const struct tor_slab *slab, const tor_gpu_view *s, const tor_gpu_group *group, int x0,
                                 int x1, bool windowed) {
  lane *l = (lane *)calloc(1, sizeof *l);
  const int lo = x0 - slab->lo[0], hi = x1 - slab->lo[0];
  const size_t column = (size_t)TOR_NCOMP * (size_t)slab->nzp * sizeof(real),
               memory = 4 * (size_t)(slab->zlo + slab->zhi) * sizeof(real);
  const size_t first = (size_t)lo * slab->held[1], count = (size_t)(hi - lo) * slab->held[1];
  real *field = windowed ? (real *)slab->field : s->field, *state_of = windowed ? (real *)slab->state : s->state;
  void *psi_z = windowed ? slab->psi_z : s->psi[TOR_Z];
  add_piece(l, (char *)(field - IMAGES) + first * column, count * column, 1, 0, windowed);
  add_piece(l, (char *)psi_z + first * memory, count * memory, 1, 0, windowed);
  add_layers(l, slab, s, lo, hi);
  const tor_gidx state = first_state(slab, (tor_gidx)first), past = first_state(slab, (tor_gidx)(first + count));
  add_piece(l, state_of + state, (size_t)(past - state) * sizeof(real), 1, 0, windowed);
  add_sums(l, slab, group, lo, hi);
  l->view = s;
  l->heard = TOR_NAME(tor_gpu_heard_new)(slab, lo, hi);
  CUDA_TRY(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
  CUDA_TRY(cudaEventCreateWithFlags(&l->event, cudaEventDisableTiming));
  return l;
}

void TOR_NAME(tor_gpu_lane_free)(lane *l) {
  CUDA_TRY(cudaStreamSynchronize(l->stream));
  CUDA_TRY(cudaStreamDestroy(l->stream));
  CUDA_TRY(cudaEventDestroy(l->event));
  TOR_NAME(tor_gpu_heard_free)(l->heard);
  CUDA_TRY(cudaFree(l->segment));
  CUDA_TRY(cudaFree(l->gathered));
  free(l);
}

/* Fields and psi of z, by another way than the rest. */
static int own_way(const lane *l) { return l->view->zlo + l->view->zhi > 0 ? PSI_Z + 1 : FIELD + 1; }
static bool is_packed(const lane *l, int i) { return l->way == TOR_LANE_PACKED || i >= own_way(l); }

size_t TOR_NAME(tor_gpu_lane_bytes)(const lane *l) {
  size_t bytes = 0;
  for (int i = 0; i < l->npiece; i++)
    if (is_packed(l, i)) bytes += l->piece[i].bytes * l->piece[i].rows;
  return bytes;
}

int TOR_NAME(tor_gpu_lane_pieces)(const lane *l, struct tor_lane_piece piece[TOR_LANE_PIECES]) {
  if (l->piece[FIELD].on_host) return 0;
  for (int i = 0; i < own_way(l); i++) piece[i] = {l->piece[i].at, l->piece[i].bytes};
  return own_way(l);
}

cudaStream_t TOR_NAME(tor_gpu_lane_stream)(const lane *l) { return l->stream; }

/* --- The other rank's device --- */

void TOR_NAME(tor_gpu_lane_describe)(const lane *l, const struct tor_slab *slab, struct tor_gpu_card *card) {
  const tor_gpu_view *s = l->view;
  void *const memory[2] = {s->field - TOR_GPU_SLACK, s->zlo + s->zhi > 0 ? s->psi[TOR_Z] : nullptr};
  memset(card, 0, sizeof *card);
  if (!l->piece[FIELD].on_host) tor_gpu_peer_describe(card, slab, s->stride, memory, nullptr);
}

/* A card without a machine is of a rank whose columns lie in the host's memory. */
int TOR_NAME(tor_gpu_lane_meet)(lane *l, const struct tor_slab *slab, const struct tor_gpu_card *card) {
  const tor_gpu_view *s = l->view;
  if (l->piece[FIELD].on_host || !card->machine[0] || card->stride != s->stride || card->lo[1] != slab->lo[1]) return 0;
  if (!tor_gpu_peer_open(&l->peer, card)) return 0;
  const char *const there[2] = {l->peer.memory[0] + (TOR_GPU_SLACK - IMAGES) * sizeof(real), l->peer.memory[1]};
  const char *const here[2] = {(const char *)(s->field - IMAGES), (const char *)s->psi[TOR_Z]};
  const size_t column[2] = {(size_t)TOR_NCOMP * (size_t)s->nzp * sizeof(real), 4 * (size_t)(s->zlo + s->zhi) * sizeof(real)};
  for (int i = 0; i < own_way(l); i++)
    l->piece[i].peer = there[i] + (l->piece[i].at - here[i]) + (tor_gidx)(slab->lo[0] - card->lo[0]) * s->stride * (tor_gidx)column[i];
  return 1;
}

void TOR_NAME(tor_gpu_lane_agree)(lane *l, enum tor_lane_way way) {
  l->way = way;
  if (way != TOR_LANE_FETCHED) tor_gpu_peer_close(&l->peer);
}

/* --- Moves --- */

static __global__ void gather(const struct segment *segment, double *gathered) {
  const struct segment s = segment[blockIdx.x];
  for (tor_gidx i = threadIdx.x; i < s.count; i += blockDim.x) gathered[s.place + i] = s.at[i];
}
static __global__ void scatter(const struct segment *segment, const double *gathered) {
  const struct segment s = segment[blockIdx.x];
  for (tor_gidx i = threadIdx.x; i < s.count; i += blockDim.x) s.at[i] = gathered[s.place + i];
}

/* Makes `later` wait for what `earlier` has been given. */
static void follow(lane *l, cudaStream_t earlier, cudaStream_t later) {
  CUDA_TRY(cudaEventRecord(l->event, earlier));
  CUDA_TRY(cudaStreamWaitEvent(later, l->event, 0));
}

static void CUDART_CB move_bytes(void *data) {
  const struct move *move = (const struct move *)data;
  memcpy(move->to, move->from, move->bytes);
}
static void move_on_host(lane *l, int i, char *to, const char *from) {
  l->move[i] = {to, from, l->piece[i].bytes};
  CUDA_TRY(cudaLaunchHostFunc(l->stream, move_bytes, &l->move[i]));
}

void TOR_NAME(tor_gpu_lane_take)(lane *l, cudaStream_t towers, char *to) {
  TOR_NAME(tor_gpu_heard_sum)(l->heard, l->view, towers);
  if (l->nsegment) tor_gpu_launch(gather, dim3((unsigned)l->nsegment), 128, towers, l->segment, l->gathered);
  follow(l, towers, l->stream);
  for (int i = 0; i < l->npiece; i++) {
    const struct piece *p = &l->piece[i];
    if (!is_packed(l, i)) continue;
    if (p->on_host)
      move_on_host(l, i, to, p->at);
    else if (p->rows == 1)
      CUDA_TRY(cudaMemcpyAsync(to, p->at, p->bytes, cudaMemcpyDeviceToHost, l->stream));
    else
      CUDA_TRY(cudaMemcpy2DAsync(to, p->bytes, p->at, p->pitch, p->bytes, p->rows, cudaMemcpyDeviceToHost, l->stream));
    to += p->bytes * p->rows;
  }
}

void TOR_NAME(tor_gpu_lane_put)(lane *l, const char *from) {
  for (int i = 0; i < l->npiece; i++) {
    const struct piece *p = &l->piece[i];
    if (!is_packed(l, i)) {
      if (l->way == TOR_LANE_FETCHED) CUDA_TRY(cudaMemcpyAsync(p->at, p->peer, p->bytes, cudaMemcpyDeviceToDevice, l->stream));
      continue;
    }
    if (p->on_host)
      move_on_host(l, i, p->at, from);
    else if (p->rows == 1)
      CUDA_TRY(cudaMemcpyAsync(p->at, from, p->bytes, cudaMemcpyHostToDevice, l->stream));
    else
      CUDA_TRY(
          cudaMemcpy2DAsync(p->at, p->pitch, from, p->bytes, p->bytes, p->rows, cudaMemcpyHostToDevice, l->stream));
    from += p->bytes * p->rows;
  }
  l->in = 1;
}

int TOR_NAME(tor_gpu_lane_moved)(const lane *l) { return tor_gpu_is_idle(l->stream); }

void TOR_NAME(tor_gpu_lane_land)(lane *l, cudaStream_t towers) {
  if (!l->in || !tor_gpu_is_idle(l->stream)) return;
  l->in = 0;
  if (l->nsegment) tor_gpu_launch(scatter, dim3((unsigned)l->nsegment), 128, towers, l->segment, l->gathered);
}
