/* CSV tables: one header line with units, then rows of numbers. Local. */
#ifndef TOR_IO_FILES_TABLE_H
#define TOR_IO_FILES_TABLE_H

#include "src/base/types.h"

struct tor_table_column {
  const char *name;     /* "wavelength" */
  const char *unit;     /* "nm"; NULL or "" when there is none */
  const double *values; /* [nrows], not modified */
};

/* Writes `wavelength [nm],extinction [nm^2]` and nrows rows of %.9g (NaN and infinities as nan, inf). A name with a
 * comma or a quote is quoted. Returns 0; or -1 with errno, with `path` unchanged. */
int tor_table_write(const char *path, const struct tor_table_column *columns, int ncolumns, tor_gidx nrows);

/* A table as read: columns of numbers with their names (and units, as they stand in the file). */
struct tor_table {
  int ncolumns;
  tor_gidx nrows;
  char **name;    /* [ncolumns] */
  double **value; /* [ncolumns][nrows] */
};

/* Reads a file that tor_table_write has written; no link, no pipe. Returns 0; or -1 with errno, EINVAL when it is no
 * such table, and an empty table. Ends the run when memory is short. */
int tor_table_read(const char *path, struct tor_table *table);
void tor_table_free(struct tor_table *table);

#endif
