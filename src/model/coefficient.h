/* Update coefficients from media and their volume fractions in a cell (diamond/core/update.h). Time is c t [m], E in
 * V/m, H is eta0 H. */
#ifndef TOR_SRC_MODEL_COEFFICIENT_H
#define TOR_SRC_MODEL_COEFFICIENT_H

#include "diamond/core/slab.h"
#include "src/job/grid.h"

/* The dispersive part of a cell whose interface lies across the component (tor_run.branch). */
struct tor_branch {
  int used;
  double weight, a, g, r; /* fraction of the medium that drives the poles; see tor_branch_field */
};

struct tor_coefficient {
  double cb, ca1;
  struct tor_branch
      branch; /* not used: the poles are driven by the cell's own field, weighted by the medium's fraction */
};

/* The medium number i of a mix. */
const struct tor_medium *tor_mix_medium(const struct tor_job *job, const struct tor_mix *mix, int i);

/* Coefficients of one component whose cell contains `mix` of the job's media: 1/eps_i = n_i^2 <1/eps> + (1 - n_i^2) /
 * <eps>, the diagonal part of Kottke, Farjadpour, Johnson, Phys. Rev. E 77, 036611 (2008). Next to one dispersive
 * medium, tor_mix_resolve first. Without absorbers, which multiply cb and ca1 (diamond/core/update.h): a conductivity
 * beside the whole cell, also beside both capacitors of an interface, so that e_b - a e changes by J_b alone. */
struct tor_coefficient tor_coefficient_make(const struct tor_job *job, const struct tor_grid *grid, int comp,
                                            const struct tor_mix *mix);

/* Half of an edge of E that is its own: beside nodes of metals (metal.h) the two halves of an edge may differ. */
struct tor_edge_half {
  double eps, own;               /* its permittivity and what the poles add to it (tor_poles_implicit) */
  double conductivity, implicit; /* [1/m]: eta0 sigma; the poles' part that acts at once */
};
/* That of a mixture without metals, all media beside each other but as tor_coefficient_make has them where none has
 * poles. with_poles: else dispersive media count with tor_beside_metal. */
struct tor_edge_half tor_edge_half_make(const struct tor_job *job, const struct tor_grid *grid, int comp,
                                        const struct tor_mix *mix, int with_poles);
struct tor_coefficient tor_coefficient_of_halves(const struct tor_grid *grid, int comp,
                                                 const struct tor_edge_half half[2]);

/* Adds what a medium's poles put into the coefficients of an edge that it fills: the current of the new field, k4 in
 * J' = k1 J + k2 P + k3 E + k4 E' [1/m], and `own`, an addition to the permittivity. 0 of explicit poles. ct: step of
 * c t [m]. */
void tor_poles_implicit(const struct tor_medium *medium, double ct, int axis, double *implicit, double *own);

/* Chooses the treatment of a cell on the surface of a dispersive medium for component comp. A metal's permittivity is
 * negative, so a mixture of it with a dielectric passes through zero or infinity at some volume fraction, and where the
 * interface is oblique that is a resonance (and a loss) which the surface does not have. Therefore the formula above is
 * used at all frequencies where the interface is along or across the component (there it is exact), with n_i^2 set to 0
 * or 1; if more across than along, up to a fraction of 0.65; elsewhere the cell gets the medium that fills more of it.
 * docs/design/numerics.md gives the reasons for these limits. */
void tor_mix_resolve(const struct tor_job *job, int comp, struct tor_mix *mix);

/* Poles of a medium in the form that the engines use. Drude and Lorentz poles are explicit, of second order in dt;
 * Debye poles, and all of a medium with critical points, are integrated by the trapezoidal rule. Owned by the caller;
 * free dispersion->pole. */
void tor_dispersion_make(const struct tor_medium *medium, const struct tor_grid *grid,
                         struct tor_dispersion *dispersion);
/* The magnetised or saturable pole of a medium in that form: dJ/dt = (1 + m) eps0 wp^2 E - gamma J - w0^2 P - J x
 * cyclotron, dm/dt = - m / T1 - 2 gamma / (T1 wp^2 Es^2) E . J / eps0, with J and m the means of both half-steps on the
 * right. */
void tor_magnetised_make(const struct tor_medium *medium, const struct tor_grid *grid, struct tor_magnetised *to);
/* Copies of n dispersions with their poles, for what outlives the slab; and freeing them. Ends the run when memory is
 * short. */
struct tor_dispersion *tor_dispersions_copy(const struct tor_dispersion *from, int n);
void tor_dispersions_free(struct tor_dispersion *dispersion, int n);

/* Bound of (w dt / 2)^2 of the highest frequency w that the grid has in a medium; below 1 the medium is stable. */
double tor_medium_frequency(const struct tor_medium *medium, const struct tor_job *job, const struct tor_grid *grid);
/* Fault when a medium cannot be advanced stably with this time step (poles too strong or too fast for it). */
void tor_medium_check(const struct tor_medium *medium, const struct tor_job *job, const struct tor_grid *grid,
                      struct tor_faults *faults);

#endif
