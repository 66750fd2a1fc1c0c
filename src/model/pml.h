/* Convolutional PML profiles (Roden and Gedney, Microw. Opt. Technol. Lett. 27, 334 (2000)). */
#ifndef TOR_SRC_MODEL_PML_H
#define TOR_SRC_MODEL_PML_H

#include "src/job/grid.h"

struct tor_pml_point {
  double ik, b, c; /* 1 / kappa; psi' = b psi + c D */
};

/* Coefficients at half-cell coordinate u (0 .. 2n) along an axis; index: refractive index of the background, which sets
 * the optimal conductivity; wave_number: 2 pi / wavelength [1/m] that the layer's alpha refers to. Outside the layers
 * 1, 0, 0. */
struct tor_pml_point tor_pml_at(const struct tor_grid *grid, int axis, int u, double index, double wave_number);

/* The same for a layer of `cells` cells with depth 0 (inner side) .. 1 (wall), cell edge d and time step ct. */
struct tor_pml_point tor_pml_profile(const struct tor_boundary *layer, double depth, double d, double ct, double index,
                                     double wave_number);

#endif
