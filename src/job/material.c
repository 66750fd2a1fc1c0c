/* Media: copying, permittivity and permeability at a frequency, and the built-in ones.
 *
 * The numbers of the built-in media are in material_data.c as published; `term_pole` converts them to poles. */
#include "src/job/material.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/material_data.h"

struct tor_medium tor_medium_vacuum(const char *name) {
  struct tor_medium medium = {.eps = {1.0, 1.0, 1.0}, .mu = {1.0, 1.0, 1.0}};
  medium.name = tor_strdup(name);
  return medium;
}

struct tor_medium tor_medium_pec(const char *name) {
  struct tor_medium medium = tor_medium_vacuum(name);
  medium.conducts = 1;
  return medium;
}

struct tor_medium tor_medium_of_index(const char *name, double n, double k, double wavelength, double dt) {
  struct tor_medium medium = tor_medium_vacuum(name);
  const double real = (n - k) * (n + k), imaginary = 2 * n * k;
  const double angle = TOR_PI * TOR_C0 / wavelength * dt; /* w dt / 2 */
  const double omega = 2 / dt * sin(angle), mean = cos(angle);
  double constant = real;
  medium.n = n;
  medium.k = k;
  medium.at = wavelength;
  if (real < 1) {                                  /* eps = constant - plasma^2 / (omega^2 + i omega gamma mean) */
    const double drop = fmax(1 - real, imaginary); /* the weakest pole that leaves at least 1 at high frequencies */
    constant = real + drop;
    medium.npoles = 1;
    medium.poles = tor_alloc(1, sizeof *medium.poles, "poles of a medium");
    medium.poles[0] = (struct tor_pole){.kind = TOR_DRUDE,
                                        .strength = omega * sqrt(drop + imaginary * imaginary / drop),
                                        .gamma = omega * imaginary / drop / mean};
  }
  for (int a = 0; a < 3; a++) {
    medium.eps[a] = constant;
    if (real >= 1) medium.sigma[a] = TOR_EPS0 * omega * imaginary / mean; /* eps = constant + i sigma mean / omega */
  }
  return medium;
}

struct tor_medium tor_medium_copy(const struct tor_medium *medium) {
  struct tor_medium copy = *medium;
  copy.name = medium->name ? tor_strdup(medium->name) : NULL;
  copy.table = medium->table ? tor_strdup(medium->table) : NULL;
  copy.poles = NULL;
  if (medium->npoles > 0) {
    copy.poles = tor_alloc((size_t)medium->npoles, sizeof *copy.poles, "poles of a medium");
    memcpy(copy.poles, medium->poles, (size_t)medium->npoles * sizeof *copy.poles);
  }
  return copy;
}

void tor_medium_free(struct tor_medium *medium) {
  free(medium->name);
  free(medium->poles);
  free(medium->table);
  medium->name = NULL;
  medium->table = NULL;
  medium->poles = NULL;
  medium->npoles = 0;
}

static double complex pole_permittivity(const struct tor_pole *pole, double w) {
  switch (pole->kind) {
  case TOR_DRUDE: return -pole->strength * pole->strength / CMPLX(w * w, w * pole->gamma);
  case TOR_LORENTZ: {
    double w0w0 = pole->omega * pole->omega;
    return pole->strength * w0w0 / CMPLX(w0w0 - w * w, -w * pole->gamma);
  }
  case TOR_DEBYE: return pole->strength / CMPLX(1.0, -w * pole->tau);
  case TOR_CRITICAL_POINT: {
    const struct tor_pole_fraction f = tor_pole_fraction(pole);
    return CMPLX(f.b0, -w * f.b1) / CMPLX(f.square - w * w, -w * f.gamma);
  }
  }
  return 0.0;
}

struct tor_pole_fraction tor_pole_fraction(const struct tor_pole *p) {
  const double a = p->strength, o = p->omega, g = p->gamma;
  switch (p->kind) {
  case TOR_DRUDE: return (struct tor_pole_fraction){.b0 = a * a, .gamma = g};
  case TOR_LORENTZ: return (struct tor_pole_fraction){.b0 = a * o * o, .gamma = g, .square = o * o};
  case TOR_CRITICAL_POINT:
    return (struct tor_pole_fraction){.b0 = 2 * a * o * (o * cos(p->phase) - g * sin(p->phase)),
                                      .b1 = -2 * a * o * sin(p->phase),
                                      .gamma = 2 * g,
                                      .square = o * o + g * g};
  case TOR_DEBYE: break;
  }
  return (struct tor_pole_fraction){0};
}

