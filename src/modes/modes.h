/* Modes guided along an axis of the grid: of the engines' own update, so that a mode in a run gains exp(i beta x) on
 * the grid and passes its points without reflection. Time factor exp(-i w t), travelling to higher coordinates.
 *
 * What a mode source and a mode monitor need is here: E and H on a plane's staggered points at unit power, beta, and
 * the overlap of two fields. */
#ifndef TOR_SRC_MODES_MODES_H
#define TOR_SRC_MODES_MODES_H

#include <complex.h>

#include "src/job/job.h"
#include "src/model/plane_media.h"

/* A mode. Fields are those on the plane's points (plane_media.h), in V/m and A/m, for a power of 1 W through the plane
 * (of the part that is computed, beside mirror planes), with the sign that makes the largest value across the axis real
 * and positive; in 2-D for 1 W/m. E_next, E_last, H_axis are at the plane's node; E_axis, H_next, H_last half a cell
 * beyond it: their values include the phase to that place, theta / 2. H is half a step before E in a run; the fields
 * here are both of the same time, as transforms have them. */
struct tor_mode {
  double wavelength, omega;         /* in vacuum [m]; [rad/s] */
  double complex theta;             /* phase of a cell along the axis [rad]: beta d */
  double complex beta;              /* [1/m]: what the run's fields have, exp(i beta x) */
  double complex n_eff;             /* beta c / omega */
  double complex group;             /* c d beta / d omega: its real part is the group index */
  double complex *field[TOR_NCOMP]; /* [npoints], owned */
  double residual;                  /* |P Q e - lambda e| / |lambda e| */
  double te;      /* share of |E|^2 across the axis that lies along the first of the user's two axes across it */
  double area;    /* (int |E|^2)^2 / int |E|^4 [m^2]; in 2-D a width [m] */
  double core;    /* share of the power in the core */
  int evanescent; /* no power: fields are such that the reaction, 1/2 int E x H, is i W */
};

struct tor_mode_request {
  double wavelength; /* in vacuum [m] */
  int count;
  double target; /* index near which modes are wanted; 0: the largest of the plane's media */
  int core;      /* medium of the core; -1: that of the largest index in the plane */
};

/* Solves for the `count` modes nearest to the target, those of the largest real n_eff first. mode: [count]; free each.
 * Returns how many were found; fewer than asked with the reason in why[size]. */
int tor_modes_solve(const struct tor_job *job, const struct tor_plane_media *plane,
                    const struct tor_mode_request *request, struct tor_mode *mode, char *why, size_t size);
/* Solves for the mode whose fields are those of `near`, of another wavelength, changed a little, by inverse iteration
 * from them: 5 to 10 times as fast. target: its index, as far as it is known. *mode: to be freed. Returns 0 where the
 * iteration ends at no mode, with nothing to free. */
int tor_modes_continue(const struct tor_job *job, const struct tor_plane_media *plane,
                       const struct tor_mode_request *request, const struct tor_mode *near, struct tor_mode *mode);
void tor_mode_free(struct tor_mode *mode);

/* 1/2 int (E_a x H_b) along the axis [W], not conjugated, in stretched coordinates where there is CPML: 0 for two
 * different modes of one wavelength. */
double complex tor_mode_overlap(const struct tor_plane_media *plane, const struct tor_mode *a,
                                const struct tor_mode *b);

/* Puts mode[count] in the order in which they continue those before, by the largest overlap. */
void tor_modes_follow(const struct tor_plane_media *plane, const struct tor_mode *before, struct tor_mode *mode,
                      int count);

/* --- mode_numbers.c --- */

/* The largest real index among the media at the plane's nodes, and its medium. */
double tor_plane_largest_index(const struct tor_job *job, const struct tor_plane_media *plane, double wavelength,
                               int *medium);
/* Fills te, area and core. */
void tor_mode_numbers(const struct tor_job *job, const struct tor_plane_media *plane, int core, struct tor_mode *mode);
/* The power of fields through the plane [W], as a flux monitor there measures it. */
double tor_mode_power(const struct tor_plane_media *plane, const struct tor_mode *mode);

/* --- mode_ends.c --- */

/* The share of a mode's energy that would lie beyond the ends of its plane, where the plane ends in the domain: by H at
 * the end and how fast it falls off in the medium there; 1: it does not, n_eff is below the index there. axis, high:
 * the end that has most. */
double tor_mode_beyond(const struct tor_job *job, const struct tor_plane_media *plane, const struct tor_mode *mode,
                       int *axis, int *high);
/* What is to be warned of; returns 0 where that share is below TOR_SHEET_CUT_OFF. */
int tor_mode_beyond_text(const struct tor_job *job, const struct tor_plane_media *plane, const struct tor_mode *mode,
                         char *text, size_t size);

#endif
