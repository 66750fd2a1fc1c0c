/* Stability check: detects NaN, infinity and unbounded growth of the fields. */
#ifndef TOR_SRC_SIMULATION_STABILITY_H
#define TOR_SRC_SIMULATION_STABILITY_H

#include "src/simulation/simulation.h"

enum tor_instability {
  TOR_STABLE,
  TOR_UNSTABLE_ENERGY, /* not finite, or more than the sources can have given */
  TOR_UNSTABLE_RISING  /* rises exponentially where nothing drives it so */
};

struct tor_stability {
  double most;      /* upper bound of the energy that the job's sources leave in its domain [J]; INFINITY: no sources */
  double settled;   /* time after which all sources are silent [s]; INFINITY: one is continuous */
  double steady;    /* time after which pulses are silent and continuous sources have their full amplitude [s] */
  double largest;   /* largest energy up to the first check after `settled` [J] */
  double rounding;  /* tor_energy_rounding */
  int fixed;        /* that check was done */
  tor_gidx checked; /* step of the last energy that was checked */
  double *energy;   /* [count] since `steady`: the largest of each TOR_STABILITY_EVERY steps [J], owned */
  int count;
  size_t capacity;
  tor_gidx interval; /* of the last of them: step / TOR_STABILITY_EVERY */
  int amplifies;     /* a medium with a saturable pole gives energy: what is said of passive ones does not hold */
};

/* Steps between checks of the energy: a sum over the fields, a few times the cost of one step. */
enum { TOR_STABILITY_EVERY = 512 };

/* Energies and powers below this fraction of the largest are rounding: squares of a field's last bits, with a margin.
 */
double tor_energy_rounding(enum tor_precision precision);

void tor_stability_init(struct tor_stability *stability, struct tor_simulation *sim);
void tor_stability_free(struct tor_stability *stability);

/* Checks the energy of the whole domain at a step [J]. It is bad when it is not finite; or 1e12 times what the sources'
 * amplitudes make in a domain that stores nothing, more than a resonator collects; or, once all sources are silent, 1e4
 * times the largest energy before, since no passive medium returns that much. It rises when, after pulses, it is 100
 * times its least since then, or with a continuous source 100 times that at half the time since the source had its
 * amplitude (a lossless resonator's grows as the square of the time: 4 times), and has doubled in each of the last
 * three eighths of that time, no slower than in the one before. Energies are compared as the largest of a few intervals
 * of TOR_STABILITY_EVERY steps, because the energy of poles is not counted, so that of a plasmon oscillates. Checks
 * each step's energy once; steps must increase. In jobs with gain that saturates only energies that are not finite are
 * bad. dt: [s]. Local: ranks that check the same energies get the same
 * answer. */
enum tor_instability tor_stability_check(struct tor_stability *stability, tor_gidx step, double energy, double dt);

/* At the end of the run: whether the energy has begun to rise, to 10 times its least, or to 10 times that at half the
 * time, with two doublings; or after pulses to 1000 times its least in whatever way (tor_stability_risen). */
enum tor_instability tor_stability_end(const struct tor_stability *stability);

/* At the end of the run: the rate at which the energy fell during the last half of the time since `steady` [1/s]; below
 * 0: it has risen as the next function says; 0: neither; NaN: there are too few energies, as after a restart near the
 * end. */
double tor_stability_rate(const struct tor_stability *stability, double dt);

struct tor_stability_rise {
  double factor; /* by which the energy has risen at last */
  int intervals; /* of TOR_STABILITY_EVERY steps, in which it did; 0: it has not */
};

/* At the end of the run: a rise of the energy after pulses, more than 4 times in two eighths of the time since then or
 * more, each of which has more than the one before. No proof, because the energy of poles, from which it may come, is
 * not counted. */
struct tor_stability_rise tor_stability_risen(const struct tor_stability *stability);

/* Warns of that at the end of a run that is not unstable, with what CPML has to do with it. */
void tor_stability_warn(const struct tor_stability *stability, const struct tor_simulation *sim);

/* The first value of the fields that is not finite, in the order of columns; when all are, the largest in modulus.
 * Reads all fields (tor_simulation_fetch before). Collective, all ranks at the same step: the same cell on all. */
struct tor_stability_cell {
  int comp, at[3];
  double value; /* V/m or A/m */
  tor_gidx bad; /* values that are not finite */
};
struct tor_stability_cell tor_stability_search(const struct tor_simulation *sim);

/* Logs the cell's position, its medium and advice to the user. Local. */
void tor_stability_report(enum tor_instability instability, const struct tor_stability_cell *cell,
                          const struct tor_simulation *sim);

#endif
