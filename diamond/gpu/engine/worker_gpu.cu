/* A rank's part of the domain on a device as a worker: columns out and in through the halos along x and y, rows in
 * parts. See diamond/core/worker.h, and tor_gpu_ops.worker in device.h. */
#include <limits.h>
#include <stdio.h>

#include "src/base/error.h"
#include "diamond/gpu/engine/copy.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"

typedef struct tor_gpu_copy copy;

static copy *use(void *self) { return tor_gpu_use((struct tor_device *)self); }

/* Rows or places by which the view's tiling is offset from the domain's. */
static int shift(const copy *gpu, int axis) {
  return 2 * gpu->slab->lo[axis] / tor_gpu_radius_of(&gpu->view, gpu->slab->order);
}

/* --- The x halos --- */

/* Bloch walls along z: sets the ghost values as towers keep them, before the first rows and before columns arrive,
 * which have such values. Under a window they are set as columns come. */
static void cross(copy *gpu) {
  if (!gpu->sweep && !gpu->crosses && gpu->slab->other && gpu->view.periodic[TOR_Z])
    TOR_NAME(tor_gpu_cross_ghosts)(&gpu->view, 0, gpu->view.n[0] + 1, gpu->stream);
  gpu->crosses = true;
}

static size_t open_halo_x(void *self, enum tor_halo_x_side side, const struct tor_column_block *block) {
  copy *gpu = use(self);
  const int x0 = block->x0 - gpu->slab->lo[0], x1 = block->x1 - gpu->slab->lo[0];
  gpu->halo_x[side] =
      TOR_NAME(tor_gpu_halo_x_new)(gpu->slab, &gpu->view, gpu->group, block->x0, block->x1, gpu->sweep != nullptr);
  gpu->halo_x_at[side] = x0;
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_share)(gpu->sweep, side, x0, x1);
  return TOR_NAME(tor_gpu_halo_x_bytes)(gpu->halo_x[side]);
}

static void halo_x_peer_info(void *self, enum tor_halo_x_side side, void *info) {
  const copy *gpu = use(self);
  TOR_NAME(tor_gpu_halo_x_peer_info)(gpu->halo_x[side], gpu->slab, (struct tor_gpu_peer_info *)info);
}
static int halo_x_probe(void *self, enum tor_halo_x_side side, const void *info) {
  return TOR_NAME(tor_gpu_halo_x_probe)(use(self)->halo_x[side], (const struct tor_gpu_peer_info *)info);
}
static void halo_x_negotiate(void *self, enum tor_halo_x_side side, enum tor_halo_x_way way) {
  TOR_NAME(tor_gpu_halo_x_negotiate)(use(self)->halo_x[side], way);
}
static size_t halo_x_bytes(void *self, enum tor_halo_x_side side) {
  return TOR_NAME(tor_gpu_halo_x_bytes)(((copy *)self)->halo_x[side]);
}
static int halo_x_buffers(void *self, enum tor_halo_x_side side, struct tor_halo_x_buffer buffer[TOR_HALO_X_BUFFERS]) {
  return TOR_NAME(tor_gpu_halo_x_buffers)(((copy *)self)->halo_x[side], buffer);
}

static void pack(void *self, enum tor_halo_x_side side, void *to) {
  copy *gpu = (copy *)self;
  if (gpu->sweep) {
    TOR_NAME(tor_gpu_sweep_leave)(gpu->sweep, &gpu->view, gpu->halo_x_at[side]);
    TOR_NAME(tor_gpu_sweep_follow)(gpu->sweep, gpu->halo_x_at[side],
                                   TOR_NAME(tor_gpu_halo_x_stream)(gpu->halo_x[side]));
  }
  TOR_NAME(tor_gpu_halo_x_pack)(gpu->halo_x[side], gpu->stream, (char *)to);
}

static void unpack(void *self, enum tor_halo_x_side side, const void *from) {
  copy *gpu = (copy *)self;
  TOR_NAME(tor_gpu_halo_x_unpack)(gpu->halo_x[side], (const char *)from);
  gpu->comes[side] = gpu->sweep != nullptr;
}

