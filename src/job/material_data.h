/* The published numbers of the built-in media, in the units and form of their papers. Private to material*.c. */
#ifndef TOR_SRC_JOB_MATERIAL_DATA_H
#define TOR_SRC_JOB_MATERIAL_DATA_H

enum tor_term_form {
  TOR_TERM_DRUDE,     /* - wp^2 / (E (E + i b)):              a = wp [eV], b = collision rate [eV] */
  TOR_TERM_LORENTZ,   /* a c^2 / (c^2 - E^2 - i b E):         a = change of eps, b = damping [eV], c = resonance [eV] */
  TOR_TERM_RAKIC0,    /* Drude term with wp^2 -> a wp^2:      a = f0, b = Gamma0 [eV] */
  TOR_TERM_RAKIC,     /* a wp^2 / (c^2 - E^2 - i b E):        a = f, b = Gamma [eV], c = resonance [eV] */
  TOR_TERM_SELLMEIER, /* a lambda^2 / (lambda^2 - c^2):       a = B, c = resonance wavelength [um]; no damping */
  TOR_TERM_FRACTION   /* a / (lambda^2 - c), lambda in um:    equals -a/c + (a/c) lambda^2 / (lambda^2 - c) */
};

struct tor_term {
  enum tor_term_form form;
  double a, b, c;
};

enum { TOR_TERMS_MAX = 8 };

struct tor_builtin {
  const char *name;
  double eps_inf;  /* the formula's constant; FRACTION terms lower it */
  double wp;       /* RAKIC terms: plasma energy [eV] */
  double range[2]; /* wavelengths [m] */
  double error;    /* largest |n - n_ref| / |n_ref| of the complex index in range; 0: itself the reference */
  const char *source;
  int nterms;
  struct tor_term terms[TOR_TERMS_MAX];
};

extern const struct tor_builtin tor_builtins[];
extern const int tor_builtin_number;

#endif
