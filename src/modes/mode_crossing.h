/* Amplitudes of a mode from all that couples both sides of a plane: where surface nodes (averaging "tensor") lie in it,
 * E and H along the plane are not enough (docs/design/numerics-sources.md, Mode monitors). */
#ifndef TOR_SRC_MODES_MODE_CROSSING_H
#define TOR_SRC_MODES_MODE_CROSSING_H

#include <complex.h>

#include "src/model/monitor.h"
#include "src/model/plane_media.h"
#include "src/modes/modes.h"

/* Transforms at a frequency beside a plane [V/m/Hz, A/m/Hz], [plane->npoints] each; owned. */
struct tor_mode_crossing {
  const struct tor_plane_media *plane;
  int wide;                 /* order 4: fields one cell further away, too */
  double complex *e[2][3];  /* along next, last: a cell before (order 4), at, a cell beyond the plane */
  double complex *h[2][4];  /* 3/2 (order 4), 1/2 cells before it, 1/2, 3/2 beyond */
  double complex *axial[2]; /* E along the axis half a cell before and beyond it */
};

/* Whether a recorder of kind TOR_MODE has what this needs. */
int tor_mode_crossing_recorded(const struct tor_recorder *recorder);
/* Ends the run when memory is short. */
void tor_mode_crossing_init(struct tor_mode_crossing *crossing, const struct tor_plane_media *plane);
void tor_mode_crossing_free(struct tor_mode_crossing *crossing);
void tor_mode_crossing_read(const struct tor_monitors *monitors, const struct tor_recorder *recorder, int freq,
                            struct tor_mode_crossing *crossing);
/* The amplitudes of a mode's waves along the axis and against it, over those of the mode, at the plane. */
void tor_mode_crossing_expand(const struct tor_mode_crossing *crossing, const struct tor_mode *mode,
                              double complex *forward, double complex *backward);

#endif
