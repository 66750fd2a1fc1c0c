/* Media of second order: P_i = eps0 sum of chi2_ijk E_j E_k of the fields in time, chi2_ijk = chi2_ikj, real.
 *
 * Contracted it is three rows of six, of the products xx, yy, zz, 2 yz, 2 zx, 2 xy: chi2_il = 2 d_il (J. F. Nye,
 * Physical Properties of Crystals, chapter VII; R. W. Boyd, Nonlinear Optics, 1.5). */
#ifndef TOR_SRC_JOB_CHI2_H
#define TOR_SRC_JOB_CHI2_H

#include "src/job/material.h"

/* What edges lack of the permittivity's least principal value: room for 2 |chi2 E| below it. */
#define TOR_CHI2_ROOM 0.1

/* All of the contracted d [the given unit] from as many numbers as a crystal class has, in its frame; others 0:
 *
 *   1    d14 = d25 = d36                                       43m, 23
 *   3    d33, d31 = d32, d15 = d24                             4mm, 6mm, poled polymers
 *   4    d33, d31 = d32, d15 = d24, d22 = -d21 = -d16          3m, the mirror plane across x
 *   5    d33, d31, d15, d32, d24                               mm2
 *   18   all, by rows
 *
 * Returns 0 if `count` is none of these. */
int tor_chi2_of_class(const double given[], int count, double d[TOR_CHI2_SIZE]);
/* Whether all elements with the same indices are alike to 1e-6 of the largest: without losses they are, when the
 * medium responds at once (Kleinman). */
int tor_chi2_is_symmetric(const double chi2[TOR_CHI2_SIZE]);
/* Element i, j, k. */
double tor_chi2_at(const double chi2[TOR_CHI2_SIZE], int i, int j, int k);
/* Turned by a matrix whose columns are the images of the axes. Elements below 1e-14 of the largest are 0. */
void tor_chi2_turn(const double chi2[TOR_CHI2_SIZE], const double matrix[3][3], double turned[TOR_CHI2_SIZE]);
/* Whether it has elements in which an axis is an odd (parity 1) or even (0) number of the indices. */
int tor_chi2_has_parity(const double chi2[TOR_CHI2_SIZE], int axis, int parity);

#endif
