/* What metal is around a surface node, with averaging = "tensor" (metal.h, docs/design/metal-nodes.md). */
#ifndef TOR_SRC_MODEL_METAL_SHARES_H
#define TOR_SRC_MODEL_METAL_SHARES_H

#include "src/model/metal.h"

struct tor_column;
struct tor_columns;
struct tor_nearby;

/* The metals around node at[] = i, j, k, or around its image where it lies beyond a mirror: in the cubes of one cell
 * around it and its neighbours, weighted, or at planes across one axis in its own. `near` holds the objects up
 * to tor_reach_cells of metals around the column or one beside it. What is cut is kept in col->metal_cube and
 * col->metal_box. */
struct tor_metal_part tor_metal_around(const struct tor_columns *c, struct tor_column *col,
                                       const struct tor_nearby *near, const int at[3]);

#endif
