/* A worker that does late what it is told to start, as a GPU may: the CPU's engine behind it. */
#ifndef TOR_TESTS_SUPPORT_LATE_WORKER_H
#define TOR_TESTS_SUPPORT_LATE_WORKER_H

#include "diamond/core/worker.h"

/* Runs, packs and unpacks happen up to `most` seconds after they were started, by chance from the seed, when somebody
 * asks about them. slab must outlive the worker. */
struct tor_worker late_worker(struct tor_slab *slab, double most, unsigned seed);

#endif
