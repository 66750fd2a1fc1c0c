/* The window's copies and their order: see window.h.
 *
 * Columns are numbered in the order in which they pass: column ix of sweep k is number k ncolumn + ncolumn - 1 - ix. A
 * part's bytes, counted along that order, are taken modulo its ring. */
#include "diamond/gpu/window/window.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/error.h"
#include "diamond/gpu/view/slab_view.cuh"

/* Bytes enqueued in a turn, most turns pending, and bytes of one copy, small so that other streams' copies can run in
 * between. */
enum { TURN = 16 << 20, TURNS = 2, PIECE = 1 << 20 };
/* Most copies of an array where everything is enqueued at once, with more bytes each: a stream holds about a thousand
 * calls before it blocks the caller. */
enum { MOST_PIECES = 512 };

typedef long long number;

struct ring {
  struct tor_window_part part;
  size_t *start; /* [ncolumn + 1] */
  size_t piece;  /* bytes of one copy, where everything is enqueued at once */
  struct tor_ring at;
  char *pinned, *pinned_end; /* of the host's array */
};
/* The copy of columns lo <= ix < hi of a sweep; after it all columns before number `end` have been copied. */
struct trip {
  number sweep, end;
  int lo, hi;
  cudaEvent_t event; /* the columns may leave; once the whole trip has been enqueued: the trip is complete */
};
/* Trips in one direction, one after the other. */
struct traffic {
  bool in; /* to the device */
  cudaStream_t stream;
  struct trip *trip; /* [capacity], the last trips requested, by number */
  int capacity;
  number requested, gone; /* trips requested; trips wholly enqueued */
  number given;           /* trips out whose columns the store has got back */
  /* Of trip number `gone`: */
  bool begun;
  int part;     /* next to be copied, */
  size_t bytes; /* and how much of it has been */
  cudaEvent_t turn[TURNS];
  number turns;
};

struct tor_window {
  int ncolumn, width, npart, chunk;
  struct ring ring[TOR_WINDOW_PARTS];
  struct traffic in, out;
  number sweep, loaded, left;           /* current sweep; columns requested to load and to leave */
  number open;                          /* columns before this one may load */
  const struct tor_column_store *store; /* null: the arrays are in memory */
};

static size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/* --- Rings --- */
static size_t period_of(const struct tor_window_part *part, int ncolumn) {
  return round_up(part->start[ncolumn], 256) + TOR_WINDOW_FRONT;
}

/* Bytes that `width` columns in the order of sweeps take at most. */
static size_t ring_bytes(const struct tor_window_part *part, int ncolumn, int width) {
  size_t most = 0, period = period_of(part, ncolumn), *start = (size_t *)part->start;
  for (int hi = ncolumn; hi > 0; hi--) { /* first column: hi - 1 */
    const int lo = hi - width;
    const size_t bytes = lo > 0 ? start[hi] - start[lo] : start[hi] + period - start[lo + ncolumn];
    if (bytes > most) most = bytes;
  }
  return round_up(most, TOR_RING_GRANULE);
}

int tor_window_widest(int ncolumn, int npart, const struct tor_window_part *part, double bytes) {
  int lo = 0, hi = ncolumn; /* lo fits */
  while (lo < hi) {
    const int width = lo + (hi - lo + 1) / 2;
    double total = 0;
    for (int p = 0; p < npart; p++) total += (double)ring_bytes(&part[p], ncolumn, width);
    if (total <= bytes)
      lo = width;
    else
      hi = width - 1;
  }
  return lo;
}

static void make_ring(struct ring *ring, const struct tor_window_part *part, int ncolumn, int width) {
  ring->part = *part;
  ring->start = (size_t *)tor_alloc((size_t)ncolumn + 1, sizeof *ring->start, "window");
  memcpy(ring->start, part->start, ((size_t)ncolumn + 1) * sizeof *ring->start);
  ring->at = tor_ring_new(ring_bytes(part, ncolumn, width), period_of(part, ncolumn));
  ring->piece = round_up(ring->at.size / MOST_PIECES + 1, PIECE);
}
static void free_ring(struct ring *ring) {
  tor_ring_free(&ring->at);
  free(ring->start);
}

