/* What the energy that is left in the domain when a run ends may still change in spectra of power.
 *
 * Fields after the end are missing in the transforms. If the energy U left has the band df of the sources, it has the
 * spectrum d = U / (2 df) [J/Hz; positive frequencies have half of it], and where the power is P it may add
 * 2 sqrt(P d) + d to it: the square of a sum of two fields. This is an upper estimate, because most of the energy is
 * absorbed or leaves elsewhere; only resonances much narrower than df may be further off, near their peaks. */
#ifndef TOR_SRC_RESULTS_LEFTOVER_H
#define TOR_SRC_RESULTS_LEFTOVER_H

#include "src/job/job.h"
#include "src/model/cut_off.h"
#include "src/simulation/simulation.h"

enum tor_unconverged {
  TOR_CONVERGED,   /* or not known */
  TOR_CUT_OFF,     /* the error exceeds the job's tolerance, and a source lasts longer than the run (cut_off.h) */
  TOR_ENERGY_LEFT, /* the error exceeds the job's tolerance, with all sources over */
};

struct tor_leftover {
  double energy; /* left in the domain [J; J/m in two dimensions] */
  double error;  /* of the largest power of all monitors; -1: no estimate, for want of power monitors, since a source
                    leaves charges, or since all powers are rounding. Of a source cut off: at least cut.error */
  double factor; /* by which the energy has yet to fall for an error of 1 %, or of half the job's tolerance */
  enum tor_unconverged unconverged;
  struct tor_cut_off cut;
};

/* The widest band of the sources [Hz]; 0: one never ends, or leaves charges, whose energy stays. */
double tor_leftover_band(const struct tor_job *job);
/* Powers below this [J/Hz] are rounding of the run's energy, such as those behind a wave that nothing reflects. */
double tor_leftover_rounding(const struct tor_simulation *sim, double band);
/* The amplitude that this energy [J] may add, over that of the power [J/Hz]; the error of the power; its inverse. */
double tor_leftover_amplitude(double energy, double band, double power);
double tor_leftover_error(double amplitude);
double tor_leftover_part(double error);

/* At the end of a run, with the monitors' data of the whole domain. energy: of the whole domain then [J]. */
struct tor_leftover tor_leftover_find(const struct tor_simulation *sim, double energy);

/* Warns of an error of 2 % or more, or above the tolerance, with its cure. rate: at which the energy fell at last
 * [1/s]; 0: unknown. */
void tor_leftover_warn(const struct tor_leftover *leftover, const struct tor_simulation *sim, double rate);

#endif
