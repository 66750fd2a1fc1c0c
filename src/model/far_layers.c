/* Far fields over layers: see far_layers.h.
 *
 * Along the axis, with zeta rising against the wave's way, E_s of an s wave and H_s of a p wave obey y'' = -kz^2 y, y
 * and y' / q continuous, q = mu or eps. In a layer y = a (exp(-i kz zeta) + g exp(i kz zeta)) from its low end on; g
 * follows from below by (y' / q) / y, a from above: only decaying exponentials occur. */
#include "src/model/far_layers.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/base/vector3.h"
#include "src/job/geometry.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"

/* --- The layers --- */

static int medium_at(const struct tor_job *job, int axis, double x) {
  int medium = job->background;
  for (int i = 0; i < job->nobjects; i++)
    if (tor_object_is_layer(&job->objects[i], axis) && x > job->objects[i].lo && x < job->objects[i].hi)
      medium = job->objects[i].medium;
  return medium;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int add_ends(const struct tor_job *job, int axis, double *at, int most) {
  int n = 0;
  for (int i = 0; i < job->nobjects; i++) {
    const struct tor_object *o = &job->objects[i];
    const double end[2] = {o->lo, o->hi};
    for (int k = 0; k < 2 && tor_object_is_layer(o, axis); k++) {
      if (isinf(end[k])) continue;
      if (n == most) return -1;
      at[n++] = end[k];
    }
  }
  return n;
}

struct tor_far_stack tor_far_stack_of(const struct tor_job *job, const struct tor_grid *grid) {
  enum { MOST = 2 * TOR_STACK_MOST };
  struct tor_far_stack found = {.axis = -1};
  double at[MOST];
  for (int a = 0; a < 3; a++) {
    const int n = add_ends(job, a, at, MOST);
    struct tor_far_stack s = {.axis = a};
    if ((grid->plane || grid->angular) && a == TOR_X) continue;
    if (n < 0) return (struct tor_far_stack){.axis = -1};
    qsort(at, n > 0 ? (size_t)n : 0, sizeof *at, by_value);
    s.medium[0] = medium_at(job, a, n ? at[0] - 1 : 0);
    for (int i = 0; i < n; i++) {
      const int next = medium_at(job, a, i + 1 < n ? 0.5 * (at[i] + at[i + 1]) : at[i] + 1);
      if (next == s.medium[s.count] || (i + 1 < n && at[i] == at[i + 1])) continue;
      if (s.count == TOR_STACK_MOST) return (struct tor_far_stack){.axis = -1};
      s.at[s.count++] = at[i];
      s.medium[s.count] = next;
    }
    if (!s.count) continue;
    if (found.count) return (struct tor_far_stack){.axis = -1};
    found = s;
  }
  return found;
}

static int is_lossy(double complex value) {
  return fabs(cimag(value)) > 1e-12 * fabs(creal(value)) || creal(value) <= 0;
}

void tor_far_stack_medium(const struct tor_far_stack *s, const struct tor_job *job, double omega, double up,
                          double *index, double *impedance) {
  const struct tor_medium *m = &job->media[s->medium[up < 0 ? 0 : s->count]];
  const double complex eps = tor_medium_permittivity(m, 0, omega), mu = tor_medium_permeability(m, 0, omega);
  const int lossy = is_lossy(eps) || is_lossy(mu);
  *index = lossy ? (double)NAN : sqrt(creal(eps) * creal(mu));
  *impedance = lossy ? (double)NAN : TOR_ETA0 * sqrt(creal(mu) / creal(eps));
}

/* --- A wave --- */

/* Layer j from the far side on: its place in the stack. */
static int number_of(const struct tor_layered_wave *w, int j) { return w->sign > 0 ? j : w->stack->count - j; }

/* zeta of the interface below layer j > 0. */
static double low_end(const struct tor_layered_wave *w, int j) {
  return w->sign > 0 ? w->stack->at[j - 1] : -w->stack->at[w->stack->count - j];
}

/* Both amplitudes of all layers, kind 0 s, 1 p; of y above. */
static void find_amplitudes(struct tor_layered_wave *w, int kind, double complex incident) {
  const int n = w->stack->count;
  const double complex *q = kind ? w->eps : w->mu;
  double complex *wave = w->wave[kind], *back = w->back[kind], way[TOR_STACK_MOST + 1];
  back[0] = 0;
  for (int j = 1; j <= n; j++) {
    const double thick = j > 1 ? low_end(w, j) - low_end(w, j - 1) : 0;
    way[j - 1] = cexp(TOR_I * w->kz[j - 1] * thick);
    const double complex g = back[j - 1] * way[j - 1] * way[j - 1], below = w->kz[j - 1] / q[j - 1] * (1 - g) / (1 + g),
                         own = w->kz[j] / q[j];
    back[j] = (own - below) / (own + below);
  }
  wave[n] = incident * cexp(-TOR_I * w->kz[n] * low_end(w, n));
  for (int j = n; j > 0; j--)
    wave[j - 1] = wave[j] * (1 + back[j]) * way[j - 1] / (1 + back[j - 1] * way[j - 1] * way[j - 1]);
}

int tor_layered_wave_make(const struct tor_far_stack *stack, const struct tor_job *job, double omega, double k0,
                          const double u[3], const double e[3], struct tor_layered_wave *w) {
  const int a = stack->axis, n = stack->count;
  double index, impedance, p[3], length;
  w->stack = stack;
  w->sign = u[a] < 0 ? -1 : 1;
  w->k0 = k0;
  tor_far_stack_medium(stack, job, omega, u[a], &index, &impedance);
  if (isnan(index)) return 0;
  for (int i = 0; i < 3; i++) {
    w->n[i] = i == a ? w->sign : 0;
    w->along[i] = i == a ? 0 : u[i];
  }
  length = sqrt(tor_dot(w->along, w->along));
  if (length < 1e-12) w->along[(a + 1) % 3] = 1;
  for (int i = 0; i < 3 && length >= 1e-12; i++) w->along[i] /= length;
  w->lateral = length < 1e-12 ? 0 : k0 * index * length;
  tor_cross(w->n, w->along, w->s);
  for (int j = 0; j <= n; j++) {
    const struct tor_medium *m = &job->media[stack->medium[number_of(w, j)]];
    w->eps[j] = tor_medium_permittivity(m, 0, omega);
    w->mu[j] = tor_medium_permeability(m, 0, omega);
    w->kz[j] = csqrt(k0 * k0 * w->eps[j] * w->mu[j] - w->lateral * w->lateral);
    if (cimag(w->kz[j]) < 0) w->kz[j] = -w->kz[j];
  }
  tor_cross(u, w->s, p);
  find_amplitudes(w, 0, tor_dot(e, w->s));
  find_amplitudes(w, 1, tor_dot(e, p) * TOR_ETA0 / impedance);
  return 1;
}

void tor_layered_wave_at(const struct tor_layered_wave *w, double place, double complex e[3], double complex h[3]) {
  const int n = w->stack->count;
  const double zeta = w->sign * place;
  int j = n;
  while (j > 0 && zeta < low_end(w, j)) j--;
  const double from = low_end(w, j > 0 ? j : 1), kappa = -w->lateral;
  const double complex down = cexp(-TOR_I * w->kz[j] * (zeta - from)), up = cexp(TOR_I * w->kz[j] * (zeta - from));
  double complex y[2], slope[2];
  for (int kind = 0; kind < 2; kind++) {
    const double complex g = j ? w->back[kind][j] * up : 0;
    y[kind] = w->wave[kind][j] * (down + g);
    slope[kind] = TOR_I * w->kz[j] * w->wave[kind][j] * (g - down);
  }
  /* s: E = s y, H = curl E / (i k0 mu); p: H = s y, E = i curl H / (k0 eps); curl (s y) = i kappa y n - y' along */
  for (int i = 0; i < 3; i++) {
    const double complex curl[2] = {TOR_I * kappa * y[0] * w->n[i] - slope[0] * w->along[i],
                                    TOR_I * kappa * y[1] * w->n[i] - slope[1] * w->along[i]};
    e[i] = w->s[i] * y[0] + TOR_I * curl[1] / (w->k0 * w->eps[j]);
    h[i] = w->s[i] * y[1] + curl[0] / (TOR_I * w->k0 * w->mu[j]);
  }
}
