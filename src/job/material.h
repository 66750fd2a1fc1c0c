/* Media: constants, conductivities and any number of poles; the built-in metals and dielectrics.
 *
 *   eps(w) = eps_inf + i sigma / (eps0 w) + sum of poles,      time factor exp(-i w t)
 *   Drude    - wp^2 / (w^2 + i gamma w)                        strength = wp [rad/s]
 *   Lorentz    deps w0^2 / (w0^2 - w^2 - i gamma w)            strength = deps [1]
 *   Debye      deps / (1 - i w tau)                            strength = deps [1]
 */
#ifndef TOR_SRC_JOB_MATERIAL_H
#define TOR_SRC_JOB_MATERIAL_H

#include <complex.h>
#include <stdio.h>

#include "src/base/error.h"

enum { TOR_CHI2_SIZE = 18 };
/* A critical point is a pair of complex conjugate poles (P. G. Etchegoin, E. C. Le Ru, M. Meyer, J. Chem. Phys. 125,
 * 164705 (2006)), with time as exp(-i w t): A O (exp(i phi) / (O - w - i G) + exp(-i phi) / (O + w + i G)). */
enum tor_pole_kind { TOR_DRUDE, TOR_LORENTZ, TOR_DEBYE, TOR_CRITICAL_POINT };

struct tor_pole {
  enum tor_pole_kind kind;
  double strength; /* Drude: plasma frequency [rad/s]; Lorentz, Debye: change of permittivity [1]; critical point: A */
  double omega;    /* Lorentz: resonance [rad/s]; critical point: O */
  double gamma;    /* Drude, Lorentz: collision rate [rad/s]; critical point: G */
  double tau;      /* Debye: relaxation time [s] */
  double less[3];  /* along an axis the pole has the strength (Drude: its square) times 1 - less */
  double phase;    /* critical point: phi [rad] */
};

/* All but Debye: the susceptibility is (b0 + b1 s) / (s^2 + gamma s + square), s = -i w. In rad/s. */
struct tor_pole_fraction {
  double b0, b1, gamma, square;
};
struct tor_pole_fraction tor_pole_fraction(const struct tor_pole *pole);

/* The factor on a pole's strength (Drude: on its square) along an axis. */
static inline double tor_pole_part(const struct tor_pole *pole, int axis) { return 1 - pole->less[axis]; }
static inline int tor_pole_is_isotropic(const struct tor_pole *pole) {
  return pole->less[0] == 0 && pole->less[1] == 0 && pole->less[2] == 0;
}

/* How far a medium is from a table of n and k: errors |eps - eps_table| / |eps_table| of its permittivity. */
struct tor_fit_report {
  int points;     /* of the table, in range */
  double rms;     /* root mean square over them */
  double largest; /* and where it is [m] */
  double at;
  double range[2]; /* wavelengths of the first and the last point [m] */
};

struct tor_medium {
  char *name;        /* owned */
  double eps[3];     /* relative permittivity at infinite frequency, along x, y, z */
  int has_tensor;    /* it is a full tensor, whose diagonal is eps (tensor.h) */
  double off[3];     /* then yz, zx, xy of it, */
  double edge[3];    /* and what of it edges of E have: at most eps; nodes have the rest (src/model/tensor_node.h);
                        of second order, too */
  double mu[3];      /* relative permeability */
  double sigma[3];   /* electric conductivity [S/m] */
  double sigma_m[3]; /* magnetic conductivity [Ohm/m] */
  int is_sheet;      /* that of a sheet (thin_sheet.h): of no object */
  int conducts;      /* a perfect conductor (PEC): no E in it; the above is that of vacuum */
  int has_node_pole; /* it has one pole more, whose current turns about a static magnetic field or that saturates: */
  struct tor_pole node_pole; /* Drude or Lorentz; not among the poles */
  double cyclotron[3];       /* e B / m [rad/s]: dJ/dt = eps0 wp^2 E - gamma J - w0^2 P - J x cyclotron */
  double
      saturation; /* 0, or the amplitude at its resonance that halves its strength [V/m] (docs/design/node-media.md) */
  double relaxation;          /* in this time [s] it recovers */
  double chi3;                /* Kerr: P = eps0 chi3 |E|^2 E [m^2/V^2], of the real field; 0: none */
  int has_chi2;               /* it is of second order: */
  double chi2[TOR_CHI2_SIZE]; /* contracted, 2 d [m/V] (chi2.h); edges lack part of the permittivity, too */
  int npoles;
  struct tor_pole *poles; /* [npoles], owned */
  double n, k, at;        /* index n + i k at this wavelength [m], from which the above was made; at 0: it was not */
  double range[2];        /* range of wavelengths of the data [m]; 0, 0: unlimited */
  const char *source;     /* where the data come from; NULL for a user's medium; not owned */
  char *table;            /* the file of n and k that its poles are fitted to, as the job names it; NULL: none. Owned */
  struct tor_fit_report fit; /* to that table */
};

/* Vacuum and a perfect conductor under the given name. */
struct tor_medium tor_medium_vacuum(const char *name);
struct tor_medium tor_medium_pec(const char *name);
/* A passive medium of the index n + i k (n, k >= 0, not both 0) at a wavelength in vacuum [m], in the time steps dt
 * [s]: with E proportional to exp(-i w t) at the steps, its update has this permittivity exactly, with (2 / dt) sin(w
 * dt / 2) in place of w as in the rest of the grid. A Drude pole where Re eps < 1, else a conductivity. */
