/* The tower of Zakirov et al. as they describe it: a diamond of DTS 1 in order 4, the tile in registers, a thread for
 * each z, a launch for each row. Vacuum or another uniform medium without losses between conducting walls.
 *
 * A half-step loads three diamonds of the other field, has the fourth and its own in registers, and stores one. */
#ifndef TOR_DIAMOND_CLASSIC_CLASSIC_DTS1_H
#define TOR_DIAMOND_CLASSIC_CLASSIC_DTS1_H

#include "diamond/classic/classic.h"
#include "diamond/core/slab.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOR_CLASSIC_DTS1_F32_Z = 768, TOR_CLASSIC_DTS1_F64_Z = 384 }; /* most cells along z: the paper's */

/* Faults of a domain; bytes of device memory, and those that a cell's step moves (4 diamonds of 6 fields a cell and
 * step). */
void tor_classic_dts1_check(const int n[3], enum tor_precision precision, struct tor_faults *faults);
double tor_classic_dts1_memory(const int n[3], enum tor_precision precision);
static inline double tor_classic_dts1_bytes(enum tor_precision precision) { return 24.0 * precision; }

struct tor_classic_dts1;
/* Copies a slab of order 4 to device `number`: fields and the background's uniform coefficients. */
struct tor_classic_dts1 *tor_classic_dts1_open(const struct tor_slab *slab, int number);
/* A stage of so many steps; the time of the kernels [s]. */
double tor_classic_dts1_run(struct tor_classic_dts1 *d, int steps);
void tor_classic_dts1_fetch(struct tor_classic_dts1 *d, const struct tor_slab *slab);
struct tor_classic_kernel tor_classic_dts1_kernel(const struct tor_classic_dts1 *d);
void tor_classic_dts1_close(struct tor_classic_dts1 *d);

#ifdef __cplusplus
}
#endif
#endif
