/* Pictures of fields in a plane, with the outlines of shapes, total-field boxes and absorbing layers. Local. */
#ifndef TOR_SRC_RESULTS_PICTURE_H
#define TOR_SRC_RESULTS_PICTURE_H

#include "io/image/image.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/monitor.h"

/* The points of a picture, in a plane across an axis: [nv][nh]; h and v are the other axes in the order x, y, z.
 * across: -1 where no axis has one point. */
struct tor_picture_plane {
  int across, h, v;
  int nh, nv;
  double place;      /* along `across` [m] */
  double x[2], y[2]; /* outer edges along h and v, half a point beyond the last ones [m] */
};
/* The points of a patch with one point along `across`. */
struct tor_picture_plane tor_picture_plane(const struct tor_grid *grid, const struct tor_patch *patch);
/* The centres of the cells in which all the patches [n], of one monitor, have points. */
struct tor_picture_plane tor_picture_cells(const struct tor_grid *grid, const struct tor_patch *patch, int n);

/* Adds |value|^2 of a patch's points, interpolated to the plane's cells, to sum[nv][nh]: re and im (or NULL) are
 * [nv][nh] of tor_picture_plane(patch). Across the plane each component has its own nearest points. */
void tor_picture_add_square(const struct tor_picture_plane *cells, const struct tor_grid *grid,
                            const struct tor_patch *patch, const double *re, const double *im, double *sum);

/* The job's unit of length as labels have it: "µm". */
const char *tor_picture_unit(const struct tor_job *job);

/* "E_x", "H_z": a component as labels have it. */
const char *tor_picture_component(const struct tor_job *job, int comp);

struct tor_picture {
  const struct tor_job *job;
  const struct tor_grid *grid;
  const struct tor_monitor *monitor; /* its image_limit and image_scale */
  const struct tor_picture_plane *plane;
  enum tor_picture_of of;
  int comp;         /* of a component; of TOR_PICTURE_E, _H, _INTENSITY: any one */
  const char *when; /* "at 13.00 fs", "at 530 nm" */
  const char *unit; /* of the values */
  int relative;     /* values are over the incident wave's */
  double *values;   /* [nv][nh], phases in degrees; changed where the scale is logarithmic */
};

/* The title is the job's; below it what is shown, and the plane's place. Returns 0; or -1 with errno. */
int tor_picture_write(const char *path, const struct tor_picture *picture);

/* The part of a file's name that says what is shown: "Ex", "Ex_phase", "E"; static memory of the thread. */
const char *tor_picture_name(const struct tor_job *job, enum tor_picture_of of, int comp);

#endif
