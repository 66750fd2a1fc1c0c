/* Thin metal films whose guided waves reach farther than the absorbing layers around them. */
#ifndef TOR_SRC_MODEL_FILM_WARNINGS_H
#define TOR_SRC_MODEL_FILM_WARNINGS_H

#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/known_errors.h"

/* Wave number of the slow wave that a film guides, much larger than that of light [1/m]: of permittivity eps, thickness
 * t [m], between permittivities below and above. 0: it guides none, or one not slower than twice light in these media.
 *
 *     exp(-2 k t) = (eps + below) (eps + above) / ((eps - below) (eps - above)) */
double tor_film_wave_number(double _Complex eps, double t, double below, double above, double omega);

/* The longest of these waves, of all films across the whole domain, at the monitors' wavelengths [m]; 0: none, or a
 * film guides one that is not slow. */
double tor_film_longest_wave(const struct tor_job *job, const struct tor_grid *grid);

/* Error of powers over the largest, where so much of the wave's amplitude comes back: an upper estimate by what was
 * measured in 2-D (docs/measurements/hard-jobs.md). */
double tor_film_error_of(double returned);

/* Dipoles beside films in whose domain the CPML lies within that wave's near field, exp(-k x): a CPML returns 1.4 times
 * the amplitude of such fields at its entry. Below 20 % at a dipole: no error. */
void tor_film_error(const struct tor_job *job, const struct tor_grid *grid, struct tor_known_errors *errors);

/* The domain's lengths [m] with the CPML outside these near fields: its own where tor_film_error finds nothing. */
void tor_film_extent(const struct tor_job *job, const struct tor_grid *grid, double extent[3]);

#endif
