/* Slabs with random contents for tests of the engines: sizes, walls, boundary layers, coefficients, poles, injections,
 * records.
 *
 * The same options and seed give the same slab, so that two engines can advance one each and be compared with memcmp.
 * Independent of the model: a slab may have any contents that slab.h allows, also ones that no job would give. */
#ifndef TOR_TESTS_SUPPORT_RANDOM_SLAB_H
#define TOR_TESTS_SUPPORT_RANDOM_SLAB_H

#include <stdio.h>

#include "diamond/core/slab.h"

enum random_feature {
  RANDOM_PMC = 1 << 0,   /* walls in x and y: PEC or PMC */
  RANDOM_PMC_Z = 1 << 1, /* the same in z */
  RANDOM_CPML_XY = 1 << 2,
  RANDOM_CPML_Z = 1 << 3,
  RANDOM_LAYERED = 1 << 4, /* background coefficients that depend on z */
  RANDOM_COEF = 1 << 5,    /* columns with coefficients of their own */
  RANDOM_LOSSY = 1 << 6,
  RANDOM_POLES = 1 << 7,
  RANDOM_INJECT = 1 << 8,
  RANDOM_RECORD = 1 << 9,
  RANDOM_ENERGY = 1 << 10,
  RANDOM_PLANES = 1 << 11, /* most columns have the same injections and records, at places that advance by a constant
                              from one to the next */
  RANDOM_NODES = 1 << 12,  /* surface nodes */
  RANDOM_ALL = (1 << 13) - 1,
  RANDOM_SIMPLE = 1 << 13, /* a column's poles are those of one of two explicit media, one at each z: towers find these
                              without reading the lists */
  RANDOM_DAMPED = 1 << 14, /* absorbers along all axes; it is always present */
  RANDOM_PERIODIC = 1 << 16, /* ends of some axes that meet; without nodes */
  RANDOM_RING = 1 << 18,     /* ends of y, of z, or of both meet, as GPUs' towers run it */
  RANDOM_SEGMENTS = 1 << 20, /* with RANDOM_RING: z has segments (random_segment.h); without nodes */
  RANDOM_BLOCH = 1 << 19,    /* complex fields; made by the test (on_cpu/towers.c) */
  RANDOM_PLANE = 1 << 17,    /* 2-D slabs, TM or TE; it is always present */
  RANDOM_SMEM = 1 << 15 /* slabs that shared-memory towers can run: coefficients of H that are the same everywhere, two
                           runs of a component at most */
};

struct random_slab_options {
  int order;
  enum tor_precision precision;
  unsigned features;  /* of random_feature; each is then present with probability 3/4 */
  int always;         /* features are present for sure */
  int min[3], max[3]; /* cells */
  int steps;
  double scatter;    /* share of special columns outside the special box */
  uint64_t contents; /* not 0: slabs of one seed with several of these have the same shape, walls and layers alone */
};

struct random_slab {
  struct tor_slab slab;
  struct tor_stage stage;
  void *base; /* allocation behind slab.field */
};

struct random_slab *random_slab_new(const struct random_slab_options *options, uint64_t seed);
void random_slab_free(struct random_slab *r);

/* Values of a component along z that an engine advances. */
int random_slab_points_z(const struct tor_slab *slab, int comp);
/* Number of arrays that differ in values that mean something (all but the fields' padding); prints the first difference
 * of each. */
int random_slab_compare(const struct random_slab *expected, const struct random_slab *got, FILE *out);
/* One line: sizes, walls, layers, counts. */
void random_slab_describe(const struct random_slab *r, FILE *out);

#endif
