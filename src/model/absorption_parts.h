/* Parts of absorption.c and absorption_points.c. */
#ifndef TOR_SRC_MODEL_ABSORPTION_PARTS_H
#define TOR_SRC_MODEL_ABSORPTION_PARTS_H

#include <complex.h>

#include "src/model/absorption.h"
#include "src/model/box_walk.h"

/* What does not change while the box is evaluated. */
struct tor_balance {
  struct tor_box_walk walk;
  const struct tor_job *job;
  const struct tor_recorder *recorder;
  const struct tor_columns *columns; /* the walk's */
  struct tor_absorption *to;
  int *element;            /* [columns' objects] place in the job file's list */
  double complex *half;    /* [nfreq] exp(-i w dt / 2) */
  double complex *current; /* [ndispersion][3][nfreq] of a medium's poles over e; what acts at once with them */
  double *implicit;        /* [ndispersion][3] of which this much, over 1 / cb, is in the coefficients of the edges */
  double first_difference; /* 9/8 in order 4: of powers in the update's units */
};

/* A thread's part: one slice of points with the same ix, and the cells at both sides of it. */
struct tor_balance_worker {
  const struct tor_balance *b;
  struct tor_box_walker walker;
  double *cells;           /* [2][nfreq][count[1]][count[2]]: of ix - 1 and ix */
  double *medium, *object; /* as in struct tor_absorption */
  int ntouched, *touched;  /* objects with a part in this slice */
  char *is_touched;        /* [nobjects + 1] */
  double *power;           /* [nfreq] of a point */
  double *square;          /* [nfreq] |e|^2 of a point */
};

/* Callbacks of the walk, whose walkers' context is a worker. */
void tor_balance_point(struct tor_box_walker *walker, int comp, const int at[3], int z);
/* A metal's node: its currents over the fields of its edges (docs/design/metal-nodes.md). */
void tor_balance_node(struct tor_box_walker *walker, const int at[3], int z, const int flip[3]);

#endif
