/* Reference solutions: light scattering by a homogeneous sphere (Mie) and a stack of flat layers at normal incidence.
 *
 * Time factor exp(-i omega t): absorbing media have Im(m) > 0, Im(eps) > 0. Local, no state. */
#ifndef TOR_JOBS_TOOLS_MIE_H
#define TOR_JOBS_TOOLS_MIE_H

#include <complex.h>

/* Bohren and Huffman, Absorption and Scattering of Light by Small Particles (1983), eqs. 4.61, 4.62, 4.88; the
 * logarithmic derivative runs downward. `size_parameter` is 2 pi radius n_background / wavelength, `m` the sphere's
 * index over the background's. Efficiencies (cross-section over pi radius^2) and the asymmetry parameter <cos theta>;
 * any of the three may be NULL. Right for |m| x up to about 1e4. */
void tor_mie(double size_parameter, double complex m, double *q_ext, double *q_sca, double *g);

/* The amplitudes S1 (E across the plane of scattering) and S2 (in it) at an angle with that cosine from the wave's
 * direction: |S|^2 / k^2 is the cross-section per solid angle (Bohren and Huffman, eqs. 4.47, 4.74, 3.12). */
void tor_mie_amplitudes(double size_parameter, double complex m, double cosine, double complex s[2]);

/* Power reflected from and transmitted through `nlayers` layers between two half-spaces; the wave comes from the first.
 * `eps` [nlayers + 2]: half-space, layers in order, half-space; `thickness` [nlayers] in the unit of `wavelength`
 * (vacuum). Characteristic matrices: Born and Wolf, Principles of Optics, sec. 1.6. The first half-space must be
 * lossless. */
void tor_slab_rt(int nlayers, const double complex *eps, const double *thickness, double wavelength, double *reflected,
                 double *transmitted);

#endif
