/* The window's rings, copies and their order: see window.h.
 *
 * Columns are numbered in the order in which they pass: column ix of sweep k is number k ncolumn + ncolumn - 1 - ix. A
 * part's bytes, counted along that order, are taken modulo its ring. */
#include "window.h"

#include <cuda.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slab_gpu.cuh"

enum {
  GRANULE = 2 << 20
}; /* of device memory; also the room before and behind a mapped array, which kernels may read */
/* Bytes of one copy, at least: small ones of others get in between. But a stream holds about a thousand calls before it
 * makes the caller wait, who has messages to move on, and a window may load or leave as a whole. */
enum { PIECE = 4 << 20, MOST_PIECES = 512 };

typedef long long number;

struct ring {
  struct tor_window_part part;
  size_t *start; /* [ncolumn + 1] */
  size_t period; /* bytes from sweep to sweep */
  size_t size;   /* of the device memory */
  size_t piece;  /* bytes of one copy */
  CUmemGenericAllocationHandle memory;
  CUdeviceptr range;
  size_t range_bytes;
  char *pinned, *pinned_end; /* of the host's array */
};
/* Something enqueued that concerns all columns before number `end`; event: done. */
struct mark {
  number end;
  cudaEvent_t event;
};
struct marks {
  struct mark *mark; /* [capacity], the last `count` of them live */
  int capacity;
  number count;
};

struct tor_window {
  int ncolumn, width, npart, chunk;
  struct ring ring[TOR_WINDOW_PARTS];
  cudaStream_t loading, leaving;
  struct marks loads, departures;
  number sweep, loaded, left; /* sweep now run; columns that were told to load and to leave */
  number open;                /* columns before this one may load */
};

static size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/* --- The driver's calls for virtual memory, found at run time: programs need no link with the driver --- */
static struct {
  CUresult (*granularity)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
  CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
  CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
  CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
  CUresult (*access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
  CUresult (*unmap)(CUdeviceptr, size_t);
  CUresult (*release)(CUmemGenericAllocationHandle);
  CUresult (*unreserve)(CUdeviceptr, size_t);
  CUresult (*message)(CUresult, const char **);
} driver;

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(TOR_EXIT_FAILURE);
}
static void driver_check(CUresult result, const char *call) {
  if (result == CUDA_SUCCESS) return;
  const char *text = "unknown error";
  driver.message(result, &text);
  fprintf(stderr, "window: %s: %s%s\n", call, text,
          result == CUDA_ERROR_OUT_OF_MEMORY
              ? "; the GPU has less memory free than the window needs: lower schedule.device_memory"
              : "");
  exit(TOR_EXIT_FAILURE);
}
#define DRIVER_TRY(call) driver_check(driver.call, #call)

static void *entry(const char *name) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  CUDA_TRY(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess || !found)
    fail("window: the driver cannot map device memory as the window needs it: install a newer one, or use a domain "
         "that fits the GPU");
  return found;
}
static void find_driver(void) {
  *(void **)&driver.granularity = entry("cuMemGetAllocationGranularity");
  *(void **)&driver.reserve = entry("cuMemAddressReserve");
  *(void **)&driver.create = entry("cuMemCreate");
  *(void **)&driver.map = entry("cuMemMap");
  *(void **)&driver.access = entry("cuMemSetAccess");
  *(void **)&driver.unmap = entry("cuMemUnmap");
  *(void **)&driver.release = entry("cuMemRelease");
  *(void **)&driver.unreserve = entry("cuMemAddressFree");
  *(void **)&driver.message = entry("cuGetErrorString");
}

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
  return round_up(most, GRANULE);
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
  ring->start = (size_t *)malloc(((size_t)ncolumn + 1) * sizeof *ring->start);
  if (!ring->start) fail("window: no memory for the columns' places");
  memcpy(ring->start, part->start, ((size_t)ncolumn + 1) * sizeof *ring->start);
  ring->period = period_of(part, ncolumn);
  ring->size = ring_bytes(part, ncolumn, width);
  ring->piece = round_up(ring->size / MOST_PIECES + 1, PIECE);
  CUmemAllocationProp properties = {};
  int device;
  CUDA_TRY(cudaGetDevice(&device));
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  size_t granule;
  DRIVER_TRY(granularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  if (GRANULE % granule) ring->size = round_up(ring->size, granule);
  ring->range_bytes = round_up(ring->size + ring->period + 2 * (size_t)GRANULE, ring->size);
  DRIVER_TRY(create(&ring->memory, ring->size, &properties, 0));
  DRIVER_TRY(reserve(&ring->range, ring->range_bytes, 0, 0, 0));
  for (size_t at = 0; at < ring->range_bytes; at += ring->size)
    DRIVER_TRY(map(ring->range + at, ring->size, 0, ring->memory, 0));
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER_TRY(access(ring->range, ring->range_bytes, &access, 1));
  CUDA_TRY(cudaMemset((void *)ring->range, 0, ring->size));
}
static void free_ring(struct ring *ring) {
  for (size_t at = 0; at < ring->range_bytes; at += ring->size) DRIVER_TRY(unmap(ring->range + at, ring->size));
  DRIVER_TRY(unreserve(ring->range, ring->range_bytes));
  DRIVER_TRY(release(ring->memory));
  free(ring->start);
}

