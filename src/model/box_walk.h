/* All points of E and H that a monitor has in a box, and the surface nodes there, each with the coefficients that the
 * update has at it: what a box holds is summed up so (absorption.h, mode_volume.h). In the half of a mirrored scene
 * that is not in the domain points are images, with the coefficients of the other half. */
#ifndef TOR_SRC_MODEL_BOX_WALK_H
#define TOR_SRC_MODEL_BOX_WALK_H

#include <complex.h>

#include "src/model/column_media.h"
#include "src/model/model.h"
#include "src/model/monitor.h"
#include "src/model/nearby.h"

struct tor_box_walker;

struct tor_box_walk {
  const struct tor_monitors *monitors;
  const struct tor_recorder *recorder; /* patches in the order of components, those of the box on all its sides */
  struct tor_grid grid;
  struct tor_model model;
  struct tor_columns *columns;
  int first[3], count[3]; /* cells of the box */
  int slices;             /* points with the same ix: first[0] + 0 ... slices - 1 */
  int *medium;            /* [ndispersion] in the job */
  /* For each point of a component, whose coefficients are at z of the walker's column; at[]: its indices, of the
   * mirrored half below 0. */
  void (*point)(struct tor_box_walker *walker, int comp, const int at[3], int z);
  /* For each surface node, or NULL. flip: axes along which it is a mirror image. */
  void (*node)(struct tor_box_walker *walker, const int at[3], int z, const int flip[3]);
};

/* A thread's. */
struct tor_box_walker {
  const struct tor_box_walk *walk;
  struct tor_column column;
  struct tor_nearby near, here; /* of the column's own place, and of the point's, which may be its mirror image */
  void *context;
};

/* Takes the box of the recorder's monitor; the caller sets point and node. Ends the run when memory is short. */
void tor_box_walk_start(const struct tor_monitors *monitors, const struct tor_job *job,
                        const struct tor_recorder *recorder, struct tor_box_walk *walk);
void tor_box_walk_stop(struct tor_box_walk *walk);
struct tor_box_walker tor_box_walker_new(const struct tor_box_walk *walk, void *context);
void tor_box_walker_free(struct tor_box_walker *walker);
/* All points with this ix. */
void tor_box_walk_slice(struct tor_box_walker *walker, int ix);

/* The cells of the box beside a point of a component (comp -1: a node) along an axis, *first, *count of them, 0 or
 * less: none. Returns how many there are without the box's sides: a point on nodes has one on either side. */
int tor_box_cells(const struct tor_box_walk *walk, int comp, int axis, int i, int *first, int *count);

/* A point's spectrum [V/m/Hz, A/m/Hz]. */
double complex tor_box_field(const struct tor_box_walk *walk, int comp, const int at[3], int q);
/* E at a node along each axis [V/m/Hz]: the mean of the edges below and above it, and half of what the one above has
 * more; behind a wall the field across it is reflected. As in the half that is computed where the node is an image,
 * flip. */
void tor_box_pairs(const struct tor_box_walk *walk, const int at[3], const int flip[3], int q, double complex mean[3],
                   double complex difference[3]);

#endif
