/* Errors of a job's spectra that are known before the first step. */
#ifndef TOR_SRC_MODEL_KNOWN_ERRORS_H
#define TOR_SRC_MODEL_KNOWN_ERRORS_H

#include "src/base/error.h"
#include "src/job/grid.h"
#include "src/job/job.h"

/* A part of an amplitude above which it is no estimate any more: spectra are wrong altogether. */
#define TOR_ALL_WRONG 9.0

enum tor_known_cause {
  TOR_SOURCE_CUT_OFF,   /* the run ends before a source does (cut_off.h) */
  TOR_CPML_RETURNS,     /* CPML of few cells or odd parameters (layer_errors.h) */
  TOR_ABSORBERS_RETURN, /* thin absorbers (layer_errors.h) */
  TOR_FILM_AT_LAYERS,   /* CPML in the near field of a film's wave (film_warnings.h) */
  TOR_DIPOLE_AT_LAYERS, /* CPML in the near field of a dipole (dipole_warnings.h) */
  TOR_DIPOLE_AT_NODES,  /* surface nodes of a metal in the near field of a dipole (dipole_warnings.h) */
  TOR_NKNOWN_CAUSES
};

/* As run.json has it. */
extern const char *const tor_known_causes[TOR_NKNOWN_CAUSES];

struct tor_known_error {
  double amplitude;       /* of the fields that are missing or wrong, over the largest; 0: no estimate */
  struct tor_place place; /* its strings but the key are the job's */
  char key[96];
  char text[640];   /* what is wrong, with that of powers at its end */
  char needed[160]; /* what cures it */
};

struct tor_known_errors {
  unsigned found; /* bits 1 << cause */
  struct tor_known_error of[TOR_NKNOWN_CAUSES];
  int worst;        /* cause with the largest amplitude; -1: none has one */
  double amplitude; /* of all of them together */
};

/* Sets an error; text printf style. needed: with neither marks nor "need". */
void tor_known_errors_set(struct tor_known_errors *errors, enum tor_known_cause cause, double amplitude,
                          const struct tor_place *place, const char *needed, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* `grid.size = [..]` in the job's unit of length, of a domain of that extent along x, y, z [m], as text in
 * needed[size]. */
void tor_known_errors_size(const struct tor_job *job, const double extent[3], char *needed, size_t size);

/* All of a job. Without spectra their amplitudes are 0: they are reported, and the run ends with status 0. The job must
 * outlive them. */
void tor_known_errors_find(const struct tor_job *job, const struct tor_grid *grid, struct tor_known_errors *errors);

/* "powers may be off by 8.3 % of the largest", "powers may be all wrong" from 1 on; into text[size]. Returns text. */
const char *tor_known_errors_off(double error, char *text, size_t size);

/* Of powers, over the largest: 2 amplitude + amplitude^2, the square of a sum of two fields. And the amplitude. */
double tor_error_of_powers(double amplitude);
double tor_amplitude_of_error(double error);

/* Warnings before the first step, with their cures, and whether the exit status will be 3. */
void tor_known_errors_log(const struct tor_known_errors *errors, const struct tor_job *job);
/* At the end of a run that is unconverged. */
void tor_known_errors_end(const struct tor_known_errors *errors, const struct tor_job *job);

#endif
