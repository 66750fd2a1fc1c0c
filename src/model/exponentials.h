/* Sums of complex exponentials, y[i] = sum over k of a[k] z[k]^i, from their samples.
 *
 * Matrix pencil (Y. Hua, T. K. Sarkar, IEEE Trans. Acoust. Speech Signal Process. 38, 814 (1990)) in its form with the
 * shift of a subspace (R. Roy, T. Kailath, ibid. 37, 984 (1989)): the rows of the Hankel matrix y[i + j] of all
 * channels span the vectors (1, z, z^2, ...) of all poles; the strongest right singular vectors are a basis of them,
 * and the matrix that shifts this basis by a sample has the poles as its eigenvalues. Amplitudes are those of the least
 * squares. LAPACK does the linear algebra. */
#ifndef TOR_SRC_MODEL_EXPONENTIALS_H
#define TOR_SRC_MODEL_EXPONENTIALS_H

#include <complex.h>

struct tor_exponentials {
  int count;
  double complex *pole;      /* [count], z */
  double complex *amplitude; /* [channels][count], at sample 0 */
  double *rest;              /* [channels]: sum of the squares of what they leave of the samples */
};

/* Whether this program was built with LAPACK; without it no fit succeeds. */
int tor_exponentials_built(void);

/* Fits a quarter as many poles as there are samples, or less where the samples have less. value[channels][stride], of
 * which the first `count` of each channel are used: 8 at least. Returns 0, and the result is to be freed; or -1, when
 * samples are not finite or LAPACK fails. Local. */
int tor_exponentials_fit(const double complex *value, int count, int channels, int stride,
                         struct tor_exponentials *result);
void tor_exponentials_free(struct tor_exponentials *result);

#endif
