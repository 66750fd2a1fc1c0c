/* Parts of tor_results_write, for results*.c. Each returns the number of files that could not be written. */
#ifndef TOR_SRC_RESULTS_RESULTS_PARTS_H
#define TOR_SRC_RESULTS_RESULTS_PARTS_H

#include "io/hdf5/h5.h"
#include "src/modes/mode_amplitudes.h"
#include "src/results/results.h"

/* In results.h5 and run.json. 2: arrays [z][y][x], a folder for each snapshot monitor, cross-sections per length where
 * the domain is one cell thick. Raised when a name, a unit, a shape or an order of axes changes. */
enum { TOR_RESULTS_FORMAT = 2 };

int tor_results_write_h5(const struct tor_results *results);
int tor_results_write_images(const struct tor_results *results);
/* A monitor of diffraction orders: NAME_orders.csv, a row for each order, direction and wavelength. */
int tor_results_write_orders(const struct tor_results *results, const struct tor_recorder *recorder);
/* The same in /monitors/NAME, by wavelength and order. */
void tor_results_write_orders_h5(struct tor_h5 *h5, const struct tor_results *results,
                                 const struct tor_recorder *recorder);

/* What guided modes carry through the planes of all monitors of kind TOR_MODE, [monitors' count]; the other entries,
 * and all in a build without the solver, are zero. To be freed by the second function. */
struct tor_mode_amplitudes *tor_results_make_modes(const struct tor_results *results);
void tor_results_free_modes(const struct tor_results *results, struct tor_mode_amplitudes *modes);
/* NAME_modes.csv: a row for each wavelength and mode. Fewer modes than asked for count as a file, too. */
int tor_results_write_modes(const struct tor_results *results, const struct tor_recorder *recorder,
                            const struct tor_mode_amplitudes *amplitudes);
/* Amplitudes, indices and beta in /monitors/NAME. */
void tor_results_write_modes_h5(struct tor_h5 *h5, const struct tor_results *results,
                                const struct tor_recorder *recorder, const struct tor_mode_amplitudes *amplitudes);

/* The resonances of all monitors of kind TOR_RESONANCES, [monitors' count]; the other entries are zero. A monitor
 * without any logs a warning. To be freed by the second function. */
struct tor_resonances {
  double from; /* begin of the record [s], where amplitudes are given */
  int count;
  struct tor_harmonic *found; /* [count], by rising wavelength; amplitudes of the patches in their order [V/m, A/m] */
};
struct tor_resonances *tor_results_make_resonances(const struct tor_results *results);
void tor_results_free_resonances(const struct tor_results *results, struct tor_resonances *resonances);
/* NAME_resonances.csv: a row for each. */
int tor_results_write_resonances(const struct tor_results *results, const struct tor_recorder *recorder,
                                 const struct tor_resonances *resonances);
/* The same in /monitors/NAME. */
void tor_results_write_resonances_h5(struct tor_h5 *h5, const struct tor_results *results,
                                     const struct tor_recorder *recorder, const struct tor_resonances *resonances);

/* What media absorb. NAME_absorption.csv: a row for each wavelength, two columns for each medium and object that does.
 */
int tor_results_write_absorption(const struct tor_results *results, const struct tor_recorder *recorder,
                                 const struct tor_spectrum *spectrum);
/* The map and the sums in /monitors/NAME. */
void tor_results_absorption_h5(struct tor_h5 *h5, const struct tor_results *results,
                               const struct tor_recorder *recorder, const struct tor_absorption *absorption);
/* The parts of such maps: [wavelength][count[0]][count[1]][count[2]] values of a box's cells as /monitors/NAME/WHAT, in
 * the user's axes; and the centres of these cells. */
void tor_results_map_h5(struct tor_h5 *h5, const struct tor_results *results, const struct tor_recorder *recorder,
                        const int count[3], const double *density, const char *what, const char *unit,
                        const char *meaning);
void tor_results_map_centres(struct tor_h5 *h5, const struct tor_results *results, const struct tor_recorder *recorder,
                             const int first[3], const int count[3]);
/* Energies of E and H: maps in /monitors/NAME. */
void tor_results_energy_h5(struct tor_h5 *h5, const struct tor_results *results, const struct tor_recorder *recorder,
                           const struct tor_energy_density *energy);
/* NAME_absorption_x_530nm.png: the map in the planes of the axes through the box's middle. */
int tor_results_absorption_images(const struct tor_results *results, const struct tor_recorder *recorder,
                                  const struct tor_absorption *absorption);

/* The permittivity that a run has: its elements in /monitors/NAME. */
void tor_results_permittivity_h5(struct tor_h5 *h5, const struct tor_results *results,
                                 const struct tor_monitor *monitor);

/* Logs a file as written and lists it for run.json; a warning when status is not 0. */
int tor_results_log_file(const struct tor_results *results, const char *path, int status, const char *why);

#endif
