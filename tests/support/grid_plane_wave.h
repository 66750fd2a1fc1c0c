/* A plane wave that solves the update equations exactly between periodic walls, with or without a phase. */
#ifndef TOR_TESTS_SUPPORT_GRID_PLANE_WAVE_H
#define TOR_TESTS_SUPPORT_GRID_PLANE_WAVE_H

#include <complex.h>

#include "src/job/grid.h"

/* E = amplitude exp(i (k r - w t)): with K_a = 2 / d_a sin(k_a d_a / 2) of order 2, 9/8 and -1/24 of it and of a third
 * of the cell's in order 4, and W = 2 / (c dt) sin(w dt / 2), K . E = 0, W^2 = K^2 and eta0 H = K x E / W
 * (docs/design/numerics.md). */
struct tor_grid_plane_wave {
  double k[3], omega;
  double amplitude[2][3]; /* of E, of eta0 H */
};

/* The wave whose phase over a period is that of the walls and 2 pi periods[a]. */
struct tor_grid_plane_wave tor_grid_plane_wave(const struct tor_grid *grid, const int periods[3]);
/* A component at a point at a time [s], as stored; where fields are real, its real part. */
double complex tor_grid_plane_wave_value(const struct tor_grid_plane_wave *wave, const struct tor_grid *grid, int comp,
                                         const int at[3], double time);

#endif
