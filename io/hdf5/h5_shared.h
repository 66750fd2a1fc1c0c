/* HDF5 files that all processes write together by MPI-IO, where the build has a parallel HDF5 (TORRE_HDF5_PARALLEL).
 *
 * A file whose write has failed on one process can be closed by none: HDF5's calls are collective, and the one that has
 * failed leaves the others waiting. So HDF5 sees no failure, as in h5_disk.h: the functions of MPI-IO by which it
 * writes are replaced here, by MPI's profiling interface. The first failure is stored; further data are left out. */
#ifndef TOR_IO_HDF5_H5_SHARED_H
#define TOR_IO_HDF5_H5_SHARED_H

#include <hdf5.h>

int tor_h5_shared_built(void);

/* Makes MPI-IO the driver of files opened with this property, for all processes, and forgets an earlier failure.
 * fd: of the same file, open for writing until it is closed. Negative on failure, and in builds without. */
herr_t tor_h5_shared_set(hid_t access, int fd);
/* Around the making of an array, all of whose values follow: HDF5's filling of its chunks is left out. */
void tor_h5_shared_new(int is_begun);
/* Property of collective writes in which each process writes its own data; the caller closes it. */
hid_t tor_h5_shared_transfer(void);
/* Why a write of this process has failed since tor_h5_shared_set; NULL: none has. */
const char *tor_h5_shared_failure(void);

#endif
