/* The value of a number at cells of size zero, and its error, from its values at several cells (Richardson; the factors
 * are those of Roache's grid convergence index). Plain arithmetic, local. */
#ifndef TOR_SRC_STUDY_EXTRAPOLATE_H
#define TOR_SRC_STUDY_EXTRAPOLATE_H

enum tor_extrapolation_kind {
  TOR_EXTRAPOLATION_FITTED,    /* three cells and more: value + c h^order, the order fitted */
  TOR_EXTRAPOLATION_TWO_TERMS, /* four cells and more: value + b h + c h^2, where that fits better */
  TOR_EXTRAPOLATION_ASSUMED,   /* two cells: order 2, that of the method */
  TOR_EXTRAPOLATION_SLOW,      /* the values hardly approach each other: value is the finest */
  TOR_EXTRAPOLATION_SPREAD,    /* the values rise and fall: value is the finest, error the spread */
  TOR_EXTRAPOLATION_NONE       /* a value is not finite: value and error are NaN */
};

struct tor_extrapolation {
  enum tor_extrapolation_kind kind;
  double value, error; /* the estimates of the value at cells of size zero and of its error, +- */
  double order;        /* as observed; NaN where nothing was fitted, or all values are equal */
};

enum { TOR_EXTRAPOLATION_CELLS = 16 }; /* at most */

/* h[n]: edges of the cells, falling; f[n]: the number at each; n: 2 to TOR_EXTRAPOLATION_CELLS.
 *
 * Two forms are fitted by least squares, fine cells weigh more: one power, of order 1/2 to 8, and two terms, of orders
 * 1 and 2, which is what surfaces and waves in cells make. Where the terms have opposite signs they pass through a
 * turn, and before it look like a high order. With three cells both fit exactly and the power is taken; with more, the
 * one that leaves less. The error is what the fit leaves and the larger of two differences: that of the finest value
 * to the extrapolated one, times 1.25, growing to 3 for orders from 2 to 2.5 and above, which say that the cells are
 * still too large; and that between the forms, times 1.25. With two cells, where nothing tests the order, it is
 * the larger of 3 times the difference of the finest value to that by order 2 and twice that to that by order 1.
 *
 * Values that hardly approach each other (order 1/2) or that rise and fall are not extrapolated, but for a turn that
 * the four finest show. The error of those that rise and fall is the spread of the three finest. Three times the spread
 * is the most that it may be where three cells cannot distinguish a turn from noise, by two terms, and where values
 * hardly approach each other, by order 1/2. */
struct tor_extrapolation tor_extrapolate(int n, const double *h, const double *f);

/* "fitted", "two terms", "assumed", "slow", "spread", "none". */
const char *tor_extrapolation_name(enum tor_extrapolation_kind kind);

#endif
