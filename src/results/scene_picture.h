/* A section of a job's scene as a picture, before any run: media, sheets, absorbing layers, boxes, monitors, sources.
 * Local. */
#ifndef TOR_SRC_RESULTS_SCENE_PICTURE_H
#define TOR_SRC_RESULTS_SCENE_PICTURE_H

#include "src/job/grid.h"
#include "src/job/job.h"

/* The plane across an axis at a place [m]. Monitors and sources within half a cell of it are drawn. Returns 0; or -1
 * with errno. */
int tor_scene_picture_write(const char *path, const struct tor_job *job, const struct tor_grid *grid, int across,
                            double at);

#endif
