/* Values on a regular grid in a box about the origin: each in the middle of an equal part of it. Lengths in metres. */
#ifndef TOR_SRC_JOB_RASTER_H
#define TOR_SRC_JOB_RASTER_H

struct tor_raster;

/* value: [n[2]][n[1]][n[0]], kept as floats, not taken over; size: the box's edges; linear: trilinear between the
 * values and constant beyond the outermost, else the value of the part. */
struct tor_raster *tor_raster_new(const double *value, const int n[3], const double size[3], int linear);
void tor_raster_free(struct tor_raster *raster);

const double *tor_raster_size(const struct tor_raster *raster);
double tor_raster_at(const struct tor_raster *raster, const double x[3]);
/* Bounds of all values at points of the box from lo to hi, of which a part may lie beyond the raster's: range[0] to
 * range[1]. */
void tor_raster_range(const struct tor_raster *raster, const double lo[3], const double hi[3], double range[2]);
/* The box around the parts at which a value at `level` or above may be. Returns 0 where there is none. */
int tor_raster_bounds(const struct tor_raster *raster, double level, double lo[3], double hi[3]);

#endif
