/* What of a mode lies beyond the ends of its plane. See modes.h. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "src/base/types.h"
#include "src/base/units.h"
#include "src/job/grid.h"
#include "src/job/job.h"
#include "src/job/material.h"
#include "src/job/sheet.h"
#include "src/job/turn.h"
#include "src/model/plane_media.h"
#include "src/modes/modes.h"

static double square(double complex x) { return creal(x * conj(x)); }

static int is_end(const struct tor_plane_media *p, int side, int high) {
  const int a = side ? p->last : p->next;
  if (tor_plane_media_uniform(p, side)) return 0;
  return high ? p->lo[side] + p->n[side] < p->grid.n[a] : p->lo[side] > 0;
}

/* How fast a mode falls off beyond a point at an end [1/m]; 0: it does not. */
static double decay_at(const struct tor_job *job, const struct tor_plane_media *p, const struct tor_mode *mode,
                       int side, int high, int along) {
  const int other = side ? p->next : p->last, a = side ? p->last : p->next, medium_axis = p->axis;
  double x[3];
  x[p->axis] = tor_grid_at(&p->grid, p->axis, p->node);
  x[a] = tor_grid_at(&p->grid, a, p->lo[side] + (high ? p->n[side] : 0));
  x[other] = tor_grid_at(&p->grid, other, p->lo[!side] + along + 0.5);
  for (int s = 0; s < 2; s++)
    if (tor_plane_media_uniform(p, s)) x[s ? p->last : p->next] = 0;
  const struct tor_medium *m = &job->media[tor_job_medium_at(job, x)];
  if (m->conducts) return 1 / p->grid.d[a];
  const double complex n2 =
      tor_medium_permittivity(m, medium_axis, mode->omega) * tor_medium_permeability(m, medium_axis, mode->omega);
  return mode->omega / TOR_C0 * creal(csqrt(mode->n_eff * mode->n_eff - n2));
}

/* The same by how the field grows inwards, for where the medium does not give it, as at a slab that guides light
 * itself: along a wall H goes as cosh(decay s) with the distance s from it; a field that does not grow falls off
 * nowhere. */
static double decay_by_growth(const struct tor_plane_media *p, const double complex *const along[2], int side,
                              int high) {
  const int row = p->n[1] + 1, n = p->n[side], cells = n > 8 ? 4 : 1;
  const int at = high ? n - 1 : 0, inside = high ? n - 1 - cells : cells;
  double end = 0, grown = 0;
  for (int k = 0; k < (p->n[!side] > 0 ? p->n[!side] : 1); k++)
    for (int c = 0; c < 2; c++) {
      end += square(along[c][side ? k * row + at : at * row + k]);
      grown += square(along[c][side ? k * row + inside : inside * row + k]);
    }
  return n > 1 && grown > end ? acosh(sqrt(grown / end)) / (cells * p->grid.d[side ? p->last : p->next]) : 0;
}

/* The part of int |H|^2 that would lie beyond an end. Along the wall H is twice what it would be without it, and there
 * is none across; where the mode falls off as exp(-decay s), that goes with the part along the axis as beta to decay.
 */
static double beyond(const struct tor_job *job, const struct tor_plane_media *p, const struct tor_mode *mode, int side,
                     int high) {
  const double complex *const along[2] = {mode->field[TOR_HX + p->axis],
                                          mode->field[TOR_HX + (side ? p->next : p->last)]};
  const int row = p->n[1] + 1, at = high ? p->n[side] - 1 : 0;
  const double grows = decay_by_growth(p, along, side, high);
  double sum = 0;
  for (int k = 0; k < (p->n[!side] > 0 ? p->n[!side] : 1); k++) {
    const int point = side ? k * row + at : at * row + k;
    double decay = decay_at(job, p, mode, side, high, k);
    if (!(decay > 0)) decay = grows;
    const double across = creal(mode->beta) / decay;
    const double here = square(along[0][point]) * (1 + across * across) + square(along[1][point]);
    if (!(decay > 0)) return INFINITY;
    sum += 0.25 * here / (2 * decay * p->grid.d[side ? p->last : p->next]);
  }
  return sum;
}

double tor_mode_beyond(const struct tor_job *job, const struct tor_plane_media *p, const struct tor_mode *mode,
                       int *axis, int *high) {
  double all = 0, most = 0, sum = 0;
  for (int c = TOR_HX; c <= TOR_HZ; c++)
    for (int i = 0; i < p->npoints; i++) all += square(mode->field[c][i]);
  *axis = p->next;
  *high = 0;
  for (int k = 0; k < 4; k++) {
    const double part = is_end(p, k / 2, k % 2) ? beyond(job, p, mode, k / 2, k % 2) : 0;
    sum += part;
    if (part <= most) continue;
    most = part;
    *axis = k / 2 ? p->last : p->next;
    *high = k % 2;
  }
  return isfinite(sum) ? sum / (sum + all) : 1;
}

int tor_mode_beyond_text(const struct tor_job *job, const struct tor_plane_media *p, const struct tor_mode *mode,
                         char *text, size_t size) {
  int axis, high;
  const double share = tor_mode_beyond(job, p, mode, &axis, &high);
  if (share < TOR_SHEET_CUT_OFF) return 0;
  const int side = axis == p->last;
  const double end = tor_grid_at(&p->grid, axis, p->lo[side] + (high ? p->n[side] : 0));
  const char name = tor_axis_name(job, axis);
  if (share < 1)
    snprintf(text, size,
             "%.1e of its energy would lie beyond the plane's end %c = %.6g nm, where it is cut off: amplitudes have "
             "errors of up to %.1e; need a wider plane, or guides further apart",
             share, name, end / TOR_NM, sqrt(share));
  else
    snprintf(text, size, "it is not guided: its index %.6g is below that of the medium at the plane's end %c = %.6g nm",
             creal(mode->n_eff), name, end / TOR_NM);
  return 1;
}
