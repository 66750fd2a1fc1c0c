/* Absorbers of slabs with random contents (random_slab.h). */
#ifndef TOR_TESTS_SUPPORT_RANDOM_DAMPING_H
#define TOR_TESTS_SUPPORT_RANDOM_DAMPING_H

#include <stddef.h>

#include "diamond/core/slab.h"

/* Sets the factors of layers of random thickness along each axis; the background's loss without them is 0. */
void random_damping_make(struct tor_slab *slab, uint64_t seed);

/* Completes the columns' classes: each column that absorbers across x or y damp gets coefficients of its own, *ncoef
 * values in all; *capacity: of slab->extra. */
void random_damping_classes(struct tor_slab *slab, size_t *capacity, tor_gidx *ncoef);

/* Multiplies the coefficients by the factors. Own ones are given without loss where the class, without absorbers, has
 * none, and those that a column got from random_damping_classes are not given. */
void random_damping_apply(struct tor_slab *slab);

#endif