static int moved(void *self, enum tor_halo_x_side side) {
  copy *gpu = (copy *)self;
  if (!TOR_NAME(tor_gpu_halo_x_moved)(gpu->halo_x[side])) return 0;
  if (gpu->comes[side]) TOR_NAME(tor_gpu_sweep_came)(gpu->sweep, &gpu->view, side);
  gpu->comes[side] = 0;
  return 1;
}

/* --- Runs --- */

static void begin(void *self, const struct tor_stage *stage, const struct tor_engine_setup *) {
  copy *gpu = use(self);
  for (int i = 0; stage->energy && i < stage->steps - 1; i++)
    if (stage->energy[i])
      TOR_DIE("a GPU with a part of the domain sums the energy at the end of a stage, not after step %d of %d", i + 1,
              stage->steps);
  CUDA_TRY(cudaStreamSynchronize(gpu->stream)); /* sums of the stage before use its tables */
  TOR_NAME(tor_gpu_load_stage)(gpu, stage);
  cross(gpu);
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_begin)(gpu->sweep, &gpu->view, gpu->slab->order, stage->energy != nullptr);
}

/* Starts the towers of a span; while they run, columns move between this device and the devices beyond the y halos. */
static void start_rows(void *self, struct tor_gpu_span span) {
  copy *gpu = (copy *)self;
  const long long sweep = gpu->sweep ? TOR_NAME(tor_gpu_sweep_number)(gpu->sweep) : 0;
  if (gpu->places.ready) span.places = &gpu->places;
  for (struct tor_gpu_halo_y *halo : gpu->halo_y)
    if (halo) TOR_NAME(tor_gpu_halo_y_before)(halo, span.first_row, span.last_row, sweep, &gpu->places, gpu->stream);
  TOR_NAME(tor_gpu_plain_start)(gpu->plain, &gpu->view, gpu->slab->order, &span, gpu->stream);
  for (struct tor_gpu_halo_y *halo : gpu->halo_y)
    if (halo) TOR_NAME(tor_gpu_halo_y_after)(halo, &gpu->places);
}

static void run(void *self, const struct tor_engine_part *part) {
  copy *gpu = (copy *)self;
  const int first_row = part->first - shift(gpu, 0), last_row = part->last - shift(gpu, 0);
  for (struct tor_gpu_halo_x *halo : gpu->halo_x)
    if (halo) TOR_NAME(tor_gpu_halo_x_land)(halo, gpu->stream);
  gpu->places.first = part->place0 - shift(gpu, 1);
  gpu->places.last = part->place1 - shift(gpu, 1);
  if (gpu->sweep)
    TOR_NAME(tor_gpu_sweep_rows)(gpu->sweep, &gpu->view, first_row, last_row);
  else if (first_row >= last_row)
    start_rows(gpu, {0, gpu->view.steps, first_row, last_row, nullptr});
}

/* With a window this also starts rows whose columns have arrived. */
static int ran(void *self) {
  copy *gpu = (copy *)self;
  return gpu->sweep ? TOR_NAME(tor_gpu_sweep_go_on)(gpu->sweep, &gpu->view) : tor_gpu_is_idle(gpu->stream);
}

static int is_plain(void *self, int row, int steps) {
  const copy *gpu = (const copy *)self;
  const int at = row - shift(gpu, 0);
  return gpu->sweep || TOR_NAME(tor_gpu_is_plain)(gpu->plain, &gpu->view, gpu->slab->order, steps, at, at);
}

static void end(void *self) {
  copy *gpu = (copy *)self;
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_leave)(gpu->sweep, &gpu->view, 0);
  TOR_NAME(tor_gpu_dft_sum)(gpu->dft_samples, &gpu->view, gpu->stream);
  if (gpu->imaginary_samples) TOR_NAME(tor_gpu_dft_sum)(gpu->imaginary_samples, &gpu->view, gpu->stream);
}

