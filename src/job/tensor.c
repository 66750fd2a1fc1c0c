/* Full permittivity tensors: see tensor.h. */
#include "src/job/tensor.h"

#include <math.h>
#include <string.h>

#include "src/job/chi2.h"
#include "src/job/material.h"

/* One rotation of Jacobi's method, in the plane of the axes a and b. */
static void rotate(double m[3][3], int a, int b) {
  if (m[a][b] == 0) return;
  const double theta = 0.5 * (m[b][b] - m[a][a]) / m[a][b],
               t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  for (int i = 0; i < 3; i++) {
    const double at_a = m[i][a], at_b = m[i][b];
    m[i][a] = c * at_a - s * at_b;
    m[i][b] = s * at_a + c * at_b;
  }
  for (int i = 0; i < 3; i++) {
    const double at_a = m[a][i], at_b = m[b][i];
    m[a][i] = c * at_a - s * at_b;
    m[b][i] = s * at_a + c * at_b;
  }
}

void tor_tensor_values(const double tensor[6], double value[3]) {
  enum { SWEEPS = 16 }; /* it converges in 4 or 5 */
  double m[3][3];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) m[a][b] = tensor[tor_tensor_at(a, b)];
  for (int i = 0; i < SWEEPS; i++)
    for (int a = 0; a < 3; a++) rotate(m, a, (a + 1) % 3);
  for (int a = 0; a < 3; a++) value[a] = m[a][a];
  for (int i = 0; i < 3; i++) {
    const int a = i % 2; /* three exchanges sort three numbers */
    const double low = fmin(value[a], value[a + 1]), high = fmax(value[a], value[a + 1]);
    value[a] = low;
    value[a + 1] = high;
  }
}

void tor_tensor_in_frame(const double tensor[6], const double frame[3][3], double own[6]) {
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) {
      double sum = 0;
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum += frame[a][i] * tensor[tor_tensor_at(i, k)] * frame[b][k];
      own[tor_tensor_at(a, b)] = sum;
    }
}

void tor_tensor_turn(const double tensor[6], const double matrix[3][3], double turned[6]) {
  static const double ROUNDING = 1e-14;
  const double largest = fmax(tensor[0], fmax(tensor[1], tensor[2]));
  tor_tensor_in_frame(tensor, matrix, turned);
  for (int k = 0; k < 6; k++)
    if (!(fabs(turned[k]) > ROUNDING * largest)) turned[k] = 0;
}

/* What edges have: a diagonal tensor below the whole one, so that the rest, which nodes have, is positive. An axis
 * without coupling has its own value, the others the least eigenvalue of what they have in common. */
static void set_edges(struct tor_medium *m) {
  double tensor[6], value[3];
  tor_medium_tensor(m, tensor);
  tor_tensor_values(tensor, value);
  for (int a = 0; a < 3; a++) m->edge[a] = value[0];
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    if (m->off[b] != 0 || m->off[c] != 0) continue; /* alone it is a block of its own */
    m->edge[a] = m->eps[a];
    const double mean = 0.5 * (m->eps[b] + m->eps[c]), half = 0.5 * (m->eps[b] - m->eps[c]);
    m->edge[b] = m->edge[c] = mean - hypot(half, m->off[a]);
    return;
  }
}

void tor_medium_set_edges(struct tor_medium *medium) {
  double tensor[6], value[3];
  tor_medium_tensor(medium, tensor);
  tor_tensor_values(tensor, value);
  for (int a = 0; a < 3; a++) medium->edge[a] = medium->eps[a];
  if (medium->has_tensor) set_edges(medium);
  for (int a = 0; a < 3 && medium->has_chi2; a++) medium->edge[a] -= TOR_CHI2_ROOM * value[0];
}

void tor_medium_set_tensor(struct tor_medium *medium, const double tensor[6]) {
  memcpy(medium->eps, tensor, sizeof medium->eps);
  memcpy(medium->off, tensor + 3, sizeof medium->off);
  medium->has_tensor = medium->off[0] != 0 || medium->off[1] != 0 || medium->off[2] != 0;
  tor_medium_set_edges(medium);
}

void tor_medium_tensor(const struct tor_medium *medium, double tensor[6]) {
  for (int a = 0; a < 3; a++) {
    tensor[a] = medium->eps[a];
    tensor[3 + a] = medium->has_tensor ? medium->off[a] : 0;
  }
}

double tor_medium_excess(const struct tor_medium *medium) {
  double tensor[6], value[3];
  if (!medium->has_tensor && !medium->has_chi2) return 0;
  tor_medium_tensor(medium, tensor);
  for (int a = 0; a < 3; a++) tensor[a] -= medium->edge[a];
  tor_tensor_values(tensor, value);
  return value[2];
}
