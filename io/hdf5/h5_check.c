/* Whether an HDF5 file is whole: see h5_check.h. */
#include "io/hdf5/h5_check.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/safe_open.h"
#include "io/hdf5/h5_disk.h"
#include "src/base/types.h"

enum { MOST_DIMS = 8 };

static int has_shape(hid_t set, int rank, const tor_gidx *dims) {
  hsize_t there[MOST_DIMS];
  const hid_t space = H5Dget_space(set);
  int same = space >= 0 && rank <= MOST_DIMS && H5Sget_simple_extent_ndims(space) == rank &&
             H5Sget_simple_extent_dims(space, there, NULL) == rank;
  for (int d = 0; same && d < rank; d++) same = there[d] == (hsize_t)dims[d];
  if (space >= 0) H5Sclose(space);
  return same;
}

/* Reads the whole array, whose shape has been checked, in the type of the file. */
static int can_be_read(hid_t set, int rank, const tor_gidx *dims) {
  const hid_t type = H5Dget_type(set);
  size_t bytes = type < 0 ? 0 : H5Tget_size(type);
  for (int d = 0; d < rank; d++) bytes *= (size_t)dims[d];
  void *data = bytes ? malloc(bytes) : NULL;
  const int good = data && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  free(data);
  if (type >= 0) H5Tclose(type);
  return good;
}

static int holds(hid_t file, const char *object, int rank, const tor_gidx *dims, int reads) {
  const hid_t set = H5Dopen2(file, object, H5P_DEFAULT);
  const int good = set >= 0 && has_shape(set, rank, dims) && (!reads || can_be_read(set, rank, dims));
  if (set >= 0) H5Dclose(set);
  return good;
}

/* The file's size; -1 when it is none. */
static int64_t size_of(const char *path) {
  struct stat about;
  const int fd = tor_safe_open(path, O_RDONLY);
  const int64_t size = fd >= 0 && !fstat(fd, &about) ? (int64_t)about.st_size : -1;
  if (fd >= 0) close(fd);
  return size;
}

int tor_h5_is_whole(const char *path, int count, const char *const *objects, int rank, const tor_gidx *dims) {
  struct tor_h5_disk disk = {0}, *of_driver = &disk;
  const int64_t size = size_of(path);
  if (size <= 0) return 0;
  H5E_auto2_t print;
  void *data;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t driver = tor_h5_disk_register(), access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t file = -1;
  if (driver >= 0 && access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
      H5Pset_driver(access, driver, &of_driver) >= 0)
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
  int good = file >= 0;
  for (int i = 0; good && i < count; i++) good = holds(file, objects[i], rank, dims, size <= TOR_H5_CHECK_READS);
  good = good && !disk.error; /* closing a file that was read cannot harm it */
  if (file >= 0) H5Fclose(file);
  if (access >= 0) H5Pclose(access);
  if (driver >= 0) H5FDunregister(driver);
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, print, data);
  return good;
}
