/* A GPU as a worker: see worker.h. */
#include <assert.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "comm/worker/worker.h"

struct gpu {
  struct tor_device *device;
  struct tor_slab *slab;
};

static size_t open_side(void *self, enum tor_side side, const struct tor_column_block *block) {
  const struct gpu *w = self;
  return tor_device_open_lane(w->device, side, block->x0, block->x1);
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

static void pack(void *self, enum tor_side side, void *to) {
  const struct gpu *w = self;
  tor_device_take(w->device, side, to);
}

static void unpack(void *self, enum tor_side side, const void *from) {
  const struct gpu *w = self;
  tor_device_put(w->device, side, from);
}

static int moved(void *self, enum tor_side side) {
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

static_assert((int)TOR_WORKER_CARD == (int)TOR_DEVICE_CARD, "one size");
static void describe_side(void *self, enum tor_side side, void *card) {
  const struct gpu *w = self;
  tor_device_describe_lane(w->device, side, card);
}

static int meet_side(void *self, enum tor_side side, const void *card) {
  const struct gpu *w = self;
  return tor_device_meet_lane(w->device, side, card);
}

static void agree_side(void *self, enum tor_side side, enum tor_lane_way way) {
  const struct gpu *w = self;
  tor_device_agree_lane(w->device, side, way);
}

static size_t side_bytes(void *self, enum tor_side side) {
  const struct gpu *w = self;
  return tor_device_lane_bytes(w->device, side);
}

static int side_pieces(void *self, enum tor_side side, struct tor_lane_piece piece[TOR_LANE_PIECES]) {
  const struct gpu *w = self;
  return tor_device_lane_pieces(w->device, side, piece);
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

static size_t open_border(void *self, enum tor_edge edge, const struct tor_column_block *lent, int steps) {
  const struct gpu *w = self;
  return tor_device_open_border(w->device, edge, lent, steps);
}

static size_t part_bytes(void *self, enum tor_edge edge, const struct tor_strip_part *part) {
  const struct gpu *w = self;
  return tor_device_part_bytes(w->device, edge, part);
}

static size_t part_fetched(void *self, enum tor_edge edge, const struct tor_strip_part *part) {
  const struct gpu *w = self;
  return tor_device_part_fetched(w->device, edge, part);
}

static void describe(void *self, enum tor_edge edge, void *card) {
  const struct gpu *w = self;
  tor_device_describe(w->device, edge, card);
}

static int meet(void *self, enum tor_edge edge, const void *card) {
  const struct gpu *w = self;
  return tor_device_meet(w->device, edge, card);
}

static void agree(void *self, enum tor_edge edge, int both) {
  const struct gpu *w = self;
  tor_device_agree(w->device, edge, both);
}

static int left(void *self, enum tor_edge edge, int row, int steps) {
  const struct gpu *w = self;
  return tor_device_left(w->device, edge, row, steps);
}

static void pack_part(void *self, enum tor_edge edge, const struct tor_strip_part *part, void *to) {
  const struct gpu *w = self;
  tor_device_take_part(w->device, edge, part, to);
}

static int packed(void *self, enum tor_edge edge) {
  const struct gpu *w = self;
  return tor_device_took_part(w->device, edge);
}

static void unpack_part(void *self, enum tor_edge edge, const struct tor_strip_part *part, const void *from, int row,
                        int steps) {
  const struct gpu *w = self;
  tor_device_put_part(w->device, edge, part, from, row, steps);
}

static int unpacked(void *self, enum tor_edge edge) {
  const struct gpu *w = self;
  return tor_device_has_put_part(w->device, edge);
}

static size_t heard(void *self, enum tor_edge edge) {
  const struct gpu *w = self;
  return tor_device_heard(w->device, edge);
}

static void pack_heard(void *self, enum tor_edge edge, void *to) {
  const struct gpu *w = self;
  tor_device_take_heard(w->device, edge, to);
}

static void unpack_heard(void *self, enum tor_edge edge, const void *from) {
  const struct gpu *w = self;
  tor_device_put_heard(w->device, edge, from);
}

struct tor_worker tor_worker_gpu(struct tor_device *device, struct tor_slab *slab) {
  static const struct tor_border_calls border = {
      most_rows, started,   open_border, describe,    meet,     agree, part_bytes, part_fetched,
      left,      pack_part, packed,      unpack_part, unpacked, heard, pack_heard, unpack_heard};
  static const struct tor_near_calls near = {describe_side, meet_side, agree_side, side_bytes, side_pieces};
  static const struct tor_worker_calls calls = {open_side, pin,      unpin,  begin,  run,        ran,
                                                end,       pack,     unpack, moved,  sum_energy, fetch_energy,
                                                free,      is_plain, &near,  &border};
  struct gpu *w = tor_alloc(1, sizeof *w, "GPU");
  w->device = device;
  w->slab = slab;
  return (struct tor_worker){&calls, w, 1};
}
