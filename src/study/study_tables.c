/* Tables that the runs of a study have written: read, and compared by their form. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/files/table.h"
#include "src/study/study_parts.h"

int tor_study_ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && !strcmp(text + n - m, end);
}

int tor_study_read_table(const struct tor_study_run *run, const char *file, struct tor_table *table, char *why,
                         size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", run->job.output, file);
  if (!tor_table_read(path, table)) return 0;
  const int error = errno;
  snprintf(why, size, "%s: %s", path, error == EINVAL ? "is no table of numbers" : strerror(error));
  return error == ENOENT ? 1 : -1;
}

int tor_study_is_same_form(const struct tor_table *a, const struct tor_table *b) {
  if (a->ncolumns != b->ncolumns || a->nrows != b->nrows) return 0;
  for (int c = 0; c < a->ncolumns; c++)
    if (strcmp(a->name[c], b->name[c])) return 0;
  return !memcmp(a->value[0], b->value[0], (size_t)a->nrows * sizeof(double));
}
