/* Grids of numbers: see h5_grid.h. */
#include "io/hdf5/h5_grid.h"

#include "io/hdf5/h5_values.h"

int tor_h5_grid_read(const char *path, const char *dataset, int least, int most_dims, tor_gidx most,
                     struct tor_h5_grid *grid, char *why, size_t size) {
  struct tor_h5_values values;
  *grid = (struct tor_h5_grid){{1, 1, 1}, NULL};
  if (tor_h5_values_read(path, dataset, least, most_dims, most, &values, why, size)) return -1;
  for (int a = 0; a < values.ndims; a++) grid->n[a] = values.n[values.ndims - 1 - a];
  grid->value = values.value;
  return 0;
}
