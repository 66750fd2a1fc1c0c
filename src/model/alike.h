/* Cells of a column that hold what those below them hold. */
#ifndef TOR_SRC_MODEL_ALIKE_H
#define TOR_SRC_MODEL_ALIKE_H

struct tor_columns;
struct tor_nearby;

/* alike[n + 1] along z: 1 where everything around index z that the coefficients of a column's components at z (half 0)
 * or z + 1/2 (half 1) depend on (cells, nodes, and the boxes of neighbours: tor_reach_cells) is the same around z - 1,
 * since the objects near the column neither end nor vary there and no wall is near; else 0. Where more than cells
 * counts, and of graded cells, it is the same for both. */
void tor_column_alike(const struct tor_columns *c, const struct tor_nearby *near, int half, char *alike);

#endif
