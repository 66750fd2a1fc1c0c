/* Richardson's extrapolation: see extrapolate.h. */
#include "src/study/extrapolate.h"

#include <math.h>

static const double method_order = 2, least_order = 0.5, most_order = 8, safety = 1.25, safety_of_unknown = 3;

/* f = value + c h^order, or of two terms, by weighted least squares. */
struct fit {
  double value, c, order;
  double residual; /* root of the weighted mean square */
};

/* The fine cells count more: weights 1/h. h in units of the finest. */
static struct fit fit_order(int n, const double *h, const double *f, double order) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    const double t = h[i] / h[n - 1], x = pow(t, order), y = f[i] - f[n - 1];
    w += 1 / t;
    wx += x / t;
    wy += y / t;
    wxx += x * x / t;
    wxy += x * y / t;
  }
  struct fit fit = {.order = order};
  fit.c = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  fit.value = (wy - fit.c * wx) / w;
  for (int i = 0; i < n; i++) {
    const double t = h[i] / h[n - 1], left = f[i] - f[n - 1] - fit.value - fit.c * pow(t, order);
    sum += left * left / t;
  }
  fit.residual = sqrt(sum / w);
  fit.value += f[n - 1];
  return fit;
}

/* The order with the least residual: the best of a row of orders, then golden sections about it. */
static struct fit fit_all(int n, const double *h, const double *f) {
  const double step = 0.05, golden = 0.6180339887498949;
  struct fit best = fit_order(n, h, f, least_order);
  for (double order = least_order + step; order < most_order + step / 2; order += step) {
    const struct fit fit = fit_order(n, h, f, order);
    if (fit.residual < best.residual) best = fit;
  }
  double lo = fmax(least_order, best.order - step), hi = fmin(most_order, best.order + step);
  while (hi - lo > 1e-9) {
    const double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
    if (fit_order(n, h, f, a).residual < fit_order(n, h, f, b).residual)
      hi = b;
    else
      lo = a;
  }
  return fit_order(n, h, f, (lo + hi) / 2);
}

/* f = value + b h + c h^2, weighted as above; order is NaN. */
static struct fit fit_two_terms(int n, const double *h, const double *f) {
  double s[5] = {0}, r[3] = {0}, a[3], sum = 0; /* sums of w t^k, w t^k y; value, b, c */
  for (int i = 0; i < n; i++) {
    const double t = h[i] / h[n - 1], y = f[i] - f[n - 1];
    double power = 1 / t;
    for (int k = 0; k < 5; k++, power *= t) {
      s[k] += power;
      if (k < 3) r[k] += power * y;
    }
  }
  /* Cofactors of the symmetric matrix s[i + k]. */
  const double c00 = s[2] * s[4] - s[3] * s[3], c01 = s[2] * s[3] - s[1] * s[4], c02 = s[1] * s[3] - s[2] * s[2],
               c11 = s[0] * s[4] - s[2] * s[2], c12 = s[1] * s[2] - s[0] * s[3], c22 = s[0] * s[2] - s[1] * s[1],
               all = s[0] * c00 + s[1] * c01 + s[2] * c02;
  a[0] = (r[0] * c00 + r[1] * c01 + r[2] * c02) / all;
  a[1] = (r[0] * c01 + r[1] * c11 + r[2] * c12) / all;
  a[2] = (r[0] * c02 + r[1] * c12 + r[2] * c22) / all;
  for (int i = 0; i < n; i++) {
    const double t = h[i] / h[n - 1], left = f[i] - f[n - 1] - a[0] - (a[1] + a[2] * t) * t;
    sum += left * left / t;
  }
  return (struct fit){f[n - 1] + a[0], a[2], NAN, sqrt(sum / s[0])};
}

/* Of the three finest. */
static double spread(int n, const double *f) {
  double lo = f[n - 1], hi = f[n - 1];
  for (int i = n - 3; i < n - 1; i++) {
    lo = fmin(lo, f[i]);
    hi = fmax(hi, f[i]);
  }
  return hi - lo;
}

/* Values that rise and fall: a turn, which two terms fit, or no convergence. Three values cannot show which; of more
 * the four finest do. */