/* --- Host memory --- */
static void pin_bytes(char *at, size_t bytes) {
  const cudaError_t error = cudaHostRegister(at, bytes, cudaHostRegisterDefault);
  if (error == cudaSuccess) return;
  fprintf(
      stderr,
      "window: %.3f GB of host memory cannot be pinned for the GPU: %s; raise the limit (ulimit -l), or free memory\n",
      (double)bytes * 1e-9, cudaGetErrorString(error));
  tor_end();
}

/* The array's pages; of a small one, whose first and last page others may share, those between. A copy must not lie
 * across the ends of pinned memory, and one to memory that is not pinned makes the caller wait for all before it. */
static void pin(struct ring *ring, int ncolumn) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), begin = (size_t)ring->part.host - ring->part.front;
  const size_t end = (size_t)ring->part.host + ring->start[ncolumn];
  const bool own = end - begin >= TOR_OWN_PAGES; /* of memory by tor_reserve */
  ring->pinned = (char *)(own ? begin / page * page : round_up(begin, page));
  ring->pinned_end = (char *)(own ? round_up(end, page) : end / page * page);
  if (ring->pinned >= ring->pinned_end) {
    ring->pinned = ring->pinned_end = nullptr;
    return;
  }
  pin_bytes(ring->pinned, (size_t)(ring->pinned_end - ring->pinned));
}

/* Where data at `host` are to be copied from or to, of which *bytes can be copied at one time, or fewer. */
static char *find_host(const struct tor_window *w, const struct ring *ring, char *host, size_t *bytes) {
  if (w->store) {
    size_t together;
    char *const at = w->store->calls->find(w->store->self, host, &together);
    if (*bytes > together) *bytes = together;
    return at;
  }
  if (host < ring->pinned && host + *bytes > ring->pinned) *bytes = (size_t)(ring->pinned - host);
  if (host < ring->pinned_end && host + *bytes > ring->pinned_end) *bytes = (size_t)(ring->pinned_end - host);
  return host;
}

/* --- Traffic --- */
static void make_traffic(struct traffic *t, bool in, int capacity) {
  t->in = in;
  t->capacity = capacity;
  t->trip = (struct trip *)tor_alloc((size_t)capacity, sizeof *t->trip, "window");
  CUDA_TRY(cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking));
  for (int i = 0; i < capacity; i++) CUDA_TRY(cudaEventCreateWithFlags(&t->trip[i].event, cudaEventDisableTiming));
  for (cudaEvent_t &turn : t->turn) CUDA_TRY(cudaEventCreateWithFlags(&turn, cudaEventDisableTiming));
}
static void free_traffic(struct traffic *t) {
  for (int i = 0; i < t->capacity; i++) CUDA_TRY(cudaEventDestroy(t->trip[i].event));
  for (cudaEvent_t turn : t->turn) CUDA_TRY(cudaEventDestroy(turn));
  CUDA_TRY(cudaStreamDestroy(t->stream));
  free(t->trip);
}

static struct trip *trip_of(const struct traffic *t, number i) { return &t->trip[i % t->capacity]; }
static number end_of_gone(const struct traffic *t) { return t->gone ? trip_of(t, t->gone - 1)->end : 0; }
/* The slot of the next trip to be requested. A trip has at least one column, and no caller looks back by more than the
 * window's width, so that the trips looked up are still in the buffer. */
static struct trip *next_trip(const struct traffic *t) { return trip_of(t, t->requested); }

/* The first trip after which all columns before number `end` have been copied; null: none has been wholly enqueued so
 * far. */
static const struct trip *find_trip(const struct traffic *t, number end) {
  number lo = t->requested > t->capacity ? t->requested - t->capacity : 0,
         hi = t->gone; /* the trip's number is in [lo, hi] */
  while (lo < hi) {
    const number middle = lo + (hi - lo) / 2;
    if (trip_of(t, middle)->end >= end)
      hi = middle;
    else
      lo = middle + 1;
  }
  return hi < t->gone ? trip_of(t, hi) : nullptr;
}
/* Makes the stream wait until all columns before number `end`, whose copies are enqueued, have arrived. */
static void wait_for(const struct traffic *t, number end, cudaStream_t stream) {
  const struct trip *trip = end > 0 ? find_trip(t, end) : nullptr;
  if (trip) CUDA_TRY(cudaStreamWaitEvent(stream, trip->event, 0));
}

