/* Update coefficients from media: see coefficient.h. */
#include "src/model/coefficient.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diamond/core/slab.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/metal.h"

static const struct tor_medium *medium_of(const struct tor_job *job, int medium) {
  return &job->media[medium < 0 ? job->background : medium];
}

const struct tor_medium *tor_mix_medium(const struct tor_job *job, const struct tor_mix *mix, int i) {
  return medium_of(job, mix->medium[i]);
}

/* Coefficients of a pole of strength 1 in real units: J' = k1 J + k2 P + k3 E + k4 E', J = dP/d(ct), P relative to
 * eps0, and beside P an instantaneous susceptibility `own`. */
struct driven {
  double k3, k4, own;
};

/* By the trapezoidal rule: s = (2 / ct) (z - 1) / (z + 1) in the susceptibility, a quotient of two polynomials of
 * second degree in z. The recursion has two terms of its numerator, z^2 and z; the third is that of `own` times the
 * denominator. The rule takes the half-plane Re s > 0 to |z| > 1, so a passive medium is passive in time steps, of any
 * length, and adds nothing to the grid's highest frequency. */
static struct tor_pole_coef trapezoidal(const struct tor_pole *pole, double ct, struct driven *by) {
  const struct tor_pole_fraction f = tor_pole_fraction(pole);
  const double g = 0.5 * f.gamma / TOR_C0 * ct, q = 0.25 * f.square / TOR_C0 / TOR_C0 * ct * ct,
               u = 0.5 * f.b1 / TOR_C0 * ct, v = 0.25 * f.b0 / TOR_C0 / TOR_C0 * ct * ct, over = 1 / (1 + g + q);
  struct tor_pole_coef c = {.k1 = (1 - g + q) * over, .k2 = -4 * q * over / ct, .has_p = 1, .implicit = 1};
  by->own = (v - u) / (1 - g + q);
  by->k4 = ((u + v) * over - by->own) / ct;
  by->k3 = (2 * v + by->own * (2 - 2 * q)) * over / ct;
  return c;
}

static struct tor_pole_coef pole_real(const struct tor_medium *medium, int p, double ct, struct driven *by) {
  const struct tor_pole *pole = &medium->poles[p];
  struct tor_pole_coef c = {0};
  double *const k3 = &by->k3, *const k4 = &by->k4;
  *by = (struct driven){0};
  if (pole->kind == TOR_DEBYE) {
    double tau = TOR_C0 * pole->tau, half = ct / (2 * tau);
    c.k2 = -1 / tau / (1 + half);
    *k3 = *k4 = pole->strength / (2 * tau) / (1 + half);
    c.has_p = c.implicit = 1;
    return c;
  }
  if (tor_medium_is_trapezoidal(medium)) return trapezoidal(pole, ct, by);
  double half = 0.5 * pole->gamma / TOR_C0 * ct, omega;
  c.k1 = (1 - half) / (1 + half);
  if (pole->kind == TOR_DRUDE) {
    omega = pole->strength / TOR_C0;
    *k3 = omega * omega * ct / (1 + half);
  } else {
    omega = pole->omega / TOR_C0;
    c.k2 = -omega * omega * ct / (1 + half);
    *k3 = pole->strength * omega * omega * ct / (1 + half);
    c.has_p = 1;
  }
  return c;
}

void tor_dispersion_make(const struct tor_medium *medium, const struct tor_grid *grid, struct tor_dispersion *d) {
  *d = (struct tor_dispersion){0};
  d->npoles = medium->npoles;
  d->pole = tor_alloc((size_t)medium->npoles, sizeof *d->pole, "poles");
  for (int p = 0; p < medium->npoles; p++) {
    struct driven by;
    d->pole[p] = pole_real(medium, p, grid->ct, &by);
    for (int a = 0; a < 3; a++) {
      double metric = tor_grid_metric(grid, TOR_EX + a);
      d->pole[p].k3[a] = tor_pole_part(&medium->poles[p], a) * by.k3 * metric;
      d->pole[p].k4[a] = tor_pole_part(&medium->poles[p], a) * by.k4 * metric;
    }
    d->nstate += 1 + d->pole[p].has_p;
    d->implicit |= d->pole[p].implicit;
  }
}

