/* The band of a pulse: see band.h. */
#include "src/model/band.h"

#include <complex.h>
#include <math.h>

#include "src/base/error.h"
#include "src/base/units.h"
#include "src/job/job.h"
#include "src/job/sheet.h"
#include "src/model/profile.h"

/* Half the interval that the points span, in half-widths of the pulse's spectrum, where it has fallen to exp(-2.25). */
static const double SPAN = 1.5;

struct tor_band tor_band_make(const struct tor_profile *profile) {
  struct tor_band band;
  tor_profile_band(profile, &band.omega, &band.half);
  return band;
}

double tor_band_at(const struct tor_band *b, double k) {
  return b->omega + SPAN * b->half * cos(TOR_PI * k / (TOR_BAND_POINTS - 1));
}

int tor_band_points(int level) {
  static const int points[TOR_BAND_LEVELS] = {1, 3, 5, 9};
  return points[level];
}

int tor_band_has(int level, int k) {
  const int points = tor_band_points(level);
  return points == 1 ? k == TOR_BAND_CENTRE : k % ((TOR_BAND_POINTS - 1) / (points - 1)) == 0;
}

double tor_band_lagrange(const struct tor_band *b, int level, int m, double omega) {
  double value = 1;
  for (int k = 0; k < TOR_BAND_POINTS; k++)
    if (k != m && tor_band_has(level, k))
      value *= (omega - tor_band_at(b, k)) / (tor_band_at(b, m) - tor_band_at(b, k));
  return value;
}

void tor_band_lines(const struct tor_band *b, const struct tor_profile *t, struct tor_sheet *s,
                    double complex pulse[TOR_BAND_LINES]) {
  if (t->kind == TOR_CONTINUOUS) { /* sin(w t + phase) */
    s->nfreq = 1;
    s->omega = tor_alloc(1, sizeof *s->omega, "source");
    s->omega[0] = b->omega;
    s->centre = s->start = t->delay;
    s->end = INFINITY;
    s->rise = t->rise;
    pulse[0] = t->amplitude * TOR_I * cexp(-TOR_I * t->phase);
    return;
  }
  /* The Gaussian's transform, repeated after a period so long that its neighbours are below exp(-42). */
  const double period = 24 / b->half, step = 2 * TOR_PI / period;
  s->nfreq = TOR_BAND_LINES;
  s->omega = tor_alloc((size_t)s->nfreq, sizeof *s->omega, "source");
  s->centre = t->delay + 10 / b->half;
  s->start = s->centre - 11 / b->half;
  s->end = s->centre + 11 / b->half;
  for (int q = 0; q < s->nfreq; q++) {
    const int from_centre = q - s->nfreq / 2;
    const double off = from_centre * step;
    s->omega[q] = b->omega + off;
    pulse[q] = t->amplitude * cexp(-TOR_I * t->phase) * 2 * sqrt(TOR_PI) / b->half * exp(-pow(off / b->half, 2)) *
               step / (2 * TOR_PI);
  }
}
