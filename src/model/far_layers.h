/* Far fields over layers: the wave that comes from a direction, with all that the layers reflect and pass on
 * (far_field.h). */
#ifndef TOR_SRC_MODEL_FAR_LAYERS_H
#define TOR_SRC_MODEL_FAR_LAYERS_H

#include <complex.h>

#include "src/job/grid.h"
#include "src/job/job.h"

enum { TOR_STACK_MOST = 200 }; /* interfaces */

/* What a job's whole layers across one axis are, other objects left out: medium[i] between at[i - 1] and at[i]. */
struct tor_far_stack {
  int axis, count; /* of interfaces; 0: one medium */
  double at[TOR_STACK_MOST];
  int medium[TOR_STACK_MOST + 1];
};

/* The layers of a job; count 0 where there are none, or there are layers across two axes, or too many. */
struct tor_far_stack tor_far_stack_of(const struct tor_job *job, const struct tor_grid *grid);

/* A plane wave of one polarisation in the layers: at a place x its E and H are these at x[axis], times exp(-i k u.x) of
 * the parts of u along the layers. */
struct tor_layered_wave {
  const struct tor_far_stack *stack;
  int sign;                    /* it comes from where sign x[axis] is infinite */
  double lateral;              /* wave number along the layers [1/m] */
  double along[3], s[3], n[3]; /* unit vectors: that part of u, n x along, and sign times the axis */
  double k0;
  double complex eps[TOR_STACK_MOST + 1], mu[TOR_STACK_MOST + 1], kz[TOR_STACK_MOST + 1]; /* from the far side on */
  double complex wave[2][TOR_STACK_MOST + 1], back[2][TOR_STACK_MOST + 1]; /* [s, p]: amplitudes at a layer's low end */
};

/* The wave from direction u, of E `e` (unit vectors of the job's axes, across each other) in the medium there, at
 * angular frequency omega, k0: its wave number in vacuum on the grid. Returns 0 where that medium absorbs. */
int tor_layered_wave_make(const struct tor_far_stack *stack, const struct tor_job *job, double omega, double k0,
                          const double u[3], const double e[3], struct tor_layered_wave *wave);
/* Its E, and H in units of 1 / eta0, at a place along the axis. */
void tor_layered_wave_at(const struct tor_layered_wave *wave, double place, double complex e[3], double complex h[3]);

/* The medium of the half space that a direction lies in: index and impedance [ohm]; NAN where it absorbs. */
void tor_far_stack_medium(const struct tor_far_stack *stack, const struct tor_job *job, double omega, double up,
                          double *index, double *impedance);

#endif
