/* Whether an HDF5 file that a run has left behind can be relied on. */
#ifndef TOR_IO_HDF5_H5_CHECK_H
#define TOR_IO_HDF5_H5_CHECK_H

#include "src/base/types.h"

enum { TOR_H5_CHECK_READS = 1 << 20 };

/* Whether the file is there, is a regular one and not cut off, and holds each of `count` arrays with the shape
 * dims[rank]. Data of a file of at most TOR_H5_CHECK_READS bytes are read, too, and held against their checksums.
 * Local. */
int tor_h5_is_whole(const char *path, int count, const char *const *objects, int rank, const tor_gidx *dims);

#endif