void tor_magnetised_make(const struct tor_medium *medium, const struct tor_grid *grid, struct tor_magnetised *to) {
  const struct tor_pole *pole = &medium->node_pole;
  const double q = 0.5 * pole->gamma / TOR_C0 * grid->ct, w = pole->kind == TOR_LORENTZ ? pole->omega / TOR_C0 : 0,
               strength = pole->kind == TOR_LORENTZ ? pole->strength * w * w
                                                    : pole->strength / TOR_C0 * pole->strength / TOR_C0;
  double o[3], scale[3];
  for (int a = 0; a < 3; a++) {
    o[a] = 0.5 * medium->cyclotron[a] / TOR_C0 * grid->ct;
    scale[a] = tor_grid_metric(grid, TOR_EX + a) * grid->d[a];
    to->drive[a] = 0.5 * scale[a] * strength * grid->ct; /* half of an edge is this end's */
  }
  to->restore = w * w * grid->ct;
  /* With J x o = K J and a = 1 + q the inverse of a + K is (a^2 + o o^T - a K) / (a (a^2 + o^2)). */
  const double a = 1 + q, square = o[0] * o[0] + o[1] * o[1] + o[2] * o[2];
  const double k[3][3] = {{0, o[2], -o[1]}, {-o[2], 0, o[0]}, {o[1], -o[0], 0}};
  double inverse[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[i][j] = ((i == j) * a * a + o[i] * o[j] - a * k[i][j]) / (a * (a * a + square));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double keep = (1 - q) * inverse[i][j];
      for (int l = 0; l < 3; l++) keep -= inverse[i][l] * k[l][j];
      to->keep[3 * i + j] = keep * scale[i] / scale[j];
      to->turn[3 * i + j] = inverse[i][j] * scale[i] / scale[j];
    }
  const double rate = medium->saturation > 0 ? 1 / (TOR_C0 * medium->relaxation) : 0;
  to->rest = 1 + 0.5 * grid->ct * rate;
  for (int i = 0; i < 3; i++) /* of half of an edge, as the current, and half of two steps' */
    to->work[i] = rate > 0 ? 0.25 * grid->ct * 2 * pole->gamma / TOR_C0 * rate /
                                 (strength * medium->saturation * medium->saturation) / (0.5 * scale[i])
                           : 0;
}

struct tor_dispersion *tor_dispersions_copy(const struct tor_dispersion *from, int n) {
  struct tor_dispersion *made = tor_alloc((size_t)n, sizeof *made, "poles");
  for (int d = 0; d < n; d++) {
    made[d] = from[d];
    made[d].pole = tor_alloc((size_t)from[d].npoles, sizeof *made[d].pole, "poles");
    memcpy(made[d].pole, from[d].pole, (size_t)from[d].npoles * sizeof *made[d].pole);
  }
  return made;
}

void tor_dispersions_free(struct tor_dispersion *dispersion, int n) {
  for (int d = 0; d < n; d++) free(dispersion[d].pole);
  free(dispersion);
}

void tor_poles_implicit(const struct tor_medium *m, double ct, int axis, double *implicit, double *own) {
  for (int p = 0; p < m->npoles; p++) {
    struct driven by;
    pole_real(m, p, ct, &by);
    *implicit += tor_pole_part(&m->poles[p], axis) * by.k4;
    *own += tor_pole_part(&m->poles[p], axis) * by.own;
  }
}

/* The medium whose surface a mix is treated as. */
struct surface {
  int medium;   /* its index in the mix; -1: none, all media are averaged by their fractions */
  int other;    /* index of the largest medium on the other side; -1: there is none */
  int metals;   /* number of media of negative permittivity at the centre of the spectrum */
  double share; /* volume fraction of the media on its side */
};

static double permittivity_there(const struct tor_job *job, int axis, const struct tor_mix *mix, int i) {
  return creal(
      tor_medium_permittivity(medium_of(job, mix->medium[i]), axis, 2 * TOR_PI * TOR_C0 / tor_job_wavelength(job)));
}

