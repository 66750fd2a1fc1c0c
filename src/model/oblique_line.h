/* A plane wave of any direction in a homogeneous medium, on a grid of one dimension.
 *
 * In a direction whose phase advances by the whole numbers m from node to node along the axes, the wave's fields depend
 * on the line's index m . (i, j, k) alone, where (i, j, k) is a component's index in the grid of three dimensions. The
 * differences along axis a become differences over m[a] of the line's points, so the line's equations are the grid's
 * own, and whatever the line carries is a solution of these to rounding (Tan and Potter, IEEE Trans. Antennas Propag.
 * 58, 2641 (2010)). All six components lie on the line.
 *
 * The current that makes the wave is spread over a few cells and travels with it: a line has other solutions of the
 * same frequency, waves of other directions whose phases differ by whole turns at the grid's nodes, and a smooth
 * current does not excite them. Its ends are matched layers with losses, of the type that absorbs at a right angle. */
#ifndef TOR_SRC_MODEL_OBLIQUE_LINE_H
#define TOR_SRC_MODEL_OBLIQUE_LINE_H

#include <complex.h>

#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"

struct tor_oblique {
  const struct tor_grid *grid;
  struct tor_profile profile[2]; /* of the two polarisations; the tables are the source's */
  double polarisation[2][3];     /* unit vectors: of E, and of what comes a quarter of a period later or earlier in
                                    circular light, 0 without */
  double direction[3];           /* of travel; unit vector */
  int m[3];
  double eps, mu;                            /* of the medium, relative */
  double step;                               /* distance along the direction from one index to the next [m] */
  double late;                               /* time in which the wave's phase travels so far [s] */
  int count, offset;                         /* points; index p of the line is number p - offset of the arrays */
  int lo, span;                              /* the indices lo .. lo + span - 1 are what the faces of the box read */
  int watch;                                 /* index of the corner of the box that the wave meets first */
  int pad;                                   /* zeros on either side of the fields */
  double *field[TOR_NCOMP];                  /* [count], scaled as in the slab */
  double *keep[TOR_NCOMP], *gain[TOR_NCOMP]; /* [count]: f <- keep f + gain curl */
  int sheet, nsheet;                         /* number of the first point with a current, and of such points */
  double *drive[3];                          /* [nsheet], by component of E: curl of a current of amplitude 1 */
};

/* The whole numbers m, from -100 to 100, whose direction in cells of edges d is nearest to the unit vector `direction`,
 * or the smallest that are within 0.05 degrees of it. */
void tor_oblique_numbers(const double direction[3], const double d[3], int m[3]);

/* box: nodes of the total field, lo and hi; cb: coefficients of the homogeneous medium by component. */
struct tor_oblique *tor_oblique_new(const struct tor_grid *grid, const struct tor_source *source, const int lo[3],
                                    const int hi[3], const double cb[TOR_NCOMP]);
void tor_oblique_free(struct tor_oblique *line);

/* Half steps; the current is that at time t [s] of the source's profile. */
void tor_oblique_step_h(struct tor_oblique *line);
void tor_oblique_step_e(struct tor_oblique *line, double t);

/* Phase that the grid's wave of angular frequency omega gains from one index to the next [rad]. */
double tor_oblique_phase(const struct tor_oblique *line, double omega);
/* Distance of a component's point from the line's index, in indices: that of half cells. */
double tor_oblique_half(const struct tor_oblique *line, int comp);
/* Factor of e x conj(h) in the flux through planes across an axis, of amplitudes of E and H that refer to one place: as
 * monitors have the flux, where one of the two is the mean from both sides of the plane. */
double tor_oblique_flux_factor(const struct tor_oblique *line, int axis, double omega);

#endif
