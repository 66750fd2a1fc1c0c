/* Shared by source.c and incident_spectrum.c alone: a plane wave's incident field. */
#ifndef TOR_SRC_MODEL_INCIDENT_H
#define TOR_SRC_MODEL_INCIDENT_H

#include <stddef.h>

#include "src/base/types.h"
#include "src/job/job.h"
#include "src/model/source.h"

struct tor_incident {
  const struct tor_source *source;
  struct tor_box box;
  struct tor_oblique *oblique;    /* the wave where its direction is given by angles; else NULL */
  struct tor_tilted *tilted;      /* in a cell that is periodic across its axis and of a fixed k there, and through
                                     layers; else NULL */
  struct tor_tilted *second;      /* through layers: the line a quarter of a period earlier; NULL: it is not tilted */
  struct tor_tilted *alone;       /* in the medium at the front face alone; in a cell the same object as tilted */
  int axis, e_comp, h_comp;       /* e_comp, h_comp and the lines: without both */
  int offset;                     /* node i of the domain is node i - offset of the line */
  int first[2];                   /* columns of the E and H tables where this wave's line starts */
  struct tor_incident_line *line; /* the wave at the faces of the box */
  struct tor_incident_line *bare; /* the wave without layers; the same object as line where there are none */
  int watch;                      /* node of the bare line whose flux is kept */
  double above;                   /* weight there of H half a cell above the node; 1/2 but in graded cells */
  tor_gidx count;
  size_t capacity[TOR_NCOMP];
  double *kept[TOR_NCOMP]; /* [count], scaled values at the watched node, H half a step earlier: oblique of all
                              components, each at its place; tilted of those along the walls; else of E and H as the
                              first of each; of the last two H taken to the node from both sides: for a wave without
                              another that is what tor_recorder_flux has */
  double step, scale;      /* time step [s]; flux per area = scale * e * h */
};

#endif
