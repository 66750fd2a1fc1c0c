/* Sources: time profiles, dipoles, and the incident plane wave on its one-dimensional grid.
 *
 * The incident field of a total-field/scattered-field box is advanced on a one-dimensional grid with the same stencil,
 * coefficients and time step as the three-dimensional one, so that both have the same discrete dispersion and only
 * rounding errors leak out of an empty box (Taflove and Hagness, Computational Electrodynamics, 3rd ed., section 5.6).
 */
#ifndef TOR_SRC_MODEL_SOURCE_H
#define TOR_SRC_MODEL_SOURCE_H

#include <complex.h>

#include "diamond/core/column_state.h"
#include "diamond/core/slab.h"
#include "src/job/grid.h"

/* Value of a time profile at t [s]; its amplitude is not applied. */
double tor_profile_value(const struct tor_profile *profile, double t);
/* Time after which a pulse or a table is over [s]; INFINITY for a continuous wave. */
double tor_profile_end(const struct tor_profile *profile);
/* Frequency [Hz] above which the profile's spectrum is below 1e-8 of its peak; INFINITY for a table. */
double tor_profile_bandwidth(const struct tor_profile *profile);

/* Width of the profile's band [Hz]: of a pulse between the frequencies where its spectrum has fallen to 1/e; of a table
 * the least that its length allows; 0 of a continuous wave. */
double tor_profile_width(const struct tor_profile *profile);

/* Amplitude of a pulse's spectrum at a wavelength, INFINITY: at frequency 0, in units of its peak; 1 for other
 * profiles, whose spectra are unknown. Without what zero_mean takes away. */
double tor_profile_level(const struct tor_profile *profile, double wavelength);

/* The mean of a profile: its time integral over the largest amplitude of its spectrum, of a table over the integral of
 * its modulus, which is at least that; 0 of a continuous one. A dipole leaves charges of this size. */
double tor_profile_mean(const struct tor_profile *profile);

/* The face of a mirror (PEC or PMC) across an axis on which a dipole lies; -1: it lies on none. There the domain has
 * half of the dipole, the mirror image is the other half. */
int tor_source_mirror(const struct tor_source *source, const struct tor_grid *grid, int axis);

struct tor_incident; /* the one-dimensional grid of one plane wave */

struct tor_sources {
  const struct tor_job *job;
  const struct tor_grid *grid;
  int nincident;
  struct tor_incident **incident; /* one for each plane wave */
  int width[TOR_NINJECT_TABLE];   /* columns of the tables */
  double *table[TOR_NINJECT_TABLE];
  void *real_table[TOR_NINJECT_TABLE];
  int capacity;  /* steps the tables hold */
  tor_gidx step; /* the next step that prepare will make */
};

/* cb, ca1: coefficients of the layered background, [6][nzp]. A wave along z whose box has side faces travels through
 * these layers; one without (a film's reflection) has the medium at its front face everywhere. Faults: a front face
 * that is open, a wave across layers, poles_background (a dispersive background). The sources refer to job and grid,
 * which must outlive them. */
struct tor_sources *tor_sources_new(const struct tor_job *job, const struct tor_grid *grid, const double *cb,
                                    const double *ca1, int nzp, int poles_background, struct tor_faults *faults);
void tor_sources_free(struct tor_sources *sources);

/* Calls add(context, column ix, iy, component, entry) for each injection of all sources into the columns of a block,
 * NULL: all, in a fixed order; with add NULL it only counts. Returns their number. */
typedef void tor_inject_add(void *context, int ix, int iy, int comp, const struct tor_inject *entry);
double tor_sources_inject(const struct tor_sources *sources, const struct tor_column_block *in, tor_inject_add *add,
                          void *context);

/* Fills stage->table and width for stage->steps steps from stage->first, which must follow the last prepared step. */
void tor_sources_prepare(struct tor_sources *sources, enum tor_precision precision, struct tor_stage *stage);

/* Of dipole i, a source of the job: its moment's spectrum, sum of f(t) exp(+i omega t) dt over the steps prepared so
 * far [A m/Hz], of a magnetic one [V m/Hz]; and the energy that it radiates alone in the medium at its place [J/Hz],
 * twice whose integral over frequencies is all: eta k^2 |I l|^2 / (6 pi), of a magnetic one k^2 |M|^2 / (6 pi eta)
 * (Jackson, Classical Electrodynamics, 3rd ed., eq. 9.24, without the half of a time average). NAN in a medium that
 * absorbs or is anisotropic. */
double complex tor_dipole_spectrum(const struct tor_sources *sources, int i, double omega);
double tor_dipole_power(const struct tor_sources *sources, int i, double omega);

/* Time after which all sources are silent [s]; INFINITY with a continuous wave. */
double tor_sources_end(const struct tor_sources *sources);

/* Plane wave i: its total-field box in nodes; an open side has no face, the field is total up to the wall.
 * Its flux is Re(E H*) at angular frequency omega [J/Hz/m^2] of all steps prepared so far, positive along the direction
 * of travel; in a layered background that of the medium at the front face alone, without reflections of the layers. */
struct tor_box {
  int lo[3], hi[3]; /* nodes */
  int open[TOR_NFACE];
};
const struct tor_box *tor_incident_box(const struct tor_sources *sources, int i);
const struct tor_source *tor_incident_source(const struct tor_sources *sources, int i);
double tor_incident_flux(const struct tor_sources *sources, int i, double omega);
/* The flux through planes across an axis, per area, positive along the axis; of an oblique wave tor_incident_flux is
 * the length of the vector of these. */
double tor_incident_flux_across(const struct tor_sources *sources, int i, double omega, int axis);
/* The same wave's E [V/m/Hz] and H [A/m/Hz] there, sums of f(t) exp(+i omega t) dt; of an oblique one their parts along
 * its polarisation at the corner of the box that it meets first, of a circular one times sqrt(2). */
void tor_incident_spectrum(const struct tor_sources *sources, int i, double omega, double complex field[2]);
/* The line of an oblique wave; NULL: it is along an axis. */
struct tor_oblique;
const struct tor_oblique *tor_incident_oblique(const struct tor_sources *sources, int i);

#endif
