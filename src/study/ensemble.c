/* Incoherent sums: see ensemble.h. */
#include "src/study/ensemble.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "src/base/error.h"
#include "src/job/job.h"

int tor_ensemble_places(const struct tor_ensemble_job *e) { return e->count[0] * e->count[1] * e->count[2]; }

/* Above 0, below 1: the mixing of splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static double uniform(uint64_t seed, uint64_t number) {
  uint64_t z = seed * 0xd1342543de82ef95u + (number + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

void tor_ensemble_place(const struct tor_ensemble_job *e, int i, double x[3]) {
  int rest = i;
  for (int a = 0; a < 3; a++) {
    const int n = e->count[a], row = rest / n;
    int part = rest % n;
    /* each time the numbers along the later axes grow by one, the parts along this one turn back */
    if (row % 2) part = n - 1 - part;
    const double within = e->random ? uniform((uint64_t)e->seed, 3 * (uint64_t)i + (uint64_t)a) : 0.5;
    x[a] = e->lo[a] + (e->hi[a] - e->lo[a]) * (part + within) / n;
    rest = row;
  }
}

static double variance(const double *value, int n) {
  double sum = 0;
  if (n == 2) return 0.5 * (value[1] - value[0]) * (value[1] - value[0]);
  for (int i = 1; i + 1 < n; i++) {
    const double bend = value[i - 1] - 2 * value[i] + value[i + 1];
    sum += bend * bend / 6;
  }
  return sum / (n - 2);
}

struct tor_ensemble_mean tor_ensemble_mean(const double *value, int n, int exact) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += value[i];
  const double error = n > 1 ? sqrt(variance(value, n) / n) : exact ? 0 : (double)NAN;
  return (struct tor_ensemble_mean){n ? sum / n : (double)NAN, error};
}

struct tor_ensemble_mean tor_ensemble_ratio(const double *above, const double *below, int n, int exact) {
  const double a = tor_ensemble_mean(above, n, exact).value, b = tor_ensemble_mean(below, n, exact).value;
  double *left = tor_alloc((size_t)n + 1, sizeof *left, "ensemble");
  for (int i = 0; i < n; i++) left[i] = (above[i] - a / b * below[i]) / b;
  const double error = tor_ensemble_mean(left, n, exact).error;
  free(left);
  return (struct tor_ensemble_mean){a / b, error};
}
