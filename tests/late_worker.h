/* A worker that does late what it is told to start, as a GPU may: the CPU's engine behind it. */
#ifndef TEST_LATE_WORKER_H
#define TEST_LATE_WORKER_H

#include "comm/worker/worker.h"

/* Runs, packs and unpacks happen up to `most` seconds after they were started, by chance from the seed, when somebody
 * asks about them. slab must outlive the worker. */
struct tor_worker late_worker(struct tor_slab *slab, double most, unsigned seed);

#endif
