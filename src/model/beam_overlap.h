/* What part a Gaussian beam has in the fields of a flux monitor's plane (docs/design/plane-sources.md, Overlap). */
#ifndef TOR_SRC_MODEL_BEAM_OVERLAP_H
#define TOR_SRC_MODEL_BEAM_OVERLAP_H

#include <complex.h>

#include "src/job/job.h"
#include "src/model/monitor.h"

/* amplitude[nfreq]: |a|^2 is the beam's power as a flux has it [J/Hz], in 2-D [J/Hz/m]; its phase is that of E where
 * the beam's middle crosses the plane, over the beam's own there. The recorder's spec has a beam. Returns the largest
 * part of the beam's power that lies beside the plane. Ends the run when memory is short. */
double tor_beam_overlap(const struct tor_job *job, const struct tor_monitors *monitors,
                        const struct tor_recorder *recorder, double complex *amplitude);

#endif
