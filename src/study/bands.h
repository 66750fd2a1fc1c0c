/* Band structures: from the resonances of several runs and places at one wave vector to its bands; files of all. Local.
 *
 * Frequencies are in c / period, wave vectors in 2 pi / period, in the user's axes. */
#ifndef TOR_SRC_STUDY_BANDS_H
#define TOR_SRC_STUDY_BANDS_H

#include <complex.h>

enum { TOR_BAND_CHANNELS = 6 };

/* A resonance in the record of one place in one run. */
struct tor_band_record {
  int run, place;
  double frequency, error, q, q_error, weight; /* weight: its part of the record's sum of squares */
  int channels;
  double complex amplitude[TOR_BAND_CHANNELS]; /* [channels], E and H in one unit, at one time of the run */
  double amplitude_error[TOR_BAND_CHANNELS];   /* [channels] */
};

/* Which resonances are bands. */
struct tor_band_rules {
  double tolerance; /* largest error over frequency */
  double least_q;
  double width; /* frequencies of different records that are nearer than this, or than 3 times their errors, are one */
  int records;  /* of places and runs: one of several must be found twice */
  int most;     /* bands at a wave vector */
};

struct tor_band {
  double frequency, error, q, q_error, weight; /* of the record with the smallest error */
  double velocity;                             /* group velocity along the path [c]; NaN: none */
  int multiplicity;                            /* bands of this frequency; each is listed */
};

enum tor_band_fault { TOR_BAND_ONCE, TOR_BAND_ERROR, TOR_BAND_Q, TOR_BAND_MANY, TOR_NBAND_FAULTS };
/* "found once", ... */
const char *tor_band_fault_text(enum tor_band_fault fault);
struct tor_band_dropped {
  double frequency, error, q, weight;
  enum tor_band_fault fault;
};

/* A wave vector of the path. */
struct tor_bands_k {
  double k[3];
  double distance;  /* along the path [2 pi / period] */
  double light;     /* the light line's frequency; NaN: there is none */
  const char *name; /* of a corner that has one, else NULL */
  int corner;       /* whether it is one */
  int finished;     /* whether its runs are */
  int below;        /* bands below the range of frequencies: band[0] is number below + 1 (tor_bands_number) */
  int count, ndropped;
  struct tor_band *band;            /* [count], by rising frequency; owned */
  struct tor_band_dropped *dropped; /* [ndropped], owned */
};

struct tor_bands {
  int axes; /* that wave vectors have: 2 or 3 */
  double period;
  int nk;
  struct tor_bands_k *at; /* [nk], owned */
};
void tor_bands_free(struct tor_bands *bands);

/* The bands of a wave vector from its records [n], which are sorted. A frequency is as many bands as the amplitudes of
 * different runs, over all channels at the places that all of them have, are independent vectors. */
void tor_bands_find(struct tor_bands_k *to, struct tor_band_record *record, int n, const struct tor_band_rules *rules);

/* Numbers the bands of all wave vectors: from one to the next no band is faster than light, so that bands that left the
 * range of frequencies through its lower end (those of frequency 0 at k = 0, most of all) are known, and counted in
 * `below`. from: the range's lower end. */
void tor_bands_number(struct tor_bands *bands, double from);

/* Group velocities of all: differences of a band by its number over the path; the mean of those to both neighbours, at
 * the path's ends that to the one, at corners between none. None, too, where a band would be faster than light: one of
 * the two wave vectors lacks a band. Returns the number of such steps. */
int tor_bands_velocities(struct tor_bands *bands);

/* The gap above band n (from 1) over all finished wave vectors: edges in gap[2]; below the light line where there is
 * one. Returns whether it is open. Bands above the last
 * that was found at a wave vector count as higher, those below its first as lower. */
int tor_bands_gap(const struct tor_bands *bands, int n, double gap[2]);

/* The largest number of a band. */
int tor_bands_most(const struct tor_bands *bands);
/* The band of that number, from 1 on; NULL: there is none. */
const struct tor_band *tor_bands_at(const struct tor_bands_k *k, int number);

/* bands.csv, a row for each band of each wave vector; dropped.csv; bands.h5, arrays [wave vector][band] with NaN where
 * there is none. Each returns 0; or -1 with errno (h5: tor_h5_error). */
int tor_bands_write_csv(const struct tor_bands *bands, const char *path);
int tor_bands_write_dropped(const struct tor_bands *bands, const char *path);
int tor_bands_write_h5(const struct tor_bands *bands, const char *path);

#endif
