/* Datasets of numbers in HDF5 files that others made. */
#ifndef TOR_IO_HDF5_H5_VALUES_H
#define TOR_IO_HDF5_H5_VALUES_H

#include <stddef.h>

#include "src/base/types.h"

enum { TOR_H5_VALUES_DIMS = 8 };
struct tor_h5_values {
  int ndims, n[TOR_H5_VALUES_DIMS]; /* the shape, the slowest dimension first */
  tor_gidx count;
  double *value; /* [count], owned by the caller */
};

/* Reads the dataset of the file at `path` as finite numbers of any type; it has from `least` to `most_dims` dimensions
 * and 1 to `most` values. Returns 0; -1 with the reason in why[size], where it cannot be read or is not as above;
 * nothing is to be freed then. */
int tor_h5_values_read(const char *path, const char *dataset, int least, int most_dims, tor_gidx most,
                       struct tor_h5_values *values, char *why, size_t size);

/* Whether the file at `path` is an HDF5 file that has the dataset or group. */
int tor_h5_has(const char *path, const char *object);

#endif
