/* Random slabs of complex fields between Bloch walls, from two of real ones (random_slab.h). */
#ifndef TOR_TESTS_SUPPORT_RANDOM_BLOCH_H
#define TOR_TESTS_SUPPORT_RANDOM_BLOCH_H

#include "tests/support/random_slab.h"

/* Two slabs of the same options and seed become one of complex fields: the real part has the imaginary one as its
 * tor_slab.other, which has fields of its own, and its energy sums. */
void random_bloch_join(struct random_slab *real, struct random_slab *imaginary);
void random_bloch_free(struct random_slab *real, struct random_slab *imaginary);

#endif
