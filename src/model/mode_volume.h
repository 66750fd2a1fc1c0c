/* The volume of a mode, from the spectra of E on all edges of a box:
 *
 *   V = integral of u |E|^2 dV / max(eps |E|^2),   u = Re d(w eps) / dw
 *
 * with the permittivity that the update has at each edge, so that u |E|^2 / 4 is the energy density of E also in
 * dispersive media (L. D. Landau, E. M. Lifshitz, Electrodynamics of Continuous Media, sec. 80) and, of a cavity
 * without dispersion, the integral is that of mu |H|^2 (docs/design/resonances.md). The maximum is over the nodes where
 * the mean permittivity is positive, of the mean energies of the edges that end there. */
#ifndef TOR_SRC_MODEL_MODE_VOLUME_H
#define TOR_SRC_MODEL_MODE_VOLUME_H

#include "src/model/monitor.h"

struct tor_mode_volume {
  double volume;   /* [m^3], in 2-D the area [m^2]; NaN: no field */
  double energy;   /* integral of u |E|^2 [V^2 m / Hz^2], in 2-D [V^2 / Hz^2] */
  double index;    /* root of the mean permittivity at the maximum, as the field weighs it */
  double place[3]; /* of the maximum, along the job's axes [m] */
};

/* Whether surface nodes hold energy, so that edges beside the box are needed, too. */
int tor_mode_volume_has_nodes(const struct tor_job *job);
/* Evaluates a recorder of kind TOR_MODE_VOLUME: volume[nfreq]. Samples the geometry of the box again; with OpenMP, the
 * same bits for any number of threads. Ends the run when memory is short. */
void tor_mode_volume_make(const struct tor_monitors *monitors, const struct tor_job *job,
                          const struct tor_recorder *recorder, struct tor_mode_volume *volume);

#endif
