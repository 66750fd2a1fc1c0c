/* The transforms of a plane's monitor on the points of its plane. */
#ifndef TOR_SRC_MODEL_PLANE_FIELDS_H
#define TOR_SRC_MODEL_PLANE_FIELDS_H

#include <complex.h>

#include "src/model/monitor.h"
#include "src/model/plane_media.h"

/* At a frequency [V/m/Hz, A/m/Hz]: E along next and last; H along both, the mean of half a cell to either side. */
struct tor_plane_fields {
  double complex *e[2], *h[2]; /* [plane->npoints], owned */
};

void tor_plane_fields_init(struct tor_plane_fields *fields, const struct tor_plane_media *plane);
void tor_plane_fields_free(struct tor_plane_fields *fields);
/* Of a recorder with one plane, whose nodes are the plane's. */
void tor_plane_fields_read(const struct tor_monitors *monitors, const struct tor_recorder *recorder,
                           const struct tor_plane_media *plane, int freq, struct tor_plane_fields *fields);

#endif
