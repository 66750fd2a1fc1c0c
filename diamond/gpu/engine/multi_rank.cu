/* A slab's copy on a device, of a slab that ranks share: columns in and out by halo_x and over borders, rows in parts.
 * See device.h. */
#include <limits.h>

#include "diamond/gpu/engine/copy.cuh"
#include "diamond/gpu/tower/tower_radius.cuh"

typedef struct tor_gpu_copy copy;

size_t TOR_NAME(tor_gpu_copy_open_halo_x)(copy *gpu, int halo_x, int x0, int x1) {
  const int x = gpu->slab->lo[0];
  gpu->halo_x[halo_x] = TOR_NAME(tor_gpu_halo_x_new)(gpu->slab, &gpu->view, gpu->group, x0, x1, gpu->sweep != nullptr);
  gpu->halo_x_at[halo_x] = x0 - x;
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_share)(gpu->sweep, halo_x, x0 - x, x1 - x);
  return TOR_NAME(tor_gpu_halo_x_bytes)(gpu->halo_x[halo_x]);
}

void TOR_NAME(tor_gpu_copy_halo_x_peer_info)(const copy *gpu, int halo_x, void *info) {
  TOR_NAME(tor_gpu_halo_x_peer_info)(gpu->halo_x[halo_x], gpu->slab, (struct tor_gpu_peer_info *)info);
}
int TOR_NAME(tor_gpu_copy_halo_x_probe)(copy *gpu, int halo_x, const void *info) {
  return TOR_NAME(tor_gpu_halo_x_probe)(gpu->halo_x[halo_x], (const struct tor_gpu_peer_info *)info);
}
void TOR_NAME(tor_gpu_copy_halo_x_negotiate)(copy *gpu, int halo_x, enum tor_halo_x_way way) {
  TOR_NAME(tor_gpu_halo_x_negotiate)(gpu->halo_x[halo_x], way);
}
size_t TOR_NAME(tor_gpu_copy_halo_x_bytes)(const copy *gpu, int halo_x) {
  return TOR_NAME(tor_gpu_halo_x_bytes)(gpu->halo_x[halo_x]);
}
int TOR_NAME(tor_gpu_copy_halo_x_buffers)(const copy *gpu, int halo_x,
                                          struct tor_halo_x_buffer piece[TOR_HALO_X_BUFFERS]) {
  return TOR_NAME(tor_gpu_halo_x_buffers)(gpu->halo_x[halo_x], piece);
}

void TOR_NAME(tor_gpu_copy_begin)(copy *gpu, const struct tor_stage *stage) {
  if (gpu->sweep)
    gpu->rows = TOR_NAME(tor_gpu_sweep_stream)(gpu->sweep);
  else if (!gpu->rows)
    CUDA_TRY(cudaStreamCreateWithFlags(&gpu->rows, cudaStreamNonBlocking));
  CUDA_TRY(cudaStreamSynchronize(gpu->rows)); /* sums of the stage before use its tables */
  TOR_NAME(tor_gpu_copy_load)(gpu, stage);
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_begin)(gpu->sweep, &gpu->view, gpu->slab->order, stage->energy != nullptr);
}

/* Rows or places by which the view's tiling lies behind the domain's. */
static int shift(const copy *gpu, int axis) {
  return 2 * gpu->slab->lo[axis] / tor_gpu_radius_of(&gpu->view, gpu->slab->order);
}

/* Starts the towers of a span, and what goes over borders along y while they run. */
static void start_rows(void *self, struct tor_gpu_span span) {
  copy *gpu = (copy *)self;
  const long long sweep = gpu->sweep ? TOR_NAME(tor_gpu_sweep_number)(gpu->sweep) : 0;
  if (gpu->places.ready) span.places = &gpu->places;
  for (struct tor_gpu_halo_y *border : gpu->border)
    if (border) TOR_NAME(tor_gpu_halo_y_before)(border, span.first_row, span.last_row, sweep, &gpu->places, gpu->rows);
  TOR_NAME(tor_gpu_plain_start)(gpu->plain, &gpu->view, gpu->slab->order, &span, gpu->rows);
  for (struct tor_gpu_halo_y *border : gpu->border)
    if (border) TOR_NAME(tor_gpu_halo_y_after)(border, &gpu->places);
}

