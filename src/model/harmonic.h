/* Harmonic inversion: the decaying oscillations in samples at equal times, each with its error.
 *
 * The wanted band is cut into parts, each is shifted to frequency 0, filtered (Kaiser's window, 140 dB) and decimated,
 * and a sum of exponentials is fitted to the samples that remain (exponentials.h). A filter multiplies an exponential
 * by a known number and does not change its pole, so that nothing is lost by this. The record is taken whole, and also
 * its first half, quarter and so on, in which an oscillation that soon decays stands out of the noise.
 *
 * Poles that are not oscillations of the record are dropped: one is kept if
 * - its frequency lies in the band, and it decays, or grows by no more than its error or by 1 % in the record (a mode
 *   without loss whose tail reaches absorbing layers gains a little there);
 * - its error, below, is at most a tenth of the larger of its decay rate and 2 pi over the length of the record;
 * - in a part of the record, it decays to exp(-3) there: what lasts longer is found in a longer one;
 * - it stands 6 times above the fit's rest: |amplitude|^2 times the sum of |z|^(2 i) is above 36 times the rest's mean
 *   square of a sample;
 * - it has more than 1e-6 of the record's root mean square.
 * The error is 1.5 times the largest of three: the pole's distances from those nearest to it in two more fits, to the
 * first and to the last four fifths of the record; and the bound of Cramer and Rao with the fit's rest as noise. In
 * noise 19 of 20 poles lie within 1.5 times this error; where a record is no sum of so few oscillations, it shows. */
#ifndef TOR_SRC_MODEL_HARMONIC_H
#define TOR_SRC_MODEL_HARMONIC_H

#include <complex.h>

enum { TOR_HARMONIC_CHANNELS = 6 };

struct tor_harmonic {
  double omega, decay; /* of A exp(-i omega t - decay t) [1/unit of time] */
  double error;        /* of both */
  double weight;       /* its part of the record's sum of squares; parts may add up to more than 1 */
  /* Of each channel, at its first sample: a real channel has the real part of the above. */
  double complex amplitude[TOR_HARMONIC_CHANNELS];
  double amplitude_error[TOR_HARMONIC_CHANNELS];
};

struct tor_harmonic_record {
  int channels, count;
  const double *value;     /* [channels][count]; channels are weighted as they are */
  double step;             /* between samples, in the unit of time */
  const double *imaginary; /* [channels][count] of complex values; NULL: they are real. Of complex ones omega > 0 alone
                            * is looked for: exp(+i omega t) is another oscillation */
};

/* The strongest oscillations with low <= omega <= high, `most` at most, by falling omega in found[most]. Returns their
 * number; 0 also when there are fewer than TOR_HARMONIC_LEAST samples, or without LAPACK (tor_exponentials_built). All
 * threads of OpenMP; the result does not depend on their number. Local. */
int tor_harmonic_find(const struct tor_harmonic_record *record, double low, double high, struct tor_harmonic *found,
                      int most);
enum { TOR_HARMONIC_LEAST = 32 };

#endif
