/* Columns to and from a device: see halo_x.cuh. */
#include "diamond/gpu/ranks/halo_x.cuh"

#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "diamond/gpu/view/dft.cuh"

/* `rows` rows of `bytes` bytes, `pitch` bytes apart on the device and without gaps in the packed columns. */
struct buffer {
  char *at;
  size_t bytes, rows, pitch;
  void *memory; /* on the device: its allocation; null: on the host, one row */
  /* Its place on the other rank's device, if it is fetched. */
  const char *peer;
  size_t peer_pitch;
};
/* A copy within the host's memory. */
struct move {
  char *to;
  const char *from;
  size_t bytes;
};
enum { MOST_BUFFERS = TOR_HALO_X_BUFFERS };

/* Consecutive values of a Fourier sum, and their place among those gathered. */
struct segment {
  double *at;
  tor_gidx count, place;
};

struct tor_gpu_halo_x {
  struct buffer buffer[MOST_BUFFERS];
  struct move move[MOST_BUFFERS]; /* pending */
  int nbuffer;
  enum tor_halo_x_way way;
  struct tor_gpu_peer peer; /* the other rank's device */
  struct segment *segment;  /* [nsegment] on the device */
  int nsegment;
  double *gathered; /* on the device; one of the buffers */
  const tor_gpu_view *view;
  struct tor_gpu_dft *dft_samples[2]; /* of the columns: not yet added to their sums; of the imaginary part, or null */
  int in;                             /* unpacked and not yet landed */
  cudaStream_t stream;
  cudaEvent_t event;
};
typedef struct tor_gpu_halo_x halo_x;

static void add_buffer(halo_x *h, void *memory, void *at, size_t bytes, size_t rows = 1, size_t pitch = 0) {
  if (!bytes || !rows) return;
  h->buffer[h->nbuffer++] = {(char *)at, bytes, rows, pitch, memory, nullptr, 0};
}

/* --- The memory of columns lo <= ix < hi, counted from the first held --- */

static void add_cpml(halo_x *h, const struct tor_slab *slab, real *const psi[3], int lo, int hi) {
  const size_t row = 4 * (size_t)slab->nzp * sizeof(real);
  int first = slab->cpml[TOR_X].count, end = 0;
  for (int ix = lo; ix < hi; ix++) {
    const int index = slab->cpml[TOR_X].index[slab->lo[TOR_X] + ix];
    if (index < 0) continue;
    if (index < first) first = index;
    if (index >= end) end = index + 1;
  }
  if (first < end)
    add_buffer(h, psi[TOR_X], (char *)psi[TOR_X] + (size_t)first * slab->held[1] * row,
               (size_t)(end - first) * slab->held[1] * row);
  add_buffer(h, psi[TOR_Y], (char *)psi[TOR_Y] + (size_t)lo * row, (size_t)(hi - lo) * row,
             (size_t)slab->cpml[TOR_Y].count, (size_t)slab->held[0] * row);
}

/* What steps change in the columns of a slab or of its imaginary part, but Fourier sums. */
static void add_part(halo_x *h, const struct tor_slab *slab, real *field_of, real *state_of, real *const psi[3], int lo,
                     int hi, bool windowed) {
  const size_t column = (size_t)TOR_NCOMP * (size_t)slab->nzp * sizeof(real),
               memory = 4 * (size_t)(slab->zlo + slab->zhi) * sizeof(real);
  const size_t first = (size_t)lo * slab->held[1], count = (size_t)(hi - lo) * slab->held[1];
  real *field = windowed ? (real *)slab->field : field_of, *state_at = windowed ? (real *)slab->state : state_of;
  void *psi_z = windowed ? slab->psi_z : psi[TOR_Z];
  add_buffer(h, windowed ? nullptr : field - TOR_GPU_SLACK, (char *)(field - TOR_IMAGES) + first * column,
             count * column);
  add_buffer(h, windowed ? nullptr : psi_z, (char *)psi_z + first * memory, count * memory);
  add_cpml(h, slab, psi, lo, hi);
  const tor_gidx state = tor_gpu_first_state(slab, (tor_gidx)first),
                 past = tor_gpu_first_state(slab, (tor_gidx)(first + count));
  add_buffer(h, windowed ? nullptr : state_at, state_at + state, (size_t)(past - state) * sizeof(real));
}

/* Appends Fourier sums of the columns to *count segments of `values` values, in the order of columns and records;
 * neighbours in memory are one segment. Returns the number of values. segment: memory for all of them, or null to count
 * them. */
