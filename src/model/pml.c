/* Convolutional PML profiles: see pml.h. */
#include "src/model/pml.h"

#include <complex.h>
#include <math.h>

#include "src/base/types.h"
#include "src/base/units.h"
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

double tor_background_index(const struct tor_job *job) {
  const struct tor_medium *m = &job->media[job->background];
  const double at = creal(tor_medium_permittivity(m, 0, 2 * TOR_PI * TOR_C0 / tor_job_wavelength(job)));
  return sqrt((at > 0 ? at : m->eps[0]) * m->mu[0]);
}

/* Depth in the layer of a face at half-cell coordinate u, 0 (inner side and outside) .. 1 (wall). */
static double depth_at(const struct tor_grid *grid, int face, int u) {
  const int axis = face / 2, cells = grid->face[face].cells;
  const double depth = (face % 2 ? u - 2.0 * (grid->n[axis] - cells) : 2.0 * cells - u) / (2.0 * cells);
  return fmin(fmax(depth, 0), 1);
}

double tor_absorber_factor(const struct tor_grid *grid, int axis, int u, double index, double wavelength) {
  static const double REFLECTION = 1e-3;
  double rate = 0;
  for (int f = 2 * axis; f < 2 * axis + 2; f++) {
    const struct tor_boundary *layer = &grid->face[f];
    if (layer->wall != TOR_ABSORBER) continue;
    const double path = fmax(index * layer->cells * grid->d[axis], wavelength);
    const double most = layer->sigma * (layer->grade + 1) * -log(REFLECTION) / (2 * path);
    rate += most * pow(depth_at(grid, f, u), layer->grade);
  }
  return 1 / (1 + 0.5 * rate * grid->ct);
}

struct tor_pml_point tor_pml_at(const struct tor_grid *grid, int axis, int u, double index, double wave_number) {
  for (int side = 0; side < 2; side++) {
    const struct tor_boundary *layer = &grid->face[2 * axis + side];
    if (layer->wall != TOR_CPML || layer->cells < 1) continue;
    const double depth = depth_at(grid, 2 * axis + side, u);
    if (depth > 0) return tor_pml_profile(layer, depth, grid->d[axis], grid->ct, index, wave_number);
  }
  return (struct tor_pml_point){1, 0, 0};
}
