/* Arrays over files: see paged.h.
 *
 * A block's memory is given by making its addresses readable and writable, and taken back by mapping them again without
 * access: so the memory is bounded by the number of blocks that are not OUT, and any block may take any other's. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise */
#include "src/disk/paged.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "io/files/direct_file.h"
#include "src/base/error.h"
#include "src/disk/pool.h"

enum { READERS = 2, WRITERS = 2, BLOCK_LEAST = 16 << 10, BLOCK_MOST = 4 << 20, HUGE_PAGE = 2 << 20 };
enum state { OUT, COMES, HERE, LEAVES };

struct array {
  struct tor_direct_file file;
  char *base;
  size_t most; /* bytes of addresses from base on */
  int64_t blocks;
  int constant;
  unsigned char *state, *changed, *kept; /* [blocks] */
  int64_t *frame;                        /* [blocks]: of the pool, where the block is; -1: none */
};

struct tor_paged {
  char *folder;
  size_t block;
  int64_t capacity, kept; /* blocks */
  struct tor_pool pool;   /* under the lock */
  double rate;
  struct array array[TOR_PAGED_ARRAYS];
  struct tor_paged_block *in, *out; /* [count] */
  int64_t count;
  /* Below: under the lock. Blocks are numbered over all sweeps: number n is in[n % count]. */
  pthread_mutex_t lock;
  pthread_cond_t moved, may_read, may_write; /* blocks came or left; for the threads that read, and write */
  int64_t sweep;                             /* the current or last one; -1: none yet */
  int64_t in_next, in_done, in_limit;        /* to be read next; all before are here; none from here on is read */
  int64_t out_next, out_done, out_limit;     /* the same of leaving; out_done: how many have left */
  int64_t here;                              /* blocks that are not OUT */
  int error, reading;                        /* errno of a failed transfer, its direction */
  int stops;
  double slot; /* time at which the transfers so far end at the given rate */
  struct tor_paged_traffic traffic;
  int threads;
  pthread_t thread[READERS + WRITERS];
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- Blocks --- */

static char *address(const struct tor_paged *p, struct tor_paged_block b) {
  return p->array[b.array].base + (size_t)b.block * p->block;
}

static void fail(const struct tor_paged *p, const char *what, int error) __attribute__((noreturn));
static void fail(const struct tor_paged *p, const char *what, int error) {
  fflush(stdout);
  fprintf(stderr, "torre: schedule.disk: %s in %s: %s; the run continues from its last checkpoint by --restart\n", what,
          p->folder, strerror(error));
  tor_end();
}

static const char *const reading = "the file of columns could not be read",
                         *const writing = "the file of columns could not be written";

static int64_t *frame_of(const struct tor_paged *p, struct tor_paged_block b) {
  return &p->array[b.array].frame[b.block];
}
/* A block's data while it is in memory. */
static char *data_of(const struct tor_paged *p, struct tor_paged_block b) {
  const int64_t frame = *frame_of(p, b);
  return frame < 0 ? address(p, b) : p->pool.at + (size_t)frame * p->block;
}

/* Memory for a block: at its address, or in a sweep in the pool, if there is one. Returns 0, or -1 with errno. */
static int give_memory(struct tor_paged *p, struct tor_paged_block b, int is_sweep) {
  char *at = address(p, b);
  if (p->pool.at && is_sweep) {
    pthread_mutex_lock(&p->lock);
    const int64_t frame = *frame_of(p, b) = tor_pool_take(&p->pool);
    pthread_mutex_unlock(&p->lock);
    if (frame < 0) TOR_DIE("the pool of columns has no frame for one more of %lld blocks", (long long)p->here);
    return 0;
  }
  if (mprotect(at, p->block, PROT_READ | PROT_WRITE)) return -1;
  if (p->block % HUGE_PAGE == 0) madvise(at, p->block, MADV_HUGEPAGE);
  return 0;
}

static int take_memory(const struct tor_paged *p, struct tor_paged_block b) {
  if (*frame_of(p, b) >= 0) return 0; /* mark_out */
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return mmap(address(p, b), p->block, PROT_NONE, flags, -1, 0) == MAP_FAILED ? -1 : 0;
}

/* A block without memory of its own is OUT. Under the lock, or while no thread works. */
static void mark_out(struct tor_paged *p, struct tor_paged_block b) {
  int64_t *frame = frame_of(p, b);
  if (*frame >= 0) tor_pool_give(&p->pool, *frame);
  *frame = -1;
  p->array[b.array].state[b.block] = OUT;
  p->here--;
}

/* Reserves the time of a transfer at the given rate; returns its end. */
static double take_slot(struct tor_paged *p) {
  if (p->rate <= 0) return 0;
  const double t = now();
  pthread_mutex_lock(&p->lock);
  p->slot = (p->slot > t ? p->slot : t) + (double)p->block / p->rate;
  const double end = p->slot;
  pthread_mutex_unlock(&p->lock);
  return end;
}

static void sleep_until(double end) {
  const double left = end - now();
  if (left <= 0) return;
  struct timespec t = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
  while (nanosleep(&t, &t) && errno == EINTR) continue;
}

/* Return 0, or the error. */
static int read_block(struct tor_paged *p, struct tor_paged_block b, int is_sweep) {
  const double end = take_slot(p);
  if (give_memory(p, b, is_sweep)) return errno;
  const int64_t at = b.block * (int64_t)p->block;
  if (tor_direct_file_read(&p->array[b.array].file, at, data_of(p, b), p->block)) return errno;
  sleep_until(end);
  return 0;
}

static int write_block(struct tor_paged *p, struct tor_paged_block b) {
  const double end = take_slot(p);
  const int64_t at = b.block * (int64_t)p->block;
  if (tor_direct_file_write(&p->array[b.array].file, at, data_of(p, b), p->block)) return errno;
  sleep_until(end);
  return 0;
}

/* --- Threads --- */

static unsigned char *state_of(const struct tor_paged *p, struct tor_paged_block b) {
  return &p->array[b.array].state[b.block];
}

static void note_failure(struct tor_paged *p, int error, int is_reading) {
  if (!p->error && error) p->reading = is_reading;
  if (!p->error) p->error = error;
}

static int can_read(const struct tor_paged *p) {
  return !p->error && p->in_next < p->in_limit && p->here < p->capacity &&
         *state_of(p, p->in[p->in_next % p->count]) == OUT;
}

static void *read_ahead(void *self) {
  struct tor_paged *p = self;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (!p->stops && !can_read(p)) pthread_cond_wait(&p->may_read, &p->lock);
    if (p->stops) break;
    const struct tor_paged_block b = p->in[p->in_next++ % p->count];
    *state_of(p, b) = COMES;
    p->here++;
    pthread_mutex_unlock(&p->lock);
    const int error = read_block(p, b, 1);
    pthread_mutex_lock(&p->lock);
    *state_of(p, b) = HERE;
    p->traffic.read += (double)p->block;
    note_failure(p, error, 1);
    while (p->in_done < p->in_next && *state_of(p, p->in[p->in_done % p->count]) == HERE) p->in_done++;
    pthread_cond_broadcast(&p->moved);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

static void *write_behind(void *self) {
  struct tor_paged *p = self;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (!p->stops && (p->error || p->out_next >= p->out_limit)) pthread_cond_wait(&p->may_write, &p->lock);
    if (p->stops) break;
    const struct tor_paged_block b = p->out[p->out_next++ % p->count];
    const int constant = p->array[b.array].constant;
    *state_of(p, b) = LEAVES;
    pthread_mutex_unlock(&p->lock);
    int error = constant ? 0 : write_block(p, b);
    if (take_memory(p, b) && !error) error = errno;
    pthread_mutex_lock(&p->lock);
    mark_out(p, b);
    if (!constant) p->traffic.written += (double)p->block;
    p->out_done++;
    note_failure(p, error, 0);
    pthread_cond_broadcast(&p->may_read);
    if (error || p->out_done == p->out_limit) pthread_cond_broadcast(&p->moved);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* --- Arrays --- */

size_t tor_paged_block_for(double memory) {
  size_t block = BLOCK_LEAST;
  while (block < BLOCK_MOST && (double)block * 512 <= memory) block *= 2;
  return block;
}

struct tor_paged *tor_paged_open(const char *folder, double memory, double rate) {
  struct tor_paged *p = tor_alloc(1, sizeof *p, "columns on disk");
  p->folder = tor_strdup(folder);
  p->rate = rate;
  p->block = tor_paged_block_for(memory);
  p->capacity = (int64_t)(memory / (double)p->block);
  p->sweep = -1;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_t *const conditions[] = {&p->moved, &p->may_read, &p->may_write};
  for (int i = 0; i < 3; i++) pthread_cond_init(conditions[i], NULL);
  for (int a = 0; a < TOR_PAGED_ARRAYS; a++) p->array[a].file.fd = -1;
  int error = 0;
  for (int a = 0; a < TOR_PAGED_ARRAYS && !error; a++)
    if (tor_direct_file_open(&p->array[a].file, folder)) error = errno;
  for (int i = 0; i < READERS + WRITERS && !error; i++) {
    error = pthread_create(&p->thread[i], NULL, i < READERS ? read_ahead : write_behind, p);
    p->threads += !error;
  }
  if (!error) return p;
  tor_paged_close(p);
  errno = error;
  return NULL;
}

void tor_paged_close(struct tor_paged *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->stops = 1;
  pthread_cond_broadcast(&p->may_read);
  pthread_cond_broadcast(&p->may_write);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->threads; i++) pthread_join(p->thread[i], NULL);
  for (int a = 0; a < TOR_PAGED_ARRAYS; a++) {
    tor_direct_file_close(&p->array[a].file);
    if (p->array[a].base) munmap(p->array[a].base, p->array[a].most);
    free(p->array[a].state);
    free(p->array[a].changed);
    free(p->array[a].kept);
    free(p->array[a].frame);
  }
  tor_pool_close(&p->pool);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_t *const conditions[] = {&p->moved, &p->may_read, &p->may_write};
  for (int i = 0; i < 3; i++) pthread_cond_destroy(conditions[i]);
  free(p->in);
  free(p->out);
  free(p->folder);
  free(p);
}

int tor_paged_use_pool(struct tor_paged *p) { return tor_pool_open(&p->pool, p->block, p->capacity); }

char *tor_paged_pool(const struct tor_paged *p, size_t *bytes) {
  *bytes = (size_t)p->capacity * p->block;
  return p->pool.at;
}

int tor_paged_is_direct(const struct tor_paged *p) { return p->array[0].file.is_direct; }
size_t tor_paged_block_bytes(const struct tor_paged *p) { return p->block; }
int64_t tor_paged_capacity(const struct tor_paged *p) { return p->capacity - p->kept; }
int64_t tor_paged_blocks(const struct tor_paged *p, int array) { return p->array[array].blocks; }

char *tor_paged_reserve(struct tor_paged *p, int number, size_t most, int constant) {
  struct array *a = &p->array[number];
  const size_t all = (most / BLOCK_MOST + 1) * BLOCK_MOST;
  char *at = mmap(NULL, all + BLOCK_MOST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return NULL;
  const size_t before = (BLOCK_MOST - (uintptr_t)at % BLOCK_MOST) % BLOCK_MOST;
  if (before) munmap(at, before);
  if (before < BLOCK_MOST) munmap(at + before + all, BLOCK_MOST - before);
  a->base = at + before;
  a->most = all;
  a->constant = constant;
  return a->base;
}

void tor_paged_resize(struct tor_paged *p, int number, size_t bytes) {
  struct array *a = &p->array[number];
  const int64_t blocks = (int64_t)((bytes + p->block - 1) / p->block), more = blocks - a->blocks;
  if (bytes > a->most) TOR_DIE("array %d of %zu bytes on disk, at most %zu", number, bytes, a->most);
  if (more <= 0) return;
  /* NOLINTBEGIN(bugprone-suspicious-realloc-usage): the process ends where memory is short. */
  a->state = realloc(a->state, (size_t)blocks);
  a->changed = realloc(a->changed, (size_t)blocks);
  a->kept = realloc(a->kept, (size_t)blocks);
  a->frame = realloc(a->frame, (size_t)blocks * sizeof *a->frame);
  /* NOLINTEND(bugprone-suspicious-realloc-usage) */
  if (!a->state || !a->changed || !a->kept || !a->frame)
    TOR_DIE("no memory for the list of %lld blocks on disk", (long long)blocks);
  memset(a->state + a->blocks, OUT, (size_t)more);
  memset(a->changed + a->blocks, 0, (size_t)more);
  memset(a->kept + a->blocks, 0, (size_t)more);
  for (int64_t b = a->blocks; b < blocks; b++) a->frame[b] = -1;
  a->blocks = blocks;
  if (tor_direct_file_resize(&a->file, blocks * (int64_t)p->block)) fail(p, writing, errno);
}

int tor_paged_allocate(struct tor_paged *p) {
  for (int a = 0; a < TOR_PAGED_ARRAYS; a++)
    if (tor_direct_file_reserve(&p->array[a].file, p->array[a].blocks * (int64_t)p->block)) return -1;
  return 0;
}

/* --- Outside of sweeps --- */

/* Ends the reading ahead, waits for what leaves, and takes out what came for the next sweep. */
static void settle(struct tor_paged *p) {
  pthread_mutex_lock(&p->lock);
  p->in_limit = p->in_next;
  while (!p->error && (p->in_done < p->in_next || p->out_done < p->out_limit)) pthread_cond_wait(&p->moved, &p->lock);
  const int64_t end = (p->sweep + 1) * p->count;
  if (p->error) fail(p, p->reading ? reading : writing, p->error);
  for (; p->in_next > end; p->in_next--) {
    const struct tor_paged_block b = p->in[(p->in_next - 1) % p->count];
    if (take_memory(p, b)) fail(p, "memory could not be given back", errno);
    mark_out(p, b);
  }
  p->in_done = p->in_limit = end;
  pthread_mutex_unlock(&p->lock);
}

static void take_out(struct tor_paged *p, int array, int64_t block) {
  struct array *a = &p->array[array];
  const struct tor_paged_block b = {array, block};
  int error = 0;
  if (a->changed[block]) {
    error = write_block(p, b);
    p->traffic.written += (double)p->block;
  }
  if (error) fail(p, writing, error);
  if (take_memory(p, b)) fail(p, "memory could not be given back", errno);
  a->changed[block] = 0;
  mark_out(p, b);
}

static void bring_in(struct tor_paged *p, int array, int64_t block) {
  const int error = read_block(p, (struct tor_paged_block){array, block}, 0);
  if (error) fail(p, reading, error);
  p->array[array].state[block] = HERE;
  p->traffic.read += (double)p->block;
  p->here++;
}

void tor_paged_let_go(struct tor_paged *p, int array, size_t from, size_t to) {
  const struct array *a = &p->array[array];
  settle(p);
  const int64_t first = (int64_t)(from / p->block), last = from < to ? (int64_t)((to - 1) / p->block) : first - 1;
  for (int64_t i = 0; i < a->blocks; i++)
    if (a->state[i] == HERE && !a->kept[i] && (i < first || i > last)) take_out(p, array, i);
}

void tor_paged_hold(struct tor_paged *p, int array, size_t from, size_t to, int changes) {
  struct array *a = &p->array[array];
  const int64_t first = (int64_t)(from / p->block), last = from < to ? (int64_t)((to - 1) / p->block) : first - 1;
  tor_paged_let_go(p, array, from, to);
  for (int64_t i = first; i <= last && i < a->blocks; i++) {
    if (a->state[i] == OUT) bring_in(p, array, i);
    a->changed[i] |= changes != 0;
  }
}

int tor_paged_keep(struct tor_paged *p, int array, size_t from, size_t to) {
  const struct array *a = &p->array[array];
  settle(p);
  for (int64_t i = (int64_t)(from / p->block); from < to && i <= (int64_t)((to - 1) / p->block) && i < a->blocks; i++) {
    if (a->kept[i]) continue;
    if (p->kept == p->capacity) return -1;
    if (a->state[i] == OUT) bring_in(p, array, i);
    a->kept[i] = 1;
    p->kept++;
  }
  return 0;
}

int tor_paged_is_kept(const struct tor_paged *p, int array, int64_t block) { return p->array[array].kept[block]; }

void tor_paged_release(struct tor_paged *p) {
  settle(p);
  for (int a = 0; a < TOR_PAGED_ARRAYS; a++) tor_paged_hold(p, a, 0, 0, 0);
}

/* --- Sweeps --- */

void tor_paged_order(struct tor_paged *p, int64_t count, struct tor_paged_block *in, struct tor_paged_block *out) {
  tor_paged_release(p);
  free(p->in);
  free(p->out);
  p->count = count;
  p->in = in;
  p->out = out;
}

void tor_paged_begin(struct tor_paged *p) {
  const int goes_on = p->sweep >= 0 && p->in_limit > (p->sweep + 1) * p->count;
  if (!goes_on) tor_paged_release(p);
  pthread_mutex_lock(&p->lock);
  p->sweep++;
  p->in_limit = (p->sweep + 2) * p->count;
  pthread_cond_broadcast(&p->may_read);
  pthread_mutex_unlock(&p->lock);
}

/* A time of the clock of conditions, so many seconds from now. */
static struct timespec later(double seconds) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += (long)(seconds * 1e9);
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

int tor_paged_has(struct tor_paged *p, int64_t sweep, int64_t n, double seconds) {
  pthread_mutex_lock(&p->lock);
  n += sweep * p->count;
  if (p->in_done < n && !p->error && seconds > 0) {
    const struct timespec end = later(seconds);
    const double begin = now();
    pthread_cond_timedwait(&p->moved, &p->lock, &end);
    p->traffic.waited += now() - begin;
  }
  const int has = p->in_done >= n, error = p->error, is_reading = p->reading;
  pthread_mutex_unlock(&p->lock);
  if (error) fail(p, is_reading ? reading : writing, error);
  return has;
}

char *tor_paged_find(const struct tor_paged *p, const char *at, size_t *bytes) {
  for (int i = 0; i < TOR_PAGED_ARRAYS; i++) {
    const struct array *a = &p->array[i];
    if (!a->base || at < a->base || at >= a->base + a->most) continue;
    const size_t offset = (size_t)(at - a->base), within = offset % p->block;
    *bytes = p->block - within;
    return data_of(p, (struct tor_paged_block){i, (int64_t)(offset / p->block)}) + within;
  }
  TOR_DIE("%p is no address of a column on disk", (const void *)at);
}

void tor_paged_wait(struct tor_paged *p, int64_t n) {
  pthread_mutex_lock(&p->lock);
  n += p->sweep * p->count;
  if (p->in_done < n) {
    const double begin = now();
    while (!p->error && p->in_done < n) pthread_cond_wait(&p->moved, &p->lock);
    p->traffic.waited += now() - begin;
  }
  const int error = p->error, is_reading = p->reading;
  pthread_mutex_unlock(&p->lock);
  if (error) fail(p, is_reading ? reading : writing, error);
}

void tor_paged_leave(struct tor_paged *p, int64_t n) { tor_paged_leave_from(p, p->sweep, n); }

void tor_paged_leave_from(struct tor_paged *p, int64_t sweep, int64_t n) {
  pthread_mutex_lock(&p->lock);
  n += sweep * p->count;
  if (n > p->out_limit) {
    p->out_limit = n;
    pthread_cond_broadcast(&p->may_write);
  }
  pthread_mutex_unlock(&p->lock);
}

void tor_paged_end(struct tor_paged *p) { tor_paged_leave(p, p->count); }

struct tor_paged_traffic tor_paged_traffic(struct tor_paged *p) {
  settle(p);
  return p->traffic;
}