double complex tor_medium_permittivity(const struct tor_medium *medium, int axis, double omega) {
  double complex eps = medium->eps[axis];
  if (medium->sigma[axis] != 0.0) eps += CMPLX(0.0, medium->sigma[axis] / (TOR_EPS0 * omega));
  for (int p = 0; p < medium->npoles; p++)
    eps += tor_pole_part(&medium->poles[p], axis) * pole_permittivity(&medium->poles[p], omega);
  if (medium->has_node_pole) eps += pole_permittivity(&medium->node_pole, omega); /* without the magnetic field */
  return eps;
}

double complex tor_medium_permeability(const struct tor_medium *medium, int axis, double omega) {
  double complex mu = medium->mu[axis];
  if (medium->sigma_m[axis] != 0.0) mu += CMPLX(0.0, medium->sigma_m[axis] / (TOR_MU0 * omega));
  return mu;
}

/* The pole of one published term; a FRACTION term also lowers *eps_inf. */
static struct tor_pole term_pole(const struct tor_term *term, double wp, double *eps_inf) {
  struct tor_pole pole = {.kind = TOR_LORENTZ, .gamma = term->b * TOR_EV, .omega = term->c * TOR_EV};
  double resonance = term->c; /* [um] */
  switch (term->form) {
  case TOR_TERM_DRUDE:
    pole.kind = TOR_DRUDE;
    pole.strength = term->a * TOR_EV;
    break;
  case TOR_TERM_RAKIC0:
    pole.kind = TOR_DRUDE;
    pole.strength = sqrt(term->a) * wp * TOR_EV;
    break;
  case TOR_TERM_LORENTZ: pole.strength = term->a; break;
  case TOR_TERM_RAKIC: pole.strength = term->a * wp * wp / (term->c * term->c); break;
  case TOR_TERM_FRACTION:
    pole.strength = term->a / term->c;
    *eps_inf -= pole.strength;
    resonance = sqrt(term->c);
    pole.omega = 2.0 * TOR_PI * TOR_C0 / (resonance * 1e-6);
    break;
  case TOR_TERM_SELLMEIER:
    pole.strength = term->a;
    pole.omega = 2.0 * TOR_PI * TOR_C0 / (resonance * 1e-6);
    break;
  }
  return pole;
}

int tor_medium_absorbs(const struct tor_medium *medium) {
  int absorbs = medium->npoles > 0 || medium->has_node_pole || medium->chi3 != 0 || medium->has_chi2;
  for (int a = 0; a < 3; a++) absorbs |= medium->sigma[a] != 0 || medium->sigma_m[a] != 0;
  return absorbs;
}

int tor_medium_has_loss(const struct tor_medium *medium) {
  int loss = medium->has_node_pole && medium->node_pole.gamma > 0 && medium->node_pole.strength > 0;
  for (int p = 0; p < medium->npoles; p++) loss |= medium->poles[p].kind == TOR_DEBYE || medium->poles[p].gamma > 0;
  for (int a = 0; a < 3; a++) loss |= medium->sigma[a] != 0 || medium->sigma_m[a] != 0;
  return loss;
}

int tor_medium_builtin(const char *name, struct tor_medium *medium) {
  for (int i = 0; i < tor_builtin_number; i++) {
    const struct tor_builtin *b = &tor_builtins[i];
    if (strcmp(b->name, name) != 0) continue;
    double eps_inf = b->eps_inf;
    *medium = tor_medium_vacuum(name);
    medium->npoles = b->nterms;
    medium->poles = tor_alloc((size_t)b->nterms, sizeof *medium->poles, "poles of a built-in medium");
    for (int p = 0; p < b->nterms; p++) medium->poles[p] = term_pole(&b->terms[p], b->wp, &eps_inf);
    for (int axis = 0; axis < 3; axis++) medium->eps[axis] = eps_inf;
    medium->range[0] = b->range[0];
    medium->range[1] = b->range[1];
    medium->source = b->source;
    return 1;
  }
  return 0;
}

