/* The CPU's engine, late: see late_worker.h. */
#include "late_worker.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../comm/message.h"
#include "../src/error.h"

enum job { NONE, RUN, PACK, UNPACK };

/* Something started: it is done when somebody asks, from `due` on. */
struct pending {
  enum job job;
  double due;
  void *to;
  const void *from;
  struct tor_engine_part part;
};

struct late {
  struct tor_worker cpu;
  struct tor_slab *slab;
  struct pending run, side[TOR_NSIDE];
  double *energy; /* sums taken at their time */
  unsigned seed;
};

/* Up to 2 ms from now. */
static double later(struct late *w) {
  w->seed = w->seed * 1664525u + 1013904223u;
  return tor_message_clock() + 2e-3 * (double)(w->seed >> 8) / (1 << 24);
}

/* Whether it is time; if not, other ranks get the core for a while. */
static int is_due(const struct pending *p) {
  if (tor_message_clock() >= p->due) return 1;
  nanosleep(&(struct timespec){0, 20000}, NULL);
  return 0;
}

static void start(struct late *w, struct pending *p, struct pending what) {
  if (p->job != NONE) TOR_DIE("two pieces of work at one time");
  *p = what;
  p->due = later(w);
}

static size_t open_side(void *self, enum tor_side side, const struct tor_column_block *block) {
  struct late *w = self;
  return w->cpu.calls->open(w->cpu.self, side, block);
}
static void pin(void *self, void *buffer, size_t bytes) { (void)self, (void)buffer, (void)bytes; }
static void unpin(void *self, void *buffer) { (void)self, (void)buffer; }

static void begin(void *self, const struct tor_stage *stage, const struct tor_engine_setup *setup) {
  struct late *w = self;
  w->cpu.calls->begin(w->cpu.self, stage, setup);
}

static void run(void *self, const struct tor_engine_part *part) {
  struct late *w = self;
  start(w, &w->run, (struct pending){.job = RUN, .part = *part});
}

static int ran(void *self) {
  struct late *w = self;
  if (!is_due(&w->run)) return 0;
  if (w->run.job == RUN) w->cpu.calls->run(w->cpu.self, &w->run.part);
  w->run.job = NONE;
  return 1;
}

static void pack(void *self, enum tor_side side, void *to) {
  struct late *w = self;
  if (w->run.job != NONE) TOR_DIE("columns packed while towers run");
  start(w, &w->side[side], (struct pending){.job = PACK, .to = to});
}

static void unpack(void *self, enum tor_side side, const void *from) {
  struct late *w = self;
  start(w, &w->side[side], (struct pending){.job = UNPACK, .from = from});
}

static int moved(void *self, enum tor_side side) {
  struct late *w = self;
  struct pending *p = &w->side[side];
  if (!is_due(p)) return 0;
  if (p->job == PACK) w->cpu.calls->pack(w->cpu.self, side, p->to);
  if (p->job == UNPACK) w->cpu.calls->unpack(w->cpu.self, side, p->from);
  p->job = NONE;
  return 1;
}

static size_t sums(const struct tor_slab *slab, int columns) {
  return (size_t)columns * (size_t)slab->held[1] * TOR_NCOMP;
}

static void sum_energy(void *self, int x0, int x1) {
  struct late *w = self;
  if (x0 >= x1) return;
  const size_t first = sums(w->slab, x0 - w->slab->lo[0]);
  memcpy(w->energy + first, w->slab->energy + first, sums(w->slab, x1 - x0) * sizeof *w->energy);
}

static void fetch_energy(void *self) {
  struct late *w = self;
  memcpy(w->slab->energy, w->energy, sums(w->slab, w->slab->held[0]) * sizeof *w->energy);
}

static void close_late(void *self) {
  struct late *w = self;
  w->cpu.calls->close(w->cpu.self);
  free(w->energy);
  free(w);
}

struct tor_worker late_worker(struct tor_slab *slab, unsigned seed) {
  static const struct tor_worker_calls calls = {open_side, pin,    unpin, begin,      run,          ran,
                                                pack,      unpack, moved, sum_energy, fetch_energy, close_late};
  struct late *w = tor_alloc(1, sizeof *w, "late worker");
  w->cpu = tor_worker_cpu(slab);
  w->slab = slab;
  w->energy = tor_alloc(sums(slab, slab->held[0]), sizeof *w->energy, "late worker");
  w->seed = seed;
  return (struct tor_worker){&calls, w, 1};
}
