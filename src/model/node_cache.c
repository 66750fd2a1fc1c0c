/* Values of surface nodes: see node_cache.h. */
#include "src/model/node_cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

enum { BITS = 15 }; /* places, each for the nodes of one hash */

struct key {
  int at[3], is_used;
};
struct tor_node_cache {
  size_t bytes;
  struct key *key;
  char *value; /* [places][bytes] */
};

static size_t place_of(const int at[3]) {
  const uint64_t mixed =
      ((uint64_t)(uint32_t)at[0] * 0x9e3779b97f4a7c15u + (uint32_t)at[1]) * 0xc2b2ae3d27d4eb4fu + (uint32_t)at[2];
  return (size_t)(mixed * 0x9e3779b97f4a7c15u >> (64 - BITS));
}

struct tor_node_cache *tor_node_cache_new(size_t bytes) {
  struct tor_node_cache *cache = tor_alloc(1, sizeof *cache, "columns");
  cache->bytes = bytes;
  cache->key = tor_alloc((size_t)1 << BITS, sizeof *cache->key, "columns");
  cache->value = tor_alloc((size_t)1 << BITS, bytes, "columns");
  return cache;
}

void tor_node_cache_free(struct tor_node_cache *cache) {
  if (!cache) return;
  free(cache->key);
  free(cache->value);
  free(cache);
}

const void *tor_node_cache_find(const struct tor_node_cache *cache, const int at[3]) {
  const size_t place = place_of(at);
  const struct key *key = &cache->key[place];
  return key->is_used && !memcmp(key->at, at, sizeof key->at) ? cache->value + place * cache->bytes : NULL;
}

void tor_node_cache_put(struct tor_node_cache *cache, const int at[3], const void *value) {
  const size_t place = place_of(at);
  memcpy(cache->key[place].at, at, sizeof cache->key->at);
  cache->key[place].is_used = 1;
  memcpy(cache->value + place * cache->bytes, value, cache->bytes);
}
