/* Sparse matrices by rows, complex; an entry of a row may come in parts. */
#ifndef TOR_SRC_MODES_SPARSE_H
#define TOR_SRC_MODES_SPARSE_H

#include <complex.h>
#include <stddef.h>

struct tor_sparse {
  int rows;
  int *first; /* [rows + 1], and one more while rows are made */
  int *column;
  double complex *value;
  size_t capacity, value_capacity;
};

/* No rows yet; space for `rows`. Ends the run when memory is short. */
void tor_sparse_begin(struct tor_sparse *matrix, int rows);
/* Adds to the row that is being made; ends it. */
void tor_sparse_add(struct tor_sparse *matrix, int column, double complex value);
void tor_sparse_end_row(struct tor_sparse *matrix);
void tor_sparse_free(struct tor_sparse *matrix);

/* y += matrix x */
void tor_sparse_apply(const struct tor_sparse *matrix, const double complex *x, double complex *y);

#endif
