/* Cylindrical coordinates about the user's z, for bodies of revolution and fields of one angular number m >= 1: along
 * phi E_r, E_z, H_phi are cos(m phi) and E_phi, H_r, H_z are sin(m phi), or less that (docs/design/cylindrical.md).
 *
 * The job's axes are x, y, z = phi, z, r (a cyclic turn), so that r lies along vectors. Fields are integrals along
 * their edges (diamond/core/update.h), of which those along phi alone depend on r: coefficients have a factor of r /
 * d_r, or its inverse, that depends on the index along the vector alone, as those of a layered background do.
 *
 * Along phi there is one cell between a PEC (node 0) and a PMC (node 1, phi = 0). Its edge of sqrt(2) / m makes the
 * second difference at node 1, 2 / edge^2, exactly m^2. Components at half cells are stored as -1 / sqrt(2) times the
 * amplitude of sin(m phi). tor_grid.d along phi is that edge times d_r: of r = d_r.
 *
 * The axis r = 0 is a PEC wall: there E_z and r E_phi of m >= 1 are zero. */
#ifndef TOR_SRC_JOB_CYLINDRICAL_H
#define TOR_SRC_JOB_CYLINDRICAL_H

#include <math.h>

#include "src/job/grid.h"
#include "src/job/job.h"

enum { TOR_TURN_CYLINDRICAL = 1, TOR_PHI = TOR_X, TOR_AXIAL = TOR_Y, TOR_RADIAL = TOR_Z /* axes of the turned job */ };

/* Makes a grid of the whole 3-D domain the cylinder in it, of the same cells: walls, time step. The time step is
 * courant / (c sqrt(1 / d_z^2 + (m^2 + 1/2 + 1 / (10 m^2)) / d_r^2)), above the largest eigenvalue of the curls. */
void tor_cylindrical_make(const struct tor_job *job, struct tor_grid *grid);

/* Distance of a component's points with index iz along the vector from the axis, in cells; on it, where no value is
 * used, a quarter. */
static inline double tor_cylindrical_radius(int comp, int iz) {
  return fmax(0.25, iz + 0.5 * tor_comp_half(comp, TOR_RADIAL));
}
/* Factor on 1 / A (tor_grid_metric) of cells of length d by the edges along phi; Cartesian: 1. */
static inline double tor_cylindrical_factor(const struct tor_grid *grid, int comp, int iz) {
  if (!grid->angular) return 1;
  const double r = tor_cylindrical_radius(comp, iz);
  return tor_comp_axis(comp) == TOR_PHI ? r : 1 / r;
}

/* Amplitude along the angle of a field over the value that is stored as if the edge were tor_grid.d long. */
static inline double tor_cylindrical_scale(const struct tor_grid *grid, int comp, int iz) {
  if (!grid->angular) return 1;
  return (tor_comp_half(comp, TOR_PHI) ? -sqrt(2) : 1) /
         (tor_comp_axis(comp) == TOR_PHI ? tor_cylindrical_radius(comp, iz) : 1);
}

/* What a sum over the one cell along phi, in which node 1 counts half, becomes for the whole circle: 2 pi over its
 * angle; Cartesian: 1. */
double tor_cylindrical_around(const struct tor_grid *grid);

/* A plane wave along the axis, E along the user's x (m = 1): a component's stored value over that of E_r (of E) or
 * H_phi (of H) in cells of length d. Exact: r E_phi is linear in the index. 0: the component has none. */
double tor_cylindrical_wave(const struct tor_grid *grid, int comp, int iz);

#endif
