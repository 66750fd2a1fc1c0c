/* Limits of a picture's colours: see image.h. In every build. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "io/image/image.h"

double tor_image_largest(const double *values, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    if (isfinite(values[i])) most = fmax(most, fabs(values[i]));
  return most;
}

/* The value of rank k (0: the least) of v[n]; reorders v (Hoare's quickselect). */
static double value_of_rank(double *v, size_t n, size_t k) {
  size_t lo = 0, hi = n - 1;
  while (lo < hi) {
    const double middle = v[lo + (hi - lo) / 2];
    size_t i = lo, j = hi;
    while (i <= j) {
      /* NOLINTBEGIN(clang-analyzer-core.UndefinedBinaryOperatorResult): middle is among them and ends both. */
      while (v[i] < middle) i++;
      while (v[j] > middle) j--;
      /* NOLINTEND(clang-analyzer-core.UndefinedBinaryOperatorResult) */
      if (i > j) break;
      const double swap = v[i];
      v[i++] = v[j];
      v[j] = swap;
      if (!j) break;
      j--;
    }
    if (k <= j)
      hi = j;
    else if (k >= i)
      lo = i;
    else
      break;
  }
  return v[k];
}

double tor_image_percentile(const double *values, size_t n, double percent) {
  const double least = 1e-6 * tor_image_largest(values, n);
  double *v = malloc((n + 1) * sizeof *v);
  size_t count = 0;
  if (!v) return least * 1e6;
  for (size_t i = 0; i < n; i++)
    if (isfinite(values[i]) && fabs(values[i]) > least) v[count++] = fabs(values[i]);
  const double rank = ceil(percent / 100 * (double)count) - 1;
  const double value = count ? value_of_rank(v, count, rank > 0 ? (size_t)rank : 0) : 0;
  free(v);
  return value;
}
