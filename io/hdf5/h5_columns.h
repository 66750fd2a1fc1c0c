/* Tables in HDF5 files that others made: columns of numbers, each a dataset of its own. */
#ifndef TOR_IO_HDF5_H5_COLUMNS_H
#define TOR_IO_HDF5_H5_COLUMNS_H

#include <stddef.h>

#include "src/base/types.h"

/* Reads from a group of the file at `path` those of the datasets names[count] that it has, each of one dimension and of
 * the same length, *rows from 1 to `most`, as finite numbers of any type: column[i] is [*rows], to be freed, or NULL
 * where the group has none of that name. Returns 0; -1 with the reason in why[size] where the file or group cannot be
 * read, the group has members of other names, or a column is not as above; nothing is to be freed then. */
int tor_h5_read_columns(const char *path, const char *group, int count, const char *const *names, tor_gidx most,
                        double **column, tor_gidx *rows, char *why, size_t size);

#endif
