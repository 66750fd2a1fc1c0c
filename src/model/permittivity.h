/* The permittivity that a run has on its grid, of monitors of kind TOR_PERMITTIVITY: that of the coefficients of the
 * update, after averaging, with design regions and sheets. Nothing is recorded for it during a run; the geometry
 * of the monitor's box is sampled again.
 *
 * eps_xx lies on the edges of E along x, and so on. Where media have a polarisation at nodes (averaging "tensor", full
 * tensors, magnetised and nonlinear media at small fields), an edge has the mean of what both its ends add, and the
 * elements off the diagonal are on nodes. Absorbing layers, whose media these are, add nothing. Local. */
#ifndef TOR_SRC_MODEL_PERMITTIVITY_H
#define TOR_SRC_MODEL_PERMITTIVITY_H

#include <complex.h>

#include "src/job/grid.h"
#include "src/job/job.h"

enum { TOR_PERMITTIVITY_PARTS = 9 };
/* An element of the tensor, along axes a and b of the job. */
struct tor_permittivity_part {
  int a, b;
  int comp;               /* on its points; -1: on nodes */
  int first[3], count[3]; /* their indices, below 0 in the mirrored half of a domain */
};

struct tor_permittivity;

/* job and grid must outlive it. Ends the run when memory is short. */
struct tor_permittivity *tor_permittivity_new(const struct tor_job *job, const struct tor_grid *grid,
                                              const struct tor_monitor *monitor);
void tor_permittivity_free(struct tor_permittivity *permittivity);
/* Bytes of all that filling takes, at most. */
double tor_permittivity_bytes(const struct tor_grid *grid, const struct tor_monitor *monitor);

/* Elements that the job has; *part: the first of them. */
int tor_permittivity_parts(const struct tor_permittivity *permittivity, const struct tor_permittivity_part **part);
/* values: [frequency][count[0]][count[1]][count[2]] of a part; without wavelengths one frequency, the infinite one,
 * where all values are real. NaN in perfect conductors. With OpenMP, the same bits for any number of threads. */
void tor_permittivity_fill(const struct tor_permittivity *permittivity, const struct tor_permittivity_part *part,
                           double complex *values);

#endif
