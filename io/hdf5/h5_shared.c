/* HDF5 files of all processes: see h5_shared.h. */
#include "io/hdf5/h5_shared.h"

#ifdef TORRE_HDF5_PARALLEL

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "comm/transport/message.h"
#include "io/files/folder.h"

static char failure[MPI_MAX_ERROR_STRING];
static int descriptor = -1; /* of the same file */
static int is_new;          /* an array is being made */

int tor_h5_shared_built(void) { return 1; }

herr_t tor_h5_shared_set(hid_t access, int fd) {
  *failure = 0;
  descriptor = fd;
  return H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
}

void tor_h5_shared_new(int is_begun) { is_new = is_begun; }

/* Collective for HDF5, since filters are; the writes themselves are independent: with Open MPI's own MPI-IO a
 * collective one to a full disk hangs or is reported as done. */
hid_t tor_h5_shared_transfer(void) {
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  if (transfer >= 0 && H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0 &&
      H5Pset_dxpl_mpio_collective_opt(transfer, H5FD_MPIO_INDIVIDUAL_IO) >= 0 &&
      H5Pset_dxpl_mpio_chunk_opt(transfer, H5FD_MPIO_CHUNK_ONE_IO) >= 0)
    return transfer;
  if (transfer >= 0) H5Pclose(transfer);
  return -1;
}

const char *tor_h5_shared_failure(void) { return *failure ? failure : NULL; }

/* Open MPI does not report why it wrote less, and prints something in between after a failure. */
static int is_full(void) {
  struct statvfs about;
  return !fstatvfs(descriptor, &about) && about.f_bavail * about.f_frsize < 1 << 20;
}

/* Stores the first failure of MPI-IO. Returns success. */
static int note(int status) {
  const int system = errno;
  int length;
  if (status == MPI_SUCCESS || *failure) return MPI_SUCCESS;
  if (system || is_full())
    snprintf(failure, sizeof failure, "%s", strerror(is_full() ? ENOSPC : system));
  else
    MPI_Error_string(status, failure, &length);
  return MPI_SUCCESS;
}

static int write_at(MPI_File file, MPI_Offset at, const void *data, int count, MPI_Datatype type, MPI_Status *status,
                    int is_left_out) {
  int size, put = 0;
  MPI_Status own;
  memset(&own, 0, sizeof own);
  PMPI_Type_size(type, &size);
  errno = 0;
  if (!*failure && !is_left_out) {
    note(PMPI_File_write_at(file, at, data, count, type, &own));
    PMPI_Get_elements(&own, MPI_BYTE, &put);
    if (!*failure && put != size * count)
      snprintf(failure, sizeof failure, "%s", is_full() ? strerror(ENOSPC) : "a write was cut short");
  }
  if (status == MPI_STATUS_IGNORE) return MPI_SUCCESS;
  *status = own;
  PMPI_Status_set_elements(status, MPI_BYTE, size * count);
  return MPI_SUCCESS;
}

/* HDF5's writes: those of data and, from any process, of its own. */
int MPI_File_write_at(MPI_File file, MPI_Offset at, const void *data, int count, MPI_Datatype type,
                      MPI_Status *status) {
  return write_at(file, at, data, count, type, status, 0);
}

/* A new array's chunks, which HDF5 fills where they have filters. */
int MPI_File_write_at_all(MPI_File file, MPI_Offset at, const void *data, int count, MPI_Datatype type,
                          MPI_Status *status) {
  return write_at(file, at, data, count, type, status, is_new);
}

/* Both are collective in MPI-IO, and Open MPI's leave the other processes waiting after a failure. */
int MPI_File_sync(MPI_File file) {
  (void)file;
  errno = 0;
  return note(tor_folder_sync(descriptor) ? MPI_ERR_IO : MPI_SUCCESS);
}

int MPI_File_set_size(MPI_File file, MPI_Offset size) {
  (void)file;
  errno = 0;
  if (*failure || tor_message_rank()) return MPI_SUCCESS;
  return note(ftruncate(descriptor, (off_t)size) ? MPI_ERR_IO : MPI_SUCCESS);
}

#else

#include <stddef.h>

int tor_h5_shared_built(void) { return 0; }

herr_t tor_h5_shared_set(hid_t access, int fd) {
  (void)access, (void)fd;
  return -1;
}

void tor_h5_shared_new(int is_begun) { (void)is_begun; }

hid_t tor_h5_shared_transfer(void) { return -1; }

const char *tor_h5_shared_failure(void) { return NULL; }

#endif
