/* Incoherent sums: places of dipoles in the parts of a box, means over them and what these are uncertain by. Pure
 * numbers; local. */
#ifndef TOR_SRC_STUDY_ENSEMBLE_H
#define TOR_SRC_STUDY_ENSEMBLE_H

#include "src/job/job.h"

/* Parts of the box. */
int tor_ensemble_places(const struct tor_ensemble_job *ensemble);

/* Place i, at random or in the middle of its part: the parts in rows along the first axis with several, each row back
 * along the one before, so that neighbours in number are neighbours in the box. x: in the user's axes [m]; the same for
 * one seed on any machine. */
void tor_ensemble_place(const struct tor_ensemble_job *ensemble, int i, double x[3]);

struct tor_ensemble_mean {
  double value;
  double error; /* standard, of the mean; NAN: unknown, of one place; 0 of one place where `exact` */
};

/* Of values at places 0 ... n - 1: of second differences, value[i - 1] - 2 value[i] + value[i + 1], a sixth of the mean
 * square is the variance of a value about its neighbours (von Neumann's successive differences): that of independent
 * values, too, and not smaller than that of one value in each part. */
struct tor_ensemble_mean tor_ensemble_mean(const double *value, int n, int exact);

/* Ratio of the means of two, which vary together. */
struct tor_ensemble_mean tor_ensemble_ratio(const double *above, const double *below, int n, int exact);

#endif
