/* A plane wave of fixed wave numbers along two axes, in a homogeneous medium, on a grid of one dimension along the
 * third.
 *
 * In a periodic cell all that a wave of wave vector k along the walls makes has these wave numbers. Its fields are
 * exp(i (k_b x_b + k_c x_c)) times what depends on the place along the axis a alone (a, b, c cyclic), so that
 * differences along b and c are factors i kappa, kappa = 2 sin(k d / 2) (order 4: with the third of its argument's
 * term), and the line's equations are the grid's own: what it carries is a solution of these to rounding, of any
 * frequency. Along a, E and H half a cell beside each other as in the grid. With the components along a taken as i
 * times what is stored all numbers are real; a profile in time has its spectrum at both signs of the frequency, and
 * monitors of complex fields see the one that travels along k.
 *
 * The angle depends on the frequency: k is fixed. Below the frequency at which the wave travels along the walls it
 * fades along the axis. E across the plane of incidence (s) is sent by a sheet of magnetic currents, H across it (p) by
 * one of electric currents: the amplitudes of E and of H are those of the profile at all frequencies, where the other
 * current's would grow without limit near that frequency. */
#ifndef TOR_SRC_MODEL_TILTED_LINE_H
#define TOR_SRC_MODEL_TILTED_LINE_H

#include "diamond/core/slab.h"
#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/sheet_source.h"

struct tor_tilted {
  const struct tor_grid *grid;
  int axis, next, last, direction; /* a, b, c; of travel along a */
  double k[3], kappa[3];           /* along b and c; wave number [1/m], and that of a bare difference */
  double eps, mu;                  /* of the medium, relative */
  double p[3], s[3];               /* unit vectors along the walls: of the grid's k, and axis x p */
  struct tor_profile profile[2];   /* of the two polarisations; the tables are the source's */
  double e_s[2], h_s[2];           /* their amplitudes: of E along s, of H along s in units of E over the impedance */
  int count, offset;               /* nodes; node i of the domain is number i - offset, half cell j behind node j */
  int lo, span;                    /* the nodes, and the half cells behind them, that the faces of the box read */
  int sheet, watch;                /* node of the currents; of the front face */
  double cb[TOR_NCOMP];            /* f += cb curl */
  double *field[TOR_NCOMP];        /* [count + 6], three zeros on either side; scaled as in the slab */
  double *psi[4];                  /* [count] of E and H along b and c: memory of the absorbing layers */
  struct tor_tilted_layer {
    double ik, b, c;
  } *layer[2]; /* [count] at nodes, at half cells */
};

/* box, open: its nodes and open sides. medium: of the front face, without losses and poles, isotropic. */
struct tor_tilted *tor_tilted_new(const struct tor_grid *grid, const struct tor_source *source, const int lo[3],
                                  const int hi[3], const int open[TOR_NFACE], const struct tor_medium *medium);
void tor_tilted_free(struct tor_tilted *line);

/* Half steps; currents are those at time t [s] of the source's profile. */
void tor_tilted_step_h(struct tor_tilted *line, double t);
void tor_tilted_step_e(struct tor_tilted *line, double t);

/* Whether its phase changes along z, so that what it injects has profiles; their values, tor_slab.profile: cosine and
 * sine of the phase along z of E and H along b and c. to: NULL, or where they go. Returns their number. */
int tor_tilted_turns(const struct tor_tilted *line);
tor_gidx tor_tilted_values(const struct tor_tilted *line, enum tor_precision precision, void *to);
/* Adds the injections of `of` into `comp` of column (ix, iy): one or, with profiles from `profile` on, two. entry: its
 * table, factor, z0, nz, and as index the place along the axis in the wave's part of the table. */
void tor_tilted_inject(const struct tor_tilted *line, int of, tor_gidx profile, const struct tor_inject *entry, int ix,
                       int iy, int comp, tor_inject_add *add, void *context);

/* Phase over half a cell along the axis that the grid's wave of angular frequency omega has [rad]; -1: it does not
 * travel. */
double tor_tilted_half_phase(const struct tor_tilted *line, double omega);
/* Angle between its direction and the axis in a medium of continuous space [rad]; NaN: it does not travel. */
double tor_tilted_angle(const struct tor_tilted *line, double omega);

#endif
