/* The arithmetic of classic.h's cases, once for the CPU's loops and the kernels. `rule` is a constant, so that one of
 * the two branches remains. In each compiler multiply-adds are only those that are written out. */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_RULE_H
#define TOR_DIAMOND_CLASSIC_CLASSIC_RULE_H

#include "diamond/classic/classic.h"
#include "diamond/core/update.h"

/* 2-D: a component with both differences; with one of them, the first or the second. */
TOR_POINT tor_real tor_classic_plane(int rule, tor_real f, tor_real c1, tor_real d1, tor_real c2, tor_real d2) {
  if (rule == TOR_CLASSIC_TORRE) return tor_advance(f, c1, d1 - d2);
  return (f + c1 * d1) + c2 * d2;
}
TOR_POINT tor_real tor_classic_line(int rule, int second, tor_real f, tor_real c, tor_real d) {
  if (rule == TOR_CLASSIC_TORRE) return tor_advance(f, c, second ? 0 - d : d);
  return f + c * d;
}

/* 3-D, one medium: e1, e2 are the edges along which the differences are taken, m is eps or mu. */
TOR_POINT tor_real tor_classic_uniform(int rule, tor_real f, tor_real cb, tor_real dt, tor_real m, tor_real d1,
                                       tor_real e1, tor_real d2, tor_real e2) {
  if (rule == TOR_CLASSIC_TORRE) return tor_advance(f, cb, d1 - d2);
  return f + (dt / m) * (d1 / e1 - d2 / e2);
}

/* 3-D, media. */
TOR_POINT tor_real tor_classic_media(int rule, tor_real f, tor_real c0, tor_real c1, tor_real d1, tor_real c2,
                                     tor_real d2) {
  if (rule == TOR_CLASSIC_TORRE) return tor_advance_lossy(f, c0, c1, d1 - d2);
  return (c0 * f + c1 * d1) + c2 * d2;
}

#endif
