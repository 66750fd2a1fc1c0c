/* What surface nodes hold, found once: neighbouring columns ask for the same nodes. */
#ifndef TOR_SRC_MODEL_NODE_CACHE_H
#define TOR_SRC_MODEL_NODE_CACHE_H

#include <stddef.h>

struct tor_node_cache;

/* A cache of values of so many bytes, a multiple of 8, for one thread. It holds the last ones of about 1e4 nodes. */
struct tor_node_cache *tor_node_cache_new(size_t bytes);
void tor_node_cache_free(struct tor_node_cache *cache); /* or NULL */

/* The value of the node i, j, k, if it is there; else NULL. */
const void *tor_node_cache_find(const struct tor_node_cache *cache, const int at[3]);
/* Copies a value, which may take the place of another node's. */
void tor_node_cache_put(struct tor_node_cache *cache, const int at[3], const void *value);

#endif
