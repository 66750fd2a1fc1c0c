/* Surface nodes of a column and of those beside it (surface.h, metal.h, tensor_node.h). */
#ifndef TOR_SRC_MODEL_COLUMN_NODES_H
#define TOR_SRC_MODEL_COLUMN_NODES_H

#include "src/model/metal.h"
#include "src/model/surface.h"

struct tor_column;
struct tor_columns;
struct tor_nearby;

/* Whether a node has the metal's poles itself. */
static inline int tor_metal_is_cut(const struct tor_metal_part *part) { return part->share > 1e-6 && !part->is_bulk; }

/* The nodes of the column and of the one beyond it along y. */
void tor_column_fill_nodes(const struct tor_columns *c, struct tor_column *col, int ix, int iy,
                           const struct tor_nearby *near);
/* Whether a column has a node with a polarisation at z, and its weights as in the slab: TOR_METAL_WEIGHTS where
 * metal_poles is above 0, TOR_TENSOR_WEIGHTS where it is below, else TOR_NODE_WEIGHTS; 0 where it has none. */
int tor_column_has_node(const struct tor_columns *c, const struct tor_column *column, int z);
void tor_column_node(const struct tor_columns *c, const struct tor_column *column, int z,
                     double weight[TOR_METAL_WEIGHTS]);
/* The nodes at the ends of an edge that begins at the column's node `at`; beyond the last edge any. */
void tor_column_ends(const struct tor_columns *c, struct tor_column *col, const struct tor_nearby *near, int axis,
                     const int at[3], struct tor_node end[2]);
/* What metal is at the ends of an edge of E at z; the far end of an edge beyond the domain is its near one. */
void tor_column_metal_ends(const struct tor_columns *c, const struct tor_column *col, int axis, int z,
                           const struct tor_metal_part *end[2]);

#endif
