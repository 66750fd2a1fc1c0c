/* What makes a random slab: its dice and its counts. Private to random_slab.c and random_slab_lists.c. */
#ifndef TOR_TESTS_SUPPORT_RANDOM_SLAB_MAKER_H
#define TOR_TESTS_SUPPORT_RANDOM_SLAB_MAKER_H

#include "diamond/core/slab.h"
#include "tests/support/random_slab.h"

struct maker {
  struct random_slab *r;
  struct tor_slab *slab;
  unsigned features;
  double scatter;
  int box_lo[2], box_hi[2]; /* columns where most are special */
  uint64_t state;
};

static inline uint64_t next(struct maker *m) { /* splitmix64 */
  uint64_t z = (m->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static inline double uniform(struct maker *m, double lo, double hi) {
  return lo + (hi - lo) * (double)(next(m) >> 11) * 0x1p-53;
}
static inline int between(struct maker *m, int lo, int hi) { return lo + (int)(next(m) % (uint64_t)(hi - lo + 1)); }
static inline int chance(struct maker *m, double p) { return uniform(m, 0, 1) < p; }
static inline int has(const struct maker *m, unsigned feature) { return (m->features & feature) != 0; }

/* The first value from z on that is a segment's own, where z has segments. */
static inline int in_segment(const struct tor_slab *slab, int z) {
  const int pitch = tor_slab_segment_pitch(slab);
  return slab->segments && z % pitch >= slab->period ? (z / pitch + 1) * pitch : z;
}
/* Values from z on to the end of z, or of its segment. */
static inline int segment_left(const struct tor_slab *slab, int n, int z) {
  return slab->segments ? slab->period - z % tor_slab_segment_pitch(slab) : n - z;
}

static inline int least(int a, int b) { return a < b ? a : b; }

struct counts {
  size_t extra, run, inject, record;
  tor_gidx coef, state, weight, points[2];
};

enum { TABLE_WIDTH = 37 }; /* of the tables of injections */

/* A column's lists; any: it has some. extra_new: the lists of a column that had none. */
struct tor_extra *extra_new(struct tor_slab *slab, struct counts *cap, tor_gidx column);
void make_runs(struct maker *m, struct tor_extra *extra, struct counts *cap, int any);
void make_nodes(struct maker *m, struct tor_extra *extra, struct counts *cap);
void make_injects(struct maker *m, struct tor_extra *extra, struct counts *cap, int any);
void make_records(struct maker *m, struct tor_extra *extra, struct counts *cap, int any);
/* Planes in most columns of the slab: those of a box without injections and records of their own. */
void make_planes(struct maker *m, struct counts *cap);

#endif
