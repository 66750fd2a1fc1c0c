/* Fields on a Yee grid as openPMD 1.1 files (https://github.com/openPMD/openPMD-standard, DOI 10.5281/zenodo.1167843):
 * HDF5, one file a time (iteration encoding fileBased), so that a crash costs one file at most. Rows are gathered from
 * all ranks, which also write the file where `shared`.
 *
 * Records E [V/m] and H [A/m] with the chosen components; arrays [z][y][x], axisLabels z, y, x: x fastest, as viewers
 * expect. Each component has its own `position` in the cell, H has a timeOffset of half a step. */
#ifndef TOR_IO_HDF5_OPENPMD_H
#define TOR_IO_HDF5_OPENPMD_H

#include <stddef.h>

#include "src/base/types.h"
#include "io/hdf5/h5.h"

struct tor_openpmd {
  const char *series; /* files are <series>_<step, 8 digits>.h5 */
  const char *title;  /* comment; NULL: none */
  const char *software, *version;
  tor_gidx step;
  double time, dt; /* of E, and the time step [s] */
  int components;  /* bits 1 << tor_comp */
  enum tor_h5_type type;
  int axes;                  /* 3; or 2: x and y, arrays are [y][x] */
  tor_gidx count[3];         /* points along x, y, z */
  double lo[3];              /* corner of the first cell along x, y, z [m] */
  double spacing[3];         /* between points [m] */
  double cell[3];            /* [m] */
  int compression;           /* deflate level, 0: none */
  int shared;                /* all processes write the file (tor_h5_create_shared), without the writer */
  struct tor_writer *writer; /* writes the file asynchronously; NULL: it is complete on return */
};

/* Writes one time; the file appears whole or not at all. On rank 0, with the others in tor_h5_follow; `gather` puts
 * planes z = [first, first + count) of an array, of two axes rows y: [count][y][x] of the type. Returns 0; or -1 with
 * tor_h5_error. With a writer *written is the file, to be waited for by tor_written_wait; otherwise, and after a
 * failure, NULL. */
int tor_openpmd_write(const char *path, const struct tor_openpmd *what, tor_h5_gather *gather, void *context,
                      struct tor_written **written);

/* Path of a component's array in its file: "/data/120/meshes/E/x". */
void tor_openpmd_object(tor_gidx step, int comp, char *buffer, size_t size);

#endif
