/* Cylindrical coordinates about the user's z, for bodies of revolution and fields of one angular number m: along phi
 * E_r, E_z, H_phi are cos(m phi) and E_phi, H_r, H_z are sin(m phi), or less that (docs/design/cylindrical.md). Of m =
 * 0 the first three, TM, and the others, TE, do not meet: a job has one of the two (enum tor_m0).
 *
 * The job's axes are x, y, z = phi, z, r (a cyclic turn), so that r lies along vectors. Fields are integrals along
 * their edges (diamond/core/update.h), of which those along phi alone depend on r: coefficients have a factor of r /
 * d_r, or its inverse, that depends on the index along the vector alone, as those of a layered background do.
 *
 * Along phi there is one cell between a PEC (node 0) and a PMC (node 1, phi = 0). Its edge of sqrt(2) / m makes the
 * second difference at node 1, 2 / edge^2, exactly m^2. Components at half cells are stored as -1 / sqrt(2) times the
 * amplitude of sin(m phi). tor_grid.d along phi is that edge times d_r: of r = d_r.
 *
 * m = 0: the cell along phi is of 1 rad about phi = 0, between PMC walls (TM), which leave the first three at both
 * nodes, or PEC walls (TE), which leave the others; values are amplitudes.
 *
 * The axis r = 0 is a PEC wall: there E_z and r E_phi are zero; but of TM it is a PMC wall, with E_z on it. */
#ifndef TOR_SRC_JOB_CYLINDRICAL_H
#define TOR_SRC_JOB_CYLINDRICAL_H

#include <math.h>

#include "src/job/grid.h"
#include "src/job/job.h"

enum { TOR_TURN_CYLINDRICAL = 1, TOR_PHI = TOR_X, TOR_AXIAL = TOR_Y, TOR_RADIAL = TOR_Z /* axes of the turned job */ };

/* m of the job's, or a grid's, `angular`. */
static inline int tor_cylindrical_number(int angular) { return angular > 0 ? angular : 0; }

/* "1", "0, TM": what follows "m = "; of the calling thread, until the next call. */
const char *tor_cylindrical_text(int angular);

/* Makes a grid of the whole 3-D domain the cylinder in it, of the same cells: walls, time step. The time step is
 * courant / (c sqrt(1 / d_z^2 + L / d_r^2)), L = m^2 + 1/2 + 1 / (10 m^2), of m = 0 1.2105 (TM), 1 (TE), above the
 * largest eigenvalue of the curls. */
void tor_cylindrical_make(const struct tor_job *job, struct tor_grid *grid);

/* Distance of a component's points with index iz along the vector from the axis, in cells; on it a quarter: of TM E_z's
 * 4 H_phi / d_r, from the difference to H_phi's image; elsewhere no value there is used. */
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
  return (tor_comp_half(comp, TOR_PHI) && grid->angular > 0 ? -sqrt(2) : 1) /
         (tor_comp_axis(comp) == TOR_PHI ? tor_cylindrical_radius(comp, iz) : 1);
}

/* What a sum over the one cell along phi, in which nodes count half, becomes for the whole circle: 2 pi over its angle;
 * Cartesian: 1. */
double tor_cylindrical_around(const struct tor_grid *grid);

/* Of m = 0, a dipole's current over that of a cos(phi) of the same moment, at a component's points with index iz: 1/2,
 * but of TM 1, since both nodes have a half of it; on the axis of TM, half a cell, 2. Else 1. */
double tor_cylindrical_share(const struct tor_grid *grid, int comp, int iz);

/* A plane wave along the axis, E along the user's x (m = 1): a component's stored value over that of E_r (of E) or
 * H_phi (of H) in cells of length d. Exact: r E_phi is linear in the index. 0: the component has none. */
double tor_cylindrical_wave(const struct tor_grid *grid, int comp, int iz);

#endif
