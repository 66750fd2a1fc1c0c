/* CSV tables: see table.h. */
#include "io/files/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/folder.h"
#include "io/files/safe_open.h"
#include "src/base/error.h"
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

/* --- Reading --- */

/* The next name of the header line, without quotes; moves *at past its comma, to NULL at the end. */
static char *take_name(char **at) {
  char *name = *at, *to = name, *from = name;
  const int quoted = *from == '"';
  for (from += quoted; *from && (quoted || *from != ','); from++) {
    if (quoted && *from == '"') {
      from++;
      if (*from != '"') break;
    }
    *to++ = *from;
  }
  *at = *from == ',' ? from + 1 : NULL;
  *to = 0;
  return name;
}

static void read_names(struct tor_table *table, char *line) {
  size_t capacity = 0;
  line[strcspn(line, "\n")] = 0;
  for (char *at = line; at;) {
    table->name = tor_grow(table->name, (size_t)table->ncolumns + 1, &capacity, sizeof *table->name);
    table->name[table->ncolumns++] = tor_strdup(take_name(&at));
  }
  table->value = tor_alloc((size_t)table->ncolumns, sizeof *table->value, "table");
}

/* Whether the line has a number for each column, and nothing else. */
static int read_row(struct tor_table *table, const char *at, size_t *capacity) {
  const size_t before = *capacity;
  for (int c = 0; c < table->ncolumns; c++) {
    char *end;
    *capacity = before;
    table->value[c] = tor_grow(table->value[c], (size_t)table->nrows + 1, capacity, sizeof **table->value);
    table->value[c][table->nrows] = strtod(at, &end);
    if (end == at || *end != (c + 1 < table->ncolumns ? ',' : '\n')) return 0;
    at = end + 1;
  }
  table->nrows++;
  return 1;
}

int tor_table_read(const char *path, struct tor_table *table) {
  *table = (struct tor_table){0};
  FILE *file = tor_safe_read(path);
  if (!file) return -1;
  char *line = NULL;
  size_t size = 0, capacity = 0;
  int good = getline(&line, &size, file) > 0;
  if (good) read_names(table, line);
  while (good && getline(&line, &size, file) > 0) good = read_row(table, line, &capacity);
  const int error = ferror(file) ? EIO : EINVAL;
  good = good && !ferror(file);
  free(line);
  fclose(file);
  if (good) return 0;
  tor_table_free(table);
  errno = error;
  return -1;
}

void tor_table_free(struct tor_table *table) {
  for (int c = 0; c < table->ncolumns; c++) {
    free(table->name[c]);
    free(table->value[c]);
  }
  free(table->name);
  free(table->value);
  *table = (struct tor_table){0};
}