struct tor_medium tor_medium_of_index(const char *name, double n, double k, double wavelength, double dt);
struct tor_medium tor_medium_copy(const struct tor_medium *medium);
void tor_medium_free(struct tor_medium *medium);

/* The permittivity at infinite frequency that edges of E along `axis` have. */
static inline double tor_medium_edge(const struct tor_medium *medium, int axis) {
  return medium->has_tensor || medium->has_chi2 ? medium->edge[axis] : medium->eps[axis];
}
/* Whether its poles are integrated by the trapezoidal rule, all of them: it has a critical point. Then what is passive
 * is so in time steps (src/model/coefficient.c). */
static inline int tor_medium_is_trapezoidal(const struct tor_medium *m) {
  for (int p = 0; p < m->npoles; p++)
    if (m->poles[p].kind == TOR_CRITICAL_POINT) return 1;
  return 0;
}
/* Whether a Lorentz or Debye pole of it amplifies along an axis. A critical point may be passive with either
 * sign: half a turn of its phase is the other one. */
static inline int tor_medium_has_gain(const struct tor_medium *m) {
  int gain = 0;
  for (int p = 0; p < m->npoles; p++)
    for (int a = 0; a < 3; a++)
      gain |= (m->poles[p].kind == TOR_LORENTZ || m->poles[p].kind == TOR_DEBYE) &&
              m->poles[p].strength * tor_pole_part(&m->poles[p], a) < 0;
  return gain;
}
/* Whether poles need the new field of a time step: Debye's and those of the trapezoidal rule. */
static inline int tor_medium_is_implicit(const struct tor_medium *m) {
  int found = tor_medium_is_trapezoidal(m);
  for (int p = 0; p < m->npoles; p++) found |= m->poles[p].kind == TOR_DEBYE;
  return found;
}
/* Whether its electric losses are nowhere below 0, at any frequency and along any axis: Re(-i w chi) >= -1e-7 of the
 * sum of its parts' sizes, by bounds over intervals of w that cover eight decades beyond all its poles. Returns 1, or
 * 0 with a frequency [rad/s] at which it amplifies. Poles and conductivity; not the pole of nodes. */
int tor_medium_is_passive(const struct tor_medium *medium, double *omega);
/* Whether its permittivity is the same at all frequencies: no poles, no losses of E, no conductor. */
static inline int tor_medium_is_constant(const struct tor_medium *m) {
  return m->npoles == 0 && !m->has_node_pole && !m->conducts && m->sigma[0] == 0 && m->sigma[1] == 0 &&
         m->sigma[2] == 0;
}
/* Whether it depends on the field. */
static inline int tor_medium_is_nonlinear(const struct tor_medium *m) {
  return m->chi3 != 0 || m->has_chi2 || m->saturation > 0;
}
/* Whether its polarisation is at nodes. */
static inline int tor_medium_needs_nodes(const struct tor_medium *m) {
  return m->has_tensor || m->has_node_pole || tor_medium_is_nonlinear(m);
}
/* What has it there beside a tensor, to be named; NULL: nothing. */
static inline const char *tor_medium_node_part(const struct tor_medium *m) {
  return m->saturation > 0  ? "saturable pole"
         : m->has_node_pole ? "magnetised pole"
         : m->has_chi2      ? "second-order susceptibility"
         : m->chi3 != 0     ? "Kerr effect"
                            : NULL;
}
/* Whether the permittivity is the same in all directions, conductivities left out. */
static inline int tor_medium_is_isotropic(const struct tor_medium *m) {
  int alike = m->eps[1] == m->eps[0] && m->eps[2] == m->eps[0] && !m->has_tensor;
  for (int p = 0; p < m->npoles; p++) alike &= tor_pole_is_isotropic(&m->poles[p]);
  return alike;
}

/* Relative permittivity / permeability along `axis` at angular frequency omega [rad/s], time factor exp(-i omega t). */
double complex tor_medium_permittivity(const struct tor_medium *medium, int axis, double omega);
double complex tor_medium_permeability(const struct tor_medium *medium, int axis, double omega);

/* Whether it absorbs power, or has poles, which may. */
int tor_medium_absorbs(const struct tor_medium *medium);
/* Whether it absorbs power: poles without a collision rate do not. */
int tor_medium_has_loss(const struct tor_medium *medium);

/* A built-in medium by name (case matters: "Au"), or false when there is none. The copy is the caller's. */
int tor_medium_builtin(const char *name, struct tor_medium *medium);
int tor_medium_builtin_count(void);
const char *tor_medium_builtin_name(int i);
/* Largest |n - n_tab| / |n_tab| of the complex index in range; 0 when the published model itself is the reference. */
double tor_medium_builtin_error(int i);
/* Prints the table of `torre materials`: name, range, largest error of the fit against the tabulated data, source. */
void tor_medium_print_builtin(FILE *out);
/* A medium as an element of a job file's media, in lines that begin with `indent`: constants and poles. */
void tor_medium_print_job(const struct tor_medium *medium, const char *indent, FILE *out);
/* A medium's poles as a job file has them, then lines "wavelength_nm,n,k,eps_re,eps_im" at `count` wavelengths [m],
 * equally spaced; along x. from 0: the visible part of its range, else all of it. */
void tor_medium_print(const struct tor_medium *medium, double from, double to, int count, FILE *out);

#endif
