/* Dispersive media at a site on the CPU: runs of points with poles (slab.h), advanced in vectors along z. Private to
 * site.c.
 *
 * Include after defining TOR_REAL_BITS. */
#ifndef TOR_DIAMOND_CPU_POLE_H
#define TOR_DIAMOND_CPU_POLE_H

#include "diamond/core/slab.h"
#include "diamond/core/update.h"

/* Advances the poles of component `comp` by their explicit part and subtracts their currents from the curl [nzp], which
 * may be read beyond a run's end. `e` is the field before the step. */
void TOR_NAME(tor_poles_before)(const struct tor_slab *slab, const struct tor_extra *extra, int comp, const tor_real *e,
                                tor_real *curl);
/* Completes the implicit poles with the new field. */
void TOR_NAME(tor_poles_after)(const struct tor_slab *slab, const struct tor_extra *extra, int comp, const tor_real *e);

#endif
