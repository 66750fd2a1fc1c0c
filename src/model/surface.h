/* Surface nodes: the tangential part of the permittivity of cells that a dielectric's surface cuts, with averaging =
 * "tensor" (diamond/core/update.h; derivation, energy and stability in docs/design/numerics.md).
 *
 * With <x> the mean over a cube of one cell, weighted by volume: an edge has 1 / <1/eps>, the media in series, and a
 * node whose cube is cut adds g = <eps> - 1 / <1/eps> to the permittivity along the surface. */
#ifndef TOR_SRC_MODEL_SURFACE_H
#define TOR_SRC_MODEL_SURFACE_H

#include "diamond/core/slab.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* What the cube around a grid node (whole i, j, k) holds. */
enum tor_node_kind {
  TOR_NODE_NONE,   /* one permittivity */
  TOR_NODE_FLAT,   /* a surface across an axis: constant, what g adds is part of the edges' permittivity */
  TOR_NODE_MOVES,  /* any other surface: the node has a polarisation */
  TOR_NODE_OTHER,  /* media that have poles, conductivity or axes of their own: the edges are treated as with "subpixel"
                    */
  TOR_NODE_TENSOR, /* a medium whose polarisation is at nodes is among them (tensor_node.h); */
  TOR_NODE_TENSOR_OTHER /* the edges of a cut cell are in series, or of this kind as with "subpixel" */
};
struct tor_node {
  double g, normal[3]; /* of the surface; g is 0 but for FLAT and MOVES */
  double tensor[6];    /* of TENSOR kinds; there also: */
  double kerr, share;  /* shares times chi3; share of magnetised media */
  double chi2;         /* mean of chi2 by shares as a multiple of that of `special` */
  int special;         /* the magnetised or second-order medium with the largest share, an index into the job's media */
  enum tor_node_kind kind;
};

/* The kind and g of the node in a cube with these contents, normal 0 (kind MOVES, where there is a surface), and the
 * index in the mix of the medium whose surface it is. */
struct tor_node tor_surface_node(const struct tor_job *job, const struct tor_mix *mix, int *medium);
/* Index in a mix of the medium whose value differs most from the mean of all, weighted by its share. */
int tor_surface_medium(const struct tor_mix *mix, const double value[], double mean);
/* Sets the normal, which makes the node FLAT if it lies along an axis. */
void tor_surface_set_normal(struct tor_node *node, const double normal[3]);
/* An edge along `axis` and the nodes at its ends: sets the mix's ends_in_series and ends_flat. */
void tor_surface_edge(const struct tor_node end[2], int axis, struct tor_mix *mix);

/* The slab's coefficients of all nodes, and the factor of g that makes their response, g w0^2 / (w0^2 - w^2), exact
 * where w^2 has its mean over the first source's power. w0 is the largest for which
 *   courant^2 / (eps mu) + poles + (w0 dt)^2 / 4 (1 + g / eps) < 1   (docs/design/numerics.md),
 * with the bound g / eps <= (sqrt(r) - 1)^2, r the largest ratio of two media's permittivities; media with a full
 * tensor count with those of their edges, and their nodes add the largest eigenvalue of the rest over the least of
 * these; Kerr media add 0.2, room for 3 chi3 |E|^2, those of second order TOR_CHI2_ROOM. */
double tor_surface_coef(const struct tor_job *job, const struct tor_grid *grid, struct tor_node_coef *coef);

#endif
