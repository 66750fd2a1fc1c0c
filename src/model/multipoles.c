/* Multipoles of a radiation pattern: see multipoles.h; docs/design/multipoles.md. */
#include "src/model/multipoles.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/far_field.h"
#include "src/model/monitor.h"

enum { L = TOR_MULTIPOLES, M = 2 * L + 1 };

/* Gauss and Legendre's points and weights on [-1, 1], by Newton's method. */
static void gauss(int n, double *x, double *w) {
  for (int i = 0; i < n; i++) {
    double z = cos(TOR_PI * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 8; step++) {
      double p = 1, before = 0;
      for (int k = 0; k < n; k++) {
        const double next = ((2 * k + 1) * z * p - k * before) / (k + 1);
        before = p;
        p = next;
      }
      slope = n * (z * p - before) / (z * z - 1);
      z -= p / slope;
    }
    x[i] = z;
    w[i] = 2 / ((1 - z * z) * slope * slope);
  }
}

/* Normalised associated Legendre functions P[l][m], without the sign (-1)^m, and their slopes with theta. */
static void legendre(double c, double p[L + 1][L + 1], double slope[L + 1][L + 1]) {
  const double s = sqrt(1 - c * c);
  double bare[L + 1][L + 1] = {{1}};
  for (int l = 1; l <= L; l++)
    for (int m = 0; m <= l; m++)
      bare[l][m] = m == l ? (2 * l - 1) * s * bare[l - 1][l - 1]
                          : ((2 * l - 1) * c * bare[l - 1][m] - (l > 1 ? (l + m - 1) * bare[l - 2][m] : 0)) / (l - m);
  for (int l = 1; l <= L; l++)
    for (int m = 0; m <= l; m++) {
      double norm = (2 * l + 1) / (4 * TOR_PI);
      for (int k = l - m + 1; k <= l + m; k++) norm /= k;
      p[l][m] = sqrt(norm) * bare[l][m];
      slope[l][m] = sqrt(norm) * (l * c * bare[l][m] - (m < l ? (l + m) * bare[l - 1][m] : 0)) / s;
    }
}

/* Adds a direction's share to the coefficients of both kinds [l - 1][m + L]. */
static void add_direction(double c, double phi, const double complex e[2], double weight, double complex sum[2][L][M]) {
  double p[L + 1][L + 1], slope[L + 1][L + 1];
  const double s = sqrt(1 - c * c);
  legendre(c, p, slope);
  for (int l = 1; l <= L; l++)
    for (int m = -l; m <= l; m++) {
      const double complex turn = weight * CMPLX(cos(m * phi), -sin(m * phi)),
                           along = conj(CMPLX(0, m * p[l][abs(m)] / s)) * turn, theta = slope[l][abs(m)] * turn;
      sum[0][l - 1][m + L] += e[0] * theta + e[1] * along;
      sum[1][l - 1][m + L] += e[1] * theta - e[0] * along;
    }
}

/* Degree up to which the pattern of sources in the box has power, and some more. */
static int band_limit(const struct tor_grid *g, const struct tor_recorder *l, double k) {
  double square = 0;
  for (int a = 0; a < 3; a++) {
    const double far = fmax(l->spec->hi[a] - l->spec->position[a], l->spec->position[a] - l->spec->lo[a]) + g->d[a];
    square += far * far;
  }
  const double kr = k * sqrt(square);
  return (int)ceil(kr + 4 * cbrt(kr) + 6);
}

void tor_multipoles_power(const struct tor_monitors *ms, const struct tor_job *job, const struct tor_recorder *l,
                          int freq, double power[2][TOR_MULTIPOLES]) {
  const struct tor_medium *medium = &job->media[l->medium < 0 ? job->background : l->medium];
  const double omega = l->omega[freq],
               k = omega / TOR_C0 *
                   creal(csqrt(tor_medium_permittivity(medium, 0, omega) * tor_medium_permeability(medium, 0, omega)));
  const int limit = band_limit(ms->grid, l, k), ntheta = (limit + L) / 2 + 1, nphi = limit + L + 1;
  struct tor_far_field *far = tor_far_field_new(ms, job, l, freq);
  double *x = tor_alloc((size_t)ntheta, sizeof *x, "multipoles"),
         *w = tor_alloc((size_t)ntheta, sizeof *w, "multipoles");
  double complex(*field)[2] = tor_alloc((size_t)ntheta * (size_t)nphi, sizeof *field, "multipoles"),
         sum[2][L][M] = {{{0}}};
  gauss(ntheta, x, w);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < ntheta * nphi; i++)
    tor_far_field_at(far, acos(x[i / nphi]), 2 * TOR_PI * (i % nphi) / nphi, field[i]);
  for (int i = 0; i < ntheta * nphi; i++) {
    const double c = x[i / nphi], s = sqrt(1 - c * c), phi = 2 * TOR_PI * (i % nphi) / nphi;
    const double u[3] = {s * cos(phi), s * sin(phi), c};
    double shift = 0; /* the pattern about the position */
    for (int a = 0; a < 3; a++) shift += k * u[a] * l->spec->position[tor_axis_of_user(job, a)];
    for (int e = 0; e < 2; e++) field[i][e] *= CMPLX(cos(shift), sin(shift));
    add_direction(c, phi, field[i], w[i / nphi] * 2 * TOR_PI / nphi, sum);
  }
  const double unit = tor_far_field_power(far, (const double complex[2]){1, 0});
  for (int kind = 0; kind < 2; kind++)
    for (int n = 1; n <= L; n++) {
      double square = 0;
      for (int m = 0; m < M; m++) square += creal(sum[kind][n - 1][m] * conj(sum[kind][n - 1][m]));
      power[kind][n - 1] = unit * square / (n * (n + 1));
    }
  tor_far_field_free(far);
  free(x);
  free(w);
  free(field);
}
