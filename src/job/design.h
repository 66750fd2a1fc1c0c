/* Design regions: boxes whose permittivity is interpolated from a grid of values in an HDF5 file, painted over all
 * objects (docs/design/gradients.md). Plain data; lengths in metres. */
#ifndef TOR_SRC_JOB_DESIGN_H
#define TOR_SRC_JOB_DESIGN_H

#include <stdint.h>

struct tor_job;

struct tor_design {
  char *name; /* owned, as file and dataset */
  double lo[3], hi[3];
  int medium[2];     /* at density 0 and 1, as indices into the job's media; -1: the values are permittivities */
  int n[3];          /* values along each axis, each in the middle of an equal part of the box; 1: the same all along */
  int64_t stride[3]; /* between neighbours of `value` along each axis */
  double *value;     /* owned */
  char *file, *dataset;
  uint64_t contents; /* a number that changes with the values */
};

void tor_design_free(struct tor_design *design);
/* Values of a design. */
static inline int64_t tor_design_count(const struct tor_design *d) { return (int64_t)d->n[0] * d->n[1] * d->n[2]; }

/* The value at a point, trilinear between the grid's values and constant beyond the outermost. */
double tor_design_value(const struct tor_design *design, const double x[3]);
/* The permittivity of component `axis` of E there: that of the first medium, and the value's part of the difference. */
double tor_design_permittivity(const struct tor_job *job, const struct tor_design *design, int axis, const double x[3]);
/* Whether the box, faces included to a millionth of a cell, has points at x along an axis; in 2-D it has along the axis
 * where nothing varies. */
int tor_design_reaches(const struct tor_job *job, const struct tor_design *design, int axis, double x);
/* The last of the job's designs that contains the point; NULL: none does. */
const struct tor_design *tor_job_design_at(const struct tor_job *job, const double x[3]);
/* The medium that is nearer to the density of the last design that contains the point; -1: none does, or it has
 * permittivities. */
int tor_job_design_medium(const struct tor_job *job, const double x[3]);

#endif
