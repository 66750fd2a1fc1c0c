/* A source's plane in one homogeneous medium, such as beams need it. */
#ifndef TOR_SRC_MODEL_OPEN_PLANE_H
#define TOR_SRC_MODEL_OPEN_PLANE_H

#include "src/base/error.h"
#include "src/job/job.h"
#include "src/model/plane_media.h"

struct tor_open_plane {
  struct tor_plane_media around[TOR_PLANES_MOST]; /* the planes that the sheets' differences touch */
  int count;
  const struct tor_plane_media *plane; /* of the source: before the absorbing layers; one of `around` */
};

/* Returns 0 with a fault: surfaces that cross the plane, media that change across it. Either way it is to be freed.
 * Ends the run when memory is short. */
int tor_open_plane_make(const struct tor_job *job, const struct tor_source *source, struct tor_faults *faults,
                        struct tor_open_plane *open);
void tor_open_plane_free(struct tor_open_plane *open);

#endif
