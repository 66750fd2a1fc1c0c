/* Diffraction orders: the plane waves of the grid into which a periodic cell's fields on a plane decompose. */
#ifndef TOR_SRC_MODEL_ORDERS_H
#define TOR_SRC_MODEL_ORDERS_H

#include <complex.h>

#include "src/model/monitor.h"

/* The medium's index in the part of a plane across `axis` through a node between lo and hi [nodes], half a cell to both
 * sides of it (as far as flat walls change coefficients: tor_flat_cells), at 24 x 24 points; TOR_MEDIUM_MIXED where
 * there are several, TOR_MEDIUM_UNFIT where it absorbs, conducts perfectly or is anisotropic. */
enum { TOR_MEDIUM_MIXED = -1, TOR_MEDIUM_UNFIT = -2 };
int tor_plane_medium(const struct tor_job *job, const struct tor_grid *grid, int axis, int node, const int lo[3],
                     const int hi[3]);

/* A wave that leaves the plane at one wavelength. Its wave vector has 2 pi order[i] / period along the plane's axes b,
 * c, where axis, b, c are cyclic. p is the field in the plane of incidence, s that across it (axis x p). Of the order
 * (0, 0), p is along b and s along c, but s along b and p along c where b is one cell. */
struct tor_order {
  int freq, order[2];
  int direction;     /* 1 along the axis, -1 against it */
  double theta, phi; /* between the wave and its direction along the axis; of its part in the plane, from b to c */
  double power;      /* [J/Hz], above 0; the sum of direction * power is the flux through the plane */
  double complex field[2];     /* of E, s and p, at the plane [V/m/Hz] */
  double complex amplitude[2]; /* the same, so that the sum of squares of moduli is the power [sqrt(J/Hz)] */
};

/* All orders that travel, of both directions, by wavelength. Returns a list to be freed, *count of them. */
struct tor_order *tor_orders_find(const struct tor_monitors *monitors, const struct tor_job *job,
                                  const struct tor_recorder *recorder, int *count);

#endif
