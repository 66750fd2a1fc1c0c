/* Sheets of a job: planes that carry a current along them, such as graphene, thinner than any cell. Plain data; lengths
 * in metres. docs/design/sheets.md has the derivation. */
#ifndef TOR_SRC_JOB_THIN_SHEET_H
#define TOR_SRC_JOB_THIN_SHEET_H

#include "src/job/geometry.h"
#include "src/job/material.h"

struct tor_job;

struct tor_thin_sheet {
  char *name; /* owned; that of its medium */
  int axis;   /* its normal */
  double position;
  int medium;              /* index into the job's media: has the sheet's poles as those of a film of this thickness */
  int film;                /* the medium that it was made of; -1: none */
  double thickness;        /* [m] the smallest cell along the normal */
  int nparts;              /* shapes that cut the sheet out of its plane; 0: all of the plane */
  struct tor_object *part; /* [nparts], owned */
};

void tor_thin_sheet_free(struct tor_thin_sheet *sheet);

/* Whether the sheet has the point x of its plane, or one a period away; other walls are mirrors. */
int tor_thin_sheet_contains(const struct tor_job *job, const struct tor_thin_sheet *sheet, const double x[3]);

/* The medium of a sheet by conductance alone, without dispersion [S], as a film of this thickness [m]: a Drude pole
 * whose collision rate 2 / dt is far above all frequencies. */
void tor_thin_sheet_add_conductance(struct tor_medium *medium, double conductance, double thickness, double dt);

/* What is known of graphene. */
struct tor_graphene {
  double fermi;       /* [J] above 0; that of the opposite sign conducts alike */
  double rate;        /* collision rate [rad/s] */
  double temperature; /* [K] */
};
/* Adds the poles of graphene as a film of this thickness, of the Kubo formula (Falkovsky, J. Phys. Conf. Ser. 129,
 * 012004 (2008)), intraband:
 *
 *   sigma = 2 e^2 k T / (pi hbar^2) ln(2 cosh(E / 2 k T)) / (rate - i w)
 *
 * and interband, of temperature 0: sigma = i e^2 / (4 pi hbar) ln((2 E - hbar (w + i rate)) / (2 E + hbar (w + i
 * rate))), which is an integral over Lorentz poles above 2 E, here the two of Gauss' rule: 0.1 % of it up to half of
 * that energy, 0.5 % up to 0.8 of it. A resonance above what the time step dt holds is moved there, with its part of
 * the static polarisation. */
void tor_thin_sheet_add_graphene(struct tor_medium *medium, const struct tor_graphene *graphene, double thickness,
                                 double dt);
/* Its sheet conductance by these formulas at angular frequency w, time factor exp(-i w t) [S]. */
double _Complex tor_graphene_conductance(const struct tor_graphene *graphene, double w);

#endif
