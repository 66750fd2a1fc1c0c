/* Full permittivity tensors of media: real, symmetric, positive. Six numbers in the order xx, yy, zz, yz, zx, xy. */
#ifndef TOR_SRC_JOB_TENSOR_H
#define TOR_SRC_JOB_TENSOR_H

#include "src/job/material.h"

enum { TOR_TENSOR_SIZE = 6 };
/* The place of row a, column b. */
static inline int tor_tensor_at(int a, int b) { return a == b ? a : 6 - a - b; }

/* Eigenvalues, the smallest first. */
void tor_tensor_values(const double tensor[6], double value[3]);
/* Its elements in a frame whose rows are unit vectors. */
void tor_tensor_in_frame(const double tensor[6], const double frame[3][3], double own[6]);
/* R tensor R^T: turned by a matrix whose columns are the images of the axes. Elements below 1e-14 of the largest are 0.
 */
void tor_tensor_turn(const double tensor[6], const double matrix[3][3], double turned[6]);

/* Gives a medium this permittivity at infinite frequency. */
void tor_medium_set_tensor(struct tor_medium *medium, const double tensor[6]);
/* What edges of E have of it; nodes have the rest, which is not negative. */
void tor_medium_set_edges(struct tor_medium *medium);
/* That of any medium. */
void tor_medium_tensor(const struct tor_medium *medium, double tensor[6]);
/* The largest eigenvalue of what a medium's nodes have, its tensor less that of its edges (tor_medium_edge). */
double tor_medium_excess(const struct tor_medium *medium);

#endif