void TOR_NAME(tor_gpu_copy_start)(copy *gpu, int first, int last, int place0, int place1) {
  const int first_row = first - shift(gpu, 0), last_row = last - shift(gpu, 0);
  for (int i = 0; i < TOR_GPU_HALOS_X; i++)
    if (gpu->halo_x[i]) TOR_NAME(tor_gpu_halo_x_land)(gpu->halo_x[i], gpu->rows);
  gpu->places.first = place0 - shift(gpu, 1);
  gpu->places.last = place1 - shift(gpu, 1);
  if (gpu->sweep)
    TOR_NAME(tor_gpu_sweep_rows)(gpu->sweep, &gpu->view, first_row, last_row);
  else if (first >= last)
    start_rows(gpu, {0, gpu->view.steps, first_row, last_row, nullptr});
}

int TOR_NAME(tor_gpu_copy_ran)(copy *gpu) {
  return gpu->sweep ? TOR_NAME(tor_gpu_sweep_go_on)(gpu->sweep, &gpu->view) : tor_gpu_is_idle(gpu->rows);
}

int TOR_NAME(tor_gpu_copy_most_rows)(const copy *gpu, int steps) {
  return gpu->sweep ? TOR_NAME(tor_gpu_sweep_most_rows)(gpu->sweep, &gpu->view, gpu->slab->order, steps) : INT_MAX / 2;
}

int TOR_NAME(tor_gpu_copy_is_plain)(const copy *gpu, int row, int steps) {
  const int at = row - shift(gpu, 0);
  return gpu->sweep || TOR_NAME(tor_gpu_is_plain)(gpu->plain, &gpu->view, gpu->slab->order, steps, at, at);
}

int TOR_NAME(tor_gpu_copy_started)(const copy *gpu) {
  return !gpu->sweep || TOR_NAME(tor_gpu_sweep_started)(gpu->sweep);
}

void TOR_NAME(tor_gpu_copy_end)(copy *gpu) {
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_leave)(gpu->sweep, &gpu->view, 0);
  TOR_NAME(tor_gpu_dft_sum)(gpu->dft_samples, &gpu->view, gpu->rows);
}

void TOR_NAME(tor_gpu_copy_take)(copy *gpu, int halo_x, void *to) {
  if (gpu->sweep) {
    TOR_NAME(tor_gpu_sweep_leave)(gpu->sweep, &gpu->view, gpu->halo_x_at[halo_x]);
    TOR_NAME(tor_gpu_sweep_follow)(gpu->sweep, gpu->halo_x_at[halo_x],
                                   TOR_NAME(tor_gpu_halo_x_stream)(gpu->halo_x[halo_x]));
  }
  TOR_NAME(tor_gpu_halo_x_take)(gpu->halo_x[halo_x], gpu->rows, (char *)to);
}

void TOR_NAME(tor_gpu_copy_put)(copy *gpu, int halo_x, const void *from) {
  TOR_NAME(tor_gpu_halo_x_put)(gpu->halo_x[halo_x], (const char *)from);
  gpu->comes[halo_x] = gpu->sweep != nullptr;
}

int TOR_NAME(tor_gpu_copy_moved)(copy *gpu, int halo_x) {
  if (!TOR_NAME(tor_gpu_halo_x_moved)(gpu->halo_x[halo_x])) return 0;
  if (gpu->comes[halo_x]) TOR_NAME(tor_gpu_sweep_came)(gpu->sweep, &gpu->view, halo_x);
  gpu->comes[halo_x] = 0;
  return 1;
}

size_t TOR_NAME(tor_gpu_copy_open_halo_y)(copy *gpu, int side, const struct tor_column_block *lent, int steps) {
  if (!gpu->places.ready) {
    /* More than any run's queue takes, so that none need be enlarged while other devices' towers wait. */
    gpu->places.queue_bytes = ((size_t)64 << 20) + 4 * (size_t)tor_slab_columns(gpu->slab);
    CUDA_TRY(cudaMalloc(&gpu->places.queue, gpu->places.queue_bytes));
    CUDA_TRY(cudaEventCreateWithFlags(&gpu->places.ready, cudaEventDisableTiming));
  }
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_start_by)(gpu->sweep, start_rows, gpu);
  gpu->border[side] =
      TOR_NAME(tor_gpu_halo_y_new)(gpu->slab, &gpu->view, gpu->group, (enum tor_gpu_halo_y_side)side, lent, steps);
  return TOR_NAME(tor_gpu_halo_y_most_dft_bytes)(gpu->border[side], steps);
}

