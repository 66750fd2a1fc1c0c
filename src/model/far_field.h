/* Far fields: what the fields on a closed box, or on one plane, radiate to infinity in the homogeneous medium there.
 *
 * By reciprocity: the surface integral of E x H~ - E~ x H, with E~, H~ the plane wave of unit amplitude that comes from
 * the direction asked for, is the amplitude that leaves in that direction. Both are the grid's own waves, each
 * component is taken at its own points, and the products are those of the flux (monitor_spectrum.c): so the sum is what
 * the currents within the box radiate, to rounding and wherever its sides are, and sources outside add nothing
 * (docs/design/numerics-sources.md, "Far fields"). */
#ifndef TOR_SRC_MODEL_FAR_FIELD_H
#define TOR_SRC_MODEL_FAR_FIELD_H

#include <complex.h>

#include "src/model/monitor.h"

/* The far field of a monitor at one of its wavelengths. It refers to the three, which must outlive it. */
struct tor_far_field;
struct tor_far_field *tor_far_field_new(const struct tor_monitors *monitors, const struct tor_job *job,
                                        const struct tor_recorder *recorder, int freq);
void tor_far_field_free(struct tor_far_field *far);

/* r E exp(-i k r) [V/Hz] for r to infinity, r from the domain's centre, along the unit vectors of theta, from the
 * user's z axis, and phi, from x to y [rad]. In 2-D sqrt(r) E exp(-i k r) [V/Hz/sqrt(m)] along z and along phi, theta
 * has no meaning. Of one plane, from the waves that cross it towards the half space of the direction. NAN where the
 * cells are too large for a wave to travel. */
void tor_far_field_at(const struct tor_far_field *far, double theta, double phi, double complex e[2]);

/* |e|^2 / eta: the power per solid angle of such a field [J/Hz/sr], in 2-D per angle [J/Hz/rad/m]. */
double tor_far_field_power(const struct tor_far_field *far, const double complex e[2]);

/* The same of a field in this direction: over layers each half space has its impedance. */
double tor_far_field_power_at(const struct tor_far_field *far, double theta, double phi, const double complex e[2]);

/* Of the medium at the surface, over layers of the upper half space: its index, and its wave impedance [ohm]. */
void tor_far_field_medium(const struct tor_far_field *far, double *index, double *impedance);

/* What leaves the surface [J/Hz], with the images in mirrors that it ends on; of one plane the modulus of its flux. NAN
 * where a closed surface lies within a plane wave's total field, whose flux is not that of what is scattered. */
double tor_far_field_total(const struct tor_far_field *far, const struct tor_sources *sources);

#endif
