/* Parts of absorption.c and absorption_points.c. */
#ifndef TOR_SRC_MODEL_ABSORPTION_PARTS_H
#define TOR_SRC_MODEL_ABSORPTION_PARTS_H

#include <complex.h>

#include "src/model/absorption.h"
#include "src/model/column_media.h"
#include "src/model/nearby.h"

/* What does not change while the box is evaluated. */
struct tor_balance {
  const struct tor_monitors *monitors;
  const struct tor_job *job;
  const struct tor_recorder *recorder;
  const struct tor_columns *columns;
  struct tor_absorption *to;
  int *element;            /* [columns' objects] place in the job file's list */
  double complex *half;    /* [nfreq] exp(-i w dt / 2) */
  double complex *current; /* [ndispersion][3][nfreq] of a medium's poles over e; what acts at once with them */
  double *implicit;        /* [ndispersion][3] of which this much, over 1 / cb, is in the coefficients of the edges */
  int *medium;             /* [ndispersion] in the job */
  double first_difference; /* 9/8 in order 4: of powers in the update's units */
  int with_nodes;
};

/* A thread's part: one slice of points with the same ix, and the cells at both sides of it. */
struct tor_balance_worker {
  const struct tor_balance *b;
  struct tor_column column;
  struct tor_nearby near, here; /* of the column's own place, and of the point's, which may be its mirror image */
  double *cells;                /* [2][nfreq][count[1]][count[2]]: of ix - 1 and ix */
  double *medium, *object;      /* as in struct tor_absorption */
  int ntouched, *touched;       /* objects with a part in this slice */
  char *is_touched;             /* [nobjects + 1] */
  double *power;                /* [nfreq] of a point */
  double *square;               /* [nfreq] |e|^2 of a point */
};

/* A point of a component, whose coefficients are at z of the worker's column; at[]: its indices, of the mirrored half
 * below 0. */
void tor_balance_point(struct tor_balance_worker *w, int comp, const int at[3], int z);
/* A metal's node: its current s chi f, f = v - n t, over the mean field v (docs/design/metal-nodes.md). flip: axes
 * along which it is a mirror image. */
void tor_balance_node(struct tor_balance_worker *w, const int at[3], int z, const int flip[3]);

#endif
