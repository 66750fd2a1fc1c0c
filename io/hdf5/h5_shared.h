/* HDF5 files that all ranks write together by MPI-IO, where the build has a parallel HDF5 (-DTORRE_HDF5_PARALLEL=ON).
 */
#ifndef TOR_IO_HDF5_H5_SHARED_H
#define TOR_IO_HDF5_H5_SHARED_H

#include <hdf5.h>

int tor_h5_shared_built(void);

/* Makes MPI-IO the driver of files opened with this property, for all ranks. Negative on failure, and in builds
 * without. */
herr_t tor_h5_shared_set(hid_t access);

#endif
