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
#include "src/model/layers.h"
#include "src/model/line_poles.h"
#include "src/model/sheet_source.h"

struct tor_tilted {
  const struct tor_grid *grid;
  int finite;                      /* for a box with sides, in real fields: see tor_tilted_inject */
  int axis, next, last, direction; /* a, b, c; of travel along a */
  double k[3], kappa[3];           /* along b and c; wave number [1/m], and that of a bare difference */
  double eps, mu;                  /* of the medium, relative */
  double p[3], s[3];               /* unit vectors along the walls: of the grid's k, and axis x p */
  struct tor_profile profile[2];   /* of the two polarisations; the tables are the source's */
  double e_s[2], h_s[2];           /* their amplitudes: of E along s, of H along s in units of E over the impedance */
  int count, offset;               /* nodes; node i of the domain is number i - offset, half cell j behind node j */
  int lo, span;                    /* the nodes, and the half cells behind them, that the faces of the box read */
  int sheet, watch;                /* node of the currents; of the front face */
  double *cb[TOR_NCOMP], *ca1[TOR_NCOMP]; /* [count]: f += ca1 f + cb curl */
  struct tor_line_poles *poles;           /* NULL: none */
  double *curl;                           /* [count] */
  double *field[TOR_NCOMP];               /* [count + 6], three zeros on either side; scaled as in the slab */
  double *psi[4];                         /* [count] of E and H along b and c: memory of the absorbing layers */
  struct tor_tilted_layer {
    double ik, b, c;
  } *layer[2]; /* [count] at nodes, at half cells */
};

struct tor_tilted_setup {
  const struct tor_source *source; /* its profile, and circular */
  int axis, direction;             /* of travel */
  double travel[3], across[3];     /* unit vectors of the direction and of E */
  double k[3];                     /* wave numbers along the walls, or sides of the box [1/m] */
  int front, lo, hi; /* nodes along the axis: of the front face; between them faces are that read fields */
  const struct tor_medium *medium; /* at the front face: isotropic, without losses and poles */
  const struct tor_layers *layers; /* along z, which is the axis; NULL: the medium is everywhere */
  int finite;
  int quarter; /* 1: the profile comes a quarter of a period earlier */
};
struct tor_tilted *tor_tilted_new(const struct tor_grid *grid, const struct tor_tilted_setup *setup);
void tor_tilted_free(struct tor_tilted *line);

/* Half steps; currents are those at time t [s] of the source's profile. */
void tor_tilted_step_h(struct tor_tilted *line, double t);
void tor_tilted_step_e(struct tor_tilted *line, double t);

/* Whether its phase changes along z, so that what it injects has profiles; their values, tor_slab.profile: cosine and
 * sine of the phase along z of E and H along b and c. to: NULL, or where they go. Returns their number. */
int tor_tilted_turns(const struct tor_tilted *line);
tor_gidx tor_tilted_values(const struct tor_tilted *line, enum tor_precision precision, void *to);
/* Columns of the tables of E and H: [components along the walls][span], of a finite line [x, y, z][span], of its two
 * lines one after the other. How many injections a site has. */
int tor_tilted_width(const struct tor_tilted *line);
int tor_tilted_injections(const struct tor_tilted *line);
/* Adds the injections of `of` at indices at[3] into `comp` of column ix, iy. In a cell: one or, with profiles from
 * `profile` on, two. Of a finite line F with its second one G, a quarter of a period earlier, so that F + i G has one
 * sign of the frequency and travels along k, the real part of (F + i G) exp(i k x), where components along the axis
 * have another factor i. entry: its table, factor, z0, nz, and as index the first column of the wave's part of the
 * table. */
void tor_tilted_inject(const struct tor_tilted *line, int of, tor_gidx profile, const struct tor_inject *entry,
                       const int at[3], const int column[2], int comp, tor_inject_add *add, void *context);
/* Copies the fields of E or H that faces read into a row of the table's part; second: NULL, or the second line. */
void tor_tilted_row(const struct tor_tilted *line, const struct tor_tilted *second, int is_h, double *row);

/* Phase over half a cell along the axis that the grid's wave of angular frequency omega has [rad]; -1: it does not
 * travel. */
double tor_tilted_half_phase(const struct tor_tilted *line, double omega);
/* Angle between its direction and the axis in a medium of continuous space [rad]; NaN: it does not travel. */
double tor_tilted_angle(const struct tor_tilted *line, double omega);

#endif
