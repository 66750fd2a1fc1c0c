/* Time profiles of sources: see profile.h. */
#include "src/model/profile.h"

#include <math.h>

#include "src/base/units.h"
#include "src/job/job.h"

void tor_profile_band(const struct tor_profile *p, double *omega, double *half) {
  if (p->kind != TOR_PULSE) {
    *omega = 2 * TOR_PI * TOR_C0 / p->wavelength;
    *half = 0;
    return;
  }
  double hi = 2 * TOR_PI * TOR_C0 / (p->wavelength - 0.5 * p->band),
         lo = 2 * TOR_PI * TOR_C0 / (p->wavelength + 0.5 * p->band);
  *omega = 0.5 * (hi + lo);
  *half = 0.5 * (hi - lo);
}

/* The multiple of the envelope that has the pulse's time integral. */
static double pulse_mean(const struct tor_profile *p) { return cos(p->phase) * tor_profile_level(p, INFINITY); }

enum { PULSE_START = 5 }; /* the envelope starts and ends, sharply, at exp(-25) */

double tor_profile_ramp(double rise, double t) { return t < rise ? 0.5 * (1 - cos(TOR_PI * t / rise)) : 1; }

double tor_profile_value(const struct tor_profile *p, double t) {
  double omega, half;
  t -= p->delay;
  if (t < 0) return 0;
  switch (p->kind) {
  case TOR_PULSE: {
    tor_profile_band(p, &omega, &half);
    double tau = 2 / half, x = t - PULSE_START * tau;
    if (x > PULSE_START * tau) return 0;
    return exp(-x * x / (tau * tau)) * (cos(omega * x + p->phase) - (p->zero_mean ? pulse_mean(p) : 0));
  }
  case TOR_CONTINUOUS: {
    return tor_profile_ramp(p->rise, t) * sin(2 * TOR_PI * TOR_C0 / p->wavelength * t + p->phase);
  }
  case TOR_TABLE: {
    int lo = 0, hi = p->count - 1;
    if (hi < 1 || t < p->time[0] || t > p->time[hi]) return 0;
    while (hi - lo > 1) {
      int mid = (lo + hi) / 2;
      if (p->time[mid] <= t)
        lo = mid;
      else
        hi = mid;
    }
    double f = (t - p->time[lo]) / (p->time[hi] - p->time[lo]);
    return (1 - f) * p->value[lo] + f * p->value[hi];
  }
  }
  return 0;
}

double tor_profile_end(const struct tor_profile *p) {
  double omega, half;
  if (p->kind == TOR_CONTINUOUS) return INFINITY;
  if (p->kind == TOR_TABLE) return p->delay + (p->count ? p->time[p->count - 1] : 0);
  tor_profile_band(p, &omega, &half);
  return p->delay + 2 * PULSE_START * 2 / half;
}

double tor_profile_bandwidth(const struct tor_profile *p) {
  double omega, half;
  if (p->kind == TOR_CONTINUOUS) return 2 * TOR_C0 / p->wavelength;
  if (p->kind == TOR_TABLE) return INFINITY; /* straight lines between its points: the spectrum falls as a power */
  tor_profile_band(p, &omega, &half);
  return (omega + sqrt(log(1e8)) * half) / (2 * TOR_PI);
}

double tor_profile_width(const struct tor_profile *p) {
  double omega, half;
  if (p->kind == TOR_CONTINUOUS) return 0;
  if (p->kind == TOR_TABLE) return p->count > 1 ? 1 / (p->time[p->count - 1] - p->time[0]) : 0;
  tor_profile_band(p, &omega, &half);
  return half / TOR_PI;
}

double tor_profile_mean(const struct tor_profile *p) {
  double sum = 0, modulus = 0;
  /* The envelope's integral is twice the spectrum's peak: half of it stands at each sign of the frequency. */
  if (p->kind == TOR_PULSE) return p->zero_mean ? 0 : 2 * fabs(pulse_mean(p));
  for (int i = 0; p->kind == TOR_TABLE && i + 1 < p->count; i++) {
    const double a = p->value[i], b = p->value[i + 1], dt = p->time[i + 1] - p->time[i];
    sum += 0.5 * (a + b) * dt;
    modulus += (a * b < 0 ? 0.5 * (a * a + b * b) / fabs(a - b) : 0.5 * fabs(a + b)) * dt;
  }
  return modulus > 0 ? fabs(sum) / modulus : 0;
}

double tor_profile_level(const struct tor_profile *p, double wavelength) {
  double omega, half;
  if (p->kind != TOR_PULSE) return 1;
  tor_profile_band(p, &omega, &half);
  const double x = (2 * TOR_PI * TOR_C0 / wavelength - omega) / half;
  return exp(-x * x);
}
