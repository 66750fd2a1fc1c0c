/* Convolutional PML profiles (Roden and Gedney, Microw. Opt. Technol. Lett. 27, 334 (2000)). */
#ifndef TOR_SRC_MODEL_PML_H
#define TOR_SRC_MODEL_PML_H

#include "src/job/grid.h"

/* What sets the boundary layers: the background's index of refraction at the job's wavelength. */
double tor_background_index(const struct tor_job *job);

struct tor_pml_point {
  double ik, b, c; /* 1 / kappa; psi' = b psi + c D */
};

/* Coefficients at half-cell coordinate u (0 .. 2n) along an axis; index: refractive index of the background, which sets
 * the optimal conductivity; wave_number: 2 pi / wavelength [1/m] that the layer's alpha refers to. Outside the layers
 * 1, 0, 0. */
struct tor_pml_point tor_pml_at(const struct tor_grid *grid, int axis, int u, double index, double wave_number);

/* Share of the amplitude that the CPML of a face returns, 0 .. 1, of a plane wave across it in a uniform medium: of the
 * layer's own coefficients on the grid of second order and at its time step. wavelength: in vacuum [m]; wave_number as
 * above. 0 where a wave is too short for the grid. */
double tor_pml_reflection(const struct tor_grid *grid, int face, double index, double wave_number, double wavelength);

/* Factor of the absorbers across an axis at half-cell coordinate u (tor_slab.damping): 1 / (1 + rate ct / 2), 1 outside
 * the layers. Damping rate [1/m]: conductivity over permittivity, and magnetic conductivity over permeability, both
 * over c, which are the same in all media, so that what meets a layer at a right angle is not reflected by a mismatch
 * of impedances; a wave loses exp(-index * integral of the rate) on its way. With depth g = 0 at the inner side, 1 at
 * the wall, L the thickness, n the background's index, it is sigma * (grade + 1) ln(1 / R) / (2 max(n L, wavelength)) *
 * g^grade,  R = 1e-3 so that what returns from the wall of a layer of a wavelength or more is R^sigma of the amplitude
 * (Taflove and Hagness, Computational Electrodynamics, 3rd ed., eq. 7.62, for a matched layer); a thinner one is no
 * better conductor, which would take from near fields. Passive in every medium; oblique waves see a gradual mismatch:
 * Oskooi, Zhang, Avniel, Johnson, Opt. Express 16, 11376 (2008). */
double tor_absorber_factor(const struct tor_grid *grid, int axis, int u, double index, double wavelength);

/* The same as tor_pml_at for a layer of `cells` cells with depth 0 (inner side) .. 1 (wall), cell edge d and time step
 * ct. */
struct tor_pml_point tor_pml_profile(const struct tor_boundary *layer, double depth, double d, double ct, double index,
                                     double wave_number);

#endif
