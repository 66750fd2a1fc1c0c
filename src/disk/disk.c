/* Columns on disk: see disk.h. Sweeps: sweep.c. */
#include "src/disk/disk.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/disk/disk_parts.h"
#include "src/disk/paged.h"

/* Bytes around a column that may be read with it (slab.h); the fields begin so many bytes behind their array's start.
 */
enum { MARGIN = 64 };

struct tor_disk *tor_disk_open(const struct tor_disk_setup *setup) {
  const double held = setup->pool ? TOR_DISK_HELD * setup->memory : 0;
  struct tor_paged *paged = tor_paged_open(setup->folder, setup->memory - held, setup->rate);
  if (!paged) return NULL;
  struct tor_disk *disk = tor_alloc(1, sizeof *disk, "columns on disk");
  disk->paged = paged;
  disk->has_pool = setup->pool;
  if (!setup->pool || !tor_paged_use_pool(paged)) return disk;
  const int error = errno;
  tor_disk_close(disk);
  errno = error;
  return NULL;
}

void tor_disk_close(struct tor_disk *disk) {
  if (!disk) return;
  tor_paged_close(disk->paged);
  for (int p = 0; p < TOR_NDISK; p++) free(disk->start[p]);
  free(disk->in);
  free(disk->out);
  free(disk);
}

int tor_disk_is_direct(const struct tor_disk *disk) { return tor_paged_is_direct(disk->paged); }
struct tor_paged_traffic tor_disk_traffic(const struct tor_disk *disk) { return tor_paged_traffic(disk->paged); }

void *tor_disk_reserve(struct tor_disk *disk, enum tor_disk_part part, size_t most) {
  void *at = tor_paged_reserve(disk->paged, (int)part, most, part == TOR_DISK_COEF || part == TOR_DISK_WEIGHT);
  if (!at)
    TOR_DIE(
        "columns on disk: no addresses for %.3f GB: %s; a limit of the address space (ulimit -v) must be above that",
        (double)most * 1e-9, strerror(errno));
  return at;
}

void tor_disk_extend(struct tor_disk *disk, enum tor_disk_part part, size_t from, size_t to) {
  tor_paged_resize(disk->paged, (int)part, to);
  tor_paged_hold(disk->paged, (int)part, from, to, 1);
}

void *tor_disk_zeros(struct tor_disk *disk, enum tor_disk_part part, size_t bytes) {
  void *at = tor_disk_reserve(disk, part, bytes);
  tor_disk_extend(disk, part, bytes, bytes);
  return at;
}

/* --- Columns and blocks --- */

static int is_field(enum tor_disk_part part) { return part == TOR_DISK_FIELD || part == TOR_DISK_OTHER_FIELD; }
static int is_psi(enum tor_disk_part part) { return part == TOR_DISK_PSI_Z || part == TOR_DISK_OTHER_PSI_Z; }

/* First value of one column in coef, state or weight; `none` when it has none. */
static tor_gidx first_value(const struct tor_slab *slab, enum tor_disk_part part, tor_gidx column, tor_gidx none) {
  const int32_t id = slab->extra_id[column];
  if (id < 0) return none;
  const struct tor_extra *extra = &slab->extra[id];
  tor_gidx first = none;
  if (part == TOR_DISK_COEF) {
    if (extra->coef_e >= 0) first = extra->coef_e;
    if (extra->coef_h >= 0 && extra->coef_h < first) first = extra->coef_h;
  } else if (extra->run[0] < extra->run[4]) {
    const struct tor_pole_range *run = &slab->run[extra->run[0]];
    first = part == TOR_DISK_WEIGHT ? run->weight : run->state;
  }
  return first < none ? first : none;
}

/* Bytes of an array before each ix, [held + 1]. */
static size_t *places(const struct tor_slab *slab, enum tor_disk_part part) {
  const tor_gidx nx = slab->held[0], ny = slab->held[1];
  const tor_gidx nfield = nx * ny * TOR_NCOMP * slab->nzp, npsi = nx * ny * 4 * (slab->zlo + slab->zhi),
                 both = slab->other != NULL,
                 count[TOR_NDISK] = {nfield,        npsi,          slab->ncoef, slab->nstate,
                                     slab->nweight, both * nfield, both * npsi, both * slab->nstate};
  const size_t front = is_field(part) && count[part] ? MARGIN : 0;
  size_t *start = tor_alloc((size_t)nx + 1, sizeof *start, "columns on disk");
  tor_gidx first = count[part];
  start[nx] = front + (size_t)first * slab->precision;
  for (tor_gidx ix = nx - 1; ix >= 0; ix--) {
    if (is_field(part) || is_psi(part))
      first = count[part] / nx * ix;
    else
      for (tor_gidx iy = 0; iy < ny; iy++) first = first_value(slab, part, ix * ny + iy, first);
    start[ix] = front + (size_t)first * slab->precision;
  }
  return start;
}

/* Whether bytes of column x lie in [from, to), or so near that they may be read with it. */
static int is_before(const size_t *start, int x, size_t from) { return start[x + 1] + MARGIN <= from; }
static int is_behind(const size_t *start, int x, size_t to) { return start[x] >= to + MARGIN; }

/* Sorts blocks by their columns, highest first; number[held + 1]: how many of them have a column >= ix. */
static void sort(const struct tor_slab *slab, int64_t count, const struct tor_paged_block *block, const int *column,
                 struct tor_paged_block *sorted, int64_t *number) {
  const int nx = slab->held[0];
  for (int64_t i = 0; i < count; i++) number[column[i]]++;
  for (int x = nx; x > 0; x--) number[x - 1] += number[x];
  int64_t *next = tor_alloc((size_t)nx + 1, sizeof *next, "columns on disk");
  memcpy(next, number + 1, (size_t)nx * sizeof *next);
  /* The blocks of an array in falling order. */
  for (int64_t i = count - 1; i >= 0; i--) sorted[next[column[i]]++] = block[i];
  free(next);
}