/* The surface of the metals, or where there are none that of the dispersive medium of the largest permittivity. */
static struct surface surface_of(const struct tor_job *job, int axis, const struct tor_mix *mix) {
  struct surface s = {.medium = -1, .other = -1};
  double eps[TOR_MIX_MAX];
  for (int i = 0; i < mix->count; i++) {
    const struct tor_medium *m = medium_of(job, mix->medium[i]);
    if (m->sigma[axis] != 0 || tor_medium_is_implicit(m)) return (struct surface){.medium = -1};
    eps[i] = m->npoles ? permittivity_there(job, axis, mix, i) : 0;
    s.metals += eps[i] < 0;
  }
  for (int i = 0; i < mix->count; i++) {
    if (s.metals ? eps[i] >= 0 : !medium_of(job, mix->medium[i])->npoles) continue;
    if (s.medium < 0 || (s.metals ? mix->share[i] > mix->share[s.medium] : eps[i] > eps[s.medium])) s.medium = i;
  }
  for (int i = 0; i < mix->count; i++) {
    if (i == s.medium || eps[i] < 0)
      s.share += mix->share[i];
    else if (s.other < 0 || mix->share[i] > mix->share[s.other])
      s.other = i;
  }
  return s;
}

static void keep_only(struct tor_mix *mix, int i) {
  *mix = (struct tor_mix){.count = 1, .medium = {mix->medium[i]}, .share = {1}};
}

/* One medium has a separate field and poles; another dispersive one counts with its permittivity at the centre of the
 * spectrum. */
static void put_in_series(const struct tor_job *job, int axis, struct tor_mix *mix, int medium) {
  for (int a = 0; a < 3; a++) mix->normal[a] = a == axis;
  mix->in_series = 1 + medium;
  for (int i = 0; i < mix->count; i++) {
    const struct tor_medium *m = medium_of(job, mix->medium[i]);
    if (i != medium && m->npoles)
      mix->constant[i] =
          fmax(permittivity_there(job, axis, mix, i), m->eps[axis]); /* below that: a larger Courant number */
  }
}

void tor_mix_resolve(const struct tor_job *job, int comp, struct tor_mix *mix) {
  static const double FLAT = 0.9999, ALIGNED = 0.8; /* of a square of the normal */
  static const double IN_SERIES = 0.65, IN_SERIES_ALIGNED = 0.8, SIDE_BY_SIDE = 0.45, MOST = 0.5;
  if (mix->count < 2 || tor_comp_is_h(comp) || job->averaging == TOR_AVERAGE_STAIRCASE) return;
  const int axis = tor_comp_axis(comp);
  const struct surface s = surface_of(job, axis, mix);
  if (s.medium < 0 || s.other < 0) return;
  for (int a = 0; a < 3 && mix->count > 2; a++) mix->normal[a] = mix->of_medium[s.medium][a];
  const double across = mix->normal[axis] * mix->normal[axis];
  int flat = 0; /* an axis lies across the surface */
  for (int a = 0; a < 3; a++) flat |= mix->normal[a] * mix->normal[a] > FLAT;
  if (across > 0.5) {
    if (!flat && s.share > (across > ALIGNED ? IN_SERIES_ALIGNED : IN_SERIES))
      keep_only(mix, s.medium);
    else if (s.metals > 1)
      keep_only(mix, s.share > MOST ? s.medium : s.other);
    else
      put_in_series(job, axis, mix, s.medium);
  } else if (flat || mix->through || (across < 1 - ALIGNED && s.share >= SIDE_BY_SIDE)) {
    mix->normal[axis] = 0;
  } else {
    keep_only(mix, s.share > MOST ? s.medium : s.other);
  }
}

static void add_implicit(const struct tor_medium *m, double ct, int axis, double share, double *implicit, double *own) {
  double of[2] = {0};
  tor_poles_implicit(m, ct, axis, &of[0], &of[1]);
  *implicit += share * of[0];
  *own += share * of[1];
}

