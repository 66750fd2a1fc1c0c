/* A GPU as a worker: see worker.h. */
#include <assert.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "comm/worker/worker.h"

struct gpu {
  struct tor_device *device;
  struct tor_slab *slab;
};

static size_t open_halo_x(void *self, enum tor_halo_x_side side, const struct tor_column_block *block) {
  const struct gpu *w = self;
  return tor_device_open_halo_x(w->device, side, block->x0, block->x1);
}

static void pin(void *self, void *buffer, size_t bytes) {
  (void)self;
  tor_device_pin(buffer, bytes);
}
static void unpin(void *self, void *buffer) {
  (void)self;
  tor_device_unpin(buffer);
}

static void begin(void *self, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  const struct gpu *w = self;
  (void)setup;
  for (int i = 0; stage->energy && i < stage->steps - 1; i++)
    if (stage->energy[i])
      TOR_DIE("a GPU that shares the domain sums the energy at the end of a stage, not after step %d of %d", i + 1,
              stage->steps);
  tor_device_begin(w->device, stage);
}

static void run(void *self, const struct tor_engine_part *part) {
  const struct gpu *w = self;
  tor_device_start(w->device, part->first, part->last, part->place0, part->place1);
}

static int ran(void *self) {
  const struct gpu *w = self;
  return tor_device_ran(w->device);
}

static void end(void *self) {
  const struct gpu *w = self;
  tor_device_end(w->device);
}

static void pack(void *self, enum tor_halo_x_side side, void *to) {
  const struct gpu *w = self;
  tor_device_take(w->device, side, to);
}

static void unpack(void *self, enum tor_halo_x_side side, const void *from) {
  const struct gpu *w = self;
  tor_device_put(w->device, side, from);
}

static int moved(void *self, enum tor_halo_x_side side) {
  const struct gpu *w = self;
  return tor_device_moved(w->device, side);
}

static void sum_energy(void *self, int x0, int x1) {
  const struct gpu *w = self;
  if (x0 < x1) tor_device_sum_energy(w->device, x0, x1);
}

static void fetch_energy(void *self) {
  const struct gpu *w = self;
  tor_device_fetch_energy(w->device, w->slab);
}

static int is_plain(void *self, int row, int steps) {
  const struct gpu *w = self;
  return tor_device_is_plain(w->device, row, steps);
}

/* --- Columns that the neighbour's device fetches --- */

static_assert((int)TOR_WORKER_PEER_INFO == (int)TOR_DEVICE_PEER_INFO, "one size");
static void peer_info_halo_x(void *self, enum tor_halo_x_side side, void *info) {
  const struct gpu *w = self;
  tor_device_halo_x_peer_info(w->device, side, info);
}

static int probe_halo_x(void *self, enum tor_halo_x_side side, const void *info) {
  const struct gpu *w = self;
  return tor_device_halo_x_probe(w->device, side, info);
}

static void negotiate_halo_x(void *self, enum tor_halo_x_side side, enum tor_halo_x_way way) {
  const struct gpu *w = self;
  tor_device_halo_x_negotiate(w->device, side, way);
}

static size_t halo_x_bytes(void *self, enum tor_halo_x_side side) {
  const struct gpu *w = self;
  return tor_device_halo_x_bytes(w->device, side);
}

static int halo_x_buffers(void *self, enum tor_halo_x_side side, struct tor_halo_x_buffer buffer[TOR_HALO_X_BUFFERS]) {
  const struct gpu *w = self;
  return tor_device_halo_x_buffers(w->device, side, buffer);
}

/* --- Borders along y: an edge is a side of device.h --- */

static int most_rows(void *self, int steps) {
  const struct gpu *w = self;
  return tor_device_most_rows(w->device, steps);
}

static int started(void *self) {
  const struct gpu *w = self;
  return tor_device_started(w->device);
}

static size_t open_halo_y(void *self, enum tor_halo_y_side side, const struct tor_column_block *lent, int steps) {
  const struct gpu *w = self;
  return tor_device_open_halo_y(w->device, side, lent, steps);
}

static size_t part_bytes(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part) {
  const struct gpu *w = self;
  return tor_device_part_bytes(w->device, side, part);
}

static size_t part_fetched(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part) {
  const struct gpu *w = self;
  return tor_device_part_fetched(w->device, side, part);
}

static void peer_info_halo_y(void *self, enum tor_halo_y_side side, void *info) {
  const struct gpu *w = self;
  tor_device_halo_y_peer_info(w->device, side, info);
}

static int probe_halo_y(void *self, enum tor_halo_y_side side, const void *info) {
  const struct gpu *w = self;
  return tor_device_halo_y_probe(w->device, side, info);
}

static void negotiate_halo_y(void *self, enum tor_halo_y_side side, int both) {
  const struct gpu *w = self;
  tor_device_halo_y_negotiate(w->device, side, both);
}

static int left(void *self, enum tor_halo_y_side side, int row, int steps) {
  const struct gpu *w = self;
  return tor_device_left(w->device, side, row, steps);
}

static void pack_part(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, void *to) {
  const struct gpu *w = self;
  tor_device_take_part(w->device, side, part, to);
}

static int packed(void *self, enum tor_halo_y_side side) {
  const struct gpu *w = self;
  return tor_device_took_part(w->device, side);
}

static void unpack_part(void *self, enum tor_halo_y_side side, const struct tor_halo_y_part *part, const void *from,
                        int row, int steps) {
  const struct gpu *w = self;
  tor_device_put_part(w->device, side, part, from, row, steps);
}

static int unpacked(void *self, enum tor_halo_y_side side) {
  const struct gpu *w = self;
  return tor_device_has_put_part(w->device, side);
}

static size_t dft_bytes(void *self, enum tor_halo_y_side side) {
  const struct gpu *w = self;
  return tor_device_dft_bytes(w->device, side);
}

static void pack_dft_samples(void *self, enum tor_halo_y_side side, void *to) {
  const struct gpu *w = self;
  tor_device_take_dft(w->device, side, to);
}

static void unpack_dft_samples(void *self, enum tor_halo_y_side side, const void *from) {
  const struct gpu *w = self;
  tor_device_put_dft(w->device, side, from);
}

struct tor_worker tor_worker_gpu(struct tor_device *device, struct tor_slab *slab) {
  static const struct tor_worker_halo_y_calls halo_y = {.most_rows = most_rows,
                                                        .started = started,
                                                        .open = open_halo_y,
                                                        .peer_info = peer_info_halo_y,
                                                        .probe = probe_halo_y,
                                                        .negotiate = negotiate_halo_y,
                                                        .bytes = part_bytes,
                                                        .fetched = part_fetched,
                                                        .left = left,
                                                        .pack = pack_part,
                                                        .packed = packed,
                                                        .unpack = unpack_part,
                                                        .unpacked = unpacked,
                                                        .dft_bytes = dft_bytes,
                                                        .pack_dft = pack_dft_samples,
                                                        .unpack_dft = unpack_dft_samples};
  static const struct tor_worker_halo_x_calls halo_x = {.peer_info = peer_info_halo_x,
                                                        .probe = probe_halo_x,
                                                        .negotiate = negotiate_halo_x,
                                                        .bytes = halo_x_bytes,
                                                        .buffers = halo_x_buffers};
  static const struct tor_worker_calls calls = {.open = open_halo_x,
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
                                                .close = free,
                                                .is_plain = is_plain,
                                                .halo_x = &halo_x,
                                                .halo_y = &halo_y};
  struct gpu *w = tor_alloc(1, sizeof *w, "GPU");
  w->device = device;
  w->slab = slab;
  return (struct tor_worker){&calls, w, 1};
}
