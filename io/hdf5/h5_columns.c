/* Columns of numbers: see h5_columns.h. */
#include "io/hdf5/h5_columns.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hdf5/h5_parts.h"
#include "src/base/types.h"

/* What is read, and why it cannot be. */
struct reader {
  int count;
  const char *const *names;
  tor_gidx most, *rows;
  double **column;
  char *why;
  size_t size;
};

int tor_h5_is_file(const char *path) {
  struct stat about;
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is none */
  const int is = fd >= 0 && !fstat(fd, &about) && S_ISREG(about.st_mode);
  if (fd >= 0) close(fd);
  return is;
}

static herr_t check_name(hid_t group, const char *name, const H5L_info_t *info, void *context) {
  const struct reader *r = context;
  (void)group;
  (void)info;
  for (int i = 0; i < r->count; i++)
    if (!strcmp(name, r->names[i])) return 0;
  int used = snprintf(r->why, r->size, "\"%.40s\" is none of", name);
  for (int i = 0; i < r->count && used > 0 && (size_t)used < r->size; i++)
    used += snprintf(r->why + used, r->size - (size_t)used, "%s \"%s\"", i ? "," : "", r->names[i]);
  return 1;
}

/* The length of a column; -1 with the reason. */
static tor_gidx length_of(const struct reader *r, hid_t set, const char *name) {
  hsize_t length = 0;
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  const int flat = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                   H5Sget_simple_extent_dims(space, &length, NULL) == 1,
            numbers = class == H5T_FLOAT || class == H5T_INTEGER;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (!flat || !numbers) {
    snprintf(r->why, r->size, "\"%s\" is not a dataset of numbers with one dimension", name);
    return -1;
  }
  if (length < 1 || length > (hsize_t)r->most) {
    snprintf(r->why, r->size, "\"%s\" has %llu rows, need 1 to %lld", name, (unsigned long long)length,
             (long long)r->most);
    return -1;
  }
  return (tor_gidx)length;
}

/* Returns whether the column is good. */
static int read_column(const struct reader *r, hid_t set, int i) {
  const tor_gidx length = length_of(r, set, r->names[i]);
  if (length < 0) return 0;
  if (*r->rows > 0 && length != *r->rows) {
    snprintf(r->why, r->size, "\"%s\" has %lld rows, a column before it %lld", r->names[i], (long long)length,
             (long long)*r->rows);
    return 0;
  }
  *r->rows = length;
  tor_gidx bad;
  r->column[i] = tor_h5_numbers(set, length, &bad);
  if (!r->column[i])
    snprintf(r->why, r->size, "\"%s\" cannot be read", r->names[i]);
  else if (bad >= 0)
    snprintf(r->why, r->size, "\"%s\"[%lld] is %g, need a finite number", r->names[i], (long long)bad,
             r->column[i][bad]);
  return r->column[i] && bad < 0;
}

static int read_group(const struct reader *r, hid_t group) {
  hsize_t first = 0;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &first, check_name, (void *)r) != 0) {
    if (!*r->why) snprintf(r->why, r->size, "it cannot be read");
    return 0;
  }
  for (int i = 0; i < r->count; i++) {
    if (H5Lexists(group, r->names[i], H5P_DEFAULT) <= 0) continue;
    const hid_t set = H5Dopen2(group, r->names[i], H5P_DEFAULT);
    const int good = set >= 0 && read_column(r, set, i);
    if (set < 0)
      snprintf(r->why, r->size, "\"%s\" is not a dataset", r->names[i]);
    else
      H5Dclose(set);
    if (!good) return 0;
  }
  return 1;
}

int tor_h5_read_columns(const char *path, const char *group, int count, const char *const *names, tor_gidx most,
                        double **column, tor_gidx *rows, char *why, size_t size) {
  const struct reader r = {count, names, most, rows, column, why, size};
  *rows = 0;
  *why = 0;
  for (int i = 0; i < count; i++) column[i] = NULL;
  if (!tor_h5_is_file(path)) {
    snprintf(why, size, "there is no such file");
    return -1;
  }
  const struct tor_h5_silence kept = tor_h5_silence();
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t in = file >= 0 ? H5Gopen2(file, group, H5P_DEFAULT) : -1;
  int good = in >= 0 && read_group(&r, in);
  if (in < 0) snprintf(why, size, file < 0 ? "it is no HDF5 file" : "it has no group \"%.80s\"", group);
  if (good && !*rows) {
    snprintf(why, size, "the group \"%.80s\" has no columns", group);
    good = 0;
  }
  if (in >= 0) H5Gclose(in);
  if (file >= 0) H5Fclose(file);
  tor_h5_restore(kept);
  for (int i = 0; i < count && !good; i++) {
    free(column[i]);
    column[i] = NULL;
  }
  return good ? 0 : -1;
}