static struct tor_extrapolation extrapolate_turning(int n, const double *h, const double *f) {
  if (n > 4) return extrapolate_turning(4, h + n - 4, f + n - 4);
  const struct fit two = fit_two_terms(n, h, f);
  const double width = spread(n, f), far = safety * fabs(two.value - f[n - 1]);
  if (n > 3 && two.residual < 0.1 * width)
    return (struct tor_extrapolation){TOR_EXTRAPOLATION_TWO_TERMS, two.value, far + two.residual, NAN};
  return (struct tor_extrapolation){TOR_EXTRAPOLATION_SPREAD, f[n - 1],
                                    n > 3 ? width : fmax(width, fmin(far, safety_of_unknown * width)), NAN};
}

/* The factor on a correction by one power: that of a good order, or, from 1/2 above the method's, that of an unknown
 * one: then the values are not yet in the range of small cells. */
static double safety_of(double order) {
  return safety + (safety_of_unknown - safety) * fmin(1, fmax(0, order - method_order) / 0.5);
}

/* Values that rise or fall alone. An order below 1, that of the method's first term, is by chance: order 1 is used,
 * with the error of the fit. */
static struct tor_extrapolation extrapolate_steady(int n, const double *h, const double *f) {
  const struct fit two = fit_two_terms(n, h, f), free = fit_all(n, h, f),
                   one = free.order < 1 ? fit_order(n, h, f, 1) : free;
  const int slow = free.order < least_order + 1e-6, has_two = n > 3 && !slow &&
                                                              one.residual > 1e-6 * fabs(f[0] - f[n - 1]) &&
                                                              two.residual < 0.8 * one.residual;
  const struct fit used = has_two ? two : one;
  const double correction = has_two
                                ? safety * fabs(two.value - f[n - 1])
                                : safety_of(free.order) * fmax(fabs(one.value - f[n - 1]), fabs(free.value - f[n - 1]));
  const double error = fmax(correction, safety * fabs(two.value - one.value)) + used.residual;
  if (slow) {
    const double most = safety_of_unknown * spread(n, f);
    return (struct tor_extrapolation){TOR_EXTRAPOLATION_SLOW, f[n - 1], fmin(error, most), NAN};
  }
  if (has_two) return (struct tor_extrapolation){TOR_EXTRAPOLATION_TWO_TERMS, two.value, error, NAN};
  return (struct tor_extrapolation){TOR_EXTRAPOLATION_FITTED, one.value, error, free.order};
}

/* By the method's order, with an error that allows for order 1, as surfaces have. */
static struct tor_extrapolation extrapolate_two(const double *h, const double *f) {
  const double value = fit_order(2, h, f, method_order).value, first = fit_order(2, h, f, 1).value,
               error = fmax(safety_of_unknown * fabs(value - f[1]), 2 * fabs(first - f[1]));
  return (struct tor_extrapolation){TOR_EXTRAPOLATION_ASSUMED, value, error, method_order};
}

struct tor_extrapolation tor_extrapolate(int n, const double *h, const double *f) {
  int rising = 0, falling = 0;
  for (int i = 0; i < n; i++)
    if (!isfinite(f[i])) return (struct tor_extrapolation){TOR_EXTRAPOLATION_NONE, NAN, NAN, NAN};
  for (int i = 1; i < n; i++) {
    rising |= f[i] > f[i - 1];
    falling |= f[i] < f[i - 1];
  }
  const enum tor_extrapolation_kind kind = n > 2 ? TOR_EXTRAPOLATION_FITTED : TOR_EXTRAPOLATION_ASSUMED;
  if (!rising && !falling) return (struct tor_extrapolation){kind, f[n - 1], 0, NAN};
  if (n == 2) return extrapolate_two(h, f);
  return rising && falling ? extrapolate_turning(n, h, f) : extrapolate_steady(n, h, f);
}

const char *tor_extrapolation_name(enum tor_extrapolation_kind kind) {
  static const char *const name[] = {"fitted", "two terms", "assumed", "slow", "spread", "none"};
  return name[kind];
}
