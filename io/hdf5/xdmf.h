/* XDMF 2 files, by which ParaView and VisIt open arrays of HDF5 files on a regular grid as a series in time. Local.
 */
#ifndef TOR_IO_HDF5_XDMF_H
#define TOR_IO_HDF5_XDMF_H

#include <stddef.h>

#include "src/base/types.h"

struct tor_xdmf {
  const char *name;             /* of the array in the viewer */
  int axes;                     /* 3; or 2: x and y */
  tor_gidx count[3];            /* points along x, y, z; the array is [z][y][x], of two axes [y][x] */
  double origin[3], spacing[3]; /* of the points, in the units that the viewer should show */
  int bytes;                    /* of a value: 4 or 8 */
  int ntime;
  const double *time; /* [ntime] */
};

/* Puts `file.h5:/path` of time number i to buffer. */
typedef void tor_xdmf_where(const void *context, int i, char *buffer, size_t size);

/* The file appears whole or not at all. Returns 0; or -1 with errno. */
int tor_xdmf_write(const char *path, const struct tor_xdmf *what, tor_xdmf_where *where, const void *context);

#endif
