/* Watches for fields that are no numbers or grow without end: an unstable job. */
#ifndef TOR_SRC_SIMULATION_STABILITY_H
#define TOR_SRC_SIMULATION_STABILITY_H

#include "src/simulation/simulation.h"

struct tor_stability {
  double most;     /* energy that no sources like the job's leave in a domain of its size [J]; INFINITY: no sources */
  double settled;  /* time when all sources are over [s]; INFINITY: one goes on */
  double largest;  /* energy up to the first look after that time [J] */
  int fixed;       /* that look was taken */
  tor_gidx looked; /* step of the last energy that was looked at */
};

/* Steps between looks at the energy: a sum over the fields, a few times the cost of one step. */
enum { TOR_GUARD_EVERY = 512 };

void tor_stability_init(struct tor_stability *stability, struct tor_simulation *sim);

/* True when the energy of the whole domain at a step [J] is bad: not finite; or 1e12 times what the sources' amplitudes
 * make in a domain that stores nothing, more than a resonator collects; or, once sources are over, 1e4 times the
 * largest before, since no passive medium gives that much back. Looks at each step's energy once; steps rise. dt: [s].
 * Local: ranks that look at the same energies say the same. */
int tor_stability_energy_is_bad(struct tor_stability *stability, tor_gidx step, double energy, double dt);

/* The first value of the fields that is not finite, in the order of columns; when all are, the largest in modulus.
 * Reads all fields (tor_simulation_fetch before). Collective, all ranks at the same step: the same cell on all. */
struct tor_stability_cell {
  int comp, at[3];
  double value; /* V/m or A/m */
  tor_gidx bad; /* values that are not finite */
};
struct tor_stability_cell tor_stability_search(const struct tor_simulation *sim);

/* Where the cell is, what its medium is, and what the user may do: log lines. Local. */
void tor_stability_report(const struct tor_stability_cell *cell, const struct tor_simulation *sim);

#endif
