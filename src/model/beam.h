/* Gaussian beams of the grid: sums of the plane waves that the grid itself has in a homogeneous medium (grid_wave.h),
 * so that a beam in a run is this sum everywhere (docs/design/plane-sources.md, Gaussian beams).
 *
 * In the plane through its focus, across its direction n, the part of E across n is the polarisation times
 * exp(-(x1 / w1)^2 - (x2 / w2)^2). So the wave with wave vector k has E = A (p - n (p.K) / (n.K)) with
 * A = exp(-(w1 k1)^2 / 4 - (w2 k2)^2 / 4), which has K.E = 0, and H = K x E / (W mu eta0); K and W are the grid's. */
#ifndef TOR_SRC_MODEL_BEAM_H
#define TOR_SRC_MODEL_BEAM_H

#include <complex.h>

#include "src/job/job.h"
#include "src/model/plane_media.h"

/* A beam at one frequency, of 1 W (in 2-D 1 W/m), at a plane. Where the plane is a whole period along an axis, the beam
 * is one of a row of them, a period apart. Phases: at `origin` E is in phase with the signal, but for the phase that a
 * beam gains beside a plane wave (Gouy). */
struct tor_beam {
  const struct tor_plane_media *plane;
  double origin[3];                /* where its middle crosses the plane of the node [m] */
  double wave_number;              /* of a plane wave along its direction [1/m] */
  double radius[2];                /* at the plane, along next and last, where the amplitude has fallen to 1/e [m] */
  int count[2];                    /* waves along next and last */
  double first[2], step[2];        /* their wave numbers [1/m] */
  double *along;                   /* [count[0] count[1]] the same along the axis, with its sign; owned */
  double complex *part[TOR_NCOMP]; /* [count[0] count[1]] E and H across the axis at the origin [V/m, A/m]; owned */
  double stopped; /* the largest A of waves that do not travel through the plane in the beam's direction */
  double square;  /* int |E|^2 of E's part along the whole plane [V^2] */
};

/* Relative permittivity and permeability of a plane at omega [rad/s], as the grid's steps have them; NULL, or why they
 * are none: media differ, absorb or are anisotropic. */
const char *tor_beam_medium(const struct tor_plane_media *plane, double omega, double *eps, double *mu);

/* eps, mu: relative, of the medium at omega [rad/s], as the grid's steps have them (tor_beam_medium). Ends the run when
 * memory is short. */
void tor_beam_make(const struct tor_source *source, const struct tor_plane_media *plane, double omega, double eps,
                   double mu, struct tor_beam *beam);
/* Room for a sum of count[0] count[1] waves, to be filled: first, step, along, part. Ends the run when memory is short.
 */
void tor_beam_open(const struct tor_plane_media *plane, const double origin[3], const int count[2],
                   struct tor_beam *beam);
void tor_beam_free(struct tor_beam *beam);
/* The power through the plane, as a flux monitor counts it [W; 2-D W/m]; sets square. */
double tor_beam_power(struct tor_beam *beam);

/* A component across the axis [V/m, A/m] at the plane's points moved `cells` along the axis from its node:
 * to[plane->npoints]. */
void tor_beam_field(const struct tor_beam *beam, int comp, double cells, double complex *to);

/* E (h 0) or H (h 1) for a sheet's terms (tor_band_sheet_take); scratch[plane->npoints]. */
void tor_beam_take(const struct tor_beam *beam, int direction, int h, int place, double complex *scratch, double *to);

/* The unit vectors of a beam along which its waists lie, across its direction. */
void tor_beam_frame(const struct tor_source *source, double first[3], double second[3]);

#endif
