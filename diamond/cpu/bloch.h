/* Bloch walls: values across a seam from both parts of a complex field. For files that work on single points. */
#ifndef TOR_DIAMOND_CPU_BLOCH_H
#define TOR_DIAMOND_CPU_BLOCH_H

#include "diamond/core/slab.h"
#include "diamond/core/update.h"

/* The values p[0 .. n] of a part's vector as they are `around` periods above along an axis, in values[0 .. n]. */
static inline const tor_real *tor_bloch_vector(const struct tor_slab *slab, int axis, int around, const tor_real *p,
                                               tor_real *values) {
  const tor_real *q = (const tor_real *)slab->other->field + (p - (const tor_real *)slab->field);
  double factor[2];
  tor_slab_bloch(slab, axis, around, factor);
  const tor_real c = (tor_real)factor[0], s = (tor_real)factor[1];
  for (int z = 0; z <= slab->n[2]; z++) values[z] = tor_bloch(c, p[z], s, q[z]);
  return values;
}

/* The ghost values in z of a part's vector f; g: the other part's, turn[k]: the factors of k + 1 periods above. Once
 * both are advanced, in place of tor_line_ghosts. */
static inline void tor_bloch_ghosts(const int order, const int h, int n, const tor_real turn[2][2], tor_real *f,
                                    const tor_real *g) {
  const tor_real c = turn[0][0], s = turn[0][1];
  const int one = n == 1; /* cell: the second ghost value is two periods away */
  const tor_real far_c = turn[one][0], far_s = turn[one][1];
  f[n] = tor_bloch(c, f[0], s, g[0]);
  if (h || order == 4) f[-1] = tor_bloch(c, f[n - 1], -s, g[n - 1]);
  if (order == 4) f[n + 1] = tor_bloch(far_c, f[!one], far_s, g[!one]);
  if (h && order == 4) f[-2] = tor_bloch(far_c, f[n - 2 + one], -far_s, g[n - 2 + one]);
}

#endif
