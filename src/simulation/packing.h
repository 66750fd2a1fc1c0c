/* Runs side by side whose slabs share a GPU's blocks (diamond/core/pack.h): the members of a packing meet when each has
 * made its slab, and at each of their stages; one of them then runs the packed slab for all. Each continues by itself
 * in all else, and has the results that it would have alone, to the last bit.
 *
 * Members are threads (src/base/concurrent.h). One that comes or ends is expected by the others, so each has to call
 * tor_packing_leave sooner or later, whatever becomes of it. */
#ifndef TOR_SRC_SIMULATION_PACKING_H
#define TOR_SRC_SIMULATION_PACKING_H

#include <stddef.h>

#include "diamond/core/slab.h"
#include "diamond/gpu/device.h"
#include "src/job/job.h"

struct tor_packing;

/* Cells of a run that is faster by the stepwise engine when it goes beside others on a GPU
 * (docs/measurements/gpu-versions.md). */
enum { TOR_STEPWISE_CELLS = 100000 };

/* Values from one slab's first to the next one's in a packed slab for a GPU, and how many slabs like this one it can
 * have; 0: none. The slab's sizes, walls, precision and order suffice. */
int tor_packing_pitch(const struct tor_slab *slab);
int tor_packing_most(const struct tor_slab *slab);

/* The sizes of a job's slab, and how many runs of such jobs may share a block of GPU 0; 0: none. Jobs of at most
 * TOR_STEPWISE_CELLS that leave the engine open are none of these. */
int tor_packing_most_jobs(const struct tor_job *job, struct tor_slab *slab);

/* For so many members, which are expected from now on; free it when all have left. */
struct tor_packing *tor_packing_new(int members);
void tor_packing_free(struct tor_packing *packing);

/* Opens a member's slab on GPU number `number`, when all members have come or left; meanwhile others have the turn.
 * threads: that make the packed slab. *parts: how many share the device's blocks from here on; 1: it is alone, and *why
 * the reason, NULL where no other has come. The device is closed before the member leaves; its ops run towers,
 * whatever engine they get, where *parts is above 1. */
struct tor_device *tor_packing_open(struct tor_packing *packing, int member, struct tor_slab *slab, int number,
                                    int threads, int *parts, const char **why);

/* The member is not expected any more. May be called again. */
void tor_packing_leave(struct tor_packing *packing, int member);

#endif
