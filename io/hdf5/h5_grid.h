/* Grids of numbers in HDF5 files that others made: a dataset of two or three dimensions. */
#ifndef TOR_IO_HDF5_H5_GRID_H
#define TOR_IO_HDF5_H5_GRID_H

#include <stddef.h>

#include "src/base/types.h"

struct tor_h5_grid {
  int n[3];      /* values along x, y, z; along z 1 of a dataset with two dimensions */
  double *value; /* [n[2]][n[1]][n[0]], owned by the caller */
};

/* Reads the dataset of the file at `path` as finite numbers of any type; it has from `least` to `most_dims` dimensions
 * (2 or 3), [z][y][x], and at most `most` values. Returns 0; -1 with the reason in why[size], where it cannot be read
 * or is not as above; nothing is to be freed then. */
int tor_h5_grid_read(const char *path, const char *dataset, int least, int most_dims, tor_gidx most,
                     struct tor_h5_grid *grid, char *why, size_t size);

#endif
