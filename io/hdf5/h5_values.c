/* Datasets of numbers: see h5_values.h. */
#include "io/hdf5/h5_values.h"

#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/hdf5/h5_parts.h"
#include "src/base/error.h"
#include "src/base/types.h"

/* "two", or "two or three". */
static void dimensions(int least, int most, char *text, size_t size) {
  static const char *const word[] = {"no", "one", "two", "three", "four", "five", "six", "seven", "eight"};
  snprintf(text, size, least == most ? "%s" : "%s or %s", word[least], word[most]);
}

/* The dataset's shape. Returns whether it is as the caller needs it, or the reason in why. */
static int read_shape(hid_t set, const char *name, int least, int most_dims, tor_gidx most, struct tor_h5_values *to,
                      char *why, size_t size) {
  hsize_t dims[TOR_H5_VALUES_DIMS];
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  const int numbers = class == H5T_FLOAT || class == H5T_INTEGER, many = H5Sget_simple_extent_ndims(space);
  const int good =
      numbers && many >= least && many <= most_dims && H5Sget_simple_extent_dims(space, dims, NULL) == many;
  double values = 1;
  char wanted[32], found[32];
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (!good) {
    dimensions(least, most_dims, wanted, sizeof wanted);
    const char *what = class == H5T_COMPOUND ? "has records, such as complex numbers of h5py" : "has no numbers";
    if (numbers) snprintf(found, sizeof found, "has %d dimension%s", many, many == 1 ? "" : "s");
    snprintf(why, size, "\"%.80s\" %s, need " TOR_NEEDED("a dataset of numbers with %s dimension%s"), name,
             numbers ? found : what, wanted, most_dims > 1 ? "s" : "");
    return 0;
  }
  to->ndims = many;
  for (int d = 0; d < many; d++) {
    values *= (double)dims[d];
    to->n[d] = (int)(dims[d] < (hsize_t)INT32_MAX ? dims[d] : INT32_MAX);
  }
  to->count = (tor_gidx)values;
  if (values >= 1 && values <= (double)most) return 1;
  snprintf(why, size, "\"%.80s\" has %.0f values, need 1 to %lld", name, values, (long long)most);
  return 0;
}

double *tor_h5_numbers(hid_t set, tor_gidx count, tor_gidx *bad) {
  double *value = malloc((size_t)count * sizeof *value);
  *bad = -1;
  if (value && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) {
    free(value);
    return NULL;
  }
  for (tor_gidx i = 0; value && i < count && *bad < 0; i++)
    if (!isfinite(value[i])) *bad = i;
  return value;
}

static int read_values(hid_t set, const char *name, struct tor_h5_values *to, char *why, size_t size) {
  tor_gidx bad;
  to->value = tor_h5_numbers(set, to->count, &bad);
  if (!to->value)
    snprintf(why, size, "\"%.80s\" cannot be read", name);
  else if (bad >= 0)
    snprintf(why, size, "\"%.80s\": value %lld is %g, need a finite number", name, (long long)bad, to->value[bad]);
  return to->value && bad < 0;
}

int tor_h5_values_read(const char *path, const char *dataset, int least, int most_dims, tor_gidx most,
                       struct tor_h5_values *values, char *why, size_t size) {
  *values = (struct tor_h5_values){0};
  if (!tor_h5_is_file(path)) {
    snprintf(why, size, "there is no such file");
    return -1;
  }
  const struct tor_h5_silence kept = tor_h5_silence();
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = file >= 0 ? H5Dopen2(file, dataset, H5P_DEFAULT) : -1;
  if (set < 0) snprintf(why, size, file < 0 ? "it is no HDF5 file" : "it has no dataset \"%.80s\"", dataset);
  const int good = set >= 0 && read_shape(set, dataset, least, most_dims, most, values, why, size) &&
                   read_values(set, dataset, values, why, size);
  if (set >= 0) H5Dclose(set);
  if (file >= 0) H5Fclose(file);
  tor_h5_restore(kept);
  if (good) return 0;
  free(values->value);
  values->value = NULL;
  return -1;
}

int tor_h5_has(const char *path, const char *object) {
  if (!tor_h5_is_file(path)) return 0;
  const struct tor_h5_silence kept = tor_h5_silence();
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t found = file >= 0 ? H5Oopen(file, object, H5P_DEFAULT) : -1;
  if (found >= 0) H5Oclose(found);
  if (file >= 0) H5Fclose(file);
  tor_h5_restore(kept);
  return found >= 0;
}
