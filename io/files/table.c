/* CSV tables: see table.h. */
#include "io/files/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/files/folder.h"
#include "src/base/types.h"

static int put_name(FILE *file, const struct tor_table_column *column) {
  char unit[64] = "";
  if (column->unit && *column->unit) snprintf(unit, sizeof unit, " [%s]", column->unit);
  if (!strpbrk(column->name, ",\"\n") && !strpbrk(unit, ",\"\n")) return fprintf(file, "%s%s", column->name, unit);
  if (fputc('"', file) == EOF) return -1;
  for (int part = 0; part < 2; part++)
    for (const char *s = part ? unit : column->name; *s; s++)
      if ((*s == '"' && fputc('"', file) == EOF) || fputc(*s, file) == EOF) return -1;
  return fputc('"', file) == EOF ? -1 : 0;
}

static int put_rows(FILE *file, const struct tor_table_column *columns, int ncolumns, tor_gidx nrows) {
  for (int c = 0; c < ncolumns; c++)
    if ((c && fputc(',', file) == EOF) || put_name(file, &columns[c]) < 0) return -1;
  if (fputc('\n', file) == EOF) return -1;
  for (tor_gidx row = 0; row < nrows; row++)
    for (int c = 0; c < ncolumns; c++)
      if (fprintf(file, "%.9g%c", columns[c].values[row], c + 1 < ncolumns ? ',' : '\n') < 0) return -1;
  return 0;
}

int tor_table_write(const char *path, const struct tor_table_column *columns, int ncolumns, tor_gidx nrows) {
  if (ncolumns < 1 || nrows < 0) {
    errno = EINVAL;
    return -1;
  }
  FILE *file = tor_folder_create(path);
  if (!file) return -1;
  errno = 0;
  if (put_rows(file, columns, ncolumns, nrows)) {
    if (!errno) errno = EIO;
    tor_folder_discard(file, path);
    return -1;
  }
  return tor_folder_commit(file, path);
}