/* Enqueues the next piece of the current trip. Returns its bytes; 0: there is none left. */
static size_t copy_piece(const struct tor_window *w, struct traffic *t, bool at_once) {
  const struct trip *trip = trip_of(t, t->gone);
  for (; t->part < w->npart; t->part++, t->bytes = 0) {
    const struct ring *ring = &w->ring[t->part];
    const ptrdiff_t first =
        (ptrdiff_t)(ring->start[trip->lo] + t->bytes) - (ptrdiff_t)(trip->lo ? 0 : ring->part.front);
    const size_t left = (size_t)((ptrdiff_t)ring->start[trip->hi] - first),
                 piece = at_once ? ring->piece : (size_t)PIECE;
    if (!left || (!t->in && !ring->part.changes)) continue;
    size_t bytes = left < piece ? left : piece;
    char *const host = find_host(w, ring, ring->part.host + first, &bytes), *const device =
                                                                                tor_ring_base(&ring->at, trip->sweep) +
                                                                                first;
    if (t->in)
      CUDA_TRY(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, t->stream));
    else
      CUDA_TRY(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, t->stream));
    t->bytes += bytes;
    return bytes;
  }
  return 0;
}

/* Begins the next trip. Columns come in once the columns whose places they take have been copied out; columns go out
 * once the work that uses them is done. */
static bool begin_trip(const struct tor_window *w, struct traffic *t) {
  const struct trip *trip = trip_of(t, t->gone);
  if (t->in) {
    const number before = trip->end - w->width;
    if (before > end_of_gone(&w->out)) return false;
    wait_for(&w->out, before, t->stream);
  } else {
    CUDA_TRY(cudaStreamWaitEvent(t->stream, trip->event, 0));
  }
  t->begun = true;
  t->part = 0;
  t->bytes = 0;
  return true;
}

/* Whether the store, if there is one, has the columns of a trip; it gives up those of a sweep not yet begun when it is
 * used between sweeps, and gets them again. */
static bool has_columns(const struct tor_window *w, const struct trip *trip) {
  return !w->store || w->store->calls->has(w->store->self, trip->sweep, trip->lo, 0);
}

/* Enqueues about `most` bytes of the requested trips. Returns how many. */
static size_t go(const struct tor_window *w, struct traffic *t, size_t most, bool at_once) {
  size_t bytes = 0;
  while (bytes < most && t->gone < t->requested) {
    if (!has_columns(w, trip_of(t, t->gone)) || (!t->begun && !begin_trip(w, t))) break;
    const size_t piece = copy_piece(w, t, at_once);
    bytes += piece;
    if (piece) continue;
    CUDA_TRY(cudaEventRecord(trip_of(t, t->gone)->event, t->stream));
    t->gone++;
    t->begun = false;
  }
  return bytes;
}

static void go_all(const struct tor_window *w, struct traffic *t) { go(w, t, SIZE_MAX, true); }

static bool is_over(cudaEvent_t event) {
  const cudaError_t state = cudaEventQuery(event);
  if (state == cudaErrorNotReady) return false;
  CUDA_TRY(state);
  return true;
}

/* Enqueues a turn if few are pending. */
static void go_on(const struct tor_window *w, struct traffic *t) {
  const cudaEvent_t turn = t->turn[t->turns % TURNS];
  if (t->gone == t->requested || (t->turns >= TURNS && !is_over(turn)) || !go(w, t, TURN, false)) return;
  CUDA_TRY(cudaEventRecord(turn, t->stream));
  t->turns++;
}

/* Gives columns back to the store that have arrived there. */
static void give_back(struct tor_window *w) {
  for (; w->store && w->out.given < w->out.gone; w->out.given++) {
    const struct trip *trip = trip_of(&w->out, w->out.given);
    if (!is_over(trip->event)) break;
    w->store->calls->leave(w->store->self, trip->sweep, trip->lo);
  }
}

void tor_window_go_on(struct tor_window *w) {
  give_back(w);
  go_on(w, &w->out);
  go_on(w, &w->in);
}

/* --- The window --- */
struct tor_window *tor_window_new(int ncolumn, int npart, const struct tor_window_part *part, int width,
                                  const struct tor_column_store *store) {
  struct tor_window *w = (struct tor_window *)tor_alloc(1, sizeof *w, "window");
  size_t bytes;
  w->ncolumn = ncolumn;
  w->width = width;
  w->npart = npart;
  w->chunk = width / 32 + 1;
  w->sweep = -1;
  w->open = LLONG_MAX;
  w->store = store;
  for (int p = 0; p < npart; p++) {
    make_ring(&w->ring[p], &part[p], ncolumn, width);
    if (!store) pin(&w->ring[p], ncolumn);
  }
  if (store) {
    w->ring[0].pinned = store->calls->pool(store->self, &bytes);
    pin_bytes(w->ring[0].pinned, bytes);
  }
  make_traffic(&w->in, true, 2 * width + 2);
  make_traffic(&w->out, false, 2 * width + 2);
  CUDA_TRY(cudaDeviceSynchronize());
  return w;
}