static tor_gidx append_segments(const struct tor_slab *slab, const tor_gpu_group *group, int lo, int hi,
                                tor_gidx values, struct segment *segment, int *count) {
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

/* Those of a slab and of its imaginary part. */
static tor_gidx list_segments(const struct tor_slab *slab, const tor_gpu_group *group, int lo, int hi,
                              struct segment *segment, int *count) {
  *count = 0;
  const tor_gidx values = append_segments(slab, group, lo, hi, 0, segment, count);
  return slab->other ? append_segments(slab->other, group, lo, hi, values, segment, count) : values;
}

static void add_sums(halo_x *h, const struct tor_slab *slab, const tor_gpu_group *group, int lo, int hi) {
  const tor_gidx values = list_segments(slab, group, lo, hi, nullptr, &h->nsegment);
  if (!values) return;
  struct segment *segment =
      (struct segment *)tor_alloc((size_t)h->nsegment, sizeof *segment, "Fourier sums that ranks exchange");
  list_segments(slab, group, lo, hi, segment, &h->nsegment);
  CUDA_TRY(cudaMalloc(&h->segment, (size_t)h->nsegment * sizeof *segment));
  CUDA_TRY(cudaMemcpy(h->segment, segment, (size_t)h->nsegment * sizeof *segment, cudaMemcpyHostToDevice));
  CUDA_TRY(cudaMalloc(&h->gathered, (size_t)values * sizeof(double)));
  add_buffer(h, h->gathered, h->gathered, (size_t)values * sizeof(double));
  free(segment);
}

halo_x *TOR_NAME(tor_gpu_halo_x_new)(const struct tor_slab *slab, const tor_gpu_view *s, const tor_gpu_group *group,
                                     int x0, int x1, bool windowed) {
  halo_x *h = (halo_x *)tor_alloc(1, sizeof *h, "GPU");
  const int lo = x0 - slab->lo[0], hi = x1 - slab->lo[0];
  const struct tor_column_block block = {x0, x1, slab->lo[1], slab->lo[1] + slab->held[1]};
  add_part(h, slab, s->field, s->state, s->psi, lo, hi, windowed);
  if (slab->other) add_part(h, slab->other, s->other_field, s->other_state, s->other_psi, lo, hi, windowed);
  add_sums(h, slab, group, lo, hi);
  h->view = s;
  h->dft_samples[0] = TOR_NAME(tor_gpu_dft_new)(slab, &block);
  if (slab->other) h->dft_samples[1] = TOR_NAME(tor_gpu_dft_new)(slab->other, &block);
  CUDA_TRY(cudaStreamCreateWithFlags(&h->stream, cudaStreamNonBlocking));
  CUDA_TRY(cudaEventCreateWithFlags(&h->event, cudaEventDisableTiming));
  return h;
}

void TOR_NAME(tor_gpu_halo_x_free)(halo_x *h) {
  CUDA_TRY(cudaStreamSynchronize(h->stream));
  CUDA_TRY(cudaStreamDestroy(h->stream));
  CUDA_TRY(cudaEventDestroy(h->event));
  for (struct tor_gpu_dft *dft_samples : h->dft_samples)
    if (dft_samples) TOR_NAME(tor_gpu_dft_free)(dft_samples);
  CUDA_TRY(cudaFree(h->segment));
  CUDA_TRY(cudaFree(h->gathered));
  free(h);
}

static bool is_packed(const halo_x *h, int i) {
  return h->way == TOR_HALO_X_PACKED || (h->way == TOR_HALO_X_DIRECT && h->buffer[i].rows > 1);
}

/* Whether these are fields or poles of columns over which a window passes. */
static bool is_on_host(const halo_x *h) {
  for (int i = 0; i < h->nbuffer; i++)
    if (!h->buffer[i].memory) return true;
  return false;
}

size_t TOR_NAME(tor_gpu_halo_x_bytes)(const halo_x *h) {
  size_t bytes = 0;
  for (int i = 0; i < h->nbuffer; i++)
    if (is_packed(h, i)) bytes += h->buffer[i].bytes * h->buffer[i].rows;
  return bytes;
}

int TOR_NAME(tor_gpu_halo_x_buffers)(const halo_x *h, struct tor_halo_x_buffer buffer[TOR_HALO_X_BUFFERS]) {
  int count = 0;
  if (is_on_host(h)) return 0;
  for (int i = 0; i < h->nbuffer; i++)
    if (h->buffer[i].rows == 1) buffer[count++] = {h->buffer[i].at, h->buffer[i].bytes};
  return count;
}

cudaStream_t TOR_NAME(tor_gpu_halo_x_stream)(const halo_x *h) { return h->stream; }

/* --- The other rank's device --- */

void TOR_NAME(tor_gpu_halo_x_peer_info)(const halo_x *h, const struct tor_slab *slab, struct tor_gpu_peer_info *info) {
  struct tor_gpu_shared shared[MOST_BUFFERS];
  memset(info, 0, sizeof *info);
  if (is_on_host(h)) return;
  for (int i = 0; i < h->nbuffer; i++) {
    const struct buffer *p = &h->buffer[i];
    shared[i] = {p->memory, (size_t)(p->at - (char *)p->memory), p->bytes, p->rows, p->pitch};
  }
  tor_gpu_peer_info_fill(info, slab, h->view->stride, h->nbuffer, shared, nullptr);
}

/* Without a machine, the info is that of a rank whose columns lie in the host's memory. */
int TOR_NAME(tor_gpu_halo_x_probe)(halo_x *h, const struct tor_gpu_peer_info *info) {
  if (is_on_host(h) || !info->machine[0]) return 0;
  for (int i = 0; i < h->nbuffer; i++)
    if (info->shared[i].bytes != h->buffer[i].bytes || info->shared[i].rows != h->buffer[i].rows) return 0;
  if (!tor_gpu_peer_open(&h->peer, info)) return 0;
  for (int i = 0; i < h->nbuffer; i++) {
    h->buffer[i].peer = h->peer.memory[i] + info->shared[i].at;
    h->buffer[i].peer_pitch = info->shared[i].pitch;
  }
  return 1;
}

void TOR_NAME(tor_gpu_halo_x_negotiate)(halo_x *h, enum tor_halo_x_way way) {
  h->way = way;
  if (way != TOR_HALO_X_FETCHED) tor_gpu_peer_close(&h->peer);
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

static void CUDART_CB move_bytes(void *data) {
  const struct move *move = (const struct move *)data;
  memcpy(move->to, move->from, move->bytes);
}
static void move_on_host(halo_x *h, int i, char *to, const char *from) {
  h->move[i] = {to, from, h->buffer[i].bytes};
  CUDA_TRY(cudaLaunchHostFunc(h->stream, move_bytes, &h->move[i]));
}

void TOR_NAME(tor_gpu_halo_x_pack)(halo_x *h, cudaStream_t towers, char *to) {
  for (const struct tor_gpu_dft *dft_samples : h->dft_samples)
    if (dft_samples) TOR_NAME(tor_gpu_dft_sum)(dft_samples, h->view, towers);
  if (h->nsegment) tor_gpu_launch(gather, dim3((unsigned)h->nsegment), 128, towers, h->segment, h->gathered);
  tor_gpu_follow(h->event, towers, h->stream);
  for (int i = 0; i < h->nbuffer; i++) {
    const struct buffer *p = &h->buffer[i];
    if (!is_packed(h, i)) continue;
    if (!p->memory)
      move_on_host(h, i, to, p->at);
    else if (p->rows == 1)
      CUDA_TRY(cudaMemcpyAsync(to, p->at, p->bytes, cudaMemcpyDeviceToHost, h->stream));
    else
      CUDA_TRY(cudaMemcpy2DAsync(to, p->bytes, p->at, p->pitch, p->bytes, p->rows, cudaMemcpyDeviceToHost, h->stream));
    to += p->bytes * p->rows;
  }
}

/* From the other rank's device. */
static void fetch(const halo_x *h, const struct buffer *p) {
  if (p->rows == 1)
    CUDA_TRY(cudaMemcpyAsync(p->at, p->peer, p->bytes, cudaMemcpyDeviceToDevice, h->stream));
  else
    CUDA_TRY(cudaMemcpy2DAsync(p->at, p->pitch, p->peer, p->peer_pitch, p->bytes, p->rows, cudaMemcpyDeviceToDevice,
                               h->stream));
}

void TOR_NAME(tor_gpu_halo_x_unpack)(halo_x *h, const char *from) {
  for (int i = 0; i < h->nbuffer; i++) {
    const struct buffer *p = &h->buffer[i];
    if (h->way == TOR_HALO_X_FETCHED) fetch(h, p);
    if (!is_packed(h, i)) continue;
    if (!p->memory)
      move_on_host(h, i, p->at, from);
    else if (p->rows == 1)
      CUDA_TRY(cudaMemcpyAsync(p->at, from, p->bytes, cudaMemcpyHostToDevice, h->stream));
    else
      CUDA_TRY(
          cudaMemcpy2DAsync(p->at, p->pitch, from, p->bytes, p->bytes, p->rows, cudaMemcpyHostToDevice, h->stream));
    from += p->bytes * p->rows;
  }
  h->in = 1;
}

int TOR_NAME(tor_gpu_halo_x_moved)(const halo_x *h) { return tor_gpu_is_idle(h->stream); }

void TOR_NAME(tor_gpu_halo_x_land)(halo_x *h, cudaStream_t towers) {
  if (!h->in || !tor_gpu_is_idle(h->stream)) return;
  h->in = 0;
  if (h->nsegment) tor_gpu_launch(scatter, dim3((unsigned)h->nsegment), 128, towers, h->segment, h->gathered);
}
