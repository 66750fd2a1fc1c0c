/* The terms of a sheet from fields at some frequencies of a band (docs/design/plane-sources.md): real profiles whose
 * sums, with complex factors, are those fields to a given error, as few as can be found. */
#ifndef TOR_SRC_MODEL_SHEET_TERMS_H
#define TOR_SRC_MODEL_SHEET_TERMS_H

#include <complex.h>
#include <stddef.h>

#include "src/job/sheet.h"

struct tor_sheet_terms {
  int nfields;                           /* fields given */
  size_t size;                           /* values of each */
  double *value;                         /* [nfields][real, imaginary][size]: what no profile has yet */
  double *norm;                          /* [nfields] */
  int count;                             /* profiles */
  double *profile[TOR_SHEET_MOST_TERMS]; /* [size], of unit norm, orthogonal */
  double complex *factor;                /* [nfields][TOR_SHEET_MOST_TERMS] */
};

/* Room for the fields, to be filled: value. Ends the run when memory is short. */
void tor_sheet_terms_init(struct tor_sheet_terms *terms, int nfields, size_t size);
void tor_sheet_terms_free(struct tor_sheet_terms *terms);

/* Finds profiles and factors; value becomes what they leave of the fields. Ends at the error `good`, of each field over
 * its norm, or at TOR_SHEET_MOST_TERMS. Returns the largest error. `value` may be freed then, and set to NULL. */
double tor_sheet_terms_find(struct tor_sheet_terms *terms, double good);

#endif