/* Address of the first column in sweep k: each sweep begins in the ring where the one before ends. */
static char *base_of(const struct ring *ring, number k) {
  const size_t back = (size_t)k * ring->period % ring->size;
  return (char *)ring->range + GRANULE + (ring->size - back) % ring->size;
}

/* --- Host memory --- */
/* The array's whole pages: others may share its first and last one, and a copy must not lie across the ends of pinned
 * memory. */
static void pin(struct ring *ring, int ncolumn) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), end = (size_t)ring->part.host + ring->start[ncolumn];
  ring->pinned = (char *)round_up((size_t)(ring->part.host - ring->part.front), page);
  ring->pinned_end = (char *)(end / page * page);
  if (ring->pinned >= ring->pinned_end) {
    ring->pinned = ring->pinned_end = nullptr;
    return;
  }
  const size_t bytes = (size_t)(ring->pinned_end - ring->pinned);
  const cudaError_t error = cudaHostRegister(ring->pinned, bytes, cudaHostRegisterDefault);
  if (error == cudaSuccess) return;
  fprintf(
      stderr,
      "window: %.3f GB of host memory cannot be pinned for the GPU: %s; raise the limit (ulimit -l), or free memory\n",
      (double)bytes * 1e-9, cudaGetErrorString(error));
  exit(TOR_EXIT_FAILURE);
}

/* --- Marks --- */
static void make_marks(struct marks *marks, int capacity) {
  marks->capacity = capacity;
  marks->mark = (struct mark *)calloc((size_t)capacity, sizeof *marks->mark);
  if (!marks->mark) fail("window: no memory for the order of copies");
  for (int i = 0; i < capacity; i++) CUDA_TRY(cudaEventCreateWithFlags(&marks->mark[i].event, cudaEventDisableTiming));
}
static void free_marks(struct marks *marks) {
  for (int i = 0; i < marks->capacity; i++) CUDA_TRY(cudaEventDestroy(marks->mark[i].event));
  free(marks->mark);
}
static void add_mark(struct marks *marks, number end, cudaStream_t stream) {
  struct mark *mark = &marks->mark[marks->count++ % marks->capacity];
  mark->end = end;
  CUDA_TRY(cudaEventRecord(mark->event, stream));
}
/* The first mark behind all columns before number `end`. A mark has a column at least, and no wait looks back more than
 * the window's width, so that the mark is still there. */
static const struct mark *find_mark(const struct marks *marks, number end) {
  for (number i = marks->count > marks->capacity ? marks->count - marks->capacity : 0; i < marks->count; i++)
    if (marks->mark[i % marks->capacity].end >= end) return &marks->mark[i % marks->capacity];
  return nullptr;
}
/* Makes the stream wait until all columns before number `end` are done. */
static void wait_for(const struct marks *marks, number end, cudaStream_t stream) {
  const struct mark *mark = end > 0 ? find_mark(marks, end) : nullptr;
  if (mark) CUDA_TRY(cudaStreamWaitEvent(stream, mark->event, 0));
}

/* --- The window --- */
struct tor_window *tor_window_new(int ncolumn, int npart, const struct tor_window_part *part, int width) {
  struct tor_window *w = (struct tor_window *)calloc(1, sizeof *w);
  if (!w) fail("window: no memory");
  find_driver();
  w->ncolumn = ncolumn;
  w->width = width;
  w->npart = npart;
  w->chunk = width / 32 + 1;
  w->sweep = -1;
  w->open = LLONG_MAX;
  for (int p = 0; p < npart; p++) {
    make_ring(&w->ring[p], &part[p], ncolumn, width);
    pin(&w->ring[p], ncolumn);
  }
  CUDA_TRY(cudaStreamCreateWithFlags(&w->loading, cudaStreamNonBlocking));
  CUDA_TRY(cudaStreamCreateWithFlags(&w->leaving, cudaStreamNonBlocking));
  make_marks(&w->loads, 2 * width + 2);
  make_marks(&w->departures, 2 * width + 2);
  CUDA_TRY(cudaDeviceSynchronize());
  return w;
}

