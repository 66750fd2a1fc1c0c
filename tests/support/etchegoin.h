/* Gold of P. G. Etchegoin, E. C. Le Ru, M. Meyer, J. Chem. Phys. 125, 164705 (2006), erratum 127, 189901 (2007): 1.53
 * at infinite frequency, a Drude pole (number 0) and two critical points. */
#ifndef TOR_TESTS_SUPPORT_ETCHEGOIN_H
#define TOR_TESTS_SUPPORT_ETCHEGOIN_H

#include "src/base/units.h"
#include "src/job/material.h"

static inline struct tor_pole tor_etchegoin_pole(int p) {
  static const double amplitude[3] = {0, 0.94, 1.36}, resonance[3] = {145, 468, 331}, damping[3] = {17000, 2300, 940};
  const double w = 2 * TOR_PI * TOR_C0 / (resonance[p] * TOR_NM), g = 2 * TOR_PI * TOR_C0 / (damping[p] * TOR_NM);
  return p ? (struct tor_pole){.kind = TOR_CRITICAL_POINT,
                               .strength = amplitude[p],
                               .omega = w,
                               .gamma = g,
                               .phase = -TOR_PI / 4}
           : (struct tor_pole){.kind = TOR_DRUDE, .strength = w, .gamma = g};
}

#endif
