/* E on a plane at some wavelengths, from an HDF5 file: what a source of type "fields" sends. Plain data.
 *
 * GROUP/wavelength [n] in vacuum [m]; for each component of E along the plane, in the user's axes, GROUP/Ex/spectrum
 * [n][z][y][x][real, imaginary], in 2-D [n][y][x][real, imaginary], for fields as exp(-i omega t), and GROUP/Ex/x, y, z
 * with the places of its points [m]; so a field monitor is written. H likewise where wanted. Where
 * GROUP/amplitude [n][real, imaginary], GROUP/incident or GROUP/moment is there, in this order, the fields are divided
 * by it: a monitor's are those of its run's pulse then, and these those of a pulse of amplitude 1. */
#ifndef TOR_SRC_JOB_FIELD_FILE_H
#define TOR_SRC_JOB_FIELD_FILE_H

#include <complex.h>
#include <stddef.h>
#include <stdint.h>

/* A component's points: all places along x, y, z, in each order rising; one along an axis that the file lacks. */
struct tor_field_component {
  int n[3];
  double *place[3];      /* [n], owned [m] */
  double complex *value; /* [row][n[2]][n[1]][n[0]], owned; NULL: not asked for */
};

struct tor_field_file {
  char *file, *group; /* owned */
  int nfreq;
  double *omega;                   /* [nfreq], rising, owned [rad/s] */
  int *row;                        /* [nfreq] the row of values of each frequency, owned */
  struct tor_field_component e[3]; /* Ex, Ey, Ez */
  struct tor_field_component h[3];
  uint64_t contents; /* a hash of the numbers */
};

/* Component number i of six: Ex, Ey, Ez, Hx, Hy, Hz. */
static inline struct tor_field_component *tor_field_file_component(struct tor_field_file *fields, int i) {
  return i < 3 ? &fields->e[i] : &fields->h[i - 3];
}

/* Reads components (bits 1 << number) from the group of the file at `path`; axes: 2 or 3, those that places have.
 * Returns 0; -1 with the reason in why[size], with nothing to be freed. Ends the run when memory is short. */
int tor_field_file_read(const char *path, const char *group, int axes, unsigned components,
                        struct tor_field_file *fields, char *why, size_t size);
/* Frees places and values, when sheets have been made of them: the rest is what the job is known by. */
void tor_field_file_forget(struct tor_field_file *fields);
/* NULL, or with all that it points to. */
void tor_field_file_free(struct tor_field_file *fields);

#endif
