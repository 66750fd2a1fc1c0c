/* Convolutional PML profiles: see pml.h. */
#include "src/model/pml.h"

#include <math.h>

#include "src/base/types.h"
#include "src/job/grid.h"
#include "src/job/job.h"

struct tor_pml_point tor_pml_profile(const struct tor_boundary *layer, double depth, double d, double ct, double index,
                                     double wave_number) {
  /* Conductivities times eta0, so that time is c t [m]. Optimal value: Roden and Gedney, eq. 29. */
  double sigma_max = layer->sigma * 0.8 * (layer->grade + 1) / (d * index);
  double sigma = sigma_max * pow(depth, layer->grade);
  double kappa = 1 + (layer->kappa - 1) * pow(depth, layer->grade);
  double alpha = layer->alpha * wave_number * (1 - depth);
  double b = exp(-(sigma / kappa + alpha) * ct);
  double c = sigma > 0 ? sigma * (b - 1) / (kappa * (sigma + kappa * alpha)) : 0;
  return (struct tor_pml_point){1 / kappa, b, c};
}

struct tor_pml_point tor_pml_at(const struct tor_grid *grid, int axis, int u, double index, double wave_number) {
  for (int side = 0; side < 2; side++) {
    const struct tor_boundary *layer = &grid->face[2 * axis + side];
    if (layer->wall != TOR_CPML || layer->cells < 1) continue;
    double depth = (side ? u - 2.0 * (grid->n[axis] - layer->cells) : 2.0 * layer->cells - u) / (2.0 * layer->cells);
    if (depth > 0) return tor_pml_profile(layer, depth < 1 ? depth : 1, grid->d[axis], grid->ct, index, wave_number);
  }
  return (struct tor_pml_point){1, 0, 0};
}
