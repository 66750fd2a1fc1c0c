/* What a far field holds, shared by far_field.c and far_near.c alone. */
#ifndef TOR_SRC_MODEL_FAR_PARTS_H
#define TOR_SRC_MODEL_FAR_PARTS_H

#include "src/model/far_field.h"
#include "src/model/far_layers.h"

/* A patch at one frequency, times the weights of its points, the area of a cell's face and the plane's sign. */
struct tor_far_values {
  int comp, rows, n[2];  /* along the plane's axis, the next and the last */
  double place[2], d[2]; /* of the first point in the plane, and between points [m] */
  double *re, *im;       /* [rows][n0][n1] */
};

struct tor_far_side {
  int axis, wide;
  double place;                   /* along the axis [m] */
  struct tor_far_values value[4]; /* E_b, E_c, H_b, H_c */
};

struct tor_far_field {
  const struct tor_monitors *monitors;
  const struct tor_job *job;
  const struct tor_recorder *recorder;
  int freq, nside, longest;
  int lo[3], hi[3]; /* nodes */
  int across;       /* axis of a single plane, -1: the surface is closed */
  struct tor_far_side *side;
  struct tor_far_rings *rings; /* in cylindrical coordinates, in place of the sides */
  struct tor_far_stack stack;  /* of layers */
  double k;                    /* modulus of the vector K [1/m] */
  double index, eta;           /* 1, [ohm] */
  unsigned mirrors;
};

#endif
