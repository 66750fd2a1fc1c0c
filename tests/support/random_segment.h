/* Segments of a random slab (tor_slab.segments), advanced without segments. */
#ifndef TOR_TESTS_SUPPORT_RANDOM_SEGMENT_H
#define TOR_TESTS_SUPPORT_RANDOM_SEGMENT_H

#include "tests/support/random_slab.h"

/* Advances the segments of a slab by its stage, each as a slab of its own, by the CPU's stepwise engine. */
void random_segments_run(struct random_slab *whole);

#endif
