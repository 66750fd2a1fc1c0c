/* What points of E and nodes of a column answer a field with at frequencies: the coefficients of the update at one
 * step's transform. With half = exp(-i w dt / 2) and step = half - 1 / half, in the update's units (mode_volume.c,
 * plane_media.h):
 *
 *   curl h = response e,     permittivity = c dt / (metric step) response
 *
 * so what follows is what a run has, errors of its time step and all, and not a formula of the media. Local. */
#ifndef TOR_SRC_MODEL_RESPONSE_H
#define TOR_SRC_MODEL_RESPONSE_H

#include <complex.h>

#include "src/model/column_media.h"

struct tor_responses {
  const struct tor_columns *columns;
  int count;             /* frequencies */
  double complex *half;  /* [count] exp(-i w dt / 2) */
  double complex *poles; /* [ndispersion][3][count] tor_plane_media_poles */
  double *implicit;      /* [ndispersion][3] of which this much, over 1 / cb, is in the coefficients of the edges */
};

/* omega: [count] angular frequencies [rad/s]. The columns must outlive it. Ends the run when memory is short. */
void tor_responses_make(const struct tor_columns *columns, const double *omega, int count, struct tor_responses *to);
void tor_responses_free(struct tor_responses *responses);

double complex tor_responses_step(const struct tor_responses *responses, int q);
double complex tor_responses_poles(const struct tor_responses *responses, int d, int axis, int q);

/* What poles of dispersion number d do at a point of E: the medium's fraction in weight[0], and with a branch its other
 * weights (diamond/core/update.h). Returns 0: nothing; 1; 2: a branch. */
int tor_column_poles(const struct tor_columns *columns, const struct tor_column *column, int comp, int d, int z,
                     double weight[TOR_BRANCH_WEIGHTS]);
/* The response of an edge of E that is no perfect conductor's. */
double complex tor_responses_edge(const struct tor_responses *responses, const struct tor_column *column, int comp,
                                  int z, int q);

/* What drives the polarisations P and Q of a metal's node (diamond/core/update.h) with weights k[TOR_METAL_WEIGHTS],
 * whose oscillator and poles have the susceptibility chi together: f and g, P = chi f and Q = chi g. v, u: the means
 * and half the differences of its edges' fields. */
void tor_metal_fields(const double *k, double complex chi, const double complex v[3], const double complex u[3],
                      double complex f[3], double complex g[3]);
/* What these fields take from those of the edges, over chi: the node's share of v* . f + n u* . g. */
double complex tor_metal_work(const double *k, double complex chi, const double complex v[3],
                              const double complex u[3]);

/* Relative permittivities: of an edge of E, NaN in a perfect conductor; and of what a node adds to those of the edges
 * that end there, for fields that are uniform over two cells (to[a][b]: along a, by the field along b). q < 0: at
 * infinite frequency, without poles and losses. */
double complex tor_responses_permittivity(const struct tor_responses *responses, const struct tor_column *column,
                                          int comp, int z, int q);
void tor_responses_node(const struct tor_responses *responses, const struct tor_column *column, int z, int q,
                        double complex to[3][3]);

#endif
