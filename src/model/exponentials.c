/* Matrix pencil: see exponentials.h. */
#include "src/model/exponentials.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/error.h"

void tor_exponentials_free(struct tor_exponentials *result) {
  free(result->pole);
  free(result->amplitude);
  free(result->rest);
  *result = (struct tor_exponentials){0};
}

#ifdef TORRE_LAPACK

int tor_exponentials_built(void) { return 1; }

/* LAPACK, with the lengths of texts that compilers of Fortran add. */
void zgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double complex *a, const int *lda,
             double *s, double complex *u, const int *ldu, double complex *vt, const int *ldvt, double complex *work,
             const int *lwork, double *rwork, int *info, size_t jobu_length, size_t jobvt_length);
void zgelsy_(const int *m, const int *n, const int *nrhs, double complex *a, const int *lda, double complex *b,
             const int *ldb, int *jpvt, const double *rcond, int *rank, double complex *work, const int *lwork,
             double *rwork, int *info);
void zgeev_(const char *jobvl, const char *jobvr, const int *n, double complex *a, const int *lda, double complex *w,
            double complex *vl, const int *ldvl, double complex *vr, const int *ldvr, double complex *work,
            const int *lwork, double *rwork, int *info, size_t jobvl_length, size_t jobvr_length);

static const double ROUNDING = 1e-13; /* of the largest value, for ranks */

static int least(int a, int b) { return a < b ? a : b; }
static int largest(int a, int b) { return a > b ? a : b; }

static double complex *numbers(int rows, int columns) {
  return tor_alloc((size_t)rows * (size_t)columns + 1, sizeof(double complex), "harmonic inversion");
}

/* Memory that LAPACK asks for in answer to a length of -1. */
static double complex *workspace(double complex answer, int *length) {
  *length = largest((int)creal(answer), 1);
  return numbers(*length, 1);
}

/* Right singular vectors of a[m][n], by columns: vt[least(m, n)][n] likewise; s: singular values. */
static int singular(double complex *a, int m, int n, double *s, double complex *vt) {
  const int rank = least(m, n), one = 1;
  int length = -1, info = 0;
  double complex answer = 0, none = 0;
  double *real = tor_alloc(5 * (size_t)rank, sizeof *real, "harmonic inversion");
  zgesvd_("N", "S", &m, &n, a, &m, s, &none, &one, vt, &rank, &answer, &length, real, &info, 1, 1);
  double complex *work = workspace(answer, &length);
  zgesvd_("N", "S", &m, &n, a, &m, s, &none, &one, vt, &rank, work, &length, real, &info, 1, 1);
  free(work);
  free(real);
  return info;
}

/* Least squares of a x = b, by columns: a[m][n], b[m][sides], m >= n. The first n rows of b become x. */
static int solve(double complex *a, int m, int n, double complex *b, int sides) {
  int length = -1, info = 0, rank = 0;
  double complex answer = 0;
  double *real = tor_alloc(2 * (size_t)n, sizeof *real, "harmonic inversion");
  int *order = tor_alloc((size_t)n, sizeof *order, "harmonic inversion");
  zgelsy_(&m, &n, &sides, a, &m, b, &m, order, &ROUNDING, &rank, &answer, &length, real, &info);
  double complex *work = workspace(answer, &length);
  zgelsy_(&m, &n, &sides, a, &m, b, &m, order, &ROUNDING, &rank, work, &length, real, &info);
  free(work);
  free(real);
  free(order);
  return info;
}

/* Eigenvalues of a[n][n], whose columns are `rows` apart. */
static int eigenvalues(double complex *a, int n, int rows, double complex *value) {
  const int one = 1;
  int length = -1, info = 0;
  double complex answer = 0, none = 0;
  double *real = tor_alloc(2 * (size_t)n, sizeof *real, "harmonic inversion");
  zgeev_("N", "N", &n, a, &rows, value, &none, &one, &none, &one, &answer, &length, real, &info, 1, 1);
  double complex *work = workspace(answer, &length);
  zgeev_("N", "N", &n, a, &rows, value, &none, &one, &none, &one, work, &length, real, &info, 1, 1);
  free(work);
  free(real);
  return info;
}

