/* Columns on disk as the store under a GPU's window (diamond/core/column_store.h): see disk.h. */
#include <stddef.h>
#include <stdint.h>

#include "diamond/core/column_store.h"
#include "diamond/core/slab.h"
#include "src/disk/disk.h"
#include "src/disk/disk_parts.h"
#include "src/disk/paged.h"

static struct tor_disk *disk_of(void *self) { return ((const struct tor_slab *)self)->disk; }

static char *pool(void *self, size_t *bytes) { return tor_paged_pool(disk_of(self)->paged, bytes); }

/* Whether the blocks of so many columns, wherever they are, leave enough memory to read others ahead and write them
 * behind. */
static int fits(const struct tor_slab *slab, int columns) {
  const struct tor_disk *disk = slab->disk;
  const int64_t most = (int64_t)(TOR_DISK_WINDOW / (1 - TOR_DISK_HELD) * (double)tor_paged_capacity(disk->paged));
  for (int x = 0; x + columns <= slab->held[0]; x++)
    if (disk->in[x] - disk->out[x + columns] > most) return 0;
  return 1;
}

static int widest(void *self) {
  const struct tor_slab *slab = self;
  int lo = 0, hi = slab->held[0]; /* lo fits */
  while (lo < hi) {
    const int middle = lo + (hi - lo + 1) / 2;
    if (fits(slab, middle))
      lo = middle;
    else
      hi = middle - 1;
  }
  return lo;
}

static int hold(void *self, int ix) {
  const struct tor_slab *slab = self;
  const int x0 = slab->lo[0] + ix, end = tor_disk_some(slab, x0, slab->lo[0] + slab->held[0]);
  tor_disk_hold(slab, x0, end, 0);
  return end - slab->lo[0];
}

static void begin(void *self) { tor_paged_begin(disk_of(self)->paged); }

static int has(void *self, long long sweep, int ix, double seconds) {
  const struct tor_disk *disk = disk_of(self);
  return tor_paged_has(disk->paged, sweep, disk->in[ix], seconds);
}

static char *find(void *self, const char *address, size_t *bytes) {
  return tor_paged_find(disk_of(self)->paged, address, bytes);
}

static void leave(void *self, long long sweep, int ix) {
  const struct tor_disk *disk = disk_of(self);
  tor_paged_leave_from(disk->paged, sweep, disk->out[ix]);
}

const struct tor_column_store *tor_disk_store(struct tor_slab *slab) {
  static const struct tor_column_store_calls calls = {
      .pool = pool, .widest = widest, .hold = hold, .begin = begin, .has = has, .find = find, .leave = leave};
  if (!slab->disk || !slab->disk->has_pool) return NULL;
  slab->disk->store = (struct tor_column_store){&calls, slab};
  return &slab->disk->store;
}
