/* The parts of struct tor_disk, for the files of this folder. */
#ifndef TOR_SRC_DISK_DISK_PARTS_H
#define TOR_SRC_DISK_DISK_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "diamond/core/column_store.h"
#include "src/disk/disk.h"
#include "src/disk/paged.h"

struct tor_disk {
  struct tor_paged *paged;
  size_t *start[TOR_NDISK]; /* [held + 1]: bytes of an array before column lo + i */
  int64_t *in, *out;        /* [held + 1]: blocks that columns >= lo + i need; blocks that these columns alone need */
  int has_pool;
  struct tor_column_store store; /* its calls are set by tor_disk_store */
};

#endif
