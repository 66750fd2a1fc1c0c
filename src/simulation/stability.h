/* Stability check: detects NaN, infinity and unbounded growth of the fields. */
#ifndef TOR_SRC_SIMULATION_STABILITY_H
#define TOR_SRC_SIMULATION_STABILITY_H

#include "src/simulation/simulation.h"

struct tor_stability {
  double most;      /* upper bound of the energy that the job's sources leave in its domain [J]; INFINITY: no sources */
  double settled;   /* time after which all sources are silent [s]; INFINITY: one is continuous */
  double largest;   /* largest energy up to the first check after that time [J] */
  int fixed;        /* that check was done */
  tor_gidx checked; /* step of the last energy that was checked */
};

/* Steps between checks of the energy: a sum over the fields, a few times the cost of one step. */
enum { TOR_STABILITY_EVERY = 512 };

void tor_stability_init(struct tor_stability *stability, struct tor_simulation *sim);

/* True when the energy of the whole domain at a step [J] is bad: not finite; or 1e12 times the energy that the sources'
 * amplitudes make in a domain that stores nothing, more than a resonator collects; or, once all sources are silent, 1e4
 * times the largest energy before, since no passive medium returns that much. Checks each step's energy once; steps
 * must increase. dt: [s]. Local: ranks that check the same energies get the same answer. */
int tor_stability_energy_is_bad(struct tor_stability *stability, tor_gidx step, double energy, double dt);

/* The first value of the fields that is not finite, in the order of columns; when all are, the largest in modulus.
 * Reads all fields (tor_simulation_fetch before). Collective, all ranks at the same step: the same cell on all. */
struct tor_stability_cell {
  int comp, at[3];
  double value; /* V/m or A/m */
  tor_gidx bad; /* values that are not finite */
};
struct tor_stability_cell tor_stability_search(const struct tor_simulation *sim);

/* Logs the cell's position, its medium and advice to the user. Local. */
void tor_stability_report(const struct tor_stability_cell *cell, const struct tor_simulation *sim);

#endif
