/* The disk under io/hdf5/h5.c: a file driver of HDF5 that never fails.
 *
 * HDF5 1.10 cannot close a file after a failed write: it gives up its memory only by an endless loop at exit. This
 * driver keeps the first errno, to be looked at after every call, and drops what follows. */
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
