/* Scattering matrices: see smatrix.h. */
#include "src/study/smatrix.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/files/folder.h"
#include "io/hdf5/h5.h"
#include "src/base/error.h"
#include "src/base/types.h"
#include "src/base/units.h"

void tor_smatrix_begin(struct tor_smatrix *m, int nports, const int *port, int nruns, const int *driven,
                       int nwavelength) {
  const size_t n = (size_t)nwavelength * (size_t)nports * (size_t)nruns;
  *m = (struct tor_smatrix){.nports = nports, .nruns = nruns, .nwavelength = nwavelength, .port = port};
  m->driven = driven;
  m->wavelength = tor_alloc((size_t)nwavelength, sizeof *m->wavelength, "ports");
  m->enter = tor_alloc(n, sizeof *m->enter, "ports");
  m->leave = tor_alloc(n, sizeof *m->leave, "ports");
  m->s = tor_alloc(n, sizeof *m->s, "ports");
}

void tor_smatrix_free(struct tor_smatrix *m) {
  free(m->wavelength);
  free(m->enter);
  free(m->leave);
  free(m->s);
  *m = (struct tor_smatrix){0};
}

/* --- Its values --- */

/* Solves s a = b for s, [n][n] each, with pivots: by columns of the transposed equation. a and b are overwritten; s may
 * be b. */
static void solve_right(int n, double complex *a, double complex *b, double complex *s) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int c = k + 1; c < n; c++)
      if (cabs(a[k * n + c]) > cabs(a[k * n + best])) best = c;
    for (int r = 0; r < n; r++) {
      const double complex of_a = a[r * n + k], of_b = b[r * n + k];
      a[r * n + k] = a[r * n + best];
      a[r * n + best] = of_a;
      b[r * n + k] = b[r * n + best];
      b[r * n + best] = of_b;
    }
    for (int c = 0; c < n; c++) {
      if (c == k) continue;
      const double complex factor = a[k * n + c] / a[k * n + k];
      for (int r = 0; r < n; r++) {
        a[r * n + c] -= factor * a[r * n + k];
        b[r * n + c] -= factor * b[r * n + k];
      }
    }
  }
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) s[r * n + c] = b[r * n + c] / a[c * n + c];
}

void tor_smatrix_solve(struct tor_smatrix *m) {
  const int n = m->nports;
  const size_t size = (size_t)n * (size_t)m->nruns;
  for (int q = 0; q < m->nwavelength; q++) {
    double complex *const enter = m->enter + (size_t)q * size, *const leave = m->leave + (size_t)q * size;
    double complex *const s = m->s + (size_t)q * size;
    if (m->nruns == n)
      solve_right(n, enter, leave, s);
    else
      for (int to = 0; to < n; to++)
        for (int r = 0; r < m->nruns; r++)
          s[to * m->nruns + r] = leave[to * m->nruns + r] / enter[m->driven[r] * m->nruns + r];
  }
}

static double square(double complex x) { return creal(x * conj(x)); }

double tor_smatrix_sum(const struct tor_smatrix *m, int q, int from) {
  double sum = 0;
  for (int to = 0; to < m->nports; to++) sum += square(tor_smatrix_at(m, q, to, from));
  return sum;
}

double tor_smatrix_asymmetry(const struct tor_smatrix *m, int q) {
  double most = 0;
  for (int i = 0; i < m->nruns; i++)
    for (int k = 0; k < i; k++)
      most = fmax(most, cabs(tor_smatrix_at(m, q, m->driven[i], k) - tor_smatrix_at(m, q, m->driven[k], i)));
  return most;
}

/* --- Files --- */

int tor_smatrix_write_csv(const struct tor_smatrix *m, const char *path) {
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  fputs("wavelength_nm,to,from,re,im,power,power_dB,phase_rad\n", f);
  for (int q = 0; q < m->nwavelength; q++)
    for (int to = 0; to < m->nports; to++)
      for (int r = 0; r < m->nruns; r++) {
        const double complex s = tor_smatrix_at(m, q, to, r);
        fprintf(f, "%.10g,%d,%d,%.12g,%.12g,%.9g,%.6g,%.9g\n", m->wavelength[q], m->port[to], m->port[m->driven[r]],
                creal(s), cimag(s), square(s), 10 * log10(square(s)), carg(s));
      }
  return tor_folder_commit(f, path);
}

/* Two ports by columns, more by rows of at most four numbers, as the format has it. */
int tor_smatrix_write_touchstone(const struct tor_smatrix *m, const char *path) {
  const int n = m->nports, rising = m->wavelength[0] >= m->wavelength[m->nwavelength - 1];
  FILE *f = tor_folder_create(path);
  if (!f) return -1;
  fprintf(f, "! by the square root of power; ports");
  for (int i = 0; i < n; i++) fprintf(f, " %d", m->port[i]);
  fprintf(f, "\n# GHZ S RI R 50\n");
  for (int i = 0; i < m->nwavelength; i++) {
    const int q = rising ? i : m->nwavelength - 1 - i;
    fprintf(f, "%.12g", TOR_C0 / (m->wavelength[q] * TOR_NM) * 1e-9);
    for (int k = 0; k < n * n; k++) {
      const int row = n == 2 ? k % 2 : k / n, column = n == 2 ? k / 2 : k % n;
      const double complex s = tor_smatrix_at(m, q, row, column);
      if (n > 2 && k && (column == 0 || column % 4 == 0)) fputs("\n", f);
      fprintf(f, " %.12g %.12g", creal(s), -cimag(s)); /* exp(+i w t) */
    }
    fputs("\n", f);
  }
  return tor_folder_commit(f, path);
}

int tor_smatrix_write_h5(const struct tor_smatrix *m, const char *path) {
  const tor_gidx nwave = m->nwavelength, nports = m->nports, nruns = m->nruns;
  const tor_gidx dims[4] = {nwave, nports, nruns, 2};
  double *const number = tor_alloc((size_t)m->nports + 1, sizeof *number, "ports");
  double *const wavelength = tor_alloc((size_t)m->nwavelength, sizeof *wavelength, "ports");
  struct tor_h5 *h5 = tor_h5_create(path);
  int status = -1;
  if (h5) {
    tor_h5_attribute_int(h5, "/", "format_version", 1);
    for (int q = 0; q < m->nwavelength; q++) wavelength[q] = m->wavelength[q] * TOR_NM;
    tor_h5_write(h5, "/wavelength", TOR_H5_DOUBLE, 1, &nwave, wavelength, "m", "wavelength in vacuum");
    for (int i = 0; i < m->nports; i++) number[i] = m->port[i];
    tor_h5_write(h5, "/to", TOR_H5_DOUBLE, 1, &nports, number, "1", "numbers of the ports");
    for (int i = 0; i < m->nruns; i++) number[i] = m->port[m->driven[i]];
    tor_h5_write(h5, "/from", TOR_H5_DOUBLE, 1, &nruns, number, "1", "numbers of the driven ports");
    tor_h5_write(h5, "/s", TOR_H5_DOUBLE, 4, dims, m->s, "1",
                 "leaving over entering wave, fields as exp(-i w t); [wavelength][to][from][real, imaginary]");
    tor_h5_attribute_string(h5, "/s", "axes", "wavelength to from part");
    status = tor_h5_close(h5);
  }
  free(number);
  free(wavelength);
  return status ? -1 : 0;
}
