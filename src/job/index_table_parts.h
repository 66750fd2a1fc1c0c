/* Shared by index_table*.c alone: what is read of a table. */
#ifndef TOR_SRC_JOB_INDEX_TABLE_PARTS_H
#define TOR_SRC_JOB_INDEX_TABLE_PARTS_H

#include <stddef.h>

#include "src/job/index_table.h"

struct tor_index_value {
  double wavelength, value; /* [m], [1] */
  int line;
};

struct tor_index_list {
  int count;
  size_t capacity;
  struct tor_index_value *item; /* [count], owned */
};

enum { TOR_MOST_INDEX_FAULTS = 20 };

struct tor_index_reader {
  int has_header; /* one that names columns; or the file is YAML */
  int nfaults;    /* the first of them: */
  struct {
    int line;
    char text[512];
  } fault[TOR_MOST_INDEX_FAULTS];
  struct tor_index_list n, k; /* as the file has them */
};

/* A fault, printf style with the marks of base/error.h; reported when the file has been read. */
void tor_index_fault(struct tor_index_reader *r, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tor_index_add(struct tor_index_list *list, double wavelength, double value, int line);
/* Whether the values of a line are those of a passive medium, with faults where not; n, k NULL: the line has none. */
int tor_index_check(struct tor_index_reader *r, int line, double wavelength, const double *n, const double *k);

/* The database's form; the text is changed. (index_table_yaml.c) */
void tor_index_read_yaml(struct tor_index_reader *r, char *text);

#endif
