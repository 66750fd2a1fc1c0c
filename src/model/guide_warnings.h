/* Warnings about monitors of modes: guides that are not uniform at the plane, builds without the solver. */
#ifndef TOR_SRC_MODEL_GUIDE_WARNINGS_H
#define TOR_SRC_MODEL_GUIDE_WARNINGS_H

#include "src/job/grid.h"

void tor_guide_warnings_log(const struct tor_job *job, const struct tor_grid *grid);

#endif
