/* Memory in frames of one size, all in one range of addresses. Local; calls of one pool do not overlap. */
#ifndef TOR_SRC_DISK_POOL_H
#define TOR_SRC_DISK_POOL_H

#include <stddef.h>
#include <stdint.h>

struct tor_pool {
  char *at; /* [count][frame]; NULL: not open */
  size_t frame;
  int64_t count, nfree;
  int64_t *free_frame; /* [nfree] */
};

/* frame: bytes, a multiple of a page. Returns 0, or -1 with errno, the pool not open. */
int tor_pool_open(struct tor_pool *pool, size_t frame, int64_t count);
void tor_pool_close(struct tor_pool *pool); /* one that is not open: nothing */
/* The number of a frame that is free no longer; -1: there is none. */
int64_t tor_pool_take(struct tor_pool *pool);
void tor_pool_give(struct tor_pool *pool, int64_t number);

#endif
