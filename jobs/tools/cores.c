/* Number of cores that the OpenMP threads are worth: the rate of arithmetic in registers by all threads, divided by
 * that of one.
 *
 *   cores
 *
 * Prints the ratio, the best of ten rounds for either. Two threads that share one core, as a virtual machine's may from
 * one minute to the next, give little more than 1. */
#include <math.h>
#include <omp.h>
#include <stdio.h>

#include "src/base/types.h"

enum { LANES = 64, REPEATS = 200000 };

/* Seconds that every thread of a team takes for the same work. */
static double seconds_of(int threads, double *sink) {
  double sum = 0;
  const double start = omp_get_wtime();
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    float x[LANES];
    for (int i = 0; i < LANES; i++) x[i] = (float)i;
    for (int k = 0; k < REPEATS; k++)
      for (int i = 0; i < LANES; i++) x[i] = fmaf(x[i], 0.999f, 0.5f);
    for (int i = 0; i < LANES; i++) sum += (double)x[i];
  }
  *sink += sum;
  return omp_get_wtime() - start;
}

int main(void) {
  const int threads = omp_get_max_threads();
  double sink = 0, one = INFINITY, all = INFINITY;
  for (int round = 0; round < 10; round++) {
    one = fmin(one, seconds_of(1, &sink));
    all = fmin(all, seconds_of(threads, &sink));
  }
  printf("%.2f\n", isfinite(sink) ? threads * one / all : 0);
  return 0;
}
