/* Scattering matrices: from the amplitudes of waves at ports, in as many runs as there are driven ports, and their
 * files. S[to][from] is the wave that leaves at a port over the one that enters at another, both by the square root of
 * their power. Local. */
#ifndef TOR_SRC_STUDY_SMATRIX_H
#define TOR_SRC_STUDY_SMATRIX_H

#include <complex.h>

struct tor_smatrix {
  int nports, nruns; /* a run for each driven port */
  int nwavelength;
  double *wavelength;            /* [nwavelength] in nm */
  const int *port;               /* [nports] numbers, rising; the caller's */
  const int *driven;             /* [nruns] places in `port`, rising; the caller's */
  double complex *enter, *leave; /* [nwavelength][nports][nruns] */
  double complex *s;             /* [nwavelength][nports][nruns] */
};

/* Zeroed arrays. Ends the run when memory is short. */
void tor_smatrix_begin(struct tor_smatrix *matrix, int nports, const int *port, int nruns, const int *driven,
                       int nwavelength);
void tor_smatrix_free(struct tor_smatrix *matrix);

/* S from the amplitudes. With all ports driven leave = S enter is solved, so that waves that come back to ports from
 * absorbing layers are accounted for; else each column is over the wave that enters at its port. */
void tor_smatrix_solve(struct tor_smatrix *matrix);

static inline double complex tor_smatrix_at(const struct tor_smatrix *m, int wavelength, int to, int from) {
  return m->s[((long)wavelength * m->nports + to) * m->nruns + from];
}
/* Power that leaves at all ports over what enters at one. */
double tor_smatrix_sum(const struct tor_smatrix *matrix, int wavelength, int from);
/* The largest |S_ij - S_ji| of driven ports; 0 with one. */
double tor_smatrix_asymmetry(const struct tor_smatrix *matrix, int wavelength);

/* Files in a folder: smatrix.csv, smatrix.h5, with all ports driven smatrix.sNp (Touchstone 1.1, of 50 ohm, by rising
 * frequency). Each returns 0; or -1 with errno, of smatrix.h5 with the reason in tor_h5_error. */
int tor_smatrix_write_csv(const struct tor_smatrix *matrix, const char *path);
int tor_smatrix_write_touchstone(const struct tor_smatrix *matrix, const char *path);
int tor_smatrix_write_h5(const struct tor_smatrix *matrix, const char *path);

#endif
