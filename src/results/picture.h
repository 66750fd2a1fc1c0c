/* Pictures of a component in a plane of its points, with the outlines of the media there. */
#ifndef TOR_SRC_RESULTS_PICTURE_H
#define TOR_SRC_RESULTS_PICTURE_H

#include "io/image/image.h"
#include "src/job/job.h"
#include "src/model/monitor.h"

/* A patch with one point along `across` as a picture: horizontal and vertical are the other axes in the order x, y, z.
 * across: -1 where no axis has one point. */
struct tor_picture_plane {
  int across, h, v;
  int nh, nv;
};
struct tor_picture_plane tor_picture_plane(const struct tor_patch *patch);

/* The job's unit of length as labels have it: "µm". */
const char *tor_picture_unit(const struct tor_job *job);

/* "E_x", "H_z": a component as labels have it. */
const char *tor_picture_component(int comp);

/* values: [nv][nh] of the patch's plane; the colours end at `limit` (0: at the largest). The title is followed by the
 * plane's place. Returns 0; or -1 with errno. */
int tor_picture_write(const struct tor_job *job, const struct tor_grid *grid, const char *path,
                      const struct tor_patch *patch, const double *values, enum tor_image_mode mode, double limit,
                      const char *title, const char *label);

#endif
