/* Nodes of media whose polarisation is there: with a full permittivity tensor (src/job/tensor.h;
 * diamond/core/update.h), a magnetised pole or a Kerr effect.
 *
 * Edges of E have a diagonal part of the tensor, tor_medium_edge, in cut cells in series; the node in the middle of the
 * cube between them has the rest, as a polarisation that the mean fields of its six edges drive:
 *
 *   one medium           G = eps - edge
 *   a surface            G = eps_cut - 1 / <1 / edge>, eps_cut: the media as a stack of layers across the normal
 *                        (Kottke, Farjadpour, Johnson, Phys. Rev. E 77, 036611 (2008)), 1 / <1 / edge>: of each axis
 *   beside media with    G = sum of share (eps - edge); the edges are as with averaging "subpixel"
 *   poles, losses
 *
 * A Kerr effect adds the mean of chi3 by shares, a magnetised pole the share of such media, with the pole of the
 * largest. G is never negative: eps >= edge in each medium, and a stack's permittivity is at least that in series. On a
 * mirror the medium meets its image, whose elements of the axis across it with the others have the other sign. */
#ifndef TOR_SRC_MODEL_TENSOR_NODE_H
#define TOR_SRC_MODEL_TENSOR_NODE_H

#include "src/base/error.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/surface.h"

/* Whether a mix has such a medium. */
int tor_tensor_in(const struct tor_job *job, const struct tor_mix *mix);
/* Whether its media are without poles and losses, so that a stack of them has a permittivity. */
int tor_tensor_is_plain(const struct tor_job *job, const struct tor_mix *mix);
/* The index in the mix of the medium whose surface it is. */
int tor_tensor_surface(const struct tor_job *job, const struct tor_mix *mix);
/* The node of a cube with these contents. normal: the surface's unit normal, not used where the cube has one medium or
 * one that is not plain; 0: unknown. mirrors: a bit for each axis across which the node lies on a mirror. */
struct tor_node tor_tensor_node(const struct tor_job *job, const struct tor_mix *mix, const double normal[3],
                                int mirrors);
/* Faults of what a job with such media cannot have. */
void tor_tensor_check(const struct tor_job *job, const struct tor_grid *grid, struct tor_faults *faults);

#endif