size_t TOR_NAME(tor_gpu_copy_part_bytes)(copy *gpu, int side, const struct tor_halo_y_part *part) {
  return TOR_NAME(tor_gpu_halo_y_bytes)(gpu->border[side], part);
}
size_t TOR_NAME(tor_gpu_copy_part_fetched)(copy *gpu, int side, const struct tor_halo_y_part *part) {
  return TOR_NAME(tor_gpu_halo_y_fetched)(gpu->border[side], part);
}
void TOR_NAME(tor_gpu_copy_halo_y_peer_info)(const copy *gpu, int side, void *info) {
  struct tor_ring ring[2];
  if (gpu->sweep) TOR_NAME(tor_gpu_sweep_rings)(gpu->sweep, ring);
  TOR_NAME(tor_gpu_halo_y_peer_info)(gpu->border[side], gpu->sweep ? ring : nullptr, (struct tor_gpu_peer_info *)info);
}
int TOR_NAME(tor_gpu_copy_halo_y_probe)(copy *gpu, int side, const void *info) {
  return TOR_NAME(tor_gpu_halo_y_probe)(gpu->border[side], (const struct tor_gpu_peer_info *)info);
}
void TOR_NAME(tor_gpu_copy_halo_y_negotiate)(copy *gpu, int side, int both) {
  TOR_NAME(tor_gpu_halo_y_negotiate)(gpu->border[side], both);
}
int TOR_NAME(tor_gpu_copy_left)(copy *gpu, int side, int row, int steps) {
  return TOR_NAME(tor_gpu_halo_y_left)(gpu->border[side], row - shift(gpu, 0), steps);
}
void TOR_NAME(tor_gpu_copy_take_part)(copy *gpu, int side, const struct tor_halo_y_part *part, void *to) {
  TOR_NAME(tor_gpu_halo_y_take)(gpu->border[side], part, (char *)to);
}
int TOR_NAME(tor_gpu_copy_took_part)(const copy *gpu, int side) {
  return TOR_NAME(tor_gpu_halo_y_taken)(gpu->border[side]);
}
void TOR_NAME(tor_gpu_copy_put_part)(copy *gpu, int side, const struct tor_halo_y_part *part, const void *from, int row,
                                     int steps) {
  TOR_NAME(tor_gpu_halo_y_put)(gpu->border[side], part, (const char *)from, row - shift(gpu, 0), steps);
}
int TOR_NAME(tor_gpu_copy_has_put_part)(const copy *gpu, int side) {
  return TOR_NAME(tor_gpu_halo_y_has_put)(gpu->border[side]);
}

size_t TOR_NAME(tor_gpu_copy_dft_bytes)(const copy *gpu, int side) {
  return TOR_NAME(tor_gpu_halo_y_dft_bytes)(gpu->border[side]);
}
void TOR_NAME(tor_gpu_copy_take_dft)(copy *gpu, int side, void *to) {
  TOR_NAME(tor_gpu_halo_y_take_dft)(gpu->border[side], gpu->rows, (char *)to);
}
void TOR_NAME(tor_gpu_copy_put_dft)(copy *gpu, int side, const void *from) {
  TOR_NAME(tor_gpu_halo_y_put_dft)(gpu->border[side], gpu->rows, (const char *)from);
}

/* Where a window passes over the slab, columns were summed when they left. */
void TOR_NAME(tor_gpu_copy_sum_energy)(copy *gpu, int x0, int x1) {
  if (gpu->sweep) return;
  TOR_NAME(tor_gpu_sum_energies)(&gpu->view, x0 - gpu->slab->lo[0], x1 - gpu->slab->lo[0], gpu->rows);
}
