/* An asynchronous worker, as a GPU is: the CPU's engine with random delays. */
#ifndef TOR_TESTS_SUPPORT_LATE_WORKER_H
#define TOR_TESTS_SUPPORT_LATE_WORKER_H

#include "diamond/core/worker.h"

/* Runs, packs and unpacks happen up to `most` seconds after they were started, by a random delay from the seed, when
 * their state is queried. slab must outlive the worker. */
struct tor_worker late_worker(struct tor_slab *slab, double most, unsigned seed);

#endif