static int find_poles(const double complex *value, int count, int channels, int stride, struct tor_exponentials *to) {
  const int length = count / 2, columns = length + 1, rows = count - length, all = channels * rows,
            known = least(all, columns);
  double complex *hankel = numbers(all, columns), *basis = numbers(known, columns);
  double *size = tor_alloc((size_t)known, sizeof *size, "harmonic inversion");
  for (int j = 0; j < columns; j++)
    for (int c = 0; c < channels; c++)
      for (int i = 0; i < rows; i++) hankel[(j * channels + c) * rows + i] = value[c * stride + i + j];
  int bad = singular(hankel, all, columns, size, basis), n = 0;
  while (!bad && n < least(length / 2, known) && size[n] > ROUNDING * size[0]) n++;
  free(hankel);
  double complex *from = numbers(length, n), *shifted = numbers(length, n);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < length; j++) {
      from[k * length + j] = basis[j * known + k];
      shifted[k * length + j] = basis[(j + 1) * known + k];
    }
  to->count = n;
  to->pole = numbers(n, 1);
  if (!bad && n) bad = solve(from, length, n, shifted, n) || eigenvalues(shifted, n, length, to->pole);
  free(from);
  free(shifted);
  free(basis);
  free(size);
  return bad;
}

/* A pole's samples over their norm, from the end on where it grows: the amplitude of one such vector is the result. */
static double complex fill_samples(double complex pole, int count, double complex *to) {
  const int grows = cabs(pole) > 1;
  double complex value = 1;
  double norm = 0;
  for (int i = 0; i < count; i++, value *= grows ? 1 / pole : pole) {
    if (cabs(value) < 1e-150) value = 0; /* no slow numbers, nor 0 times infinity */
    to[grows ? count - 1 - i : i] = value;
    norm += creal(value * conj(value));
  }
  norm = sqrt(norm);
  for (int i = 0; i < count; i++) to[i] /= norm;
  return to[0];
}

static int find_amplitudes(const double complex *value, int count, int channels, int stride,
                           struct tor_exponentials *to) {
  const int n = to->count;
  double complex *samples = numbers(count, n), *left = numbers(count, channels), *first = numbers(n, 1);
  for (int k = 0; k < n; k++) first[k] = fill_samples(to->pole[k], count, samples + k * count);
  for (int c = 0; c < channels; c++) memcpy(left + c * count, value + c * stride, (size_t)count * sizeof *left);
  const int bad = n && solve(samples, count, n, left, channels);
  to->amplitude = numbers(channels, n);
  to->rest = tor_alloc((size_t)channels, sizeof *to->rest, "harmonic inversion");
  for (int k = 0; k < n; k++) fill_samples(to->pole[k], count, samples + k * count);
  for (int c = 0; c < channels; c++) {
    for (int k = 0; k < n; k++) to->amplitude[c * n + k] = first[k] * left[c * count + k];
    for (int i = 0; i < count; i++) {
      double complex rest = value[c * stride + i];
      for (int k = 0; k < n; k++) rest -= left[c * count + k] * samples[k * count + i];
      to->rest[c] += creal(rest * conj(rest));
    }
  }
  free(samples);
  free(left);
  free(first);
  return bad;
}

int tor_exponentials_fit(const double complex *value, int count, int channels, int stride,
                         struct tor_exponentials *result) {
  *result = (struct tor_exponentials){0};
  for (int c = 0; c < channels; c++)
    for (int i = 0; i < count; i++)
      if (!isfinite(creal(value[c * stride + i])) || !isfinite(cimag(value[c * stride + i]))) return -1;
  if (!find_poles(value, count, channels, stride, result) && !find_amplitudes(value, count, channels, stride, result))
    return 0;
  tor_exponentials_free(result);
  return -1;
}

#else

int tor_exponentials_built(void) { return 0; }

int tor_exponentials_fit(const double complex *value, int count, int channels, int stride,
                         struct tor_exponentials *result) {
  (void)value, (void)count, (void)channels, (void)stride;
  *result = (struct tor_exponentials){0};
  return -1;
}

#endif
