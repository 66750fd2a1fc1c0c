/* What spectra lack where a run ends before its sources do: known before the first step. */
#ifndef TOR_SRC_MODEL_CUT_OFF_H
#define TOR_SRC_MODEL_CUT_OFF_H

#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/known_errors.h"

/* The spectrum of a profile after `time` [s], the largest modulus at the n angular frequencies [rad/s], over the
 * largest of the spectrum before. A continuous wave: 0 at frequencies that it has (within half of 1 / time), else the
 * largest value; that is TOR_ALL_WRONG, also of a profile that hardly has begun. */
double tor_profile_cut_off(const struct tor_profile *profile, double time, const double *omega, int n);

/* A run that ends before a source does. */
struct tor_cut_off {
  int source; /* the one whose spectrum lacks most at the monitors' wavelengths; -1: none by more than 0.1 % of powers
               */
  double amplitude; /* what it lacks, over the largest amplitude of its spectrum (tor_profile_cut_off) */
  double error;     /* so much may be missing in spectra of power, over the largest: 2 amplitude + amplitude^2 */
  double time; /* of a run in which all that end have ended and their waves crossed the domain twice [s]; 0: none ends
                */
};

/* Spectra of a part of the time (`window`) that is over when the run ends do not count. Without other spectra: none. */
struct tor_cut_off tor_cut_off_find(const struct tor_job *job, const struct tor_grid *grid);

/* The same as a known error, with the time that cures it. */
void tor_cut_off_error(const struct tor_job *job, const struct tor_grid *grid, struct tor_known_errors *errors);

#endif
