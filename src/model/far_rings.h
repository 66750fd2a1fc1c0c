/* Far fields in cylindrical coordinates: the surface's points are rings about the axis (far_field.h). */
#ifndef TOR_SRC_MODEL_FAR_RINGS_H
#define TOR_SRC_MODEL_FAR_RINGS_H

#include <complex.h>

#include "src/model/monitor.h"

/* The amplitudes on the rings of a monitor's planes at one wavelength, times their widths. */
struct tor_far_rings;
struct tor_far_rings *tor_far_rings_new(const struct tor_monitors *monitors, const struct tor_recorder *recorder,
                                        int freq);
void tor_far_rings_free(struct tor_far_rings *rings);

/* Adds to sum the integrals over the surface of (E x H~ - E~ x H) n, for the two waves E~ = along[i] exp(-i k u r), H~
 * = -u x along[i] / eta exp(-i k u r), all vectors in the user's axes. */
void tor_far_rings_add(const struct tor_far_rings *rings, double k, double eta, const double u[3],
                       const double along[2][3], double complex sum[2]);

#endif
