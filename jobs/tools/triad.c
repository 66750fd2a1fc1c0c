/* Memory bandwidth as STREAM's triad counts it (McCalpin): a[i] = b[i] + s c[i], 24 bytes an element of doubles.
 *
 *   triad [megabytes per array]
 *
 * Prints GB/s, the best of ten rounds, with all OpenMP threads. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/base/types.h"

int main(int argc, char **argv) {
  double megabytes = argc > 1 ? strtod(argv[1], NULL) : 200;
  if (!(megabytes >= 1 && megabytes < 1e6)) {
    fprintf(stderr, "triad: got \"%s\", need megabytes from 1 to 1e6\n", argv[1]);
    return TOR_EXIT_USER;
  }
  const size_t n = (size_t)(megabytes * 1e6 / sizeof(double));
  double *a = tor_alloc(n, sizeof *a, "triad"), *b = tor_alloc(n, sizeof *b, "triad"),
         *c = tor_alloc(n, sizeof *c, "triad"), best = INFINITY;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    b[i] = 1;
    c[i] = 2;
  }
  for (int round = 0; round < 10; round++) {
    double start = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
    best = fmin(best, omp_get_wtime() - start);
  }
  printf("%.2f\n", a[n / 2] == 7 ? 3 * (double)n * sizeof(double) / best * 1e-9 : 0);
  free(a);
  free(b);
  free(c);
  return 0;
}
