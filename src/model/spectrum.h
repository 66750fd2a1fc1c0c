/* Spectral monitors as columns of numbers: power, fractions of the incident power, cross-sections, efficiencies. */
#ifndef TOR_SRC_MODEL_SPECTRUM_H
#define TOR_SRC_MODEL_SPECTRUM_H

#include "src/model/absorption.h"
#include "src/model/energy_density.h"
#include "src/model/monitor.h"

enum { TOR_SPECTRUM_COLUMNS = 6 };
struct tor_spectrum {
  int nfreq, ncolumns;
  const char *name[TOR_SPECTRUM_COLUMNS]; /* with its unit: "Q_ext", "C_ext_nm2", "power_J_per_Hz", "fraction" */
  const char *unit[TOR_SPECTRUM_COLUMNS], *meaning[TOR_SPECTRUM_COLUMNS];
  double *value[TOR_SPECTRUM_COLUMNS]; /* [nfreq] */
  struct tor_absorption absorption;    /* of monitors of that kind */
  struct tor_energy_density energy;    /* the same */
  double beside;                       /* of a flux monitor's beam: the part of its power beside the plane */
};

/* Whether a monitor has such columns. */
int tor_spectrum_has(const struct tor_recorder *recorder);

/* Evaluates the monitor's present transforms. A flux has the power [J/Hz] and its fraction: with one plane wave,
 * of the power that the wave sends through the same area (flux planes across its axis: transmission, or minus the
 * reflection in front of the box); with one source that is a dipole, of what it radiates alone in the medium at its
 * place; with one that is a mode, of its power. Else there is none.
 * With a beam it also has the part of that. A cross-section has extinction, scattering,
 * absorption: efficiencies when the monitor has a radius, else C in nm^2; where the domain is one cell thick along an
 * axis, C per length in nm, and efficiencies over twice the radius. A force has its parts along the user's axes; with
 * one plane wave also the cross-sections of the pressure, force c / (n times the wave's flux), or with a radius
 * efficiencies. */
void tor_spectrum_make(const struct tor_monitors *monitors, const struct tor_sources *sources,
                       const struct tor_recorder *recorder, struct tor_spectrum *spectrum);
void tor_spectrum_free(struct tor_spectrum *spectrum);

/* Power of the only source, over which fractions are: of a plane wave per area across it [J/Hz/m^2], of a dipole what
 * it radiates alone in the medium at its place, of a sheet its own [J/Hz; 2-D J/Hz/m]; of dipoles on mirrors the part
 * in the domain. NAN: there are several sources or none, or a power is unknown. */
double tor_spectrum_source_power(const struct tor_sources *sources, double omega);

#endif
