/* Sources: dipoles, and the incident plane wave on its one-dimensional grid.
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
#include "src/model/layers.h"
#include "src/model/profile.h"
#include "src/model/sheet_source.h"

/* The face of a mirror (PEC or PMC) across an axis on which a dipole lies; -1: it lies on none. There the domain has
 * half of the dipole, the mirror image is the other half. */
int tor_source_mirror(const struct tor_source *source, const struct tor_grid *grid, int axis);

struct tor_incident; /* the one-dimensional grid of one plane wave */

struct tor_sources {
  const struct tor_job *job;
  const struct tor_grid *grid;
  int nincident;
  struct tor_incident **incident; /* one for each plane wave */
  int nsheets;
  struct tor_sheet_source *sheet; /* [nsheets] */
  int width[TOR_NINJECT_TABLE];   /* columns of the tables */
  double *table[TOR_NINJECT_TABLE];
  void *real_table[TOR_NINJECT_TABLE];
  int capacity;  /* steps the tables hold */
  tor_gidx step; /* the next step that prepare will make */
};

/* A wave along z whose box has side faces travels through the layers; one without (a film's reflection) has the medium
 * at its front face everywhere. Faults: a front face that is open, a wave across layers, a dispersive medium where a
 * wave enters. The sources refer to job and grid, which must outlive them. */
struct tor_sources *tor_sources_new(const struct tor_job *job, const struct tor_grid *grid,
                                    const struct tor_layers *layers, struct tor_faults *faults);
void tor_sources_free(struct tor_sources *sources);

/* Calls add(context, column ix, iy, component, entry) for each injection of all sources into the columns of a block,
 * NULL: all, in a fixed order; with add NULL it only counts. Returns their number. */
double tor_sources_inject(const struct tor_sources *sources, const struct tor_column_block *in, tor_inject_add *add,
                          void *context);
/* Values of all sheets' profiles in a block, tor_slab.profile; to: NULL, or where they go. Returns their number. */
tor_gidx tor_sources_profiles(const struct tor_sources *sources, const struct tor_column_block *in,
                              enum tor_precision precision, void *to);

/* Fills stage->table and width for stage->steps steps from stage->first, which must follow the last prepared step. */
void tor_sources_prepare(struct tor_sources *sources, enum tor_precision precision, struct tor_stage *stage);

/* Of source i of the job, which is no plane wave: the spectrum of its moment or amplitude, sum of f(t) exp(+i omega t)
 * dt over the steps prepared so far, of an electric dipole [A m/Hz], a magnetic one [V m/Hz], a mode [sqrt(W)/Hz], in
 * 2-D per length. A mode of amplitude a has the power |a|^2 / 2 as flux monitors count it, Re(E H*) of spectra: 2 |a|^2
 * of this one. */
double complex tor_source_spectrum(const struct tor_sources *sources, int i, double omega);
/* Of dipole i: the energy that it radiates alone in the medium at its place [J/Hz], twice whose integral over
 * frequencies is all: eta k^2 |I l|^2 / (6 pi), of a magnetic one k^2 |M|^2 / (6 pi eta) (Jackson, Classical
 * Electrodynamics, 3rd ed., eq. 9.24, without the half of a time average). NAN in a medium that absorbs or is
 * anisotropic. */
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
/* Angle between a wave in a periodic cell, of which k is fixed, and the axis across its walls, in a medium of
 * continuous space [rad]; NaN: at this frequency it does not travel along the axis, and its flux is 0. Of other waves
 * 0. */
double tor_incident_angle(const struct tor_sources *sources, int i, double omega);
/* Its wave numbers along the walls or layers [1/m]; of other waves 0. */
void tor_incident_along(const struct tor_sources *sources, int i, double k[3]);
/* The line of an oblique wave in one medium; NULL: it is along an axis. */
struct tor_oblique;
const struct tor_oblique *tor_incident_oblique(const struct tor_sources *sources, int i);

#endif
