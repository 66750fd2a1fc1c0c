/* The media in a plane of the grid, with the coefficients that the update has there, and their response to fields
 * proportional to exp(-i w t). What is guided along the plane's axis follows from them (src/modes).
 *
 * The plane lies across `axis` at node number `node`. With next, last the other axes in cyclic order it has E_next,
 * E_last and H_axis; E_axis, H_next and H_last are half a cell beyond it. Points of a component are numbered [n[0] + 1]
 * [n[1] + 1] along next and last, from the node lo on; of half cells the last one along an axis is not used. In a 2-D
 * job, where n is 0 along x, it is a line. */
#ifndef TOR_SRC_MODEL_PLANE_MEDIA_H
#define TOR_SRC_MODEL_PLANE_MEDIA_H

#include <complex.h>

#include "diamond/core/slab.h"
#include "src/job/grid.h"
#include "src/job/sheet.h"
#include "src/model/pml.h"

/* Poles at a point of E: driven by a share of its field, or by that of a branch (share, a, g, r;
 * diamond/core/update.h).
 */
struct tor_plane_pole {
  int axis, point; /* of E */
  int dispersion;
  int branch;
  double weight[TOR_BRANCH_WEIGHTS];
};

struct tor_plane_media {
  struct tor_grid grid;
  int axis, next, last;
  int node;
  int lo[2], n[2];          /* the part of the plane: first node and cells along next and last */
  enum tor_wall wall[2][2]; /* at its low and high sides: PEC, PMC, periodic; where it ends before the domain, PEC */
  int npoints;              /* (n[0] + 1) (n[1] + 1) */
  double *cb, *ca1;         /* [6][npoints], with absorbers */
  int npoles;
  struct tor_plane_pole *pole; /* [npoles] */
  int ndispersions;
  struct tor_dispersion *dispersion;
  double *surface; /* [4][npoints] normal along x, y, z and g of surface nodes; NULL: there are none */
  struct tor_node_coef node_coef;
  int has_tensor;                 /* a medium whose polarisation is at nodes is there, which are not here */
  int lacks_metal_nodes;          /* averaging "tensor" has nodes at a metal in the plane, which are not here */
  struct tor_pml_point *layer[2]; /* [2 n + 1] CPML at half-cell coordinates along next and last */
};

/* In 2-D jobs a plane is a line: along x, side 0 or 1 of it, nothing varies, and there is one point of a component. */
static inline int tor_plane_media_uniform(const struct tor_plane_media *plane, int side) {
  return plane->grid.plane && (side ? plane->last : plane->next) == TOR_X;
}

/* The nodes nearest to the ends lo, hi [m] of a part of a plane: box [low, high][next, last]. */
void tor_plane_media_box(const struct tor_grid *grid, int axis, const double lo[3], const double hi[3], int box[2][2]);
/* The whole plane across an axis, or with box [low, high][next, last] in nodes a part of it. The media are those at the
 * node and half a cell beyond it. Ends the run when memory is short. */
void tor_plane_media_make(const struct tor_job *job, int axis, int node, const int box[2][2],
                          struct tor_plane_media *plane);
/* planes[count], at most TOR_PLANES_MOST, at node and those after it: less work than one by one. */
enum { TOR_PLANES_MOST = 5 };
void tor_plane_media_make_some(const struct tor_job *job, int axis, int node, int count, const int box[2][2],
                               struct tor_plane_media *planes);
void tor_plane_media_free(struct tor_plane_media *plane);
/* Whether any of these planes has_tensor. */
int tor_plane_media_have_tensor(const struct tor_plane_media *planes, int count);
/* Whether planes that were made together all have the same media, to 1e-9, where something is advanced. */
int tor_plane_media_alike(const struct tor_plane_media *planes, int count);

/* A sheet on the plane, without profiles. Ends the run when memory is short. */
struct tor_sheet *tor_plane_media_sheet(const struct tor_plane_media *plane, int direction);

/* Cells of area that a point of a component counts for: half at a PMC on nodes; 0 where it is not advanced: in a PEC,
 * beyond the last half cell, at the second end of a period; components that a 2-D job does not have. */
double tor_plane_media_share(const struct tor_plane_media *plane, int comp, int point);
/* The response at w [rad/s], in the update's units (e = E d, h = eta0 H d), each with its time of the step:
 *   E:  curl h = value * e,  D_j h_k - D_k h_j with bare differences      H:  D_k e_j - D_j e_k = value * h
 * value[comp * npoints + point]. Without surface nodes. */
void tor_plane_media_response(const struct tor_plane_media *plane, double w, double complex *value);
/* What the curl's difference along next or last (0, 1) is multiplied by at half-cell coordinate u of the plane's part
 * (0 ... 2 n). */
double complex tor_plane_media_stretch(const struct tor_plane_media *plane, int side, int u, double w);
/* The current of a medium's poles, less what is implicit in cb, over the field at the step that drives them, in the
 * update's units along an axis. half: exp(-i w dt / 2). */
double complex tor_plane_media_poles(const struct tor_dispersion *dispersion, int axis, double ct, double complex half);
/* J of a surface node over g times the mean field along the surface, with its coefficients in, out apart. */
double complex tor_plane_media_node(const struct tor_plane_media *plane, double w);

#endif
