/* Grids of numbers: see h5_grid.h. */
#include "io/hdf5/h5_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/hdf5/h5_parts.h"
#include "src/base/types.h"

/* The dataset's shape. Returns whether it is as the caller needs it, or the reason in why. */
static int read_shape(hid_t set, const char *name, int least, int most_dims, tor_gidx most, struct tor_h5_grid *grid,
                      char *why, size_t size) {
  hsize_t dims[TOR_H5_MOST_DIMS];
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  const int numbers = class == H5T_FLOAT || class == H5T_INTEGER, many = H5Sget_simple_extent_ndims(space);
  const int good =
      numbers && many >= least && many <= most_dims && H5Sget_simple_extent_dims(space, dims, NULL) == many;
  double values = 1;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (!good) {
    snprintf(why, size, "\"%.80s\" is not a dataset of numbers with %s dimensions", name,
             least == most_dims ? "two" : "two or three");
    return 0;
  }
  for (int a = 0; a < 3; a++) {
    const hsize_t n = a < many ? dims[many - 1 - a] : 1;
    values *= (double)n;
    grid->n[a] = (int)(n < (hsize_t)INT32_MAX ? n : INT32_MAX);
  }
  if (values >= 1 && values <= (double)most) return 1;
  snprintf(why, size, "\"%.80s\" has %.0f values, need 1 to %lld", name, values, (long long)most);
  return 0;
}

static int read_values(hid_t set, const char *name, struct tor_h5_grid *grid, char *why, size_t size) {
  const size_t count = (size_t)grid->n[0] * (size_t)grid->n[1] * (size_t)grid->n[2];
  grid->value = malloc(count * sizeof *grid->value);
  if (!grid->value || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, grid->value) < 0) {
    snprintf(why, size, "\"%.80s\" cannot be read", name);
    return 0;
  }
  for (size_t i = 0; i < count; i++)
    if (!isfinite(grid->value[i])) {
      snprintf(why, size, "\"%.80s\": value %zu is %g, need a finite number", name, i, grid->value[i]);
      return 0;
    }
  return 1;
}

int tor_h5_grid_read(const char *path, const char *dataset, int least, int most_dims, tor_gidx most,
                     struct tor_h5_grid *grid, char *why, size_t size) {
  *grid = (struct tor_h5_grid){{1, 1, 1}, NULL};
  if (!tor_h5_is_file(path)) {
    snprintf(why, size, "there is no such file");
    return -1;
  }
  const struct tor_h5_silence kept = tor_h5_silence();
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = file >= 0 ? H5Dopen2(file, dataset, H5P_DEFAULT) : -1;
  if (set < 0) snprintf(why, size, file < 0 ? "it is no HDF5 file" : "it has no dataset \"%.80s\"", dataset);
  const int good = set >= 0 && read_shape(set, dataset, least, most_dims, most, grid, why, size) &&
                   read_values(set, dataset, grid, why, size);
  if (set >= 0) H5Dclose(set);
  if (file >= 0) H5Fclose(file);
  tor_h5_restore(kept);
  if (good) return 0;
  free(grid->value);
  grid->value = NULL;
  return -1;
}
