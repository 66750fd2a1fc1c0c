/* Cells of a column that hold what those below them hold. */
#ifndef TOR_SRC_MODEL_ALIKE_H
#define TOR_SRC_MODEL_ALIKE_H

struct tor_columns;
struct tor_nearby;

/* alike[n + 1] along z: 1 where everything around index z that a column's coefficients depend on (its cells, nodes,
 * and the boxes of its neighbours: tor_reach_cells) is the same around z - 1, since the objects near the column neither
 * end nor vary there and no wall is near; else 0. */
void tor_column_alike(const struct tor_columns *c, const struct tor_nearby *near, char *alike);

#endif
