/* The file driver of io/hdf5/h5.c for HDF5, which never fails.
 *
 * HDF5 1.10 cannot close a file after a failed write: its memory is not freed, and it loops endlessly at exit. This
 * driver stores the first errno, to be checked after every call, and ignores further writes. */
#ifndef TOR_IO_HDF5_H5_DISK_H
#define TOR_IO_HDF5_H5_DISK_H

#include <hdf5.h>

#include "io/files/writer.h"

struct tor_h5_disk {
  int error;                   /* the first errno; 0 after opening */
  struct tor_written *written; /* the file, opened by its owner; NULL: the driver opens and closes it by its name */
};

/* Registers the driver; H5FDunregister ends it. Its property (H5Pset_driver) is the address of a `struct tor_h5_disk
 * *`. Negative on failure. */
hid_t tor_h5_disk_register(void);

#endif