/* Where a window passes over the slab, columns were summed when they left. */
static void sum_energy(void *self, int x0, int x1) {
  copy *gpu = (copy *)self;
  if (gpu->sweep || x0 >= x1) return;
  const int lo = x0 - gpu->slab->lo[0], hi = x1 - gpu->slab->lo[0];
  TOR_NAME(tor_gpu_sum_energies)(&gpu->view, lo, hi, gpu->stream);
  if (!gpu->slab->other) return;
  const tor_gpu_view imaginary = tor_gpu_imaginary(gpu);
  TOR_NAME(tor_gpu_sum_energies)(&imaginary, lo, hi, gpu->stream);
}

static void fetch_energy(void *self) {
  const copy *gpu = use(self);
  TOR_NAME(tor_gpu_copy_energies)(gpu, gpu->slab->energy);
}

/* --- The y halos --- */

static int most_rows(void *self, int steps) {
  const copy *gpu = (const copy *)self;
  return gpu->sweep ? TOR_NAME(tor_gpu_sweep_most_rows)(gpu->sweep, &gpu->view, gpu->slab->order, steps) : INT_MAX / 2;
}

static int started(void *self) {
  const copy *gpu = (const copy *)self;
  return !gpu->sweep || TOR_NAME(tor_gpu_sweep_started)(gpu->sweep);
}

static size_t open_halo_y(void *self, enum tor_halo_y_side side, const struct tor_column_block *lent, int steps) {
  copy *gpu = use(self);
  if (!gpu->places.ready) {
    /* More than any run's queue takes, so that none is enlarged while other devices' towers wait. */
    gpu->places.queue_bytes = ((size_t)64 << 20) + 4 * (size_t)tor_slab_columns(gpu->slab);
    CUDA_TRY(cudaMalloc(&gpu->places.queue, gpu->places.queue_bytes));
    CUDA_TRY(cudaEventCreateWithFlags(&gpu->places.ready, cudaEventDisableTiming));
  }
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_start_by)(gpu->sweep, start_rows, gpu);
  gpu->halo_y[side] = TOR_NAME(tor_gpu_halo_y_new)(gpu->slab, &gpu->view, gpu->group, side, lent, steps);
  return TOR_NAME(tor_gpu_halo_y_most_dft_bytes)(gpu->halo_y[side], steps);
}

static void halo_y_peer_info(void *self, enum tor_halo_y_side side, void *info) {
  const copy *gpu = use(self);
  struct tor_ring ring[2];
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_rings)(gpu->sweep, ring);
  TOR_NAME(tor_gpu_halo_y_peer_info)(gpu->halo_y[side], gpu->sweep ? ring : nullptr, (struct tor_gpu_peer_info *)info);
}
static int halo_y_probe(void *self, enum tor_halo_y_side side, const void *info) {
  return TOR_NAME(tor_gpu_halo_y_probe)(use(self)->halo_y[side], (const struct tor_gpu_peer_info *)info);
}

static struct tor_gpu_halo_y *halo_y_of(void *self, enum tor_halo_y_side side) { return ((copy *)self)->halo_y[side]; }

