/* Ends a run when the powers of its monitors have settled, `run.until`.
 *
 * Powers are looked at a few times in a run, with energy sums, whose steps the job fixes: with the first after the
 * sources are over and with those before which the energy has fallen to the level of `wake`, at most a quarter of that
 * at the last look. They have settled when two estimates of what is missing are below run.until, in parts of the
 * largest power of all monitors:
 *
 * - what the energy in the domain may add: that of leftover.h, by which a run's end is judged
 * - what the powers have changed since the last look, continued: amplitudes have shrunk by q = sqrt(energy / energy
 *   then) since, so that what is still to come is q / (1 - q) of the change. It has resonances sharper than the band of
 *   the sources, of which the first knows nothing
 *
 * Orders and decay rates are parts of themselves where there are no others (leftover.h does not know them). Each look
 * collects the sums of those monitors on rank 0, which decides. No schedule changes steps, energies or sums, so none
 * changes the end. */
#ifndef TOR_SRC_RUN_SETTLING_H
#define TOR_SRC_RUN_SETTLING_H

#include "comm/exchange/exchange.h"
#include "src/base/types.h"
#include "src/simulation/simulation.h"

/* The last step at which the next stage may end, at most `until`: a look needs all columns at one step. */
tor_gidx tor_settling_until(const struct tor_simulation *sim, tor_gidx until);

/* After a stage. due: sim->settling.due before it. sums: energy sums before it. Collective. */
void tor_settling_look(struct tor_simulation *sim, struct tor_exchange *exchange, int due, int sums);

/* Logs how it ended: why, and when; a warning where the run's time was too short. */
void tor_settling_log(const struct tor_simulation *sim);

#endif
