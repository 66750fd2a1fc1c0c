/* Convolutional PML profiles: see pml.h. */
#include "src/model/pml.h"

#include <complex.h>
#include <math.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"

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

/* From the wall, where E is 0, E and H are found half a cell after the other. There, as exp(i omega t), E and H change
 * by i omega s times the other, 1/s = 1/kappa + c / (1 - b exp(-i omega dt)): the response of the layer's psi. Beyond
 * the layer two values of E give the waves to and from it. */
double tor_pml_reflection(const struct tor_grid *grid, int face, double index, double wave_number, double wavelength) {
  const int axis = face / 2, inside = 2 * grid->face[face].cells;
  const double phase = 2 * TOR_PI * grid->ct / wavelength, d = grid->d[axis];
  const double step = 2 * sin(0.5 * phase) / grid->ct * index * d; /* fields in units where E / H is 1 */
  if (!(step < 2)) return 0;
  double complex e[2] = {0, 0}, h = 1;
  for (int i = 1; i <= inside + 4; i++) {
    const struct tor_pml_point at =
        i > inside ? (struct tor_pml_point){1, 0, 0}
                   : tor_pml_at(grid, axis, face % 2 ? 2 * grid->n[axis] - i : i, index, wave_number);
    const double complex s = 1 / (at.ik + at.c / (1 - at.b * cexp(CMPLX(0, -phase))));
    if (i % 2) {
      e[0] = e[1];
      e[1] += CMPLX(0, step) * s * h;
    } else {
      h += CMPLX(0, step) * s * e[1];
    }
    const double size = cabs(e[1]) + cabs(h); /* waves grow towards the inside */
    e[0] /= size;
    e[1] /= size;
    h /= size;
  }
  const double complex on = cexp(CMPLX(0, 2 * asin(0.5 * step)));
  return cabs(e[0] * on - e[1]) / cabs(e[1] - e[0] / on);
}
