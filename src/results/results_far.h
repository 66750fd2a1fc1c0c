/* Far fields in the results: numbers that NAME_far.csv, results.h5 and pictures share. */
#ifndef TOR_SRC_RESULTS_RESULTS_FAR_H
#define TOR_SRC_RESULTS_RESULTS_FAR_H

#include <complex.h>

#include "io/hdf5/h5.h"
#include "src/model/monitor.h"
#include "src/results/results.h"

/* Of a monitor: directions [theta][phi], n of them. */
struct tor_far_table {
  tor_gidx directions;
  double complex *field;     /* [nfreq][n][2], as tor_far_field_at has it */
  double *power;             /* [nfreq][n], per angle */
  double *total;             /* [nfreq], what leaves the surface */
  double *index, *impedance; /* [nfreq], of the medium there */
  double *incident;          /* [nfreq], of the only source, a plane wave: J/Hz/m^2; else 0 */
  tor_gidx points;           /* of a plane in space, 0: there is none; [z][y][x] of the user's axes */
  double complex *seen;      /* [nfreq][points][6], E and H along the user's axes */
  double *through;           /* [nfreq], power through the plane along its axis */
  int ncosine[2];            /* along the two axes across, in the user's order; 2-D: ncosine[1] = 1; 0: none */
  double complex *cosine;    /* [nfreq][ncosine[1]][ncosine[0]][3], r E exp(-i k r) along the user's axes */
  double *cosine_power;      /* [nfreq][ncosine[1]][ncosine[0]], per angle; both NAN beyond the unit circle */
};

void tor_far_table_make(const struct tor_results *results, const struct tor_recorder *recorder,
                        struct tor_far_table *table);
void tor_far_table_free(struct tor_far_table *table);

/* NAME_far.csv: a row for each wavelength and direction. Returns the number of files that could not be written. */
int tor_results_write_far(const struct tor_results *results, const struct tor_recorder *recorder,
                          const struct tor_far_table *table);
/* Its datasets in /monitors/NAME. */
void tor_results_far_h5(struct tor_h5 *h5, const struct tor_results *results, const struct tor_recorder *recorder,
                        const struct tor_far_table *table);
/* NAME_far_530nm.png: the directivity in the planes of the axes, one picture a wavelength. */
int tor_results_far_images(const struct tor_results *results, const struct tor_recorder *recorder);

/* --- On planes in space and on direction cosines: results_seen.c --- */

struct tor_far_field;
/* Makes room for them; computes them of a wavelength. */
void tor_far_seen_begin(const struct tor_results *results, const struct tor_recorder *recorder,
                        struct tor_far_table *table);
void tor_far_seen_make(const struct tor_results *results, const struct tor_recorder *recorder, int freq,
                       const struct tor_far_field *far, struct tor_far_table *table);
/* Datasets in /monitors/NAME/plane and /monitors/NAME/cosines. */
void tor_results_seen_h5(struct tor_h5 *h5, const struct tor_results *results, const struct tor_recorder *recorder,
                         const struct tor_far_table *table);
/* NAME_plane_530nm.png: |E|^2; NAME_cosines_530nm.png: power per angle. In 2-D lines. Returns the number of files that
 * could not be written. */
int tor_results_seen_images(const struct tor_results *results, const struct tor_recorder *recorder,
                            const struct tor_far_table *table);

#endif
