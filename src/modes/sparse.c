/* Sparse matrices: see sparse.h. */
#include "src/modes/sparse.h"

#include <complex.h>
#include <stdlib.h>

#include "src/base/error.h"

void tor_sparse_begin(struct tor_sparse *m, int rows) {
  *m = (struct tor_sparse){0};
  m->first = tor_alloc((size_t)rows + 2, sizeof *m->first, "modes");
}

void tor_sparse_add(struct tor_sparse *m, int column, double complex value) {
  const int i = m->first[m->rows + 1]++;
  m->column = tor_grow(m->column, (size_t)i + 1, &m->capacity, sizeof *m->column);
  m->value = tor_grow(m->value, (size_t)i + 1, &m->value_capacity, sizeof *m->value);
  m->column[i] = column;
  m->value[i] = value;
}

void tor_sparse_end_row(struct tor_sparse *m) {
  m->rows++;
  m->first[m->rows + 1] = m->first[m->rows];
}

void tor_sparse_free(struct tor_sparse *m) {
  free(m->first);
  free(m->column);
  free(m->value);
  *m = (struct tor_sparse){0};
}

void tor_sparse_apply(const struct tor_sparse *m, const double complex *x, double complex *y) {
  for (int r = 0; r < m->rows; r++) {
    double complex sum = 0;
    for (int i = m->first[r]; i < m->first[r + 1]; i++) sum += m->value[i] * x[m->column[i]];
    y[r] += sum;
  }
}
