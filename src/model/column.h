/* Columns: coefficients, poles and classes of each (ix, iy), made from the objects and the background. Used by model.c
 * alone. */
#ifndef TOR_SRC_MODEL_COLUMN_H
#define TOR_SRC_MODEL_COLUMN_H

#include "diamond/core/slab.h"
#include "src/job/grid.h"
#include "src/model/layers.h"

struct tor_columns;

/* The layered background: the background medium and all layers across z. Also sets the slab's dispersions. */
struct tor_columns *tor_columns_new(const struct tor_job *job, const struct tor_grid *grid, struct tor_slab *slab);
void tor_columns_free(struct tor_columns *columns);
/* It, as lines of incident waves have it: refers to the columns and the slab. */
struct tor_layers tor_columns_layers(const struct tor_columns *columns);

/* Fills the slab's cls, extra, coef, run, weight, state. *capacity: of slab->extra; *dispersive: points of E with
 * poles. The result does not depend on the number of threads. After tor_stop_ask the rest is left out: such a slab must
 * not be used. */
void tor_columns_make(struct tor_columns *columns, int threads, size_t *capacity, tor_gidx *dispersive);

/* Estimate of the allocations of tor_columns_make, from a sample of about `sample` columns scaled to all: values of
 * coef, state and weight, runs, columns with lists, points of E with poles, nodes of enum tor_node_media. */
struct tor_columns_size {
  double coef, state, weight, runs, extra, dispersive, nodes[TOR_NODE_MEDIA];
};
struct tor_columns_size tor_columns_estimate(const struct tor_columns *columns, int sample);

#endif