void tor_window_free(struct tor_window *w) {
  CUDA_TRY(cudaDeviceSynchronize());
  for (int p = 0; p < w->npart; p++) {
    if (w->ring[p].pinned) CUDA_TRY(cudaHostUnregister(w->ring[p].pinned));
    free_ring(&w->ring[p]);
  }
  free_marks(&w->loads);
  free_marks(&w->departures);
  CUDA_TRY(cudaStreamDestroy(w->loading));
  CUDA_TRY(cudaStreamDestroy(w->leaving));
  free(w);
}

int tor_window_width(const struct tor_window *w) { return w->width; }
void tor_window_begin(struct tor_window *w) { w->sweep++; }
char *tor_window_base(const struct tor_window *w, int part) { return base_of(&w->ring[part], w->sweep); }

/* Columns lo <= ix < hi of a part, to or from its place in sweep k. */
static void copy_columns(const struct ring *ring, number k, int lo, int hi, bool load, cudaStream_t stream) {
  char *host = ring->part.host + ring->start[lo], *device = base_of(ring, k) + ring->start[lo];
  size_t left = ring->start[hi] - ring->start[lo], front = lo ? 0 : ring->part.front;
  host -= front;
  device -= front;
  left += front;
  for (size_t bytes; left; left -= bytes, host += bytes, device += bytes) {
    bytes = left < ring->piece ? left : ring->piece;
    if (host < ring->pinned && host + bytes > ring->pinned) bytes = (size_t)(ring->pinned - host);
    if (host < ring->pinned_end && host + bytes > ring->pinned_end) bytes = (size_t)(ring->pinned_end - host);
    if (load)
      CUDA_TRY(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    else
      CUDA_TRY(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
  }
}

/* Loads the next `count` columns, all of one sweep. */
static void load(struct tor_window *w, int count) {
  const number k = w->loaded / w->ncolumn;
  const int hi = w->ncolumn - (int)(w->loaded % w->ncolumn), lo = hi - count;
  w->loaded += count;
  wait_for(&w->departures, w->loaded - w->width, w->loading);
  for (int p = 0; p < w->npart; p++) copy_columns(&w->ring[p], k, lo, hi, true, w->loading);
  add_mark(&w->loads, w->loaded, w->loading);
}

static number least(number a, number b) { return a < b ? a : b; }

/* Loads columns before number `needed`, and on as far as there is room. */
static void load_on(struct tor_window *w, number needed) {
  for (;;) {
    const number room = w->left + w->width - w->loaded;
    const number count = least(least(w->ncolumn - w->loaded % w->ncolumn, w->open - w->loaded), w->chunk);
    if (room <= 0 || count <= 0) break;
    /* Far ahead a chunk waits until there is room for all of it. */
    if (w->loaded >= needed && room < count) break;
    load(w, (int)least(room, count));
  }
}

/* Columns from lo on of this sweep are those before this number. */
static number end_of(const struct tor_window *w, int lo) { return w->sweep * w->ncolumn + w->ncolumn - lo; }

void tor_window_need(struct tor_window *w, int lo, cudaStream_t stream) {
  const number needed = end_of(w, lo);
  load_on(w, needed);
  if (w->loaded < needed) fail("window: narrower than what is needed at one time");
  wait_for(&w->loads, needed, stream);
}

void tor_window_open(struct tor_window *w, long long sweep, int lo) {
  w->open = sweep * w->ncolumn + w->ncolumn - lo;
  load_on(w, 0);
}

int tor_window_has(struct tor_window *w, int lo) {
  const number needed = end_of(w, lo);
  load_on(w, needed);
  if (w->loaded < needed) return 0;
  const struct mark *mark = find_mark(&w->loads, needed);
  const cudaError_t state = mark ? cudaEventQuery(mark->event) : cudaSuccess;
  if (state == cudaErrorNotReady) return 0;
  CUDA_TRY(state);
  return 1;
}

void tor_window_leave(struct tor_window *w, int lo, cudaStream_t stream) {
  const number left = end_of(w, lo);
  if (left <= w->left) return;
  const int hi = w->ncolumn - (int)(w->left % w->ncolumn);
  struct mark *const worked =
      &w->departures
           .mark[w->departures.count % w->departures.capacity]; /* its event is free until it is recorded below */
  CUDA_TRY(cudaEventRecord(worked->event, stream));
  CUDA_TRY(cudaStreamWaitEvent(w->leaving, worked->event, 0));
  for (int p = 0; p < w->npart; p++)
    if (w->ring[p].part.changes) copy_columns(&w->ring[p], w->sweep, lo, hi, false, w->leaving);
  w->left = left;
  add_mark(&w->departures, left, w->leaving);
}

void tor_window_follow(const struct tor_window *w, int lo, cudaStream_t stream) {
  wait_for(&w->departures, end_of(w, lo), stream);
}

void tor_window_finish(struct tor_window *w) { CUDA_TRY(cudaStreamSynchronize(w->leaving)); }
