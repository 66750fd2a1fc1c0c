/* The CPU's engines as a worker: see worker.h. */
#include <stdlib.h>

#include "diamond/core/column_state.h"
#include "diamond/core/engine.h"
#include "diamond/core/slab.h"
#include "diamond/core/worker.h"
#include "src/base/error.h"

struct cpu {
  struct tor_slab *slab;
  struct tor_column_block block[TOR_NHALO_X];
  const struct tor_stage *stage;
  const struct tor_engine_setup *setup;
};

static size_t open_halo_x(void *self, enum tor_halo_x_side side, const struct tor_column_block *block) {
  struct cpu *w = self;
  w->block[side] = *block;
  return tor_column_state_bytes(w->slab, block, NULL);
}

static void pin(void *self, void *buffer, size_t bytes) { (void)self, (void)buffer, (void)bytes; }
static void unpin(void *self, void *buffer) { (void)self, (void)buffer; }

static void begin(void *self, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  struct cpu *w = self;
  w->stage = stage;
  w->setup = setup;
}

static void run(void *self, const struct tor_engine_part *part) {
  struct cpu *w = self;
  tor_engine_run_part(w->slab, w->stage, w->setup, part);
}

static int ran(void *self) {
  (void)self;
  return 1;
}

static void end(void *self) { (void)self; }

static void pack(void *self, enum tor_halo_x_side side, void *to) {
  struct cpu *w = self;
  tor_column_state_pack(w->slab, &w->block[side], NULL, to);
}

static void unpack(void *self, enum tor_halo_x_side side, const void *from) {
  struct cpu *w = self;
  tor_column_state_unpack(w->slab, &w->block[side], NULL, from);
}

static int moved(void *self, enum tor_halo_x_side side) {
  (void)self, (void)side;
  return 1;
}

/* The engine sums them at the steps of stage->energy, in the slab's own memory. */
static void sum_energy(void *self, int x0, int x1) { (void)self, (void)x0, (void)x1; }
static void fetch_energy(void *self) { (void)self; }

struct tor_worker tor_worker_cpu(struct tor_slab *slab) {
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
                                                .close = free};
  struct cpu *w = tor_alloc(1, sizeof *w, "engine");
  w->slab = slab;
  return (struct tor_worker){&calls, w, 0};
}
