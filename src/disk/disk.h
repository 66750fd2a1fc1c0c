/* A slab whose columns lie on disk: fields, CPML memory along z, coefficients, poles and nodes of all columns are
 * arrays over files (paged.h), at most `memory` bytes of them in memory at one time. The rest of the slab stays in
 * memory: classes, lists, CPML memory along x and y, energy sums, monitors.
 *
 * The engines do not depend on it. A sweep of rows from right to left meets the columns in order, so the worker
 * (tor_disk_worker) reads them ahead of the rows and writes them behind; so does a GPU's window (tor_disk_store). Code
 * that reads columns between stages requests them first, some after others (tor_disk_hold). Local. Failures of the disk
 * end the process with a message.
 */
#ifndef TOR_SRC_DISK_DISK_H
#define TOR_SRC_DISK_DISK_H

#include <stddef.h>

#include "diamond/core/column_store.h"
#include "diamond/core/slab.h"
#include "diamond/core/worker.h"
#include "src/disk/paged.h"

struct tor_disk;
/* The last three: of the imaginary part of complex fields. */
enum tor_disk_part {
  TOR_DISK_FIELD,
  TOR_DISK_PSI_Z,
  TOR_DISK_COEF,
  TOR_DISK_STATE,
  TOR_DISK_WEIGHT,
  TOR_DISK_OTHER_FIELD,
  TOR_DISK_OTHER_PSI_Z,
  TOR_DISK_OTHER_STATE,
  TOR_NDISK
};

struct tor_disk_setup {
  const char *folder;
  double memory; /* bytes of columns in memory */
  double rate;   /* bytes a second that are not exceeded, read and written together; 0: no limit */
  int pool;      /* the columns pass on to a GPU (tor_disk_store) */
};
/* Shares of the memory for columns, where they pass on to a GPU: what its window may have at one time, and what is held
 * between sweeps; the rest is for those that come and leave. */
#define TOR_DISK_WINDOW 0.6
#define TOR_DISK_HELD 0.125

/* NULL with errno: no file in the folder, or no threads. */
struct tor_disk *tor_disk_open(const struct tor_disk_setup *setup);
void tor_disk_close(struct tor_disk *disk); /* NULL: nothing */
int tor_disk_is_direct(const struct tor_disk *disk);
struct tor_paged_traffic tor_disk_traffic(const struct tor_disk *disk);

/* --- While the slab is made --- */

/* Addresses for an array of up to `most` bytes; ends the process where there are none. */
void *tor_disk_reserve(struct tor_disk *disk, enum tor_disk_part part, size_t most);
/* Extends an array by zeros from `from` bytes to `to`, and holds these. */
void tor_disk_extend(struct tor_disk *disk, enum tor_disk_part part, size_t from, size_t to);
/* An array of so many bytes, of zeros, of which none are held. */
void *tor_disk_zeros(struct tor_disk *disk, enum tor_disk_part part, size_t bytes);
/* The slab is made: its columns can be held and swept. Takes the disk's space; returns 0, or -1 with errno. */
int tor_disk_ready(struct tor_slab *slab);

/* Columns x0 <= ix < x1 stay in memory: overlaps, which ranks send each other. Before the first sweep, once the slab is
 * made. Returns 0, or -1 when the memory does not hold them. */
int tor_disk_keep(struct tor_slab *slab, int x0, int x1);

/* --- Between stages; nothing to do for a slab without a disk --- */

/* The end of as many columns from x0 on, at most to x1, as can be held at one time. */
int tor_disk_some(const struct tor_slab *slab, int x0, int x1);
/* Columns x0 <= ix < x1 may be read, and written if `changes`; others no longer. */
void tor_disk_hold(const struct tor_slab *slab, int x0, int x1, int changes);

/* --- Stages --- */

/* The columns that a stage of so many steps needs at one time, for rows of half-width `radius` (half cells). */
int tor_disk_columns(int order, int radius, int steps);
/* The longest stage, of at most so many steps, of which every row finds its columns in memory; 0: there is none. */
int tor_disk_steps(const struct tor_slab *slab, int dts, int steps);
/* The CPU's towers on such a slab. */
struct tor_worker tor_disk_worker(struct tor_slab *slab);
/* The store for a GPU's window on such a slab, of a disk with a pool; NULL: none. Owned by the disk. */
const struct tor_column_store *tor_disk_store(struct tor_slab *slab);

#endif
