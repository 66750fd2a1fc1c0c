/* What guided modes carry through the plane of a monitor: the fields that a run has there, expanded in the grid's modes
 * (docs/design/numerics-sources.md, Mode monitors). */
#ifndef TOR_SRC_MODES_MODE_AMPLITUDES_H
#define TOR_SRC_MODES_MODE_AMPLITUDES_H

#include <complex.h>

#include "src/model/monitor.h"
#include "src/modes/mode_sweep.h"

/* Amplitudes of the waves along the axis (forward) and against it, so that |a|^2 is the power spectrum of each as a
 * flux has it [J/Hz], in 2-D [J/Hz/m]: [nwavelength][count], NaN where a mode was not found. Phases are those of E at
 * the reference place. */
struct tor_mode_amplitudes {
  struct tor_mode_sweep sweep;
  double complex *forward, *backward;
};

/* Solves for the modes of a recorder of kind TOR_MODE and expands its transforms. The job must outlive it. */
void tor_mode_amplitudes_make(const struct tor_job *job, const struct tor_monitors *monitors,
                              const struct tor_recorder *recorder, struct tor_mode_amplitudes *amplitudes);
void tor_mode_amplitudes_free(struct tor_mode_amplitudes *amplitudes);

#endif
