/* The layered background, as the lines of incident waves have it: the background medium and all layers along z. */
#ifndef TOR_SRC_MODEL_LAYERS_H
#define TOR_SRC_MODEL_LAYERS_H

#include "diamond/core/slab.h"

struct tor_layers {
  const double *cb, *ca1; /* [6][nzp], without absorbers, in cells of length tor_grid.d */
  int nzp;
  int poles;           /* the background medium itself has poles */
  const char *tensor;  /* [nzp] nodes of media whose polarisation is there; NULL: the job has none */
  int nodes;           /* a surface between layers has nodes with a polarisation */
  const double *share; /* of poles: struct tor_column */
  int ndispersion;
  const struct tor_dispersion *dispersion; /* [ndispersion] */
};

#endif
