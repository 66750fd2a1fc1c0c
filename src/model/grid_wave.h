/* Plane waves of the grid: K_a = 2 / d_a difference(k_a d_a / 2) along each axis and W = 2 / (c dt) sin(omega dt / 2)
 * stand where continuous waves have k_a and omega / c: K^2 = W^2 eps mu (docs/design/numerics.md). */
#ifndef TOR_SRC_MODEL_GRID_WAVE_H
#define TOR_SRC_MODEL_GRID_WAVE_H

#include <math.h>

#include "src/base/units.h"
#include "src/job/grid.h"

/* Of order 2: sin(x); of order 4 with its third-cell term. */
static inline double tor_wave_difference(int order, double x) {
  return order == 2 ? sin(x) : 9.0 / 8.0 * sin(x) - sin(3 * x) / 24.0;
}

/* Its derivative: dK_a / dk_a. */
static inline double tor_wave_slope(int order, double x) {
  return order == 2 ? cos(x) : 9.0 / 8.0 * cos(x) - cos(3 * x) / 8.0;
}

/* W [1/m]. */
static inline double tor_wave_frequency(const struct tor_grid *g, double omega) {
  return 2 / g->ct * sin(0.5 * omega * g->dt);
}

/* K of a wave number k along an axis. */
static inline double tor_wave_discrete(const struct tor_grid *g, int axis, double k) {
  return 2 / g->d[axis] * tor_wave_difference(g->order, 0.5 * k * g->d[axis]);
}

/* k d / 2 of a K, at least 0, that is below the largest one; -1: K is not below it. */
static inline double tor_wave_half_phase(const struct tor_grid *g, int axis, double discrete_k) {
  const double at = 0.5 * discrete_k * g->d[axis];
  double x = at;
  if (g->order == 2) return at < 1 ? asin(at) : -1;
  if (at >= tor_wave_difference(4, 0.5 * TOR_PI)) return -1;
  for (int i = 0; i < 30; i++) x -= (tor_wave_difference(4, x) - at) / tor_wave_slope(4, x);
  return x;
}

#endif
