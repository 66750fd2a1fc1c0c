/* Eigenvectors of the operator of guided modes near a value: shift and invert by ARPACK (R. B. Lehoucq, D. C. Sorensen,
 * C. Yang, ARPACK Users' Guide, SIAM 1998) with the sparse factors of SuperLU (X. S. Li, ACM Trans. Math. Softw. 31,
 * 302 (2005)). Both are optional when Torre is built. */
#ifndef TOR_SRC_MODES_MODE_SOLVER_H
#define TOR_SRC_MODES_MODE_SOLVER_H

#include <complex.h>

#include "src/modes/mode_operator.h"

/* Whether this build has the libraries. */
int tor_mode_solver_built(void);

/* (P Q - shift)^-1, factored. NULL where the matrix is singular or memory is short, with the reason in why[size]. */
struct tor_mode_factors *tor_mode_factor(const struct tor_mode_operator *op, double complex shift, char *why,
                                         size_t size);
void tor_mode_factors_free(struct tor_mode_factors *factors);
/* x = (P Q - shift)^-1 b, of the advanced points; [op->size]. x may be b. */
void tor_mode_solve(struct tor_mode_factors *factors, const double complex *b, double complex *x);
/* Numbers in the factors, of memory and work. */
double tor_mode_factors_count(const struct tor_mode_factors *factors);

/* The `count` eigenvalues of P Q nearest to the factors' shift, and their vectors e [count][op->size], in any order.
 * Returns how many were found, fewer with the reason in why[size]; -1: none. */
int tor_mode_eigenvectors(const struct tor_mode_operator *op, struct tor_mode_factors *factors, double complex shift,
                          int count, double complex *value, double complex *vector, char *why, size_t size);

#endif
