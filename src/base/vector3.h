/* Products of vectors of three numbers. */
#ifndef TOR_SRC_BASE_VECTOR3_H
#define TOR_SRC_BASE_VECTOR3_H

static inline double tor_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* to = a x b; to is neither of them. */
static inline void tor_cross(const double a[3], const double b[3], double to[3]) {
  for (int i = 0; i < 3; i++) to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

#endif
