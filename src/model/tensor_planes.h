/* Refusals of sources and monitors whose fields are computed without the nodes of media (tensor_node.h): plane waves,
 * whose lines have edges alone, and modes. */
#ifndef TOR_SRC_MODEL_TENSOR_PLANES_H
#define TOR_SRC_MODEL_TENSOR_PLANES_H

#include "src/base/error.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/model/layers.h"
#include "src/model/source.h"

/* A plane wave in such a medium: at a face of its box across the direction, or where the box has sides in it. */
void tor_tensor_check_wave(const struct tor_job *job, const struct tor_grid *grid, const struct tor_source *source,
                           const struct tor_box *box, const struct tor_layers *layers, struct tor_faults *faults);
/* Monitors of modes, and the plane of `torre modes`, across such media. */
void tor_tensor_check_modes(const struct tor_job *job, const struct tor_grid *grid, struct tor_faults *faults);

#endif
