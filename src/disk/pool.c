/* Memory in frames: see pool.h. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */
#include "src/disk/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "src/base/error.h"

int tor_pool_open(struct tor_pool *pool, size_t frame, int64_t count) {
  const size_t bytes = (size_t)count * frame;
  *pool = (struct tor_pool){.frame = frame, .count = count};
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return -1;
  madvise(at, bytes, MADV_HUGEPAGE);
  pool->at = at;
  pool->free_frame = tor_alloc((size_t)count, sizeof *pool->free_frame, "columns on disk");
  while (pool->nfree < count) tor_pool_give(pool, count - 1 - pool->nfree);
  return 0;
}

void tor_pool_close(struct tor_pool *pool) {
  if (!pool->at) return;
  munmap(pool->at, (size_t)pool->count * pool->frame);
  free(pool->free_frame);
  pool->at = NULL;
}

int64_t tor_pool_take(struct tor_pool *pool) { return pool->nfree ? pool->free_frame[--pool->nfree] : -1; }
void tor_pool_give(struct tor_pool *pool, int64_t number) { pool->free_frame[pool->nfree++] = number; }
