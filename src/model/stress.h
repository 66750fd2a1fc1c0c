/* The force on what a closed box holds: the flux of Maxwell's stress tensor through its sides, which lie in one
 * isotropic medium without losses. */
#ifndef TOR_SRC_MODEL_STRESS_H
#define TOR_SRC_MODEL_STRESS_H

#include "src/model/monitor.h"

/* The patches of a plane of a force monitor: those of its flux, then these two. */
enum { TOR_STRESS_NORMAL_E = 4, TOR_STRESS_NORMAL_H = 5 };

/* Force spectrum [N s/Hz], in 2-D [N s/Hz/m], along the job's axes: twice the mean's, as the flux Re(E x H*) is twice
 * the mean power; so a plane wave that is absorbed gives its flux over c. */
void tor_stress_force(const struct tor_monitors *monitors, const struct tor_job *job,
                      const struct tor_recorder *recorder, int freq, double force[3]);

#endif
