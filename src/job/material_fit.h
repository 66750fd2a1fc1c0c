/* Poles fitted to a table of n and k: Drude and Lorentz poles whose strengths are at least 0, so passive whatever the
 * table is.
 *
 * The arithmetic is +, -, *, / and square roots in a fixed order, and the numbers are rounded to seven figures of the
 * job file's units: all ranks and machines have the same poles, and those printed are those that run. */
#ifndef TOR_SRC_JOB_MATERIAL_FIT_H
#define TOR_SRC_JOB_MATERIAL_FIT_H

#include "src/job/index_table.h"
#include "src/job/material.h"

enum { TOR_FIT_MOST = 12, TOR_FIT_POLES = 6, TOR_FIT_POINTS = 128, TOR_FIT_FEWEST = 4 /* points */ };
#define TOR_FIT_WANTED 0.005 /* an error at which no further pole is added */
#define TOR_FIT_LIMIT 0.05   /* of the rms error by default: above it a table is refused */

struct tor_fit_options {
  int most;        /* poles, 1 to TOR_FIT_MOST */
  double wanted;   /* rms error at which no further pole is added */
  double range[2]; /* wavelengths of the points that count [m] */
};

/* The medium 1 + c + poles that is nearest to the table: least squares of the relative errors of eps, over
 * TOR_FIT_POINTS points at most. Poles are added one by one, each where it helps most, and all numbers are refined
 * after each by Levenberg's and Marquardt's method, then each pole is tried elsewhere. In range a Lorentz pole is at
 * least as wide as the distance of the table's points; where the table has no k the poles are lossless and outside the
 * range. The table has at least one point in range. medium: the caller's, with range and fit, without table and source.
 */
void tor_medium_fit(const char *name, const struct tor_index_table *table, const struct tor_fit_options *options,
                    struct tor_medium *medium);

/* The table's points within these wavelengths [m]. */
int tor_fit_points(const struct tor_index_table *table, const double range[2]);

/* The errors of any medium, along x, at the table's points within these wavelengths [m]. */
void tor_fit_errors(const struct tor_medium *medium, const struct tor_index_table *table, const double range[2],
                    struct tor_fit_report *report);

#endif
