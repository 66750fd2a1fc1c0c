/* What the energy that is left in the domain when a run ends may still change in spectra of power.
 *
 * Fields after the end are missing in the transforms. If the energy U left has the band df of the sources, it has the
 * spectrum d = U / (2 df) [J/Hz; positive frequencies have half of it], and where the power is P it may add
 * 2 sqrt(P d) + d to it: the square of a sum of two fields. This is an upper estimate, because most of the energy is
 * absorbed or leaves elsewhere; only resonances much narrower than df may be further off, near their peaks. */
#ifndef TOR_SRC_RESULTS_LEFTOVER_H
#define TOR_SRC_RESULTS_LEFTOVER_H

#include "src/job/job.h"
#include "src/model/known_errors.h"
#include "src/model/monitor.h"
#include "src/simulation/simulation.h"

struct tor_leftover {
  double energy;           /* left in the domain [J; J/m in two dimensions] */
  double error;            /* of the largest power of all monitors, by the energy left and what was known before; -1: no
                              estimate */
  double energy_error;     /* by the energy alone; -1: no estimate, for want of power monitors, since a source leaves
                              charges, or since all powers are rounding */
  double factor;           /* by which the energy has yet to fall for an error of 1 %, or of half the job's tolerance */
  const char *unconverged; /* the error exceeds the job's tolerance: its main cause, as run.json has it; else NULL */
  struct tor_known_errors known;
};

/* The widest band of the sources [Hz]; 0: one never ends, or leaves charges, whose energy stays. */
double tor_leftover_band(const struct tor_job *job);
/* Whether the flux through a recorder's planes counts among the powers that may be off. */
int tor_leftover_knows(const struct tor_recorder *recorder);
/* Powers below this [J/Hz] are rounding of the run's energy, such as those behind a wave that nothing reflects. */
double tor_leftover_rounding(const struct tor_simulation *sim, double band);
/* The amplitude that this energy [J] may add, over that of the power [J/Hz]. */
double tor_leftover_amplitude(double energy, double band, double power);

/* At the end of a run, with the monitors' data of the whole domain. energy: of the whole domain then [J]. */
struct tor_leftover tor_leftover_find(const struct tor_simulation *sim, double energy);

/* Warns of an error of 2 % or more, or above the tolerance, with its cure: the time by which the energy has fallen far
 * enough at the rate of last [1/s] (NaN: unknown); where it does not fall (0), or needs a hundred times the run's time,
 * no time helps. */
void tor_leftover_warn(const struct tor_leftover *leftover, const struct tor_simulation *sim, double rate);

#endif
