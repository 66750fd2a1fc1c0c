/* Surface nodes: the tangential part of the permittivity of cells that a dielectric's surface cuts, with averaging =
 * "tensor" (diamond/core/update.h; derivation, energy and stability in docs/design/numerics.md).
 *
 * With <x> the mean over a cube of one cell, weighted by volume: an edge has 1 / <1/eps>, the media in series, and a
 * node whose cube is cut adds g = <eps> - 1 / <1/eps> to the permittivity along the surface. */
#ifndef TOR_SRC_MODEL_SURFACE_H
#define TOR_SRC_MODEL_SURFACE_H

#include "diamond/core/slab.h"
#include "src/job/grid.h"

/* g of the node in a cube with these contents, and the index in the mix of the medium whose surface it is. 0 in one
 * medium, and with media that have poles, conductivity or axes of their own. */
double tor_surface_excess(const struct tor_job *job, const struct tor_mix *mix, int *medium);
/* Whether the surface lies across an axis: the diagonal tensor on the edges is exact, and there is no node. */
int tor_surface_is_flat(const double normal[3]);

/* The slab's coefficients of all nodes, and the factor of g that makes their response exact at the first source's
 * centre: g w0^2 / (w0^2 - w^2) is 1 there. w0 is the largest for which
 *   courant^2 / (eps mu) + poles + (w0 dt)^2 / 4 (1 + g / eps) < 1   (docs/design/numerics.md),
 * with the bound g / eps <= (sqrt(r) - 1)^2, r the largest ratio of two media's permittivities. */
double tor_surface_coef(const struct tor_job *job, const struct tor_grid *grid, struct tor_node_coef *coef);

#endif
