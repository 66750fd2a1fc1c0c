/* Pictures of the measurements of `torre bench`. */
#ifndef TOR_SRC_BENCH_BENCH_PLOT_H
#define TOR_SRC_BENCH_BENCH_PLOT_H

#include "src/bench/bench_run.h"

struct tor_bench_line { /* a line of bench.csv */
  const char *series;   /* "feature", "th", "towers", "nz" ... */
  struct tor_bench_point point;
  double bytes; /* an update moves to and from memory */
};

/* Writes th.png, towers.png, nz.png and roofline.png to the folder, each where there are points, and prints their
 * names. copy: bandwidth [bytes/s] for the roof. */
void tor_bench_plot(const char *folder, const struct tor_bench_line *lines, int n, double copy);

#endif
