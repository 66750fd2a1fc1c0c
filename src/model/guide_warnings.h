/* Warnings about modes: guides that are not uniform at a monitor, planes that cut a source off, no solver. */
#ifndef TOR_SRC_MODEL_GUIDE_WARNINGS_H
#define TOR_SRC_MODEL_GUIDE_WARNINGS_H

#include "src/job/grid.h"

void tor_guide_warnings_log(const struct tor_job *job, const struct tor_grid *grid);

#endif
