/* Surface nodes of metals, with averaging = "tensor" (diamond/core/update.h; derivation, stability and errors in
 * docs/design/metal-nodes.md).
 *
 * Each node (whole i, j, k) has the metal's share of the cubes around it (metal_shares.h). In bulk the halves of the
 * edges that end there have the metal's poles; elsewhere the node has them. */
#ifndef TOR_SRC_MODEL_METAL_H
#define TOR_SRC_MODEL_METAL_H

#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"

static const double TOR_METAL_BALL = 2; /* edge of the cube whose corners lie on a normal's ball [cells] */

/* Whether a medium's surface has such nodes: explicit poles, one permittivity along all axes, no conductivity, and a
 * permittivity that is negative at the first source's centre. */
int tor_is_metal(const struct tor_job *job, const struct tor_medium *medium);

/* A dielectric's permittivity beside a metal, where its poles do not act: that at the first source's centre, and at
 * least that at infinite frequency. */
double tor_beside_metal(const struct tor_job *job, const struct tor_medium *medium, int axis);

/* The metals in a box or around a node: the largest part's index into the job's media (-1: the background), the share
 * of all of them, and the mean permittivity of what else there is (0: nothing). share 0: no metal. */
struct tor_metal_part {
  int conducts;        /* a cube's: it is full of a perfect conductor */
  int medium, is_bulk; /* a node's: all is metal around it and around the nodes beside it */
  double share, along; /* along: the share for P along the surface, by other weights; above 0 where share is */
  double beside;       /* in bulk 0; of a node that is not and has share 1: that around the nodes beside it */
};
/* The least permittivity beside metals of the job's media, conductors left out; HUGE_VAL: none. */
double tor_metal_least(const struct tor_job *job);
/* Of each of the job's media, whether it is a metal, and else what it counts with beside one along each axis:
 * [nmedia], by malloc. */
struct tor_metal_medium {
  int is_metal;
  double beside[3];
};
struct tor_metal_medium *tor_metal_media(const struct tor_job *job);
/* That of a mixture's part i. */
const struct tor_metal_medium *tor_metal_medium_in(const struct tor_job *job, const struct tor_metal_medium *media,
                                                   const struct tor_mix *mix, int i);
/* The metals in a box with these media. media: of tor_metal_media. */
struct tor_metal_part tor_metal_part_of(const struct tor_job *job, const struct tor_metal_medium *media,
                                        const struct tor_mix *mix);

/* Oscillators that give a node's P the permittivity at infinite frequency of its metal. Where that of the dielectric is
 * the larger one they have no restoring force. */
struct tor_metal_coef {
  double restore, factor; /* of P; of drive, so that the response is exact at the first source's centre */
  double free;            /* the drive of one without restoring force for each unit of missing permittivity */
};
/* Those for the job, as large as its time step allows. Faults where it allows none: the metals' poles on surfaces with
 * the job's least permittivity, which do not slow the fields there down. faults: or NULL. */
struct tor_metal_coef tor_metal_coef(const struct tor_job *job, const struct tor_grid *grid, struct tor_faults *faults);

/* The metal's weights (enum tor_metal_weight) from the normal on, which is in them, but for the medium. share: of the
 * metal in the node and in its neighbours below and above it along each axis, [axis][below, node, above]. */
void tor_metal_weights(const struct tor_job *job, const struct tor_metal_coef *coef, const struct tor_metal_part *part,
                       const double share[3][3], double *weight, size_t pitch);

#endif
