/* Media of second order: see chi2.h. */
#include "src/job/chi2.h"

#include <math.h>
#include <string.h>

#include "src/job/material.h"
#include "src/job/tensor.h"

int tor_chi2_of_class(const double given[], int count, double d[TOR_CHI2_SIZE]) {
  double *const row[3] = {d, d + 6, d + 12};
  const int uniaxial = count == 3 || count == 4;
  if (count == TOR_CHI2_SIZE) {
    memcpy(d, given, TOR_CHI2_SIZE * sizeof *d);
    return 1;
  }
  memset(d, 0, TOR_CHI2_SIZE * sizeof *d);
  if (count == 1) row[0][3] = row[1][4] = row[2][5] = given[0];
  if (!uniaxial && count != 5) return count == 1;
  row[2][2] = given[0];
  row[2][0] = given[1];
  row[2][1] = uniaxial ? given[1] : given[3];
  row[0][4] = given[2];
  row[1][3] = uniaxial ? given[2] : given[4];
  if (count == 4) {
    row[1][1] = given[3];
    row[1][0] = row[0][5] = -given[3];
  }
  return 1;
}

double tor_chi2_at(const double chi2[TOR_CHI2_SIZE], int i, int j, int k) { return chi2[6 * i + tor_tensor_at(j, k)]; }

static double largest_of(const double chi2[TOR_CHI2_SIZE]) {
  double largest = 0;
  for (int k = 0; k < TOR_CHI2_SIZE; k++) largest = fmax(largest, fabs(chi2[k]));
  return largest;
}

int tor_chi2_is_symmetric(const double chi2[TOR_CHI2_SIZE]) {
  static const double ALIKE = 1e-6;
  int symmetric = 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        symmetric &= fabs(tor_chi2_at(chi2, i, j, k) - tor_chi2_at(chi2, j, i, k)) <= ALIKE * largest_of(chi2);
  return symmetric;
}

void tor_chi2_turn(const double chi2[TOR_CHI2_SIZE], const double matrix[3][3], double turned[TOR_CHI2_SIZE]) {
  static const double ROUNDING = 1e-14;
  const double least = ROUNDING * largest_of(chi2);
  for (int a = 0; a < 3; a++)
    for (int l = 0; l < 6; l++) {
      const int b = l < 3 ? l : (l + 1) % 3, c = l < 3 ? l : (l + 2) % 3;
      double sum = 0;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          for (int k = 0; k < 3; k++) sum += matrix[a][i] * matrix[b][j] * matrix[c][k] * tor_chi2_at(chi2, i, j, k);
      turned[6 * a + l] = fabs(sum) > least ? sum : 0;
    }
}

int tor_chi2_has_parity(const double chi2[TOR_CHI2_SIZE], int axis, int parity) {
  int has = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        has |= tor_chi2_at(chi2, i, j, k) != 0 && ((i == axis) + (j == axis) + (k == axis)) % 2 == parity;
  return has;
}