struct tor_coefficient tor_coefficient_make(const struct tor_job *job, const struct tor_grid *grid, int comp,
                                            const struct tor_mix *mix) {
  int axis = tor_comp_axis(comp), h = tor_comp_is_h(comp);
  if (!h && mix->count == 1 && medium_of(job, mix->medium[0])->conducts) return (struct tor_coefficient){0};
  double mean = 0, inverse = 0, conductivity = 0, implicit = 0, own = 0;
  int dispersive = 0;
  for (int i = 0; i < mix->count; i++) {
    const struct tor_medium *m = medium_of(job, mix->medium[i]);
    double value = h ? m->mu[axis] : mix->constant[i] > 0 ? mix->constant[i] : tor_medium_edge(m, axis);
    mean += mix->share[i] * value;
    inverse += mix->share[i] / value;
    conductivity += mix->share[i] * (h ? m->sigma_m[axis] / TOR_ETA0 : m->sigma[axis] * TOR_ETA0);
    if (h) continue;
    dispersive += m->npoles > 0;
    add_implicit(m, grid->ct, axis, mix->share[i], &implicit, &own);
  }
  double across = mix->normal[axis] * mix->normal[axis];
  double value = dispersive || mix->count == 1 ? mean : 1 / (across * inverse + (1 - across) / mean);
  value += mix->ends_in_series * (1 / inverse - value) + mix->ends_flat;
  if (mix->in_series) {
    const int metal = mix->in_series - 1;
    double unit = grid->ct / tor_grid_metric(grid, comp), pure = unit / medium_of(job, mix->medium[metal])->eps[axis];
    double cb = unit * inverse, r = mix->share[metal] * pure / cb;
    return (struct tor_coefficient){.cb = cb, .branch = {1, 1, pure / cb, pure * (1 - r), r}};
  }
  value += own;
  double forward = value / grid->ct + 0.5 * conductivity + implicit, backward = value / grid->ct - 0.5 * conductivity;
  return (struct tor_coefficient){.cb = 1 / (tor_grid_metric(grid, comp) * forward),
                                  .ca1 = conductivity != 0 || implicit != 0 ? backward / forward - 1 : 0};
}

struct tor_edge_half tor_edge_half_make(const struct tor_job *job, const struct tor_grid *grid, int comp,
                                        const struct tor_mix *mix, int with_poles) {
  const int axis = tor_comp_axis(comp);
  struct tor_edge_half half = {0};
  double mean = 0, inverse = 0;
  int dispersive = 0;
  for (int i = 0; i < mix->count; i++) {
    const struct tor_medium *m = medium_of(job, mix->medium[i]);
    const double value = with_poles ? tor_medium_edge(m, axis) : tor_beside_metal(job, m, axis);
    mean += mix->share[i] * value;
    inverse += mix->share[i] / value;
    half.conductivity += mix->share[i] * m->sigma[axis] * TOR_ETA0;
    dispersive |= with_poles && m->npoles;
    if (with_poles) add_implicit(m, grid->ct, axis, mix->share[i], &half.implicit, &half.own);
  }
  const double across = mix->normal[axis] * mix->normal[axis];
  half.eps = dispersive ? mean : 1 / (across * inverse + (1 - across) / mean);
  half.eps += mix->ends_in_series * (1 / inverse - half.eps) + mix->ends_flat;
  return half;
}

struct tor_coefficient tor_coefficient_of_halves(const struct tor_grid *grid, int comp,
                                                 const struct tor_edge_half half[2]) {
  const double eps = 0.5 * (half[0].eps + half[1].eps + half[0].own + half[1].own),
               loss = 0.5 * (half[0].conductivity + half[1].conductivity),
               implicit = 0.5 * (half[0].implicit + half[1].implicit), forward = eps / grid->ct + 0.5 * loss + implicit,
               backward = eps / grid->ct - 0.5 * loss;
  return (struct tor_coefficient){.cb = 1 / (tor_grid_metric(grid, comp) * forward),
                                  .ca1 = loss != 0 || implicit != 0 ? backward / forward - 1 : 0};
}

