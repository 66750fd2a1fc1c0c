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
  size_t bytes, size; /* of a value; of a key and a value behind it */
  char *place;        /* [places][size] */
};

static size_t place_of(const int at[3]) {
  const uint64_t mixed =
      ((uint64_t)(uint32_t)at[0] * 0x9e3779b97f4a7c15u + (uint32_t)at[1]) * 0xc2b2ae3d27d4eb4fu + (uint32_t)at[2];
  return (size_t)(mixed * 0x9e3779b97f4a7c15u >> (64 - BITS));
}

struct tor_node_cache *tor_node_cache_new(size_t bytes) {
  struct tor_node_cache *cache = tor_alloc(1, sizeof *cache, "columns");
  cache->bytes = bytes;
  cache->size = sizeof(struct key) + bytes;
  cache->place = tor_alloc((size_t)1 << BITS, cache->size, "columns");
  return cache;
}

void tor_node_cache_free(struct tor_node_cache *cache) {
  if (!cache) return;
  free(cache->place);
  free(cache);
}

const void *tor_node_cache_find(const struct tor_node_cache *cache, const int at[3]) {
  const struct key *key = (const void *)(cache->place + place_of(at) * cache->size);
  return key->is_used && !memcmp(key->at, at, sizeof key->at) ? key + 1 : NULL;
}

void tor_node_cache_put(struct tor_node_cache *cache, const int at[3], const void *value) {
  struct key *key = (void *)(cache->place + place_of(at) * cache->size);
  memcpy(key->at, at, sizeof key->at);
  key->is_used = 1;
  memcpy(key + 1, value, cache->bytes);
}
