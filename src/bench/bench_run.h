/* One measurement of `torre bench`. */
#ifndef TOR_SRC_BENCH_BENCH_RUN_H
#define TOR_SRC_BENCH_BENCH_RUN_H

#include <stddef.h>

#include "src/simulation/simulation.h"

struct tor_bench_point {
  int feature; /* number of the case (bench_case.h) */
  int n[3];
  int order;
  enum tor_precision precision;
  enum tor_engine_kind engine;
  int dts, th; /* 0: the plan's; filled in */
  int gpu, threads;
  double memory; /* bytes of the GPU's memory that may be used, 0: all; a larger model passes through a window */
  /* measured */
  int towers;    /* in a row; 0: stepwise */
  double rate;   /* cell updates/s, best of three */
  double bytes;  /* of the whole model */
  double window; /* bytes of the GPU's memory through which the fields pass; 0: they stay there */
};

/* Builds the case and times it, each of three rounds for at least `seconds` / 3. Returns 0; or -1 when it does not fit,
 * with the reason in why[size]. */
int tor_bench_measure(struct tor_bench_point *point, double seconds, char *why, size_t size);

/* Rate of whole stages that take at least `seconds` together [cell updates/s]; cells: of the domain. */
double tor_bench_rate(struct tor_simulation *sim, double cells, double seconds);

/* Copy bandwidth, read plus write [bytes/s], of the GPU's or the host's memory. */
double tor_bench_copy(int gpu, int threads);

#endif
