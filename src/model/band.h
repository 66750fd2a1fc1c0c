/* The band of a source's pulse: the frequencies at which its fields are found, what lies between them, and the sum of
 * lines that makes the pulse (docs/design/plane-sources.md).
 *
 * Points are Chebyshev's extrema, numbered k = 0 ... 8 from the highest frequency on; the centre is number 4. Levels
 * have 1 (the centre), 3, 5 or 9 of them, each level's among the next one's. */
#ifndef TOR_SRC_MODEL_BAND_H
#define TOR_SRC_MODEL_BAND_H

#include <complex.h>

#include "src/job/job.h"
#include "src/job/sheet.h"

enum { TOR_BAND_LEVELS = 4, TOR_BAND_POINTS = 9, TOR_BAND_CENTRE = TOR_BAND_POINTS / 2, TOR_BAND_LINES = 47 };

struct tor_band {
  double omega,
      half; /* of the pulse's spectrum [rad/s]; half 0: a continuous wave, of which there is the centre alone */
};

struct tor_band tor_band_make(const struct tor_profile *profile);

/* The frequency of point k, which may lie between two of them [rad/s]. */
double tor_band_at(const struct tor_band *band, double k);

/* How many points a level has, and whether point k is one of them. */
int tor_band_points(int level);
int tor_band_has(int level, int k);

/* Lagrange's polynomial of point m over the points of a level. */
double tor_band_lagrange(const struct tor_band *band, int level, int m, double omega);

/* Fills the sheet's nfreq, omega, centre, start, end and rise, and the amplitude of the pulse at each frequency:
 * pulse[nfreq]. Ends the run when memory is short. */
void tor_band_lines(const struct tor_band *band, const struct tor_profile *profile, struct tor_sheet *sheet,
                    double complex pulse[TOR_BAND_LINES]);

#endif