static void halo_y_negotiate(void *self, enum tor_halo_y_side side, int both) {
  TOR_NAME(tor_gpu_halo_y_negotiate)(halo_y_of(self, side), both);
}
static size_t part_bytes(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part) {
  return TOR_NAME(tor_gpu_halo_y_bytes)(halo_y_of(self, side), part);
}
static size_t part_fetched(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part) {
  return TOR_NAME(tor_gpu_halo_y_fetched)(halo_y_of(self, side), part);
}
static int has_done(void *self, enum tor_halo_y_side side, int row, int steps) {
  return TOR_NAME(tor_gpu_halo_y_has_done)(halo_y_of(self, side), row - shift((copy *)self, 0), steps);
}
static void pack_part(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, void *to) {
  TOR_NAME(tor_gpu_halo_y_pack)(halo_y_of(self, side), part, (char *)to);
}
static int packed(void *self, enum tor_halo_y_side side) {
  return TOR_NAME(tor_gpu_halo_y_packed)(halo_y_of(self, side));
}
static void unpack_part(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, const void *from,
                        int row, int steps) {
  const int row_here = row - shift((copy *)self, 0);
  TOR_NAME(tor_gpu_halo_y_unpack)(halo_y_of(self, side), part, (const char *)from, row_here, steps);
}
static int unpacked(void *self, enum tor_halo_y_side side) {
  return TOR_NAME(tor_gpu_halo_y_unpacked)(halo_y_of(self, side));
}
static size_t dft_bytes(void *self, enum tor_halo_y_side side) {
  return TOR_NAME(tor_gpu_halo_y_dft_bytes)(halo_y_of(self, side));
}
static void pack_dft(void *self, enum tor_halo_y_side side, void *to) {
  TOR_NAME(tor_gpu_halo_y_pack_dft)(halo_y_of(self, side), ((copy *)self)->stream, (char *)to);
}
static void unpack_dft(void *self, enum tor_halo_y_side side, const void *from) {
  TOR_NAME(tor_gpu_halo_y_unpack_dft)(halo_y_of(self, side), ((copy *)self)->stream, (const char *)from);
}

/* --- The table --- */

static void pin(void *, void *buffer, size_t bytes) {
  const cudaError_t error = cudaHostRegister(buffer, bytes, cudaHostRegisterPortable);
  if (error == cudaSuccess) return;
  fprintf(stderr,
          "messages: %.3f GB of host memory cannot be pinned for the GPU: %s; raise the limit (ulimit -l), or free "
          "memory\n",
          (double)bytes * 1e-9, cudaGetErrorString(error));
  tor_end();
}
static void unpin(void *, void *buffer) { CUDA_TRY(cudaHostUnregister(buffer)); }

/* The device's owner closes it. */
static void close_worker(void *) {}

static const struct tor_worker_halo_x_calls halo_x_calls = {.peer_info = halo_x_peer_info,
                                                            .probe = halo_x_probe,
                                                            .negotiate = halo_x_negotiate,
                                                            .bytes = halo_x_bytes,
                                                            .buffers = halo_x_buffers};
static const struct tor_worker_halo_y_calls halo_y_calls = {.most_rows = most_rows,
                                                            .started = started,
                                                            .open = open_halo_y,
                                                            .peer_info = halo_y_peer_info,
                                                            .probe = halo_y_probe,
                                                            .negotiate = halo_y_negotiate,
                                                            .bytes = part_bytes,
                                                            .fetched = part_fetched,
                                                            .has_done = has_done,
                                                            .pack = pack_part,
                                                            .packed = packed,
                                                            .unpack = unpack_part,
                                                            .unpacked = unpacked,
                                                            .dft_bytes = dft_bytes,
                                                            .pack_dft = pack_dft,
                                                            .unpack_dft = unpack_dft};
const struct tor_worker_calls TOR_NAME(tor_gpu_worker) = {.open = open_halo_x,
                                                          .pin = pin,
                                                          .unpin = unpin,
                                                          .begin = begin,
                                                          .run = run,
                                                          .ran = ran,
                                                          .end = end,
                                                          .pack = pack,
                                                          .unpack = unpack,
                                                          .moved = moved,
                                                          .sum_energy = sum_energy,
                                                          .fetch_energy = fetch_energy,
                                                          .close = close_worker,
                                                          .is_plain = is_plain,
                                                          .halo_x = &halo_x_calls,
                                                          .halo_y = &halo_y_calls};
const struct tor_worker_calls TOR_NAME(tor_gpu_plane_worker) = {.pin = pin,
                                                                .unpin = unpin,
                                                                .begin = begin,
                                                                .end = end,
                                                                .sum_energy = sum_energy,
                                                                .fetch_energy = fetch_energy,
                                                                .close = close_worker};