/* A hint at a wrong unit: cells of a micrometre and more beside a medium with poles. */
static const char *odd_cell(const struct tor_job *job, const struct tor_grid *grid, char *hint, size_t size) {
  const double least = fmin(tor_grid_least(grid, 0), fmin(tor_grid_least(grid, 1), tor_grid_least(grid, 2)));
  hint[0] = 0;
  if (least >= 1e3 * TOR_NM)
    snprintf(hint, size, "; is length_unit right? grid.cell = %g is %g um", least / job->length_unit, least * 1e6);
  return hint;
}

/* Explicit poles add to the highest frequency of the grid: with the fields' largest curl, w^2 dt^2 / 4 must stay below
 * 1 (Young and Nelson, IEEE Antennas Propag. Mag. 43, 61 (2001) give it pole by pole). */
static double frequency_along(const struct tor_medium *m, const struct tor_job *job, const struct tor_grid *grid,
                              int a) {
  const double eps = tor_medium_edge(m, a);
  double fields = job->courant * job->courant / (eps * m->mu[a]), poles = 0, fastest = 0;
  for (int p = tor_medium_is_trapezoidal(m) ? m->npoles : 0; p < m->npoles + m->has_node_pole; p++) {
    const struct tor_pole *pole = p < m->npoles ? &m->poles[p] : &m->node_pole;
    double w = pole->kind == TOR_DRUDE ? pole->strength : pole->kind == TOR_LORENTZ ? pole->omega : 0;
    double weight = pole->kind == TOR_LORENTZ ? pole->strength : pole->kind == TOR_DRUDE ? 1 : 0;
    if (m->saturation > 0) weight = fabs(weight); /* its sign can change with the population */
    poles += tor_pole_part(pole, a) * weight * w * w * grid->dt * grid->dt / (4 * eps);
    if (pole->kind == TOR_LORENTZ) fastest = fmax(fastest, w * w * grid->dt * grid->dt / 4);
  }
  return fields + poles + fastest;
}

double tor_medium_frequency(const struct tor_medium *m, const struct tor_job *job, const struct tor_grid *grid) {
  double most = 0;
  for (int a = 0; a < 3; a++) most = fmax(most, frequency_along(m, job, grid, a));
  return most;
}

/* The trapezoidal rule's recursion loses its last digits where a pole dies out within a step. */
static void check_damping(const struct tor_medium *m, const struct tor_job *job, const struct tor_grid *grid,
                          struct tor_faults *faults) {
  static const double LEAST = 0.1;
  for (int p = 0; p < m->npoles && tor_medium_is_trapezoidal(m); p++) {
    const struct tor_pole_fraction f = tor_pole_fraction(&m->poles[p]);
    const double q = 0.25 * f.square * grid->dt * grid->dt, g = 0.5 * f.gamma * grid->dt;
    if (1 - g + q >= LEAST) continue;
    tor_fault_at(faults, tor_job_place(job, "grid.courant"),
                 "got " TOR_FOUND("%g, with which poles[%d] of medium \"%s\" decays in less than a time step of %.4g "
                                  "fs") ", need " TOR_NEEDED("a smaller grid.courant or smaller cells"),
                 job->courant, p, m->name, grid->dt / TOR_FS);
  }
}

void tor_medium_check(const struct tor_medium *m, const struct tor_job *job, const struct tor_grid *grid,
                      struct tor_faults *faults) {
  char hint[96];
  check_damping(m, job, grid, faults);
  for (int a = 0; a < 3; a++) {
    const double frequency = frequency_along(m, job, grid, a);
    if (frequency < 1) continue;
    tor_fault_at(faults, tor_job_place(job, "grid.courant"),
                 "got " TOR_FOUND("%g, with which medium \"%s\" is unstable: with time step %.4g fs, (courant^2 / eps "
                                  "+ poles) along %c is %.3f") ", need " TOR_NEEDED("less than 1; use a smaller "
                                                                                    "grid.courant or smaller cells%s"),
                 job->courant, m->name, grid->dt / TOR_FS, tor_axis_name(job, a), frequency,
                 odd_cell(job, grid, hint, sizeof hint));
    return;
  }
}
