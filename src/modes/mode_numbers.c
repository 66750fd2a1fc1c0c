/* Numbers of a mode: power, area, polarisation, the share of the core. See modes.h. */
#include <complex.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/turn.h"
#include "src/model/plane_media.h"
#include "src/modes/mode_operator.h"
#include "src/modes/modes.h"

/* The place of a point of a component along next and last, moved by f cells [m]. */
static void place_of(const struct tor_plane_media *p, int comp, int point, const double f[2], double x[3]) {
  const int at[2] = {point / (p->n[1] + 1), point % (p->n[1] + 1)};
  x[p->axis] = tor_grid_at(&p->grid, p->axis, p->node);
  for (int s = 0; s < 2; s++) {
    const int a = s ? p->last : p->next;
    const double place = tor_grid_place(&p->grid, comp, a, p->lo[s] + at[s]) + f[s] * p->grid.d[a];
    x[a] = tor_plane_media_uniform(p, s) ? 0 : place;
  }
}

double tor_plane_largest_index(const struct tor_job *job, const struct tor_plane_media *p, double wavelength,
                               int *medium) {
  const double omega = 2 * TOR_PI * TOR_C0 / wavelength;
  char *const seen = tor_alloc((size_t)job->nmedia, 1, "modes");
  double largest = 0, x[3];
  *medium = job->background;
  for (int i = 0; i < p->npoints; i++) {
    place_of(p, TOR_HX + p->axis, i, (const double[]){0, 0}, x); /* cells' centres */
    seen[tor_job_medium_at(job, x)] = 1;
  }
  for (int m = 0; m < job->nmedia; m++) {
    if (!seen[m]) continue;
    for (int a = 0; a < 3; a++) {
      const double n = creal(
          csqrt(tor_medium_permittivity(&job->media[m], a, omega) * tor_medium_permeability(&job->media[m], a, omega)));
      if (n <= largest) continue;
      largest = n;
      *medium = m;
    }
  }
  free(seen);
  return largest;
}

/* Factor on E_a H_b* of a plane's points of what a flux monitor makes of the values beside it (`crossing`,
 * src/model/monitor_spectrum.c). */
static double complex flux_factor(int order, double complex theta) {
  const double complex near = conj(ccos(0.5 * theta)), far = conj(ccos(1.5 * theta));
  if (order == 2) return near;
  const double complex across =
      cexp(-TOR_I * theta) * conj(cexp(0.5 * TOR_I * theta)) + cexp(TOR_I * theta) * conj(cexp(-0.5 * TOR_I * theta));
  return 9.0 / 8 * near - 1.0 / 24 * (across + far);
}

double tor_mode_power(const struct tor_plane_media *p, const struct tor_mode *mode) {
  const double area = p->grid.d[p->next] * p->grid.d[p->last];
  const double complex back = conj(cexp(-0.5 * TOR_I * mode->theta)); /* H at the node, in phase */
  double complex sum = 0;
  for (int s = 0; s < 2; s++) {
    const int e = TOR_EX + (s ? p->last : p->next), h = TOR_HX + (s ? p->next : p->last);
    for (int i = 0; i < p->npoints; i++)
      sum += (s ? -1 : 1) * tor_plane_media_share(p, e, i) * mode->field[e][i] * conj(mode->field[h][i]);
  }
  return 0.5 * area * creal(sum * back * flux_factor(p->grid.order, mode->theta));
}

/* The part of the cell around a point that lies in a medium. */
static double part_in(const struct tor_job *job, const struct tor_plane_media *p, int comp, int point, int medium) {
  enum { SAMPLES = 4 };
  int inside = 0;
  for (int k = 0; k < SAMPLES * SAMPLES; k++) {
    const int row = k / SAMPLES;
    const double f[2] = {(k % SAMPLES + 0.5) / SAMPLES - 0.5, (row + 0.5) / SAMPLES - 0.5};
    double x[3];
    place_of(p, comp, point, f, x);
    inside += tor_job_medium_at(job, x) == medium;
  }
  return inside / (double)(SAMPLES * SAMPLES);
}

/* |E|^2 at the centre of a cell: means of the points around it. */
static double square_at(const struct tor_plane_media *p, const struct tor_mode *mode, int cell) {
  const int row = tor_plane_media_uniform(p, 0) ? 0 : p->n[1] + 1, one = !tor_plane_media_uniform(p, 1);
  const double complex *ei = mode->field[TOR_EX + p->axis], *ej = mode->field[TOR_EX + p->next],
                       *ek = mode->field[TOR_EX + p->last];
#define SQUARE(x) creal((x) * conj(x))
  return 0.25 * (SQUARE(ei[cell]) + SQUARE(ei[cell + one]) + SQUARE(ei[cell + row]) + SQUARE(ei[cell + row + one])) +
         0.5 * (SQUARE(ej[cell]) + SQUARE(ej[cell + one]) + SQUARE(ek[cell]) + SQUARE(ek[cell + row]));
#undef SQUARE
}

void tor_mode_numbers(const struct tor_job *job, const struct tor_plane_media *p, int core, struct tor_mode *mode) {
  const double cell = p->grid.d[p->next] * p->grid.d[p->last];
  const int user_x = tor_axis_of_user(job, TOR_X), user_y = tor_axis_of_user(job, TOR_Y);
  const int first = p->axis == user_x ? user_y : user_x; /* of the two axes across */
  double square[2] = {0}, power = 0, of_core = 0, sum = 0, fourth = 0;
  for (int s = 0; s < 2; s++) {
    const int a = s ? p->last : p->next, e = TOR_EX + a, h = TOR_HX + (s ? p->next : p->last);
    for (int i = 0; i < p->npoints; i++) {
      const double share = tor_plane_media_share(p, e, i);
      const double complex field = mode->field[e][i];
      if (!(share > 0)) continue;
      square[a != first] += share * creal(field * conj(field));
      const double flow =
          (s ? -1 : 1) * share * creal(field * conj(mode->field[h][i] * cexp(-0.5 * TOR_I * mode->theta)));
      power += flow;
      of_core += flow * part_in(job, p, e, i, core);
    }
  }
  for (int i = 0; i < p->npoints; i++) {
    const int last[2] = {i / (p->n[1] + 1) == p->n[0], i % (p->n[1] + 1) == p->n[1]};
    if ((last[0] && !tor_plane_media_uniform(p, 0)) || (last[1] && !tor_plane_media_uniform(p, 1))) continue;
    const double here = square_at(p, mode, i);
    sum += here;
    fourth += here * here;
  }
  mode->te = square[0] / (square[0] + square[1]);
  mode->area = cell * sum * sum / fourth;
  mode->core = power > 0 ? of_core / power : 0;
}
