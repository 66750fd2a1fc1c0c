/* Energies of the fields in a box: datasets of results.h5. */
#include "io/hdf5/h5.h"
#include "src/model/energy_density.h"
#include "src/model/monitor.h"
#include "src/results/results.h"
#include "src/results/results_parts.h"

void tor_results_energy_h5(struct tor_h5 *h5, const struct tor_results *r, const struct tor_recorder *l,
                           const struct tor_energy_density *e) {
  static const char *const name[TOR_ENERGIES] = {"electric_energy_density", "magnetic_energy_density"},
                           *const meaning[TOR_ENERGIES] = {
                               "energy of E per volume, that of media with it, twice the mean in time",
                               "energy of H per volume, twice the mean in time"};
  for (int kind = 0; kind < TOR_ENERGIES; kind++)
    tor_results_map_h5(h5, r, l, e->count, e->density[kind], name[kind], "J/m^3/Hz^2", meaning[kind]);
  tor_results_map_centres(h5, r, l, e->first, e->count);
}
