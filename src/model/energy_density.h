/* The energy of the fields in a box at a frequency, from the spectra of E and H on all of its points and the
 * coefficients that the update has there: maps and sums of
 *
 *   u_E = eps0 / 2 (eps_inf |E|^2 + sum of poles (W^2 + w0^2) wp^2 |E|^2 / |w0^2 - W^2 - i gamma W|^2),
 *   u_H = mu0 / 2 mu |H|^2,
 *
 * twice the mean in time, as spectra of power are twice the mean. A Drude or Lorentz pole has its kinetic and its
 * potential energy (R. Loudon, J. Phys. A 3, 233 (1970); R. Ruppin, Phys. Lett. A 299, 309 (2002)), which of a medium
 * without losses makes d (W eps) / dW (Landau, Lifshitz, Electrodynamics of Continuous Media, sec. 80); a Debye pole
 * the potential energy of an overdamped one; conductivities store none. W, gamma are those of the time step, so that
 * the energies of E and H of a closed cavity's mode agree to rounding (docs/design/energy.md). Local. */
#ifndef TOR_SRC_MODEL_ENERGY_DENSITY_H
#define TOR_SRC_MODEL_ENERGY_DENSITY_H

#include "src/model/monitor.h"

enum { TOR_ENERGY_OF_E, TOR_ENERGY_OF_H, TOR_ENERGIES };
struct tor_energy_density {
  int nfreq;
  double *total[TOR_ENERGIES];   /* [nfreq] J/Hz^2, in 2-D J/m/Hz^2 */
  int first[3], count[3];        /* cells of the box */
  double *density[TOR_ENERGIES]; /* [nfreq][count[0]][count[1]][count[2]] J/m^3/Hz^2: of a cell the points that touch
                                    it, each in equal parts to the cells that it touches */
};

/* Whether nodes hold energy, so that edges beside the box are needed, too. */
int tor_energy_density_has_nodes(const struct tor_job *job);
/* Faults of media whose stored energy is not known: gain, magnetised and nonlinear media. */
void tor_energy_density_check(const struct tor_job *job, const struct tor_monitor *monitor, struct tor_faults *faults);

/* Evaluates a recorder of kind TOR_ENERGY_DENSITY. Samples the geometry of the box again; with OpenMP, the same bits
 * for any number of threads. Ends the run when memory is short. */
void tor_energy_density_make(const struct tor_monitors *monitors, const struct tor_job *job,
                             const struct tor_recorder *recorder, struct tor_energy_density *to);
void tor_energy_density_free(struct tor_energy_density *energy);

#endif