int tor_medium_builtin_count(void) { return tor_builtin_number; }

const char *tor_medium_builtin_name(int i) { return tor_builtins[i].name; }

double tor_medium_builtin_error(int i) { return tor_builtins[i].error; }

void tor_medium_print_builtin(FILE *out) {
  fprintf(out, "%-10s %-17s %5s  %-9s %s\n", "name", "wavelengths [nm]", "poles", "error", "source");
  for (int i = 0; i < tor_builtin_number; i++) {
    const struct tor_builtin *b = &tor_builtins[i];
    char error[16] = "(formula)";
    if (b->error > 0.0) snprintf(error, sizeof error, "%.2g %%", 100.0 * b->error);
    fprintf(out, "%-10s %6.0f - %-8.0f %5d  %-9s %s\n", b->name, b->range[0] / TOR_NM, b->range[1] / TOR_NM, b->nterms,
            error, b->source);
  }
  fprintf(out, "\nerror: largest |n - n_ref| / |n_ref| of the complex index in range.\n");
  fprintf(out, "(formula): the model of the paper itself; its deviation from the measured data is given there.\n");
}

static void print_pole(const struct tor_pole *p, FILE *out) {
  const double gamma = p->gamma / TOR_EV;
  switch (p->kind) {
  case TOR_DRUDE:
    fprintf(out, "{ type = \"drude\"; plasma_eV = %.9g; gamma_eV = %.9g; }", p->strength / TOR_EV, gamma);
    return;
  case TOR_LORENTZ:
    fprintf(out, "{ type = \"lorentz\"; delta_eps = %.9g; omega_eV = %.9g; gamma_eV = %.9g; }", p->strength,
            p->omega / TOR_EV, gamma);
    return;
  case TOR_DEBYE:
    fprintf(out, "{ type = \"debye\"; delta_eps = %.9g; tau_fs = %.9g; }", p->strength, p->tau / TOR_FS);
    return;
  case TOR_CRITICAL_POINT:
    fprintf(out, "{ type = \"critical_point\"; amplitude = %.9g; phase_rad = %.9g; omega_eV = %.9g; gamma_eV = %.9g; }",
            p->strength, p->phase, p->omega / TOR_EV, gamma);
  }
}

void tor_medium_print_job(const struct tor_medium *m, const char *indent, FILE *out) {
  fprintf(out, "%s{\n%s  name = \"%s\";\n%s  permittivity = %.9g;\n%s  poles = (\n", indent, indent, m->name, indent,
          m->eps[0], indent);
  for (int p = 0; p < m->npoles; p++) {
    fprintf(out, "%s    ", indent);
    print_pole(&m->poles[p], out);
    fprintf(out, "%s\n", p + 1 < m->npoles ? "," : "");
  }
  fprintf(out, "%s  );\n%s}\n", indent, indent);
}

void tor_medium_print(const struct tor_medium *m, double from, double to, int count, FILE *out) {
  if (!(from > 0)) {
    from = fmax(m->range[0], 400 * TOR_NM);
    to = fmin(m->range[1], 800 * TOR_NM);
    if (from >= to) {
      from = m->range[0];
      to = m->range[1];
    }
  }
  fprintf(out, "# %s, %g to %g nm: %s\n", m->name, m->range[0] / TOR_NM, m->range[1] / TOR_NM, m->source);
  fprintf(out, "# permittivity = %.9g; and poles:\n", m->eps[0]);
  for (int p = 0; p < m->npoles; p++) {
    fprintf(out, "#   ");
    print_pole(&m->poles[p], out);
    fprintf(out, "\n");
  }
  fprintf(out, "wavelength_nm,n,k,eps_re,eps_im\n");
  for (int i = 0; i < count; i++) {
    const double wavelength = count > 1 ? from + (to - from) * i / (count - 1) : from,
                 omega = 2 * TOR_PI * TOR_C0 / wavelength;
    const double complex eps = tor_medium_permittivity(m, 0, omega),
                         n = csqrt(eps * tor_medium_permeability(m, 0, omega));
    fprintf(out, "%.9g,%.9g,%.9g,%.9g,%.9g\n", wavelength / TOR_NM, creal(n), cimag(n), creal(eps), cimag(eps));
  }
}