void tor_window_free(struct tor_window *w) {
  CUDA_TRY(cudaDeviceSynchronize());
  for (int p = 0; p < w->npart; p++) {
    if (w->ring[p].pinned) CUDA_TRY(cudaHostUnregister(w->ring[p].pinned));
    free_ring(&w->ring[p]);
  }
  free_traffic(&w->in);
  free_traffic(&w->out);
  free(w);
}

int tor_window_width(const struct tor_window *w) { return w->width; }
void tor_window_begin(struct tor_window *w) {
  w->sweep++;
  if (w->store) w->store->calls->begin(w->store->self);
}
char *tor_window_base(const struct tor_window *w, int part) { return tor_ring_base(&w->ring[part].at, w->sweep); }
struct tor_ring tor_window_ring(const struct tor_window *w, int part) { return w->ring[part].at; }

/* Requests the load of the next `count` columns, all of one sweep. */
static void load(struct tor_window *w, int count) {
  struct trip *trip = next_trip(&w->in);
  trip->sweep = w->loaded / w->ncolumn;
  trip->hi = w->ncolumn - (int)(w->loaded % w->ncolumn);
  trip->lo = trip->hi - count;
  w->loaded += count;
  trip->end = w->loaded;
  w->in.requested++;
}

static number least(number a, number b) { return a < b ? a : b; }

/* Requests the load of columns before number `needed`, and of more as far as the window has capacity. */
static void load_on(struct tor_window *w, number needed) {
  for (;;) {
    const number capacity = w->left + w->width - w->loaded;
    const number count = least(least(w->ncolumn - w->loaded % w->ncolumn, w->open - w->loaded), w->chunk);
    if (capacity <= 0 || count <= 0) break;
    /* Beyond `needed` a chunk waits until there is capacity for all of it. */
    if (w->loaded >= needed && capacity < count) break;
    load(w, (int)least(capacity, count));
  }
}

/* Columns from lo on of this sweep are those before this number. */
static number end_of(const struct tor_window *w, int lo) { return w->sweep * w->ncolumn + w->ncolumn - lo; }

void tor_window_open(struct tor_window *w, long long sweep, int lo) {
  w->open = sweep * w->ncolumn + w->ncolumn - lo;
  load_on(w, 0);
  go_on(w, &w->in);
}

int tor_window_has(struct tor_window *w, int lo) {
  const double a_little = 2e-4; /* seconds: short beside the copies that are enqueued */
  const number needed = end_of(w, lo);
  load_on(w, needed);
  if (needed > w->left + w->width) TOR_DIE("window: narrower than what is needed at one time");
  tor_window_go_on(w);
  if (w->store && !w->store->calls->has(w->store->self, w->sweep, lo, a_little)) return 0;
  if (end_of_gone(&w->in) < needed) return 0;
  const struct trip *trip = find_trip(&w->in, needed);
  return !trip || is_over(trip->event);
}

void tor_window_leave(struct tor_window *w, int lo, cudaStream_t stream) {
  const number left = end_of(w, lo);
  if (left <= w->left) return;
  give_back(w);
  struct trip *trip = next_trip(&w->out);
  trip->sweep = w->sweep;
  trip->hi = w->ncolumn - (int)(w->left % w->ncolumn);
  trip->lo = lo;
  trip->end = w->left = left;
  CUDA_TRY(cudaEventRecord(trip->event, stream));
  w->out.requested++;
  go_on(w, &w->out);
}

void tor_window_follow(struct tor_window *w, int lo, cudaStream_t stream) {
  go_all(w, &w->out);
  wait_for(&w->out, end_of(w, lo), stream);
}

void tor_window_finish(struct tor_window *w) {
  do go_all(w, &w->out);
  while (w->out.gone < w->out.requested);
  CUDA_TRY(cudaStreamSynchronize(w->out.stream));
  if (!w->store) return;
  CUDA_TRY(cudaStreamSynchronize(w->in.stream));
  give_back(w);
}
