/* Parts of tor_results_write, for results*.c, run.c and snapshot.c. Each returns the number of files that could not be written. */
#ifndef TOR_RESULTS_PARTS_H
#define TOR_RESULTS_PARTS_H

#include "results.h"

int tor_results_write_h5(const struct tor_results *results);
int tor_results_write_images(const struct tor_results *results);

/* A warning with the reason (errno's words when why is NULL). Returns 1. */
int tor_results_not_written(const char *path, const char *why);
/* Logs a file as written and lists it for run.json; the above when status is not 0. */
int tor_results_told(const struct tor_results *results, const char *path, int status, const char *why);

/* A picture of values [v][h] of a patch with one point along an axis, h and v the other axes in the order x, y, z; signed, the colours
 * end at `limit` (0: at the largest). Logs a warning when it cannot be written. */
int tor_results_draw(const struct tor_results *results, const char *path, const struct tor_patch *patch, const double *values, double limit,
                     const char *title, const char *label);

/* Coordinates of a patch along an axis [m]: [count], the caller's to free. */
double *tor_results_places(const struct tor_results *results, const struct tor_patch *patch, int axis);

#endif
