/* The operator of guided modes on a plane of the grid: the engines' update for fields proportional to
 * exp(i (theta m - w t)), m counting cells along the axis. Its derivation is in docs/design/numerics-sources.md.
 *
 * With e = (e_j, e_k), g = (h_k, -h_j) on the plane (i the axis; j, k the next ones in cyclic order; values as the
 * update has them), and gamma the symbol of the difference along i over i: i gamma e = P g,   P = -Z + D_e Y_i^-1 D_g
 * i gamma g = Q e,   Q = -Y + C_g Z_i^-1 C_e so P Q e = -gamma^2 e. P and Q are symmetric with the weights of
 * tor_mode_operator.weight. */
#ifndef TOR_SRC_MODES_MODE_OPERATOR_H
#define TOR_SRC_MODES_MODE_OPERATOR_H

#include <complex.h>

#include "src/model/plane_media.h"
#include "src/modes/sparse.h"

static const double TOR_MODE_FAR = 1.0 / 27; /* weight of the values one and a half cells away (tor_difference) */

struct tor_mode_operator {
  const struct tor_plane_media *plane;
  int npoints;
  int size;                 /* of e and of g: 2 npoints */
  double omega;             /* [rad/s] */
  double complex theta;     /* on which the surface nodes' part of Y_i depends */
  double complex *response; /* [6][npoints]: Y_i with that part */
  char *active;             /* [6][npoints]: advanced by the update; comp as the response's */
  struct tor_sparse grad;   /* g -> Y_i e_i: D_j g_j + D_k g_k */
  struct tor_sparse lift;   /* e_i -> D_j e_i, D_k e_i */
  struct tor_sparse curl;   /* e -> Z_i h_i: D_k e_j - D_j e_k */
  struct tor_sparse turn;   /* h_i -> D_k h_i, -D_j h_i */
  struct tor_sparse node;   /* e -> the currents of surface nodes along j, k; no rows: there are none */
  double complex *weight;   /* [size] of the symmetric products */
  double complex *work;     /* [npoints] */
};

/* The weight of a point of E along next or last (side 0, 1): its share of a cell over the stretching of both axes. With
 * it different modes of one frequency are orthogonal, in absorbing layers as well. */
double complex tor_mode_weight(const struct tor_plane_media *plane, double omega, int side, int point);

void tor_mode_operator_make(const struct tor_plane_media *plane, double omega, double complex theta,
                            struct tor_mode_operator *op);
void tor_mode_operator_free(struct tor_mode_operator *op);

/* to = P g, to = Q e. [size] each, zero where nothing is advanced. */
void tor_mode_operator_p(const struct tor_mode_operator *op, const double complex *g, double complex *to);
void tor_mode_operator_q(const struct tor_mode_operator *op, const double complex *e, double complex *to);

/* sum of weight a b, over [size]. */
double complex tor_mode_operator_product(const struct tor_mode_operator *op, const double complex *a,
                                         const double complex *b);

/* gamma of theta, theta of gamma (|theta| < pi along the real axis), d theta / d gamma. */
double complex tor_mode_gamma(int order, double complex theta);
double complex tor_mode_theta(int order, double complex gamma);
double complex tor_mode_slope(int order, double complex theta);

#endif
