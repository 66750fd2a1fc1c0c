/* HDF5 files of all ranks: see h5_shared.h. */
#include "io/hdf5/h5_shared.h"

#ifdef TORRE_HDF5_PARALLEL

int tor_h5_shared_built(void) { return 1; }

/* Transfers stay independent, HDF5's default: with Open MPI's own MPI-IO a collective write to a full disk hangs or is
 * reported as done, an independent one fails on its rank. */
herr_t tor_h5_shared_set(hid_t access) { return H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL); }

#else

int tor_h5_shared_built(void) { return 0; }

herr_t tor_h5_shared_set(hid_t access) {
  (void)access;
  return -1;
}

#endif