/* Finds the orders in which blocks come and leave. */
static void find_orders(const struct tor_slab *slab) {
  struct tor_disk *disk = slab->disk;
  const int nx = slab->held[0];
  int64_t count = 0, n = 0;
  for (int p = 0; p < TOR_NDISK; p++) count += tor_paged_blocks(disk->paged, p);
  struct tor_paged_block *block = tor_alloc((size_t)count, sizeof *block, "columns on disk"),
                         *in = tor_alloc((size_t)count, sizeof *in, "columns on disk"),
                         *out = tor_alloc((size_t)count, sizeof *out, "columns on disk");
  int *first = tor_alloc((size_t)count, sizeof *first, "columns on disk"),
      *last = tor_alloc((size_t)count, sizeof *last, "columns on disk");
  const size_t bytes = tor_paged_block_bytes(disk->paged);
  for (int p = 0; p < TOR_NDISK; p++) {
    const size_t *start = disk->start[p];
    int x0 = 0, x1 = 0; /* columns of the block: x0 <= x <= x1 */
    for (int64_t b = 0; b < tor_paged_blocks(disk->paged, p); b++) {
      while (x0 + 1 < nx && is_before(start, x0, (size_t)b * bytes)) x0++;
      if (x1 < x0) x1 = x0;
      while (x1 + 1 < nx && !is_behind(start, x1 + 1, (size_t)(b + 1) * bytes)) x1++;
      if (tor_paged_is_kept(disk->paged, p, b)) continue;
      block[n] = (struct tor_paged_block){p, b};
      first[n] = x0;
      last[n++] = x1;
    }
  }
  free(disk->in);
  free(disk->out);
  disk->in = tor_alloc((size_t)nx + 1, sizeof *disk->in, "columns on disk");
  disk->out = tor_alloc((size_t)nx + 1, sizeof *disk->out, "columns on disk");
  sort(slab, n, block, last, in, disk->in);
  sort(slab, n, block, first, out, disk->out);
  free(block);
  free(first);
  free(last);
  tor_paged_order(disk->paged, n, in, out);
}

int tor_disk_ready(struct tor_slab *slab) {
  for (int p = 0; p < TOR_NDISK; p++) slab->disk->start[p] = places(slab, (enum tor_disk_part)p);
  find_orders(slab);
  return tor_paged_allocate(slab->disk->paged);
}

/* Bytes of an array that columns need. */
struct range {
  size_t from, to;
};
static struct range range_of(const struct tor_slab *slab, int part, int x0, int x1) {
  const struct tor_disk *disk = slab->disk;
  const size_t *start = disk->start[part], begin = start[x0 - slab->lo[0]], end = start[x1 - slab->lo[0]] + MARGIN,
               most = (size_t)tor_paged_blocks(disk->paged, part) * tor_paged_block_bytes(disk->paged);
  if (!start[slab->held[0]] || x0 >= x1) return (struct range){begin > MARGIN ? begin - MARGIN : 0, 0};
  return (struct range){begin > MARGIN ? begin - MARGIN : 0, end < most ? end : most};
}

int tor_disk_keep(struct tor_slab *slab, int x0, int x1) {
  if (x0 >= x1) return 0;
  for (int p = 0; p < TOR_NDISK; p++) {
    const struct range bytes = range_of(slab, p, x0, x1);
    if (tor_paged_keep(slab->disk->paged, p, bytes.from, bytes.to)) return -1;
  }
  find_orders(slab);
  return 0;
}

/* --- Between stages --- */

/* Blocks of an array with bytes that columns x0 <= ix < x1 need. */
static int64_t blocks_of(const struct tor_disk *disk, int part, int x0, int x1) {
  const size_t *start = disk->start[part], bytes = tor_paged_block_bytes(disk->paged);
  if (!tor_paged_blocks(disk->paged, part)) return 0;
  return (int64_t)((start[x1] + MARGIN) / bytes) - (int64_t)(start[x0] / bytes) + 2;
}

int tor_disk_some(const struct tor_slab *slab, int x0, int x1) {
  const struct tor_disk *disk = slab->disk;
  if (!disk) return x1;
  const int lo = slab->lo[0];
  const double share = disk->has_pool ? TOR_DISK_HELD / (1 - TOR_DISK_HELD) : 1;
  const int64_t capacity = (int64_t)(share * (double)tor_paged_capacity(disk->paged));
  int end = x0 + 1;
  for (; end < x1; end++) {
    int64_t blocks = 0;
    for (int p = 0; p < TOR_NDISK; p++) blocks += blocks_of(disk, p, x0 - lo, end + 1 - lo);
    if (blocks > capacity) break;
  }
  return end < x1 ? end : x1;
}

void tor_disk_hold(const struct tor_slab *slab, int x0, int x1, int changes) {
  struct tor_disk *disk = slab->disk;
  if (!disk) return;
  for (int p = 0; p < TOR_NDISK; p++) {
    const struct range bytes = range_of(slab, p, x0, x1);
    tor_paged_let_go(disk->paged, p, bytes.from, bytes.to);
  }
  for (int p = 0; p < TOR_NDISK; p++) {
    const struct range bytes = range_of(slab, p, x0, x1);
    tor_paged_hold(disk->paged, p, bytes.from, bytes.to, changes && p != TOR_DISK_COEF && p != TOR_DISK_WEIGHT);
  }
}
